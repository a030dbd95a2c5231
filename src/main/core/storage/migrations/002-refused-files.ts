/** Whether the office was notified of a file that a drop folder refused, and whether that was dismissed. */
export const refusedFiles = `
  ALTER TABLE hand_off_files ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1));
  ALTER TABLE hand_off_files ADD COLUMN is_dismissed INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1));
  -- What was refused before there was a way to be told isn't news.
  UPDATE hand_off_files SET is_told = 1, is_dismissed = 1 WHERE state <> 'claimed';
  CREATE INDEX hand_off_files_refused ON hand_off_files (number) WHERE outcome = 'failed';
  CREATE INDEX hand_off_files_open_refusals ON hand_off_files (folder_id, number) WHERE outcome = 'failed' AND is_dismissed = 0;
`
