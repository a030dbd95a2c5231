/**
 * The state of each workstation's counter, as the workstation reports it, sealed, and how long it is valid. It is
 * renewed while it lasts; if it isn't, the workstation is gone or unreachable. The next report or read by anyone
 * deletes what is older than a day.
 */
export const counters = `
  CREATE TABLE counter (
    station uuid PRIMARY KEY REFERENCES station,
    reported_at timestamptz NOT NULL DEFAULT now(),
    until timestamptz NOT NULL,
    sealed bytea NOT NULL CHECK (length(sealed) <= 16384)
  );

  -- p_sealed is NULL if the workstation has no counter, or leaves. p_is_news: notify the others now; renewals they read in their own time.
  CREATE FUNCTION publish_counter(p_ms integer, p_sealed bytea, p_is_news boolean) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    -- Readers ask again when a report expires: shorter ones would make all boards ask all the time.
    IF p_ms IS NULL OR p_ms NOT BETWEEN 10000 AND 600000 THEN
      RAISE EXCEPTION 'There is no such news.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_sealed IS NULL THEN
      DELETE FROM counter WHERE station = mine;
    ELSE
      INSERT INTO counter (station, until, sealed) VALUES (mine, now() + p_ms * interval '1 ms', p_sealed)
        ON CONFLICT (station) DO UPDATE SET reported_at = now(), until = excluded.until, sealed = excluded.sealed;
    END IF;
    -- After its own report, or two workstations that delete each other's would wait for each other.
    DELETE FROM counter WHERE station IN (
      SELECT station FROM counter WHERE reported_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED);
    IF p_is_news THEN
      PERFORM pg_notify('countersign_counters', '');
    END IF;
  END $$;

  -- Returns the counters reported within the last day, and this workstation's own row in any case. Deletes older reports, so that they are
  -- deleted even if no counter reports any more.
  CREATE FUNCTION counters()
  RETURNS TABLE (station uuid, name text, is_me boolean, reported_ms double precision, left_ms double precision, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    DELETE FROM counter WHERE station IN (
      SELECT station FROM counter WHERE reported_at < now() - interval '1 day' FOR UPDATE SKIP LOCKED);
    RETURN QUERY SELECT who.id, who.name, who.id = mine, 1000 * extract(epoch FROM now() - it.reported_at)::double precision,
        1000 * extract(epoch FROM it.until - now())::double precision, it.sealed
      FROM station who LEFT JOIN counter it ON it.station = who.id AND it.reported_at >= now() - interval '1 day'
      WHERE who.joined_at IS NOT NULL AND who.revoked_at IS NULL AND (it.station IS NOT NULL OR who.id = mine) ORDER BY lower(who.name);
  END $$;
`

export const countersForWorkstations = ['publish_counter', 'counters'] as const
