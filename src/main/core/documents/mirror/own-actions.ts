/**
 * This workstation's own actions on documents, for as long as folders may still show their effects: later, in parts, in
 * one kind of answer but not the other, or after a restart. Those effects aren't news to the person who acted; what signers do
 * afterwards is.
 */
import type { ActionRequest, ChangeKind } from '../../../../shared/contract/index.ts'
import { type DocumentResponse, readDocumentStatus } from '../../../../shared/model/index.ts'
import { DAY } from '../../lib/calendar.ts'
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
  /** How many signers had signed or declined by then. */
  ended: number
  /** The resulting due date, in milliseconds. */
  due?: number | undefined
}

/**
 * How much later a read may be the first to show the effect, in milliseconds. Reads of other folders, and the service's
 * own processing, come in between.
 */
const ECHO_WINDOW = 10 * 60_000
const RETENTION = 30 * DAY

/** All changes that sending can cause when a folder first shows the document. */
const FIRST_SIGHT_CHANGES: ReadonlySet<ChangeKind> = new Set([
  'arrived',
  'moved',
  'returned',
  'waits-here',
  'due-changed',
  'signers-changed',
  'changed'
])
const LATER_CHANGES: Record<OwnActionKind, ReadonlySet<ChangeKind>> = {
  send: new Set(['moved', 'returned', 'waits-here', 'changed']),
  remind: new Set(['changed']),
  extend: new Set(['due-changed', 'moved', 'returned', 'waits-here', 'changed']),
  correct: new Set(['signers-changed', 'waits-here', 'changed']),
  notary: new Set(['moved', 'gone', 'signers-changed', 'changed'])
}

export type OwnActions = ReturnType<typeof openOwnActions>

/** Opens the store of own actions. @param now used to delete those that no folder can still show. */
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

  db.prepare('DELETE FROM own_actions WHERE at < ?').run(now - RETENTION)
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

    /** Notes an action. Must be called before it leaves: a folder may show it before the service answers. */
    note(
      { accountId, reference }: { accountId: string; reference: string },
      document: DocumentResponse | undefined,
      { kind, at, due }: { kind: OwnActionKind; at: number; due?: number | undefined }
    ): void {
      const ended = countEnded(document)
      write.run({ accountId, reference, kind, at, ended, due: due ?? null })
      const all = ofDocument(accountId, reference)
      const others = all.filter((one) => one.kind !== kind)
      all.splice(0, all.length, ...others, { kind, at, ended, due })
    },

    /** Forgets an action that the service refused. */
    undo(accountId: string, reference: string, kind: OwnActionKind): void {
      erase.run(accountId, reference, kind)
      const all = ofDocument(accountId, reference)
      all.splice(0, all.length, ...all.filter((one) => one.kind !== kind))
    },

    /**
     * Returns whether a change shown by a folder is merely our own doing.
     * @param entry the document as known before; undefined if unknown.
     */
    isOwnEffect(
      account: Account,
      reference: string,
      entry: Entry | undefined,
      difference: Difference,
      document: DocumentResponse
    ): boolean {
      const actions = byAccount.get(account.id)?.get(reference)
      if (!actions || actions.length === 0) return false
      // When it was last seen unchanged, by a read that didn't show this yet.
      const lastReadAt = (entry?.isPlaced && account.folders.get(entry.folder)?.lookedAt) || 0
      const { family } = readDocumentStatus(document.Status)
      const isOver = family === 'complete' || family === 'declined' || family === 'expired'
      return actions.some(({ kind, at, ended, due }) => {
        if (isOver && kind !== 'notary') return false
        // What follows from a signature is news, like the signature itself.
        if (countEnded(document) > ended) return false
        if (kind === 'send' && !entry?.isPlaced) return FIRST_SIGHT_CHANGES.has(difference.kind)
        if (lastReadAt > at + ECHO_WINDOW || !LATER_CHANGES[kind].has(difference.kind)) return false
        return difference.kind !== 'due-changed' || dueOf(document) === due
      })
    },

    erase(accountId: string): void {
      eraseAll.run(accountId)
      byAccount.delete(accountId)
    },

    eraseOf(accountId: string, reference: string): void {
      eraseOfDocument.run(accountId, reference)
      byAccount.get(accountId)?.delete(reference)
    }
  }
}

function countEnded(document: DocumentResponse | undefined): number {
  const isEnded = (state: string) => state === 'signed' || state === 'declined'
  return document?.Signers?.filter((signer) => isEnded(stateOf(document, signer))).length ?? 0
}
