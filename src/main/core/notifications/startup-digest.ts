/**
 * The folders right after the start: until any of an account's was read in this run, what is found in them happened while
 * the application was closed.
 */

/** An account that is watched. */
interface WatchedAccount {
  id: string
}

export interface CatchingUpEffects {
  accounts: () => readonly WatchedAccount[]
  /** Whether any folder of the account was read in this run; others may fail for as long as they are listed. */
  isRead: (accountId: string) => boolean
}

export function openCatchingUp({ accounts, isRead }: CatchingUpEffects) {
  /** Accounts that were not read yet. */
  let behind = new Set<string>()
  let comingBack = new Set<string>()

  return {
    /** To be called before the first folder is read. */
    begin(): void {
      behind = new Set(accounts().map(({ id }) => id))
      comingBack = new Set(behind)
    },

    /** Whether every account was read in this run. */
    isDone(): boolean {
      const watched = new Set(accounts().map(({ id }) => id))
      for (const id of [...behind]) if (!watched.has(id) || isRead(id)) behind.delete(id)
      return behind.size === 0
    },

    /** Accounts whose next changes happened while the application was closed. */
    comingBack: (): ReadonlySet<string> => comingBack,

    /** What was found so far has been told. */
    told(): void {
      comingBack = new Set(behind)
    }
  }
}
