/**
 * Workstations, and their sends, each of which leaves once. A workstation may only call functions: it can claim a send,
 * record its outcome, and conclude one that is uncertain. All times are the server's.
 */
export const sends = `
  CREATE TABLE office (
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
    -- The id of this database and no other, so that a workstation notices if the office is another one.
    incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
    -- lease: how long a claim lasts before its send becomes uncertain. search: how long at least a workstation looks for an uncertain send.
    -- proof: for how long it then counts as shown that the send didn't arrive.
    lease interval NOT NULL DEFAULT '90 s' CHECK (lease BETWEEN '100 ms' AND '10 min'),
    search interval NOT NULL DEFAULT '1 min',
    proof interval NOT NULL DEFAULT '5 min'
  );
  INSERT INTO office DEFAULT VALUES;

  -- A counter that a workstation reports. Huge values are refused, because nothing could be counted on from them.
  CREATE DOMAIN safe_count AS integer CHECK (VALUE < 1000000000);

  CREATE TABLE station (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- The role as which it signs in to this server.
    role_name name NOT NULL UNIQUE,
    -- Until when its join code is valid.
    invited_until timestamptz NOT NULL,
    -- The office's key, sealed to the join code; removed once it has joined.
    sealed_key bytea,
    joined_at timestamptz,
    revoked_at timestamptz
  );
  CREATE UNIQUE INDEX station_names ON station (lower(name)) WHERE revoked_at IS NULL;

  -- An account's outbox: how many sends may be in flight in the whole office, its pace, and why nothing is sent.
  CREATE TABLE outbox (
    account uuid PRIMARY KEY,
    concurrency integer NOT NULL CHECK (concurrency BETWEEN 1 AND 100),
    per_minute integer CHECK (per_minute > 0),
    next_at timestamptz NOT NULL DEFAULT '-infinity',
    paused_by text CHECK (paused_by IN ('person', 'service')),
    paused_at timestamptz
  );

  CREATE TABLE send (
    id uuid PRIMARY KEY,
    account uuid NOT NULL REFERENCES outbox,
    state text NOT NULL DEFAULT 'ready'
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled')),
    goes_at timestamptz NOT NULL,
    made_by uuid NOT NULL REFERENCES station,
    holder uuid REFERENCES station,
    -- Increases with each claim: reports about an earlier claim no longer decide anything.
    epoch integer NOT NULL DEFAULT 0,
    lease_until timestamptz,
    attempt integer NOT NULL DEFAULT 0,
    -- Whether an attempt may have arrived, since when it has been looked for, and until when it counts as shown that none arrived.
    may_have_arrived boolean NOT NULL DEFAULT false,
    uncertain_at timestamptz,
    proven_until timestamptz,
    concluded_at timestamptz,
    sealed bytea NOT NULL
  );
  CREATE INDEX send_ready ON send (account, goes_at, id) WHERE state = 'ready';
  -- A claim checks these before it takes the next send, which mustn't cost more if many are waiting.
  CREATE INDEX send_ready_may_have_arrived ON send (account, goes_at) WHERE state = 'ready' AND may_have_arrived;
  CREATE INDEX send_under_way ON send (account) WHERE state = 'sending';
  CREATE INDEX send_uncertain ON send (account, uncertain_at) WHERE state = 'uncertain';

  -- Who claimed which send when, and the result. Rows are only ever added.
  CREATE TABLE attempt (
    send uuid NOT NULL REFERENCES send,
    epoch integer NOT NULL,
    station uuid NOT NULL REFERENCES station,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (send, epoch)
  );
  CREATE TABLE answer (
    send uuid NOT NULL,
    epoch integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('accepted', 'refused', 'uncertain', 'nothing-left', 'stopped')),
    at timestamptz NOT NULL DEFAULT now(),
    sealed bytea NOT NULL,
    PRIMARY KEY (send, epoch, kind),
    FOREIGN KEY (send, epoch) REFERENCES attempt
  );
  CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    RAISE EXCEPTION 'This is only ever added to.' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON attempt EXECUTE FUNCTION append_only();
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON answer EXECUTE FUNCTION append_only();

  -- The id of the workstation that makes the query.
  CREATE FUNCTION me() RETURNS uuid LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid;
  BEGIN
    SELECT id INTO mine FROM station WHERE role_name = session_user AND joined_at IS NOT NULL AND revoked_at IS NULL;
    IF mine IS NULL THEN
      RAISE EXCEPTION 'This workstation does not belong to the office.' USING ERRCODE = 'insufficient_privilege';
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

  CREATE FUNCTION set_outbox(p_account uuid, p_concurrency integer, p_per_minute integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    INSERT INTO outbox (account, concurrency, per_minute) VALUES (p_account, p_concurrency, p_per_minute)
      ON CONFLICT (account) DO UPDATE SET concurrency = p_concurrency, per_minute = p_per_minute, next_at = '-infinity';
  END $$;

  -- An outbox that the service paused keeps that reason.
  CREATE FUNCTION pause_outbox(p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE outbox SET paused_by = 'person', paused_at = now() WHERE account = p_account AND paused_by IS NULL;
  END $$;

  CREATE FUNCTION resume_outbox(p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE outbox SET paused_by = NULL, paused_at = NULL WHERE account = p_account;
  END $$;

  -- Repeating the call, for example after a lost answer, has no effect.
  CREATE FUNCTION push_send(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    INSERT INTO send (id, account, goes_at, made_by, sealed)
      VALUES (p_id, p_account, now() + p_in_ms * interval '1 ms', me(), p_sealed) ON CONFLICT (id) DO NOTHING;
  END $$;

  -- A lost holder may have posted, so its sends become uncertain, never ready.
  CREATE FUNCTION expire_claims(p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE send SET state = 'uncertain', may_have_arrived = true, uncertain_at = now() WHERE id IN (
      SELECT id FROM send WHERE account = p_account AND state = 'sending' AND lease_until < now() FOR UPDATE SKIP LOCKED);
  END $$;

  CREATE FUNCTION claim(p_account uuid, p_most integer)
  RETURNS TABLE (id uuid, epoch integer, attempt integer, lease_ms double precision, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    its outbox;
    rules office;
    room integer;
    taken integer;
  BEGIN
    PERFORM expire_claims(p_account);
    SELECT * INTO rules FROM office;
    -- One claim at a time: the number in flight, the pace and the pause apply to the whole office.
    SELECT * INTO its FROM outbox WHERE account = p_account FOR NO KEY UPDATE;
    IF its.account IS NULL OR its.paused_by IS NOT NULL OR its.next_at > now() THEN
      RETURN;
    END IF;
    SELECT least(p_most, its.concurrency - count(*), CASE WHEN its.per_minute IS NULL THEN p_most ELSE 1 END) INTO room
      FROM send WHERE account = p_account AND state = 'sending';
    IF room <= 0 THEN
      RETURN;
    END IF;
    -- A send that was shown not to have arrived may have turned up since.
    UPDATE send SET state = 'uncertain', uncertain_at = now() WHERE id IN (
      SELECT id FROM send WHERE account = p_account AND state = 'ready' AND may_have_arrived AND proven_until < now()
      FOR UPDATE SKIP LOCKED);
    RETURN QUERY
      WITH picked AS (
        SELECT id FROM send WHERE account = p_account AND state = 'ready' AND goes_at <= now()
          ORDER BY goes_at, id LIMIT room FOR UPDATE SKIP LOCKED
      ), begun AS (
        UPDATE send SET state = 'sending', holder = mine, epoch = send.epoch + 1, attempt = send.attempt + 1,
            lease_until = now() + rules.lease
          FROM picked WHERE send.id = picked.id RETURNING send.id, send.epoch, send.attempt, send.sealed
      ), noted AS (
        INSERT INTO attempt (send, epoch, station) SELECT begun.id, begun.epoch, mine FROM begun
      )
      SELECT begun.id, begun.epoch, begun.attempt, 1000 * extract(epoch FROM rules.lease)::double precision, begun.sealed
        FROM begun;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 AND its.per_minute IS NOT NULL THEN
      UPDATE outbox SET next_at = now() + interval '1 min' / its.per_minute WHERE account = p_account;
    END IF;
  END $$;

  -- The result of an attempt is stored for any epoch: a success proves arrival even if another workstation has the send by now. Other results
  -- count only for the current claim. Returns the send's state then.
  CREATE FUNCTION finish(p_id uuid, p_epoch integer, p_kind text, p_sealed bytea) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    IF NOT EXISTS (SELECT FROM attempt WHERE send = p_id AND epoch = p_epoch AND station = mine) THEN
      RAISE EXCEPTION 'This workstation did not have that send.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF p_kind = 'stopped' THEN
      -- The outbox is locked first, as in a claim. The pause after a restore stays, because only a person ends it.
      UPDATE outbox SET paused_by = 'service', paused_at = now()
        WHERE account = (SELECT account FROM send WHERE id = p_id) AND coalesce(paused_by, 'person') = 'person';
    END IF;
    INSERT INTO answer (send, epoch, kind, sealed) VALUES (p_id, p_epoch, p_kind, p_sealed) ON CONFLICT DO NOTHING;
    IF p_kind = 'accepted' THEN
      UPDATE send SET state = 'sent', concluded_at = now() WHERE id = p_id AND state <> 'sent';
      RETURN 'sent';
    END IF;
    UPDATE send SET
        state = CASE
          WHEN p_kind = 'uncertain' OR (p_kind = 'refused' AND may_have_arrived) THEN 'uncertain'
          WHEN p_kind = 'refused' THEN 'refused'
          ELSE 'ready' END,
        may_have_arrived = may_have_arrived OR p_kind = 'uncertain',
        uncertain_at = CASE WHEN p_kind = 'uncertain' OR (p_kind = 'refused' AND may_have_arrived) THEN now() END,
        concluded_at = CASE WHEN p_kind = 'refused' AND NOT may_have_arrived THEN now() END,
        attempt = CASE WHEN p_kind IN ('nothing-left', 'stopped') THEN attempt - 1 ELSE attempt END
      WHERE id = p_id AND state = 'sending' AND epoch = p_epoch;
    RETURN (SELECT state FROM send WHERE id = p_id);
  END $$;

  CREATE FUNCTION uncertain_sends(p_account uuid, p_most integer) RETURNS TABLE (id uuid, epoch integer, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT id, epoch, sealed FROM send WHERE account = p_account AND state = 'uncertain'
      ORDER BY uncertain_at LIMIT p_most;
  END $$;

  -- Records what the reconciliation showed of an uncertain send. Returns whether it was still uncertain. It becomes ready only after there was
  -- time for two looks.
  CREATE FUNCTION conclude(p_id uuid, p_epoch integer, p_state text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    rules office;
  BEGIN
    PERFORM me();
    IF p_state NOT IN ('sent', 'ready', 'refused', 'not-sent') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO rules FROM office;
    UPDATE send SET state = p_state, uncertain_at = NULL,
        proven_until = CASE WHEN p_state = 'ready' THEN now() + rules.proof END,
        concluded_at = CASE WHEN p_state <> 'ready' THEN now() END
      WHERE id = p_id AND epoch = p_epoch AND state = 'uncertain'
        AND (p_state <> 'ready' OR uncertain_at <= now() - rules.search);
    RETURN FOUND;
  END $$;

  -- Returns whether it was cancelled: not if it was sent, or may have been.
  CREATE FUNCTION cancel_send(p_id uuid) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE send SET state = 'cancelled', concluded_at = now() WHERE id = p_id AND state = 'ready' AND NOT may_have_arrived;
    RETURN FOUND;
  END $$;

  CREATE FUNCTION state_of(p_id uuid) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    RETURN (SELECT state FROM send WHERE id = p_id);
  END $$;
`

/** The functions that a workstation may call. */
export const sendsForStations = [
  'join_office',
  'set_outbox',
  'pause_outbox',
  'resume_outbox',
  'push_send',
  'expire_claims',
  'finish',
  'uncertain_sends',
  'conclude',
  'cancel_send',
  'state_of'
] as const
