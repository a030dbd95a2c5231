/**
 * What someone who isn't an administrator, or who was trusted too far, could want of the organisation's policy file.
 */
import type { Area, Attack } from '../attack.ts'
import type { Guard } from '../guards.ts'

const by = (guard: Guard, ...names: string[]): Attack[] => names.map((name) => ({ name, guard: [guard] }))

export const policyFile: Area = {
  title: 'The organisation’s policy file',
  about:
    'The policy locks what people may change, leads accounts to their service and names whom pages may trust. A user of the computer would lift it; someone who is let near it would slip something in.',
  by: 'file',
  unit: 'test/unit/attacks/policy-file.test.ts',
  guard: ['policy reading'],
  attacks: [
    ...by(
      'policy place',
      'be another user’s',
      'be one that a group may write',
      'be a link to a file of an administrator’s',
      'be a pipe',
      'be larger than any policy',
      'lie where a switch says',
      'be exchanged while it is read',
      'be set in the user’s own part of the registry',
      'be a profile’s file of another user',
      'be values of the registry without end',
      'be read half, while its values are written',
      'be beside what management sets'
    ),
    ...by(
      'policy reading',
      'lock nothing by a name that is misspelt',
      'lock nothing by a value that isn’t one',
      'say one thing first and another last',
      'be nested so deeply that reading it ends the program',
      'hide something in bytes that are no text',
      'lead an account past encryption',
      'name every host for plain http',
      'let signing pages open any address',
      'make a server’s own certificate an authority',
      'have a folder watched that it leads out to',
      'carry an account’s secret',
      'take updates by a key that is none',
      'lock nothing by a value of the registry of another type',
      'lock nothing by a key of the registry that is none',
      'say one thing as a group and another as its part',
      'say one thing first and another last within a value'
    ),
    ...by(
      'last policy',
      'be lifted by removing it',
      'be lifted by breaking it',
      'be lifted by removing what management had set',
      'set nothing by being broken from the first day'
    )
  ]
}
