/**
 * What workstations edit together: drafts and small records. Each item has one current content, and its changes come in
 * an order in which no reader can miss one. How a content becomes current is in drafts.ts and records.ts.
 */
const tables = `
  CREATE TABLE shared_item_feed (
    kind text NOT NULL CHECK (kind IN ('draft', 'preset', 'view', 'person', 'appointment', 'staff')),
    account uuid NOT NULL REFERENCES account,
    seq bigint NOT NULL,
    PRIMARY KEY (kind, account)
  );

  CREATE TABLE shared_item (
    kind text NOT NULL,
    id text NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    account uuid NOT NULL,
    -- The sequence of its last change, and of its content's.
    seq bigint NOT NULL,
    body_seq bigint NOT NULL,
    -- The id of the current content. An id, because after a restore a revision number may be another content's.
    version uuid NOT NULL,
    -- The number of contents it has had, in which of the server's lives this one was saved, and the revision before that life: see
    -- restore_item.
    revision integer NOT NULL DEFAULT 1,
    life integer NOT NULL,
    base_revision integer NOT NULL DEFAULT 0,
    made_by uuid NOT NULL REFERENCES station,
    by uuid NOT NULL REFERENCES station,
    at timestamptz NOT NULL DEFAULT now(),
    editing_by uuid REFERENCES station,
    editing_until timestamptz,
    -- Since when it is in the trash, and since when it no longer exists.
    trashed_at timestamptz,
    gone_at timestamptz,
    -- Not for drafts: whether it ended finally: what others changed meanwhile ends, too. An end that a restored server is told counts as that.
    is_final_end boolean NOT NULL DEFAULT false,
    -- When it expires by the server's clock, and is deleted.
    expires_at timestamptz,
    -- It is gone because it belongs to its maker alone, who may share it again.
    is_makers_own boolean NOT NULL DEFAULT false,
    -- It is gone because of this send: the send arrived, or took the draft along when its workstation left.
    gone_with_send uuid,
    -- Someone deleted it who had seen this revision of what was written before this life, and that revision's content, if known.
    deleted_revision integer NOT NULL DEFAULT 0,
    deleted_version uuid,
    -- It was sent, and someone who didn't know that had written more: see mark_split_off.
    is_split_off boolean NOT NULL DEFAULT false,
    -- It was sent while it had unresolved conflicts.
    has_open_conflicts boolean NOT NULL DEFAULT false,
    -- The marks of the last contents that are in it, oldest first; see mark_of. Those of a record include what was merged into it, or kept as
    -- a record of its own.
    ancestors text[] NOT NULL DEFAULT '{}',
    sealed bytea,
    -- Not for drafts: its content at base_revision, which is what a content restored by a workstation has in common with the changes made
    -- since the restore.
    base_sealed bytea,
    PRIMARY KEY (kind, id),
    FOREIGN KEY (kind, account) REFERENCES shared_item_feed,
    CHECK ((gone_at IS NULL) = (sealed IS NOT NULL))
  );
  CREATE UNIQUE INDEX shared_item_by_seq ON shared_item (kind, account, seq);
  CREATE INDEX shared_item_by_expiry ON shared_item (kind, account, expires_at) WHERE expires_at IS NOT NULL;

  -- Contents that were saved but aren't current. is_resolved: someone has seen it and decided.
  CREATE TABLE shared_item_conflict (
    kind text NOT NULL,
    id text NOT NULL,
    version uuid NOT NULL,
    by uuid NOT NULL REFERENCES station,
    at timestamptz NOT NULL DEFAULT now(),
    is_resolved boolean NOT NULL DEFAULT false,
    sealed bytea NOT NULL,
    PRIMARY KEY (kind, id, version),
    FOREIGN KEY (kind, id) REFERENCES shared_item
  );
`

const functions = `
  -- Returns the next sequence number. Its lock is always the first: until this transaction ends, no other can change an item of the account.
  CREATE FUNCTION next_item_seq(p_kind text, p_account uuid) RETURNS bigint
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    its bigint;
  BEGIN
    PERFORM me();
    INSERT INTO shared_item_feed AS it (kind, account, seq) VALUES (p_kind, p_account, 1)
      ON CONFLICT (kind, account) DO UPDATE SET seq = it.seq + 1 RETURNING it.seq INTO its;
    RETURN its;
  END $$;

  CREATE FUNCTION notify_item_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  BEGIN
    PERFORM pg_notify('countersign_items', NEW.account::text);
    RETURN NULL;
  END $$;
  CREATE TRIGGER notify_item_change AFTER INSERT OR UPDATE ON shared_item FOR EACH ROW EXECUTE FUNCTION notify_item_change();

  -- Returns the current row of an item of this account, whose lock is held.
  CREATE FUNCTION item_of(p_kind text, p_id text, p_account uuid) RETURNS shared_item
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  DECLARE
    its shared_item;
  BEGIN
    SELECT * INTO its FROM shared_item WHERE kind = p_kind AND id = p_id;
    IF its.account <> p_account THEN
      RAISE EXCEPTION 'This belongs to another account.' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN its;
  END $$;

  -- Whether it has unresolved conflicts.
  CREATE FUNCTION has_open_conflicts(p_kind text, p_id text) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = office, pg_temp AS $$
  BEGIN
    RETURN EXISTS (SELECT FROM shared_item_conflict WHERE kind = p_kind AND id = p_id AND NOT is_resolved);
  END $$;

  -- Only the id is kept, so that workstations that have the item learn that it no longer exists.
  CREATE FUNCTION remove_item(p_kind text, p_id text, p_seq bigint) RETURNS void
  LANGUAGE plpgsql SET search_path = office, pg_temp AS $$
  BEGIN
    DELETE FROM shared_item_conflict WHERE kind = p_kind AND id = p_id;
    UPDATE shared_item SET seq = p_seq, gone_at = now(), sealed = NULL, trashed_at = NULL, editing_by = NULL, editing_until = NULL
      WHERE kind = p_kind AND id = p_id AND gone_at IS NULL;
  END $$;

  -- Returns the sequence of the last change, 0 if there is none, and the life.
  CREATE FUNCTION items_state(p_kind text, p_account uuid) RETURNS TABLE (seq double precision, life integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT coalesce((SELECT max(seq) FROM shared_item WHERE kind = p_kind AND account = p_account), 0)::double precision,
      current_life();
  END $$;

  -- p_bodies_after: see send_changes. After p_bytes of contents the page ends. p_life: the life of which everything is known to the reader.
  CREATE FUNCTION item_changes(p_kind text, p_account uuid, p_after bigint, p_most integer, p_bodies_after bigint, p_bytes bigint,
    p_life integer DEFAULT NULL)
  RETURNS TABLE (id text, seq double precision, version uuid, revision integer, is_mine boolean, by text, at_ms double precision, editing text,
    is_editing boolean, editing_ms double precision, trashed_ms double precision, is_gone boolean, is_makers_own boolean, is_split_off boolean,
    has_open_conflicts boolean, is_from_before_restore boolean,
    lineage text[], sealed bytea, conflict_count integer, is_final_end boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    mine uuid := me();
  BEGIN
    PERFORM assert_life(p_life);
    RETURN QUERY SELECT it.id, it.seq::double precision, coalesce(it.deleted_version, it.version), greatest(it.revision, it.deleted_revision), it.made_by = mine, saver.name,
        1000 * extract(epoch FROM now() - it.at)::double precision,
        editor.name, editor.id = mine, 1000 * extract(epoch FROM it.editing_until - now())::double precision,
        1000 * extract(epoch FROM now() - it.trashed_at)::double precision, it.gone_at IS NOT NULL, it.is_makers_own, it.is_split_off, it.has_open_conflicts,
        it.life < (SELECT life FROM office), it.ancestors || mark_of(it.revision, it.version),
        CASE WHEN it.body_seq > p_bodies_after THEN it.sealed END,
        (SELECT count(*) FROM shared_item_conflict WHERE kind = p_kind AND id = it.id)::integer,
        it.is_final_end
      FROM (
        SELECT *, sum(CASE WHEN body_seq > p_bodies_after THEN octet_length(sealed) END)
          OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM (SELECT * FROM shared_item WHERE kind = p_kind AND account = p_account AND seq > p_after ORDER BY seq LIMIT p_most) page
      ) it JOIN station saver ON saver.id = it.by
        LEFT JOIN station editor ON editor.id = it.editing_by AND it.editing_until >= now()
      WHERE coalesce(it.bytes, 0) < p_bytes ORDER BY it.seq;
  END $$;

  -- Returns an item's conflicts, oldest first; without the content of those that the reader has, or after p_bytes of contents.
  CREATE FUNCTION item_conflicts(p_kind text, p_id text, p_known_versions uuid[], p_bytes bigint)
  RETURNS TABLE (version uuid, by text, at_ms double precision, is_resolved boolean, sealed bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = office, pg_temp AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM me();
    RETURN QUERY SELECT it.version, station.name, 1000 * extract(epoch FROM now() - it.at)::double precision, it.is_resolved,
        CASE WHEN NOT it.version = ANY (p_known_versions) AND coalesce(it.bytes, 0) < p_bytes THEN it.sealed END
      FROM (
        SELECT *, sum(CASE WHEN NOT version = ANY (p_known_versions) THEN octet_length(sealed) END)
          OVER (ORDER BY at, version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
        FROM shared_item_conflict WHERE kind = p_kind AND id = p_id
      ) it JOIN station ON station.id = it.by ORDER BY it.at, it.version;
  END $$;
`

export const sharedItems = [tables, functions].join('')

export const sharedItemsForWorkstations = ['items_state', 'item_changes', 'item_conflicts'] as const
