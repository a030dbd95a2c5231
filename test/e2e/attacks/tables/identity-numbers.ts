/** What a window that has been taken over could have kept of a passport or an identity card at the counter. */
import type { Area, Attack } from '../attack.ts'

const by = (...names: string[]): Attack[] => names.map((name) => ({ name }))

export const identityNumbers: Area = {
  title: 'Numbers of identity documents',
  about:
    'Staff compare a passport or an ID card with a name. A page that was taken over could send its number where no policy has it kept, or have more of it kept, or sooner, or claim a match that isn’t one.',
  by: 'own page',
  unit: 'test/unit/attacks/identity-numbers.test.ts',
  guard: ['identity kept'],
  attacks: by(
    'have a number kept without a policy',
    'have all of a number kept where only its end may be',
    'have the expiry date kept where only the end of the number may be',
    'have a typed document kept further than its policy says',
    'have a typed document called a match that isn’t one',
    'have a passport that was read called a match that isn’t one',
    'have a match recorded of a document that nobody read'
  )
}
