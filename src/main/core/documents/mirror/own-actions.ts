/**
 * What this workstation did to documents, for as long as the folders may still be showing it: later, in pieces, in one kind of
 * answer and not in the other, or after a restart. What that brings is no news to the one who did it; what the signers do
 * then is.
 */
import type { ActionRequest, ChangeKind } from '../../../../shared/contract/index.ts'
import { type DocumentResponse, readDocumentStatus } from '../../../../shared/model/index.ts'
import { getOrMake } from '../../lib/objects.ts'
import type { Db } from '../../storage/connection.ts'
import { stateOf } from '../progress.ts'
import { type Difference, dueOf } from './differences.ts'
import type { Entry } from './entries.ts'
import type { Account } from './state.ts'

type OwnActionKind = ActionRequest['kind'] | 'send'

interface OwnAction {
  kind: OwnActionKind
  at: number
  /** How many had signed or declined by then. */
  ended: number
  /** When the document is due by it, in milliseconds. */
  due?: number | undefined
}

/** So long after it a look may be the first to show it. Looks at other folders, and the service's own work, come in between. */
const ECHO = 10 * 60_000
const KEPT = 30 * 86_400_000

/** All that a document may have become by being sent, when a folder shows it for the first time. */
const OF_A_FIRST_SIGHT: ReadonlySet<ChangeKind> = new Set([
  'arrived',
  'moved',
  'returned',
  'waits-here',
  'due-changed',
  'signers-changed',
  'changed'
])
const AFTERWARDS: Record<OwnActionKind, ReadonlySet<ChangeKind>> = {
  send: new Set(['moved', 'returned', 'waits-here', 'changed']),
  remind: new Set(['changed']),
  extend: new Set(['due-changed', 'moved', 'returned', 'waits-here', 'changed']),
  correct: new Set(['signers-changed', 'waits-here', 'changed']),
  notary: new Set(['moved', 'gone', 'signers-changed', 'changed'])
}

export type OwnActions = ReturnType<typeof openOwnActions>

/** @param now for forgetting what no folder can still be about to show. */
export function openOwnActions(db: Db, now: number) {
  const write = db.prepare(
    `INSERT INTO own_actions (account_id, reference, kind, at, ended, due)
     VALUES (@accountId, @reference, @kind, @at, @ended, @due)
     ON CONFLICT DO UPDATE SET at = excluded.at, ended = excluded.ended, due = excluded.due`
  )
  const erase = db.prepare<[string, string, string]>(
    'DELETE FROM own_actions WHERE account_id = ? AND reference = ? AND kind = ?'
  )
  const eraseAll = db.prepare<[string]>('DELETE FROM own_actions WHERE account_id = ?')
  const eraseOfDocument = db.prepare<[string, string]>('DELETE FROM own_actions WHERE account_id = ? AND reference = ?')
  const byAccount = new Map<string, Map<string, OwnAction[]>>()
  const ofDocument = (accountId: string, reference: string) =>
    getOrMake(
      getOrMake(byAccount, accountId, () => new Map<string, OwnAction[]>()),
      reference,
      () => []
    )

  db.prepare('DELETE FROM own_actions WHERE at < ?').run(now - KEPT)
  const kept = db.prepare<[], OwnAction & { accountId: string; reference: string }>(
    'SELECT account_id AS accountId, reference, kind, at, ended, due FROM own_actions'
  )
  for (const { accountId, reference, ...action } of kept.all()) {
    ofDocument(accountId, reference).push({ ...action, due: action.due ?? undefined })
  }

  return {
    has: (accountId: string, reference: string, kind: OwnActionKind): boolean =>
      byAccount
        .get(accountId)
        ?.get(reference)
        ?.some((one) => one.kind === kind) === true,

    /** Before it leaves: a folder may show it before the service has answered. */
    note(
      { accountId, reference }: { accountId: string; reference: string },
      document: DocumentResponse | undefined,
      { kind, at, due }: { kind: OwnActionKind; at: number; due?: number | undefined }
    ): void {
      const ended = endedIn(document)
      write.run({ accountId, reference, kind, at, ended, due: due ?? null })
      const all = ofDocument(accountId, reference)
      const others = all.filter((one) => one.kind !== kind)
      all.splice(0, all.length, ...others, { kind, at, ended, due })
    },

    /** The service has refused it. */
    undo(accountId: string, reference: string, kind: OwnActionKind): void {
      erase.run(accountId, reference, kind)
      const all = ofDocument(accountId, reference)
      all.splice(0, all.length, ...all.filter((one) => one.kind !== kind))
    },

    /**
     * Whether what a folder shows is only what we did.
     * @param entry as the document was known; undefined where it wasn't.
     */
    explain(
      account: Account,
      reference: string,
      entry: Entry | undefined,
      difference: Difference,
      document: DocumentResponse
    ): boolean {
      const actions = byAccount.get(account.id)?.get(reference)
      if (!actions || actions.length === 0) return false
      // When it was last seen as it was, by a look that did not show this yet.
      const lastLook = (entry?.isPlaced && account.folders.get(entry.folder)?.lookedAt) || 0
      const { family } = readDocumentStatus(document.Status)
      const isOver = family === 'complete' || family === 'declined' || family === 'expired'
      return actions.some(({ kind, at, ended, due }) => {
        if (isOver && kind !== 'notary') return false
        // What follows of a signature is news, as it is.
        if (endedIn(document) > ended) return false
        if (kind === 'send' && !entry?.isPlaced) return OF_A_FIRST_SIGHT.has(difference.kind)
        if (lastLook > at + ECHO || !AFTERWARDS[kind].has(difference.kind)) return false
        return difference.kind !== 'due-changed' || dueOf(document) === due
      })
    },

    erase(accountId: string): void {
      eraseAll.run(accountId)
      byAccount.delete(accountId)
    },

    /** Those of one document. */
    eraseOf(accountId: string, reference: string): void {
      eraseOfDocument.run(accountId, reference)
      byAccount.get(accountId)?.delete(reference)
    }
  }
}

function endedIn(document: DocumentResponse | undefined): number {
  const isEnded = (state: string) => state === 'signed' || state === 'declined'
  return document?.Signers?.filter((signer) => isEnded(stateOf(document, signer))).length ?? 0
}
