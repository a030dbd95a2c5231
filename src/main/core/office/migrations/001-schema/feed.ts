/**
 * What one workstation reads for the whole office, and how the others learn of it: a lease that one holds at a time,
 * and changes in an order in which no reader can miss one.
 */
export const feed = `
  -- What only one workstation does at a time, such as polling an account. If the holder is lost, another takes over when the lease expires.
  -- since: since when its holder has had it.
  CREATE TABLE lease (
    name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
    holder uuid NOT NULL REFERENCES station,
    epoch integer NOT NULL DEFAULT 1,
    since timestamptz NOT NULL DEFAULT now(),
    until timestamptz NOT NULL
  );

  CREATE TABLE feed (
    account uuid PRIMARY KEY,
    seq bigint NOT NULL DEFAULT 0
  );
  -- The latest state of each document, identified by a tag that is made of its reference with the office's key.
  CREATE TABLE mirror (
    account uuid NOT NULL REFERENCES feed,
    tag bytea NOT NULL CHECK (length(tag) = 32),
    seq bigint NOT NULL,
    -- NULL once the document is gone.
    sealed bytea,
    PRIMARY KEY (account, tag)
  );
  CREATE UNIQUE INDEX mirror_by_seq ON mirror (account, seq);

  -- Takes or renews a lease. Returns its epoch and duration; no row if another workstation holds it.
  CREATE FUNCTION hold_lease(p_name text, p_ms integer) RETURNS TABLE (epoch integer, lease_ms integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    IF p_ms NOT BETWEEN 100 AND 600000 THEN
      RAISE EXCEPTION 'No lease is for so long.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN QUERY INSERT INTO lease AS it (name, holder, until) VALUES (p_name, mine, now() + p_ms * interval '1 ms')
      ON CONFLICT (name) DO UPDATE SET holder = mine, until = excluded.until,
          epoch = CASE WHEN it.holder = mine AND it.until >= now() THEN it.epoch ELSE it.epoch + 1 END,
          since = CASE WHEN it.holder = mine AND it.until >= now() THEN it.since ELSE now() END
        WHERE it.until < now() OR it.holder = mine
      RETURNING it.epoch, p_ms;
  END $$;

  CREATE FUNCTION release_lease(p_name text, p_epoch integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    UPDATE lease SET until = '-infinity' WHERE name = p_name AND holder = mine AND epoch = p_epoch;
  END $$;

  -- Stores the changes found by the workstation that polls. Returns whether it still held the lease. The sequence is increased under the
  -- account's lock, so that a later change is never visible before an earlier one.
  CREATE FUNCTION publish(p_account uuid, p_epoch integer, p_tags bytea[], p_sealed bytea[]) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
    last bigint;
  BEGIN
    PERFORM FROM lease WHERE name = 'poll:' || p_account AND holder = mine AND epoch = p_epoch AND until >= now() FOR SHARE;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    IF cardinality(p_tags) <> cardinality(p_sealed) THEN
      RAISE EXCEPTION 'Each change has a tag and a body.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO feed (account) VALUES (p_account) ON CONFLICT DO NOTHING;
    UPDATE feed SET seq = seq + cardinality(p_tags) WHERE account = p_account RETURNING seq INTO last;
    INSERT INTO mirror (account, tag, seq, sealed)
      SELECT p_account, tag, last - cardinality(p_tags) + at, body
        FROM unnest(p_tags, p_sealed) WITH ORDINALITY AS change (tag, body, at)
      ON CONFLICT (account, tag) DO UPDATE SET seq = excluded.seq, sealed = excluded.sealed;
    PERFORM pg_notify('countersign_feed', p_account::text);
    RETURN true;
  END $$;

  -- A reader has read further than this server, for example after a restore: the next change gets a sequence that nobody has read.
  CREATE FUNCTION raise_feed(p_account uuid, p_epoch integer, p_to bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  DECLARE
    mine uuid := me();
  BEGIN
    -- Readers can count up to 2 to the power of 53.
    IF p_to > 4503599627370496 THEN
      RAISE EXCEPTION 'Nobody has read so far.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE feed SET seq = greatest(seq, p_to) WHERE account = p_account AND EXISTS (
      SELECT FROM lease WHERE name = 'poll:' || p_account AND holder = mine AND epoch = p_epoch AND until >= now());
  END $$;

  CREATE FUNCTION document_changes(p_account uuid, p_after bigint, p_most integer) RETURNS TABLE (tag bytea, seq double precision, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT tag, seq::double precision, sealed FROM mirror WHERE account = p_account AND seq > p_after
      ORDER BY seq LIMIT p_most;
  END $$;

  -- Returns the current state of these documents, without those that the office never had.
  CREATE FUNCTION documents_now(p_account uuid, p_tags bytea[]) RETURNS TABLE (tag bytea, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT tag, sealed FROM mirror WHERE account = p_account AND tag = ANY (p_tags);
  END $$;

  -- Returns the tags of all existing documents, concatenated.
  CREATE FUNCTION live_tags(p_account uuid) RETURNS bytea
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM me();
    RETURN (SELECT coalesce(string_agg(tag, ''), '') FROM mirror WHERE account = p_account AND sealed IS NOT NULL);
  END $$;
`

export const feedForWorkstations = [
  ...['hold_lease', 'release_lease'],
  ...['publish', 'raise_feed', 'document_changes', 'documents_now', 'live_tags']
] as const
