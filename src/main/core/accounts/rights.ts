/** What an account may do beyond the reference: unknown until tried, then remembered with the account. */
import type { AccountRights } from '../../../shared/contract/index.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export type Rights = ReturnType<typeof openRights>

const UNKNOWN: AccountRights = {
  reminders: 'unknown',
  readsEmployers: 'unknown',
  signedDocuments: 'unknown',
  signedFrom: []
}

export function openRights(db: Db) {
  const meta = openMeta(db)
  // Contains the account's id between colons, so that it is deleted with the account.
  const keyOf = (accountId: string) => `rights:${accountId}:tried`

  function of(accountId: string): AccountRights {
    const text = meta.read(keyOf(accountId))
    return text ? { ...UNKNOWN, ...(JSON.parse(text) as Partial<AccountRights>) } : UNKNOWN
  }

  return {
    of,
    /** Stores what an attempt has shown. */
    learn(accountId: string, shown: Partial<AccountRights>): void {
      const before = of(accountId)
      const after = { ...before, ...shown }
      const [was, is] = [before, after].map((rights) => JSON.stringify(rights))
      if (was !== is && is !== undefined) meta.write(keyOf(accountId), is)
    },
    /**
     * Must be called when the account's address or key changes, which invalidates earlier results. What a user said
     * about signed documents stays valid for another key of the same service.
     */
    forget(accountId: string, isSameService = false): void {
      const { signedDocuments, signedFrom } = of(accountId)
      meta.erase(keyOf(accountId))
      if (isSameService) meta.write(keyOf(accountId), JSON.stringify({ signedDocuments, signedFrom }))
    }
  }
}
