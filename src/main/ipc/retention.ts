/** Requests about how long data is kept on this computer, and about documents on hold. */
import type { DocumentKey, SomeDocuments } from '../../shared/contract/index.ts'
import { fail } from '../core/lib/failure.ts'
import type { Holds, NamedDocument } from '../core/retention/holds.ts'
import type { Retention } from '../core/retention/retention.ts'
import { selectionFor } from './covered-accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface RetentionParts extends Pick<Parts, 'accounts' | 'ask' | 'time'> {
  retention: Pick<Retention, 'view' | 'countDue' | 'set'>
  /** @throws AppFailure `not-allowed` if a PIN is set and no administrator has unlocked the office's settings. */
  mustBeOpen: () => Promise<void>
  holds: Pick<Holds, 'list' | 'count' | 'hold' | 'release'>
  changed: (accountId: string) => void
}

export function retentionHandlers({
  accounts,
  ask,
  time,
  retention,
  holds,
  mustBeOpen,
  changed
}: RetentionParts): HandlersOf<'retention'> {
  async function findDocuments(some: SomeDocuments): Promise<NamedDocument[]> {
    return ask('named', { ...selectionFor(accounts, some), now: time.now(), zone: time.zone() })
  }

  function notifyChanged(documents: readonly DocumentKey[]): void {
    for (const accountId of new Set(documents.map((document) => document.accountId))) changed(accountId)
  }

  return {
    'retention.get': async () => retention.view(),
    'retention.due': async ({ kinds }) => ({ counts: await retention.countDue(kinds) }),
    'retention.set': async (change) => {
      await mustBeOpen()
      return retention.set(change)
    },
    'retention.holds': async ({ offset, limit }) => ({ holds: holds.list(limit, offset), total: holds.count() }),
    'retention.hold': async ({ some, reason }) => {
      const documents = await findDocuments(some)
      if (documents.length === 0) fail('gone', 'These documents are no longer there.')
      const held = await holds.hold(documents, reason)
      notifyChanged(documents)
      return { held }
    },
    'retention.release': async ({ some }) => {
      // Individual documents may no longer be in the folders.
      const documents = 'documents' in some ? some.documents : await findDocuments(some)
      const released = await holds.release(documents)
      notifyChanged(documents)
      return { released }
    }
  }
}
