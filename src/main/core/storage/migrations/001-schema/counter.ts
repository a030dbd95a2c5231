/**
 * The counter: expected people and their documents, pictures of the second display, identity numbers that the
 * organisation's policy retains, and the append-only audit trail.
 */
export const counter = `
  -- Expected people and their progress. A day's appointments are deleted after it.
  CREATE TABLE appointments (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- What identifies it when its file is imported again, and its series; NULL if staff added it.
    key TEXT,
    series TEXT,
    -- The calendar's SEQUENCE: a file older than what is here changes nothing.
    version INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL,
    email TEXT NOT NULL DEFAULT '',
    mobile TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    minutes INTEGER NOT NULL,
    place TEXT NOT NULL DEFAULT '',
    about TEXT NOT NULL DEFAULT '',
    -- The person in the queue that staff matched it with; '' for nobody there, NULL if they said nothing.
    person TEXT,
    state TEXT NOT NULL DEFAULT 'expected'
      CHECK (state IN ('expected', 'arrived', 'called', 'here', 'done', 'no-show')),
    -- The previous state, which one click restores.
    before TEXT CHECK (before IN ('expected', 'arrived', 'called', 'here', 'done', 'no-show')),
    -- The number that they are called by that day.
    number INTEGER,
    arrived_at INTEGER,
    called_at INTEGER,
    calls INTEGER NOT NULL DEFAULT 0,
    -- The other workstation that called the person, or where they are.
    workstation TEXT
  ) STRICT;
  CREATE INDEX appointments_by_time ON appointments (account_id, at);
  CREATE UNIQUE INDEX appointments_by_key ON appointments (account_id, key) WHERE key IS NOT NULL;
  CREATE INDEX appointments_by_series ON appointments (account_id, series) WHERE series IS NOT NULL;

  -- Signers whom staff pinned to the queue for a day.
  CREATE TABLE counter_appointments (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    signer INTEGER NOT NULL,
    -- The day on the office's clocks, such as 2026-11-21.
    day TEXT NOT NULL,
    PRIMARY KEY (account_id, document_reference, signer)
  ) STRICT, WITHOUT ROWID;

  -- Shown in turn on the second display while nobody signs.
  CREATE TABLE counter_pictures (
    id TEXT PRIMARY KEY NOT NULL,
    position INTEGER NOT NULL,
    picture BLOB NOT NULL
  ) STRICT;

  -- Numbers of passports and identity cards that staff compared.
  CREATE TABLE identity_numbers (
    number INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    document_reference TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    -- Part of what the audit trail has the hash of: a number hashed alone could be guessed.
    salt TEXT NOT NULL,
    kept TEXT NOT NULL CHECK (json_valid(kept)),
    UNIQUE (session, turn)
  ) STRICT;

  -- No reference to an account: what happened has happened, whichever accounts exist now.
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY NOT NULL,
    at INTEGER NOT NULL,
    -- The IANA name of the clocks' time zone.
    zone TEXT NOT NULL,
    staff TEXT NOT NULL,
    what TEXT NOT NULL,
    session TEXT,
    document_reference TEXT,
    document_name TEXT,
    signer_name TEXT,
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    -- SHA-256 over the previous entry's hash and all of the above: see audit/chain.ts.
    hash TEXT NOT NULL,
    -- Everything that a search looks through, folded. Not part of the chain.
    search TEXT NOT NULL
  ) STRICT;
  -- Small beside the table: counting and paging read this alone.
  CREATE INDEX audit_by_seq ON audit (seq);
  -- What the trail says of a document's verifications, or of one of them.
  CREATE INDEX audit_verifications ON audit (document_reference, detail ->> '$.verification')
    WHERE what = 'signatures-verified';
  -- Until when verifications were purged: those aren't missing.
  CREATE INDEX audit_purges ON audit (detail ->> '$.verificationsBefore') WHERE what = 'data-purged';

  CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE (ABORT, 'What is in the audit trail stays as it is.');
  END;
  CREATE TRIGGER audit_is_not_shortened BEFORE DELETE ON audit BEGIN
    SELECT RAISE (ABORT, 'What is in the audit trail stays as it is.');
  END;
  -- INSERT OR REPLACE would remove an entry without a DELETE.
  CREATE TRIGGER audit_only_grows BEFORE INSERT ON audit
    WHEN new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM audit) BEGIN
    SELECT RAISE (ABORT, 'What is added to the audit trail comes last.');
  END;
`
