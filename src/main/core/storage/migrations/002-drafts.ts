/**
 * Drafts with their history, their trash and an index of all their words; presets; and what is offered while one types.
 * Times are milliseconds since 1970 in UTC. What belongs to an account goes with it, and its words with that.
 */
import { Composition, whoOf } from '../../../../shared/composition/index.ts'
import { wordsOf, wordsOfAnything } from '../../drafts/words.ts'
import type { Db } from '../connection.ts'

export const drafts = `
  DROP INDEX drafts_by_account;
  ALTER TABLE drafts RENAME TO drafts_before;
  CREATE TABLE drafts (
    -- What the index of words knows a draft by. Named, because an unnamed rowid may change when the file is compacted.
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    title TEXT NOT NULL,
    who TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    trashed_at INTEGER,
    -- How often the trash had been looked through when the draft was put in it.
    trashed_look INTEGER CHECK ((trashed_look IS NULL) = (trashed_at IS NULL)),
    -- Last, because whatever stands behind a long text is slow to reach.
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body)
    SELECT id, account_id, kind, title, created_at, updated_at, body FROM drafts_before ORDER BY created_at, rowid;
  DROP TABLE drafts_before;
  CREATE INDEX drafts_by_account ON drafts (account_id, trashed_at, updated_at DESC, id);
  CREATE INDEX drafts_in_trash ON drafts (trashed_at) WHERE trashed_at IS NOT NULL;

  CREATE VIRTUAL TABLE draft_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
  );
  CREATE TRIGGER draft_words_go AFTER DELETE ON drafts BEGIN
    DELETE FROM draft_words WHERE rowid = old.number;
  END;

  CREATE TABLE draft_versions (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    draft_number INTEGER NOT NULL REFERENCES drafts (number) ON DELETE CASCADE,
    reason TEXT NOT NULL CHECK (reason IN ('change', 'send', 'restore')),
    title TEXT NOT NULL,
    who TEXT NOT NULL,
    -- When this was the draft, and when it was put here.
    saved_at INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  CREATE INDEX draft_versions_by_draft ON draft_versions (draft_number, number);

  CREATE TABLE presets (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  CREATE INDEX presets_by_account ON presets (account_id);

  -- Drafts and presets of a file that is still being imported: not shown yet, and removed where that was cut short.
  CREATE TABLE arrivals (
    id TEXT PRIMARY KEY NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE people (
    number INTEGER PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Both in lower case: two people who share an address stay two.
    email_key TEXT NOT NULL,
    name_key TEXT NOT NULL,
    first_name TEXT NOT NULL,
    middle_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    email TEXT NOT NULL,
    mobile_country TEXT NOT NULL,
    mobile_number TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    times INTEGER NOT NULL,
    UNIQUE (account_id, email_key, name_key)
  ) STRICT;
  CREATE INDEX people_by_use ON people (account_id, used_at DESC);

  CREATE VIRTUAL TABLE people_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
  );
  CREATE TRIGGER people_words_come AFTER INSERT ON people BEGIN
    INSERT INTO people_words (rowid, words)
      VALUES (new.number, concat_ws(' ', new.first_name, new.middle_name, new.last_name, new.email));
  END;
  CREATE TRIGGER people_words_change AFTER UPDATE OF middle_name ON people WHEN old.middle_name <> new.middle_name BEGIN
    INSERT OR REPLACE INTO people_words (rowid, words)
      VALUES (new.number, concat_ws(' ', new.first_name, new.middle_name, new.last_name, new.email));
  END;
  CREATE TRIGGER people_words_go AFTER DELETE ON people BEGIN
    DELETE FROM people_words WHERE rowid = old.number;
  END;

  CREATE TABLE remembered (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, field, value)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE remembered_forms (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    reference TEXT NOT NULL,
    form_type TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, reference, form_type, name)
  ) STRICT, WITHOUT ROWID;
`

/** Names the signers of the drafts that were there before, and makes their words findable. */
export function indexDrafts(db: Db): void {
  const numbers = db.prepare<[], number>('SELECT number FROM drafts').pluck().all()
  const bodyOf = db.prepare<[number], string>('SELECT body FROM drafts WHERE number = ?').pluck()
  const name = db.prepare('UPDATE drafts SET who = ? WHERE number = ?')
  const index = db.prepare('INSERT INTO draft_words (rowid, words) VALUES (?, ?)')
  for (const number of numbers) {
    const stored: unknown = JSON.parse(bodyOf.get(number) ?? 'null')
    const read = Composition.safeParse(stored)
    // What this version can't read is kept as it is, and can still be found by its words.
    if (read.success) name.run(whoOf(read.data), number)
    index.run(number, read.success ? wordsOf(read.data) : wordsOfAnything(stored))
  }
}
