/** Which accounts a request covers: the one that it names, or else the ones that the screens show. */
import type { DocumentQuery } from '../../shared/contract/index.ts'
import type { Accounts } from '../core/accounts/accounts.ts'
import type { DocumentSelection } from '../core/documents/questions.ts'
import { fail } from '../core/lib/failure.ts'
import { namedAccount } from './registration.ts'

/**
 * Returns the account that a request is about: the one it names, or else the chosen one.
 * @throws AppFailure `no-account` if there is none yet, or it no longer exists.
 */
export function chosenId(accounts: Accounts): string {
  return shownIds(accounts)[0]
}

/** Returns the accounts that a request covers, the chosen one first: the one it names, or else those shown. */
export function shownIds(accounts: Accounts): readonly [first: string, ...others: string[]] {
  const named = namedAccount.getStore()
  if (named !== undefined) return [accounts.get(named).id]
  const [first, ...others] = accounts.shownIds()
  return first === undefined
    ? fail('no-account', 'There is no account yet.', { next: 'Add one in Settings.' })
    : [first, ...others]
}

/**
 * Returns the check that a record belongs to an account that the request covers. It returns the record's id.
 * @param accountOf returns a record's account.
 * @param refuse throws what is said if it belongs to another.
 */
export function coveredRecord(
  accounts: Accounts,
  accountOf: (id: string) => string,
  refuse: () => never
): (id: string) => string {
  return (id) => (shownIds(accounts).includes(accountOf(id)) ? id : refuse())
}

/** Returns a record's account if the request covers it; otherwise the chosen one, which doesn't have the record. */
export function coveredOwner(accounts: Accounts, owner: string): string {
  return shownIds(accounts).includes(owner) ? owner : chosenId(accounts)
}

/** Prepares a query for the index: for the accounts that it covers. */
export function queryFor(accounts: Accounts, query: DocumentQuery): { accountId: string; query: DocumentQuery } {
  const [accountId, ...others] = shownIds(accounts)
  return { accountId, query: others.length > 0 ? { ...query, accounts: others } : query }
}

/** As `queryFor`, for documents or a query. */
export function selectionFor(
  accounts: Accounts,
  some: DocumentSelection
): { accountId: string; some: DocumentSelection } {
  if (!('query' in some)) return { accountId: chosenId(accounts), some }
  const { accountId, query } = queryFor(accounts, some.query)
  return { accountId, some: { query } }
}
