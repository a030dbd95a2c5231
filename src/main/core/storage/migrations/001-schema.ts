/**
 * The main database as the first version creates it, one file for each subject. What holds everywhere:
 *
 * - Times are milliseconds since 1970 UTC; booleans are 0 or 1.
 * - JSON columns are decoded by the module that owns the table.
 * - An account's data is deleted with it, and so are its search words.
 * - Long texts come last in a row, because whatever stands behind one is slow to reach.
 *
 * The mirror of the service's folders has its own file: see documents/mirror/database.ts.
 */
import { counter } from './001-schema/counter.ts'
import { documents } from './001-schema/documents.ts'
import { drafts } from './001-schema/drafts.ts'
import { files } from './001-schema/files.ts'
import { office } from './001-schema/office.ts'
import { outbox } from './001-schema/outbox.ts'

/** Accounts, the employer records of each, and single values by key. */
const accounts = `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    -- A short name that tells rows of several accounts apart; blank if derived from the name.
    mark TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL CHECK (kind IN ('practice', 'service')),
    -- A practice account has none: its service listens on another port each time it starts.
    base_url TEXT CHECK ((kind = 'practice') = (base_url IS NULL)),
    -- Which schemes there are is decided in code, so that another one needs no migration.
    auth_scheme TEXT NOT NULL DEFAULT 'none',
    colour TEXT NOT NULL,
    json_by_query INTEGER NOT NULL DEFAULT 0 CHECK (json_by_query IN (0, 1)),
    -- How the account's service wants the data type of its identity data spelled.
    data_type_spelling TEXT NOT NULL DEFAULT 'lower-then-upper'
      CHECK (data_type_spelling IN ('lower', 'upper', 'lower-then-upper')),
    folders TEXT NOT NULL CHECK (json_valid(folders)),
    created_at INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;

  -- The employer records as the service last answered them: the reference has no operation to read them.
  CREATE TABLE employers (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- An EmployerSet (2.19), with members that this version doesn't know.
    records TEXT NOT NULL CHECK (json_valid(records)),
    -- Records of the answer that couldn't be decoded, and so are missing from it.
    unreadable TEXT NOT NULL CHECK (json_valid(unreadable)),
    answered_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE meta (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
`

export const schema = [accounts, drafts, outbox, files, documents, counter, office].join('')
