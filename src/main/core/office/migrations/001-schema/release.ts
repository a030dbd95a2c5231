/**
 * Packages that are sent only after a second person has released them. The two people are tags, made with the office's
 * key from the send and the person, so the server can tell whether they differ, but not who they are. Until the release
 * nothing can claim the package.
 */
export const release = `
  CREATE TABLE release (
    send uuid PRIMARY KEY,
    asked_by bytea NOT NULL CHECK (length(asked_by) = 32),
    asked_at timestamptz NOT NULL DEFAULT now(),
    released_by bytea CHECK (length(released_by) = 32 AND released_by <> asked_by),
    released_from uuid REFERENCES station,
    released_at timestamptz,
    refused_by bytea CHECK (length(refused_by) = 32 AND refused_by <> asked_by),
    refused_at timestamptz,
    CHECK (released_by IS NULL OR refused_by IS NULL)
  );

  CREATE FUNCTION waits_for_release(p_id uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path = office, pg_temp AS $$
    SELECT EXISTS (SELECT FROM release WHERE send = p_id AND released_by IS NULL)
  $$;

  -- Called before the package is pushed. Neither the requirement nor a decision can be withdrawn.
  CREATE FUNCTION require_release(p_id uuid, p_by bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    -- Nobody can hold back a package that another workstation has pushed.
    INSERT INTO release (send, asked_by) SELECT p_id, p_by
      WHERE NOT EXISTS (SELECT FROM send WHERE id = p_id AND made_by <> mine AND state NOT IN ('held', 'cancelled'))
      ON CONFLICT DO NOTHING;
  END $$;

  -- Returns whether it is released by this person.
  CREATE FUNCTION release_send(p_id uuid, p_by bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    UPDATE release SET released_by = p_by, released_from = mine, released_at = now()
      WHERE send = p_id AND released_by IS NULL AND refused_by IS NULL AND asked_by <> p_by;
    RETURN EXISTS (SELECT FROM release WHERE send = p_id AND released_by = p_by);
  END $$;

  -- Records someone's decision together with the content that says so: both, or neither if someone else has decided or
  -- changed the package. p_life: see withhold.
  CREATE FUNCTION decide_send(p_id uuid, p_account uuid, p_asked_by bytea, p_by bytea, p_is_released boolean, p_in_ms bigint, p_sealed bytea,
    p_revision safe_count, p_life integer DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    PERFORM assert_life(p_life);
    IF p_is_released IS NULL THEN
      RAISE EXCEPTION 'There is no such decision.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM FROM send WHERE id = p_id AND account = p_account AND state = 'ready' AND revision < p_revision FOR UPDATE;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    -- A restored server may not know that a release was required.
    INSERT INTO release (send, asked_by) VALUES (p_id, p_asked_by) ON CONFLICT DO NOTHING;
    UPDATE release SET released_by = CASE WHEN p_is_released THEN p_by END, released_at = CASE WHEN p_is_released THEN now() END,
        released_from = CASE WHEN p_is_released THEN mine END,
        refused_by = CASE WHEN NOT p_is_released THEN p_by END, refused_at = CASE WHEN NOT p_is_released THEN now() END
      WHERE send = p_id AND released_by IS NULL AND refused_by IS NULL AND asked_by <> p_by;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    UPDATE send SET goes_at = now() + p_in_ms * interval '1 ms', sealed = p_sealed, revision = p_revision WHERE id = p_id;
    RETURN true;
  END $$;

  -- A package is skipped whatever claims it, and whatever time it was scheduled for.
  CREATE FUNCTION skip_unless_released() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    IF waits_for_release(NEW.id) THEN
      RETURN NULL;
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER skip_unless_released BEFORE UPDATE ON send FOR EACH ROW
    WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION skip_unless_released();
`

export const releaseForWorkstations = ['require_release', 'release_send', 'decide_send'] as const
