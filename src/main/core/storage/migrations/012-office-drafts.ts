/** Drafts shared with the office, and their sync state. */
export const officeDrafts = `
  -- The last of the office's changes of drafts that was applied here; -1 until there are rows for the drafts that were here before.
  ALTER TABLE office_accounts ADD COLUMN drafts_cursor INTEGER NOT NULL DEFAULT -1;

  CREATE TABLE office_drafts (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Whether it belongs to this workstation alone, and isn't shared.
    is_mine INTEGER NOT NULL DEFAULT 0,
    -- The contents at the office that the local one derives from, and the office's revision number; 0 if the office doesn't have it.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- How often it was edited here, and how many of these edits the office has.
    edit_count INTEGER NOT NULL DEFAULT 1,
    pushed_edits INTEGER NOT NULL DEFAULT 0,
    -- Whether the office has it in the trash, and whether a local move in or out of the trash is still to be pushed.
    is_trashed INTEGER NOT NULL DEFAULT 0,
    is_move_pending INTEGER NOT NULL DEFAULT 0,
    -- How often a content pulled from the office has replaced the local one. An editor says which edition it shows.
    edition INTEGER NOT NULL DEFAULT 0,
    -- As the office reports: whether this workstation created it, who else is editing it, until when, and how many conflicts it has.
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

  -- Recorded in the transaction that changes a draft, so that no change is missed.
  CREATE TRIGGER office_draft_added AFTER INSERT ON drafts
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_drafts (id, account_id) VALUES (NEW.id, NEW.account_id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_draft_changed AFTER UPDATE OF body ON drafts BEGIN
    UPDATE office_drafts SET edit_count = edit_count + 1 WHERE id = NEW.id;
  END;
  CREATE TRIGGER office_draft_moved AFTER UPDATE OF trashed_at ON drafts BEGIN
    UPDATE office_drafts SET is_move_pending = 1 WHERE id = NEW.id;
  END;
  CREATE TRIGGER office_draft_erased AFTER DELETE ON drafts BEGIN
    UPDATE office_drafts SET edit_count = edit_count + 1 WHERE id = OLD.id;
  END;

  -- The office's draft that a send was made from, and which of its contents, if known. Both stay when the send is no longer linked to the
  -- draft here, and when the account is no longer shared: a restored server is told.
  ALTER TABLE sends ADD COLUMN sent_draft TEXT;
  ALTER TABLE sends ADD COLUMN sent_content TEXT CHECK (sent_content IS NULL OR json_valid(sent_content));
  CREATE INDEX sends_without_link ON sends (sent_draft, state) WHERE draft_id IS NULL AND sent_draft IS NOT NULL;

  -- Of a version: the workstation that wrote it, if that is another; and whether it conflicts with the draft, and was resolved.
  ALTER TABLE draft_versions ADD COLUMN workstation TEXT;
  ALTER TABLE draft_versions ADD COLUMN conflict TEXT CHECK (conflict IN ('open', 'resolved'));
`
