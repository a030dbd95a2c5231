/**
 * A counter whose environment the test controls: the service's answers, the page, the PIN, the screen and the clock.
 */
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { Counter } from '../../../src/main/core/counter/counter.ts'
import type { CounterDeps, RunningSession, SigningTurn, ViewBounds } from '../../../src/main/core/counter/deps.ts'
import { Reservations } from '../../../src/main/core/counter/reservations.ts'
import type { ChosenFiles } from '../../../src/main/core/counter/turn-files.ts'
import { openDocumentIndex } from '../../../src/main/core/documents/index/document-index.ts'
import { waitingHere } from '../../../src/main/core/documents/index/queries.ts'
import { indexRowOf } from '../../../src/main/core/documents/index/row.ts'
import type { MirroredDocument } from '../../../src/main/core/documents/questions.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { ExclusiveTasks } from '../../../src/main/core/office/exclusive-tasks.ts'
import type { MediaDevice } from '../../../src/main/core/policy/permissions.ts'
import type { Composition } from '../../../src/shared/composition/index.ts'
import type { CounterSession, CounterSettings } from '../../../src/shared/contract/index.ts'
import { DocumentResponse } from '../../../src/shared/model/index.ts'
import { testTime } from '../../fixtures/own-time.ts'

export const PIN = '2468'
export const BOUNDS = { x: 0, y: 40, width: 800, height: 600 }
const ACCOUNT = 'office'
/** Part of every signing link; it must not appear anywhere else. */
export const SECRET = 'k3y-nobody-may-see'

export type Office = ReturnType<typeof openOffice>
export type Signer = Record<string, unknown>

/** Returns a signer who was invited and can sign in an embedded view. */
export function signer(name: string, more: Signer = {}): Signer {
  const [FirstName = '', LastName = ''] = name.split(' ')
  const Email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  const SigningKey = `https://sign.example.com/s/${SECRET}-${name.replaceAll(' ', '')}?t=${SECRET}`
  return { FirstName, LastName, Email, SignedStatus: 'Invitation', SigningKey, ...more }
}

/** Returns a signer who waits for others to sign first. */
export const later = (name: string, more: Signer = {}) => signer(name, { SignedStatus: 'Initialized', ...more })

export interface FakePage {
  turn: SigningTurn
  state: 'hidden' | 'shown' | 'destroyed'
  bounds?: ViewBounds
  zoom: number
  /** Languages it was requested in, in order. */
  languages: string[]
  printed: number
  /** Paths of the files it was given. */
  given: string[]
  /** It refuses the files it is given. */
  refusesFiles?: true
}

const SETTINGS: Pick<
  CounterSettings,
  'evidence' | 'identityKept' | 'idle' | 'mayKeepPages' | 'mayGiveFiles' | 'languages' | 'moreTime' | 'receipt'
> = {
  identityKept: 'compared',
  evidence: [{ id: 'photo', text: 'Photo ID seen', isRequired: false }],
  idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
  mayKeepPages: false,
  mayGiveFiles: false,
  languages: ['mi', 'ar'],
  moreTime: 3,
  receipt: 'on-request'
}

/** @param documents the service's documents: references with the signers of each */
export function openOffice(documents: Record<string, Signer[]> = { will: [signer('Ann Example')] }) {
  const time = testTime(Date.UTC(2026, 10, 21, 9))
  const office = {
    time,
    /** The service's current documents. */
    service: new Map(Object.entries(documents).map(([Reference, Signers]) => [Reference, { Signers } as Signer])),
    /** What a document was composed as when it was sent from here. */
    sentAs: (_reference: string): Composition | undefined => undefined,
    /** The error of requests to the service. */
    trouble: undefined as Error | undefined,
    refreshes: 0,
    /** Delays a refresh. */
    line: Promise.resolve(),
    /** Delays a wipe. */
    wiping: Promise.resolve(),
    pages: [] as FakePage[],
    /** The most pages that existed at one time. Above 1, a page was opened before the last was wiped. */
    mostPages: 0,
    notes: [] as AuditNote[],
    /** Stored identity data. */
    numbers: [] as object[],
    /** The error of writes to the audit trail. */
    trailTrouble: undefined as Error | undefined,
    errors: [] as unknown[],
    changes: [] as string[],
    marker: null as RunningSession | null,
    settings: structuredClone(SETTINGS),
    accounts: new Set([ACCOUNT]),
    chosen: ACCOUNT,
    allowed: [] as string[],
    place: 'here' as 'here' | 'other-display',
    taking: Promise.resolve(),
    isTaken: false,
    /** The zoom factor of our page. */
    enlarged: 1,
    pin: PIN as string | undefined,
    /** Delays a check of the PIN. */
    checking: Promise.resolve(),
    pinWaitUntil: undefined as number | undefined,
    /** Whether staff have names. */
    asksName: false,
    pinned: new Set<string>(),
    saved: [] as string[],
    /** What staff chooses for the person to give. */
    chosenFiles: undefined as ChosenFiles | undefined,
    filesPlace: '/nowhere',
    saves: true
  }

  /** In a long session most documents don't change, so they are decoded once. */
  const decoded = new WeakMap<Signer, DocumentResponse>()
  /** The documents as last read from the service. */
  let mirror = new Map<string, MirroredDocument>()
  function read(): void {
    const seenAt = time.clock()
    const left = [...mirror].filter(([reference]) => !office.service.has(reference))
    const there = [...office.service].map(([Reference, answer]): [string, MirroredDocument] => {
      const facts = { Reference, Name: `The ${Reference}`, Status: 'InProgress', IDVerificationRequested: false }
      const document = decoded.get(answer) ?? DocumentResponse.parse({ ...facts, ...answer })
      decoded.set(answer, document)
      const base = { accountId: ACCOUNT, folder: 'Progress', changedAt: seenAt, unread: false, logsAreOld: true }
      return [Reference, { ...base, document, seenAt }]
    })
    mirror = new Map([...there, ...left.map(([ref, one]): [string, MirroredDocument] => [ref, { ...one, goneAt: 1 }])])
  }
  read()
  const signersOf = (reference: string) => (office.service.get(reference)?.Signers ?? []) as Signer[]

  const deps: CounterDeps = {
    accountId: () => office.chosen,
    async waitingHere() {
      const index = openDocumentIndex()
      for (const { document, goneAt } of mirror.values()) {
        const facts = { accountId: ACCOUNT, folder: 'Progress', arrivedAt: 1, changedAt: 1, unread: false }
        index.put(indexRowOf(document, { ...facts, ...(goneAt !== undefined && { goneAt }) }))
      }
      return waitingHere(index, true)
    },
    documentOf: async (_accountId, reference) => structuredClone(mirror.get(reference)),
    async refresh() {
      office.refreshes++
      await office.line
      if (office.trouble) throw office.trouble
      read()
    },
    account: (id) =>
      office.accounts.has(id) ? { kind: 'service', baseUrl: 'https://service.example.com/web/v1.4' } : undefined,
    officeName: () => 'Harbour Lawyers',
    receiptOf: async () => ({ number: 'R-2026-000001-3F2A', sha256: '0'.repeat(64), size: 21, path: '' }),
    allowedOrigins: () => office.allowed,
    returnAddressesOf: () => [],
    compositionOf: (_accountId, reference) => office.sentAs(reference),
    openView(turn) {
      const page: FakePage = { turn, state: 'hidden', zoom: 1, languages: [turn.languages], printed: 0, given: [] }
      office.pages.push(page)
      office.mostPages = Math.max(office.mostPages, office.pages.filter((one) => one.state !== 'destroyed').length)
      return {
        show(bounds) {
          if (page.state === 'destroyed') throw new Error('The page is gone.')
          Object.assign(page, { state: 'shown', bounds })
        },
        hide() {
          if (page.state !== 'destroyed') page.state = 'hidden'
        },
        zoom(factor) {
          page.zoom = factor
        },
        setLanguages(languages) {
          page.languages.push(languages)
        },
        async giveFile(path) {
          if (page.refusesFiles) throw new AppFailure({ code: 'gone', message: 'It no longer asks.' })
          page.given.push(path)
        },
        async print() {
          page.printed++
        },
        pdf: async () => new Uint8Array([37, 80, 68, 70]),
        async destroy() {
          await office.wiping
          page.state = 'destroyed'
        }
      }
    },
    zoom: () => 1,
    settings: () => office.settings,
    pinnedEntries: {
      isToday: (...entry) => office.pinned.has(entry.join(' ')),
      set(account, reference, index, isToday) {
        const entry = [account, reference, index].join(' ')
        if (isToday) office.pinned.add(entry)
        else office.pinned.delete(entry)
      }
    },
    reservations: new Reservations({
      exclusiveTasks: new ExclusiveTasks(),
      time: time.run(),
      newId: () => '',
      changed: () => undefined
    }),
    pin: {
      state: async () => ({
        isSet: office.pin !== undefined,
        keptIn: 'keychain',
        reset: 'none',
        canReset: false,
        ...(office.pinWaitUntil !== undefined && office.pinWaitUntil > time.now && { waitUntil: office.pinWaitUntil }),
        ...(office.asksName && { asksName: true })
      }),
      async check(pin) {
        await office.checking
        if (office.pin === undefined) return { ok: false, code: 'no-pin' }
        const wait = office.pinWaitUntil === undefined ? {} : { waitUntil: office.pinWaitUntil }
        if (office.pinWaitUntil !== undefined && office.pinWaitUntil > time.now)
          return { ok: false, code: 'pin-wait', ...wait }
        return pin === office.pin ? { ok: true } : { ok: false, code: 'wrong-pin', ...wait }
      }
    },
    note(record, when, along) {
      if (when === 'now-or-never' && office.trailTrouble) throw office.trailTrouble
      office.notes.push(structuredClone(record))
      along?.()
    },
    keepIdentity: (of, reading) => ({
      detail: { identitySha256: 'hash' },
      write: () => void office.numbers.push({ ...of, ...reading })
    }),
    staff: () => 'Clerk',
    place: {
      async handOver() {
        await office.taking
        office.isTaken = true
        return office.place
      },
      enlarge(factor) {
        office.enlarged = factor
      },
      giveBack() {
        office.enlarged = 1
        office.isTaken = false
      }
    },
    crashMarker: {
      save(session) {
        office.marker = structuredClone(session)
      },
      read: () => structuredClone(office.marker)
    },
    async savePage(_bytes, name) {
      if (office.saves) office.saved.push(name)
      return office.saves
    },
    chooseFiles: async () => office.chosenFiles,
    get turnFilesFolder() {
      return office.filesPlace
    },
    time: time.run(),
    newId: (() => {
      let next = 0
      return () => `session-${++next}`
    })(),
    changed: (id) => office.changes.push(id)
  }
  let counter = new Counter(deps)

  return Object.assign(office, {
    counter,
    deps,
    /** Restarts the application with these dependencies. */
    runs(others: CounterDeps): Counter {
      counter = new Counter(others)
      this.counter = counter
      return counter
    },
    /** The current page, or the last one. */
    page: () => office.pages.at(-1),
    events: () => {
      const page = office.pages.at(-1)
      if (!page) throw new Error('No page was opened.')
      return page.turn.events
    },
    state: (): CounterSession => {
      const state = counter.state()
      if (!state) throw new Error('There is no session.')
      return state
    },
    notesOf: (what: AuditNote['what']) => office.notes.filter((note) => note.what === what),
    /** Changes members of a signer at the service. */
    change(reference: string, index: number, changes: Signer): void {
      const signers = [...signersOf(reference)]
      signers[index] = { ...signers[index], ...changes }
      office.service.set(reference, { ...office.service.get(reference), Signers: signers })
    },
    signs(reference: string, index: number): void {
      this.change(reference, index, { SignedStatus: 'Signed', HasSigned: true, SigningKey: undefined })
      const next = signersOf(reference).findIndex(({ SignedStatus }) => SignedStatus === 'Initialized')
      if (next >= 0) this.change(reference, next, { SignedStatus: 'Invitation' })
    },
    declines(reference: string, index: number): void {
      this.change(reference, index, { SignedStatus: 'Declined', DeclinedReason: 'No.', SigningKey: undefined })
      office.service.set(reference, { ...office.service.get(reference), Status: 'Declined' })
    },
    /** Reads the folders, as any poll does. */
    async looked(): Promise<void> {
      read()
      await counter.documentsChanged(ACCOUNT)
    },
    start: (...turns: [reference: string, signer: number, evidence?: string[]][]) =>
      counter.start({
        turns: turns.map(([documentReference, at, evidence = []]) => ({ documentReference, signer: at, evidence })),
        allowsCamera: false
      }),
    /** Goes from the handover to an open page. */
    async opens(): Promise<FakePage> {
      const { id } = this.state()
      await counter.begin(id)
      counter.show(id, BOUNDS)
      const page = this.page()
      if (!page) throw new Error('No page was opened.')
      page.turn.events.open()
      return page
    },
    asks(devices: MediaDevice[] = ['camera']): boolean[] {
      const answers: boolean[] = []
      this.events().asksFor(devices, (granted) => answers.push(granted))
      return answers
    },
    /** Passes time until nothing is being asked, for at most 60 seconds. */
    async settled(): Promise<CounterSession> {
      for (let second = 0; second < 60 && this.state().phase === 'asking'; second++) await time.pass(1000)
      return this.state()
    },
    /** Like `settled`, then goes on from the thanks, or from the notice that nothing was received, to the next turn. */
    async handedOn(): Promise<CounterSession> {
      const { id, phase } = await this.settled()
      if (phase === 'between') await counter.next(id)
      return this.state()
    }
  })
}

/** The error of requests while the service is unreachable. */
export const OFFLINE = new AppFailure({ code: 'offline', message: 'This computer is offline.' })

/** Returns a promise that the test resolves with `open`. */
export function gate(): { passed: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}
