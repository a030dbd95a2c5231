/** What the command palette offers for what is typed in it. Pure, so that it can be read and tested apart. */
import type { AccountView } from '../../../shared/contract/views.ts'
import { type ScreenName, screenNames } from '../state/router.svelte.ts'

export type Command =
  | { id: string; group: 'Do'; label: string; act: 'compose' }
  | { id: string; group: 'Go to'; label: string; act: 'go'; screen: ScreenName; rest?: string[] }
  | { id: string; group: 'Switch account'; label: string; act: 'choose'; accountId: string }
  | { id: string; group: 'Documents'; label: string; act: 'search'; text: string }

/**
 * The commands that fit the typed words, each word anywhere in the label or its group.
 * @param labels what the screens are called.
 */
export function commandsFor(
  typed: string,
  labels: Record<ScreenName, string>,
  accounts: readonly AccountView[]
): Command[] {
  const all: Command[] = [
    { id: 'new', group: 'Do', label: 'New package', act: 'compose' },
    ...screenNames.map((screen) => ({
      id: `go-${screen}`,
      group: 'Go to' as const,
      label: labels[screen],
      act: 'go' as const,
      screen
    })),
    { id: 'go-presets', group: 'Go to', label: 'Presets', act: 'go', screen: 'drafts', rest: ['presets'] },
    { id: 'go-trash', group: 'Go to', label: 'Trash', act: 'go', screen: 'drafts', rest: ['trash'] },
    ...accounts
      .filter((account) => !account.chosen)
      .map((account) => ({
        id: `account-${account.id}`,
        group: 'Switch account' as const,
        label: account.name,
        act: 'choose' as const,
        accountId: account.id
      }))
  ]
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = all.filter((command) => {
    const text = `${command.group} ${command.label}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  if (words.length === 0) return fitting
  const text = typed.trim()
  return [
    ...fitting,
    { id: 'search', group: 'Documents', label: `Search documents for “${text}”`, act: 'search', text }
  ]
}
