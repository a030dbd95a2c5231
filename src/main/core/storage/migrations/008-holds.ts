/** Documents exempt from purging, each with who set the hold and why. */
export const holds = `
  CREATE TABLE document_holds (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- Who of staff it was.
    staff TEXT NOT NULL,
    held_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, document_reference)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_holds_by_time ON document_holds (held_at DESC, document_reference);

  -- Up to when verifications were purged, as the trail has it: they aren't missing.
  CREATE INDEX audit_purges ON audit (detail ->> '$.verificationsBefore') WHERE what = 'data-purged';
`
