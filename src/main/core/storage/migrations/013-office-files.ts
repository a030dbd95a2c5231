/** What an office's workstations know about files that a rule has one of them save. */
export const officeFiles = `
  -- Another workstation of this name has saved it.
  ALTER TABLE downloads ADD COLUMN desk TEXT;
  -- By what the folder is known to all that share it, and whether the office is still to hear that the file is there.
  ALTER TABLE downloads ADD COLUMN shared_folder TEXT;
  ALTER TABLE downloads ADD COLUMN is_untold INTEGER NOT NULL DEFAULT 0 CHECK (is_untold IN (0, 1));
  -- A person wants it here, whatever others have saved.
  ALTER TABLE downloads ADD COLUMN is_asked_for INTEGER NOT NULL DEFAULT 0 CHECK (is_asked_for IN (0, 1));
  CREATE INDEX downloads_untold ON downloads (account_id, number) WHERE is_untold = 1;
`
