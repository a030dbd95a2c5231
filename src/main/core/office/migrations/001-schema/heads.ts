/**
 * The heads of the workstations' audit trails, chained. A head gives the number and hash of a trail's newest entry.
 * What a workstation once reported can't be changed without remaking every later head, and every workstation keeps the
 * newest that it has seen.
 */
export const heads = `
  CREATE TABLE head (
    number bigint PRIMARY KEY,
    station uuid NOT NULL REFERENCES station,
    -- The number of its trail's newest entry, and that entry's SHA-256 in hexadecimal. Readers can count up to 2 to the power of 53.
    seq bigint NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
    hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    -- In milliseconds since 1970 UTC, by this server's clock.
    at_ms bigint NOT NULL DEFAULT floor(1000 * extract(epoch FROM clock_timestamp())),
    -- Why the trail lacks an entry that it had, according to its workstation; NULL if it lacks none.
    cause text CHECK (cause IN ('restored', 'older-copy', 'replaced', 'forgotten', 'cut')),
    chained text NOT NULL
  );
  CREATE INDEX head_of_station ON head (station, number DESC);
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON head EXECUTE FUNCTION append_only();

  -- The SHA-256 of the previous head's chained hash, a line feed, and the head's own members separated by spaces, in hexadecimal.
  CREATE FUNCTION chain_head(p_before text, p_head head) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT encode(sha256(convert_to(p_before || E'\\n' || concat_ws(' ', p_head.number, p_head.station, p_head.seq, p_head.hash,
      p_head.at_ms, coalesce(p_head.cause, '-')), 'UTF8')), 'hex')
  $$;

  -- Adds a head of the workstation that makes the query. Repeating the call, for example after a lost answer, has no effect.
  CREATE FUNCTION report_head(p_seq bigint, p_hash text, p_cause text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    before head;
    next head;
  BEGIN
    -- One at a time: each is chained to the previous one.
    LOCK TABLE head IN SHARE ROW EXCLUSIVE MODE;
    SELECT * INTO next FROM head WHERE station = mine ORDER BY number DESC LIMIT 1;
    IF next.seq = p_seq AND next.hash = p_hash THEN
      RETURN;
    END IF;
    SELECT * INTO before FROM head ORDER BY number DESC LIMIT 1;
    next := ROW(coalesce(before.number, 0) + 1, mine, p_seq, p_hash, floor(1000 * extract(epoch FROM clock_timestamp())), p_cause, '');
    next.chained := chain_head(coalesce(before.chained, ''), next);
    INSERT INTO head SELECT next.*;
  END $$;

  -- Returns the heads from this number on, in order.
  CREATE FUNCTION heads_from(p_number bigint, p_most integer)
  RETURNS TABLE (number double precision, station uuid, name text, is_mine boolean, seq double precision, hash text, at_ms double precision,
    cause text, chained text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    RETURN QUERY SELECT it.number::double precision, it.station, who.name, it.station = mine, it.seq::double precision, it.hash,
        it.at_ms::double precision, it.cause, it.chained
      FROM head it JOIN station who ON who.id = it.station WHERE it.number >= p_number ORDER BY it.number LIMIT p_most;
  END $$;

  -- Returns the newest head of each workstation, in order.
  CREATE FUNCTION newest_heads()
  RETURNS TABLE (number double precision, station uuid, name text, is_mine boolean, seq double precision, hash text, at_ms double precision,
    cause text, chained text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    RETURN QUERY SELECT it.number::double precision, it.station, who.name, it.station = mine, it.seq::double precision, it.hash,
        it.at_ms::double precision, it.cause, it.chained
      FROM station who CROSS JOIN LATERAL (SELECT * FROM head WHERE station = who.id ORDER BY number DESC LIMIT 1) it
      ORDER BY it.number;
  END $$;
`

export const headsForWorkstations = ['report_head', 'heads_from', 'newest_heads'] as const
