/** Drafts shared with the office, and their sync state. */
export const officeDrafts = `
  -- Up to which of the office's changes of drafts all is here; -1 while what was here before isn't noted down yet.
  ALTER TABLE office_accounts ADD COLUMN drafts_cursor INTEGER NOT NULL DEFAULT -1;

  CREATE TABLE office_drafts (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- It is this workstation's own, and stays here.
    is_mine INTEGER NOT NULL DEFAULT 0,
    -- The contents at the office that what is here goes on from, and how many the office's has had; 0 where the office has none.
    based_on TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(based_on)),
    revision INTEGER NOT NULL DEFAULT 0,
    -- How often it was changed here, and how much of that the office has.
    edits INTEGER NOT NULL DEFAULT 1,
    given INTEGER NOT NULL DEFAULT 0,
    -- Whether the office has it in the trash, and whether that is otherwise here.
    is_aside INTEGER NOT NULL DEFAULT 0,
    is_moved INTEGER NOT NULL DEFAULT 0,
    -- How often another's content has taken the place of what was here: an editor goes on from one of these.
    taken INTEGER NOT NULL DEFAULT 0,
    -- As the office reports: whether this workstation created it, who else is editing it, until when, and how many conflicts it has.
    is_made_here INTEGER NOT NULL DEFAULT 1,
    editing_by TEXT,
    editing_until INTEGER NOT NULL DEFAULT 0,
    conflict_count INTEGER NOT NULL DEFAULT 0,
    -- It is no more, and the office knows.
    is_gone INTEGER NOT NULL DEFAULT 0,
    -- It is still to be told to a server that was put back.
    is_to_know INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX office_drafts_to_give ON office_drafts (account_id)
    WHERE is_mine = 0 AND is_gone = 0 AND (edits <> given OR is_moved = 1);

  -- Noted in the transaction that changes a draft, so that nothing is forgotten.
  CREATE TRIGGER office_draft_added AFTER INSERT ON drafts
    WHEN EXISTS (SELECT 1 FROM office_accounts WHERE account_id = NEW.account_id) BEGIN
    INSERT INTO office_drafts (id, account_id) VALUES (NEW.id, NEW.account_id) ON CONFLICT DO NOTHING;
  END;
  CREATE TRIGGER office_draft_changed AFTER UPDATE OF body ON drafts BEGIN
    UPDATE office_drafts SET edits = edits + 1 WHERE id = NEW.id;
  END;
  CREATE TRIGGER office_draft_moved AFTER UPDATE OF trashed_at ON drafts BEGIN
    UPDATE office_drafts SET is_moved = 1 WHERE id = NEW.id;
  END;
  CREATE TRIGGER office_draft_erased AFTER DELETE ON drafts BEGIN
    UPDATE office_drafts SET edits = edits + 1 WHERE id = OLD.id;
  END;

  -- Of a version: the workstation that wrote it, if that is another; and whether it conflicts with the draft, and was resolved.
  ALTER TABLE draft_versions ADD COLUMN workstation TEXT;
  ALTER TABLE draft_versions ADD COLUMN conflict TEXT CHECK (conflict IN ('open', 'resolved'));
`
