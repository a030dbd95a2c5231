/**
 * How each send leaves once: a workstation claims it, records its outcome, and concludes it if that is uncertain.
 */
export const claims = `
  -- A lost holder may have posted, so its sends become uncertain, never ready.
  CREATE FUNCTION expire_claims(p_account uuid) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    UPDATE send SET state = 'uncertain', may_have_arrived = true, uncertain_at = now() WHERE id IN (
      SELECT id FROM send WHERE account = p_account AND state = 'sending' AND lease_until < now() FOR UPDATE SKIP LOCKED);
  END $$;

  -- Claims up to p_most sends that are due, as far as the outbox allows.
  CREATE FUNCTION claim(p_account uuid, p_most integer)
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
    -- These were shown not to have arrived, and another send of the same draft has arrived, so they are cancelled.
    UPDATE send SET state = 'cancelled', concluded_at = now(), may_have_arrived = false WHERE id IN (
      SELECT one.id FROM send one WHERE one.account = p_account AND one.state = 'ready' AND one.goes_at <= now() AND one.may_have_arrived
        AND EXISTS (SELECT FROM send WHERE account = one.account AND draft = one.draft AND id <> one.id AND state = 'sent')
      FOR UPDATE SKIP LOCKED);
    RETURN QUERY
      WITH picked AS (
        SELECT id FROM send WHERE account = p_account AND state = 'ready' AND goes_at <= now()
          -- Only one of the sends of a draft leaves.
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

  -- The result of an attempt is stored for any epoch: a success proves arrival even if another workstation has the send by now. Other results
  -- count only for the current claim. Returns the send's state then.
  CREATE FUNCTION finish(p_id uuid, p_epoch integer, p_kind text, p_sealed bytea) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    IF NOT EXISTS (SELECT FROM attempt WHERE send = p_id AND epoch = p_epoch AND station = mine) THEN
      RAISE EXCEPTION 'This workstation did not have that send.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF p_kind = 'stopped' THEN
      -- The outbox is locked first, as in a claim. The pause after a restore stays, because only a person ends it.
      -- Only for the current claim: since another one, or a report whose answer was lost, someone may have resumed it.
      UPDATE outbox SET paused_by = 'service', paused_at = now()
        WHERE account = (SELECT account FROM send WHERE id = p_id AND state = 'sending' AND epoch = p_epoch)
          AND coalesce(paused_by, 'person') = 'person';
    END IF;
    INSERT INTO answer (send, epoch, kind, sealed) VALUES (p_id, p_epoch, p_kind, p_sealed) ON CONFLICT DO NOTHING;
    IF p_kind = 'accepted' THEN
      UPDATE send SET state = 'sent', concluded_at = now() WHERE id = p_id AND state <> 'sent';
      RETURN 'sent';
    END IF;
    UPDATE send SET
        state = CASE
          WHEN p_kind = 'uncertain' OR (p_kind = 'refused' AND may_have_arrived) THEN 'uncertain'
          WHEN p_kind = 'refused' THEN 'refused'
          ELSE 'ready' END,
        may_have_arrived = may_have_arrived OR p_kind = 'uncertain',
        uncertain_at = CASE WHEN p_kind = 'uncertain' OR (p_kind = 'refused' AND may_have_arrived) THEN now() END,
        concluded_at = CASE WHEN p_kind = 'refused' AND NOT may_have_arrived THEN now() END,
        attempt = CASE WHEN p_kind IN ('nothing-left', 'stopped') THEN attempt - 1 ELSE attempt END
      WHERE id = p_id AND state = 'sending' AND epoch = p_epoch;
    RETURN (SELECT state FROM send WHERE id = p_id);
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

  CREATE FUNCTION uncertain_sends(p_account uuid, p_most integer) RETURNS TABLE (id uuid, epoch integer, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT id, epoch, sealed FROM send WHERE account = p_account AND state = 'uncertain'
      ORDER BY uncertain_at LIMIT p_most;
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

  -- Records that the reconciliation didn't find an uncertain send. Returns whether it was still uncertain. It becomes ready only after there was
  -- time for two looks. It is cancelled if another send of the same draft has arrived. p_sealed: its content with what a person said, if they did.
  CREATE FUNCTION conclude(p_id uuid, p_epoch integer, p_state text, p_sealed bytea DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    rules office;
    next text := p_state;
  BEGIN
    PERFORM me();
    IF p_state NOT IN ('ready', 'refused', 'not-sent') THEN
      RAISE EXCEPTION 'There is no such end.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO rules FROM office;
    IF p_state <> 'refused' AND EXISTS (SELECT FROM send one JOIN send other ON other.account = one.account AND other.draft = one.draft
        AND other.id <> one.id WHERE one.id = p_id AND other.state = 'sent') THEN
      next := 'cancelled';
    END IF;
    UPDATE send SET state = next, uncertain_at = NULL, may_have_arrived = may_have_arrived AND next <> 'cancelled',
        sealed = coalesce(p_sealed, sealed),
        proven_until = CASE WHEN next = 'ready' THEN now() + rules.proof END,
        concluded_at = CASE WHEN next <> 'ready' THEN now() END
      WHERE id = p_id AND epoch = p_epoch AND state = 'uncertain'
        AND (p_state <> 'ready' OR uncertain_at <= now() - rules.search);
    RETURN FOUND;
  END $$;
`

export const claimsForWorkstations = [
  'expire_claims',
  'finish',
  'finish_and_claim',
  'uncertain_sends',
  'record_found',
  'conclude'
] as const
