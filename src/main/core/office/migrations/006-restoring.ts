/**
 * A copy of an earlier moment that is put in the server's place, as a dump that was restored, or a standby that had not heard of all: it
 * begins another life, in which all that was to leave may have left, until each workstation has said what it knows. Decision 59.
 */
export const restoring = `
  -- life: one more with each such copy; lost_from: since when what happened isn't known; birthmark: what no copy has in common with what
  -- it was made of.
  ALTER TABLE office ADD COLUMN life integer NOT NULL DEFAULT 1, ADD COLUMN lost_from timestamptz, ADD COLUMN birthmark text;
  ALTER TABLE outbox DROP CONSTRAINT outbox_paused_by_check;
  ALTER TABLE outbox ADD CONSTRAINT outbox_paused_by_check CHECK (paused_by IN ('person', 'service', 'restored'));

  -- A dump makes every table afresh, elsewhere or in the same place; a standby that is promoted, or a copy of the files that goes on from
  -- an earlier moment, writes another timeline.
  CREATE FUNCTION birthmark() RETURNS text LANGUAGE sql STABLE SET search_path = office, pg_temp AS $$
    SELECT concat_ws(' ', (SELECT system_identifier FROM pg_catalog.pg_control_system()),
      left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8),
      (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()), 'office.send'::regclass::oid)
  $$;
  UPDATE office SET birthmark = birthmark();

  -- What was to leave, or was on its way, may have arrived. A claim of the life before decides nothing any more.
  CREATE FUNCTION begin_life() RETURNS void LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    -- Each workstation says every minute that it is there.
    UPDATE office SET life = life + 1, birthmark = birthmark(),
      lost_from = coalesce((SELECT max(last_seen) FROM station), '-infinity');
    UPDATE outbox SET paused_by = 'restored', paused_at = now();
    UPDATE send SET state = 'uncertain', is_in_doubt = true, uncertain_at = now(), proven_until = NULL, lease_until = NULL,
        epoch = epoch + 1000
      WHERE state IN ('ready', 'sending', 'uncertain');
    PERFORM pg_notify('countersign_life', '');
  END $$;

  -- Which life this is. Also a workstation that knows no more than the copy learns by it that it is one.
  CREATE FUNCTION life() RETURNS TABLE (life integer, lost_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    IF (SELECT birthmark FROM office) IS DISTINCT FROM birthmark() THEN
      -- Of several who ask at once one begins it.
      PERFORM FROM office FOR UPDATE;
      IF (SELECT birthmark FROM office) IS DISTINCT FROM birthmark() THEN
        PERFORM begin_life();
      END IF;
    END IF;
    RETURN QUERY SELECT life, 1000 * extract(epoch FROM now() - greatest(lost_from, now() - interval '10 years'))::double precision FROM office;
  END $$;

  -- A workstation has read further than this server is, as after its machine was set back as a whole.
  CREATE FUNCTION set_back(p_life integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    PERFORM FROM office WHERE life = p_life FOR UPDATE;
    IF FOUND THEN
      PERFORM begin_life();
    END IF;
  END $$;

  -- A workstation knows that a send arrived, whatever this server has of it.
  CREATE FUNCTION know_sent(p_id uuid, p_account uuid, p_epoch integer, p_sealed bytea) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    INSERT INTO send AS it (id, account, state, goes_at, made_by, epoch, sealed, settled_at)
      VALUES (p_id, p_account, 'sent', 'infinity', mine, p_epoch, '', now())
      ON CONFLICT (id) DO UPDATE SET state = 'sent', uncertain_at = NULL, settled_at = now()
        WHERE it.account = p_account AND it.epoch = p_epoch AND it.state <> 'sent';
    IF FOUND THEN
      INSERT INTO attempt (send, epoch, station) VALUES (p_id, p_epoch, mine) ON CONFLICT DO NOTHING;
      INSERT INTO answer (send, epoch, kind, sealed) VALUES (p_id, p_epoch, 'accepted', p_sealed) ON CONFLICT DO NOTHING;
    END IF;
  END $$;
`

/** What a workstation may call of these. */
export const restoringForStations = ['life', 'set_back', 'know_sent'] as const
