/** Whether the office was notified of a file that a drop folder refused, and whether that was dismissed. */
export const refusedFiles = `
  ALTER TABLE drop_folder_files ADD COLUMN is_notified INTEGER NOT NULL DEFAULT 0 CHECK (is_notified IN (0, 1));
  ALTER TABLE drop_folder_files ADD COLUMN is_dismissed INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1));
  -- What was refused before there was a way to be told isn't news.
  UPDATE drop_folder_files SET is_notified = 1, is_dismissed = 1 WHERE state <> 'claimed';
  CREATE INDEX drop_folder_files_refused ON drop_folder_files (number) WHERE outcome = 'failed';
  CREATE INDEX drop_folder_files_open_refusals ON drop_folder_files (folder_id, number) WHERE outcome = 'failed' AND is_dismissed = 0;
`
