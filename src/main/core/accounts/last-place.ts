/**
 * Remembers each account's last place in the application, where the next start continues. Stored only in the database.
 */
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

/** Opens the store. @param chosenId the account that is shown, if any. */
export function openLastPlaceStore(db: Db, chosenId: () => string | undefined) {
  const meta = openMeta(db)
  // The key is deleted with the account.
  const keyOf = (accountId: string) => `place of :${accountId}:`

  return {
    /** The part of the page's address after "#"; blank if nothing is stored or readable. */
    read(): string {
      const accountId = chosenId()
      try {
        return (accountId && meta.read(keyOf(accountId))) || ''
      } catch {
        return ''
      }
    },

    save(place: string): void {
      const accountId = chosenId()
      if (accountId === undefined) return
      try {
        meta.write(keyOf(accountId), place)
      } catch {
        // The next start opens Today.
      }
    }
  }
}
