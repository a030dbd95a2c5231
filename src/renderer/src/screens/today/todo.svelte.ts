/**
 * What needs attention today: the first few of each kind, each with its action. The counts come with the day's numbers,
 * so a group is in place before its rows are loaded.
 */
import type { DocumentCommand } from '../../../../shared/contract/commands.ts'
import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type {
  DocumentRow,
  OverviewView,
  RefusedFiles,
  SendView,
  VerificationList,
  VerificationSummary
} from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { settled } from '../../api.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import { documentsHref } from '../../state/document-query.ts'
import { type QueuedPerson, whatTheySign } from '../../state/queued-people.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { hrefOf } from '../../state/router.svelte.ts'
import { requestOf } from '../../ui/commands.ts'
import { listed } from '../../words/counts.ts'
import { daysAway, whenInWords } from '../../words/dates.ts'
import { presentError } from '../../words/errors.ts'
import { pauseInWords, releaseReason } from '../../words/sends.ts'
import { type StatusWords, sendStatus } from '../../words/statuses.ts'
import { verificationStatus } from '../../words/verifications.ts'
import type { DocumentCommands } from '../documents/document-commands.svelte.ts'
import { dueWords } from '../documents/document-words.ts'

/** Rows shown of each kind; the rest is in its own list. */
const FEW = 3
/** Packages read, to have a few of each kind. */
const SENDS_READ = 40
/** Minimum time between two reads while documents change, in milliseconds. */
const READ_INTERVAL = 1000

/** Kinds of documents that need attention, most important first. */
const DOCUMENT_KINDS = ['identity-failed', 'declined', 'overdue', 'expired', 'stalled'] as const
type DocumentKind = (typeof DOCUMENT_KINDS)[number]
/** Kinds of packages in the Outbox that need attention, with the states or decisions that they have. */
const SEND_KINDS = ['unreleased', 'uncertain', 'unsent', 'release'] as const
type SendKind = (typeof SEND_KINDS)[number]
type Kind = DocumentKind | SendKind | 'paused' | 'signatures' | 'counter' | 'refused'

/** One item to act on. */
export interface TodoRow {
  key: string
  name: string
  /** The link to its details. */
  href: string
  accountId?: string
  /** Why it needs attention. */
  why: string
  /** What to do about it. */
  action: { label: string; run: () => void }
  /** Removes it from the list; absent if only acting on it does. */
  dismiss?: () => void
}

export interface TodoGroup {
  kind: Kind
  status: StatusWords
  count: number
  /** The link to all of its kind. */
  href: string
  /** The first few; undefined until loaded. */
  rows: readonly TodoRow[] | undefined
}

export class Todo {
  readonly #app: AppState
  readonly #commands: DocumentCommands
  #documents = $state.raw<Partial<Record<DocumentKind, readonly DocumentRow[]>>>({})
  readonly #sends: Resource<{ rows: SendView[] }>
  readonly #refused: Resource<RefusedFiles>
  readonly #verifications: Resource<VerificationList>

  /** Follows all but the documents. Create it during component initialisation. */
  constructor(app: AppState, commands: DocumentCommands) {
    this.#app = app
    this.#commands = commands
    const { api, clock } = app
    const throttle = { clock, milliseconds: READ_INTERVAL }
    const page = { search: '', offset: 0, limit: SENDS_READ }
    this.#sends = new Resource(() => api.sends.list({ show: 'attention', ...page }), throttle)
    this.#sends.whileShown(api, 'outbox.changed')
    this.#refused = new Resource(() => api.dropFolders.refused({ offset: 0, limit: 100 }), throttle)
    this.#refused.whileShown(api, 'dropFolders.changed')
    this.#verifications = new Resource(() => api.verifications.open({ limit: FEW }), throttle)
    this.#verifications.whileShown(api, 'verifications.changed')
  }

  /** Reloads the documents of each kind that has any. */
  async load(view: OverviewView): Promise<void> {
    const read = await Promise.all(
      DOCUMENT_KINDS.map(async (kind) => {
        if (countOf(view, kind) === 0) return [kind, []] as const
        const list = await settled(
          this.#app.api.documents.list({ query: queryOf(view, kind), expanded: [], offset: 0, limit: FEW })
        )
        // Keeps rows loaded earlier: a failed read is already reported with the numbers, which are outdated then too.
        const before = this.#documents[kind]
        return [kind, list.ok ? list.value.rows.filter((row) => row.kind === 'document') : before] as const
      })
    )
    this.#documents = Object.fromEntries(read.filter(([, rows]) => rows !== undefined))
  }

  /** Returns the groups that have any items. */
  groups(view: OverviewView): TodoGroup[] {
    const now = this.#app.clock.now()
    const { counts } = this.#app
    const documents = DOCUMENT_KINDS.map((kind) => ({
      kind,
      status: statuses[kind],
      count: countOf(view, kind),
      href: documentsHref(queryOf(view, kind)),
      rows: this.#documents[kind]?.map((row) => this.#documentRow(kind, row, now))
    }))
    const people = { count: counts.counter, rows: counts.people.slice(0, FEW).map((person) => this.#personRow(person)) }
    const all: TodoGroup[] = [
      { kind: 'paused', status: statuses.paused, href: hrefOf('outbox'), ...this.#pauseGroup(now) },
      {
        kind: 'signatures',
        status: statuses.signatures,
        href: hrefOf('activity', [], { show: 'problems' }),
        count: this.#verifications.value?.total ?? 0,
        rows: this.#verifications.value?.verifications.map((one) => this.#verificationRow(one, now))
      },
      ...documents.slice(0, -1),
      ...this.#sendGroups(),
      { kind: 'refused', status: statuses.refused, href: hrefOf('settings'), ...this.#refusedGroup() },
      { kind: 'counter', status: statuses.counter, href: hrefOf('counter'), ...people },
      ...documents.slice(-1)
    ]
    return all.filter(({ count }) => count > 0)
  }

  #verificationRow(verification: VerificationSummary, now: number): TodoRow {
    const { id, documentName, at } = verification
    const place = this.#app.documentPlace(verification)
    return {
      key: id,
      name: documentName || 'Untitled document',
      href: documentsHref({}, place),
      accountId: verification.accountId,
      why: `${verificationStatus(verification).word} · Verified ${whenInWords(at, now)}`,
      action: { label: 'View verification', run: () => this.#app.router.go('documents', ['all'], place) },
      dismiss: () => void this.#dismissVerification(id)
    }
  }

  async #dismissVerification(id: string): Promise<void> {
    const dismissed = await settled(this.#app.api.verifications.dismiss({ id }))
    if (!dismissed.ok) this.#app.toasts.warn(presentError(dismissed.error).happened)
    await this.#verifications.load()
  }

  /** One row per folder: its newest file, whose report explains the problem, and the number of others. */
  #refusedGroup(): Pick<TodoGroup, 'count' | 'rows'> {
    const { open, files } = this.#refused.value ?? { open: [], files: [] }
    const rows = open.slice(0, FEW).map(({ folderId, label, count, newest }): TodoRow => {
      const file = files.find(({ id }) => id === newest)
      const where = count > 1 ? `${counted(count, ['# file', '# files'])} in “${label}”` : `In “${label}”`
      return {
        key: folderId,
        name: file?.name ?? label,
        href: hrefOf('settings'),
        why: [where, file?.error && presentError(file.error).happened].filter(Boolean).join(' · '),
        action: { label: 'Open report', run: () => void this.#openReport(newest) },
        dismiss: () => void this.#dismissRefused(folderId, newest)
      }
    })
    return { rows, count: open.reduce((sum, { count }) => sum + count, 0) }
  }

  async #openReport(file: string): Promise<void> {
    const shown = await settled(this.#app.api.dropFolders.reveal({ id: file }))
    if (!shown.ok) this.#app.toasts.warn(presentError(shown.error).happened)
  }

  async #dismissRefused(folderId: string, until: string): Promise<void> {
    await settled(this.#app.api.dropFolders.dismissRefused({ folderId, until }))
    await this.#refused.load()
  }

  #documentRow(kind: DocumentKind, row: DocumentRow, now: number): TodoRow {
    const { router } = this.#app
    const place = this.#app.documentPlace(row)
    const open = { label: 'Open', run: () => router.go('documents', ['all'], place) }
    const actions: Record<DocumentKind, TodoRow['action'] | undefined> = {
      'identity-failed': {
        label: 'View identity check',
        run: () => router.go('identity', [row.reference], this.#app.accountPlace(row.accountId))
      },
      declined: this.#commandAction('resend', 'Send a new copy…', row),
      overdue: this.#commandAction('extend', 'Extend…', row),
      expired: this.#commandAction('extend', 'Extend…', row),
      stalled: this.#commandAction('remind', 'Remind…', row)
    }
    return {
      key: `${row.accountId} ${row.reference}`,
      name: row.name,
      href: documentsHref({}, place),
      accountId: row.accountId,
      why: whyOf(kind, row, now),
      action: actions[kind] ?? open,
      ...((kind === 'expired' || kind === 'declined') && { dismiss: () => void this.#markRead(row) })
    }
  }

  /** What was declined or has expired needs attention until someone has seen it. */
  async #markRead({ accountId, reference }: DocumentRow): Promise<void> {
    const marked = await settled(
      this.#app.api.documents.markRead({ some: { documents: [{ accountId, reference }] }, read: true })
    )
    if (!marked.ok) this.#app.toasts.warn(presentError(marked.error).happened)
  }

  /** Returns a command on one document; undefined if it isn't available now. */
  #commandAction(name: DocumentCommand, label: string, row: DocumentRow): TodoRow['action'] | undefined {
    const chosen = { documents: [{ accountId: row.accountId, reference: row.reference }], rows: [row] }
    const command = this.#commands.all.find((one) => one.name === name)
    const isPossible =
      command &&
      (command.isFor?.(chosen) ?? true) &&
      command.why?.(chosen) === undefined &&
      this.#app.lock.refusal(requestOf(command, chosen).request) === undefined
    return isPossible ? { label, run: () => command.run(chosen) } : undefined
  }

  #personRow(person: QueuedPerson): TodoRow {
    const { first } = person
    const place = first && {
      ...this.#app.documentPlace({ accountId: first.accountId, reference: first.documentReference }),
      signer: String(first.signer)
    }
    return {
      key: person.key,
      name: person.signerName || 'A signer without a name',
      href: hrefOf('counter', ['start'], place),
      ...(first && { accountId: first.accountId }),
      why: whatTheySign(person),
      action: { label: 'Start', run: () => this.#app.router.go('counter', ['start'], place) }
    }
  }

  /** One row per pause: it says why nothing leaves, and ends there. */
  #pauseGroup(now: number): Pick<TodoGroup, 'count' | 'rows'> {
    const { outbox, accounts, router } = this.#app
    const waiting = outbox.waiting
    const rows = outbox.lastingPauses.map(({ pause, accountId }): TodoRow => {
      const words = pauseInWords(pause, now, outbox.view?.office)
      // After a restore, what that says and the packages have to be looked at first.
      const isRestored = pause.by === 'person' && pause.error !== undefined
      const mayResume = !isRestored && this.#app.lock.refusal('outbox.resume') === undefined
      return {
        key: accountId ?? '',
        name: words.title.replace(/\.$/, ''),
        href: hrefOf('outbox'),
        ...(accountId !== undefined && accounts.showsSeveral && { accountId }),
        why: isRestored
          ? words.meaning
          : waiting > 0 && accountId === undefined
            ? `${counted(waiting, ['# package', '# packages'])} waiting`
            : 'Nothing is sent until someone resumes',
        action: mayResume
          ? { label: 'Resume', run: () => void outbox.resume(accountId) }
          : { label: 'Open', run: () => router.go('outbox') }
      }
    })
    return { rows, count: rows.length }
  }

  #sendGroups(): TodoGroup[] {
    const { counts, releases } = this.#app.outbox.view ?? {}
    const numbers: Record<SendKind, number> = {
      unreleased: releases?.refused ?? 0,
      uncertain: counts?.uncertain ?? 0,
      unsent: (counts?.refused ?? 0) + (counts?.notSent ?? 0),
      release: releases?.undecided ?? 0
    }
    return SEND_KINDS.map((kind) => ({
      kind,
      status: statuses[kind],
      count: numbers[kind],
      href: hrefOf('outbox', [], { show: 'attention' }),
      rows: this.#sends.value?.rows
        .filter((send) => sendKindOf(send) === kind)
        .slice(0, FEW)
        .map((send) => this.#sendRow(send))
    }))
  }

  #sendRow(send: SendView): TodoRow {
    const why =
      send.state === 'ready'
        ? releaseReason(send)
        : send.error
          ? presentError(send.error).happened
          : sendStatus(send).word
    return {
      key: send.id,
      name: send.title || 'A package without a name',
      href: hrefOf('outbox', [send.id]),
      accountId: send.accountId,
      why: [send.who, why].filter(Boolean).join(' · '),
      action: this.#correction(send) ?? { label: 'Review', run: () => this.#app.router.go('outbox', [send.id]) }
    }
  }

  /** What someone didn't release is taken back and corrected. */
  #correction({ id, release }: SendView): TodoRow['action'] | undefined {
    if (!release?.refused || this.#app.lock.refusal('sends.undo') !== undefined) return undefined
    const run = async () => {
      const draft = await this.#app.attempt('The send couldn’t be undone.', this.#app.api.sends.undo({ id }))
      if (draft) this.#app.router.go('compose', [draft.id])
    }
    return { label: 'Correct…', run: () => void run() }
  }
}

const statuses: Record<Kind, StatusWords> = {
  signatures: { shape: 'cross', word: 'Not valid', tone: 'danger' },
  'identity-failed': { shape: 'cross', word: 'Identity failed', tone: 'danger' },
  declined: { shape: 'cross', word: 'Declined', tone: 'danger' },
  overdue: { shape: 'clock', word: 'Overdue', tone: 'danger' },
  expired: { shape: 'clock', word: 'Expired', tone: 'warn' },
  paused: { shape: 'pause', word: 'Outbox paused', tone: 'warn' },
  unreleased: { shape: 'cross', word: 'Not released', tone: 'danger' },
  uncertain: { shape: 'question', word: 'Not confirmed', tone: 'warn' },
  unsent: { shape: 'cross', word: 'Not sent', tone: 'danger' },
  release: { shape: 'pause', word: 'Waiting for release', tone: 'warn' },
  refused: { shape: 'cross', word: 'Refused files', tone: 'warn' },
  counter: { shape: 'half', word: 'Can sign here', tone: 'accent' },
  stalled: { shape: 'pause', word: 'No progress', tone: 'warn' }
}

function sendKindOf({ state, release }: SendView): SendKind {
  if (state === 'ready') return release?.refused ? 'unreleased' : 'release'
  return state === 'uncertain' ? 'uncertain' : 'unsent'
}

function countOf(view: OverviewView, kind: DocumentKind): number {
  if (kind === 'identity-failed') return view.identityFailed
  return kind === 'stalled' ? view.stuck.count : view[kind]
}

function queryOf(view: OverviewView, kind: DocumentKind): DocumentQuery {
  const about: Record<DocumentKind, Partial<DocumentQuery>> = {
    'identity-failed': { identity: 'failed' },
    declined: { families: ['declined'], unread: true },
    overdue: { overdue: true },
    expired: { families: ['expired'], unread: true },
    stalled: { stuckForDays: view.stuck.days }
  }
  // The longest overdue or without progress first; for other kinds the newest.
  const isOldest = kind === 'overdue' || kind === 'stalled'
  const sort = { by: kind === 'overdue' ? ('due' as const) : ('changed' as const), descending: !isOldest }
  return { search: '', grouped: false, sort, ...about[kind] }
}

function whyOf(kind: DocumentKind, row: DocumentRow, now: number): string {
  const named = (state: DocumentRow['signers'][number]['state']) =>
    listed(row.signers.filter((signer) => signer.state === state && signer.name).map(({ name }) => name))
  const waiting = named('waiting')
  if (kind === 'declined') {
    const reason = row.signers.find(({ declinedReason }) => declinedReason)?.declinedReason
    return [named('declined') && `By ${named('declined')}`, reason && `“${reason}”`].filter(Boolean).join(': ')
  }
  if (kind === 'identity-failed') return listed(row.signers.map(({ name }) => name).filter(Boolean))
  const due = dueWords(row, now)
  const since = kind === 'stalled' ? `Last change ${daysAway(row.changedAt, now)}` : due && `Due ${due.day}`
  return [since, waiting && `waiting for ${waiting}`].filter(Boolean).join(' · ')
}
