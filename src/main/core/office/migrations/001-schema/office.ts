/**
 * The office itself, its workstations, and the office's key. A rotation makes another key current, and each workstation
 * gets a copy of it. The server refuses all queries of a workstation that hasn't taken the current key. So nothing sealed
 * with it reaches a workstation that can't open it, and nothing sealed with an earlier one is added.
 */
const tables = `
  CREATE TABLE office (
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
    -- The id of this database and no other, so that a workstation notices if the office is another one.
    incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
    -- lease: how long a claim lasts before its send becomes uncertain; a POST may take two minutes, and a claim must outlast it. search: how
    -- long at least a workstation looks for an uncertain send. proof: for how long it then counts as shown that the send didn't arrive.
    lease interval NOT NULL DEFAULT '150 s' CHECK (lease BETWEEN '100 ms' AND '10 min'),
    search interval NOT NULL DEFAULT '1 min',
    proof interval NOT NULL DEFAULT '5 min',
    -- How often the key was rotated, counted from 1, and its id; NULL if nothing was sealed yet.
    key_number integer NOT NULL DEFAULT 1,
    key_id bytea CHECK (length(key_id) = 4),
    -- life: another number for each restored copy. server_fingerprint: what no copy shares with its original. alive_at: when that was last
    -- compared. lost_from: since when it is unknown what happened.
    life integer NOT NULL DEFAULT 1,
    server_fingerprint text,
    alive_at timestamptz NOT NULL DEFAULT now(),
    lost_from timestamptz NOT NULL DEFAULT now()
  );

  -- A counter that a workstation reports. Huge values are refused, because nothing could be counted on from them.
  CREATE DOMAIN safe_count AS integer CHECK (VALUE < 1000000000);

  CREATE TABLE station (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- The role as which it signs in to this server.
    role_name name NOT NULL UNIQUE,
    -- Until when its join code is valid.
    invited_until timestamptz NOT NULL,
    joined_at timestamptz,
    revoked_at timestamptz,
    last_seen timestamptz,
    -- Which key it has stored.
    key_number integer NOT NULL DEFAULT 1,
    -- The office's key, sealed to the join code; removed once it has joined. After that it is the key of the last rotation, sealed to its
    -- public key.
    sealed_key bytea,
    public_key bytea CHECK (length(public_key) = 32),
    -- Proves that someone with the office's key vouches for its public key.
    voucher bytea CHECK (length(voucher) = 32)
  );
  CREATE UNIQUE INDEX station_names ON station (lower(name)) WHERE revoked_at IS NULL;
`

const functions = `
  CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    RAISE EXCEPTION 'This is only ever added to.' USING ERRCODE = 'restrict_violation';
  END $$;

  -- Returns the id of the workstation that makes the query. A rotation of the key locks the table, so each query runs entirely before or after
  -- it. VOLATILE, so that a query that waited for the rotation sees its result: a stable function would see the state from when the query began.
  CREATE FUNCTION me() RETURNS uuid LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid;
    is_behind boolean;
  BEGIN
    SELECT station.id, station.key_number <> office.key_number INTO mine, is_behind FROM station, office
      WHERE role_name = session_user AND joined_at IS NOT NULL AND revoked_at IS NULL;
    IF mine IS NULL THEN
      RAISE EXCEPTION 'This workstation does not belong to the office.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF is_behind THEN
      RAISE EXCEPTION 'The office’s key was rotated.' USING ERRCODE = 'KEY01';
    END IF;
    RETURN mine;
  END $$;

  -- Works once, and only while the join code is valid. The workstation changes its password in the same transaction.
  CREATE FUNCTION join_office() RETURNS TABLE (sealed_key bytea, station uuid, incarnation uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine station;
  BEGIN
    SELECT * INTO mine FROM station WHERE role_name = session_user FOR UPDATE;
    IF mine.id IS NULL OR mine.joined_at IS NOT NULL OR mine.revoked_at IS NOT NULL OR mine.invited_until < now() THEN
      RAISE EXCEPTION 'This join code holds no longer.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE station SET joined_at = now(), sealed_key = NULL WHERE id = mine.id;
    RETURN QUERY SELECT mine.sealed_key, mine.id, incarnation FROM office;
  END $$;

  -- Records that the workstation is connected, and returns which office this is.
  CREATE FUNCTION hello() RETURNS TABLE (incarnation uuid, name text, steps integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    UPDATE station SET last_seen = now() WHERE id = mine;
    RETURN QUERY SELECT office.incarnation, station.name, (SELECT max(number) FROM step)::integer FROM office, station
      WHERE station.id = mine;
  END $$;

  CREATE FUNCTION who() RETURNS TABLE (name text, is_me boolean, seen_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    RETURN QUERY SELECT name, id = mine, 1000 * extract(epoch FROM now() - last_seen)::double precision FROM station
      WHERE joined_at IS NOT NULL AND revoked_at IS NULL ORDER BY lower(name);
  END $$;

  -- Returns the current key's number and id, and this workstation's sealed copy of it. Stores the public key for the next rotation.
  CREATE FUNCTION office_key(p_public bytea, p_voucher bytea) RETURNS TABLE (number integer, id bytea, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine station;
  BEGIN
    SELECT * INTO mine FROM station WHERE role_name = session_user AND joined_at IS NOT NULL AND revoked_at IS NULL;
    IF mine.id IS NULL THEN
      RAISE EXCEPTION 'This workstation does not belong to the office.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF (mine.public_key, mine.voucher) IS DISTINCT FROM (p_public, p_voucher) THEN
      UPDATE station SET public_key = p_public, voucher = p_voucher WHERE id = mine.id;
    END IF;
    RETURN QUERY SELECT office.key_number, office.key_id, mine.sealed_key FROM office;
  END $$;

  -- Confirms that the workstation has stored the key.
  CREATE FUNCTION confirm_key(p_number integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    UPDATE station SET key_number = p_number WHERE role_name = session_user AND joined_at IS NOT NULL AND revoked_at IS NULL
      AND key_number <> p_number AND p_number = (SELECT key_number FROM office);
  END $$;
`

export const office = [tables, functions].join('')

export const officeForWorkstations = ['join_office', 'hello', 'who', 'office_key', 'confirm_key'] as const
