/**
 * Who edits a shared draft at the moment, and where it is: among the drafts, in the trash, or gone. Nobody takes a draft
 * away from someone who is editing it, or deletes what they haven't seen.
 */
export const movingDrafts = `
  -- Holds a draft for this workstation, which edits it or takes it over from another. Returns who holds it then.
  CREATE FUNCTION hold_item(p_id text, p_account uuid, p_ms integer, p_takes_over boolean)
  RETURNS TABLE (name text, is_me boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
  BEGIN
    IF p_ms IS NULL OR p_ms NOT BETWEEN 100 AND 600000 THEN
      RAISE EXCEPTION 'Nothing is held for so long.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    next := next_item_seq('draft', p_account);
    its := item_of('draft', p_id, p_account);
    IF p_takes_over OR NOT is_held_by_another(its) THEN
      UPDATE shared_item SET seq = next, editing_by = mine, editing_until = now() + p_ms * interval '1 ms'
        WHERE kind = 'draft' AND id = p_id AND gone_at IS NULL;
    END IF;
    RETURN QUERY SELECT station.name, station.id = mine FROM shared_item JOIN station ON station.id = editing_by
      WHERE kind = 'draft' AND shared_item.id = p_id AND gone_at IS NULL;
  END $$;

  CREATE FUNCTION release_hold(p_id text, p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    next bigint := next_item_seq('draft', p_account);
  BEGIN
    UPDATE shared_item SET seq = next, editing_by = NULL, editing_until = NULL
      WHERE kind = 'draft' AND id = p_id AND account = p_account AND editing_by = me();
  END $$;

  -- Moves a draft to the trash, out of it, out of it for good, or back to the workstation that created it, to which alone it belongs then.
  -- Returns whether it is there now. The caller must know the current content, nobody else may be editing it, it can't be deleted while it
  -- has unresolved conflicts, and it goes back to nobody while it is being sent. A restored server may have an earlier revision of it.
  CREATE FUNCTION move_item(p_id text, p_account uuid, p_based_on uuid[], p_revision safe_count, p_to text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    next bigint;
    its shared_item;
    now_life integer := (SELECT life FROM office);
    is_earlier boolean;
    is_since boolean;
  BEGIN
    IF p_to NOT IN ('trash', 'back', 'gone', 'maker') THEN
      RAISE EXCEPTION 'There is no such place.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    next := next_item_seq('draft', p_account);
    its := item_of('draft', p_id, p_account);
    IF was_deleted(its) AND p_to = 'gone' AND p_revision > its.deleted_revision THEN
      -- Someone else had deleted it, too, and had seen a later revision.
      UPDATE shared_item SET deleted_revision = p_revision, deleted_version = p_based_on[cardinality(p_based_on)] WHERE kind = 'draft' AND id = p_id;
    END IF;
    IF its.id IS NULL OR its.gone_at IS NOT NULL THEN
      RETURN p_to IN ('gone', 'maker');
    END IF;
    is_earlier := its.life < now_life AND its.revision <= p_revision;
    -- Contents saved since the restore say nothing about those from before.
    is_since := its.life = now_life AND its.base_revision > 0;
    -- Without a base, the caller doesn't know the current content.
    IF (NOT (its.version = ANY (p_based_on) OR is_earlier) OR is_held_by_another(its)
        OR (p_to = 'gone' AND its.trashed_at IS NULL AND NOT is_earlier)
        OR (p_to = 'maker' AND (its.made_by <> mine OR (has_active_send(p_id, p_account, NULL) AND NOT is_earlier)))
        OR (p_to IN ('gone', 'maker') AND has_open_conflicts('draft', p_id))) IS NOT FALSE THEN
      RETURN false;
    END IF;
    IF p_to IN ('gone', 'maker') THEN
      PERFORM remove_item('draft', p_id, next);
      -- A restored server may be told contents that the person who deletes it hasn't seen: see restore_item.
      -- A draft whose send may leave isn't deleted by anyone: a workstation knows that it went with that send. It may know that of a send that a
      -- restored server has already found not to have arrived.
      UPDATE shared_item SET is_makers_own = p_to = 'maker', is_split_off = false,
          gone_with_send = CASE WHEN p_to = 'gone' THEN (SELECT id FROM send WHERE account = p_account AND draft = p_id
            AND (state IN ('ready', 'sending', 'uncertain') OR (state = 'not-sent' AND its.life < now_life)) LIMIT 1) END,
          deleted_revision = CASE WHEN is_since THEN its.base_revision ELSE greatest(its.revision, p_revision) END,
          deleted_version = CASE WHEN is_since THEN NULL WHEN p_revision > its.revision THEN p_based_on[cardinality(p_based_on)] ELSE its.version END
        WHERE kind = 'draft' AND id = p_id;
    ELSE
      UPDATE shared_item SET seq = next, trashed_at = CASE WHEN p_to = 'trash' THEN coalesce(trashed_at, now()) END,
          editing_by = NULL, editing_until = NULL
        WHERE kind = 'draft' AND id = p_id;
    END IF;
    RETURN true;
  END $$;
`

export const movingDraftsForWorkstations = ['hold_item', 'release_hold', 'move_item'] as const
