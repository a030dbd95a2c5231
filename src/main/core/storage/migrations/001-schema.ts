/**
 * The database's tables. Times are milliseconds since 1970 UTC; JSON columns are decoded by the module that owns the
 * table. An account's data is deleted with it, and so are its search words.
 */
import { QUEUES } from './001-queues.ts'

/** Accounts, and single values by key. */
const ACCOUNTS = `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('practice', 'service')),
    -- A practice account has none: its service listens on another port each time it starts.
    base_url TEXT CHECK ((kind = 'practice') = (base_url IS NULL)),
    auth_scheme TEXT NOT NULL CHECK (auth_scheme IN ('none', 'api-key', 'bearer')),
    colour TEXT NOT NULL,
    json_by_query INTEGER NOT NULL DEFAULT 0 CHECK (json_by_query IN (0, 1)),
    folders TEXT NOT NULL CHECK (json_valid(folders)),
    created_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- How the account's service wants the data type of its identity data spelled.
    data_type_spelling TEXT NOT NULL DEFAULT 'lower-then-upper'
      CHECK (data_type_spelling IN ('lower', 'upper', 'lower-then-upper'))
  ) STRICT;

  CREATE TABLE meta (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
`

/** Drafts with their versions, trash and full-text index; presets; and suggestions while typing. */
const DRAFTS = `
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

/**
 * Saved document views, and actions on documents with their progress and outcome. The mirror of the folders has its own
 * file: see core/documents/mirror-schema.ts.
 */
const DOCUMENTS = `
  CREATE TABLE document_views (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- A DocumentQuery, decoded when it is read.
    query TEXT NOT NULL CHECK (json_valid(query)),
    tell INTEGER NOT NULL DEFAULT 0 CHECK (tell IN (0, 1)),
    position INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX document_views_by_account ON document_views (account_id, position);

  CREATE TABLE actions (
    number INTEGER PRIMARY KEY NOT NULL,
    -- The screen's: one press of a button has one.
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('correct', 'extend', 'notary', 'remind')),
    reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    package_reference TEXT,
    -- What it is done to: of one kind, one at a time.
    target TEXT NOT NULL,
    -- An ActionRequest.
    request TEXT NOT NULL CHECK (json_valid(request)),
    -- What it looked like before, as far as the action concerns it.
    before TEXT NOT NULL CHECK (json_valid(before)),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'refused', 'uncertain', 'cancelled')),
    -- Whether an earlier attempt may have arrived: then a refusal of this one proves nothing.
    in_doubt INTEGER NOT NULL DEFAULT 0 CHECK (in_doubt IN (0, 1)),
    error TEXT CHECK (json_valid(error)),
    result TEXT CHECK (json_valid(result)),
    created_at INTEGER NOT NULL,
    attempted_at INTEGER,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX actions_by_account ON actions (account_id, number DESC);
  CREATE INDEX actions_by_document ON actions (account_id, reference, number DESC);
  CREATE INDEX actions_settled ON actions (settled_at) WHERE settled_at IS NOT NULL;
  CREATE UNIQUE INDEX actions_open ON actions (account_id, kind, target)
    WHERE state IN ('waiting', 'running', 'uncertain');
`

/** The directory: employer records and form usage. */
const DIRECTORY = `
  -- The employer records as the service answered them last: the reference has no route to read them.
  CREATE TABLE employers (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- An EmployerSet (2.19), with members that this version doesn't know.
    records TEXT NOT NULL CHECK (json_valid(records)),
    -- Those of the answer that could not be read, and so are not in it.
    unreadable TEXT NOT NULL CHECK (json_valid(unreadable)),
    answered_at INTEGER NOT NULL
  ) STRICT;

  -- How often which forms were sent, counted as they are, so that nobody has to read a hundred thousand sends.
  CREATE TABLE form_uses (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    reference TEXT NOT NULL,
    -- Blank for templates.
    form_type TEXT NOT NULL,
    name TEXT NOT NULL,
    uses INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind, reference, form_type)
  ) STRICT, WITHOUT ROWID;
  -- A use of each form or template of a send, however often the package has it and whatever it is called there.
  CREATE TRIGGER form_uses_come AFTER UPDATE OF state ON sends WHEN new.state = 'sent' AND old.state <> 'sent' BEGIN
    INSERT INTO form_uses (account_id, kind, reference, form_type, name, uses, used_at)
      SELECT sends.account_id, sends.kind, CAST(item.value ->> '$.Reference' AS TEXT),
        coalesce(CAST(item.value ->> '$.FormType' AS TEXT), ''),
        max(coalesce(CAST(item.value ->> '$.Name' AS TEXT), '')), 1,
        coalesce(sends.settled_at, sends.attempted_at, sends.created_at)
      FROM (SELECT * FROM sends WHERE number = new.number) AS sends JOIN send_bodies ON send_bodies.number = sends.number,
        json_each(send_bodies.body,
          CASE sends.kind WHEN 'form-direct' THEN '$.request.Forms' ELSE '$.request.Templates' END) AS item
      WHERE sends.state = 'sent' AND coalesce(item.value ->> '$.Reference', '') <> ''
      GROUP BY sends.number, 3, 4 ORDER BY sends.number
      ON CONFLICT DO UPDATE SET uses = uses + 1, used_at = max(used_at, excluded.used_at), name = excluded.name;
  END;
`

/** The counter: the day's appointments, and the append-only audit trail. */
const COUNTER = `
  CREATE TABLE counter_appointments (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    signer INTEGER NOT NULL,
    -- The day on the clocks of the office, as 2026-11-21.
    day TEXT NOT NULL,
    PRIMARY KEY (account_id, document_reference, signer)
  ) STRICT, WITHOUT ROWID;

  -- No reference to an account: what happened has happened, whichever accounts there are now.
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY NOT NULL,
    at INTEGER NOT NULL,
    -- IANA name of the zone that the clocks showed.
    zone TEXT NOT NULL,
    staff TEXT NOT NULL,
    what TEXT NOT NULL,
    session TEXT,
    document_reference TEXT,
    document_name TEXT,
    signer_name TEXT,
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    -- SHA-256 over the hash of the entry before it and all of the above: see audit/chain.ts.
    hash TEXT NOT NULL,
    -- All that a search looks through, folded. Not part of the chain.
    search TEXT NOT NULL
  ) STRICT;
  -- Small beside the table: counting and leafing through it read this alone.
  CREATE INDEX audit_by_seq ON audit (seq);

  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE (ABORT, 'What is in the audit trail stays as it is.');
  END;
  CREATE TRIGGER audit_is_not_shortened BEFORE DELETE ON audit BEGIN
    SELECT RAISE (ABORT, 'What is in the audit trail stays as it is.');
  END;
  -- INSERT OR REPLACE would take an entry away without a DELETE.
  CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
    WHEN new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM audit) BEGIN
    SELECT RAISE (ABORT, 'What is added to the audit trail comes last.');
  END;
`

export const schema = [ACCOUNTS, DRAFTS, QUEUES, DOCUMENTS, DIRECTORY, COUNTER].join('')
