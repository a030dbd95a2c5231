/**
 * Handles a server that was replaced by an earlier copy, such as a restored dump, or a standby that hadn't received
 * everything. It begins a new life, in which everything that was waiting may have been sent, until each workstation has
 * told what it knows. Decision 59.
 */
export const lives = `
  -- Restoring a dump creates every table again, on another server or on the same; a promoted standby, or a copy of the files that continues
  -- from an earlier state, has another timeline. Not every hosted server lets us ask for that.
  CREATE FUNCTION server_fingerprint() RETURNS text LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  DECLARE
    system text := '';
    timeline text := '';
  BEGIN
    BEGIN
      SELECT system_identifier INTO system FROM pg_catalog.pg_control_system();
      timeline := left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8);
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function THEN NULL;
    END;
    RETURN concat_ws(' ', system, timeline,
      (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()), 'office.send'::regclass::oid);
  END $$;
  -- The office's only row. Its fingerprint needs the table of sends.
  INSERT INTO office (server_fingerprint) VALUES (server_fingerprint());

  -- Sends that were waiting or in flight may have arrived, or may still arrive for as long as a POST takes. Claims of the previous life no
  -- longer decide anything, nor do those of another copy of the same state. The documents are published again.
  CREATE FUNCTION begin_life(p_lost_from timestamptz) RETURNS void LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    jump integer := 1000 + floor(random() * 1000000);
  BEGIN
    UPDATE office SET life = life + jump, server_fingerprint = server_fingerprint(), alive_at = now(), lost_from = p_lost_from;
    -- What is open may have ended, or its holder may not know of this server.
    UPDATE task SET state = CASE kind WHEN 'action' THEN 'uncertain' ELSE 'free' END WHERE state = 'open';
    -- The outboxes, the sends in order, and then their feeds, as where results are recorded.
    UPDATE outbox SET paused_by = 'restored', paused_at = now();
    PERFORM FROM send WHERE state <> 'sent' ORDER BY id FOR UPDATE;
    UPDATE send SET restored_revision = revision WHERE state IN ('held', 'cancelled', 'refused', 'not-sent');
    UPDATE send SET state = 'uncertain', may_have_arrived = true, attempt = greatest(attempt, 1), epoch = epoch + jump,
        uncertain_at = now() + (SELECT lease FROM office), proven_until = NULL, lease_until = NULL, restored_revision = revision
      WHERE state IN ('ready', 'sending', 'uncertain');
    -- The feed is locked before its documents, as where they are published.
    UPDATE feed SET seq = seq + jump;
    DELETE FROM mirror;
    -- What the workstations knew to be read is as old as this server.
    UPDATE poll SET read_at = now();
    PERFORM pg_notify('countersign_life', '');
  END $$;

  -- Returns the current life; 0 for one that no workstation has noticed yet.
  CREATE FUNCTION current_life() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    RETURN (SELECT CASE WHEN server_fingerprint = server_fingerprint() THEN life ELSE 0 END FROM office);
  END $$;

  -- Returns the current life, and begins a new one if this is a restored copy. So even a workstation that knows no more than the copy learns
  -- that it is one.
  CREATE FUNCTION life() RETURNS TABLE (life integer, lost_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    IF current_life() = 0 THEN
      -- If several ask at once, one of them begins it.
      PERFORM FROM office FOR UPDATE;
      IF current_life() = 0 THEN
        PERFORM begin_life((SELECT alive_at FROM office));
      END IF;
    END IF;
    -- Every workstation asks once a minute; the row isn't written each time.
    UPDATE office SET alive_at = now() WHERE alive_at < now() - interval '30 s';
    RETURN QUERY SELECT life, 1000 * extract(epoch FROM now() - lost_from)::double precision FROM office;
  END $$;

  -- For decisions that depend on what a workstation knows: in another life than the one of which it knows everything, this server may lack
  -- something.
  CREATE FUNCTION assert_life(p_life integer) RETURNS void
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    IF p_life <> current_life() THEN
      RAISE EXCEPTION 'This is a copy of an earlier moment.' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
  END $$;

  -- A workstation has read further than this server, for example because its whole machine was restored. Nobody knows how far back.
  CREATE FUNCTION start_new_life(p_life integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    PERFORM FROM office WHERE life = p_life FOR UPDATE;
    IF FOUND THEN
      PERFORM begin_life(now() - interval '10 years');
    END IF;
  END $$;

  -- A workstation knows that a send arrived, whatever this server has recorded.
  CREATE FUNCTION report_sent(p_id uuid, p_account uuid, p_epoch safe_count, p_sealed bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    INSERT INTO send AS it (id, account, state, goes_at, made_by, epoch, sealed, concluded_at)
      VALUES (p_id, p_account, 'sent', 'infinity', mine, p_epoch, '', now())
      ON CONFLICT (id) DO UPDATE SET state = 'sent', uncertain_at = NULL, concluded_at = now()
        WHERE it.account = p_account AND it.state <> 'sent';
    IF FOUND THEN
      INSERT INTO attempt (send, epoch, station) VALUES (p_id, p_epoch, mine) ON CONFLICT DO NOTHING;
      INSERT INTO answer (send, epoch, kind, sealed) VALUES (p_id, p_epoch, 'accepted', p_sealed) ON CONFLICT DO NOTHING;
    END IF;
  END $$;

  -- A workstation knows that a send that is open here was concluded or withheld, with a revision that isn't older than the server's, or is
  -- one that the server lost, whatever others who didn't know of that have changed meanwhile. Returns whether that is recorded now.
  CREATE FUNCTION report_concluded(p_id uuid, p_account uuid, p_revision safe_count, p_state text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    IF p_state NOT IN ('cancelled', 'held', 'refused', 'not-sent') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE send SET state = p_state, revision = CASE WHEN revision > p_revision THEN revision + 1 ELSE p_revision END, uncertain_at = NULL,
        concluded_at = now()
      WHERE id = p_id AND account = p_account AND (revision <= p_revision OR restored_revision < p_revision) AND state <> p_state
        AND state IN ('ready', 'uncertain', 'refused', 'not-sent', 'held');
    RETURN EXISTS (SELECT FROM send WHERE id = p_id AND account = p_account AND state = p_state);
  END $$;

  -- A workstation knows a later time of a send that waits here, or is looked for before it waits again. Returns whether it was taken over.
  CREATE FUNCTION report_time(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE send SET goes_at = now() + p_in_ms * interval '1 ms', sealed = p_sealed, revision = p_revision
      WHERE id = p_id AND account = p_account AND state IN ('ready', 'uncertain') AND revision < p_revision;
    RETURN FOUND;
  END $$;

  -- Nothing is claimed while no workstation has noticed that this is a restored copy: what is ready may have been sent.
  CREATE FUNCTION skip_unless_noticed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    IF (SELECT server_fingerprint FROM office) IS DISTINCT FROM server_fingerprint() THEN
      RETURN NULL;
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER skip_unless_noticed BEFORE UPDATE ON send FOR EACH ROW
    WHEN (NEW.state = 'sending' AND OLD.state <> 'sending') EXECUTE FUNCTION skip_unless_noticed();
`

export const livesForWorkstations = [
  'current_life',
  'life',
  'start_new_life',
  'report_sent',
  'report_concluded',
  'report_time'
] as const
