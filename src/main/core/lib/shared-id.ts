/**
 * Items that an organisation gives all its computers in a file (decision 57) are stored with the users' own, and
 * recognised by their id.
 */
import { createHash } from 'node:crypto'
import { fail } from './failure.ts'
import { folded } from './text-folding.ts'

const PREFIX = 'shared-'

/** Returns the id of a shared item: stable for the same account and name, across runs and versions of the file. */
export function sharedId(accountId: string, name: string): string {
  return `${PREFIX}${createHash('sha256')
    .update(`${accountId}\0${folded(name)}`)
    .digest('hex')
    .slice(0, 32)}`
}

export const isShared = ({ id }: { id: string }): boolean => id.startsWith(PREFIX)

/** Throws if the id belongs to a shared item. @throws AppFailure `not-allowed` */
export function refuseShared(id: string): void {
  if (isShared({ id }))
    fail('not-allowed', 'This comes from your organisation.', { next: 'Save one of your own under another name.' })
}
