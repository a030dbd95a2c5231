/**
 * Rotation of the office's key: which key is current, and each workstation's copy of it. The server refuses all queries
 * of a workstation that hasn't taken the current key. So nothing sealed with it reaches a workstation that can't open
 * it, and nothing sealed with an earlier one is added.
 */
export const keys = `
  -- How often the key was rotated, counted from 1, and its id; NULL if nothing was sealed yet.
  ALTER TABLE office ADD COLUMN key_number integer NOT NULL DEFAULT 1, ADD COLUMN key_id bytea CHECK (length(key_id) = 4);
  UPDATE office SET key_id = (SELECT substring(sealed FROM 1 FOR 4) FROM (
    SELECT sealed FROM mirror WHERE sealed IS NOT NULL UNION ALL SELECT sealed FROM send WHERE length(sealed) > 4
    UNION ALL SELECT sealed FROM shared_item WHERE sealed IS NOT NULL) it LIMIT 1);
  -- Once a workstation has joined, sealed_key is the key of the last rotation, sealed to its public key. voucher: proves that someone with the
  -- office's key vouches for its public key.
  ALTER TABLE station ADD COLUMN key_number integer NOT NULL DEFAULT 1,
    ADD COLUMN public_key bytea CHECK (length(public_key) = 32), ADD COLUMN voucher bytea CHECK (length(voucher) = 32);

  -- A rotation locks the table, so each query runs entirely before or after it. VOLATILE, so that a query that waited for the rotation sees
  -- its result: a stable function would see the state from when the query began.
  CREATE OR REPLACE FUNCTION me() RETURNS uuid LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = office, pg_temp AS $$
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

/** The functions that a workstation may call. */
export const keysForStations = ['office_key', 'confirm_key'] as const
