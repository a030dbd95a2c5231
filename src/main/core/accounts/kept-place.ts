/** Where in the application one was, by the account: the next start, after a crash or a night, begins there. Kept in the database only. */
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

/** @param chosenId the account that is shown, where there is one. */
export function openKeptPlace(db: Db, chosenId: () => string | undefined) {
  const meta = openMeta(db)
  // The key goes with the account.
  const keyOf = (accountId: string) => `place of :${accountId}:`

  return {
    /** As the page's address has it after its "#"; blank where nothing was kept, or it can't be read. */
    read(): string {
      const accountId = chosenId()
      try {
        return (accountId && meta.read(keyOf(accountId))) || ''
      } catch {
        return ''
      }
    },

    keep(place: string): void {
      const accountId = chosenId()
      if (accountId === undefined) return
      try {
        meta.write(keyOf(accountId), place)
      } catch {
        // The next start begins at Today.
      }
    }
  }
}
