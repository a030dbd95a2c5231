/** Whether there can be anything to download of an identity check, read from the service's own words. */
import type { SignerView } from '../../../../shared/contract/views.ts'

/** Words for a check that is still to be made. The service's words are open: any other is taken for a result. */
const OUTSTANDING = new Set([
  'requested',
  'pending',
  'waiting',
  'invited',
  'sent',
  'created',
  'notstart',
  'notstarted',
  'inprogress',
  'incomplete'
])

/**
 * Whether the service says of every check that it is still to be made. Where it says nothing that is not known, and
 * the answer is false.
 */
export function isIdentityOutstanding(people: readonly Pick<SignerView, 'identity'>[]): boolean {
  const said = people.flatMap((person) => person.identity)
  return said.length > 0 && said.every(({ value }) => OUTSTANDING.has(value.toLowerCase().replace(/[^a-z]/g, '')))
}
