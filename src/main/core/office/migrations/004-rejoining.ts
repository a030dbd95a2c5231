/**
 * A workstation that left and joins again is a new one to the office. What it hands over again becomes its own again,
 * so that it gets it back when it leaves again. Otherwise both the office and the workstation would send it.
 */
export const rejoining = `
  -- p_is_uncertain: it may have arrived, and the workstation doesn't know. It is searched for at once, also while the outbox is paused. On a
  -- restored server, a request of the previous life may still be in flight. p_life: see withhold.
  DROP FUNCTION push_send(uuid, uuid, bigint, bytea, safe_count, boolean);
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
          made_by = CASE WHEN it.state IN ('held', 'cancelled') THEN mine ELSE it.made_by END,
          -- Someone retries it, so its attempts are counted from 0 again.
          attempt = CASE WHEN p_is_uncertain THEN greatest(it.attempt, 1) WHEN it.state IN ('refused', 'not-sent') THEN 0 ELSE it.attempt END
        WHERE it.account = p_account AND it.revision < p_revision
          AND it.state IN ('ready', 'held', 'cancelled', 'refused', 'not-sent');
    RETURN QUERY SELECT revision, state FROM send WHERE id = p_id;
  END $$;
`
