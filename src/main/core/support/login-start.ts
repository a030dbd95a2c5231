/** Starting at login on Linux desktops: an entry in the user's `autostart` folder (XDG). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LoginStart {
  isOn: () => boolean
  /** @throws a system error if it couldn't be changed. */
  set: (isOn: boolean) => void
}

/**
 * Manages the autostart entry.
 * @param folder absolute; created if missing.
 * @param command the program and its arguments.
 */
export function xdgLoginStart(folder: string, command: readonly string[]): LoginStart {
  // @wc-ignore
  const path = join(folder, 'countersign.desktop')
  return {
    isOn() {
      try {
        // Desktop settings disable an entry without removing it.
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

/**
 * Quotes an argument as the Desktop Entry Specification requires: quoting first, then string escapes, without field
 * codes.
 */
function quoted(argument: string): string {
  const inQuotes = argument
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  return `"${inQuotes}"`
}

/** Applies the organisation's setting, if any. Never throws. */
export function applyLoginStart(
  loginStart: LoginStart | undefined,
  desired: boolean | undefined,
  log: { warn(message: string): void }
): void {
  try {
    if (loginStart && desired !== undefined && loginStart.isOn() !== desired) loginStart.set(desired)
  } catch {
    log.warn('Whether Countersign starts when someone signs in couldn’t be set as the organisation’s policy says.')
  }
}
