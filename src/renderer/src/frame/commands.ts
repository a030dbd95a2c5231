/** What the command palette offers for what is typed in it. Pure, so that it can be read and tested apart. */
import { APP_COMMANDS, type AppCommand } from '../../../shared/contract/commands.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { AccountView, DocumentRow, SavedView } from '../../../shared/contract/views.ts'
import { folded } from '../../../shared/text-folding.ts'
import type { Section } from '../screens/help/sections.ts'
import { ALL_ACCOUNTS } from '../state/app-state.svelte.ts'
import { partsOf } from '../state/document-query.ts'
import type { Offer } from '../state/offers.svelte.ts'
import { type Router, type ScreenName, screenNames, screensOfOne } from '../state/router.svelte.ts'
import { listed } from '../words/counts.ts'

/** A place to go to, or another account to choose. */
export type Command = {
  id: string
  group: 'Command' | 'Go to' | 'Switch account' | 'Documents' | 'Document' | 'Help'
  label: string
  note?: string
} & ({ go: Parameters<Router['go']> } | { accountId: string } | { app: AppCommand } | { offer: Offer })

/** Those that one looks for by name; the others are keys. */
const IN_PALETTE: readonly AppCommand[] = [
  'compose',
  'refresh',
  'back',
  'forward',
  'zoom-in',
  'zoom-out',
  'zoom-reset',
  'lock',
  'shortcuts'
]

/** The parts of the settings by what one looks for there. */
const SETTINGS: Readonly<Record<string, string>> = {
  accounts: 'Settings: accounts, keys and tokens',
  appearance: 'Settings: theme, zoom and country',
  notifications: 'Settings: notifications and quiet hours',
  counter: 'Settings: staff, PINs and badges, identity checklist, second display and lock',
  downloads: 'Settings: downloads folder and file names',
  'drop-folders': 'Settings: drop folders',
  hints: 'Settings: instant updates',
  office: 'Settings: office, workstations that share one Outbox',
  safety: 'Settings: data folder, backups, recovery key, retention and security',
  updates: 'Settings: updates',
  support: 'Settings: check this computer, request log and support',
  about: 'Settings: version'
}

function to(id: string, label: string, ...go: Parameters<Router['go']>): Command {
  return { id, group: 'Go to', label, go }
}

function searchInHelp(text: string): Command {
  return {
    id: 'search-help',
    group: 'Help',
    label: `Search the help for “${text}”`,
    go: ['help', [], { search: text }]
  }
}

/**
 * The commands that fit the typed words, each word anywhere in the label or its group.
 * @param labels what the screens are called.
 * @param known what else is offered: the account's folders and views, the documents that the words find, what the screen can do with what is
 *   chosen in it, the sections of the handbook, and whether it says
 *   anything about what is typed.
 */
export function commandsFor(
  typed: string,
  labels: Record<ScreenName, string>,
  accounts: readonly AccountView[],
  known: {
    views?: readonly SavedView[]
    found?: readonly DocumentRow[]
    offers?: readonly Offer[]
    help?: readonly Section[]
    isInHelp?: (typed: string) => boolean
    /** Whether the role of who works here refuses a screen. */
    isClosed?: (screen: ScreenName) => boolean
    /** Why it refuses a request; undefined where it doesn't. */
    refusal?: (takes: RequestName | undefined) => string | undefined
    /** Whether documents of several accounts are shown. */
    areSeveral?: boolean
  } = {}
): Command[] {
  const folders = [...new Set(accounts.filter(({ shown }) => shown).flatMap((account) => account.folders))]
  const all: Command[] = [
    // What is chosen in the screen comes first: it is what one was just looking at.
    ...(known.offers ?? [])
      .filter(({ about }) => about)
      .map(
        (offer): Command => ({
          id: `offer-${offer.name}`,
          group: 'Command',
          label: offer.label,
          note: known.refusal?.(offer.takes) ?? offer.why ?? offer.about,
          offer
        })
      ),
    ...IN_PALETTE.filter((app) => app !== 'compose' || !known.isClosed?.(app)).map(
      (app): Command => ({ id: app, group: 'Command', label: APP_COMMANDS[app], app })
    ),
    ...screenNames
      .filter((screen) => !screensOfOne.includes(screen) && !known.isClosed?.(screen))
      .map((screen) => to(`go-${screen}`, labels[screen], screen)),
    // By their words alone: in the whole list they would be as many as the screens.
    ...Object.entries(typed.trim() ? SETTINGS : {}).map(([part, label]) =>
      to(`settings-${part}`, label, 'settings', [part])
    ),
    to('go-board', 'Board of the counters', 'counter', ['board']),
    to('go-presets', 'Presets', 'drafts', ['presets']),
    to('go-trash', 'Trash', 'drafts', ['trash']),
    ...folders.map((folder) => to(`folder-${folder}`, `${folder} (documents)`, 'documents', partsOf(folder))),
    ...(known.views ?? []).map(({ id, name }) => to(`view-${id}`, `${name} (view)`, 'documents', ['view', id])),
    ...(accounts.length > 1 && !known.areSeveral
      ? [{ id: 'account-all', group: 'Switch account', label: 'All accounts', accountId: ALL_ACCOUNTS } as const]
      : []),
    ...accounts
      .filter((account) => !account.chosen || known.areSeveral)
      .map(({ id, name }): Command => ({ id: `account-${id}`, group: 'Switch account', label: name, accountId: id }))
  ]
  const words = typed.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = all.filter((command) => {
    const text = `${command.group} ${command.label}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  if (words.length === 0) return fitting
  // By their titles: what is in them is found in the handbook itself.
  const sections = (known.help ?? []).filter(({ title }) =>
    words.every((word) => folded(`help ${title}`).includes(folded(word)))
  )
  const text = typed.trim()
  return [
    ...fitting,
    ...sections.map(
      ({ id, title }): Command => ({
        id: `help-${id}`,
        group: 'Help',
        label: `Help: ${title}`,
        go: ['help', id.split('/')]
      })
    ),
    {
      id: 'search',
      group: 'Documents',
      label: `Search documents for “${text}”`,
      go: ['documents', ['all'], { search: text }]
    },
    ...(known.isInHelp?.(text) ? [searchInHelp(text)] : []),
    // After it, so that what comes a moment later moves nothing under the keys.
    ...(known.found ?? []).map(
      ({ accountId, reference, name, signers }): Command => ({
        id: `document-${accountId}-${reference}`,
        group: 'Document',
        label: name,
        note: listed(signers.map((signer) => signer.name)),
        go: ['documents', ['all'], { document: reference, ...(known.areSeveral && { account: accountId }) }]
      })
    )
  ]
}
