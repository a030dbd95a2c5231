/**
 * Packages that leave only once a second person has said so. Who put one in the outbox, and who let it go, are tags that the office's key makes of
 * the send and of them: the server can tell whether they are two, and not who. Nothing claims one in between.
 */
export const release = `
  CREATE TABLE release (
    send uuid PRIMARY KEY,
    asked_by bytea NOT NULL CHECK (length(asked_by) = 32),
    asked_at timestamptz NOT NULL DEFAULT now(),
    released_by bytea CHECK (length(released_by) = 32 AND released_by <> asked_by),
    released_from uuid REFERENCES station,
    released_at timestamptz
  );

  CREATE FUNCTION waits_for_release(p_id uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path = office, pg_temp AS $$
    SELECT EXISTS (SELECT FROM release WHERE send = p_id AND released_by IS NULL)
  $$;

  -- Before it is put in the outbox. What has been asked for once is not taken back, and neither is an answer.
  CREATE FUNCTION ask_release(p_id uuid, p_by bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    -- Nobody holds back what another workstation put in.
    INSERT INTO release (send, asked_by) SELECT p_id, p_by
      WHERE NOT EXISTS (SELECT FROM send WHERE id = p_id AND made_by <> mine AND state NOT IN ('held', 'cancelled'))
      ON CONFLICT DO NOTHING;
  END $$;

  -- Whether it is released now.
  CREATE FUNCTION release_send(p_id uuid, p_by bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    UPDATE release SET released_by = p_by, released_from = mine, released_at = now()
      WHERE send = p_id AND released_by IS NULL AND asked_by <> p_by;
    RETURN EXISTS (SELECT FROM release WHERE send = p_id AND released_by IS NOT NULL);
  END $$;

  -- Whatever its time says.
  CREATE FUNCTION released_first() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    IF waits_for_release(NEW.id) THEN
      RETURN NULL;
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER released_first BEFORE UPDATE ON send FOR EACH ROW
    WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION released_first();
`

/** What a workstation may call of these. */
export const releaseForStations = ['ask_release', 'release_send'] as const
