/**
 * What a draft's sends mean for it: only one of them leaves, what is written meanwhile becomes another draft, and the
 * draft goes once it was sent.
 */
const relations = `
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

  -- Whether a draft was sent without this content, as far as is known. Contents saved since the restore don't contain it, unless it is from
  -- before the restored state. Otherwise the send has an earlier revision, or another content of the same revision.
  CREATE FUNCTION was_sent_without(p_draft text, p_account uuid, p_version uuid, p_revision integer) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM send, shared_item WHERE send.account = p_account AND draft = p_draft AND state = 'sent'
      AND kind = 'draft' AND shared_item.id = p_draft AND draft_revision > 0 AND p_version <> ALL (draft_versions)
      AND p_revision >= CASE WHEN base_revision > 0 AND life = (SELECT life FROM office) THEN base_revision + 1 ELSE draft_revision END);
  END $$;

  -- Whether a draft has a content other than these that isn't an earlier one: a restored server may have an earlier one. p_revision: the
  -- revision of these contents; if 0, contents from previous lives don't count.
  CREATE FUNCTION has_diverged(p_item shared_item, p_versions uuid[], p_revision integer) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = office, pg_temp AS $$
    SELECT p_item.gone_at IS NULL AND (p_item.version = ANY (p_versions)) IS NOT TRUE
      AND (p_item.life = (SELECT life FROM office) OR (p_revision > 0 AND p_item.revision >= p_revision))
  $$;

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
`

const functions = `
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

  -- Removes a draft that was sent according to a send that the office has, or that goes along with its send because the workstation leaves.
  -- Other sends of it that haven't started are cancelled. A draft that would go along stays if another workstation has written on it since;
  -- p_based_on: the content that the send has. A restored server may not have the draft: then only its removal is stored. A send that may have
  -- arrived goes along in the same step, so that at no moment its draft can be sent without it.
  CREATE FUNCTION remove_sent_draft(p_id text, p_account uuid, p_send uuid, p_based_on uuid[] DEFAULT '{}') RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq('draft', p_account);
    its shared_item;
    now_state text;
  BEGIN
    its := item_of('draft', p_id, p_account);
    PERFORM FROM send WHERE id = p_send AND account = p_account AND coalesce(draft, p_id) = p_id
      AND (state = 'sent' OR ((state = 'held' OR (state = 'uncertain' AND cardinality(p_based_on) > 0)) AND made_by = me()
        AND (its.id IS NULL OR its.gone_at IS NOT NULL OR (its.version = ANY (p_based_on) AND NOT has_open_conflicts('draft', p_id)))));
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    -- A send can't take the draft along while another one of it is in flight, may have been sent, or was sent. A claim that comes meanwhile has
    -- ended or skips these.
    PERFORM FROM send WHERE account = p_account AND (draft = p_id OR id = p_send) ORDER BY id FOR UPDATE;
    SELECT state INTO now_state FROM send WHERE id = p_send;
    IF now_state NOT IN ('sent', 'held', 'uncertain') OR (now_state <> 'sent' AND EXISTS (SELECT FROM send
        WHERE account = p_account AND draft = p_id AND id <> p_send
          AND (state IN ('sending', 'uncertain', 'sent') OR (state = 'ready' AND may_have_arrived)))) THEN
      RETURN false;
    END IF;
    UPDATE send SET state = 'held', revision = revision + 1 WHERE id = p_send AND state = 'uncertain';
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
    -- Those that may be cancelled are locked before the feed, as wherever several sends are changed.
    PERFORM FROM send WHERE account = p_account AND (id = p_id OR draft = p_draft OR draft = ANY (p_versions::text[])) ORDER BY id FOR UPDATE;
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
`

export const sendsOfDrafts = [relations, functions].join('')

export const sendsOfDraftsForWorkstations = ['push_send_of_draft', 'remove_sent_draft', 'report_draft_sent'] as const
