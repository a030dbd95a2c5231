/**
 * Which contents were merged into a shared record's current one. A content has a mark, and a record keeps the marks of
 * the last 48: so a content that is told again, for example to a restored server, is known to be in the current one.
 */
export const lineage = `
  -- A content's mark in a lineage: its revision and the beginning of its id.
  CREATE FUNCTION mark_of(p_revision integer, p_version uuid) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT p_revision || ':' || left(replace(p_version::text, '-', ''), 12)
  $$;

  -- Returns the last 48 of these marks, oldest first, without that of p_except.
  CREATE FUNCTION last_marks(p_marks text[], p_except uuid DEFAULT NULL) RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT coalesce(array_agg(mark ORDER BY place, mark), '{}') FROM (
      SELECT DISTINCT mark, lpad(split_part(mark, ':', 1), 10, '0') AS place
        FROM unnest(p_marks) mark, split_part(mark_of(0, p_except), ':', 2) own
        WHERE mark ~ '^[0-9]{1,10}:[0-9a-f]{12}$' AND split_part(mark, ':', 2) IS DISTINCT FROM own
        ORDER BY place DESC, mark LIMIT 48
    ) its
  $$;

  CREATE FUNCTION lineage_has(p_marks text[], p_version uuid) RETURNS boolean LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT EXISTS (SELECT FROM unnest(p_marks) mark, split_part(mark_of(0, p_version), ':', 2) its WHERE split_part(mark, ':', 2) = its)
  $$;

  -- Whether a content is certainly not in this lineage: the lineage goes back beyond its revision and doesn't contain it.
  CREATE FUNCTION lineage_lacks(p_marks text[], p_revision integer, p_version uuid) RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = office, pg_temp AS $$
    SELECT NOT lineage_has(p_marks, p_version)
      AND (cardinality(p_marks) < 48 OR split_part(p_marks[1], ':', 1)::bigint < p_revision)
  $$;

  -- Adds to the lineage of the current content. Others must read that, or they would push contents that are in it as records of their own.
  -- They learn that an item is gone when it ends, and not again: a new one of the same name would be changed by that first.
  CREATE FUNCTION add_to_lineage(p_item shared_item, p_marks text[], p_is_retold boolean) RETURNS void
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    marks text[] := last_marks(p_item.ancestors || p_marks, p_item.version);
    its bigint := p_item.seq;
  BEGIN
    IF p_is_retold AND marks <> p_item.ancestors THEN
      IF p_item.gone_at IS NULL THEN
        its := next_item_seq(p_item.kind, p_item.account);
      END IF;
      UPDATE shared_item SET seq = its, ancestors = marks WHERE kind = p_item.kind AND id = p_item.id;
    END IF;
  END $$;
`
