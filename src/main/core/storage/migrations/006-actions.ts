/** What is done to documents, from the moment it was asked for to what came of it. */
export const actions = `
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
