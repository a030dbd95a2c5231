/**
 * The outbox as a state machine: sends that wait, batches, each account's box, and which send made which document. What a
 * list shows of a send is in its columns; what it holds stands in a table beside it, so that lists never read past it.
 * Times are milliseconds since 1970 in UTC.
 */
import { Composition, fingerprintOf, whoOf } from '../../../../shared/composition/index.ts'
import type { Db } from '../connection.ts'

export const outbox = `
  DROP INDEX sends_by_account;
  DROP INDEX sends_by_reference;
  DROP INDEX sends_by_draft;
  DROP INDEX sends_unsettled;
  ALTER TABLE sends RENAME TO sends_before;

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
    -- Until when it can be taken back; 0 where it was given a time, which its sends have.
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
    response TEXT CHECK (json_valid(response))
  ) STRICT;

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

  INSERT INTO sends (id, account_id, draft_id, kind, state, title, created_at, attempt, attempted_at, first_attempted_at,
      settled_at, package_reference, package_status, documents, error)
    SELECT id, account_id, draft_id, kind, state, title, attempted_at, 1, attempted_at, attempted_at, settled_at,
      CAST(response ->> '$.PackageReference' AS TEXT), CAST(response ->> '$.PackageStatus' AS TEXT),
      (SELECT json_group_array(json_object('reference', value ->> '$.Reference', 'name', coalesce(value ->> '$.Name', '')))
        FROM json_each(sends_before.response, '$.Documents')), error
    FROM sends_before ORDER BY attempted_at, rowid;
  INSERT INTO send_bodies (number, body, response)
    SELECT sends.number, sends_before.body, sends_before.response FROM sends JOIN sends_before USING (id);
  INSERT INTO send_documents (reference, account_id, send_id)
    SELECT DISTINCT CAST(document.value ->> '$.Reference' AS TEXT), sends_before.account_id, sends_before.id
    FROM sends_before, json_each(sends_before.response, '$.Documents') AS document
    WHERE document.value ->> '$.Reference' IS NOT NULL;
  DROP TABLE sends_before;
`

/** Names the signers of the sends that were there before, and makes them findable. */
export function indexSends(db: Db): void {
  const sends = db.prepare<[], { number: number; title: string }>('SELECT number, title FROM sends').all()
  const bodyOf = db.prepare<[number], string>('SELECT body FROM send_bodies WHERE number = ?').pluck()
  const write = db.prepare('UPDATE sends SET who = ?, fingerprint = ? WHERE number = ?')
  const index = db.prepare('INSERT OR REPLACE INTO send_words (rowid, words) VALUES (?, ?)')
  for (const { number, title } of sends) {
    const { composition } = JSON.parse(bodyOf.get(number) ?? '{}') as { composition?: unknown }
    const read = Composition.safeParse(composition)
    const who = read.success ? whoOf(read.data) : ''
    write.run(who, read.success ? fingerprintOf(read.data) : '', number)
    index.run(number, `${title} ${who}`)
  }
}
