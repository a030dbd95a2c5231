/**
 * What is kept here about the service's documents: saved views, actions with their outcome, verifications of signatures,
 * and holds.
 */
export const documents = `
  CREATE TABLE document_views (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- A DocumentQuery.
    query TEXT NOT NULL CHECK (json_valid(query)),
    -- Whether to notify of its changes.
    tell INTEGER NOT NULL DEFAULT 0 CHECK (tell IN (0, 1)),
    position INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX document_views_by_account ON document_views (account_id, position);

  CREATE TABLE actions (
    number INTEGER PRIMARY KEY NOT NULL,
    -- Chosen by the screen: one for each press of a button.
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('correct', 'extend', 'notary', 'remind')),
    reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    package_reference TEXT,
    -- What it acts on, which has one open action of a kind at a time.
    target TEXT NOT NULL,
    -- An ActionRequest.
    request TEXT NOT NULL CHECK (json_valid(request)),
    -- What it looked like before, as far as the action concerns it.
    before TEXT NOT NULL CHECK (json_valid(before)),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'refused', 'uncertain', 'cancelled')),
    -- Whether an earlier attempt may have arrived. Then a refusal of this one proves nothing.
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

  -- The service's answers to verifications of signatures.
  CREATE TABLE verifications (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    answered_at INTEGER NOT NULL,
    -- The rule that requested it; NULL for a person. Not an enforced reference: an answer outlives the rule.
    rule_id TEXT,
    -- How many signatures the answer names, NULL if it has no list of them; and how many are valid or not.
    signatures INTEGER,
    valid INTEGER NOT NULL,
    not_valid INTEGER NOT NULL,
    is_notified INTEGER NOT NULL DEFAULT 0 CHECK (is_notified IN (0, 1)),
    is_dismissed INTEGER NOT NULL DEFAULT 0 CHECK (is_dismissed IN (0, 1)),
    -- A ValidationResult without the document's address.
    answer TEXT NOT NULL CHECK (json_valid(answer))
  ) STRICT;
  CREATE INDEX verifications_by_document ON verifications (account_id, document_reference, number DESC);
  -- Includes what a search looks at, so that it reads no answers.
  CREATE INDEX verifications_by_time ON verifications (account_id, answered_at DESC, number DESC, not_valid, document_name);
  CREATE INDEX verifications_for_rules ON verifications (account_id, document_reference, answered_at) WHERE rule_id IS NOT NULL;
  CREATE INDEX verifications_not_valid ON verifications (account_id, number DESC) WHERE not_valid > 0;
  CREATE INDEX verifications_unnotified ON verifications (number) WHERE is_notified = 0;
  -- Changes that bypass this trigger are found by the hash in the audit trail.
  CREATE TRIGGER verifications_are_not_changed BEFORE UPDATE OF id, account_id, document_reference, document_name, asked_at,
    answered_at, rule_id, signatures, valid, not_valid, answer ON verifications BEGIN
    SELECT RAISE (ABORT, 'What the service answered stays as it is.');
  END;

  -- Documents that rules want verified, one row for each rule. When the service has answered, that is a verification, and all
  -- rows of the document are deleted.
  CREATE TABLE verification_jobs (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    -- Without its rule nothing more is requested; answers stay.
    rule_id TEXT NOT NULL REFERENCES download_rules (id) ON DELETE CASCADE,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'failed')),
    error TEXT CHECK (json_valid(error)),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 0 for immediately.
    retry_at INTEGER NOT NULL DEFAULT 0,
    queued_at INTEGER NOT NULL,
    failed_at INTEGER,
    PRIMARY KEY (account_id, document_reference, rule_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX verification_jobs_waiting ON verification_jobs (account_id, retry_at, queued_at) WHERE state = 'waiting';
  CREATE INDEX verification_jobs_by_rule ON verification_jobs (rule_id, state, failed_at);

  -- Documents exempt from purging.
  CREATE TABLE document_holds (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    document_reference TEXT NOT NULL,
    document_name TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- The staff member who set the hold.
    staff TEXT NOT NULL,
    held_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, document_reference)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX document_holds_by_time ON document_holds (held_at DESC, document_reference);
`
