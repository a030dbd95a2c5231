/**
 * What an office of several workstations shares, and its sync state. Triggers record each change of a shared item in the
 * transaction that makes it, so that no change is missed.
 */
const accountsAndSends = `
  CREATE TABLE office_accounts (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    office_id TEXT NOT NULL UNIQUE,
    cursor INTEGER NOT NULL,
    -- The last of the office's changes of drafts that was applied here; -1 until the drafts that were here before have rows.
    drafts_cursor INTEGER NOT NULL DEFAULT -1
  ) STRICT, WITHOUT ROWID;

  -- What the office has of each send. A cancelled send's row stays after the send is deleted here, so that an earlier change
  -- of it has no effect.
  CREATE TABLE office_sends (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    state TEXT NOT NULL
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled', 'held')),
    revision INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    goes_at INTEGER NOT NULL,
    -- Only of a send that was sent and that retention has erased here: as in sends.
    sent_draft TEXT,
    sent_content TEXT CHECK (sent_content IS NULL OR json_valid(sent_content))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX office_sends_by_state ON office_sends (account_id, state);
  CREATE INDEX office_sends_by_draft ON office_sends (sent_draft) WHERE sent_draft IS NOT NULL;
  CREATE TRIGGER office_sent_erased AFTER DELETE ON sends WHEN old.state = 'sent' BEGIN
    UPDATE office_sends SET sent_draft = coalesce(old.draft_id, old.sent_draft), sent_content = old.sent_content
      WHERE id = old.id;
  END;

  -- The results of attempts made here, until the office has them.
  CREATE TABLE office_results (
    id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (json_valid(outcome)),
    at INTEGER NOT NULL,
    PRIMARY KEY (id, epoch)
  ) STRICT, WITHOUT ROWID;

  -- An action's last claim on the office's server, until the office knows its outcome.
  CREATE TABLE office_actions (
    id TEXT PRIMARY KEY NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const drafts = `
  CREATE TABLE office_drafts (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Whether it belongs to this workstation alone, and isn't shared.
    is_mine INTEGER NOT NULL DEFAULT 0,
    -- The contents at the office that the local one derives from, and the office's revision number; 0 if the office doesn't
    -- have it.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- How often it was edited here, and how many of these edits the office has.
    edit_count INTEGER NOT NULL DEFAULT 1,
    pushed_edits INTEGER NOT NULL DEFAULT 0,
    -- How many of these edits the last content in based_on includes, if it was pushed without an answer.
    pending_edits INTEGER NOT NULL DEFAULT -1,
    -- Whether the office has it in the trash, and whether a local move in or out of the trash is still to be pushed.
    is_trashed INTEGER NOT NULL DEFAULT 0,
    is_move_pending INTEGER NOT NULL DEFAULT 0,
    -- How often a content pulled from the office has replaced the local one. An editor says which edition it shows.
    edition INTEGER NOT NULL DEFAULT 0,
    -- As the office reports: whether this workstation created it, who else is editing it, until when, and how many conflicts
    -- it has.
    is_made_here INTEGER NOT NULL DEFAULT 1,
    editing_by TEXT,
    editing_until INTEGER NOT NULL DEFAULT 0,
    conflict_count INTEGER NOT NULL DEFAULT 0,
    -- It no longer exists, and the office knows that.
    is_gone INTEGER NOT NULL DEFAULT 0,
    -- A restored server must still be told what it had of it.
    is_restore_pending INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX office_drafts_to_push ON office_drafts (account_id)
    WHERE is_mine = 0 AND is_gone = 0 AND (edit_count <> pushed_edits OR is_move_pending = 1);

  CREATE TRIGGER office_draft_added AFTER INSERT ON drafts
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id) BEGIN
    INSERT INTO office_drafts (id, account_id) VALUES (new.id, new.account_id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_draft_changed AFTER UPDATE OF body ON drafts BEGIN
    UPDATE office_drafts SET edit_count = edit_count + 1 WHERE id = new.id;
  END;
  CREATE TRIGGER office_draft_moved AFTER UPDATE OF trashed_at ON drafts BEGIN
    UPDATE office_drafts SET is_move_pending = 1 WHERE id = new.id;
  END;
  CREATE TRIGGER office_draft_erased AFTER DELETE ON drafts BEGIN
    UPDATE office_drafts SET edit_count = edit_count + 1 WHERE id = old.id;
  END;
`

/** Presets, views, staff, appointments and people as records of one kind each. */
const records = `
  -- The last of the office's changes of a kind that was applied here. It stays when the account is no longer shared, as it
  -- may be shared again.
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
    UPDATE office_record_cursors SET cursor = -1 WHERE account_id = old.account_id;
  END;

  CREATE TABLE office_records (
    number INTEGER PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL,
    -- Its id at the office, once known; and the id of the local record, while there is one.
    id TEXT,
    local TEXT,
    -- The contents at the office that the local one derives from, and the office's revision number; 0 if the office doesn't
    -- have it.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- The marks of the contents merged into the one at the office, its own last.
    lineage TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lineage)),
    -- The last of the contents in based_on, if changes to this kind are merged.
    base TEXT,
    -- What a restored server had of it and must still be told, although the local content derives from what is current there
    -- since.
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
    -- A person who was forgotten here, and hasn't been known since.
    is_forgotten INTEGER NOT NULL DEFAULT 0,
    -- It no longer exists, and the office knows that.
    is_gone INTEGER NOT NULL DEFAULT 0,
    -- A restored server must still be told what it had of it.
    is_restore_pending INTEGER NOT NULL DEFAULT 0,
    -- The office's content couldn't be applied here, for example because a later version wrote it. Nothing is pushed until it
    -- can.
    is_unread INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX office_records_by_id ON office_records (kind, id) WHERE id IS NOT NULL;
  CREATE UNIQUE INDEX office_records_by_local ON office_records (kind, local) WHERE local IS NOT NULL;
  CREATE INDEX office_records_by_account ON office_records (kind, account_id);
  CREATE INDEX office_records_to_push ON office_records (kind, account_id) WHERE edit_count <> pushed_edits AND is_gone = 0;
  CREATE INDEX office_records_unnamed ON office_records (kind, account_id) WHERE id IS NULL;

  -- Of a deleted record no content is kept, only what the office must still be told.
  CREATE TRIGGER office_records_erased AFTER UPDATE OF local ON office_records
    WHEN new.local IS NULL AND new.lost IS NOT NULL BEGIN
    UPDATE office_records SET lost = json_remove(lost, '$.content', '$.shared') WHERE number = new.number;
  END;

  CREATE TRIGGER office_records_of_deleted_account AFTER DELETE ON accounts BEGIN
    DELETE FROM office_records WHERE account_id = old.id;
    DELETE FROM office_record_cursors WHERE account_id = old.id;
  END;

  -- Presets and views that come from the organisation, with ids that begin with 'shared-', aren't records of the office.
  CREATE TRIGGER office_preset_added AFTER INSERT ON presets
    WHEN new.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('preset', new.account_id, new.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_preset_changed AFTER UPDATE OF name, body ON presets BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'preset' AND local = new.id;
  END;
  CREATE TRIGGER office_preset_erased AFTER DELETE ON presets BEGIN
    DELETE FROM office_records WHERE kind = 'preset' AND local = old.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1
      WHERE kind = 'preset' AND local = old.id;
  END;

  -- Views' order and notifications are each workstation's own.
  CREATE TRIGGER office_view_added AFTER INSERT ON document_views
    WHEN new.id NOT LIKE 'shared-%' AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('view', new.account_id, new.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_view_changed AFTER UPDATE OF name, query ON document_views
    WHEN old.name <> new.name OR old.query <> new.query BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'view' AND local = new.id;
  END;
  CREATE TRIGGER office_view_erased AFTER DELETE ON document_views BEGIN
    DELETE FROM office_records WHERE kind = 'view' AND local = old.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1
      WHERE kind = 'view' AND local = old.id;
  END;

  CREATE TRIGGER office_appointment_added AFTER INSERT ON appointments
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local)
      VALUES ('appointment', new.account_id, new.id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_appointment_changed AFTER UPDATE ON appointments BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'appointment' AND local = new.id;
  END;
  CREATE TRIGGER office_appointment_erased AFTER DELETE ON appointments BEGIN
    DELETE FROM office_records WHERE kind = 'appointment' AND local = old.id AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1
      WHERE kind = 'appointment' AND local = old.id;
  END;

  CREATE TRIGGER office_person_added AFTER INSERT ON people
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id) BEGIN
    INSERT INTO office_records (kind, account_id, local)
      VALUES ('person', new.account_id, CAST(new.number AS TEXT)) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_person_changed AFTER UPDATE ON people
    WHEN old.email_key = new.email_key AND old.name_key = new.name_key BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'person' AND local = CAST(new.number AS TEXT);
  END;
  -- With another name or address it is another person at the office, and the previous one no longer exists.
  CREATE TRIGGER office_person_renamed AFTER UPDATE ON people
    WHEN old.email_key <> new.email_key OR old.name_key <> new.name_key BEGIN
    -- A workstation that forgets the previous one without having heard of this forgets this one, too.
    UPDATE people SET formerly = json_insert(formerly, '$[#]', its.id) FROM office_records its
      WHERE people.number = new.number AND its.kind = 'person' AND its.local = CAST(old.number AS TEXT) AND its.id IS NOT NULL
        AND json_array_length(formerly) < 16;
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(old.number AS TEXT) AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1
      WHERE kind = 'person' AND local = CAST(old.number AS TEXT);
    INSERT INTO office_records (kind, account_id, local)
      SELECT 'person', new.account_id, CAST(new.number AS TEXT)
      WHERE EXISTS (SELECT 1 FROM office_accounts WHERE account_id = new.account_id);
  END;
  -- A person deleted here by retention stays at the office as long as other workstations keep them.
  CREATE TRIGGER office_person_purged AFTER DELETE ON people BEGIN
    DELETE FROM office_records WHERE kind = 'person' AND local = CAST(old.number AS TEXT);
  END;
`

/**
 * The list of staff, with their PINs and the rule that says which packages another of them must release, is one record.
 * How many tries of a PIN were wrong is each workstation's own.
 */
const staff = `
  CREATE TRIGGER office_staff_added AFTER INSERT ON meta
    WHEN new.key = 'staff' AND EXISTS (SELECT 1 FROM meta WHERE key = 'office-staff') BEGIN
    INSERT INTO office_records (kind, account_id, local) VALUES ('staff', 'office', 'staff') ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_staff_changed AFTER UPDATE OF value ON meta
    WHEN new.key = 'staff' AND old.value <> new.value BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_erased AFTER DELETE ON meta WHEN old.key = 'staff' BEGIN
    DELETE FROM office_records WHERE kind = 'staff' AND id IS NULL;
    UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1
      WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_left AFTER DELETE ON meta WHEN old.key = 'office-staff' BEGIN
    UPDATE office_record_cursors SET cursor = -1 WHERE kind = 'staff';
  END;

  CREATE TRIGGER office_staff_pin_added AFTER INSERT ON meta WHEN new.key LIKE 'staff-pin-%' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  -- A PIN's value is a JSON string that contains JSON.
  CREATE TRIGGER office_staff_pin_changed AFTER UPDATE OF value ON meta
    WHEN new.key LIKE 'staff-pin-%'
      AND json_extract(json_extract(old.value, '$'), '$.hash') IS NOT json_extract(json_extract(new.value, '$'), '$.hash')
    BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;

  CREATE TRIGGER office_staff_rule_added AFTER INSERT ON meta WHEN new.key = 'staff-release' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_rule_changed AFTER UPDATE OF value ON meta
    WHEN new.key = 'staff-release' AND old.value <> new.value BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_rule_erased AFTER DELETE ON meta WHEN old.key = 'staff-release' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
`

export const office = [accountsAndSends, drafts, records, staff].join('')
