/** What a backup, an enrolment file, a recovery file or the data folder at a start could be abused for. */
import type { Area, Attack } from '../attack.ts'
import type { Guard } from '../guards.ts'

const by = (guard: Guard, ...names: string[]): Attack[] => names.map((name) => ({ name, guard: [guard] }))

export const keptData: Area = {
  title: 'Backups, recovery keys, and what a start finds',
  about:
    'A backup lies on a share or a drive that others reach, and is opened by a person who trusts it. Those of the first rows know nothing; those who change what is in it know its passphrase. The last rows change small files in the data folder, which a start reads before anything is opened.',
  by: 'file',
  unit: 'test/unit/attacks/kept-data.test.ts',
  guard: ['backup checked'],
  attacks: [
    ...by(
      'sealed file',
      'be read under another passphrase',
      'have a beginning without bounds',
      'be of another day than it was made on',
      'keep this computer at making its key for hours',
      'have its key made a thousand times',
      'have its key made in a way that costs nothing',
      'change a byte of what is in it',
      'let two of its parts change places',
      'leave out one of its parts',
      'end early, where a part ends',
      'bring a part of another backup under the same passphrase',
      'be an enrolment file'
    ),
    ...by(
      'backup checked',
      'be written outside its folder',
      'fill the memory with what stands first',
      'hold more than it says',
      'hold something else than it says',
      'bring a trigger of its own',
      'bring what belongs to nothing',
      'be of a version that isn’t known',
      'send what was sent since'
    ),
    ...by(
      'decided before',
      'have a folder from elsewhere put in place',
      'have what is here put elsewhere',
      'have a file removed that isn’t in the folder of backups',
      'have a file removed that is no backup',
      'have everything removed by a file that decides nothing',
      'have it said that all is gone while the keychain is locked'
    ),
    ...by(
      'recovery key',
      'have another computer’s key taken for this one’s',
      'change what a recovery key opens',
      'have hundreds of keys tried',
      'go on reading with a key that the organisation withdrew',
      'have the organisation’s key be a short one',
      'have the organisation’s private key lie where each user reads it'
    ),
    ...by(
      'enrolment',
      'have an account of its name led elsewhere',
      'have an account of its name sign in otherwise',
      'replace a secret that is here',
      'replace a secret that was entered while its own was tried',
      'have its secret sent where the account was led meanwhile'
    )
  ]
}
