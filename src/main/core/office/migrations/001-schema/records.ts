/**
 * Small shared records: presets, views, people, appointments, staff. They are items like drafts, with one current
 * content and an order of changes. But no one holds them, and nothing is kept beside them: if a change doesn't derive
 * from the current content, the workstation is given that, and merges the two itself.
 */
export const records = `
  -- Deletes what has expired. Returns the sequence of the last change of each kind; a row without a kind has the life.
  CREATE FUNCTION records_state(p_account uuid) RETURNS TABLE (kind text, seq double precision, life integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    its_life integer := current_life();
  BEGIN
    IF EXISTS (SELECT FROM shared_item WHERE account = p_account AND expires_at < now()) THEN
      -- Whoever changes an item takes this lock, too.
      PERFORM FROM shared_item_feed WHERE account = p_account
        AND kind IN (SELECT kind FROM shared_item WHERE account = p_account AND expires_at < now()) ORDER BY kind FOR UPDATE;
      DELETE FROM shared_item WHERE account = p_account AND expires_at < now();
    END IF;
    RETURN QUERY SELECT '', 0::double precision, its_life
      UNION ALL SELECT kind, seq::double precision, its_life FROM shared_item_feed WHERE account = p_account;
  END $$;

  -- Saves or ends records of one kind, each on its own. newest: it is now current. gone: the record no longer exists. conflict: another
  -- content is current, which is returned. older: a restored server has a later one than the one it is told (p_revisions). superseded: it was
  -- current until another content derived from it. other-account: another account has this id. p_is_changed_since: it was changed since this
  -- server had it, so it counts as a change of this life. A later content that another workstation restores is merged with it, and doesn't
  -- replace it. p_lineages: the marks of the contents in it, as far as known. If neither of two contents is in the other, for example after
  -- two restores, neither replaces the other. p_life: the life of which everything is known to the caller. Without a body the record ends;
  -- p_is_final: whatever its content, and what others changed meanwhile ends, too. A record that has ended stays so, unless it is pushed by
  -- someone who knows of that.
  CREATE FUNCTION put_records(p_kind text, p_account uuid, p_ids text[], p_versions uuid[], p_based_on text[], p_sealed bytea[],
    p_is_final boolean[], p_revisions safe_count[], p_is_changed_since boolean[], p_expires_ms double precision[], p_base bytea[],
    p_lineages text[] DEFAULT NULL, p_life integer DEFAULT NULL)
  RETURNS TABLE (id text, outcome text, version uuid, revision integer, by text, lineage text[], is_final_end boolean, sealed bytea, base bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    now_life integer := (SELECT life FROM office);
    next bigint;
    its shared_item;
    result text;
    before integer;
    is_retold boolean;
    is_from_before boolean;
    is_end boolean;
    ends timestamptz;
    marks text[];
  BEGIN
    IF p_kind = 'draft' THEN
      RAISE EXCEPTION 'Drafts have rules of their own.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM assert_life(p_life);
    next := next_item_seq(p_kind, p_account);
    DELETE FROM shared_item WHERE kind = p_kind AND account = p_account AND expires_at < now();
    FOR n IN 1..cardinality(p_ids) LOOP
      IF EXISTS (SELECT FROM shared_item WHERE kind = p_kind AND id = p_ids[n] AND account <> p_account) THEN
        RETURN QUERY SELECT p_ids[n], 'other-account', p_versions[n], 0, NULL::text, NULL::text[], false, NULL::bytea, NULL::bytea;
        CONTINUE;
      END IF;
      its := item_of(p_kind, p_ids[n], p_account);
      is_end := p_sealed[n] IS NULL;
      -- The list of staff can only change: ending it, or letting it expire, would take names, roles and PINs from every workstation.
      IF p_kind = 'staff' AND (is_end OR p_expires_ms[n] IS NOT NULL) THEN
        RAISE EXCEPTION 'Staff are not removed as a whole.' USING ERRCODE = 'invalid_parameter_value';
      END IF;
      is_retold := p_revisions[n] IS NOT NULL;
      is_from_before := is_retold AND NOT p_is_changed_since[n];
      -- The revision before the restore, which alone is meant by those who restore a content.
      before := CASE WHEN its.life < now_life THEN its.revision ELSE its.base_revision END;
      -- As many marks as a workstation keeps.
      marks := last_marks(string_to_array(left(coalesce(p_lineages[n], ''), 1200), ','), p_versions[n]);
      ends := now() + p_expires_ms[n] * interval '1 ms';
      result := CASE WHEN is_end THEN 'gone' ELSE 'newest' END;
      IF ends < now() THEN
        result := 'gone';
      ELSIF its.id IS NULL THEN
        next := next_item_seq(p_kind, p_account);
        INSERT INTO shared_item (kind, id, account, seq, body_seq, version, revision, life, base_revision, base_sealed, ancestors, made_by, by, sealed, gone_at,
            is_final_end, expires_at)
          VALUES (p_kind, p_ids[n], p_account, next, next, p_versions[n], coalesce(p_revisions[n], 1), now_life - is_from_before::integer,
            CASE WHEN p_is_changed_since[n] THEN p_revisions[n] - 1 ELSE 0 END,
            CASE WHEN p_is_changed_since[n] AND NOT is_end THEN p_base[n] END, marks, mine, mine, p_sealed[n], CASE WHEN is_end THEN now() END,
            is_end AND (p_is_final[n] OR is_retold), ends);
      ELSIF its.version = p_versions[n] THEN
        result := CASE WHEN its.gone_at IS NULL THEN 'newest' ELSE 'gone' END;
        PERFORM add_to_lineage(its, marks, is_retold);
        -- Only the base from before the restore is updated: a workstation that has the same has nothing to add to it.
        UPDATE shared_item SET base_revision = p_revisions[n] - 1, base_sealed = CASE WHEN gone_at IS NULL THEN p_base[n] END
          WHERE p_is_changed_since[n] AND kind = p_kind AND id = p_ids[n] AND life = now_life AND base_revision < p_revisions[n] - 1;
      ELSIF lineage_has(its.ancestors, p_versions[n]) THEN
        result := 'superseded';
        -- What is in this content is in the current one, too.
        PERFORM add_to_lineage(its, marks, is_retold);
      -- The current content may be in this one although its revision is no smaller, if what was merged into it was told later.
      ELSIF p_revisions[n] <= before
          AND NOT (is_from_before AND (lineage_has(marks, its.version) OR lineage_lacks(its.ancestors, p_revisions[n], p_versions[n]))) THEN
        result := 'older';
      ELSIF its.version = ANY (string_to_array(p_based_on[n], ',')::uuid[])
          OR (is_end AND p_is_final[n] AND NOT its.is_final_end)
          -- If two tell that they ended it, the first counts. Otherwise the one that forgot them would take them for known again.
          OR (is_retold AND is_end AND its.gone_at IS NULL AND p_kind = 'person')
          OR (is_from_before AND its.life < now_life AND lineage_has(marks, its.version))
          OR (p_revisions[n] > before AND its.life < now_life AND NOT lineage_lacks(marks, its.revision, its.version)) THEN
        next := next_item_seq(p_kind, p_account);
        UPDATE shared_item SET seq = next, body_seq = next, version = p_versions[n],
            ancestors = last_marks(marks || CASE WHEN is_from_before AND NOT lineage_has(marks, its.version) THEN '{}'
              ELSE its.ancestors || mark_of(its.revision, its.version) END, p_versions[n]),
            revision = CASE WHEN is_from_before THEN p_revisions[n] ELSE greatest(p_revisions[n], revision + 1) END,
            life = CASE WHEN is_from_before THEN life ELSE now_life END,
            base_revision = CASE WHEN p_is_changed_since[n] THEN greatest(before, p_revisions[n] - 1)
              WHEN NOT is_retold AND life < now_life THEN revision ELSE base_revision END,
            base_sealed = CASE WHEN is_end THEN NULL WHEN p_is_changed_since[n] THEN p_base[n]
              WHEN NOT is_retold AND life < now_life THEN sealed ELSE base_sealed END,
            by = mine, at = now(), sealed = p_sealed[n], gone_at = CASE WHEN is_end THEN now() END,
            is_final_end = is_end AND (p_is_final[n] OR is_retold),
            -- As the workstation that changed it last says. That a person was forgotten is kept, or a workstation that was away would bring them back.
            expires_at = CASE WHEN NOT is_end THEN ends WHEN p_kind <> 'person' THEN expires_at END
          WHERE kind = p_kind AND id = p_ids[n];
      ELSE
        result := CASE WHEN its.gone_at IS NULL THEN 'conflict' ELSE 'gone' END;
      END IF;
      RETURN QUERY SELECT asked.id, result, coalesce(it.version, p_versions[n]), coalesce(it.revision, 0), station.name,
          CASE WHEN it.id IS NOT NULL THEN it.ancestors || mark_of(it.revision, it.version) END,
          coalesce(it.is_final_end OR it.gone_at IS NULL, true),
          CASE WHEN result = 'conflict' THEN it.sealed END,
          CASE WHEN result = 'conflict' AND is_retold THEN it.base_sealed END
        FROM (SELECT p_ids[n] AS id) asked LEFT JOIN shared_item it ON it.kind = p_kind AND it.id = asked.id
          LEFT JOIN station ON station.id = it.by;
    END LOOP;
  END $$;
`

export const recordsForWorkstations = ['records_state', 'put_records'] as const
