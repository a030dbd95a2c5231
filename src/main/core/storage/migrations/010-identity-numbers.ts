/**
 * Numbers of passports and identity cards compared by staff at the counter, if the organisation's policy retains them.
 */
export const identityNumbers = `
  CREATE TABLE identity_numbers (
    number INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    document_reference TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    -- What the audit trail has the hash of: none of a number alone, which could be guessed.
    salt TEXT NOT NULL,
    kept TEXT NOT NULL CHECK (json_valid(kept)),
    UNIQUE (session, turn)
  ) STRICT;
`
