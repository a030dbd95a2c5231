/** What an office's workstations know about files that a rule has one of them save. */
export const officeFiles = `
  -- Another workstation of this name has saved it.
  ALTER TABLE downloads ADD COLUMN workstation TEXT;
  -- The folder's name among the workstations that share it, and whether the office must still be told that the file was saved.
  ALTER TABLE downloads ADD COLUMN shared_folder TEXT;
  ALTER TABLE downloads ADD COLUMN is_unreported INTEGER NOT NULL DEFAULT 0 CHECK (is_unreported IN (0, 1));
  -- Someone requested it here, whatever other workstations have saved.
  ALTER TABLE downloads ADD COLUMN is_requested INTEGER NOT NULL DEFAULT 0 CHECK (is_requested IN (0, 1));
  CREATE INDEX downloads_unreported ON downloads (account_id, number) WHERE is_unreported = 1;
`
