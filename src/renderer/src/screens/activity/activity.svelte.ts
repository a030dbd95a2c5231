/**
 * What happened to the account's documents, newest first, as far back as requested; and actions that need attention.
 */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { ActionView, ActivityEntry, ChangeKind, VerificationSummary } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { hasWords } from '../../../../shared/short-list-search.ts'
import { wordsOf } from '../../../../shared/text-folding.ts'
import { type Api, settled, together } from '../../api.ts'
import { type Clock, throttled } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { actionStateInWords } from '../../words/actions.ts'
import { ACTS, changeInWords, changeStatuses, changesInWords } from '../../words/changes.ts'
import { listed } from '../../words/counts.ts'
import { dayInWords } from '../../words/dates.ts'
import { actionStatuses, type StatusWords } from '../../words/statuses.ts'
import { verificationStatus, verifiedInWords } from '../../words/verifications.ts'

const PAGE = 100
/** Minimum time between two reads while documents change, in milliseconds. */
const RELOAD_INTERVAL = 1000
const NEEDS_ATTENTION = new Set<ActionView['state']>(['waiting', 'running', 'refused', 'uncertain'])

/** The parts of the screen, each with its query. */
const PARTS = {
  all: {},
  sent: { kinds: ['arrived'], isOwn: true },
  signed: { kinds: ['signed', 'completed'] },
  problems: { kinds: ['declined', 'expired', 'identity-failed', 'gone'] },
  own: { isOwn: true }
} satisfies Record<string, Pick<Input<'activity.list'>, 'kinds' | 'isOwn'>>
export type Part = keyof typeof PARTS

/** The subset of activity that is shown. */
export interface ActivityFilter {
  part: Part
  search: string
}

export function partOf(name: string | null): Part {
  return name !== null && name in PARTS ? (name as Part) : 'all'
}

interface ActivityPage {
  changes: readonly ActivityEntry[]
  /** Signature verifications in the same period. */
  verifications: readonly VerificationSummary[]
  /** Older events belong further down and may not be loaded yet; 0 if everything is loaded. */
  from: number
}

export class Activity {
  /** The newest changes, as many as requested. */
  readonly list = new Resource<ActivityPage>(() => this.#read())
  #limit = PAGE
  #filter: ActivityFilter = { part: 'all', search: '' }
  #newestRead = 0
  readonly #actions: Resource<ActionView[]>
  readonly #api: Api
  readonly #scheduleReload: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#actions = new Resource(() => api.actions.list({}))
    this.#scheduleReload = throttled(clock, RELOAD_INTERVAL, () => void this.load())
  }

  /** All stored actions started from here. */
  get actions(): readonly ActionView[] {
    return this.#actions.value ?? []
  }
  /** Actions that are waiting, in progress, refused or uncertain. */
  get unfinished(): readonly ActionView[] {
    return this.actions.filter(({ state }) => NEEDS_ATTENTION.has(state))
  }

  /** Loads everything and subscribes to changes. Returns a function that unsubscribes. */
  open(): () => void {
    void this.load()
    void this.#actions.load()
    return together(
      this.#api.on('documents.changed', this.#scheduleReload),
      this.#api.on('activity.changed', this.#scheduleReload),
      this.#api.on('verifications.changed', this.#scheduleReload),
      this.#api.on('actions.changed', () => void this.#actions.load())
    )
  }

  /** Shows another subset, starting with the newest. */
  show(filter: ActivityFilter): void {
    if (filter.part === this.#filter.part && filter.search === this.#filter.search) return
    this.#filter = filter
    this.list.clear()
    void this.load()
  }

  /** Reloads as many as are shown. */
  load(): Promise<void> {
    this.#limit = Math.max(PAGE, this.#shownCount)
    return this.list.load()
  }

  /** Shows a hundred more. */
  loadMore(): Promise<void> {
    this.#limit = this.#shownCount + PAGE
    return this.list.load()
  }

  get #shownCount(): number {
    const { changes = [], verifications = [] } = this.list.value ?? {}
    return Math.max(changes.length, verifications.length)
  }

  async #read(): Promise<Result<ActivityPage>> {
    const read = { mine: ++this.#newestRead, limit: this.#limit }
    const { part, search } = this.#filter
    const query = { ...PARTS[part], ...(search && { search }), limit: PAGE }
    const ofChanges = await this.#readPages(
      read,
      (offset) => this.#api.activity.list({ ...query, offset }),
      ({ changes }) => changes
    )
    if (!ofChanges.ok) return ofChanges
    const { entries: changes, from: since = 0 } = ofChanges.value
    if (part === 'signed' || part === 'sent') return { ok: true, value: { changes, verifications: [], from: since } }
    const verificationQuery = { since, notValid: part === 'problems', search, limit: PAGE }
    const ofVerifications = await this.#readPages(
      read,
      (offset) => this.#api.verifications.list({ ...verificationQuery, offset }),
      ({ verifications }) => verifications
    )
    if (!ofVerifications.ok) return ofVerifications
    const { entries: verifications, from = since } = ofVerifications.value
    return { ok: true, value: { changes, verifications, from } }
  }

  /**
   * Reads pages up to the limit. Stops early once a newer read supersedes it; its result is then dropped. Returns the
   * time of the oldest entry if there are more.
   */
  async #readPages<Page extends { total: number }, Entry extends { id: number | string; at: number }>(
    { mine, limit }: { mine: number; limit: number },
    list: (offset: number) => Promise<Result<Page>>,
    entriesOf: (page: Page) => readonly Entry[]
  ): Promise<Result<{ entries: Entry[]; from: number | undefined }>> {
    // Keyed by id: an insertion during paging shifts all later entries.
    const found = new Map<Entry['id'], Entry>()
    let isMore = true
    for (let offset = 0; isMore && offset < limit && mine === this.#newestRead; offset += PAGE) {
      const page = await settled(list(offset))
      if (!page.ok) return page
      for (const one of entriesOf(page.value)) found.set(one.id, one)
      isMore = offset + PAGE < page.value.total
    }
    const entries = [...found.values()]
    return { ok: true, value: { entries, from: isMore ? entries.at(-1)?.at : undefined } }
  }
}

/** One event in the merged timeline of the service's changes and this office's actions, newest first. */

export interface TimelineEvent {
  key: string
  at: number
  accountId: string
  reference: string
  documentName: string
  status: StatusWords
  what: string
  isOwn: boolean
  /** Groups the events of one act; absent if it stands alone. */
  act?: {
    key: string
    /** Whether it is known whose act it was: two are then enough, even with others' in between. */
    isSomeones?: boolean
    inWords: (documents: number) => string
  }
}

const ENDED: ReadonlySet<ActionView['state']> = new Set(['done', 'refused', 'cancelled'])
const PROBLEMS: ReadonlySet<ActionView['state']> = new Set(['refused'])
/** Changes in the folders that may be the effect of an action here. */
const ECHOES: ReadonlySet<ChangeKind> = new Set(['changed', 'due-changed', 'signers-changed'])
/** Acts of one person: of a signer, or of the person who sent a package. */
const SOMEONES: ReadonlySet<ChangeKind> = new Set(['arrived', 'waits-here', 'signed', 'declined'])

export function timelineOf(
  { changes, verifications, from }: ActivityPage,
  actions: readonly ActionView[],
  { part, search }: ActivityFilter
): TimelineEvent[] {
  const words = wordsOf(search)
  const isFound = (name: string, what: string) => hasWords(`${name} ${what}`, words)
  const isShown = (action: ActionView, what: string) =>
    (part === 'all' ||
      part === 'own' ||
      (part === 'sent' && action.request.kind === 'remind' && action.state === 'done') ||
      (part === 'problems' && PROBLEMS.has(action.state))) &&
    isFound(action.documentName, what)
  const actionEvents = actions.flatMap((action): TimelineEvent[] => {
    const at = action.settledAt ?? action.createdAt
    const status = actionStatuses[action.state]
    const what = actionStateInWords(action).title
    if (!ENDED.has(action.state) || at < from || !isShown(action, what)) return []
    const { id, accountId, reference, documentName } = action
    return [{ key: `action ${id}`, at, accountId, reference, documentName, status, what, isOwn: true }]
  })
  // Shows the action only, not also the change it caused.
  const isEcho = ({ at, reference, isOwn, kind, from, to }: ActivityEntry) =>
    isOwn &&
    ECHOES.has(kind) &&
    !(kind === 'changed' && (from || to)) &&
    actions.some(
      (action) =>
        action.reference === reference && action.state === 'done' && near(action.settledAt ?? action.createdAt, at)
    )
  const changeEvents = changes.flatMap((change): TimelineEvent[] => {
    const { id, at, accountId, reference, documentName, kind, batch = '' } = change
    if (at < from || isEcho(change)) return []
    const isOwn = change.isOwn && ACTS.has(kind)
    // A batch is one act for all of its signers.
    const signer = kind === 'arrived' && (batch || !isOwn) ? '' : (change.signer ?? '')
    const inWords = (documents: number) => changesInWords(kind, documents, { isOwn, signer, batch })
    const isSomeones = SOMEONES.has(kind) && (isOwn || signer !== '')
    const act = { key: JSON.stringify([kind, isOwn, signer, batch]), isSomeones, inWords }
    const status = changeStatuses[kind]
    return [
      { key: `change ${id}`, at, accountId, reference, documentName, status, what: changeInWords(change), isOwn, act }
    ]
  })
  const verificationEvents = verifications.flatMap((verification): TimelineEvent[] => {
    const { id, at, accountId, reference, documentName } = verification
    const status = verificationStatus(verification)
    const what = verifiedInWords(verification)
    if (at < from) return []
    const happening = { key: `verification ${id}`, at, accountId, reference, documentName, status, what, isOwn: true }
    // Invalid signatures are never grouped.
    if (status.tone === 'danger') return [happening]
    const inWords = (documents: number) =>
      `${counted(documents, ['# document', '# documents'])} verified${status.tone === 'ok' ? ': all signatures valid' : ', not all confirmed'}`
    return [{ ...happening, act: { key: `verified ${status.tone}`, inWords } }]
  })
  return [...actionEvents, ...verificationEvents, ...changeEvents].sort((one, other) => other.at - one.at)
}

/** The result of one act: on one document, or on several shown together. */
export interface Act {
  key: string
  /** When it ended. */
  at: number
  status: StatusWords
  isOwn: boolean
  /** "33 documents sent with “clients”"; absent for a single event. */
  what?: string
  events: readonly TimelineEvent[]
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= MAX_GAP
}

/** Groups of fewer documents are shown one by one. */
const MIN_GROUP_SIZE = 3
const MIN_SOMEONES = 2
/** Maximum time between events of one act, in milliseconds. */
const MAX_GAP = 10 * 60_000

/** Groups a day's events into acts: what the same people did, or what was sent in the same batch, becomes one line. */
function actsOf(events: readonly TimelineEvent[]): Act[] {
  const runs: TimelineEvent[][] = []
  const newest = new Map<string, TimelineEvent[]>()
  for (const happening of events) {
    const { act } = happening
    const run = act?.isSomeones ? newest.get(act.key) : runs.at(-1)
    const before = run?.at(-1)
    const isSame = before?.act !== undefined && before.act.key === act?.key && before.at - happening.at <= MAX_GAP
    if (isSame) run?.push(happening)
    else runs.push([happening])
    const last = runs.at(-1)
    if (act && last && !isSame) newest.set(act.key, last)
  }
  return runs.flatMap((run) => {
    const least = run[0]?.act?.isSomeones ? MIN_SOMEONES : MIN_GROUP_SIZE
    return namesIn(run).length < least ? run.map((one) => actOf([one])) : [actOf(run)]
  })
}

/** Returns the names of the documents, each document once. */
function namesIn(events: readonly TimelineEvent[]): string[] {
  return [...new Map(events.map(({ reference, documentName }) => [reference, documentName])).values()]
}

function actOf(events: readonly TimelineEvent[]): Act {
  const [first] = events as [TimelineEvent]
  const { key, at, status, isOwn, act } = first
  const names = namesIn(events)
  const what = act && events.length > 1 && act.inWords(names.length)
  // Of two it is said at once which they are.
  const which = names.length === MIN_SOMEONES ? `: ${listed(names.map((name) => `“${name}”`))}` : ''
  return { key, at, status, isOwn, events, ...(what && { what: what + which }) }
}

/** Returns the days with events, in order, each with its acts. */
export function daysOf(events: readonly TimelineEvent[]): [day: string, acts: Act[]][] {
  return [...Map.groupBy(events, ({ at }) => dayInWords(at))].map(([day, some]) => [day, actsOf(some)])
}
