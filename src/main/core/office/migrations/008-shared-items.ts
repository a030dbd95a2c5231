/**
 * What workstations edit together, such as drafts. Each item has one current content, and its changes come in an order
 * in which no reader can miss one. A save names the content that it derives from. If that isn't the current one, or
 * someone else is editing, the current one stays, and the other is kept beside it. Nothing is merged, and nothing that
 * was saved is overwritten unseen.
 */
export const sharedItems = `
  CREATE TABLE shared_item_feed (
    kind text NOT NULL CHECK (kind IN ('draft', 'preset', 'view', 'person')),
    account uuid NOT NULL REFERENCES account,
    seq bigint NOT NULL,
    PRIMARY KEY (kind, account)
  );
  CREATE TABLE shared_item (
    kind text NOT NULL,
    id text NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    account uuid NOT NULL,
    -- The sequence of its last change, and of its content's.
    seq bigint NOT NULL,
    body_seq bigint NOT NULL,
    -- The id of the current content. An id, because after a restore a revision number may be another content's.
    version uuid NOT NULL,
    -- The number of contents it has had, in which of the server's lives this one was saved, and the revision before that life: see
    -- restore_item.
    revision integer NOT NULL DEFAULT 1,
    life integer NOT NULL,
    base_revision integer NOT NULL DEFAULT 0,
    made_by uuid NOT NULL REFERENCES station,
    by uuid NOT NULL REFERENCES station,
    at timestamptz NOT NULL DEFAULT now(),
    editing_by uuid REFERENCES station,
    editing_until timestamptz,
    -- Since when it is in the trash, and since when it no longer exists.
    trashed_at timestamptz,
    gone_at timestamptz,
    -- It is gone because it belongs to its maker alone, who may share it again.
    is_makers_own boolean NOT NULL DEFAULT false,
    -- It is gone because of this send: the send arrived, or took the draft along when its workstation left.
    gone_with_send uuid,
    -- Someone deleted it who had seen this revision of what was written before this life, and that revision's content, if known.
    deleted_revision integer NOT NULL DEFAULT 0,
    deleted_version uuid,
    -- It was sent, and someone who didn't know that had written more: see mark_split_off.
    is_split_off boolean NOT NULL DEFAULT false,
    -- It was sent while it had unresolved conflicts.
    has_open_conflicts boolean NOT NULL DEFAULT false,
    -- Not for drafts: the marks of the last contents that were merged into it, or kept as records of their own, oldest first; see mark_of.
    ancestors text[] NOT NULL DEFAULT '{}',
    sealed bytea,
    PRIMARY KEY (kind, id),
    FOREIGN KEY (kind, account) REFERENCES shared_item_feed,
    CHECK ((gone_at IS NULL) = (sealed IS NOT NULL))
  );
  CREATE UNIQUE INDEX shared_item_by_seq ON shared_item (kind, account, seq);

  -- Contents that were saved but aren't current. is_resolved: someone has seen it and decided.
  CREATE TABLE shared_item_conflict (
    kind text NOT NULL,
    id text NOT NULL,
    version uuid NOT NULL,
    by uuid NOT NULL REFERENCES station,
    at timestamptz NOT NULL DEFAULT now(),
    is_resolved boolean NOT NULL DEFAULT false,
    sealed bytea NOT NULL,
    PRIMARY KEY (kind, id, version),
    FOREIGN KEY (kind, id) REFERENCES shared_item
  );

  -- The draft that a send was made from, if the office has it, with the content's ids and revision; 0 if unknown. is_behind_draft: when the
  -- send was pushed, possibly sent already, to a restored server, someone had written more: see mark_split_off.
  ALTER TABLE send ADD COLUMN draft text, ADD COLUMN draft_versions uuid[] NOT NULL DEFAULT '{}', ADD COLUMN draft_revision integer NOT NULL DEFAULT 0,
    ADD COLUMN is_behind_draft boolean NOT NULL DEFAULT false;
  CREATE INDEX send_by_draft ON send (account, draft) WHERE draft IS NOT NULL;

  -- Returns the next sequence number. Its lock is always the first: until this transaction ends, no other can change an item of the account.
  CREATE FUNCTION next_item_seq(p_kind text, p_account uuid) RETURNS bigint
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    its bigint;
  BEGIN
    PERFORM me();
    INSERT INTO shared_item_feed AS it (kind, account, seq) VALUES (p_kind, p_account, 1)
      ON CONFLICT (kind, account) DO UPDATE SET seq = it.seq + 1 RETURNING it.seq INTO its;
    RETURN its;
  END $$;

  CREATE FUNCTION notify_item_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM pg_notify('countersign_items', NEW.account::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER notify_item_change AFTER INSERT OR UPDATE ON shared_item FOR EACH ROW EXECUTE FUNCTION notify_item_change();

  -- Returns the current row of an item of this account, whose lock is held.
  CREATE FUNCTION item_of(p_kind text, p_id text, p_account uuid) RETURNS shared_item
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    its shared_item;
  BEGIN
    SELECT * INTO its FROM shared_item WHERE kind = p_kind AND id = p_id;
    IF its.account <> p_account THEN
      RAISE EXCEPTION 'This belongs to another account.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN its;
  END $$;

  -- Items of other kinds are changed only by put_records.
  CREATE FUNCTION assert_draft(p_kind text) RETURNS void LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    IF p_kind <> 'draft' THEN
      RAISE EXCEPTION 'These have rules of their own.' USING ERRCODE = 'insufficient_privilege';
    END IF;
  END $$;

  -- A content's mark in a lineage: its revision and the beginning of its id.
  CREATE FUNCTION mark_of(p_revision integer, p_version uuid) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT p_revision || ':' || left(replace(p_version::text, '-', ''), 12)
  $$;

  -- Returns the last 48 of these marks, oldest first, without that of p_except.
  CREATE FUNCTION last_marks(p_marks text[], p_except uuid DEFAULT NULL) RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT coalesce(array_agg(mark ORDER BY place, mark), '{}') FROM (
      SELECT DISTINCT mark, lpad(split_part(mark, ':', 1), 10, '0') AS place
        FROM unnest(p_marks) mark, split_part(mark_of(0, p_except), ':', 2) own
        WHERE mark ~ '^[0-9]{1,10}:[0-9a-f]{12}$' AND split_part(mark, ':', 2) IS DISTINCT FROM own
        ORDER BY place DESC, mark LIMIT 48
    ) its
  $$;

  CREATE FUNCTION lineage_has(p_marks text[], p_version uuid) RETURNS boolean LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT EXISTS (SELECT FROM unnest(p_marks) mark, split_part(mark_of(0, p_version), ':', 2) its WHERE split_part(mark, ':', 2) = its)
  $$;

  -- Whether a content is certainly not in this lineage: the lineage goes back beyond its revision and doesn't contain it.
  CREATE FUNCTION lineage_lacks(p_marks text[], p_revision integer, p_version uuid) RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT NOT lineage_has(p_marks, p_version)
      AND (cardinality(p_marks) < 48 OR split_part(p_marks[1], ':', 1)::bigint < p_revision)
  $$;

  CREATE FUNCTION is_held_by_another(p_item shared_item) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN coalesce(p_item.editing_by <> me() AND p_item.editing_until >= now(), false);
  END $$;

  -- Whether it has unresolved conflicts.
  CREATE FUNCTION has_open_conflicts(p_kind text, p_id text) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM shared_item_conflict WHERE kind = p_kind AND id = p_id AND NOT is_resolved);
  END $$;

  -- Whether this draft has a send, other than p_send, that is waiting, in flight or sent.
  CREATE FUNCTION has_active_send(p_draft text, p_account uuid, p_send uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM send WHERE account = p_account AND draft = p_draft AND id IS DISTINCT FROM p_send
      AND state IN ('ready', 'sending', 'uncertain', 'sent'));
  END $$;

  -- Whether another send of this draft is in flight, may have been sent, was sent, or is the one to go first. A restored server can get two of
  -- them if one workstation doesn't know of the other's.
  CREATE FUNCTION is_blocked_by_other_send(p_draft text, p_account uuid, p_send uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM send WHERE account = p_account AND draft = p_draft AND id <> p_send
      AND (state IN ('sending', 'uncertain', 'sent') OR (state = 'ready' AND id < p_send)));
  END $$;

  -- Whether a draft that went with a send exists again: the workstation that has the send has joined again and says so, and the send ended
  -- without arriving. As another draft it could be sent in addition to a retry of that send.
  CREATE FUNCTION is_back_from_send(p_item shared_item, p_own_sends uuid[]) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN p_item.gone_with_send = ANY (p_own_sends) AND NOT has_active_send(p_item.id, p_item.account, NULL)
      AND EXISTS (SELECT FROM send WHERE id = p_item.gone_with_send AND account = p_item.account
        AND state IN ('held', 'not-sent', 'refused', 'cancelled'));
  END $$;

  -- Whether someone deleted it: it neither went with a send nor belongs to its maker alone.
  CREATE FUNCTION was_deleted(p_item shared_item) RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT p_item.gone_at IS NOT NULL AND p_item.gone_with_send IS NULL AND NOT p_item.is_makers_own
  $$;

  -- Saves a content. newest: it is now current. conflict: it doesn't derive from the current one, and is kept beside it. gone: the draft no
  -- longer exists. sent: the draft is being sent, and may still be taken back. Repeating a version repeats the same save. If p_hold_ms is
  -- given, a save that becomes current holds the draft for so long. p_own_sends: the workstation's own sends of this draft that didn't arrive,
  -- as far as it knows. p_revision: the revision it derives from; a restored server has an earlier one, or none. p_life: the life of which
  -- everything is known to the caller.
  CREATE FUNCTION save_item(p_kind text, p_id text, p_account uuid, p_version uuid, p_based_on uuid[], p_sealed bytea, p_hold_ms integer,
    p_own_sends uuid[] DEFAULT '{}', p_revision safe_count DEFAULT 0, p_life integer DEFAULT NULL)
  RETURNS TABLE (outcome text, version uuid, revision integer, at_ms double precision, by text, sealed bytea, sent_as uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
    result text := 'newest';
    now_life integer := (SELECT life FROM office);
    held timestamptz := CASE WHEN p_hold_ms > 0 THEN now() + least(p_hold_ms, 600000) * interval '1 ms' END;
  BEGIN
    PERFORM assert_draft(p_kind);
    PERFORM assert_life(p_life);
    next := next_item_seq(p_kind, p_account);
    its := item_of(p_kind, p_id, p_account);
    IF its.id IS NULL THEN
      INSERT INTO shared_item (kind, id, account, seq, body_seq, version, revision, base_revision, life, made_by, by, sealed, editing_by, editing_until)
        VALUES (p_kind, p_id, p_account, next, next, p_version, greatest(p_revision, 0) + 1, greatest(p_revision, 0), now_life, mine, mine, p_sealed,
          CASE WHEN held IS NOT NULL THEN mine END, held);
    ELSIF its.gone_at IS NOT NULL AND (its.is_makers_own AND its.made_by = mine OR is_back_from_send(its, p_own_sends)) THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = greatest(revision, p_revision) + 1,
          life = now_life, base_revision = CASE WHEN life < now_life THEN revision ELSE base_revision END,
          by = mine, at = now(), sealed = p_sealed, gone_at = NULL, is_makers_own = false, gone_with_send = NULL, is_split_off = false
        WHERE kind = p_kind AND id = p_id;
    ELSIF its.gone_at IS NOT NULL THEN
      -- The send that it went with is being retried, or has arrived, so it isn't another draft.
      result := CASE WHEN its.gone_with_send = ANY (p_own_sends) AND has_active_send(p_id, p_account, NULL) THEN 'sent' ELSE 'gone' END;
    ELSIF its.version = p_version THEN
      NULL;
    ELSIF p_kind = 'draft' AND has_active_send(p_id, p_account, NULL) THEN
      -- It is sent as it is. What is written from now on becomes another draft.
      result := CASE WHEN EXISTS (SELECT FROM send WHERE account = p_account AND draft = p_id AND state = 'sent')
        THEN 'gone' ELSE 'sent' END;
    ELSIF its.version = ANY (p_based_on) AND NOT is_held_by_another(its) THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = greatest(revision, p_revision) + 1,
          life = now_life, base_revision = CASE WHEN life < now_life THEN revision ELSE base_revision END,
          by = mine, at = now(), sealed = p_sealed,
          editing_by = CASE WHEN held IS NOT NULL THEN mine ELSE editing_by END, editing_until = coalesce(held, editing_until)
        WHERE kind = p_kind AND id = p_id;
    ELSE
      result := 'conflict';
      INSERT INTO shared_item_conflict (kind, id, version, by, sealed) VALUES (p_kind, p_id, p_version, mine, p_sealed)
        ON CONFLICT DO NOTHING;
      UPDATE shared_item SET seq = next WHERE kind = p_kind AND id = p_id;
    END IF;
    RETURN QUERY SELECT result, it.version, it.revision, 1000 * extract(epoch FROM now() - it.at)::double precision, station.name,
        CASE WHEN result = 'conflict' THEN it.sealed END,
        CASE WHEN result = 'sent' THEN (SELECT id FROM send WHERE account = p_account AND draft = p_id
          AND state IN ('ready', 'sending', 'uncertain', 'sent') LIMIT 1) END
      FROM shared_item it JOIN station ON station.id = it.by WHERE it.kind = p_kind AND it.id = p_id;
  END $$;

  -- Whether a draft was sent without this content, as far as is known. Contents saved since the restore don't contain it, unless it is from
  -- before the restored state. Otherwise the send has an earlier revision, or another content of the same revision.
  CREATE FUNCTION was_sent_without(p_draft text, p_account uuid, p_version uuid, p_revision integer) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM send, shared_item WHERE send.account = p_account AND draft = p_draft AND state = 'sent'
      AND kind = 'draft' AND shared_item.id = p_draft AND draft_revision > 0 AND p_version <> ALL (draft_versions)
      AND p_revision >= CASE WHEN base_revision > 0 AND life = (SELECT life FROM office) THEN base_revision + 1 ELSE draft_revision END);
  END $$;

  -- Tells a restored server a content that it had. Of contents from before the restore the later one is current; older: the server has a later
  -- one already. Between two of the same revision, or if something was saved since the restore, the server's stays current, and this one
  -- becomes a conflict. Otherwise as save_item. split-off: as gone, because the draft was sent without this content, or deleted by someone who
  -- hadn't seen it.
  CREATE FUNCTION restore_item(p_kind text, p_id text, p_account uuid, p_version uuid, p_revision safe_count, p_sealed bytea, p_own_sends uuid[] DEFAULT '{}')
  RETURNS TABLE (outcome text, version uuid, revision integer, at_ms double precision, by text, sealed bytea, sent_as uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
    now_life integer := (SELECT life FROM office);
    is_unseen boolean;
  BEGIN
    PERFORM assert_draft(p_kind);
    next := next_item_seq(p_kind, p_account);
    its := item_of(p_kind, p_id, p_account);
    IF its.id IS NULL THEN
      INSERT INTO shared_item (kind, id, account, seq, body_seq, version, revision, life, made_by, by, sealed)
        VALUES (p_kind, p_id, p_account, next, next, p_version, p_revision, now_life - 1, mine, mine, p_sealed);
    ELSIF its.gone_at IS NULL AND its.version <> p_version
        AND (p_revision < its.revision AND its.life < now_life OR p_revision <= its.base_revision) THEN
      RETURN QUERY SELECT 'older', its.version, its.revision, 0::double precision, '', NULL::bytea, NULL::uuid;
      RETURN;
    ELSIF its.gone_at IS NULL AND p_revision > its.revision AND its.life < now_life THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = p_revision, by = mine,
          at = now(), sealed = p_sealed, trashed_at = NULL
        WHERE kind = p_kind AND id = p_id;
    ELSIF its.gone_at IS NOT NULL AND its.gone_with_send IS NOT NULL AND its.life < now_life AND p_revision > its.revision
        AND NOT has_active_send(p_id, p_account, NULL) THEN
      -- It had come back since: see is_back_from_send.
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = p_revision, by = mine,
          at = now(), sealed = p_sealed, gone_at = NULL, gone_with_send = NULL
        WHERE kind = p_kind AND id = p_id;
    END IF;
    -- Whoever deleted it hadn't seen this content: it has a later revision, or is another content of the same revision.
    is_unseen := was_deleted(its) AND NOT has_active_send(p_id, p_account, NULL)
      AND p_version <> its.version AND p_version IS DISTINCT FROM its.deleted_version
      AND p_revision >= CASE WHEN its.deleted_version IS NULL THEN its.deleted_revision + 1 ELSE its.deleted_revision END;
    RETURN QUERY SELECT CASE WHEN it.outcome = 'gone' AND (is_unseen OR was_sent_without(p_id, p_account, p_version, p_revision)) THEN 'split-off'
          ELSE it.outcome END, it.version, it.revision, it.at_ms, it.by, it.sealed, it.sent_as
      FROM save_item(p_kind, p_id, p_account, p_version, '{}', p_sealed, NULL, p_own_sends, p_revision - 1) it;
  END $$;

  -- Tells a restored server a conflict that is unresolved as far as the workstation knows. The draft can't be sent or deleted until it is
  -- resolved. Returns whether it was stored: not if the draft is gone or being sent.
  CREATE FUNCTION restore_conflict(p_kind text, p_id text, p_account uuid, p_version uuid, p_sealed bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint;
    its shared_item;
  BEGIN
    PERFORM assert_draft(p_kind);
    next := next_item_seq(p_kind, p_account);
    its := item_of(p_kind, p_id, p_account);
    IF its.id IS NULL OR its.gone_at IS NOT NULL OR has_active_send(p_id, p_account, NULL) THEN
      RETURN false;
    ELSIF its.version = p_version THEN
      RETURN true;
    END IF;
    INSERT INTO shared_item_conflict (kind, id, version, by, sealed) VALUES (p_kind, p_id, p_version, me(), p_sealed) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      UPDATE shared_item SET seq = next WHERE kind = p_kind AND id = p_id;
    END IF;
    RETURN true;
  END $$;

  -- Holds a draft for this workstation, which edits it or takes it over from another. Returns who holds it then.
  CREATE FUNCTION hold_item(p_kind text, p_id text, p_account uuid, p_ms integer, p_takes_over boolean)
  RETURNS TABLE (name text, is_me boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
  BEGIN
    PERFORM assert_draft(p_kind);
    IF p_ms IS NULL OR p_ms NOT BETWEEN 100 AND 600000 THEN
      RAISE EXCEPTION 'Nothing is held for so long.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    next := next_item_seq(p_kind, p_account);
    its := item_of(p_kind, p_id, p_account);
    IF p_takes_over OR NOT is_held_by_another(its) THEN
      UPDATE shared_item SET seq = next, editing_by = mine, editing_until = now() + p_ms * interval '1 ms'
        WHERE kind = p_kind AND id = p_id AND gone_at IS NULL;
    END IF;
    RETURN QUERY SELECT station.name, station.id = mine FROM shared_item JOIN station ON station.id = editing_by
      WHERE kind = p_kind AND shared_item.id = p_id AND gone_at IS NULL;
  END $$;

  CREATE FUNCTION release_hold(p_kind text, p_id text, p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq(p_kind, p_account);
  BEGIN
    UPDATE shared_item SET seq = next, editing_by = NULL, editing_until = NULL
      WHERE kind = p_kind AND id = p_id AND account = p_account AND editing_by = me();
  END $$;

  -- Moves a draft to the trash, out of it, out of it for good, or back to the workstation that created it, to which alone it belongs then.
  -- Returns whether it is there now. The caller must know the current content, nobody else may be editing it, and it can't be deleted while it
  -- has unresolved conflicts. A restored server may have an earlier revision of it.
  CREATE FUNCTION move_item(p_kind text, p_id text, p_account uuid, p_based_on uuid[], p_revision safe_count, p_to text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
    now_life integer := (SELECT life FROM office);
    is_earlier boolean;
    is_since boolean;
  BEGIN
    PERFORM assert_draft(p_kind);
    IF p_to NOT IN ('trash', 'back', 'gone', 'maker') THEN
      RAISE EXCEPTION 'There is no such place.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    next := next_item_seq(p_kind, p_account);
    its := item_of(p_kind, p_id, p_account);
    IF was_deleted(its) AND p_to = 'gone' AND p_revision > its.deleted_revision THEN
      -- Someone else had deleted it, too, and had seen a later revision.
      UPDATE shared_item SET deleted_revision = p_revision, deleted_version = p_based_on[cardinality(p_based_on)] WHERE kind = p_kind AND id = p_id;
    END IF;
    IF its.id IS NULL OR its.gone_at IS NOT NULL THEN
      RETURN p_to IN ('gone', 'maker');
    END IF;
    is_earlier := its.life < now_life AND its.revision <= p_revision;
    -- Contents saved since the restore say nothing about those from before.
    is_since := its.life = now_life AND its.base_revision > 0;
    -- Without a base, the caller doesn't know the current content.
    IF (NOT (its.version = ANY (p_based_on) OR is_earlier) OR is_held_by_another(its)
        OR (p_to = 'gone' AND its.trashed_at IS NULL AND NOT is_earlier) OR (p_to = 'maker' AND its.made_by <> mine)
        OR (p_to IN ('gone', 'maker') AND has_open_conflicts(p_kind, p_id))) IS NOT FALSE THEN
      RETURN false;
    END IF;
    IF p_to IN ('gone', 'maker') THEN
      PERFORM remove_item(p_kind, p_id, next);
      -- A restored server may be told contents that the person who deletes it hasn't seen: see restore_item.
      -- A draft whose send may leave isn't deleted by anyone: a workstation knows that it went with that send. It may know that of a send that a
      -- restored server has already found not to have arrived.
      UPDATE shared_item SET is_makers_own = p_to = 'maker', is_split_off = false,
          gone_with_send = CASE WHEN p_to = 'gone' THEN (SELECT id FROM send WHERE account = p_account AND draft = p_id
            AND (state IN ('ready', 'sending', 'uncertain') OR (state = 'not-sent' AND its.life < now_life)) LIMIT 1) END,
          deleted_revision = CASE WHEN is_since THEN its.base_revision ELSE greatest(its.revision, p_revision) END,
          deleted_version = CASE WHEN is_since THEN NULL WHEN p_revision > its.revision THEN p_based_on[cardinality(p_based_on)] ELSE its.version END
        WHERE kind = p_kind AND id = p_id;
    ELSE
      UPDATE shared_item SET seq = next, trashed_at = CASE WHEN p_to = 'trash' THEN coalesce(trashed_at, now()) END,
          editing_by = NULL, editing_until = NULL
        WHERE kind = p_kind AND id = p_id;
    END IF;
    RETURN true;
  END $$;

  -- Only the id is kept, so that workstations that have the item learn that it no longer exists.
  CREATE FUNCTION remove_item(p_kind text, p_id text, p_seq bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    DELETE FROM shared_item_conflict WHERE kind = p_kind AND id = p_id;
    UPDATE shared_item SET seq = p_seq, gone_at = now(), sealed = NULL, trashed_at = NULL, editing_by = NULL, editing_until = NULL
      WHERE kind = p_kind AND id = p_id AND gone_at IS NULL;
  END $$;

  -- Once a draft was sent, its other sends are cancelled.
  CREATE FUNCTION cancel_other_sends(p_draft text, p_account uuid, p_send uuid) RETURNS void
  LANGUAGE sql SET search_path = office, pg_temp AS $$
    UPDATE send SET state = 'cancelled', concluded_at = now()
      WHERE account = p_account AND draft = p_draft AND id <> p_send AND state = 'ready' AND NOT may_have_arrived
  $$;

  -- A restored server is told that a draft was sent. What was saved in this life, while the server didn't know that, isn't part of the send: a
  -- workstation that has it continues with it as another draft.
  CREATE FUNCTION mark_split_off(p_draft text, p_account uuid, p_send uuid) RETURNS void
  LANGUAGE sql SET search_path = office, pg_temp AS $$
    UPDATE shared_item SET is_split_off = true
      WHERE kind = 'draft' AND id = p_draft AND account = p_account AND gone_at IS NULL
        AND life = (SELECT life FROM office) AND NOT EXISTS (SELECT FROM send WHERE id = p_send AND draft = p_draft
          AND state IN ('ready', 'sending', 'uncertain', 'sent'))
  $$;

  -- Whether a draft has a content other than these that isn't an earlier one: a restored server may have an earlier one. p_revision: the
  -- revision of these contents; if 0, contents from previous lives don't count.
  CREATE FUNCTION has_diverged(p_item shared_item, p_versions uuid[], p_revision integer) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = office, pg_temp AS $$
    SELECT p_item.gone_at IS NULL AND (p_item.version = ANY (p_versions)) IS NOT TRUE
      AND (p_item.life = (SELECT life FROM office) OR (p_revision > 0 AND p_item.revision >= p_revision))
  $$;

  -- Removes a draft that was sent according to a send that the office has, or that goes along with its send because the workstation leaves.
  -- Other sends of it that haven't started are cancelled. A draft that would go along stays if another workstation has written on it since;
  -- p_based_on: the content that the send has. A restored server may not have the draft: then only its removal is stored.
  CREATE FUNCTION remove_sent_draft(p_id text, p_account uuid, p_send uuid, p_based_on uuid[] DEFAULT '{}') RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq('draft', p_account);
    its shared_item;
  BEGIN
    its := item_of('draft', p_id, p_account);
    PERFORM FROM send WHERE id = p_send AND account = p_account AND coalesce(draft, p_id) = p_id
      AND (state = 'sent' OR (state = 'held' AND made_by = me()
        AND (its.id IS NULL OR its.gone_at IS NOT NULL OR (its.version = ANY (p_based_on) AND NOT has_open_conflicts('draft', p_id)))));
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    -- A send can't take the draft along while another one of it is in flight, may have been sent, or was sent. A claim that comes meanwhile has
    -- ended or skips these.
    PERFORM FROM send WHERE account = p_account AND draft = p_id ORDER BY id FOR UPDATE;
    IF (SELECT state FROM send WHERE id = p_send) = 'held' AND EXISTS (SELECT FROM send WHERE account = p_account AND draft = p_id AND id <> p_send
        AND (state IN ('sending', 'uncertain', 'sent') OR (state = 'ready' AND may_have_arrived))) THEN
      RETURN false;
    END IF;
    PERFORM cancel_other_sends(p_id, p_account, p_send);
    IF its.id IS NULL THEN
      INSERT INTO shared_item (kind, id, account, seq, body_seq, version, life, made_by, by, gone_at, gone_with_send)
        SELECT 'draft', p_id, p_account, next, next, coalesce(p_based_on[1], gen_random_uuid()), life, me(), me(), now(), p_send FROM office;
    END IF;
    -- A restored server may have been told a later content after it got the send, and conflicts were never sent.
    UPDATE shared_item SET gone_with_send = p_send, has_open_conflicts = has_open_conflicts('draft', p_id), is_split_off = is_split_off
        OR (SELECT is_behind_draft OR (draft_revision > 0 AND has_diverged(its, draft_versions, draft_revision)) FROM send WHERE id = p_send)
      WHERE kind = 'draft' AND id = p_id AND gone_at IS NULL;
    PERFORM remove_item('draft', p_id, next);
    RETURN true;
  END $$;

  -- Like report_sent, for a send of a draft: its other sends are cancelled. p_versions, p_draft_revision: the content that was sent, if known.
  CREATE FUNCTION report_draft_sent(p_draft text, p_id uuid, p_account uuid, p_epoch safe_count, p_sealed bytea, p_versions uuid[] DEFAULT '{}',
    p_draft_revision safe_count DEFAULT 0) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    split text;
  BEGIN
    PERFORM next_item_seq('draft', p_account);
    PERFORM mark_split_off(p_draft, p_account, p_id);
    PERFORM report_sent(p_id, p_account, p_epoch, p_sealed);
    UPDATE send SET draft = p_draft WHERE id = p_id AND account = p_account AND draft IS NULL;
    UPDATE send SET draft_versions = p_versions, draft_revision = p_draft_revision
      WHERE id = p_id AND account = p_account AND draft_revision = 0 AND p_draft_revision > 0;
    PERFORM cancel_other_sends(p_draft, p_account, p_id);
    -- The sent content may have continued as another draft here before the server was told: see restore_item.
    FOR split IN SELECT shared_item.id FROM shared_item WHERE kind = 'draft' AND account = p_account AND gone_at IS NULL
      AND shared_item.id = ANY (p_versions::text[]) AND version::text = shared_item.id AND shared_item.id <> p_draft AND NOT has_open_conflicts('draft', shared_item.id)
    LOOP
      PERFORM cancel_other_sends(split, p_account, p_id);
      IF NOT has_active_send(split, p_account, NULL) THEN
        PERFORM remove_item('draft', split, next_item_seq('draft', p_account));
        UPDATE shared_item SET gone_with_send = p_id WHERE kind = 'draft' AND id = split;
      END IF;
    END LOOP;
  END $$;

  -- Marks these conflicts as resolved.
  CREATE FUNCTION resolve_conflicts(p_kind text, p_id text, p_account uuid, p_versions uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq(p_kind, p_account);
  BEGIN
    PERFORM item_of(p_kind, p_id, p_account);
    UPDATE shared_item_conflict SET is_resolved = true
      WHERE kind = p_kind AND id = p_id AND version = ANY (p_versions) AND NOT is_resolved;
    IF FOUND THEN
      UPDATE shared_item SET seq = next WHERE kind = p_kind AND id = p_id;
    END IF;
  END $$;

  -- Returns the sequence of the last change, 0 if there is none, and the life.
  CREATE FUNCTION items_state(p_kind text, p_account uuid) RETURNS TABLE (seq double precision, life integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT coalesce((SELECT max(seq) FROM shared_item WHERE kind = p_kind AND account = p_account), 0)::double precision,
      current_life();
  END $$;

  -- p_bodies_after: see send_changes. After p_bytes of contents the page ends. p_life: the life of which everything is known to the reader.
  CREATE FUNCTION item_changes(p_kind text, p_account uuid, p_after bigint, p_most integer, p_bodies_after bigint, p_bytes bigint,
    p_life integer DEFAULT NULL)
  RETURNS TABLE (id text, seq double precision, version uuid, revision integer, is_mine boolean, by text, at_ms double precision, editing text,
    is_editing boolean, editing_ms double precision, trashed_ms double precision, is_gone boolean, is_makers_own boolean, is_split_off boolean,
    has_open_conflicts boolean, is_from_before_restore boolean,
    lineage text[], sealed bytea, conflict_count integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    PERFORM assert_life(p_life);
    RETURN QUERY SELECT it.id, it.seq::double precision, coalesce(it.deleted_version, it.version), greatest(it.revision, it.deleted_revision), it.made_by = mine, saver.name,
        1000 * extract(epoch FROM now() - it.at)::double precision,
        editor.name, editor.id = mine, 1000 * extract(epoch FROM it.editing_until - now())::double precision,
        1000 * extract(epoch FROM now() - it.trashed_at)::double precision, it.gone_at IS NOT NULL, it.is_makers_own, it.is_split_off, it.has_open_conflicts,
        it.life < (SELECT life FROM office), it.ancestors || mark_of(it.revision, it.version),
        CASE WHEN it.body_seq > p_bodies_after THEN it.sealed END,
        (SELECT count(*) FROM shared_item_conflict WHERE kind = p_kind AND id = it.id)::integer
      FROM (
        SELECT *, sum(CASE WHEN body_seq > p_bodies_after THEN octet_length(sealed) END)
          OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM (SELECT * FROM shared_item WHERE kind = p_kind AND account = p_account AND seq > p_after ORDER BY seq LIMIT p_most) page
      ) it JOIN station saver ON saver.id = it.by
        LEFT JOIN station editor ON editor.id = it.editing_by AND it.editing_until >= now()
      WHERE coalesce(it.bytes, 0) < p_bytes ORDER BY it.seq;
  END $$;

  -- Returns an item's conflicts, oldest first; without the content of those that the reader has, or after p_bytes of contents.
  CREATE FUNCTION item_conflicts(p_kind text, p_id text, p_known_versions uuid[], p_bytes bigint)
  RETURNS TABLE (version uuid, by text, at_ms double precision, is_resolved boolean, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT it.version, station.name, 1000 * extract(epoch FROM now() - it.at)::double precision, it.is_resolved,
        CASE WHEN NOT it.version = ANY (p_known_versions) AND coalesce(it.bytes, 0) < p_bytes THEN it.sealed END
      FROM (
        SELECT *, sum(CASE WHEN NOT version = ANY (p_known_versions) THEN octet_length(sealed) END)
          OVER (ORDER BY at, version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM shared_item_conflict WHERE kind = p_kind AND id = p_id
      ) it JOIN station ON station.id = it.by ORDER BY it.at, it.version;
  END $$;

  -- Like push_send, for a draft that the office has. taken: another send of it is waiting, in flight or sent. gone: it no longer exists, or
  -- belongs to its maker alone. changed: its content is another than the one to be sent, or it has unresolved conflicts. If two workstations
  -- send it at once, one of them succeeds. p_draft_revision: the revision of the content that is sent.
  CREATE FUNCTION push_send_of_draft(p_draft text, p_based_on uuid[], p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count,
    p_may_have_arrived boolean, p_draft_revision safe_count DEFAULT 0, p_is_uncertain boolean DEFAULT false,
    p_life integer DEFAULT NULL)
  RETURNS TABLE (revision integer, state text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    its shared_item;
    known text := (SELECT state FROM send WHERE id = p_id);
    why text;
  BEGIN
    PERFORM assert_life(p_life);
    PERFORM next_item_seq('draft', p_account);
    its := item_of('draft', p_draft, p_account);
    -- A send that is open here, or may have left without this server's knowledge, is accepted whatever became of the draft.
    IF NOT (p_is_uncertain OR coalesce(known IN ('ready', 'sending', 'uncertain', 'sent'), p_may_have_arrived)) THEN
      why := CASE
        WHEN has_active_send(p_draft, p_account, p_id)
          OR has_active_send((SELECT draft FROM send WHERE id = p_id AND account = p_account), p_account, p_id) THEN 'taken'
        -- Its workstation had left with both, and may have retried it since it joined again. If it only began to leave, the draft still
        -- exists, and someone may have written more.
        WHEN (known = 'held' AND (its.id IS NULL OR its.gone_at IS NOT NULL)) OR its.gone_with_send = p_id THEN NULL
        WHEN its.gone_at IS NOT NULL THEN 'gone'
        WHEN coalesce(cardinality(p_based_on), 0) = 0 OR has_open_conflicts('draft', p_draft) THEN 'changed'
        WHEN has_diverged(its, p_based_on, p_draft_revision) THEN 'changed' END;
      IF why IS NOT NULL THEN
        RETURN QUERY SELECT 0, why;
        RETURN;
      END IF;
    END IF;
    RETURN QUERY SELECT it.revision, it.state FROM push_send(p_id, p_account, p_in_ms, p_sealed, p_revision, p_may_have_arrived, p_is_uncertain) it;
    -- If it then turns out not to have arrived, it can be retried, or its draft can come back: see is_back_from_send.
    UPDATE shared_item SET gone_with_send = p_id WHERE p_is_uncertain AND kind = 'draft' AND shared_item.id = p_draft AND was_deleted(shared_item);
    UPDATE send SET is_behind_draft = true WHERE id = p_id AND p_may_have_arrived AND has_diverged(its, p_based_on, p_draft_revision);
    UPDATE send SET draft_versions = p_based_on, draft_revision = p_draft_revision WHERE id = p_id AND cardinality(p_based_on) > 0;
    -- The draft that the send was linked to may have been replaced by this one. From now on the send counts as this one's, so that only one of
    -- the two leaves.
    UPDATE send SET draft = p_draft WHERE id = p_id AND account = p_account AND (draft IS NULL OR (draft <> p_draft
      AND coalesce(known, '') NOT IN ('sending', 'uncertain', 'sent') AND NOT has_active_send(send.draft, p_account, p_id)
      AND EXISTS (SELECT FROM shared_item WHERE kind = 'draft' AND shared_item.id = send.draft AND gone_at IS NOT NULL)));
  END $$;
`

/** The functions that a workstation may call. */
export const sharedItemsForStations = [
  ...[
    'save_item',
    'restore_item',
    'restore_conflict',
    'hold_item',
    'release_hold',
    'move_item',
    'remove_sent_draft',
    'report_draft_sent'
  ],
  ...['resolve_conflicts', 'items_state', 'item_changes', 'item_conflicts', 'push_send_of_draft']
] as const
