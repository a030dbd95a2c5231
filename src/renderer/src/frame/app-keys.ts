/** The global shortcuts, in one table: used for handling key presses and for the list of shortcuts. */
import { APP_COMMANDS, type AppCommand } from '../../../shared/contract/commands.ts'
import { keyInWords } from '../ui/commands.ts'

interface AppKey {
  command: AppCommand
  /** Such as "Mod+Shift+k". The first one is shown. Mod is Ctrl, or Command on a Mac. */
  keys: readonly string[]
  onMac?: readonly string[]
  /** Inactive while typing: in text the key has its own meaning. */
  isInactiveInText?: true
}

const APP_KEYS: readonly AppKey[] = [
  { command: 'search', keys: ['Mod+k'] },
  { command: 'compose', keys: ['Mod+n'] },
  { command: 'find', keys: ['Mod+f'] },
  { command: 'back', keys: ['Alt+ArrowLeft', 'BrowserBack'], onMac: ['Mod+[', 'BrowserBack'] },
  { command: 'forward', keys: ['Alt+ArrowRight', 'BrowserForward'], onMac: ['Mod+]', 'BrowserForward'] },
  { command: 'refresh', keys: ['F5', 'Mod+r', 'BrowserRefresh'] },
  { command: 'undo', keys: ['Mod+z'], isInactiveInText: true },
  { command: 'zoom-in', keys: ['Mod++', 'Mod+='] },
  { command: 'zoom-out', keys: ['Mod+-'] },
  { command: 'zoom-reset', keys: ['Mod+0'] },
  { command: 'shortcuts', keys: ['?', 'Mod+/'], isInactiveInText: true },
  { command: 'help', keys: ['F1'] }
]

const isMac = (): boolean => /Mac/i.test(navigator.userAgent)

function keysOf({ keys, onMac }: AppKey): readonly string[] {
  return (isMac() && onMac) || keys
}

/** Returns the command of a key press. */
export function commandOf(event: KeyboardEvent): AppCommand | undefined {
  const found = APP_KEYS.find((one) => keysOf(one).some((keys) => isPressed(keys, event)))
  return found?.isInactiveInText && isInText(event) ? undefined : found?.command
}

function isInText({ target }: KeyboardEvent): boolean {
  return (
    (target as HTMLElement).closest?.(
      'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
    ) != null
  )
}

/** Returns the keys of "Mod+Shift+k"; the last one may be "+" itself. */
function partsOf(keys: string): string[] {
  return keys.endsWith('++') ? [...keys.slice(0, -2).split('+'), '+'] : keys.split('+')
}

function isPressed(keys: string, event: KeyboardEvent): boolean {
  const parts = partsOf(keys)
  const key = parts.at(-1) ?? ''
  const mod = event.ctrlKey || event.metaKey
  if (mod !== parts.includes('Mod') || event.altKey !== parts.includes('Alt')) return false
  // On some keyboards symbols need Shift; letters with Shift mean something else.
  if (event.shiftKey && /^[a-z0-9[\]]$|^\w\w/.test(key)) return false
  return event.key.toLowerCase() === key.toLowerCase()
}

const KEY_SYMBOLS: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→' }

function keysInWords(one: AppKey): string {
  const [shown = ''] = keysOf(one)
  return partsOf(shown)
    .map((part) => KEY_SYMBOLS[part] ?? keyInWords(part))
    .join(' ')
}

/** Returns the keys of a command; `Kbd` draws each key. */
export function keysOfCommand(command: AppCommand): string | undefined {
  const found = APP_KEYS.find((one) => one.command === command)
  return found && keysInWords(found)
}

/** Returns the commands with their keys for the list of shortcuts; `Kbd` draws each key. */
export function appKeysInWords(): { keys: string; does: string }[] {
  return APP_KEYS.map((one) => ({ keys: keysInWords(one), does: APP_COMMANDS[one.command] }))
}
