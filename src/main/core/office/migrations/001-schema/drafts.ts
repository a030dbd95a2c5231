/**
 * Shared drafts, the shared items that aren't changed by put_records. A save names the content that it derives from. If
 * that isn't the current one, or someone else is editing, the current one stays, and the other is kept beside it. Nothing
 * is merged, and nothing that was saved is overwritten unseen.
 */
export const drafts = `
  CREATE FUNCTION is_held_by_another(p_item shared_item) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN coalesce(p_item.editing_by <> me() AND p_item.editing_until >= now(), false);
  END $$;

  -- Whether someone deleted it: it neither went with a send nor belongs to its maker alone.
  CREATE FUNCTION was_deleted(p_item shared_item) RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT p_item.gone_at IS NOT NULL AND p_item.gone_with_send IS NULL AND NOT p_item.is_makers_own
  $$;

  -- Saves a content. newest: it is now current. conflict: it doesn't derive from the current one, and is kept beside it. contained: the current one
  -- derives from it. gone: the draft no longer exists. sent: the draft is being sent, and may still be taken back. Repeating a version repeats the
  -- same save. If p_hold_ms is given, a save that becomes current holds the draft for so long. p_own_sends: the workstation's own sends of this
  -- draft that didn't arrive, as far as it knows. p_revision: the revision it derives from; a restored server has an earlier one, or none.
  -- p_life: the life of which everything is known to the caller.
  CREATE FUNCTION save_item(p_id text, p_account uuid, p_version uuid, p_based_on uuid[], p_sealed bytea, p_hold_ms integer,
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
    PERFORM assert_life(p_life);
    next := next_item_seq('draft', p_account);
    its := item_of('draft', p_id, p_account);
    IF its.id IS NULL THEN
      INSERT INTO shared_item (kind, id, account, seq, body_seq, version, revision, base_revision, life, made_by, by, sealed, editing_by, editing_until)
        VALUES ('draft', p_id, p_account, next, next, p_version, greatest(p_revision, 0) + 1, greatest(p_revision, 0), now_life, mine, mine, p_sealed,
          CASE WHEN held IS NOT NULL THEN mine END, held);
    ELSIF its.gone_at IS NOT NULL AND (its.is_makers_own AND its.made_by = mine OR is_back_from_send(its, p_own_sends)) THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = greatest(revision, p_revision) + 1,
          life = now_life, base_revision = CASE WHEN life < now_life THEN revision ELSE base_revision END,
          by = mine, at = now(), sealed = p_sealed, gone_at = NULL, is_makers_own = false, gone_with_send = NULL, is_split_off = false,
          deleted_revision = 0, deleted_version = NULL, ancestors = '{}'
        WHERE kind = 'draft' AND id = p_id;
    ELSIF its.gone_at IS NOT NULL THEN
      -- The send that it went with is being retried, or has arrived, so it isn't another draft.
      result := CASE WHEN its.gone_with_send = ANY (p_own_sends) AND has_active_send(p_id, p_account, NULL) THEN 'sent' ELSE 'gone' END;
    ELSIF its.version = p_version THEN
      NULL;
    ELSIF has_active_send(p_id, p_account, NULL) THEN
      -- It is sent as it is. What is written from now on becomes another draft.
      result := CASE WHEN EXISTS (SELECT FROM send WHERE account = p_account AND draft = p_id AND state = 'sent')
        THEN 'gone' ELSE 'sent' END;
    ELSIF its.version = ANY (p_based_on) AND NOT is_held_by_another(its) THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = greatest(revision, p_revision) + 1,
          life = now_life, base_revision = CASE WHEN life < now_life THEN revision ELSE base_revision END,
          by = mine, at = now(), sealed = p_sealed, ancestors = last_marks(ancestors || mark_of(revision, version), p_version),
          editing_by = CASE WHEN held IS NOT NULL THEN mine ELSE editing_by END, editing_until = coalesce(held, editing_until)
        WHERE kind = 'draft' AND id = p_id;
    ELSE
      -- If the current content derives from it, only its answer was lost.
      result := CASE WHEN lineage_has(its.ancestors, p_version) THEN 'contained' ELSE 'conflict' END;
      IF result = 'conflict' THEN
        INSERT INTO shared_item_conflict (kind, id, version, by, sealed) VALUES ('draft', p_id, p_version, mine, p_sealed)
          ON CONFLICT DO NOTHING;
        UPDATE shared_item SET seq = next WHERE kind = 'draft' AND id = p_id;
      END IF;
    END IF;
    RETURN QUERY SELECT result, it.version, it.revision, 1000 * extract(epoch FROM now() - it.at)::double precision, station.name,
        CASE WHEN result IN ('conflict', 'contained') THEN it.sealed END,
        CASE WHEN result = 'sent' THEN (SELECT id FROM send WHERE account = p_account AND draft = p_id
          AND state IN ('ready', 'sending', 'uncertain', 'sent') LIMIT 1) END
      FROM shared_item it JOIN station ON station.id = it.by WHERE it.kind = 'draft' AND it.id = p_id;
  END $$;

  -- Tells a restored server a content that it had. Of contents from before the restore the later one is current; older: the server has a later
  -- one already. Between two of the same revision, or if something was saved since the restore, the server's stays current, and this one
  -- becomes a conflict. Otherwise as save_item. split-off: as gone, because the draft was sent without this content, or deleted by someone who
  -- hadn't seen it.
  CREATE FUNCTION restore_item(p_id text, p_account uuid, p_version uuid, p_revision safe_count, p_sealed bytea, p_own_sends uuid[] DEFAULT '{}')
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
    next := next_item_seq('draft', p_account);
    its := item_of('draft', p_id, p_account);
    IF its.id IS NULL THEN
      INSERT INTO shared_item (kind, id, account, seq, body_seq, version, revision, life, made_by, by, sealed)
        VALUES ('draft', p_id, p_account, next, next, p_version, p_revision, now_life - 1, mine, mine, p_sealed);
    ELSIF its.gone_at IS NULL AND its.version <> p_version
        AND (p_revision < its.revision AND its.life < now_life OR p_revision <= its.base_revision) THEN
      RETURN QUERY SELECT 'older', its.version, its.revision, 0::double precision, '', NULL::bytea, NULL::uuid;
      RETURN;
    ELSIF its.gone_at IS NULL AND p_revision > its.revision AND its.life < now_life THEN
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = p_revision, by = mine,
          at = now(), sealed = p_sealed, trashed_at = NULL, ancestors = '{}'
        WHERE kind = 'draft' AND id = p_id;
    ELSIF its.gone_at IS NOT NULL AND its.gone_with_send IS NOT NULL AND its.life < now_life AND p_revision > its.revision
        AND NOT has_active_send(p_id, p_account, NULL) THEN
      -- It had come back since: see is_back_from_send.
      UPDATE shared_item SET seq = next, body_seq = next, version = p_version, revision = p_revision, by = mine,
          at = now(), sealed = p_sealed, gone_at = NULL, gone_with_send = NULL, deleted_revision = 0, deleted_version = NULL,
          ancestors = '{}'
        WHERE kind = 'draft' AND id = p_id;
    END IF;
    -- The person who deleted it hadn't seen this content: it has a later revision, or is another content of the same revision.
    is_unseen := was_deleted(its) AND NOT has_active_send(p_id, p_account, NULL)
      AND p_version <> its.version AND p_version IS DISTINCT FROM its.deleted_version
      AND p_revision >= CASE WHEN its.deleted_version IS NULL THEN its.deleted_revision + 1 ELSE its.deleted_revision END;
    RETURN QUERY SELECT CASE WHEN it.outcome = 'gone' AND (is_unseen OR was_sent_without(p_id, p_account, p_version, p_revision)) THEN 'split-off'
          ELSE it.outcome END, it.version, it.revision, it.at_ms, it.by, it.sealed, it.sent_as
      FROM save_item(p_id, p_account, p_version, '{}', p_sealed, NULL, p_own_sends, p_revision - 1) it;
  END $$;

  -- Tells a restored server a conflict that is unresolved as far as the workstation knows. The draft can't be sent or deleted until it is
  -- resolved. Returns whether it was stored: not if the draft is gone or being sent.
  CREATE FUNCTION restore_conflict(p_id text, p_account uuid, p_version uuid, p_sealed bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint;
    its shared_item;
  BEGIN
    next := next_item_seq('draft', p_account);
    its := item_of('draft', p_id, p_account);
    IF its.id IS NULL OR its.gone_at IS NOT NULL OR has_active_send(p_id, p_account, NULL) THEN
      RETURN false;
    ELSIF its.version = p_version THEN
      RETURN true;
    END IF;
    INSERT INTO shared_item_conflict (kind, id, version, by, sealed) VALUES ('draft', p_id, p_version, me(), p_sealed) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      UPDATE shared_item SET seq = next WHERE kind = 'draft' AND id = p_id;
    END IF;
    RETURN true;
  END $$;

  -- Marks these conflicts as resolved.
  CREATE FUNCTION resolve_conflicts(p_id text, p_account uuid, p_versions uuid[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq('draft', p_account);
  BEGIN
    PERFORM item_of('draft', p_id, p_account);
    UPDATE shared_item_conflict SET is_resolved = true
      WHERE kind = 'draft' AND id = p_id AND version = ANY (p_versions) AND NOT is_resolved;
    IF FOUND THEN
      UPDATE shared_item SET seq = next WHERE kind = 'draft' AND id = p_id;
    END IF;
  END $$;
`

export const draftsForWorkstations = ['save_item', 'restore_item', 'restore_conflict', 'resolve_conflicts'] as const
