/**
 * Each account's outbox, which all workstations show and change together, and which of their accounts are the same.
 */
export const outbox = `
  -- Accounts that several workstations have, identified by a tag that is made of the service's address and the account's name with the
  -- office's key. The id is made of the tag, so that a workstation notices if it is given another account's: bodies are bound to it.
  CREATE TABLE account (
    id uuid PRIMARY KEY,
    tag bytea NOT NULL UNIQUE CHECK (length(tag) = 32)
  );

  -- An account's outbox: how many sends may be in flight in the whole office, its pace, and why nothing is sent.
  CREATE TABLE outbox (
    account uuid PRIMARY KEY,
    concurrency integer NOT NULL CHECK (concurrency BETWEEN 1 AND 100),
    per_minute integer CHECK (per_minute > 0),
    next_at timestamptz NOT NULL DEFAULT '-infinity',
    paused_by text CHECK (paused_by IN ('person', 'service', 'restored')),
    paused_at timestamptz
  );

  CREATE FUNCTION notify_outbox_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM pg_notify('countersign_sends', NEW.account::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER notify_outbox_change AFTER UPDATE OF concurrency, per_minute, paused_by ON outbox
    FOR EACH ROW EXECUTE FUNCTION notify_outbox_change();

  -- Returns the office's id of an account, and creates its outbox if there is none.
  CREATE FUNCTION share_account(p_tag bytea, p_concurrency integer, p_per_minute integer) RETURNS uuid
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    its uuid;
  BEGIN
    PERFORM me();
    INSERT INTO account (id, tag) VALUES (encode(substr(p_tag, 1, 16), 'hex')::uuid, p_tag) ON CONFLICT (tag) DO NOTHING;
    SELECT id INTO its FROM account WHERE tag = p_tag;
    INSERT INTO outbox (account, concurrency, per_minute) VALUES (its, p_concurrency, p_per_minute) ON CONFLICT DO NOTHING;
    RETURN its;
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

  CREATE FUNCTION outbox_state(p_account uuid)
  RETURNS TABLE (concurrency integer, per_minute integer, paused_by text, paused_ms double precision, pace_ms double precision, seq double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    -- If there is nothing to claim, nobody else would notice that a holder is lost.
    PERFORM expire_claims(p_account);
    RETURN QUERY SELECT concurrency, per_minute, paused_by, 1000 * extract(epoch FROM now() - paused_at)::double precision,
        CASE WHEN next_at > now() THEN 1000 * extract(epoch FROM next_at - now()) ELSE 0 END::double precision,
        coalesce((SELECT seq FROM send_feed WHERE account = p_account), 0)::double precision
      FROM outbox WHERE account = p_account;
  END $$;
`

export const outboxForWorkstations = [
  'share_account',
  'set_outbox',
  'pause_outbox',
  'resume_outbox',
  'outbox_state'
] as const
