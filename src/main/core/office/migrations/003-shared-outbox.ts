/**
 * What workstations need to show and change one outbox together: every change of a send in an order in which no reader
 * can miss one, what a workstation hands over and takes back, and which of their accounts are the same.
 */
export const sharedOutbox = `
  -- A POST may take two minutes, and a claim must outlast it.
  ALTER TABLE office ALTER COLUMN lease SET DEFAULT '150 s';
  UPDATE office SET lease = '150 s' WHERE lease = '90 s';

  ALTER TABLE station ADD COLUMN last_seen timestamptz;

  -- Accounts that several workstations have, identified by a tag that is made of the service's address and the account's name with the
  -- office's key.
  CREATE TABLE account (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tag bytea NOT NULL UNIQUE CHECK (length(tag) = 32)
  );

  -- revision: increases each time it is pushed or withheld; late reports of an earlier revision have no effect. held: it belongs to its
  -- workstation again.
  ALTER TABLE send ADD COLUMN revision integer NOT NULL DEFAULT 1;
  ALTER TABLE send DROP CONSTRAINT send_state_check;
  ALTER TABLE send ADD CONSTRAINT send_state_check
    CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled', 'held'));

  CREATE TABLE send_feed (
    account uuid PRIMARY KEY REFERENCES outbox,
    seq bigint NOT NULL
  );
  -- The sequence of each send's last change, and of its body's.
  CREATE TABLE send_change (
    send uuid PRIMARY KEY REFERENCES send,
    account uuid NOT NULL,
    seq bigint NOT NULL,
    body_seq bigint NOT NULL
  );
  CREATE UNIQUE INDEX send_change_by_seq ON send_change (account, seq);

  -- Runs after the row is written, so that locks are taken in this order: the outbox, the sends, the feed. The sequence is taken under the
  -- feed's lock.
  CREATE FUNCTION record_send_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint;
  BEGIN
    INSERT INTO send_feed AS it (account, seq) VALUES (NEW.account, 1)
      ON CONFLICT (account) DO UPDATE SET seq = it.seq + 1 RETURNING it.seq INTO next;
    INSERT INTO send_change AS it (send, account, seq, body_seq) VALUES (NEW.id, NEW.account, next, next)
      ON CONFLICT (send) DO UPDATE SET seq = next,
        body_seq = CASE WHEN NEW.sealed IS DISTINCT FROM OLD.sealed THEN next ELSE it.body_seq END;
    PERFORM pg_notify('countersign_sends', NEW.account::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER record_send_change AFTER INSERT OR UPDATE ON send FOR EACH ROW EXECUTE FUNCTION record_send_change();
  UPDATE send SET revision = 1;

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
    INSERT INTO account (tag) VALUES (p_tag) ON CONFLICT (tag) DO NOTHING;
    SELECT id INTO its FROM account WHERE tag = p_tag;
    INSERT INTO outbox (account, concurrency, per_minute) VALUES (its, p_concurrency, p_per_minute) ON CONFLICT DO NOTHING;
    RETURN its;
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

  -- Pushes a send to the office: a new one, a retry, or one with another time. Returns what the office has then.
  DROP FUNCTION push_send(uuid, uuid, bigint, bytea);
  CREATE FUNCTION push_send(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count, p_may_have_arrived boolean)
  RETURNS TABLE (revision integer, state text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    INSERT INTO send AS it (id, account, goes_at, made_by, sealed, revision, may_have_arrived)
      VALUES (p_id, p_account, now() + p_in_ms * interval '1 ms', me(), p_sealed, p_revision, p_may_have_arrived)
      ON CONFLICT (id) DO UPDATE SET state = 'ready', goes_at = excluded.goes_at, sealed = excluded.sealed, revision = p_revision,
          concluded_at = NULL, may_have_arrived = it.may_have_arrived OR p_may_have_arrived
        WHERE it.account = p_account AND it.revision < p_revision
          AND it.state IN ('ready', 'held', 'cancelled', 'refused', 'not-sent');
    RETURN QUERY SELECT revision, state FROM send WHERE id = p_id;
  END $$;

  -- Keeps a send from leaving, even if the office never got it. Returns whether it can't leave any more. A send that may have arrived stays
  -- with the office; one that is held can be withheld only with a later revision, by a workstation that knows that it is held. p_life: the
  -- life of which everything is known to the caller. A restored server may have as waiting, or not at all, what has been sent since.
  CREATE FUNCTION withhold(p_id uuid, p_account uuid, p_revision safe_count, p_state text, p_life integer DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    IF p_state NOT IN ('held', 'cancelled') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM assert_life(p_life);
    INSERT INTO send AS it (id, account, state, goes_at, made_by, sealed, revision, concluded_at)
      VALUES (p_id, p_account, p_state, 'infinity', me(), '', p_revision, now())
      ON CONFLICT (id) DO UPDATE SET state = p_state, revision = greatest(it.revision, p_revision), concluded_at = now()
        WHERE it.account = p_account
          AND ((it.state = 'ready' AND (NOT it.may_have_arrived OR waits_for_release(p_id))) OR it.state IN ('refused', 'not-sent')
            OR (it.state = 'held' AND it.revision < p_revision));
    RETURN EXISTS (SELECT FROM send WHERE id = p_id AND account = p_account AND state IN (p_state, 'cancelled'));
  END $$;

  -- A workstation that leaves takes its own sends back; late reports about them have no effect. Returns how many of them are in flight, which
  -- it has to wait for. p_life: see withhold. As long as there are any, it takes back none: what may have arrived would no longer be searched for by the office.
  CREATE FUNCTION reclaim_sends(p_account uuid, p_life integer DEFAULT NULL) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    in_flight integer;
  BEGIN
    PERFORM assert_life(p_life);
    -- The outbox is locked so that nothing is claimed meanwhile; the sends are locked before the feed, as where claims of lost holders expire.
    PERFORM FROM outbox WHERE account = p_account FOR NO KEY UPDATE;
    PERFORM FROM send WHERE account = p_account AND made_by = mine AND state IN ('ready', 'sending', 'uncertain') ORDER BY id FOR UPDATE;
    PERFORM expire_claims(p_account);
    SELECT count(*) INTO in_flight FROM send WHERE account = p_account AND made_by = mine AND state = 'sending';
    IF in_flight = 0 THEN
      UPDATE send SET state = 'held', revision = revision + 1 WHERE account = p_account AND made_by = mine AND state IN ('ready', 'uncertain');
    END IF;
    RETURN in_flight;
  END $$;

  CREATE OR REPLACE FUNCTION claim(p_account uuid, p_most integer)
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
    SELECT * INTO rules FROM office;
    -- One claim at a time: the number in flight, the pace and the pause apply to the whole office. This lock is always the first.
    SELECT * INTO its FROM outbox WHERE account = p_account FOR NO KEY UPDATE;
    PERFORM expire_claims(p_account);
    IF its.account IS NULL OR its.paused_by IS NOT NULL OR its.next_at > now() THEN
      RETURN;
    END IF;
    SELECT least(p_most, its.concurrency - count(*), CASE WHEN its.per_minute IS NULL THEN p_most ELSE 1 END) INTO room
      FROM send WHERE account = p_account AND state = 'sending';
    IF room <= 0 THEN
      RETURN;
    END IF;
    -- A send that was shown not to have arrived may have turned up since; for one that was pushed as uncertain nothing was shown yet.
    UPDATE send SET state = 'uncertain', uncertain_at = now() WHERE id IN (
      SELECT id FROM send WHERE account = p_account AND state = 'ready' AND goes_at <= now()
        AND may_have_arrived AND coalesce(proven_until, '-infinity') < now()
      FOR UPDATE SKIP LOCKED);
    -- These were shown not to have arrived, and another send of the same draft has arrived, so they are cancelled. See the step of shared
    -- items.
    UPDATE send SET state = 'cancelled', concluded_at = now(), may_have_arrived = false WHERE id IN (
      SELECT one.id FROM send one WHERE one.account = p_account AND one.state = 'ready' AND one.goes_at <= now() AND one.may_have_arrived
        AND EXISTS (SELECT FROM send WHERE account = one.account AND draft = one.draft AND id <> one.id AND state = 'sent')
      FOR UPDATE SKIP LOCKED);
    RETURN QUERY
      WITH picked AS (
        SELECT id FROM send WHERE account = p_account AND state = 'ready' AND goes_at <= now()
          -- Only one of the sends of a draft leaves: see the step of shared items.
          AND (draft IS NULL OR NOT is_blocked_by_other_send(draft, account, id))
          -- One that waits for a release doesn't take another's place.
          AND NOT waits_for_release(id)
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

  -- Records results and claims what may be sent next in one step, so that no lane is idle in between. The state is NULL for an attempt that
  -- this workstation didn't make as far as this server knows, for example after a restore.
  CREATE FUNCTION finish_and_claim(p_account uuid, p_ids uuid[], p_epochs integer[], p_kinds text[], p_answers bytea[], p_most integer)
  RETURNS TABLE (is_claim boolean, id uuid, epoch integer, state text, lease_ms double precision, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    -- The outbox, the sends, and then the feed: the order of locks wherever several sends are changed.
    PERFORM FROM outbox WHERE account = p_account FOR NO KEY UPDATE;
    PERFORM FROM send WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE;
    RETURN QUERY SELECT false, ended.id, ended.epoch,
        CASE WHEN EXISTS (SELECT FROM attempt WHERE send = ended.id AND epoch = ended.epoch AND station = mine)
          THEN finish(ended.id, ended.epoch, ended.kind, ended.answer) END,
        NULL::double precision, NULL::bytea
      FROM unnest(p_ids, p_epochs, p_kinds, p_answers) AS ended (id, epoch, kind, answer);
    IF p_most > 0 THEN
      RETURN QUERY SELECT true, id, epoch, 'sending', lease_ms, sealed FROM claim(p_account, p_most);
    END IF;
  END $$;

  -- Records that the reconciliation found the send, with what it found.
  CREATE FUNCTION record_found(p_id uuid, p_epoch integer, p_sealed bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    -- The send is locked before its answer, as where results are recorded.
    PERFORM FROM send WHERE id = p_id FOR UPDATE;
    INSERT INTO answer (send, epoch, kind, sealed) SELECT id, epoch, 'accepted', p_sealed FROM send
      WHERE id = p_id AND epoch = p_epoch AND state IN ('uncertain', 'not-sent') AND epoch > 0 ON CONFLICT DO NOTHING;
    UPDATE send SET state = 'sent', uncertain_at = NULL, concluded_at = now()
      WHERE id = p_id AND epoch = p_epoch AND state IN ('uncertain', 'not-sent');
    RETURN FOUND;
  END $$;

  -- Returns every send that changed since p_after, in its current state; the body only if the reader can't have it yet. p_bodies_after: up to
  -- where the reader has read every send. That is less than p_after while it reads all of them, because sends that change meanwhile move to
  -- the end with bodies that are older.
  CREATE FUNCTION send_changes(p_account uuid, p_after bigint, p_most integer, p_bodies_after bigint)
  RETURNS TABLE (id uuid, seq double precision, state text, revision integer, maker text, is_mine boolean, epoch integer,
    attempt integer, may_have_arrived boolean, goes_ms double precision, sealed bytea, answer_epoch integer, answer bytea, draft text,
    draft_versions uuid[], draft_revision integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    RETURN QUERY SELECT it.id, change.seq::double precision, it.state, it.revision, maker.name, it.made_by = mine, it.epoch,
        it.attempt, it.may_have_arrived,
        CASE WHEN it.goes_at > now() AND it.goes_at < 'infinity' THEN 1000 * extract(epoch FROM it.goes_at - now()) ELSE 0 END::double precision,
        CASE WHEN change.body_seq > p_bodies_after THEN it.sealed END, said.epoch, said.sealed, it.draft, it.draft_versions,
        it.draft_revision
      FROM send_change change JOIN send it ON it.id = change.send JOIN station maker ON maker.id = it.made_by
        LEFT JOIN LATERAL (
          SELECT epoch, sealed FROM answer WHERE send = it.id AND (kind = 'accepted' OR epoch = it.epoch)
            ORDER BY kind = 'accepted' DESC, epoch DESC LIMIT 1) said ON true
      WHERE change.account = p_account AND change.seq > p_after ORDER BY change.seq LIMIT p_most;
  END $$;
`

/** The functions that a workstation may call. */
export const sharedOutboxForStations = [
  'share_account',
  'hello',
  'who',
  'outbox_state',
  'withhold',
  'reclaim_sends',
  'finish_and_claim',
  'record_found',
  'send_changes'
] as const
