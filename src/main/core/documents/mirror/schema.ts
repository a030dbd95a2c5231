/**
 * The shape of `documents.db`. Times are milliseconds since 1970 in UTC. What is short and changes often stands apart from
 * the bodies, so that it can be read whole at the start.
 */
import type { Migration } from '../../storage/migrations.ts'

const documents = `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    folder TEXT NOT NULL,
    -- Whether a folder has shown it: what an operation of ours answered doesn't say where it is.
    is_placed INTEGER NOT NULL CHECK (is_placed IN (0, 1)),
    -- When the look began, or the operation answered, that told what is kept.
    seen_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    arrived_at INTEGER NOT NULL,
    completed_at INTEGER,
    gone_at INTEGER,
    unread INTEGER NOT NULL CHECK (unread IN (0, 1)),
    logs_are_old INTEGER NOT NULL CHECK (logs_are_old IN (0, 1)),
    -- By the service's clock, of the newest entry of its log.
    last_log_at INTEGER,
    package_reference TEXT,
    -- By these an uncertain send is found again; in lower case.
    client_reference TEXT NOT NULL,
    likeness TEXT NOT NULL,
    -- SHA-1 of the item's bytes that said what is kept, in an answer without logs and in one with them.
    plain_hash TEXT,
    logged_hash TEXT,
    UNIQUE (account_id, reference)
  ) STRICT;

  -- What the list shows, JSON of the board's own; made anew from the body where its shape has changed.
  CREATE TABLE board_rows (id INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT;
  -- JSON of the document as it was decoded.
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;

  CREATE TABLE folders (
    account_id TEXT NOT NULL,
    folder TEXT NOT NULL,
    -- When the newest look began, and when its answer had been taken over.
    begun INTEGER NOT NULL,
    looked_at INTEGER NOT NULL,
    -- Of the whole answer, where an answer equal to it says nothing new.
    plain_hash TEXT,
    logged_hash TEXT,
    -- JSON: what came of that answer, and which documents of the folder it lacked, with when they were last seen.
    taken TEXT NOT NULL,
    missing TEXT NOT NULL,
    PRIMARY KEY (account_id, folder)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    signer TEXT,
    from_text TEXT,
    to_text TEXT,
    is_own INTEGER NOT NULL CHECK (is_own IN (0, 1))
  ) STRICT;
  -- All that they are counted by.
  CREATE INDEX changes_by_account ON changes (account_id, id, kind, at, is_own);
  CREATE INDEX changes_by_document ON changes (account_id, reference, id);

  -- Which mirror it is: one that is begun anew numbers its changes anew.
  CREATE TABLE mirror (id TEXT NOT NULL) STRICT;
  INSERT INTO mirror (id) VALUES (lower(hex(randomblob(16))));
`

/** In the order they are applied, as those of the main database are. */
export const mirrorMigrations: readonly Migration[] = [
  { name: 'documents', sql: documents },
  // Rows say since then who signers are: those that were kept are made anew.
  { name: 'people-at-the-counter', sql: 'DELETE FROM board_rows;' }
]
