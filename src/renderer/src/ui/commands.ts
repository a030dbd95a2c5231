/**
 * What can be done with a row, or with several: one table for the bar over a list, the menus, the palette and the keys, so that a
 * thing has one name and one reason why it can't be done, wherever it is offered.
 */
import type { FileText } from '@lucide/svelte'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { Offer } from '../state/offers.svelte.ts'
import type { ByRole } from './by-role.ts'

/** An action of a menu, or a choice where `chosen` is set; 'line' parts groups. */
export type MenuEntry =
  | 'line'
  | {
      label: string
      note?: string
      chosen?: boolean
      danger?: boolean
      disabled?: boolean
      /** Why it can't be done now, said under it. */
      why?: string
      /** The request that it leads to, which the role of who works here may refuse. */
      takes?: RequestName | undefined
      icon?: typeof FileText
      /** The key that does the same. */
      keys?: string
      /** A CSS colour shown as a small square. */
      colour?: string
      /** One or two letters beside that colour. */
      mark?: string
      run: () => void
    }

export interface Command<Target> {
  label: string | ((target: Target) => string)
  icon?: typeof FileText
  /** As `KeyboardEvent.key` has it. It acts on the chosen row, never while one types. */
  key?: string
  danger?: boolean
  /** Begins a group of its own in menus. */
  isFirst?: boolean
  /** Whether it makes sense for this at all; always, where absent. */
  isFor?: (target: Target) => boolean
  /** Why it can't be done now; undefined where it can. */
  why?: (target: Target) => string | undefined
  /** The request that it leads to, which the role of who works here may refuse. */
  takes?: RequestName | ((target: Target) => RequestName | undefined)
  run: (target: Target) => void
}

/** The name of a key for people: single letters in capitals. */
export function keyInWords(key: string): string {
  return key.length === 1 ? key.toUpperCase() : key
}

export function labelOf<Target>({ label }: Command<Target>, target: Target): string {
  return typeof label === 'string' ? label : label(target)
}

/** The request that a command leads to for this. */
export function takenBy<Target>({ takes }: Command<Target>, target: Target): { takes?: RequestName } {
  const name = typeof takes === 'function' ? takes(target) : takes
  return name === undefined ? {} : { takes: name }
}

function those<Target, One extends Command<Target>>(commands: readonly One[], target: Target): readonly One[] {
  return commands.filter(({ isFor }) => isFor?.(target) ?? true)
}

/** The commands as a menu has them: in groups, each with its key, and with why where it can't be done. */
export function menuOf<Target>(commands: readonly Command<Target>[], target: Target): MenuEntry[] {
  const all = those(commands, target)
  return all.flatMap((command, index): MenuEntry[] => {
    const why = command.why?.(target)
    const entry: MenuEntry = {
      label: labelOf(command, target),
      ...(command.icon && { icon: command.icon }),
      ...(command.key !== undefined && { keys: keyInWords(command.key) }),
      ...(command.danger && { danger: true }),
      ...(why !== undefined && { disabled: true, why }),
      ...takenBy(command, target),
      run: () => command.run(target)
    }
    const isParted = index > 0 && (command.isFirst || (command.danger && !all[index - 1]?.danger))
    return isParted ? ['line', entry] : [entry]
  })
}

/** The commands as they are offered beyond the screen. */
export function offersOf<Target>(
  commands: readonly (Command<Target> & { name: string })[],
  target: Target,
  about: string
): Offer[] {
  return those(commands, target).map(({ name, icon, key, ...command }) => {
    const why = command.why?.(target)
    return {
      name,
      label: labelOf(command, target),
      about,
      ...(icon && { icon }),
      ...(key !== undefined && { key }),
      ...(why !== undefined && { why }),
      ...takenBy(command, target),
      run: () => command.run(target)
    }
  })
}

/**
 * Does what the key stands for.
 * @param role says why, where it can't be done now or not by who works here.
 * @returns whether it stands for anything.
 */
export function actByKey<Target>(
  commands: readonly Command<Target>[],
  event: Pick<KeyboardEvent, 'key'>,
  target: Target,
  role: ByRole
): boolean {
  const pressed = event.key.toLowerCase()
  const command = those(commands, target).find(({ key }) => key?.toLowerCase() === pressed)
  if (!command) return false
  const why = role.refusal(takenBy(command, target).takes) ?? command.why?.(target)
  if (why === undefined) command.run(target)
  else role.warn(why)
  return true
}
