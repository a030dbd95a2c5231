/** An office whose documents change as the test says, with a fake for the worker that records the changes. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { AskDocuments, DocumentQuestions } from '../../../src/main/core/documents/questions.ts'
import { openRefusals } from '../../../src/main/core/drop-folders/refusals.ts'
import type { NotificationText } from '../../../src/main/core/notifications/notification-text.ts'
import { openNotifier } from '../../../src/main/core/notifications/notifier.ts'
import { openOutboxNews } from '../../../src/main/core/notifications/outbox-news.ts'
import { DEFAULT_PREFERENCES } from '../../../src/main/core/notifications/preferences.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { openVerifications } from '../../../src/main/core/verifications/verifications.ts'
import {
  type DocumentChange,
  DocumentQuery,
  type NotificationPreferences,
  type OutboxPause,
  type SavedView,
  type SendView
} from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'

export const HOUR = 3_600_000
export const MINUTE = 60_000
/** A Saturday, 10:00 in the office's zone. */
export const TEN = Date.UTC(2026, 10, 20, 21)
export const ZONE = 'Pacific/Auckland'

export function database() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  return db
}

type Answers = { [Name in keyof DocumentQuestions]?: (ask: never) => DocumentQuestions[Name]['answer'] }

/** Records changes as the worker does, and answers the notifier's questions. */
export function scriptedWorker(clock: () => number) {
  const worker = {
    changes: [] as DocumentChange[],
    /** The mirror that numbers the changes, and whether it is kept for the next run. */
    mirror: 'first',
    isKept: true,
    /** Accounts with a folder read in this run. */
    read: new Set<string>(),
    /** Documents by due day. */
    due: {} as Record<string, { reference: string; name: string }[]>,
    /** References that the saved views find. */
    inViews: new Set<string>(),
    unread: 0,
    waiting: 0,
    /** Called before each question is answered. */
    whenAsked: (_name: string): void => undefined,
    isBroken: false,

    happens(change: Partial<DocumentChange> = {}): DocumentChange {
      const id = (worker.changes.at(-1)?.id ?? 0) + 1
      const made: DocumentChange = {
        id,
        accountId: 'office',
        reference: `doc-${id}`,
        documentName: `Lease ${id}`,
        kind: 'completed',
        at: clock(),
        isOwn: false,
        ...change
      }
      worker.changes.push(made)
      return made
    },
    /** Marks the account's folders as read. */
    reads(accountId = 'office'): void {
      worker.read.add(accountId)
    },
    ask: (async (name, ask) => {
      worker.whenAsked(name)
      await new Promise((resume) => setImmediate(resume))
      if (worker.isBroken) throw new Error('The worker does not answer.')
      const answer = (answers as Record<string, (ask: unknown) => unknown>)[name]
      if (!answer) throw new Error(`Nobody asks for ${name} here.`)
      return structuredClone(answer(ask)) as never
    }) satisfies AskDocuments as AskDocuments
  }

  const answers: Answers = {
    newestChange: () => ({ mirror: worker.mirror, change: worker.changes.at(-1)?.id ?? 0, isKept: worker.isKept }),
    changesAfter: ({ after, limit }: DocumentQuestions['changesAfter']['ask']) =>
      worker.changes.filter(({ id }) => id > after).slice(0, limit),
    matching: ({ reference, queries }: DocumentQuestions['matching']['ask']) =>
      worker.inViews.has(reference) ? queries.map(({ id }) => id) : [],
    dueOn: ({ day }: DocumentQuestions['dueOn']['ask']) => worker.due[day] ?? [],
    counts: () => ({ folders: {}, queries: {}, unread: worker.unread }),
    waitingHere: () =>
      Array.from(
        { length: worker.waiting },
        (_, index) => ({ person: `person ${index}` }) as DocumentQuestions['waitingHere']['answer'][number]
      ),
    activity({
      accountId,
      since = 0,
      until = Infinity,
      isOwn: ownOnly,
      offset,
      limit
    }: DocumentQuestions['activity']['ask']) {
      const all = worker.changes
        .filter((one) => one.accountId === accountId && one.at >= since && one.at <= until)
        .filter(({ isOwn }) => ownOnly === undefined || isOwn === ownOnly)
        .toReversed()
      const byKind: DocumentQuestions['activity']['answer']['byKind'] = {}
      for (const { kind } of all) byKind[kind] = (byKind[kind] ?? 0) + 1
      return { changes: all.slice(offset, offset + limit), total: all.length, byKind }
    }
  }
  return worker
}

/** An office with notifications at 10:00. `open` begins a run; opening another ends the first as a crash does. */
export function office({ now = TEN, zone = ZONE }: { now?: number; zone?: string } = {}) {
  const time = testTime(now)
  const worker = scriptedWorker(time.clock)
  const db = database()
  let run: { notifier: ReturnType<typeof openNotifier>; end: () => void } | undefined

  const self = {
    time,
    worker,
    db,
    verifications: openVerifications({
      db,
      time: { now: time.clock },
      newId: randomUUID,
      changed: () => undefined,
      clientOf: () => Promise.reject(new Error('Nobody asks a service here.')),
      nameOf: async () => undefined,
      note: () => undefined
    }),
    shown: [] as NotificationText[],
    settings: { ...DEFAULT_PREFERENCES, kinds: { ...DEFAULT_PREFERENCES.kinds } } as NotificationPreferences,
    views: [] as SavedView[],
    accounts: [{ id: 'office' }],
    isSigning: false,
    who: '',
    pause: undefined as OutboxPause | undefined,
    attention: [] as SendView[],
    withdrawn: 0,
    failures: [] as unknown[],
    show: (notice: NotificationText): void => void self.shown.push(notice),

    async open() {
      run?.end()
      worker.read.clear()
      const runTime = time.run({ zone: () => zone })
      let isOver = false
      const notifier = openNotifier({
        db,
        ask: (name, ask) => worker.ask(name, ask),
        settings: () => self.settings,
        accounts: () => self.accounts,
        views: () => self.views,
        isRead: (accountId) => worker.read.has(accountId),
        // A killed process shows nothing any more.
        isSigning: () => isOver || self.isSigning,
        show: (notice) => self.show(notice),
        withdraw: () => void self.withdrawn++,
        refusals: openRefusals(db),
        verifications: self.verifications,
        outbox: openOutboxNews({
          db,
          accounts: () => self.accounts,
          who: () => self.who,
          state: () => (self.pause ? { pause: self.pause } : {}),
          attention: (_accountId, limit) => self.attention.slice(0, limit),
          find: (id) => self.attention.find((send) => send.id === id)
        }),
        time: runTime,
        onError: (error) => void self.failures.push(error)
      })
      run = {
        notifier,
        end: () => {
          isOver = true
          runTime.end()
        }
      }
      await notifier.start()
      return notifier
    },

    /** Starts a run that has read its folders: what follows happens while the application runs. */
    async atWork() {
      const notifier = await self.open()
      for (const { id } of self.accounts) worker.reads(id)
      await settled(5000)
      return notifier
    },

    /** Announces a change, and passes time until it would be notified. */
    async goOn(milliseconds = 5000) {
      run?.notifier.documentsChanged()
      await settled(milliseconds)
    },
    titles: () => self.shown.map(({ title }) => title),
    bodies: () => self.shown.map(({ body }) => body)
  }

  async function settled(milliseconds: number): Promise<void> {
    await time.pass(milliseconds)
    for (let turn = 0; turn < 40; turn++) await new Promise((resume) => setImmediate(resume))
  }
  return self
}

export function view(id: string, tell: boolean): SavedView {
  return { id, name: id, tell, query: DocumentQuery.parse({}) }
}
