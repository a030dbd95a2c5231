/** What an organisation gives all its computers by a file (decision 57) lies among what people made, and is told by its id. */
import { createHash } from 'node:crypto'
import { fail } from './failure.ts'
import { folded } from './text-folding.ts'

const PREFIX = 'shared-'

/** The same for what has the same name in an account, in each run and version of the file. */
export function sharedId(accountId: string, name: string): string {
  return `${PREFIX}${createHash('sha256')
    .update(`${accountId}\0${folded(name)}`)
    .digest('hex')
    .slice(0, 32)}`
}

export const isShared = ({ id }: { id: string }): boolean => id.startsWith(PREFIX)

/** @throws AppFailure `not-allowed` */
export function refuseShared(id: string): void {
  if (isShared({ id }))
    fail('not-allowed', 'This comes from your organisation.', { next: 'Save one of your own under another name.' })
}
