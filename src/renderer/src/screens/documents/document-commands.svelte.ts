/**
 * The commands for one or several documents: one table for the selection bar, a row's menu, the palette, the
 * application menu, shortcuts and the document's page. `CommandDialogs.svelte` has their dialogs.
 */

import {
  BellRing,
  CalendarClock,
  Copy,
  CopyPlus,
  Download,
  ExternalLink,
  Link,
  Mail,
  MailCheck,
  MailOpen,
  Pin,
  Send,
  ShieldCheck,
  Stamp,
  UserPen,
  Users
} from '@lucide/svelte'
import type { KeptByAnother } from '../../../../shared/composition/preset.ts'
import { DOCUMENT_COMMANDS, type DocumentCommand } from '../../../../shared/contract/commands.ts'
import type { ActionRequest } from '../../../../shared/contract/document-actions.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type {
  AccountRights,
  ActionView,
  DocumentPage,
  DocumentRow,
  SignerView
} from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { settled } from '../../api.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'
import type { Command } from '../../ui/commands.ts'
import { startedInWords } from '../../words/actions.ts'
import { type Extendable, notExtendable } from './extension.ts'
import { MAX_WITH_ROWS } from './selection.svelte.ts'

/** The documents that a command applies to. */
export interface CommandTarget {
  documents: readonly DocumentKey[]
  /** Undefined if too many are selected to have their rows. */
  rows: readonly DocumentRow[] | undefined
}

type RequestOf<K extends ActionRequest['kind']> = Extract<ActionRequest, { kind: K }>

/** What opens a dialog first, with its subject. `before` is a previous request to change. */
export type OpenDialog =
  | {
      what: 'remind'
      who: readonly DocumentRow[] | { page: DocumentPage; person: SignerView }
      reminders: AccountRights['reminders'] | undefined
    }
  | { what: 'extend'; documents: readonly Extendable[]; before?: RequestOf<'extend'> }
  | { what: 'notary'; documents: readonly (DocumentKey & { name: string })[]; before?: RequestOf<'notary'> }
  | { what: 'verify'; rows: readonly DocumentRow[] }
  | { what: 'download' | 'hold'; chosen: CommandTarget }
  | { what: 'whom'; page: DocumentPage; people: readonly SignerView[] }
  | { what: 'correct'; page: DocumentPage; person: SignerView; before?: RequestOf<'correct'> }

type NamedCommand = Command<CommandTarget> & { name: DocumentCommand }

/** The icon of each command, and its shortcut while a row is focused. */
export const DOCUMENT_LOOKS: Record<DocumentCommand, Pick<NamedCommand, 'icon' | 'key'>> = {
  remind: { icon: BellRing, key: 'm' },
  extend: { icon: CalendarClock, key: 'd' },
  correct: { icon: UserPen, key: 'c' },
  verify: { icon: ShieldCheck, key: 'v' },
  notary: { icon: Stamp, key: 'n' },
  download: { icon: Download, key: 'l' },
  browser: { icon: ExternalLink, key: 'b' },
  resend: { icon: Send },
  another: { icon: CopyPlus, key: 'a' },
  anotherToSame: { icon: Users },
  hold: { icon: Pin },
  copyEmails: { icon: Mail },
  copyLink: { icon: Link },
  copyReference: { icon: Copy },
  read: { icon: MailOpen, key: 'u' },
  unread: { icon: MailCheck, key: 'u' }
}

/** Shortcuts of the list itself. */
export const LIST_KEYS = [
  { key: 'x', does: 'Select the row, or clear it' },
  { key: 'Shift ↑ ↓', does: 'Select rows as you move' },
  { key: 'Mod A', does: 'Select everything found' },
  { key: 'g', does: 'Group by package' },
  { key: '→ ←', does: 'Open or close a package' },
  { key: 'e', does: 'Export as a table' },
  { key: 'r', does: 'Refresh' },
  { key: 'Shift → ←', does: 'On a heading: make the column wider or narrower' }
] as const

const OFFLINE = 'You’re offline. This needs a connection.'
const ONE_AT_A_TIME = 'Choose one document for this.'

export class DocumentCommands {
  readonly all: readonly NamedCommand[]
  readonly #app: AppState
  readonly #rights: Resource<AccountRights>
  /** A document that the user marked unread while it was open. */
  #keptUnread = $state<string>()
  #dialog = $state.raw<OpenDialog & { onstarted: (started: ActionView[]) => void }>()
  /** Incremented with each dialog, so that it is re-created. */
  #openCount = $state(0)
  isOpen = $state(false)

  constructor(app: AppState) {
    this.#app = app
    this.#rights = new Resource(() => app.api.accounts.rights())
    this.all = this.#buildCommands()
  }

  /** Loads the account's rights. */
  load(): Promise<void> {
    return this.#rights.load()
  }

  get dialog() {
    return this.#dialog
  }
  get openCount() {
    return this.#openCount
  }
  get reminders(): AccountRights['reminders'] {
    return this.#rights.value?.reminders ?? 'unknown'
  }

  /** Returns whether it stays unread although it is open. */
  staysUnread(reference: string): boolean {
    return this.#keptUnread === reference
  }

  /** Opens a dialog. What it starts is reported, unless `onstarted` shows that. */
  openDialog(dialog: OpenDialog, onstarted: (started: ActionView[]) => void = this.reportStarted): void {
    this.#dialog = { ...dialog, onstarted }
    this.#openCount++
    this.isOpen = true
  }

  /** Reports started actions. Those not sent yet can be undone. */
  readonly reportStarted = (actions: readonly ActionView[]): void => {
    const { api, router, toasts } = this.#app
    const { text, isGood } = startedInWords(actions)
    const waiting = actions.filter(({ state }) => state === 'waiting')
    const undo = async () => {
      // One that is being sent doesn't keep the others from being cancelled.
      let failure: AppError | undefined
      for (const { id } of waiting) {
        const result = await settled(api.actions.cancel({ id }))
        if (!result.ok) failure ??= result.error
      }
      if (failure) toasts.showError('Not everything could be undone.', failure)
    }
    const isShown = this.#app.lock.screenRefusal('activity') === undefined
    if (!isGood)
      toasts.warn(
        text,
        isShown ? { label: 'Show', run: () => router.go('activity'), request: 'activity.list' } : undefined
      )
    else if (waiting.length < actions.length) toasts.say(text)
    else toasts.say(text, { label: 'Undo', run: () => void undo(), request: 'actions.cancel' })
  }

  #buildCommands(): NamedCommand[] {
    const app = this.#app
    const offline = () => (app.connection.view.state === 'offline' ? OFFLINE : undefined)
    const isOnService = (row: DocumentRow) => row.goneAt === undefined
    const hasEnded = ({ status: { family } }: DocumentRow) => family === 'complete' || family === 'declined'
    const hasWaitingSigner = (row: DocumentRow) =>
      isOnService(row) && !hasEnded(row) && row.signers.some(({ state }) => state === 'waiting' || state === 'unknown')
    const hasSignatures = ({ status: { family, signed }, signers }: DocumentRow) =>
      family === 'complete' ||
      family === 'signed' ||
      !!signed ||
      signers.some(({ state }) => state === 'signed' || state === 'unknown')

    /** Returns why a command is unavailable: too many are selected, or none of them qualifies. */
    const requireSome =
      (fits: (row: DocumentRow) => boolean, none: string) =>
      ({ rows }: CommandTarget) =>
        rows === undefined ? tooManyText() : rows.some(fits) ? undefined : none
    const tooManyText = () => `Select at most ${MAX_WITH_ROWS} documents for this.`
    const requireOne = ({ rows }: CommandTarget) => (rows?.length === 1 ? undefined : ONE_AT_A_TIME)
    const rowsOf = ({ rows }: CommandTarget) => rows ?? []
    /** Runs for the one document that a command for one document applies to. */
    const withFirst =
      (run: (row: DocumentRow) => Promise<void>) =>
      ({ rows }: CommandTarget) => {
        const [row] = rows ?? []
        if (row) void run(row)
      }
    const canBeAssigned = (row: DocumentRow) => isOnService(row) && !hasEnded(row) && row.packageReference !== undefined
    const canBeVerified = (row: DocumentRow) => isOnService(row) && hasSignatures(row)
    const command = (
      name: DocumentCommand,
      rest: Omit<NamedCommand, 'name' | 'label' | 'icon' | 'key'> & { label?: NamedCommand['label'] }
    ) => ({
      name,
      label: DOCUMENT_COMMANDS[name],
      ...DOCUMENT_LOOKS[name],
      ...rest
    })

    return [
      command('remind', {
        request: 'actions.start',
        isFor: () => this.reminders !== 'no',
        why: (chosen) => requireSome(hasWaitingSigner, 'Nobody is left to remind.')(chosen) ?? offline(),
        run: (chosen) => {
          const who = rowsOf(chosen).filter(hasWaitingSigner)
          this.openDialog({ what: 'remind', who, reminders: this.reminders })
        }
      }),
      command('extend', {
        request: 'actions.start',
        why: requireSome((row) => notExtendable(row) === undefined, 'It has ended, so it can’t be extended.'),
        run: (chosen) => this.openDialog({ what: 'extend', documents: rowsOf(chosen) })
      }),
      command('correct', {
        request: 'actions.start',
        why: (chosen) =>
          requireOne(chosen) ??
          requireSome(
            (row) => isOnService(row) && row.status.family !== 'complete',
            'Nobody on it can be corrected.'
          )(chosen),
        run: withFirst((row) => this.#correct(row))
      }),
      command('verify', {
        why: (chosen) => requireSome(canBeVerified, 'Nothing to verify yet: nobody has signed.')(chosen) ?? offline(),
        run: (chosen) => this.openDialog({ what: 'verify', rows: rowsOf(chosen).filter(canBeVerified) })
      }),
      command('notary', {
        request: 'actions.start',
        why: (chosen) => requireSome(canBeAssigned, 'It can’t be assigned any more.')(chosen) ?? offline(),
        run: (chosen) => this.openDialog({ what: 'notary', documents: rowsOf(chosen).filter(canBeAssigned) })
      }),
      command('download', {
        label: () =>
          app.accounts.shown.some(({ savesSigned }) => savesSigned === 'yes')
            ? DOCUMENT_COMMANDS.download
            : 'Download identity data…',
        isFirst: true,
        run: (chosen) => this.openDialog({ what: 'download', chosen })
      }),
      command('browser', {
        why: (chosen) =>
          requireOne(chosen) ?? requireSome(isOnService, 'It’s no longer on the service.')(chosen) ?? offline(),
        run: withFirst((row) => this.#openInBrowser(row))
      }),
      command('resend', {
        request: 'documents.correctedCopy',
        isFor: ({ rows }) =>
          rows?.length === 1 && rows.every(({ status: { family } }) => family === 'declined' || family === 'expired'),
        run: withFirst((row) => this.#resend(row))
      }),
      ...(['another', 'anotherToSame'] as const).map((name) =>
        command(name, {
          request: 'documents.duplicate',
          isFirst: name === 'another',
          isFor: ({ rows }) => rows?.length === 1,
          run: withFirst((row) => this.#another(row, name === 'another' ? 'nothing' : 'people and data'))
        })
      ),
      command('hold', {
        isFirst: true,
        run: (chosen) => this.openDialog({ what: 'hold', chosen })
      }),
      command('copyEmails', {
        label: ({ rows }) =>
          rows?.length === 1 && rows[0]?.signers.length === 1 ? DOCUMENT_COMMANDS.copyEmails : 'Copy e-mails',
        isFirst: true,
        why: ({ rows }) => (rows === undefined ? tooManyText() : undefined),
        run: (chosen) => void this.#copyEmails(rowsOf(chosen))
      }),
      command('copyLink', {
        why: (chosen) => requireOne(chosen) ?? requireSome(isOnService, 'It’s no longer on the service.')(chosen),
        run: withFirst((row) => app.copyLink(row))
      }),
      command('copyReference', {
        label: ({ documents }) => (documents.length === 1 ? DOCUMENT_COMMANDS.copyReference : 'Copy references'),
        run: ({ documents }) => void this.#copyReferences(documents)
      }),
      command('read', {
        isFirst: true,
        isFor: ({ rows }) => rows === undefined || rows.some(({ unread }) => unread),
        run: (chosen) => void this.mark(chosen, true)
      }),
      command('unread', {
        isFor: ({ rows }) => rows === undefined || rows.some(({ unread }) => !unread),
        run: (chosen) => void this.mark(chosen, false)
      })
    ]
  }

  /**
   * Marks documents as read or unread, if they aren't yet. For several it reports that with an undo; a single one is
   * visible.
   */
  async mark({ documents, rows }: CommandTarget, read: boolean): Promise<void> {
    const some = rows
      ? rows.filter(({ unread }) => unread === read).map(({ accountId, reference }) => ({ accountId, reference }))
      : [...documents]
    if (some.length === 0) return
    const { api, toasts } = this.#app
    const markAs = (isRead: boolean) =>
      this.#app.attempt(
        `Couldn’t mark ${some.length === 1 ? 'this' : 'these'} as ${isRead ? 'read' : 'unread'}.`,
        api.documents.markRead({ some: { documents: some }, read: isRead })
      )
    this.#keptUnread = read ? undefined : some[0]?.reference
    if ((await markAs(read)) === undefined || documents.length === 1) return
    toasts.say(`Marked ${counted(some.length, ['# document', '# documents'])} as ${read ? 'read' : 'unread'}.`, {
      label: 'Undo',
      run: () => void markAs(!read)
    })
  }

  async #correct({ accountId, reference }: DocumentRow): Promise<void> {
    const { get } = this.#app.apiOf(accountId).documents
    const page = await this.#app.attempt('The document couldn’t be read.', get({ reference }))
    if (!page) return
    const people = page.people.filter(({ editable }) => editable !== false)
    const [person] = people
    if (!person) this.#app.toasts.warn('None of the signers can be corrected any more.')
    else if (people.length === 1) this.openDialog({ what: 'correct', page, person })
    else this.openDialog({ what: 'whom', page, people })
  }

  async #openInBrowser({ accountId, reference }: DocumentRow): Promise<void> {
    const { openInBrowser } = this.#app.apiOf(accountId).documents
    await this.#app.attempt('The page couldn’t be opened in the browser.', openInBrowser({ reference, page: 'edit' }))
  }

  async #resend({ accountId, reference }: DocumentRow): Promise<void> {
    const { correctedCopy } = this.#app.apiOf(accountId).documents
    const draft = await this.#app.attempt('The copy couldn’t be started.', correctedCopy({ reference }))
    if (draft) this.#app.router.go('compose', [draft.id])
  }

  /** Starts the same package again, for others or for the same people; the first one need not have failed. */
  async #another({ accountId, reference }: DocumentRow, keeps: KeptByAnother): Promise<void> {
    const { duplicate } = this.#app.apiOf(accountId).documents
    const draft = await this.#app.attempt('The package couldn’t be started.', duplicate({ reference, keeps }))
    if (draft) this.#app.router.go('compose', [draft.id])
  }

  async #copyEmails(rows: readonly DocumentRow[]): Promise<void> {
    const { pages, unreadable } = await this.readPages(rows)
    const emails = [...new Set(pages.flatMap(({ people }) => people.flatMap(({ email }) => email ?? [])))]
    const missing = unreadable > 0 ? unreadableInWords(unreadable) : ''
    if (emails.length === 0) return this.#app.toasts.warn(missing || 'None of the signers has an e-mail address.')
    const copied = emails.length === 1 ? 'E-mail address copied.' : `${emails.length} e-mail addresses copied.`
    await this.#app.copy(emails.join('; '), [copied, missing].filter(Boolean).join(' '), true)
  }

  #copyReferences(documents: readonly DocumentKey[]): Promise<void> {
    const text = documents.map(({ reference }) => reference).join('\n')
    return this.#app.copy(text, documents.length === 1 ? 'Reference copied.' : `${documents.length} references copied.`)
  }

  /** Returns the pages of the documents that can be read, and how many can't. */
  async readPages(rows: readonly DocumentRow[]): Promise<{ pages: DocumentPage[]; unreadable: number }> {
    const pages: DocumentPage[] = []
    for (const { accountId, reference } of rows) {
      const page = await settled(this.#app.apiOf(accountId).documents.get({ reference }))
      if (page.ok) pages.push(page.value)
    }
    return { pages, unreadable: rows.length - pages.length }
  }
}

export function unreadableInWords(count: number): string {
  return `${counted(count, ['# document', '# documents'])} couldn’t be read.`
}
