/** The outbox data that an office of several workstations shares, as known here. */
export const office = `
  -- The workstation that created it, if that is another.
  ALTER TABLE sends ADD COLUMN workstation TEXT;

  CREATE TABLE office_accounts (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    office_id TEXT NOT NULL UNIQUE,
    cursor INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What the office has of each send. The row of a cancelled send stays after the send is deleted here, so that an earlier change of it
  -- has no effect.
  CREATE TABLE office_sends (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    state TEXT NOT NULL
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled', 'held')),
    revision INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    goes_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX office_sends_by_state ON office_sends (account_id, state);

  -- The results of attempts made here, until the office has them.
  CREATE TABLE office_results (
    id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (json_valid(outcome)),
    at INTEGER NOT NULL,
    PRIMARY KEY (id, epoch)
  ) STRICT, WITHOUT ROWID;
`
