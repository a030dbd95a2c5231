/**
 * Actions on one or more rows. One table serves the bar above a list, the menus, the palette and the keys, so that each
 * action has the same name, and the same reason for being unavailable, wherever it is offered.
 */
import type { FileText } from '@lucide/svelte'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { Offer } from '../state/offers.svelte.ts'
import type { RoleCheck } from './by-role.ts'

/** A menu's action, or a choice if `chosen` is set; 'line' separates groups. */
export type MenuEntry =
  | 'line'
  | {
      label: string
      note?: string
      chosen?: boolean
      danger?: boolean
      disabled?: boolean
      /** Why it is unavailable now, shown below it. */
      why?: string
      /** The request it leads to, which the staff member's role may refuse. */
      request?: RequestName | undefined
      icon?: typeof FileText
      keys?: string
      /** A CSS colour, shown as a small square. */
      colour?: string
      /** One or two letters next to the colour. */
      mark?: string
      run: () => void
    }

export interface Command<Target> {
  label: string | ((target: Target) => string)
  icon?: typeof FileText
  /** A `KeyboardEvent.key`. It acts on the selected row, never while typing. */
  key?: string
  danger?: boolean
  /** Starts a new group in menus. */
  isFirst?: boolean
  /** Whether it applies to the target at all; if absent, it always does. */
  isFor?: (target: Target) => boolean
  /** Why it is unavailable now. Undefined if it is available. */
  why?: (target: Target) => string | undefined
  /** The request it leads to, which the staff member's role may refuse. */
  request?: RequestName | ((target: Target) => RequestName | undefined)
  run: (target: Target) => void
}

/** Returns a key's display name: single letters are capitalised. */
export function keyInWords(key: string): string {
  return key.length === 1 ? key.toUpperCase() : key
}

export function labelOf<Target>({ label }: Command<Target>, target: Target): string {
  return typeof label === 'string' ? label : label(target)
}

/** Returns the request a command leads to for this target. */
export function requestOf<Target>({ request }: Command<Target>, target: Target): { request?: RequestName } {
  const name = typeof request === 'function' ? request(target) : request
  return name === undefined ? {} : { request: name }
}

function applicable<Target, One extends Command<Target>>(commands: readonly One[], target: Target): readonly One[] {
  return commands.filter(({ isFor }) => isFor?.(target) ?? true)
}

/** Returns the commands as menu entries: grouped, with their keys, and with the reason if unavailable. */
export function menuOf<Target>(commands: readonly Command<Target>[], target: Target): MenuEntry[] {
  const all = applicable(commands, target)
  return all.flatMap((command, index): MenuEntry[] => {
    const why = command.why?.(target)
    const entry: MenuEntry = {
      label: labelOf(command, target),
      ...(command.icon && { icon: command.icon }),
      ...(command.key !== undefined && { keys: keyInWords(command.key) }),
      ...(command.danger && { danger: true }),
      ...(why !== undefined && { disabled: true, why }),
      ...requestOf(command, target),
      run: () => command.run(target)
    }
    const needsDivider = index > 0 && (command.isFirst || (command.danger && !all[index - 1]?.danger))
    return needsDivider ? ['line', entry] : [entry]
  })
}

/** Returns the commands as offers beyond the screen. */
export function offersOf<Target>(
  commands: readonly (Command<Target> & { name: string })[],
  target: Target,
  about: string
): Offer[] {
  return applicable(commands, target).map(({ name, icon, key, ...command }) => {
    const why = command.why?.(target)
    return {
      name,
      label: labelOf(command, target),
      about,
      ...(icon && { icon }),
      ...(key !== undefined && { key }),
      ...(why !== undefined && { why }),
      ...requestOf(command, target),
      run: () => command.run(target)
    }
  })
}

/**
 * Runs the command of a key press.
 * @param role reports why it can't run now, or isn't allowed for the staff member.
 * @returns whether the key belongs to a command.
 */
export function runByKey<Target>(
  commands: readonly Command<Target>[],
  event: Pick<KeyboardEvent, 'key'>,
  target: Target,
  role: RoleCheck
): boolean {
  const pressed = event.key.toLowerCase()
  const command = applicable(commands, target).find(({ key }) => key?.toLowerCase() === pressed)
  if (!command) return false
  const why = role.refusal(requestOf(command, target).request) ?? command.why?.(target)
  if (why === undefined) command.run(target)
  else role.warn(why)
  return true
}
