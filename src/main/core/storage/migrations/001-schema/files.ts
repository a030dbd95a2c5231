/** Files that come in and go out: drop folders with each file's outcome, and the queue of downloads with its rules. */
const dropFolders = `
  CREATE TABLE drop_folders (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The absolute path, with links resolved.
    place TEXT NOT NULL UNIQUE,
    sends INTEGER NOT NULL DEFAULT 0 CHECK (sends IN (0, 1)),
    -- Not an enforced reference: a folder whose preset was deleted must not go on with another one, or with none.
    preset_id TEXT,
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- A folder that is no longer watched is remembered, so that nothing is taken twice if it is watched again.
    removed_at INTEGER
  ) STRICT;
  CREATE INDEX drop_folders_by_account ON drop_folders (account_id, created_at);

  CREATE TABLE drop_folder_files (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    folder_id TEXT NOT NULL REFERENCES drop_folders (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    -- claimed: it has no result yet, unless its batch exists. made: its result exists, and the file is still to be moved.
    -- finished: the file was moved to done or failed.
    state TEXT NOT NULL CHECK (state IN ('claimed', 'made', 'finished')),
    taken_at INTEGER NOT NULL,
    -- The id that its batch gets, if it becomes one: chosen beforehand, so that the batch can be found after a crash.
    batch_id TEXT NOT NULL,
    outcome TEXT CHECK (outcome IN ('drafts', 'batch', 'failed')),
    count INTEGER NOT NULL DEFAULT 0,
    draft_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(draft_ids)),
    error TEXT CHECK (json_valid(error)),
    -- The report's text until it is in a file beside the moved one.
    report TEXT,
    -- The file's name in done or failed, recorded before it is moved.
    put_as TEXT,
    -- Whether it was checked once more after it was moved: the program that wrote it may have continued writing.
    is_rechecked INTEGER NOT NULL DEFAULT 0 CHECK (is_rechecked IN (0, 1)),
    -- Whether staff were notified that it was refused, and whether someone dismissed that.
    is_notified INTEGER NOT NULL DEFAULT 0 CHECK (is_notified IN (0, 1)),
    is_dismissed INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1))
  ) STRICT;
  CREATE INDEX drop_folder_files_open ON drop_folder_files (folder_id, name) WHERE state <> 'finished';
  CREATE INDEX drop_folder_files_to_recheck ON drop_folder_files (folder_id) WHERE state = 'finished' AND is_rechecked = 0;
  CREATE INDEX drop_folder_files_by_folder ON drop_folder_files (folder_id, number DESC, outcome) WHERE state <> 'claimed';
  CREATE INDEX drop_folder_files_refused ON drop_folder_files (number) WHERE outcome = 'failed';
  CREATE INDEX drop_folder_files_open_refusals ON drop_folder_files (folder_id, number)
    WHERE outcome = 'failed' AND is_dismissed = 0;
`

const downloads = `
  CREATE TABLE download_folders (
    id TEXT PRIMARY KEY NOT NULL,
    -- Absolute. Never sent to a screen.
    path TEXT NOT NULL UNIQUE,
    -- Files were added since its index was written.
    index_due INTEGER NOT NULL DEFAULT 0 CHECK (index_due IN (0, 1))
  ) STRICT;

  CREATE TABLE downloads (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('pdf', 'json', 'signed')),
    folder_id TEXT NOT NULL REFERENCES download_folders (id),
    -- The file's name is made from it when the file is fetched.
    pattern TEXT NOT NULL,
    writes_index INTEGER NOT NULL CHECK (writes_index IN (0, 1)),
    rule_id TEXT,
    -- A running download is stored as waiting, so that there is nothing to repair after a crash.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'cancelled')),
    -- Below the folder, with / between its parts.
    file_name TEXT,
    was_there INTEGER NOT NULL DEFAULT 0 CHECK (was_there IN (0, 1)),
    bytes INTEGER NOT NULL DEFAULT 0,
    sha256 TEXT,
    -- For the index, as they were when the file was fetched: the document may have left all folders by then.
    signers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(signers)),
    client_reference TEXT,
    error TEXT CHECK (json_valid(error)),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 0 for immediately.
    retry_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    finished_at INTEGER,
    -- What identifies the file while it is given its name, so that it is found after a crash, even if the service makes a new
    -- report for each request.
    naming_bytes INTEGER,
    naming_sha256 TEXT,
    -- The workstation of this name has saved it, not this one.
    workstation TEXT,
    -- The folder's name among the workstations that share it, and whether the office must still be told that the file was
    -- saved.
    shared_folder TEXT,
    is_unreported INTEGER NOT NULL DEFAULT 0 CHECK (is_unreported IN (0, 1)),
    -- Someone requested it here, whatever other workstations have saved.
    is_requested INTEGER NOT NULL DEFAULT 0 CHECK (is_requested IN (0, 1))
  ) STRICT;
  CREATE INDEX downloads_waiting ON downloads (account_id, folder_id, retry_at, number) WHERE state = 'waiting';
  CREATE UNIQUE INDEX downloads_once ON downloads (account_id, document_reference, type, folder_id, pattern)
    WHERE state = 'waiting';
  CREATE INDEX downloads_in_line ON downloads (account_id, number) WHERE state = 'waiting';
  CREATE INDEX downloads_ended ON downloads (account_id, finished_at DESC, number DESC) WHERE state <> 'waiting';
  CREATE INDEX downloads_by_document ON downloads (account_id, document_reference);
  CREATE INDEX downloads_by_file ON downloads (folder_id, file_name) WHERE state = 'done';
  CREATE INDEX downloads_stopped ON downloads (account_id, state, finished_at DESC, number DESC)
    WHERE state IN ('failed', 'cancelled');
  CREATE INDEX downloads_unreported ON downloads (account_id, number) WHERE is_unreported = 1;

  -- Kept by the triggers, so that a long list is counted at once.
  CREATE TABLE download_counts (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, state)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER downloads_come AFTER INSERT ON downloads BEGIN
    INSERT INTO download_counts VALUES (new.account_id, new.state, 1)
      ON CONFLICT (account_id, state) DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER downloads_move AFTER UPDATE OF state ON downloads WHEN old.state <> new.state BEGIN
    UPDATE download_counts SET count = count - 1 WHERE account_id = old.account_id AND state = old.state;
    INSERT INTO download_counts VALUES (new.account_id, new.state, 1)
      ON CONFLICT (account_id, state) DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER downloads_go AFTER DELETE ON downloads BEGIN
    UPDATE download_counts SET count = count - 1 WHERE account_id = old.account_id AND state = old.state;
  END;

  CREATE TABLE download_rules (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Not an enforced reference: a rule whose view was deleted pauses.
    view_id TEXT NOT NULL,
    -- The view's query when someone last edited the rule: another workstation may change the view.
    view_query TEXT CHECK (json_valid(view_query)),
    -- Who changed the query since, and into what. That may be another person than the one who saved the view last.
    view_change TEXT CHECK (json_valid(view_change)),
    folder_id TEXT NOT NULL REFERENCES download_folders (id),
    types TEXT NOT NULL CHECK (json_valid(types)),
    pattern TEXT NOT NULL,
    writes_index INTEGER NOT NULL CHECK (writes_index IN (0, 1)),
    is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- The mirror whose changes it follows, and the change after which it started.
    mirror TEXT NOT NULL,
    since_change INTEGER NOT NULL,
    -- Whether it still has to go through documents that were complete before it.
    is_scan_due INTEGER NOT NULL DEFAULT 0 CHECK (is_scan_due IN (0, 1)),
    fetched INTEGER NOT NULL DEFAULT 0,
    problem TEXT CHECK (json_valid(problem))
  ) STRICT;
  CREATE INDEX download_rules_by_account ON download_rules (account_id, created_at);

  -- A rule's documents, completed since it started: a row with a blank type, and one for each type, or for the verification,
  -- that was queued.
  CREATE TABLE download_rule_documents (
    rule_id TEXT NOT NULL REFERENCES download_rules (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    document_reference TEXT NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (rule_id, account_id, document_reference, type)
  ) STRICT, WITHOUT ROWID;
`

export const files = [dropFolders, downloads].join('')
