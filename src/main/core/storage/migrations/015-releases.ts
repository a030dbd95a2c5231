/** Packages that need release by another staff member: who put each in the outbox, and the decision. */
export const releases = `
  ALTER TABLE sends ADD COLUMN release TEXT CHECK (json_valid(release));
  CREATE INDEX sends_to_release ON sends (batch_id)
    WHERE state = 'ready' AND release IS NOT NULL AND json_extract(release, '$.released') IS NULL AND json_extract(release, '$.refused') IS NULL;
  -- The rule that says which packages need it is shared with the office's list of staff.
  CREATE TRIGGER office_staff_rule_added AFTER INSERT ON meta WHEN NEW.key = 'staff-release' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_rule_changed AFTER UPDATE OF value ON meta
    WHEN NEW.key = 'staff-release' AND OLD.value <> NEW.value BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
  CREATE TRIGGER office_staff_rule_erased AFTER DELETE ON meta WHEN OLD.key = 'staff-release' BEGIN
    UPDATE office_records SET edit_count = edit_count + 1 WHERE kind = 'staff' AND local = 'staff';
  END;
`
