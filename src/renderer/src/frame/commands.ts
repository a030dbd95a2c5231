/** What the command palette offers for what is typed in it. Pure, so that it can be read and tested apart. */
import type { AccountView, DocumentRow, SavedView } from '../../../shared/contract/views.ts'
import { partsOf } from '../state/document-query.ts'
import { type ScreenName, screenNames, screensOfOne } from '../state/router.svelte.ts'
import { listed } from '../words/counts.ts'

export type Command =
  | { id: string; group: 'Do'; label: string; act: 'compose' }
  | { id: string; group: 'Go to'; label: string; act: 'go'; screen: ScreenName; rest?: string[] }
  | { id: string; group: 'Switch account'; label: string; act: 'choose'; accountId: string }
  | { id: string; group: 'Documents'; label: string; act: 'search'; text: string }
  | { id: string; group: 'Document'; label: string; note: string; act: 'open'; reference: string }

/**
 * The commands that fit the typed words, each word anywhere in the label or its group.
 * @param labels what the screens are called.
 * @param known what else is offered: the account's folders and views, and the documents that the words find.
 */
export function commandsFor(
  typed: string,
  labels: Record<ScreenName, string>,
  accounts: readonly AccountView[],
  known: { views?: readonly SavedView[]; found?: readonly DocumentRow[] } = {}
): Command[] {
  const folders = accounts.find((account) => account.chosen)?.folders ?? []
  const all: Command[] = [
    { id: 'new', group: 'Do', label: 'New package', act: 'compose' },
    ...screenNames
      .filter((screen) => !screensOfOne.includes(screen))
      .map((screen) => ({
        id: `go-${screen}`,
        group: 'Go to' as const,
        label: labels[screen],
        act: 'go' as const,
        screen
      })),
    { id: 'go-presets', group: 'Go to', label: 'Presets', act: 'go', screen: 'drafts', rest: ['presets'] },
    { id: 'go-trash', group: 'Go to', label: 'Trash', act: 'go', screen: 'drafts', rest: ['trash'] },
    ...folders.map((folder) => ({
      id: `folder-${folder}`,
      group: 'Go to' as const,
      label: `${folder} (documents)`,
      act: 'go' as const,
      screen: 'documents' as const,
      rest: partsOf(folder)
    })),
    ...(known.views ?? []).map((view) => ({
      id: `view-${view.id}`,
      group: 'Go to' as const,
      label: `${view.name} (view)`,
      act: 'go' as const,
      screen: 'documents' as const,
      rest: ['view', view.id]
    })),
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
    { id: 'search', group: 'Documents', label: `Search documents for “${text}”`, act: 'search', text },
    // After it, so that what comes a moment later moves nothing under the keys.
    ...(known.found ?? []).map((row) => ({
      id: `document-${row.accountId}-${row.reference}`,
      group: 'Document' as const,
      label: row.name,
      note: listed(row.signers.map(({ name }) => name)),
      act: 'open' as const,
      reference: row.reference
    }))
  ]
}
