/**
 * Which drafts are with the outbox, as the list of drafts asks each time: without going through a batch of thousands
 * that no draft belongs to, nor through all that was ever sent.
 */
export const draftsInOutbox = `
  CREATE INDEX sends_holding_drafts ON sends (account_id, draft_id, state)
    WHERE draft_id IS NOT NULL AND state IN ('ready', 'sending', 'uncertain');
`
