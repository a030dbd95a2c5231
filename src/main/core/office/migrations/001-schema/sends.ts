/**
 * The sends in an outbox: what a workstation pushes, withholds and reclaims, and every change in an order in which no
 * reader can miss one. How a send leaves is in claims.ts.
 */
const tables = `
  CREATE TABLE send (
    id uuid PRIMARY KEY,
    account uuid NOT NULL REFERENCES outbox,
    -- held: it belongs to its workstation again.
    state text NOT NULL DEFAULT 'ready'
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled', 'held')),
    -- Increases each time it is pushed or withheld: late reports of an earlier revision have no effect.
    revision integer NOT NULL DEFAULT 1,
    -- What it was when this server was restored, if it was there then: a workstation that knows a later one knows what was lost since.
    restored_revision integer,
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
    -- The draft that it was made from, if the office has it, with the content's ids and revision; 0 if unknown. is_behind_draft: when the
    -- send was pushed, possibly sent already, to a restored server, someone had written more: see mark_split_off.
    draft text,
    draft_versions uuid[] NOT NULL DEFAULT '{}',
    draft_revision integer NOT NULL DEFAULT 0,
    is_behind_draft boolean NOT NULL DEFAULT false,
    sealed bytea NOT NULL
  );
  CREATE INDEX send_ready ON send (account, goes_at, id) WHERE state = 'ready';
  -- A claim checks these before it takes the next send, which mustn't cost more if many are waiting.
  CREATE INDEX send_ready_may_have_arrived ON send (account, goes_at) WHERE state = 'ready' AND may_have_arrived;
  CREATE INDEX send_under_way ON send (account) WHERE state = 'sending';
  CREATE INDEX send_uncertain ON send (account, uncertain_at) WHERE state = 'uncertain';
  CREATE INDEX send_by_draft ON send (account, draft) WHERE draft IS NOT NULL;

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
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON attempt EXECUTE FUNCTION append_only();
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON answer EXECUTE FUNCTION append_only();

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
`

const functions = `
  -- Pushes a send to the office: a new one, or a retry. Returns what the office has then. Repeating the call, for
  -- example after a lost answer, has no effect. p_is_uncertain: it may have arrived, and the workstation doesn't know. It is searched for at
  -- once, also while the outbox is paused. On a restored server, a request of the previous life may still be in flight. p_life: see withhold.
  CREATE FUNCTION push_send(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count, p_may_have_arrived boolean,
    p_is_uncertain boolean DEFAULT false, p_life integer DEFAULT NULL)
  RETURNS TABLE (revision integer, state text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    uncertain_from timestamptz := CASE WHEN p_is_uncertain THEN now() + (SELECT lease FROM office) END;
  BEGIN
    PERFORM assert_life(p_life);
    INSERT INTO send AS it (id, account, state, goes_at, made_by, sealed, revision, may_have_arrived, uncertain_at, attempt)
      VALUES (p_id, p_account, CASE WHEN p_is_uncertain THEN 'uncertain' ELSE 'ready' END, now() + p_in_ms * interval '1 ms', mine, p_sealed,
        p_revision, p_may_have_arrived OR p_is_uncertain, uncertain_from, CASE WHEN p_is_uncertain THEN 1 ELSE 0 END)
      ON CONFLICT (id) DO UPDATE SET state = excluded.state, goes_at = excluded.goes_at, sealed = excluded.sealed, revision = p_revision,
          concluded_at = NULL, may_have_arrived = it.may_have_arrived OR excluded.may_have_arrived, uncertain_at = uncertain_from,
          -- A workstation that left and joins again is a new one to the office. What it pushes again becomes its own again, so that it gets it
          -- back when it leaves again. Otherwise both the office and the workstation would send it.
          made_by = CASE WHEN it.state IN ('held', 'cancelled') THEN mine ELSE it.made_by END,
          -- Someone retries it, so its attempts are counted from 0 again.
          attempt = CASE WHEN p_is_uncertain THEN greatest(it.attempt, 1) WHEN it.state IN ('refused', 'not-sent') THEN 0 ELSE it.attempt END
        WHERE it.account = p_account AND it.revision < p_revision
          AND it.state IN ('ready', 'held', 'cancelled', 'refused', 'not-sent');
    RETURN QUERY SELECT revision, state FROM send WHERE id = p_id;
  END $$;

  -- Gives a waiting send another time, and the content that says so. Returns whether that is in effect. Unlike push_send, it has no effect on one
  -- that was withheld, cancelled or refused since it was read, so it never makes that leave.
  CREATE FUNCTION reschedule_send(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count, p_life integer DEFAULT NULL)
  RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    PERFORM assert_life(p_life);
    UPDATE send SET goes_at = now() + p_in_ms * interval '1 ms', sealed = p_sealed, revision = p_revision
      WHERE id = p_id AND account = p_account AND state = 'ready' AND revision < p_revision;
    RETURN FOUND;
  END $$;

  -- Keeps a send from leaving, even if the office never got it. Returns its revision if it has that state now. A send that may have arrived stays
  -- with the office, unless it counts as shown that it didn't, so that it could leave again now; one that is held can be withheld only with a later
  -- revision, by a workstation that knows that it is held. The revision increases even if the caller hasn't read the last one: a push based on
  -- that one mustn't bring the send back. p_life: the life of which everything is known to the caller. A restored server may have as waiting, or
  -- not at all, what has been sent since.
  CREATE FUNCTION withhold(p_id uuid, p_account uuid, p_revision safe_count, p_state text, p_life integer DEFAULT NULL) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    IF p_state NOT IN ('held', 'cancelled') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM assert_life(p_life);
    INSERT INTO send AS it (id, account, state, goes_at, made_by, sealed, revision, concluded_at)
      VALUES (p_id, p_account, p_state, 'infinity', me(), '', p_revision, now())
      ON CONFLICT (id) DO UPDATE SET state = p_state, revision = greatest(it.revision + 1, p_revision), concluded_at = now()
        WHERE it.account = p_account
          AND ((it.state = 'ready' AND (NOT it.may_have_arrived OR it.proven_until > now() OR waits_for_release(p_id)))
            OR it.state IN ('refused', 'not-sent') OR (it.state = 'held' AND it.revision < p_revision));
    RETURN (SELECT revision FROM send WHERE id = p_id AND account = p_account AND state = p_state);
  END $$;

  -- A workstation that leaves takes its own sends back; late reports about them have no effect. Returns how many of them are in flight, which
  -- it has to wait for; as long as there are any, it takes back none. p_life: see withhold. One that may have arrived comes back only together
  -- with its draft, if it has one: see remove_sent_draft. Otherwise another workstation could send the draft meanwhile.
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
      UPDATE send SET state = 'held', revision = revision + 1
        WHERE account = p_account AND made_by = mine AND (state = 'ready' OR (state = 'uncertain' AND draft IS NULL));
    END IF;
    RETURN in_flight;
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

export const sends = [tables, functions].join('')

export const sendsForWorkstations = [
  'push_send',
  'reschedule_send',
  'withhold',
  'reclaim_sends',
  'cancel_send',
  'state_of',
  'send_changes'
] as const
