/** What the update server, the line to it, or another program on this computer could do. */
import type { Area, Attack } from '../attack.ts'
import type { Guard } from '../guards.ts'

const by = (guard: Guard, ...names: string[]): Attack[] => names.map((name) => ({ name, guard: [guard] }))

export const updates: Area = {
  title: 'Updates',
  about:
    'Updates come from a web server that the organisation names and are installed with an administrator’s rights. Someone who has that server, or the line to it, would have every computer of the office.',
  by: 'network',
  unit: 'test/unit/attacks/updates.test.ts',
  guard: ['update signed'],
  attacks: [
    ...by(
      'update signed',
      'have a release taken without a signature',
      'have a release taken with an empty signature',
      'have a release taken with a signature of zeros',
      'have a release taken that another publisher signed',
      'change a description that was signed',
      'have a description read that never ends',
      'have a version taken that is none'
    ),
    ...by(
      'update package',
      'put another file in the place of the package',
      'send a package without end until the disk is full',
      'have a part of the package taken for all of it',
      'break the line in the middle of the package',
      'have the package of another computer taken',
      'lead out of the feed’s folder by a name',
      'lead to another server by a name',
      'change the package on the disk once it was checked'
    ),
    ...by(
      'update feed',
      'lead to another server',
      'lead to the same server without encryption',
      'lead in circles',
      'pass for the storage of GitHub’s releases',
      'be waited for without end',
      'tell one computer from another'
    ),
    ...by(
      'update newer',
      'have an older version taken',
      'bring back a release older than one that it offered',
      'have a test version taken where only finished ones belong'
    ),
    ...by(
      'update waits',
      'be downloaded while someone signs at the counter',
      'be downloaded while a package is sent',
      'be downloaded while files are',
      'be offered while a package is sent that it came before',
      'be installed while a package is sent',
      'be installed in the end while a package is sent',
      'be installed where nobody asked and a password is needed',
      'be taken from a feed that the policy no longer names'
    )
  ]
}
