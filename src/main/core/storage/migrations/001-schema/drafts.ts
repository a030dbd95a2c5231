/** Drafts with their versions, trash and search words; presets; and suggestions while typing. */
export const drafts = `
  CREATE TABLE drafts (
    -- The draft's number in the index of words. Named, because SQLite may change an unnamed rowid when it compacts the file.
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    title TEXT NOT NULL,
    -- The signers, in words.
    who TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    trashed_at INTEGER,
    -- How often the trash had been checked for old drafts when this one was put in it: a clock that jumps deletes nothing early.
    trashed_look INTEGER CHECK ((trashed_look IS NULL) = (trashed_at IS NULL)),
    body TEXT NOT NULL CHECK (json_valid(body))
  ) STRICT;
  CREATE INDEX drafts_by_account ON drafts (account_id, trashed_at, updated_at DESC, id);
  CREATE INDEX drafts_in_trash ON drafts (trashed_at) WHERE trashed_at IS NOT NULL;

  -- Written by the code that saves a draft, which extracts the words from its body.
  CREATE VIRTUAL TABLE draft_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
  );
  CREATE TRIGGER draft_words_go AFTER DELETE ON drafts BEGIN
    DELETE FROM draft_words WHERE rowid = old.number;
  END;

  -- Earlier contents of drafts.
  CREATE TABLE draft_versions (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    draft_number INTEGER NOT NULL REFERENCES drafts (number) ON DELETE CASCADE,
    reason TEXT NOT NULL CHECK (reason IN ('change', 'send', 'restore')),
    title TEXT NOT NULL,
    who TEXT NOT NULL,
    -- When this was the draft's content, and when it became a version.
    saved_at INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    -- The workstation that wrote it, if that is another.
    workstation TEXT,
    -- Whether it conflicts with the draft, and was resolved.
    conflict TEXT CHECK (conflict IN ('open', 'resolved')),
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

  -- Drafts and presets of a file that is still being imported: not shown yet, and deleted if the import was interrupted.
  CREATE TABLE arrivals (
    id TEXT PRIMARY KEY NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Signers of earlier packages, suggested again.
  CREATE TABLE people (
    number INTEGER PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Both in lower case. Two people who share an address stay two.
    email_key TEXT NOT NULL,
    name_key TEXT NOT NULL,
    first_name TEXT NOT NULL,
    middle_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    email TEXT NOT NULL,
    mobile_country TEXT NOT NULL,
    mobile_number TEXT NOT NULL,
    -- At an office: the ids of the names and addresses that were corrected into this one.
    formerly TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(formerly)),
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
  CREATE TRIGGER people_words_change AFTER UPDATE OF first_name, middle_name, last_name, email ON people
  WHEN concat_ws(' ', old.first_name, old.middle_name, old.last_name, old.email)
    <> concat_ws(' ', new.first_name, new.middle_name, new.last_name, new.email) BEGIN
    INSERT OR REPLACE INTO people_words (rowid, words)
      VALUES (new.number, concat_ws(' ', new.first_name, new.middle_name, new.last_name, new.email));
  END;
  CREATE TRIGGER people_words_go AFTER DELETE ON people BEGIN
    DELETE FROM people_words WHERE rowid = old.number;
  END;

  -- Values of other fields, suggested again.
  CREATE TABLE remembered (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    -- If someone has ordered the values manually; the others follow, newest first.
    position INTEGER,
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
