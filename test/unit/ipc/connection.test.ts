/** The connection of several accounts together, as the title bar and Today show it. */
import { expect, test } from 'vitest'
import { combinedConnection } from '../../../src/main/ipc/accounts.ts'
import type { AppError, ConnectionView } from '../../../src/shared/contract/index.ts'

const error: AppError = {
  code: 'unauthorised',
  message: 'The signing service didn’t accept this account’s key or token.'
}
const views: Record<string, ConnectionView> = {
  fine: { state: 'online', since: 1 },
  away: { state: 'offline', since: 2 },
  refused: { state: 'refused', since: 3, error },
  alsoRefused: { state: 'refused', since: 4 }
}
const together = (...ids: string[]) =>
  combinedConnection(ids, { connectionOf: (id) => views[id ?? ''] ?? { state: 'unknown', since: 0 } })

test('each account that its service doesn’t accept is named, with the reason', () => {
  expect(together('fine', 'refused', 'away', 'alsoRefused')).toEqual({
    state: 'refused',
    since: 3,
    error,
    notAccepted: [{ accountId: 'refused', error }, { accountId: 'alsoRefused' }]
  })
})

test('a combined connection is offline only if all are', () => {
  expect(together('fine', 'away')).toEqual(views.fine)
  expect(together('away')).toEqual(views.away)
  expect(together()).toEqual({ state: 'unknown', since: 0 })
})
