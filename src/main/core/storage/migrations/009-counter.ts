/** The counter: appointments of a day, and the audit trail, which is only ever added to. */
export const counter = `
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
