/** Folders that other software drops files in, and what became of each file. */
export const handOff = `
  CREATE TABLE hand_off_folders (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The absolute path, links in it followed.
    place TEXT NOT NULL UNIQUE,
    sends INTEGER NOT NULL DEFAULT 0 CHECK (sends IN (0, 1)),
    -- No reference that is enforced: without its preset a folder must not fill in another thing, or nothing.
    preset_id TEXT,
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- A folder that isn't watched any more is remembered: should it be again, what was taken is not taken twice.
    removed_at INTEGER
  ) STRICT;
  CREATE INDEX hand_off_folders_by_account ON hand_off_folders (account_id, created_at);

  CREATE TABLE hand_off_files (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    folder_id TEXT NOT NULL REFERENCES hand_off_folders (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    -- claimed: nothing has come of it yet, unless its batch is there. made: what comes of it is there, and the file is still
    -- to be put away. finished: it was put away.
    state TEXT NOT NULL CHECK (state IN ('claimed', 'made', 'finished')),
    taken_at INTEGER NOT NULL,
    -- The batch that it becomes, should it become one: chosen before, so that it can be found after a crash.
    batch_id TEXT NOT NULL,
    outcome TEXT CHECK (outcome IN ('drafts', 'batch', 'failed')),
    count INTEGER NOT NULL DEFAULT 0,
    draft_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(draft_ids)),
    error TEXT CHECK (json_valid(error)),
    -- The text of the report until it lies beside the file.
    report TEXT,
    -- The name that the file is given in done or failed, noted before it is moved.
    put_as TEXT,
    -- Whether it was looked at once more after it was put away: whoever wrote it may have gone on writing.
    is_settled INTEGER NOT NULL DEFAULT 0 CHECK (is_settled IN (0, 1))
  ) STRICT;
  CREATE INDEX hand_off_files_open ON hand_off_files (folder_id, name) WHERE state <> 'finished';
  CREATE INDEX hand_off_files_unsettled ON hand_off_files (folder_id) WHERE state = 'finished' AND is_settled = 0;
  CREATE INDEX hand_off_files_by_folder ON hand_off_files (folder_id, number DESC, outcome) WHERE state <> 'claimed';
`
