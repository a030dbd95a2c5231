/** Requests about what the office sets for its counter: the staff's PIN, the settings, the second display's picture. */
import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { CounterSettingsKeeper } from '../core/counter/counter-settings.ts'
import { LARGEST_LOGO } from '../core/counter/logo.ts'
import type { StaffPinKeeper } from '../core/counter/pin.ts'
import { fail } from '../core/lib/failure.ts'
import type { Dialogs, FileKind } from './dialogs.ts'
import type { RequestHandlers } from './registration.ts'

type Handled = `counter.${'pin' | 'setPin' | 'resetPin' | 'settings' | 'configure' | 'chooseLogo' | 'idleScreen'}`

export interface CounterSettingsParts extends Pick<Dialogs, 'chooseFiles'> {
  /** What the chosen account is called, where there is one. */
  officeName: () => string | undefined
  pin: Pick<StaffPinKeeper, 'state' | 'set' | 'reset'>
  settings: Pick<CounterSettingsKeeper, 'read' | 'configure' | 'setLogo' | 'idleScreen'>
  /** Whether someone signs at the counter now. */
  isRunning: () => boolean
}

const PICTURES: readonly FileKind[] = [{ name: 'Picture', extensions: ['png', 'jpg', 'jpeg', 'webp'] }]

export function counterSettingsHandlers({
  officeName,
  pin,
  settings,
  isRunning,
  chooseFiles
}: CounterSettingsParts): Pick<RequestHandlers, Handled> {
  return {
    'counter.pin': () => pin.state(),
    'counter.setPin': async ({ pin: chosen, current }) => {
      // Anyone who has the screen could take it with a PIN of their own, if the office's is gone.
      if (isRunning() && !(await pin.state()).isSet)
        fail('busy', 'Somebody is signing.', { next: 'Choose the first PIN after that.' })
      return pin.set(chosen, current)
    },
    'counter.resetPin': () => pin.reset(),

    'counter.settings': async () => settings.read(),
    'counter.configure': async (changes) => settings.configure(changes),
    'counter.chooseLogo': async (_input, { stillAsking }) => {
      const [path] = await chooseFiles('Choose the picture of the second display', PICTURES, stillAsking, 'one')
      return path === undefined ? null : settings.setLogo(await beginningOf(path))
    },
    'counter.idleScreen': async () => {
      const name = officeName()
      return { ...settings.idleScreen(), ...(name && { name }) }
    }
  }
}

/** The file, or of one that is too large as much as shows that. */
async function beginningOf(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path)
    return await buffer(file.createReadStream({ end: LARGEST_LOGO }))
  } catch {
    return fail('bad-file', 'The picture could not be read.', { next: 'Copy it to this computer and choose it again.' })
  }
}
