/** What a settings file from elsewhere could change. */
import type { Area, Attack } from '../attack.ts'
import type { Guard } from '../guards.ts'

const by = (guard: Guard, ...names: string[]): Attack[] => names.map((name) => ({ name, guard: [guard] }))

export const settingsFile: Area = {
  title: 'A settings file',
  about:
    'Settings are exported on one computer and imported on the next. Someone could have changed the file on the way, or made one of their own and sent it to a person who trusts it.',
  by: 'file',
  unit: 'test/unit/attacks/settings-file.test.ts',
  guard: ['settings file'],
  attacks: by(
    'settings file',
    'fill the memory',
    'be a pipe that is waited for',
    'bring a secret of someone else’s choice',
    'bring settings of a kind that isn’t in such files',
    'be of a version that isn’t known',
    'bring the practice office’s colour for a real account',
    'be taken for what was here under the same name',
    'send documents to a service that the organisation doesn’t allow',
    'change how the counter is guarded while its settings are locked',
    'do something else than was shown'
  )
}
