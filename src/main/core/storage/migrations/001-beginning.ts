/**
 * The first shape of the database. Times are milliseconds since 1970 in UTC; `body`, `response`, `error` and `folders`
 * are JSON, decoded by the room that owns the table. What belongs to an account goes with it.
 */
export const beginning = `
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
    position INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE drafts (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    title TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX drafts_by_account ON drafts (account_id, updated_at DESC);

  CREATE TABLE sends (
    id TEXT PRIMARY KEY NOT NULL,
    -- A send outlives the draft it came from, and still knows which it was: so no reference that is enforced.
    draft_id TEXT,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    state TEXT NOT NULL CHECK (state IN ('sending', 'sent', 'refused', 'uncertain', 'not-sent')),
    title TEXT NOT NULL,
    -- The request exactly as it was sent.
    body TEXT NOT NULL CHECK (json_valid(body)),
    -- Our mark in ClientReference, by which a package is found again when the answer was lost.
    reference TEXT NOT NULL,
    response TEXT CHECK (json_valid(response)),
    error TEXT CHECK (json_valid(error)),
    attempted_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX sends_by_account ON sends (account_id, attempted_at DESC);
  CREATE INDEX sends_by_reference ON sends (account_id, reference);
  CREATE INDEX sends_by_draft ON sends (draft_id);
  CREATE INDEX sends_unsettled ON sends (account_id) WHERE state IN ('sending', 'uncertain');

  CREATE TABLE documents (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    reference TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT,
    status TEXT,
    due_at INTEGER,
    last_signed_at INTEGER,
    package_reference TEXT,
    client_reference TEXT,
    -- All that a search looks through, in lower case: name, signers, references, matter number.
    search TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    seen_at INTEGER NOT NULL,
    gone_at INTEGER,
    changed_at INTEGER NOT NULL,
    -- When the document was last read together with its log; NULL where never.
    logs_at INTEGER,
    PRIMARY KEY (account_id, reference)
  ) STRICT;
  CREATE INDEX documents_by_folder ON documents (account_id, folder, changed_at DESC) WHERE gone_at IS NULL;
  CREATE INDEX documents_by_package ON documents (account_id, package_reference);
  CREATE INDEX documents_by_client_reference ON documents (account_id, client_reference);

  CREATE TABLE folder_looks (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    folder TEXT NOT NULL,
    looked_at INTEGER NOT NULL,
    etag TEXT,
    hash TEXT,
    PRIMARY KEY (account_id, folder)
  ) STRICT;

  CREATE TABLE downloads (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The kind of data: pdf or json.
    type TEXT NOT NULL,
    path TEXT,
    bytes INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    error TEXT CHECK (json_valid(error)),
    started_at INTEGER NOT NULL,
    finished_at INTEGER
  ) STRICT;
  CREATE INDEX downloads_by_account ON downloads (account_id, started_at DESC);
  CREATE INDEX downloads_by_document ON downloads (account_id, document_reference);

  CREATE TABLE meta (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
`
