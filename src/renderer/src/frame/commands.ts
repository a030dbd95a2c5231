/** What the command palette offers for typed text. Pure functions, so that they can be read and tested on their own. */
import { APP_COMMANDS, type AppCommand, type DocumentCommand } from '../../../shared/contract/commands.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { AccountView, DocumentRow, SavedView } from '../../../shared/contract/views.ts'
import { hasWords, isMeantBy } from '../../../shared/short-list-search.ts'
import { folded, wordsOf } from '../../../shared/text-folding.ts'
import type { Section } from '../screens/help/sections.ts'
import { ALL_ACCOUNTS } from '../state/app-state.svelte.ts'
import { folderPath } from '../state/document-query.ts'
import type { Offer } from '../state/offers.svelte.ts'
import { documentScreens, type Router, type ScreenName, screenNames } from '../state/router.svelte.ts'
import { listed } from '../words/counts.ts'
import {
  APP_COMMAND_WORDS,
  DOCUMENT_COMMAND_WORDS,
  HELP_WORDS,
  type PaletteCommand,
  PLACE_WORDS,
  SCREEN_WORDS,
  SETTINGS_WORDS
} from './search-words.ts'

/** A place to go to, an account to switch to, or something to run. */
export type Command = {
  id: string
  group: 'Command' | 'Go to' | 'Switch account' | 'Documents' | 'Document' | 'Help'
  label: string
  note?: string
  /** Further words that find it, which aren't shown. */
  otherWords?: string | undefined
} & ({ go: Parameters<Router['go']> } | { accountId: string } | { app: AppCommand } | { offer: Offer })

const IN_PALETTE: readonly PaletteCommand[] = [
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

/** The sections of the settings, labelled with what people look for there. */
const SETTINGS: Readonly<Record<string, string>> = {
  accounts: 'Settings: accounts, keys and tokens',
  appearance: 'Settings: theme, zoom and country of mobile numbers',
  notifications: 'Settings: notifications and quiet hours',
  counter:
    'Settings: staff, PINs and badges, identity checklist, full screen, second display, welcome message and lock',
  downloads: 'Settings: downloads folder and file names',
  'drop-folders': 'Settings: drop folders',
  hints: 'Settings: instant updates',
  office: 'Settings: office, workstations that share one Outbox',
  safety: 'Settings: data folder, backups, recovery key, retention and security',
  updates: 'Settings: updates',
  support: 'Settings: check this computer, request log and support',
  about: 'Settings: version'
}

function goToCommand(
  id: string,
  label: string,
  otherWords: string | undefined,
  ...go: Parameters<Router['go']>
): Command {
  return { id, group: 'Go to', label, otherWords, go }
}

function searchInHelp(text: string): Command {
  return {
    id: 'search-help',
    group: 'Help',
    label: `Search the help for “${text}”`,
    go: ['help', [], { search: text }]
  }
}

/** How many commands with similar names are offered if none has the words as they were typed. */
const MAX_NEAR = 3

/** Returns whether each word is in the name or begins one of the further words. */
function isFoundBy(name: string, otherWords: string | undefined, words: readonly string[]): boolean {
  const text = folded(name)
  const further = wordsOf(otherWords ?? '')
  return words.every((word) => text.includes(word) || further.some((one) => one.startsWith(word)))
}

/** What else is offered than the commands that are always there. */
interface Known {
  views?: readonly SavedView[]
  found?: readonly DocumentRow[]
  offers?: readonly Offer[]
  help?: readonly Section[]
  isInHelp?: (typed: string) => boolean
  /** Whether the staff member's role refuses a screen. */
  isClosed?: (screen: ScreenName) => boolean
  /** Why it refuses a request. Undefined if it doesn't. */
  refusal?: (request: RequestName | undefined) => string | undefined
  /** Whether documents of several accounts are shown. */
  showsSeveral?: boolean
}

/**
 * Returns the commands that match the typed words, first those that have them in their label or group, then those that
 * other words for the same find. If there are none, those with similar names follow the search for documents.
 * @param labels the names of the screens.
 * @param known what else is offered: the account's views, documents found for the words, what the screen can do with
 * its selection, the handbook's sections, and whether the handbook mentions what is typed.
 */
export function commandsFor(
  typed: string,
  labels: Record<ScreenName, string>,
  accounts: readonly AccountView[],
  known: Known = {}
): Command[] {
  const all = allCommands(typed, labels, accounts, known)
  const words = wordsOf(typed)
  if (words.length === 0) return all
  const nameOf = ({ group, label }: Command) => `${group} ${label}`
  const byName = all.filter((command) => hasWords(nameOf(command), words))
  const byOtherWords = all.filter(
    (command) => !byName.includes(command) && isFoundBy(nameOf(command), command.otherWords, words)
  )
  // By title only: their text is searched in the handbook itself.
  const sections = (known.help ?? []).filter(({ id, title }) => isFoundBy(`help ${title}`, HELP_WORDS[id], words))
  const isAny = byName.length + byOtherWords.length + sections.length > 0
  const near = isAny ? [] : all.filter((command) => isMeantBy(`${nameOf(command)} ${command.otherWords ?? ''}`, words))
  const text = typed.trim()
  return [
    ...byName,
    ...byOtherWords,
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
    // What was typed may be a name, so Enter searches for it.
    ...near.slice(0, MAX_NEAR),
    ...(known.isInHelp?.(text) ? [searchInHelp(text)] : []),
    // After the search command, so that results arriving late don't move anything under the keys.
    ...(known.found ?? []).map(
      ({ accountId, reference, name, signers }): Command => ({
        id: `document-${accountId}-${reference}`,
        group: 'Document',
        label: name,
        note: listed(signers.map((signer) => signer.name)),
        go: ['documents', ['all'], { document: reference, ...(known.showsSeveral && { account: accountId }) }]
      })
    )
  ]
}

/** Returns every command; those of the settings only if something is typed. */
function allCommands(
  typed: string,
  labels: Record<ScreenName, string>,
  accounts: readonly AccountView[],
  known: Known
): Command[] {
  const folders = [...new Set(accounts.filter(({ shown }) => shown).flatMap((account) => account.folders))]
  return [
    // Actions on the screen's selection come first: it is what the user was just looking at.
    ...(known.offers ?? [])
      .filter(({ about }) => about)
      .map(
        (offer): Command => ({
          id: `offer-${offer.name}`,
          group: 'Command',
          label: offer.label,
          note: known.refusal?.(offer.request) ?? offer.why ?? offer.about,
          otherWords: DOCUMENT_COMMAND_WORDS[offer.name as DocumentCommand],
          offer
        })
      ),
    ...IN_PALETTE.filter((app) => app !== 'compose' || !known.isClosed?.(app)).map(
      (app): Command => ({
        id: app,
        group: 'Command',
        label: APP_COMMANDS[app],
        otherWords: APP_COMMAND_WORDS[app],
        app
      })
    ),
    ...screenNames
      // A command opens the new package already.
      .filter((screen) => screen !== 'compose' && !documentScreens.includes(screen) && !known.isClosed?.(screen))
      .map((screen) => goToCommand(`go-${screen}`, labels[screen], SCREEN_WORDS[screen], screen)),
    // Only if something is typed: in the full list they would be as many as the screens.
    ...Object.entries(typed.trim() ? SETTINGS : {}).map(([part, label]) =>
      goToCommand(`settings-${part}`, label, SETTINGS_WORDS[part], 'settings', [part])
    ),
    goToCommand('go-board', 'Board of the counters', PLACE_WORDS['go-board'], 'counter', ['board']),
    goToCommand('go-presets', 'Presets', PLACE_WORDS['go-presets'], 'drafts', ['presets']),
    goToCommand('go-trash', 'Trash', PLACE_WORDS['go-trash'], 'drafts', ['trash']),
    ...folders.map((folder) =>
      goToCommand(`folder-${folder}`, `${folder} (documents)`, undefined, 'documents', folderPath(folder))
    ),
    ...(known.views ?? []).map(({ id, name }) =>
      goToCommand(`view-${id}`, `${name} (view)`, undefined, 'documents', ['view', id])
    ),
    ...(accounts.length > 1 && !known.showsSeveral
      ? [{ id: 'account-all', group: 'Switch account', label: 'All accounts', accountId: ALL_ACCOUNTS } as const]
      : []),
    ...accounts
      .filter((account) => !account.chosen || known.showsSeveral)
      .map(({ id, name }): Command => ({ id: `account-${id}`, group: 'Switch account', label: name, accountId: id }))
  ]
}
