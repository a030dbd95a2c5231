/** Starting when the user signs in, as desktops of Linux know it: an entry in the user's `autostart` folder (XDG). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LoginStart {
  isOn: () => boolean
  /** @throws a system's error where it couldn't be changed. */
  set: (isOn: boolean) => void
}

/**
 * @param folder absolute; made where it isn't there.
 * @param command the program and its arguments.
 */
export function xdgLoginStart(folder: string, command: readonly string[]): LoginStart {
  // @wc-ignore
  const path = join(folder, 'countersign.desktop')
  return {
    isOn() {
      try {
        // A desktop's own settings switch an entry off without removing it.
        return !/^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(readFileSync(path, 'utf8'))
      } catch {
        return false
      }
    },
    set(isOn) {
      if (!isOn) return rmSync(path, { force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, entryOf(command))
    }
  }
}

function entryOf(command: readonly string[]): string {
  // @wc-ignore
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Countersign',
    `Exec=${command.map(quoted).join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    ''
  ].join('\n')
}

/** As the Desktop Entry Specification wants arguments: quoted, then as a string of an entry, and no field codes. */
function quoted(argument: string): string {
  const inQuotes = argument
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  return `"${inQuotes}"`
}

/** Has the system do as the organisation says, where it says so. Never throws. */
export function applyLoginStart(
  loginStart: LoginStart | undefined,
  wanted: boolean | undefined,
  log: { warn(message: string): void }
): void {
  try {
    if (loginStart && wanted !== undefined && loginStart.isOn() !== wanted) loginStart.set(wanted)
  } catch {
    log.warn('Whether Countersign starts when someone signs in couldn’t be set as the organisation’s policy says.')
  }
}
