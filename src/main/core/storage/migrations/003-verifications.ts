/** The service's answers to signature verifications, and verifications that rules still have to request. */
export const verifications = `
  CREATE TABLE verifications (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    answered_at INTEGER NOT NULL,
    -- The rule that asked; NULL for a person. No reference that is enforced: what was found outlives the rule.
    rule_id TEXT,
    -- How many signatures there are, and what is said of them. NULL where the service names none, not even an empty list.
    signatures INTEGER,
    valid INTEGER NOT NULL,
    not_valid INTEGER NOT NULL,
    is_notified INTEGER NOT NULL DEFAULT 0 CHECK (is_notified IN (0, 1)),
    is_dismissed INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1)),
    -- A ValidationResult without the document's address. Last, because whatever stands behind a long text is slow to reach.
    answer TEXT NOT NULL CHECK (json_valid(answer))
  ) STRICT;
  CREATE INDEX verifications_by_document ON verifications (account_id, document_reference, number DESC);
  -- With what a search looks at, so that it reads no answers.
  CREATE INDEX verifications_by_time ON verifications (account_id, answered_at DESC, number DESC, not_valid, document_name);
  CREATE INDEX verifications_for_rules ON verifications (account_id, document_reference, answered_at) WHERE rule_id IS NOT NULL;
  CREATE INDEX verifications_not_valid ON verifications (account_id, number DESC) WHERE not_valid > 0;
  CREATE INDEX verifications_unnotified ON verifications (number) WHERE is_notified = 0;
  -- Anyone who gets past this changes what the audit trail has the hash of.
  CREATE TRIGGER verifications_are_not_changed BEFORE UPDATE OF id, account_id, document_reference, document_name, asked_at,
    answered_at, rule_id, signatures, valid, not_valid, answer ON verifications BEGIN
    SELECT RAISE (ABORT, 'What the service answered stays as it is.');
  END;
  -- By what the trail says of a document's verifications, and of one of them.
  CREATE INDEX audit_verifications ON audit (document_reference, detail ->> '$.verification') WHERE what = 'signatures-verified';

  -- Documents that rules want verified, a row for each rule: each is asked for until the service has answered, and then it is a
  -- verification, and none of its rows is left.
  CREATE TABLE verification_jobs (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    -- Without its rule nothing is to be asked for it. What it was answered stays.
    rule_id TEXT NOT NULL REFERENCES download_rules (id) ON DELETE CASCADE,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'failed')),
    error TEXT CHECK (json_valid(error)),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 0: at once.
    retry_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    failed_at INTEGER,
    PRIMARY KEY (account_id, document_reference, rule_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX verification_jobs_waiting ON verification_jobs (account_id, retry_at, queued_at) WHERE state = 'waiting';
  CREATE INDEX verification_jobs_by_rule ON verification_jobs (rule_id, state, failed_at);
`
