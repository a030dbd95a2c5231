/** Presets, views, staff, appointments and people shared with the office, and their sync state. */
export const officeRecords = `
  -- The last of the office's changes of a kind that was applied here. It stays if the account is no longer shared, as it may be shared again.
  CREATE TABLE office_record_cursors (
    kind TEXT NOT NULL,
    -- 'office' for what belongs to no account.
    account_id TEXT NOT NULL,
    -- The account's id at the office, and the server's life.
    office_id TEXT NOT NULL,
    life INTEGER NOT NULL,
    -- Negative while the account isn't shared.
    cursor INTEGER NOT NULL,
    PRIMARY KEY (kind, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER office_records_unshared AFTER DELETE ON office_accounts BEGIN
    UPDATE office_record_cursors SET cursor = -1 WHERE account_id = OLD.account_id;
  END;

  CREATE TABLE office_records (
    number INTEGER PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL,
    -- Its id at the office, once known; and the id of the local record, while there is one.
    id TEXT,
    local TEXT,
    -- The contents at the office that the local one derives from, and the office's revision number; 0 if the office doesn't have it.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- The marks of the contents merged into the one at the office, its own last.
    lineage TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lineage)),
    -- The last of the contents in based_on, if changes to this kind are merged.
    base TEXT,
    -- What a restored server had of it and must still be told, although the local content derives from what is current there since.
    lost TEXT CHECK (json_valid(lost)),
    -- Which other workstation saved it last.
    saved_by TEXT,
    -- How often it was edited here, and how many of these edits the office has.
    edit_count INTEGER NOT NULL DEFAULT 1,
    pushed_edits INTEGER NOT NULL DEFAULT 0,
    -- How many of these edits the last content in based_on includes, if it was pushed without an answer.
    pending_edits INTEGER NOT NULL DEFAULT -1,
    -- It was deleted for everyone, whatever others have changed.
    is_final INTEGER NOT NULL DEFAULT 0,
    -- It no longer exists, and the office knows that.
    is_gone INTEGER NOT NULL DEFAULT 0,
    -- A restored server must still be told what it had of it.
    is_restore_pending INTEGER NOT NULL DEFAULT 0,
    -- The office's content couldn't be applied here, for example because a later version wrote it. Nothing is pushed until it can.
    is_unread INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX office_records_by_id ON office_records (kind, id) WHERE id IS NOT NULL;
  CREATE UNIQUE INDEX office_records_by_local ON office_records (kind, local) WHERE local IS NOT NULL;
  CREATE INDEX office_records_by_account ON office_records (kind, account_id);
  CREATE INDEX office_records_to_push ON office_records (kind, account_id) WHERE edit_count <> pushed_edits AND is_gone = 0;
  CREATE INDEX office_records_unnamed ON office_records (kind, account_id) WHERE id IS NULL;

  -- Of a deleted record no content is kept, only what the office must still be told.
  CREATE TRIGGER office_records_erased AFTER UPDATE OF local ON office_records WHEN NEW.local IS NULL AND NEW.lost IS NOT NULL BEGIN
    UPDATE office_records SET lost = json_remove(lost, '$.content', '$.shared') WHERE number = NEW.number;
  END;

  CREATE TRIGGER office_records_of_deleted_account AFTER DELETE ON accounts BEGIN
    DELETE FROM office_records WHERE account_id = OLD.id;
    DELETE FROM office_record_cursors WHERE account_id = OLD.id;
  END;

  -- Recorded in the transaction that changes one, so that no change is missed. The organisation's own aren't shared.
  CREATE TRIGGER office_preset_added AFTER INSERT ON presets
    WHEN NEW.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('preset', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_preset_changed AFTER UPDATE OF name, body ON presets BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'preset' AND local = NEW.id;
  END;
  CREATE TRIGGER office_preset_erased AFTER DELETE ON presets BEGIN
    DELETE FROM office_records WHERE kind = 'preset' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'preset' AND local = OLD.id;
  END;

  -- Their order and notifications are each workstation's own.
  CREATE TRIGGER office_view_added AFTER INSERT ON document_views
    WHEN NEW.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('view', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_view_changed AFTER UPDATE OF name, query ON document_views
    WHEN OLD.name <> NEW.name OR OLD.query <> NEW.query BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'view' AND local = NEW.id;
  END;
  CREATE TRIGGER office_view_erased AFTER DELETE ON document_views BEGIN
    DELETE FROM office_records WHERE kind = 'view' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'view' AND local = OLD.id;
  END;

  -- The list of staff, with their PINs, is one record. How many tries were wrong is each workstation's own.
  CREATE TRIGGER office_staff_added AFTER INSERT ON meta
    WHEN NEW.key = 'staff' AND EXISTS (SELECT 1 FROM meta WHERE key = 'office-staff') BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('staff', 'office', 'staff') ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_staff_changed AFTER UPDATE OF value ON meta WHEN NEW.key = 'staff' AND OLD.value <> NEW.value BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_erased AFTER DELETE ON meta WHEN OLD.key = 'staff' BEGIN
    DELETE FROM office_records WHERE kind = 'staff' AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_pin_added AFTER INSERT ON meta WHEN NEW.key LIKE 'staff-pin-%' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  -- A PIN is kept as text that is JSON, in a value that is.
  CREATE TRIGGER office_staff_pin_changed AFTER UPDATE OF value ON meta
    WHEN NEW.key LIKE 'staff-pin-%'
      AND json_extract(json_extract(OLD.value, '$'), '$.hash') IS NOT json_extract(json_extract(NEW.value, '$'), '$.hash') BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_left AFTER DELETE ON meta WHEN OLD.key = 'office-staff' BEGIN
    UPDATE office_record_cursors SET cursor = -1 WHERE kind = 'staff';
  END;

  -- The query of a rule's view when someone last edited the rule: another workstation may change the view.
  ALTER TABLE download_rules ADD COLUMN view_query TEXT CHECK (json_valid(view_query));
  -- Who changed it since, and into what: that may be another person than the one who saved the view last.
  ALTER TABLE download_rules ADD COLUMN view_change TEXT CHECK (json_valid(view_change));
  UPDATE download_rules SET view_query = (SELECT query FROM document_views WHERE document_views.id = view_id);

  -- The other workstation that called the person, or where they are.
  ALTER TABLE appointments ADD COLUMN workstation TEXT;
  CREATE TRIGGER office_appointment_added AFTER INSERT ON appointments
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('appointment', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_appointment_changed AFTER UPDATE ON appointments BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'appointment' AND local = NEW.id;
  END;
  CREATE TRIGGER office_appointment_erased AFTER DELETE ON appointments BEGIN
    DELETE FROM office_records WHERE kind = 'appointment' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'appointment' AND local = OLD.id;
  END;

  CREATE TRIGGER office_person_added AFTER INSERT ON people
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('person', NEW.account_id, CAST(NEW.number AS TEXT)) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_person_changed AFTER UPDATE ON people
    WHEN OLD.email_key = NEW.email_key AND OLD.name_key = NEW.name_key BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'person' AND local = CAST(NEW.number AS TEXT);
  END;
  -- With another name or address it is another person at the office, and the previous one no longer exists.
  CREATE TRIGGER office_person_renamed AFTER UPDATE ON people
    WHEN OLD.email_key <> NEW.email_key OR OLD.name_key <> NEW.name_key BEGIN
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT) AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT);
    INSERT INTO office_records (kind, account_id, local)
      SELECT 'person', NEW.account_id, CAST(NEW.number AS TEXT)
      WHERE EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id);
  END;
  -- A person deleted here by retention stays at the office as long as other workstations keep them.
  CREATE TRIGGER office_person_purged AFTER DELETE ON people BEGIN
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT);
  END;
`
