/**
 * The outbox as a state machine: each account's outbox, batches, sends, and which send created which document. A send's
 * columns hold what lists show; its content is in a table of its own, so that lists never read past it.
 */
const sends = `
  CREATE TABLE outboxes (
    account_id TEXT PRIMARY KEY NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    concurrency INTEGER NOT NULL DEFAULT 2 CHECK (concurrency BETWEEN 1 AND 4),
    -- NULL for no limit.
    per_minute INTEGER CHECK (per_minute > 0),
    take_back_seconds INTEGER NOT NULL DEFAULT 10 CHECK (take_back_seconds BETWEEN 0 AND 60),
    paused_by TEXT CHECK (paused_by IN ('person', 'service')),
    paused_at INTEGER,
    pause_error TEXT CHECK (json_valid(pause_error))
  ) STRICT;

  CREATE TABLE batches (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- preparing: not all of it is written yet, and none of it has been sent.
    state TEXT NOT NULL CHECK (state IN ('preparing', 'going', 'cancelled')),
    is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
    -- Until when it can be taken back; 0 if it is scheduled, because its sends have the time.
    goes_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    left_out_count INTEGER NOT NULL DEFAULT 0,
    -- The sheet's headings, and its rows that had errors: {row, cells, problems}.
    columns TEXT NOT NULL CHECK (json_valid(columns)),
    left_out TEXT NOT NULL CHECK (json_valid(left_out))
  ) STRICT;
  CREATE INDEX batches_by_account ON batches (account_id, created_at DESC, number DESC);
  CREATE INDEX batches_unfinished ON batches (state) WHERE state <> 'going';

  CREATE TABLE sends (
    number INTEGER PRIMARY KEY NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Not an enforced reference: a send outlives its draft, and still knows which one it was.
    draft_id TEXT,
    -- The office's draft that it was made from, and which of its contents, if known. Both stay when the send is no longer
    -- linked to the draft here, and when the account is no longer shared: a restored server is told.
    sent_draft TEXT,
    sent_content TEXT CHECK (sent_content IS NULL OR json_valid(sent_content)),
    -- The workstation that created it, if that is another.
    workstation TEXT,
    batch_id TEXT REFERENCES batches (id) ON DELETE CASCADE,
    -- The row of the batch's sheet, from 1.
    sheet_row INTEGER,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    state TEXT NOT NULL
      CHECK (state IN ('ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled')),
    title TEXT NOT NULL,
    -- The signers, in words.
    who TEXT NOT NULL DEFAULT '',
    -- Whether a person chose goes_at; otherwise it is the end of the time to take it back. 0 for immediately.
    is_scheduled INTEGER NOT NULL DEFAULT 0 CHECK (is_scheduled IN (0, 1)),
    goes_at INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,
    -- The oldest attempt that may have arrived.
    first_attempted_at INTEGER,
    settled_at INTEGER,
    -- If another staff member must release it: who put it in the outbox, and the decision.
    release TEXT CHECK (json_valid(release)),
    package_reference TEXT,
    package_status TEXT,
    -- What a list shows of the documents: {reference, name}.
    documents TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(documents)),
    fingerprint TEXT NOT NULL DEFAULT '',
    error TEXT CHECK (json_valid(error)),
    -- Why it is uncertain, and the documents found that may be its own.
    doubt TEXT CHECK (json_valid(doubt)),
    -- References of documents that a person said aren't this send's.
    dismissed TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(dismissed)),
    -- Folders that the service doesn't have, of which a person was asked and said that this didn't arrive.
    dismissed_folders TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(dismissed_folders))
  ) STRICT;
  CREATE INDEX sends_by_account ON sends (account_id, created_at DESC, sheet_row, number DESC);
  CREATE INDEX sends_by_state ON sends (account_id, state, created_at DESC, sheet_row, number DESC);
  CREATE INDEX sends_by_batch ON sends (batch_id, sheet_row, state) WHERE batch_id IS NOT NULL;
  CREATE INDEX sends_by_draft ON sends (draft_id, state) WHERE draft_id IS NOT NULL;
  CREATE INDEX sends_by_package ON sends (account_id, package_reference) WHERE package_reference IS NOT NULL;
  CREATE INDEX sends_ready ON sends (account_id, batch_id, goes_at, sheet_row, number, is_scheduled)
    WHERE state = 'ready';
  CREATE INDEX sends_unsettled ON sends (account_id, state) WHERE state IN ('sending', 'uncertain');
  -- Which drafts the outbox holds. The list of drafts asks each time, without going through a batch of thousands that no
  -- draft belongs to, or through everything ever sent.
  CREATE INDEX sends_holding_drafts ON sends (account_id, draft_id, state)
    WHERE draft_id IS NOT NULL AND state IN ('ready', 'sending', 'uncertain');
  CREATE INDEX sends_without_link ON sends (sent_draft, state) WHERE draft_id IS NULL AND sent_draft IS NOT NULL;
  CREATE INDEX sends_to_release ON sends (batch_id)
    WHERE state = 'ready' AND release IS NOT NULL AND json_extract(release, '$.released') IS NULL
      AND json_extract(release, '$.refused') IS NULL;

  -- Title and signers, by the send's number.
  CREATE VIRTUAL TABLE send_words USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
  );
  CREATE TRIGGER send_words_come AFTER INSERT ON sends BEGIN
    INSERT INTO send_words (rowid, words) VALUES (new.number, new.title || ' ' || new.who);
  END;
  CREATE TRIGGER send_words_go AFTER DELETE ON sends BEGIN
    DELETE FROM send_words WHERE rowid = old.number;
  END;

  CREATE TABLE send_bodies (
    number INTEGER PRIMARY KEY NOT NULL REFERENCES sends (number) ON DELETE CASCADE,
    -- The row of the sheet as it was.
    cells TEXT CHECK (json_valid(cells)),
    -- The request exactly as it is sent, and the composition that it was made from.
    body TEXT NOT NULL CHECK (json_valid(body)),
    -- The service's answer; signing links are erased from it once the documents have them.
    response TEXT CHECK (json_valid(response))
  ) STRICT;
  CREATE INDEX send_bodies_with_links ON send_bodies (number) WHERE instr(response, '"SigningKey"') > 0;

  CREATE TABLE send_documents (
    reference TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    send_id TEXT NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    PRIMARY KEY (reference, account_id, send_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX send_documents_by_account ON send_documents (account_id);
  CREATE INDEX send_documents_by_send ON send_documents (send_id);
`

/** What is counted with each change of a send, so that nothing has to count a hundred thousand of them. */
const counts = `
  CREATE TABLE send_counts (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- Blank for sends without a batch.
    batch_id TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account_id, batch_id, state)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX send_counts_ready ON send_counts (account_id, batch_id) WHERE state = 'ready' AND count > 0;
  CREATE TRIGGER send_counts_come AFTER INSERT ON sends BEGIN
    INSERT INTO send_counts VALUES (new.account_id, coalesce(new.batch_id, ''), new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER send_counts_change AFTER UPDATE OF state ON sends WHEN old.state <> new.state BEGIN
    UPDATE send_counts SET count = count - 1
      WHERE account_id = old.account_id AND batch_id = coalesce(old.batch_id, '') AND state = old.state;
    INSERT INTO send_counts VALUES (new.account_id, coalesce(new.batch_id, ''), new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER send_counts_go AFTER DELETE ON sends BEGIN
    UPDATE send_counts SET count = count - 1
      WHERE account_id = old.account_id AND batch_id = coalesce(old.batch_id, '') AND state = old.state;
  END;

  -- How often each form or template was sent.
  CREATE TABLE form_uses (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('form-direct', 'form-filler')),
    reference TEXT NOT NULL,
    -- Blank for templates.
    form_type TEXT NOT NULL,
    name TEXT NOT NULL,
    uses INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind, reference, form_type)
  ) STRICT, WITHOUT ROWID;
  -- One use for each form or template of a send, however often the package has it and whatever it is called there.
  CREATE TRIGGER form_uses_come AFTER UPDATE OF state ON sends WHEN new.state = 'sent' AND old.state <> 'sent' BEGIN
    INSERT INTO form_uses (account_id, kind, reference, form_type, name, uses, used_at)
      SELECT sends.account_id, sends.kind, CAST(item.value ->> '$.Reference' AS TEXT),
        coalesce(CAST(item.value ->> '$.FormType' AS TEXT), ''),
        max(coalesce(CAST(item.value ->> '$.Name' AS TEXT), '')), 1,
        coalesce(sends.settled_at, sends.attempted_at, sends.created_at)
      FROM (SELECT * FROM sends WHERE number = new.number) AS sends JOIN send_bodies ON send_bodies.number = sends.number,
        json_each(send_bodies.body,
          CASE sends.kind WHEN 'form-direct' THEN '$.request.Forms' ELSE '$.request.Templates' END) AS item
      WHERE sends.state = 'sent' AND coalesce(item.value ->> '$.Reference', '') <> ''
      GROUP BY sends.number, 3, 4 ORDER BY sends.number
      ON CONFLICT DO UPDATE SET uses = uses + 1, used_at = max(used_at, excluded.used_at), name = excluded.name;
  END;
`

export const outbox = [sends, counts].join('')
