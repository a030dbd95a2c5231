/**
 * A workstation that left and joins again is a new one to the office. What it hands over again becomes its own again,
 * so that it gets it back when it leaves again. Otherwise both the office and the workstation would send it.
 */
export const rejoining = `
  CREATE OR REPLACE FUNCTION push_send(p_id uuid, p_account uuid, p_in_ms bigint, p_sealed bytea, p_revision safe_count, p_may_have_arrived boolean)
  RETURNS TABLE (revision integer, state text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    INSERT INTO send AS it (id, account, goes_at, made_by, sealed, revision, may_have_arrived)
      VALUES (p_id, p_account, now() + p_in_ms * interval '1 ms', mine, p_sealed, p_revision, p_may_have_arrived)
      ON CONFLICT (id) DO UPDATE SET state = 'ready', goes_at = excluded.goes_at, sealed = excluded.sealed, revision = p_revision,
          concluded_at = NULL, may_have_arrived = it.may_have_arrived OR p_may_have_arrived,
          made_by = CASE WHEN it.state IN ('held', 'cancelled') THEN mine ELSE it.made_by END,
          -- Someone retries it, so its attempts are counted from 0 again.
          attempt = CASE WHEN it.state IN ('refused', 'not-sent') THEN 0 ELSE it.attempt END
        WHERE it.account = p_account AND it.revision < p_revision
          AND it.state IN ('ready', 'held', 'cancelled', 'refused', 'not-sent');
    RETURN QUERY SELECT revision, state FROM send WHERE id = p_id;
  END $$;
`
