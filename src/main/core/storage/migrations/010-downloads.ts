/** The queue of identity data on its way to disk, what is known of its files, and the rules that fill it. */
import { basename, dirname } from 'node:path'
import type { Db } from '../connection.ts'

export const downloads = `
  DROP INDEX downloads_by_account;
  DROP INDEX downloads_by_document;
  ALTER TABLE downloads RENAME TO downloads_before;

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
    type TEXT NOT NULL CHECK (type IN ('pdf', 'json')),
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
    -- NULL of a file that an earlier version fetched.
    sha256 TEXT,
    -- For the index, as it was when the file was fetched: the document may be gone from all folders by then.
    signers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(signers)),
    client_reference TEXT,
    error TEXT CHECK (json_valid(error)),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 0: at once.
    retry_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    finished_at INTEGER
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

interface Before {
  id: string
  account_id: string
  document_reference: string
  name: string
  type: string
  path: string
  bytes: number
  started_at: number
  finished_at: number | null
}

/** Takes over what is known of files that are there. What failed before had no file, and can be asked for anew. */
export function keepEarlierDownloads(db: Db): void {
  const folder = db.prepare(
    'INSERT INTO download_folders (id, path) VALUES (lower(hex(randomblob(16))), ?) ON CONFLICT (path) DO NOTHING'
  )
  const file = db.prepare(
    `INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, state,
       file_name, bytes, queued_at, finished_at)
     SELECT ?, ?, ?, ?, ?, id, '{document}', 0, 'done', ?, ?, ?, ? FROM download_folders WHERE path = ?`
  )
  const done = db.prepare<[], Before>(
    `SELECT * FROM downloads_before WHERE state = 'done' AND path IS NOT NULL ORDER BY started_at, id`
  )
  for (const one of done.all()) {
    if (one.type !== 'pdf' && one.type !== 'json') continue
    const place = dirname(one.path)
    folder.run(place)
    const { started_at: startedAt } = one
    file.run(
      ...[one.id, one.account_id, one.document_reference, one.name, one.type],
      ...[basename(one.path), one.bytes, startedAt, one.finished_at ?? startedAt, place]
    )
  }
  db.exec('DROP TABLE downloads_before')
}
