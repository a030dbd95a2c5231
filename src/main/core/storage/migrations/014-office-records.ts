/** Presets, views, staff, appointments and people shared with the office, and their sync state. */
export const officeRecords = `
  -- Up to which of the office's changes of a kind all is here. It stays where the account is shared no more, since it may be again.
  CREATE TABLE office_records_read (
    kind TEXT NOT NULL,
    -- 'office' for what is of no account.
    account_id TEXT NOT NULL,
    -- Of which office's account, and in which of the server's lives.
    office_id TEXT NOT NULL,
    life INTEGER NOT NULL,
    -- Below 0 while the account isn't shared.
    cursor INTEGER NOT NULL,
    PRIMARY KEY (kind, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER office_records_left AFTER DELETE ON office_accounts BEGIN
    UPDATE office_records_read SET cursor = -1 WHERE account_id = OLD.account_id;
  END;

  CREATE TABLE office_records (
    number INTEGER PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL,
    -- The office's id of it, once it is known; and the id of what is here, as long as it is.
    id TEXT,
    local TEXT,
    -- The contents at the office that what is here goes on from, and how many the office's has had; 0 where the office has none.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- The contents that are in what the office has, itself the last of them, by their marks.
    lineage TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lineage)),
    -- The last of these contents, where changes of two are put together.
    base TEXT,
    -- What a server that was put back had of it, and isn't told yet, though what is here goes on from what counts there since.
    lost TEXT CHECK (json_valid(lost)),
    -- Which other workstation saved it last.
    saved_by TEXT,
    -- How often it was changed here, and how much of that the office has.
    edits INTEGER NOT NULL DEFAULT 1,
    given INTEGER NOT NULL DEFAULT 0,
    -- How much of that the last of the contents in based_on has, which the office may have.
    asked INTEGER NOT NULL DEFAULT -1,
    -- It was erased for all, whatever others did to it.
    is_final INTEGER NOT NULL DEFAULT 0,
    -- It is no more, and the office knows.
    is_gone INTEGER NOT NULL DEFAULT 0,
    -- It is still to be told to a server that was put back.
    is_to_know INTEGER NOT NULL DEFAULT 0,
    -- What the office has of it couldn't be taken here, as of a later version: nothing of it goes over until it is.
    is_unread INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX office_records_by_id ON office_records (kind, id) WHERE id IS NOT NULL;
  CREATE UNIQUE INDEX office_records_by_local ON office_records (kind, local) WHERE local IS NOT NULL;
  CREATE INDEX office_records_by_account ON office_records (kind, account_id);
  CREATE INDEX office_records_to_give ON office_records (kind, account_id) WHERE edits <> given AND is_gone = 0;
  CREATE INDEX office_records_unnamed ON office_records (kind, account_id) WHERE id IS NULL;

  -- Nothing is kept of what is erased, but that it is to be told.
  CREATE TRIGGER office_records_erased AFTER UPDATE OF local ON office_records WHEN NEW.local IS NULL AND NEW.lost IS NOT NULL BEGIN
    UPDATE office_records SET lost = json_remove(lost, '$.content', '$.shared') WHERE number = NEW.number;
  END;

  CREATE TRIGGER office_records_go AFTER DELETE ON accounts BEGIN
    DELETE FROM office_records WHERE account_id = OLD.id;
    DELETE FROM office_records_read WHERE account_id = OLD.id;
  END;

  -- Noted in the transaction that changes one, so that nothing is forgotten. The organisation's are each computer's own.
  CREATE TRIGGER office_preset_added AFTER INSERT ON presets
    WHEN NEW.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('preset', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_preset_changed AFTER UPDATE OF name, body ON presets BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'preset' AND local = NEW.id;
  END;
  CREATE TRIGGER office_preset_erased AFTER DELETE ON presets BEGIN
    DELETE FROM office_records WHERE kind = 'preset' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edits = edits + 1 WHERE kind = 'preset' AND local = OLD.id;
  END;

  -- Their order, and whether someone is told of one, are each workstation's own.
  CREATE TRIGGER office_view_added AFTER INSERT ON document_views
    WHEN NEW.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('view', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_view_changed AFTER UPDATE OF name, query ON document_views
    WHEN OLD.name <> NEW.name OR OLD.query <> NEW.query BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'view' AND local = NEW.id;
  END;
  CREATE TRIGGER office_view_erased AFTER DELETE ON document_views BEGIN
    DELETE FROM office_records WHERE kind = 'view' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edits = edits + 1 WHERE kind = 'view' AND local = OLD.id;
  END;

  -- The list of staff is one thing, with their PINs. How many tries were wrong is each workstation's own.
  CREATE TRIGGER office_staff_added AFTER INSERT ON meta
    WHEN NEW.key = 'staff' AND EXISTS (SELECT 1 FROM meta WHERE key = 'office-staff') BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('staff', 'office', 'staff') ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_staff_changed AFTER UPDATE OF value ON meta WHEN NEW.key = 'staff' AND OLD.value <> NEW.value BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_erased AFTER DELETE ON meta WHEN OLD.key = 'staff' BEGIN
    DELETE FROM office_records WHERE kind = 'staff' AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edits = edits + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_pin_added AFTER INSERT ON meta WHEN NEW.key LIKE 'staff-pin-%' BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  -- A PIN is kept as text that is JSON, in a value that is.
  CREATE TRIGGER office_staff_pin_changed AFTER UPDATE OF value ON meta
    WHEN NEW.key LIKE 'staff-pin-%'
      AND json_extract(json_extract(OLD.value, '$'), '$.hash') IS NOT json_extract(json_extract(NEW.value, '$'), '$.hash') BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_left AFTER DELETE ON meta WHEN OLD.key = 'office-staff' BEGIN
    UPDATE office_records_read SET cursor = -1 WHERE kind = 'staff';
  END;

  -- What a rule's view looked for as someone last said what the rule does: another workstation may change the view.
  ALTER TABLE download_rules ADD COLUMN view_query TEXT CHECK (json_valid(view_query));
  -- Who else changed that since, and into what: they may not be the one who saved the view last.
  ALTER TABLE download_rules ADD COLUMN view_change TEXT CHECK (json_valid(view_change));
  UPDATE download_rules SET view_query = (SELECT query FROM document_views WHERE document_views.id = view_id);

  -- The other workstation that called someone, or where they are.
  ALTER TABLE appointments ADD COLUMN workstation TEXT;
  CREATE TRIGGER office_appointment_added AFTER INSERT ON appointments
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('appointment', NEW.account_id, NEW.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_appointment_changed AFTER UPDATE ON appointments BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'appointment' AND local = NEW.id;
  END;
  CREATE TRIGGER office_appointment_erased AFTER DELETE ON appointments BEGIN
    DELETE FROM office_records WHERE kind = 'appointment' AND local = OLD.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edits = edits + 1 WHERE kind = 'appointment' AND local = OLD.id;
  END;

  CREATE TRIGGER office_person_added AFTER INSERT ON people
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('person', NEW.account_id, CAST(NEW.number AS TEXT)) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_person_changed AFTER UPDATE ON people
    WHEN OLD.email_key = NEW.email_key AND OLD.name_key = NEW.name_key BEGIN
    UPDATE office_records SET edits = edits + 1 WHERE kind = 'person' AND local = CAST(NEW.number AS TEXT);
  END;
  -- Another name or address is another person at the office, and the one before is no more.
  CREATE TRIGGER office_person_renamed AFTER UPDATE ON people
    WHEN OLD.email_key <> NEW.email_key OR OLD.name_key <> NEW.name_key BEGIN
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT) AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edits = edits + 1 WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT);
    INSERT INTO office_records (kind, account_id, local)
      SELECT 'person', NEW.account_id, CAST(NEW.number AS TEXT)
      WHERE EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id);
  END;
  -- Who goes because nobody sent to them for long is the office's still, as long as others keep them.
  CREATE TRIGGER office_person_purged AFTER DELETE ON people BEGIN
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(OLD.number AS TEXT);
  END;
`
