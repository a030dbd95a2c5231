/**
 * Small shared records: presets, views, people, appointments, staff. They are things like drafts, with one current
 * content and an order of changes. But no one holds them, and nothing is kept beside them: if a change doesn't derive
 * from the current content, the workstation is given that, and merges the two itself.
 */
export const records = `
  ALTER TABLE thing_feed DROP CONSTRAINT thing_feed_kind_check;
  ALTER TABLE thing_feed ADD CONSTRAINT thing_feed_kind_check
    CHECK (kind IN ('draft', 'preset', 'view', 'person', 'appointment', 'staff'));

  -- From when on nobody needs it: it is erased then, by the server's clock.
  ALTER TABLE thing ADD COLUMN until timestamptz;
  -- What it was as its base_round: what who tells a server again, that was put back, has in common with what was changed since.
  ALTER TABLE thing ADD COLUMN base_sealed bytea;
  CREATE INDEX thing_by_until ON thing (kind, account, until) WHERE until IS NOT NULL;

  -- What nobody needs any more goes. Up to where changes of each kind have come; a row of no kind says which life it is.
  CREATE FUNCTION records_state(p_account uuid) RETURNS TABLE (kind text, rev double precision, life integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    its_life integer := current_life();
  BEGIN
    IF EXISTS (SELECT FROM thing WHERE account = p_account AND until < now()) THEN
      -- Those who change one have this lock, too.
      PERFORM FROM thing_feed WHERE account = p_account
        AND kind IN (SELECT kind FROM thing WHERE account = p_account AND until < now()) ORDER BY kind FOR UPDATE;
      DELETE FROM thing WHERE account = p_account AND until < now();
    END IF;
    RETURN QUERY SELECT '', 0::double precision, its_life
      UNION ALL SELECT kind, rev::double precision, its_life FROM thing_feed WHERE account = p_account;
  END $$;

  -- More is known of what is in what counts, or is kept beside it: others read that, or they would tell what they have of it as one more. That it is
  -- no more they hear as it ended, and no later: another of its name that was made since would change theirs first.
  CREATE FUNCTION note_marks(p_thing thing, p_marks text[], p_is_known boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    marks text[] := last_marks(p_thing.earlier || p_marks, p_thing.version);
    its bigint := p_thing.rev;
  BEGIN
    IF p_is_known AND marks <> p_thing.earlier THEN
      IF p_thing.gone_at IS NULL THEN
        its := next_thing_rev(p_thing.kind, p_thing.account);
      END IF;
      UPDATE thing SET rev = its, earlier = marks WHERE kind = p_thing.kind AND id = p_thing.id;
    END IF;
  END $$;

  -- Saves or ends some of one kind, each by itself. newest: it counts. gone: there is none any more. beside: another content counts, which is
  -- answered. older: of what a server that was put back is told again (p_rounds), that it has a later one. over: it counted, until another
  -- went on from it. elsewhere: another account has that id.
  -- p_is_untold: it was changed since this server had it, so it is told as a change of this life: what another tells as later than what it goes on
  -- from is put together with it, and doesn't take its place.
  -- p_lineages: which contents are in it, by their marks, as far as who tells it knows. Of two of which neither is in the other, as after a server was
  -- put back twice, neither takes the other's place.
  -- p_life: the one of which all is known to who asks.
  -- Without a body it ends; p_is_final: whatever the content. What has ended stays so, unless it is given by one who knows of that end.
  CREATE FUNCTION put_records(p_kind text, p_account uuid, p_ids text[], p_versions uuid[], p_based_on text[], p_sealed bytea[],
    p_is_final boolean[], p_rounds counted[], p_is_untold boolean[], p_until_ms double precision[], p_base bytea[],
    p_lineages text[] DEFAULT NULL, p_life integer DEFAULT NULL)
  RETURNS TABLE (id text, outcome text, version uuid, round integer, by text, lineage text[], sealed bytea, base bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    now_life integer := (SELECT life FROM office);
    next bigint;
    its thing;
    came text;
    before integer;
    is_known boolean;
    is_before boolean;
    is_end boolean;
    ends timestamptz;
    marks text[];
  BEGIN
    IF p_kind = 'draft' THEN
      RAISE EXCEPTION 'Drafts have rules of their own.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM only_in(p_life);
    next := next_thing_rev(p_kind, p_account);
    DELETE FROM thing WHERE kind = p_kind AND account = p_account AND until < now();
    FOR n IN 1..cardinality(p_ids) LOOP
      IF EXISTS (SELECT FROM thing WHERE kind = p_kind AND id = p_ids[n] AND account <> p_account) THEN
        RETURN QUERY SELECT p_ids[n], 'elsewhere', p_versions[n], 0, NULL::text, NULL::text[], NULL::bytea, NULL::bytea;
        CONTINUE;
      END IF;
      its := thing_of(p_kind, p_ids[n], p_account);
      is_end := p_sealed[n] IS NULL;
      -- The list of staff only ever changes: an end of it, or a time at which it ends, would take names, roles and PINs from every workstation.
      IF p_kind = 'staff' AND (is_end OR p_until_ms[n] IS NOT NULL) THEN
        RAISE EXCEPTION 'Staff are not removed as a whole.' USING ERRCODE = 'invalid_parameter_value';
      END IF;
      is_known := p_rounds[n] IS NOT NULL;
      is_before := is_known AND NOT p_is_untold[n];
      -- How many it had before the server was put back, of which alone those who tell again speak.
      before := CASE WHEN its.life < now_life THEN its.round ELSE its.base_round END;
      -- As many as a workstation has, and no more.
      marks := last_marks(string_to_array(left(coalesce(p_lineages[n], ''), 1200), ','), p_versions[n]);
      ends := now() + p_until_ms[n] * interval '1 ms';
      came := CASE WHEN is_end THEN 'gone' ELSE 'newest' END;
      IF ends < now() THEN
        came := 'gone';
      ELSIF its.id IS NULL THEN
        next := next_thing_rev(p_kind, p_account);
        INSERT INTO thing (kind, id, account, rev, body_rev, version, round, life, base_round, base_sealed, earlier, made_by, by, sealed, gone_at,
            until)
          VALUES (p_kind, p_ids[n], p_account, next, next, p_versions[n], coalesce(p_rounds[n], 1), now_life - is_before::integer,
            CASE WHEN p_is_untold[n] THEN p_rounds[n] - 1 ELSE 0 END,
            CASE WHEN p_is_untold[n] AND NOT is_end THEN p_base[n] END, marks, mine, mine, p_sealed[n], CASE WHEN is_end THEN now() END, ends);
      ELSIF its.version = p_versions[n] THEN
        came := CASE WHEN its.gone_at IS NULL THEN 'newest' ELSE 'gone' END;
        PERFORM note_marks(its, marks, is_known);
        -- Nothing but up to where it had come before the server was put back: who has that, too, has nothing to add to it.
        UPDATE thing SET base_round = p_rounds[n] - 1, base_sealed = CASE WHEN gone_at IS NULL THEN p_base[n] END
          WHERE p_is_untold[n] AND kind = p_kind AND id = p_ids[n] AND life = now_life AND base_round < p_rounds[n] - 1;
      ELSIF is_marked(its.earlier, p_versions[n]) THEN
        came := 'over';
        -- What is in it, or was kept beside it, is so of what counts.
        PERFORM note_marks(its, marks, is_known);
      -- What counts may be in it for all that its number is no greater, where what it has in it was told it later.
      ELSIF p_rounds[n] <= before
          AND NOT (is_before AND (is_marked(marks, its.version) OR is_apart(its.earlier, p_rounds[n], p_versions[n]))) THEN
        came := 'older';
      ELSIF its.version = ANY (string_to_array(p_based_on[n], ',')::uuid[])
          OR (is_end AND p_is_final[n] AND its.gone_at IS NULL)
          OR (is_known AND is_end AND p_kind = 'person')
          OR (is_before AND its.life < now_life AND is_marked(marks, its.version))
          OR (p_rounds[n] > before AND its.life < now_life AND NOT is_apart(marks, its.round, its.version)) THEN
        next := next_thing_rev(p_kind, p_account);
        UPDATE thing SET rev = next, body_rev = next, version = p_versions[n],
            earlier = last_marks(marks || CASE WHEN is_before AND NOT is_marked(marks, its.version) THEN '{}'
              ELSE its.earlier || mark_of(its.round, its.version) END, p_versions[n]),
            round = CASE WHEN is_before THEN p_rounds[n] ELSE greatest(p_rounds[n], round + 1) END,
            life = CASE WHEN is_before THEN life ELSE now_life END,
            base_round = CASE WHEN p_is_untold[n] THEN greatest(before, p_rounds[n] - 1)
              WHEN NOT is_known AND life < now_life THEN round ELSE base_round END,
            base_sealed = CASE WHEN is_end THEN NULL WHEN p_is_untold[n] THEN p_base[n]
              WHEN NOT is_known AND life < now_life THEN sealed ELSE base_sealed END,
            by = mine, at = now(), sealed = p_sealed[n], gone_at = CASE WHEN is_end THEN now() END,
            -- As the one who changed it last has it. That someone was forgotten is kept, or a workstation that was away would bring them back.
            until = CASE WHEN NOT is_end THEN ends WHEN p_kind <> 'person' THEN until END
          WHERE kind = p_kind AND id = p_ids[n];
      ELSE
        came := CASE WHEN its.gone_at IS NULL THEN 'beside' ELSE 'gone' END;
      END IF;
      RETURN QUERY SELECT asked.id, came, coalesce(it.version, p_versions[n]), coalesce(it.round, 0), station.name,
          CASE WHEN it.id IS NOT NULL THEN it.earlier || mark_of(it.round, it.version) END,
          CASE WHEN came = 'beside' THEN it.sealed END,
          CASE WHEN came = 'beside' AND is_known THEN it.base_sealed END
        FROM (SELECT p_ids[n] AS id) asked LEFT JOIN thing it ON it.kind = p_kind AND it.id = asked.id
          LEFT JOIN station ON station.id = it.by;
    END LOOP;
  END $$;
`

/** The functions that a workstation may call. */
export const recordsForStations = ['records_state', 'put_records'] as const
