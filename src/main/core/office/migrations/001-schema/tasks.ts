/**
 * What one workstation does at a time, apart from sends: an action on a document, which becomes uncertain if its holder
 * is gone; a turn at the counter, which becomes free; and a file that a rule saves in a shared folder, which also
 * becomes free, but stays done once saved. The sealed content of a file names it, so that one saved by a lost holder
 * can be found. The server can't read what a task is about; it has a tag made with the office's key.
 */
export const tasks = `
  CREATE TABLE task (
    kind text NOT NULL CHECK (kind IN ('action', 'turn', 'file')),
    tag bytea NOT NULL CHECK (length(tag) = 32),
    account uuid NOT NULL REFERENCES outbox,
    -- The id of the action or session that has it, or had it last.
    id uuid NOT NULL,
    holder uuid NOT NULL REFERENCES station,
    -- Increases with each claim: reports about an earlier claim decide nothing.
    epoch integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'free' CHECK (state IN ('open', 'uncertain', 'done', 'free')),
    -- When it began or ended, according to its holder.
    since timestamptz NOT NULL DEFAULT now(),
    -- When that was reported: nobody else could know of it before.
    reported_at timestamptz NOT NULL DEFAULT now(),
    until timestamptz NOT NULL DEFAULT '-infinity',
    sealed bytea,
    PRIMARY KEY (kind, tag)
  );
  CREATE INDEX task_of_account ON task (kind, account) WHERE state IN ('open', 'uncertain');
  CREATE INDEX task_ended ON task (reported_at) WHERE state = 'free' OR (state = 'done' AND kind <> 'file');
  CREATE INDEX task_names ON task (reported_at) WHERE kind = 'file' AND sealed IS NOT NULL;

  -- A lost holder may have sent a request to the service, so nobody repeats its action until the outcome is known. The other kinds had no
  -- effect, and are free.
  CREATE FUNCTION expire_tasks(p_kind text, p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    UPDATE task SET state = CASE kind WHEN 'action' THEN 'uncertain' ELSE 'free' END WHERE (kind, tag) IN (
      SELECT kind, tag FROM task WHERE kind = p_kind AND account = p_account AND state = 'open' AND until < now()
        FOR UPDATE SKIP LOCKED);
  END $$;

  -- Claims all of these or none. Returns the claimed ones, or those that another workstation has, or has done so recently that the caller
  -- couldn't know. What the caller already has is renewed. p_asked_ms: how long ago a person asked for it; p_known: the last claim of others
  -- whose outcome that person knows; p_is_again: someone has decided to repeat what is uncertain. A file is refused while another workstation
  -- has it, and once it was saved, however long ago; its name is kept for 90 days. Whoever claims a file gets what its previous holder stored.
  CREATE FUNCTION claim_tasks(p_kind text, p_account uuid, p_tags bytea[], p_id uuid, p_ms integer, p_sealed bytea,
    p_asked_ms double precision, p_known integer, p_is_again boolean)
  RETURNS TABLE (tag bytea, is_granted boolean, id uuid, epoch integer, state text, holder text, since_ms double precision, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    its task;
    refused bytea[] := '{}';
    is_news boolean := false;
  BEGIN
    IF p_ms NOT BETWEEN 100 AND 600000 OR cardinality(p_tags) NOT BETWEEN 1 AND 1000 THEN
      RAISE EXCEPTION 'There is no such claim.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- What is free on a restored server may not be.
    IF current_life() = 0 THEN
      RAISE EXCEPTION 'Nobody has noticed yet that this is a copy.' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- Existing ones are only locked, in the same step: between two, another's claim could remove one that ended long ago.
    INSERT INTO task (kind, tag, account, id, holder)
      SELECT DISTINCT p_kind, one, p_account, p_id, mine FROM unnest(p_tags) one ORDER BY one
      ON CONFLICT (kind, tag) DO UPDATE SET until = excluded.until WHERE false;
    -- Only while it holds its own rows: waiting for those while it holds others' could cause a deadlock.
    PERFORM expire_tasks(p_kind, p_account);
    DELETE FROM task WHERE (kind, tag) IN (
      SELECT kind, tag FROM task WHERE (state = 'free' OR (state = 'done' AND kind <> 'file')) AND reported_at < now() - interval '7 days'
        AND NOT (kind = p_kind AND tag = ANY (p_tags)) FOR UPDATE SKIP LOCKED);
    IF p_kind = 'file' THEN
      UPDATE task SET sealed = NULL WHERE (kind, tag) IN (
        SELECT kind, tag FROM task WHERE kind = 'file' AND sealed IS NOT NULL AND reported_at < now() - interval '90 days' AND state = 'done'
          AND NOT tag = ANY (p_tags) FOR UPDATE SKIP LOCKED);
    END IF;
    FOR its IN SELECT * FROM task WHERE kind = p_kind AND tag = ANY (p_tags) LOOP
      -- If an argument is NULL, nothing is granted.
      IF (its.account <> p_account OR NOT (CASE its.state
        WHEN 'free' THEN true
        WHEN 'open' THEN its.holder = mine AND (its.kind = 'turn' OR its.id = p_id)
        WHEN 'uncertain' THEN its.id = p_id AND (its.holder = mine OR p_is_again)
        ELSE its.id <> p_id AND (its.holder = mine OR (its.kind <> 'file' AND (its.epoch <= p_known
          OR its.reported_at < now() - greatest(p_asked_ms * interval '1 ms', interval '1 min'))))
        END)) IS NOT FALSE THEN
        refused := refused || its.tag;
      END IF;
      is_news := is_news OR its.state <> 'open' OR its.id <> p_id OR its.holder <> mine;
    END LOOP;
    IF refused = '{}' THEN
      UPDATE task SET id = p_id, holder = mine, state = 'open', until = now() + p_ms * interval '1 ms',
          sealed = CASE kind WHEN 'file' THEN coalesce(p_sealed, sealed) ELSE p_sealed END,
          -- Late reports about an action's earlier claim mustn't end this one. For the other kinds a renewal keeps the epoch.
          epoch = CASE WHEN state = 'open' AND kind <> 'action' THEN epoch ELSE epoch + 1 END,
          since = CASE WHEN state = 'open' AND id = p_id THEN since ELSE now() END
        WHERE kind = p_kind AND tag = ANY (p_tags);
      -- Only the end of a file is news to others, who ask when it is their turn.
      IF is_news AND p_kind <> 'file' THEN
        PERFORM pg_notify('countersign_tasks', p_account::text);
      END IF;
    END IF;
    RETURN QUERY SELECT it.tag, refused = '{}', it.id, it.epoch, it.state, who.name,
        1000 * extract(epoch FROM now() - it.since)::double precision, it.sealed
      FROM task it JOIN station who ON who.id = it.holder
      WHERE it.kind = p_kind AND it.tag = ANY (p_tags) AND (refused = '{}' OR it.tag = ANY (refused));
  END $$;

  -- Records how it ended and how long ago, according to its holder, or to anyone who found out about an uncertain one. Returns its state then,
  -- as of which claim, and whether that was this workstation's; no row if another claimant has it by now. A restored server that doesn't know
  -- the task stores it.
  CREATE FUNCTION finish_task(p_kind text, p_account uuid, p_tag bytea, p_id uuid, p_epoch safe_count, p_state text,
    p_ago_ms double precision, p_sealed bytea)
  RETURNS TABLE (state text, epoch integer, is_mine boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
    its task;
    ended timestamptz := now() - greatest(p_ago_ms, 0) * interval '1 ms';
    -- Once the outcome is known, nobody has to find it out. But others need to know which file it is.
    kept bytea := CASE WHEN p_state = 'uncertain' OR p_kind = 'file' THEN p_sealed END;
  BEGIN
    IF p_state NOT IN ('uncertain', 'done', 'free') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO task (kind, tag, account, id, holder, epoch, state, since, sealed)
      VALUES (p_kind, p_tag, p_account, p_id, mine, p_epoch, p_state, ended, kept)
      ON CONFLICT (kind, tag) DO UPDATE SET until = excluded.until WHERE false;
    PERFORM expire_tasks(p_kind, p_account);
    SELECT * INTO its FROM task WHERE kind = p_kind AND tag = p_tag;
    -- A file that was saved is saved, whichever claim it was, unless another workstation is saving it now.
    IF its.id <> p_id AND NOT (p_kind = 'file' AND p_state = 'done' AND its.state = 'free') THEN
      RETURN;
    END IF;
    IF its.state = 'open' AND its.holder <> mine THEN
      RAISE EXCEPTION 'Another workstation has it.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- That it is done counts whatever was assumed in the meantime; anything else counts only for its own claim. A later claim than is known
    -- here was lost when the server was restored: what isn't known of that one isn't known.
    IF its.state <> 'done' AND ((p_state = 'uncertain' AND its.epoch < p_epoch)
      OR (its.state <> p_state AND (p_state = 'done' OR (its.state <> 'free' AND its.epoch = p_epoch)))) THEN
      UPDATE task SET id = p_id, holder = CASE kind WHEN 'file' THEN mine ELSE holder END, state = p_state, since = ended, reported_at = now(),
          epoch = greatest(epoch, p_epoch),
          sealed = coalesce(kept, CASE p_state WHEN 'uncertain' THEN sealed END)
        WHERE kind = p_kind AND tag = p_tag;
      PERFORM pg_notify('countersign_tasks', p_account::text);
    END IF;
    RETURN QUERY SELECT state, epoch, holder = mine FROM task WHERE kind = p_kind AND tag = p_tag;
  END $$;

  -- Returns the tasks of an account that other workstations are doing.
  CREATE FUNCTION tasks_of_others(p_kind text, p_account uuid)
  RETURNS TABLE (tag bytea, holder text, since_ms double precision, left_ms double precision)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    RETURN QUERY SELECT it.tag, who.name, 1000 * extract(epoch FROM now() - it.since)::double precision,
        1000 * extract(epoch FROM it.until - now())::double precision
      FROM task it JOIN station who ON who.id = it.holder
      WHERE it.kind = p_kind AND it.account = p_account AND it.state = 'open' AND it.until >= now() AND it.holder <> mine;
  END $$;
`

export const tasksForWorkstations = ['claim_tasks', 'finish_task', 'tasks_of_others'] as const
