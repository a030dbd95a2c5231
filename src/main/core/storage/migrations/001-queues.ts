/** Tables of the queues: sends, drop-folder files, and downloads. Part of 001-schema.ts. */

/**
 * The outbox as a state machine: waiting sends, batches, each account's outbox, and which send created which document.
 * A send's columns hold what lists show; its content is in a separate table, so that lists never read past it.
 */
const OUTBOX = `
  CREATE TABLE outboxes (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    concurrency INTEGER NOT NULL DEFAULT 2 CHECK (concurrency BETWEEN 1 AND 4),
    -- NULL for as fast as they go.
    per_minute INTEGER CHECK (per_minute > 0),
    take_back_seconds INTEGER NOT NULL DEFAULT 10 CHECK (take_back_seconds BETWEEN 0 AND 60),
    paused_by TEXT CHECK (paused_by IN ('person', 'service')),
    paused_at INTEGER,
    pause_error TEXT CHECK (json_valid(pause_error))
  ) STRICT;

  CREATE TABLE batches (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- preparing: not all of it is written yet, and nothing of it has left.
    state TEXT NOT NULL CHECK (state IN ('preparing', 'going', 'cancelled')),
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    -- Until when it can be taken back; 0 if it was given a time, which its sends have.
    goes_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    left_out_count INTEGER NOT NULL DEFAULT 0,
    -- Headings of the sheet, and the rows of it that had errors: {row, cells, problems}.
    columns TEXT NOT NULL CHECK (json_valid(columns)),
    left_out TEXT NOT NULL CHECK (json_valid(left_out))
  ) STRICT;
  CREATE INDEX batches_by_account ON batches (account_id, created_at DESC, number DESC);
  CREATE INDEX batches_unfinished ON batches (state) WHERE state <> 'going';

  CREATE TABLE sends (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- A send outlives the draft it came from, and still knows which it was: so no reference that is enforced.
    draft_id TEXT,
    batch_id TEXT REFERENCES batches (id) ON DELETE CASCADE,
    -- The row of the batch's sheet, from 1.
    sheet_row INTEGER,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    state TEXT NOT NULL
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled')),
    title TEXT NOT NULL,
    who TEXT NOT NULL DEFAULT '',
    -- Whether goes_at is a time that a person gave it, or the end of the time to take it back. 0: at once.
    is_scheduled INTEGER NOT NULL DEFAULT 0 CHECK (is_scheduled IN (0, 1)),
    goes_at INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,
    -- The oldest attempt of which it isn't certain that it came to nothing.
    first_attempted_at INTEGER,
    settled_at INTEGER,
    package_reference TEXT,
    package_status TEXT,
    -- What a list shows of the documents: {reference, name}.
    documents TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(documents)),
    fingerprint TEXT NOT NULL DEFAULT '',
    error TEXT CHECK (json_valid(error)),
    doubt TEXT CHECK (json_valid(doubt)),
    -- References of documents that a person said are not this send's.
    dismissed TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(dismissed))
  ) STRICT;
  CREATE INDEX sends_by_account ON sends (account_id, created_at DESC, sheet_row, number DESC);
  CREATE INDEX sends_by_state ON sends (account_id, state, created_at DESC, sheet_row, number DESC);
  CREATE INDEX sends_by_batch ON sends (batch_id, sheet_row, state) WHERE batch_id IS NOT NULL;
  CREATE INDEX sends_by_draft ON sends (draft_id, state) WHERE draft_id IS NOT NULL;
  CREATE INDEX sends_by_package ON sends (account_id, package_reference) WHERE package_reference IS NOT NULL;
  CREATE INDEX sends_ready ON sends (account_id, batch_id, goes_at, sheet_row, number, is_scheduled)
    WHERE state = 'ready';
  CREATE INDEX sends_unsettled ON sends (account_id, state) WHERE state IN ('sending', 'uncertain');
  -- Which drafts are with the outbox, as the list of drafts asks each time: without going through a batch of thousands
  -- that no draft belongs to, nor through all that was ever sent.
  CREATE INDEX sends_holding_drafts ON sends (account_id, draft_id, state)
    WHERE draft_id IS NOT NULL AND state IN ('ready', 'sending', 'uncertain');

  -- Title and signers, by the number of the send.
  CREATE VIRTUAL TABLE send_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
  );
  CREATE TRIGGER send_words_come AFTER INSERT ON sends BEGIN
    INSERT INTO send_words (rowid, words) VALUES (new.number, new.title || ' ' || new.who);
  END;
  CREATE TRIGGER send_words_go AFTER DELETE ON sends BEGIN
    DELETE FROM send_words WHERE rowid = old.number;
  END;

  CREATE TABLE send_bodies (
    number INTEGER PRIMARY KEY NOT NULL REFERENCES sends (number) ON DELETE CASCADE,
    -- The row of the sheet as it was.
    cells TEXT CHECK (json_valid(cells)),
    -- The request exactly as it is sent, and the composition that it was made of.
    body TEXT NOT NULL CHECK (json_valid(body)),
    -- What the service answered; with links to sign by only until the documents have them.
    response TEXT CHECK (json_valid(response))
  ) STRICT;
  CREATE INDEX send_bodies_with_links ON send_bodies (number) WHERE instr(response, '"SigningKey"') > 0;

  CREATE TABLE send_documents (
    reference TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    send_id TEXT NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    PRIMARY KEY (reference, account_id, send_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX send_documents_by_account ON send_documents (account_id);
  CREATE INDEX send_documents_by_send ON send_documents (send_id);

  -- How many sends there are of each state, so that nobody has to count a hundred thousand of them.
  CREATE TABLE send_counts (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Blank for those of no batch.
    batch_id TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, batch_id, state)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX send_counts_ready ON send_counts (account_id, batch_id) WHERE state = 'ready' AND count > 0;
  CREATE TRIGGER send_counts_come AFTER INSERT ON sends BEGIN
    INSERT INTO send_counts VALUES (new.account_id, coalesce(new.batch_id, ''), new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER send_counts_change AFTER UPDATE OF state ON sends WHEN old.state <> new.state BEGIN
    UPDATE send_counts SET count = count - 1
      WHERE account_id = old.account_id AND batch_id = coalesce(old.batch_id, '') AND state = old.state;
    INSERT INTO send_counts VALUES (new.account_id, coalesce(new.batch_id, ''), new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER send_counts_go AFTER DELETE ON sends BEGIN
    UPDATE send_counts SET count = count - 1
      WHERE account_id = old.account_id AND batch_id = coalesce(old.batch_id, '') AND state = old.state;
  END;
`

/** Drop folders that other software writes files to, and each file's outcome. */
const DROP_FOLDERS = `
  CREATE TABLE drop_folders (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The absolute path, links in it followed.
    place TEXT NOT NULL UNIQUE,
    sends INTEGER NOT NULL DEFAULT 0 CHECK (sends IN (0, 1)),
    -- No reference that is enforced: without its preset a folder must not fill in another thing, or nothing.
    preset_id TEXT,
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- A folder that isn't watched any longer is remembered: should it be again, what was taken is not taken twice.
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
    -- Whether it was looked at once more after it was put away: the program that wrote it may have gone on writing.
    is_rechecked INTEGER NOT NULL DEFAULT 0 CHECK (is_rechecked IN (0, 1))
  ) STRICT;
  CREATE INDEX drop_folder_files_open ON drop_folder_files (folder_id, name) WHERE state <> 'finished';
  CREATE INDEX drop_folder_files_to_recheck ON drop_folder_files (folder_id) WHERE state = 'finished' AND is_rechecked = 0;
  CREATE INDEX drop_folder_files_by_folder ON drop_folder_files (folder_id, number DESC, outcome) WHERE state <> 'claimed';
`

/** The queue of identity-data downloads, known files, and the rules that fill the queue. */
const DOWNLOADS = `
  CREATE TABLE download_folders (
    id TEXT PRIMARY KEY NOT NULL,
    -- Absolute. Never told to a screen.
    path TEXT NOT NULL UNIQUE,
    -- Files have come since its index was written.
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
    -- How its file is named is found out when it is fetched.
    pattern TEXT NOT NULL,
    writes_index INTEGER NOT NULL CHECK (writes_index IN (0, 1)),
    rule_id TEXT,
    -- What is under way waits as far as the disk knows: an end in the middle leaves nothing to be put right.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed', 'cancelled')),
    -- Below the folder, with / between its parts.
    file_name TEXT,
    was_there INTEGER NOT NULL DEFAULT 0 CHECK (was_there IN (0, 1)),
    bytes INTEGER NOT NULL DEFAULT 0,
    sha256 TEXT,
    -- For the index, as it was when the file was fetched: the document may be gone from all folders by then.
    signers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(signers)),
    client_reference TEXT,
    error TEXT CHECK (json_valid(error)),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 0: at once.
    retry_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    finished_at INTEGER,
    -- By what a file is known while it is given its name: an end before it is written down finds it again, also if the
    -- service makes a new report each time it is asked.
    naming_bytes INTEGER,
    naming_sha256 TEXT
  ) STRICT;
  CREATE INDEX downloads_waiting ON downloads (account_id, folder_id, retry_at, number) WHERE state = 'waiting';
  CREATE UNIQUE INDEX downloads_once ON downloads (account_id, document_reference, type, folder_id)
    WHERE state = 'waiting';
  CREATE INDEX downloads_in_line ON downloads (account_id, number) WHERE state = 'waiting';
  CREATE INDEX downloads_ended ON downloads (account_id, finished_at DESC, number DESC) WHERE state <> 'waiting';
  CREATE INDEX downloads_by_document ON downloads (account_id, document_reference);
  CREATE INDEX downloads_by_file ON downloads (folder_id, file_name) WHERE state = 'done';
  CREATE INDEX downloads_stopped ON downloads (account_id, state, finished_at DESC, number DESC)
    WHERE state IN ('failed', 'cancelled');

  -- Kept by the triggers below: a long list is counted at once.
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
    -- No reference that is enforced: without its view a rule rests.
    view_id TEXT NOT NULL,
    folder_id TEXT NOT NULL REFERENCES download_folders (id),
    types TEXT NOT NULL CHECK (json_valid(types)),
    pattern TEXT NOT NULL,
    writes_index INTEGER NOT NULL CHECK (writes_index IN (0, 1)),
    is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- Which mirror's changes it began after, and after which of them.
    mirror TEXT NOT NULL,
    since_change INTEGER NOT NULL,
    fetched INTEGER NOT NULL DEFAULT 0,
    problem TEXT CHECK (json_valid(problem))
  ) STRICT;
  CREATE INDEX download_rules_by_account ON download_rules (account_id, created_at);

  -- Documents that a rule is about. type '': it is complete, and since the rule is there. Else it was put in the queue.
  CREATE TABLE download_rule_documents (
    rule_id TEXT NOT NULL REFERENCES download_rules (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    document_reference TEXT NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (rule_id, account_id, document_reference, type)
  ) STRICT, WITHOUT ROWID;
`

export const QUEUES = [OUTBOX, DROP_FOLDERS, DOWNLOADS].join('')
