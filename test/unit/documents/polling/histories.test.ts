/**
 * A thousand random histories of a service's folders, against the real polling and the real worker: documents appear,
 * move, change, vanish and come back, while answers are lost, cut, late, repeated, halved, empty or corrupted. The
 * final mirror and the changes announced on the way are checked against what the service held and what it answered.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentsInMemory } from '../../../../src/main/core/documents/mirror/database.ts'
import { openPolling } from '../../../../src/main/core/documents/polling/polling.ts'
import type { MirroredDocument } from '../../../../src/main/core/documents/questions.ts'
import { openDocumentsWorker } from '../../../../src/main/core/documents/worker.ts'
import { increasingClock } from '../../../../src/main/core/lib/time.ts'
import { createAuthentication, createServiceClient } from '../../../../src/main/core/service/index.ts'
import type { DocumentChange } from '../../../../src/shared/contract/index.ts'
import { DocumentResponse } from '../../../../src/shared/model/index.ts'
import { cases } from '../../../property-seed.ts'

const FOLDERS = ['InBox', 'Progress', 'Signed'] as const
const ACCOUNT = 'office'
const DOCUMENTS = 26

type Answer = 'true' | 'late' | 'lost' | 'cut' | 'repeated' | 'half' | 'empty' | 'spoilt' | 'refused' | 'unknown'

type Happening =
  | { what: 'appear'; index: number; folder: number }
  | { what: 'move'; index: number; folder: number }
  | { what: 'sign' | 'rename' | 'postpone' | 'vanish'; index: number }

type Step =
  | Happening
  /** `between` happens after the first folder was asked for and before the others answer. */
  | { what: 'round'; answers: Answer[]; between: Happening[]; logs: boolean; twice: boolean; isSoon: boolean }
  | { what: 'extend'; index: number }
  | { what: 'clock'; by: number }
  | { what: 'restart' }

const index = fc.nat(DOCUMENTS - 1)
const folder = fc.nat(FOLDERS.length - 1)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ what: fc.constant('appear' as const), index, folder }),
  fc.record({ what: fc.constant('move' as const), index, folder }),
  fc.record({
    what: fc.constantFrom('sign' as const, 'rename' as const, 'postpone' as const, 'vanish' as const),
    index
  })
)
const answer = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Answer>('true') },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Answer>(
      'late',
      'lost',
      'cut',
      'repeated',
      'half',
      'empty',
      'spoilt',
      'refused',
      'unknown'
    )
  }
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: happening },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('round' as const),
      answers: fc.array(answer, { minLength: 3, maxLength: 3 }),
      between: fc.oneof(
        { weight: 3, arbitrary: fc.constant<Happening[]>([]) },
        { weight: 1, arbitrary: fc.array(happening, { minLength: 1, maxLength: 2 }) }
      ),
      logs: fc.boolean(),
      twice: fc.boolean(),
      isSoon: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('extend' as const), index }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('clock' as const), by: fc.constantFrom(-3_600_000, 5_000, 3_600_000) })
  },
  { weight: 1, arbitrary: fc.constant({ what: 'restart' as const }) }
)
const history = fc.record({ begin: fc.nat(DOCUMENTS), steps: fc.array(step, { minLength: 1, maxLength: 12 }) })

interface Held {
  folder: (typeof FOLDERS)[number]
  body: { Reference: string; Name: string; Status: string; DueDate: string; Signers: object[] }
}

/** The answers of one round over the folders. */
interface Round {
  isComplete: boolean
  /** Folders the service said it doesn't know, with whether their contents count as unknown. */
  missing: Map<string, boolean>
  /** When the round began. A round too soon after a counted one doesn't prove anything gone. */
  at: number
  isCounted: boolean
  seen: Set<string>
  lengths: Map<string, number>
}

const referenceOf = (index: number) => `doc-${index}`

function knownOf({ folder, document, goneAt }: MirroredDocument): Known {
  const signed = (document.Signers ?? []).filter(({ SignedStatus }) => SignedStatus === 'Signed').length
  return { folder, due: document.DueDate, signed, isGone: goneAt !== undefined }
}

function openWorld(begin: number) {
  const held = new Map<string, Held>()
  const everHeld = new Set<string>()
  /** The service's last answer for each folder. */
  const last = new Map<string, string>()
  const underWay = new Map<string, number>()
  const rounds: Round[] = []
  let answers: Answer[] = ['true', 'true', 'true']
  let between: Happening[] = []
  let round = blankRound(0)
  let countedAt = Number.NEGATIVE_INFINITY
  let mostAtOnce = 0
  let now = Date.UTC(2026, 10, 21)
  let changes: string[] = []
  let elapsed = 0
  const clock = () => now++
  /** One clock for all runs, as the worker orders its answers by it. */
  const moment = increasingClock(clock)
  /** Folders that were read at least once, and how often in a row, in this run, the service didn't know a folder. */
  const everRead = new Set<string>()
  const unknown = new Map<string, number>()
  const db = documentsInMemory()

  function happen(one: Happening): void {
    const reference = referenceOf(one.index)
    const document = held.get(reference)
    if (one.what === 'appear') {
      everHeld.add(reference)
      const knownBody = document?.body ?? past.get(reference)
      held.set(reference, { folder: FOLDERS[one.folder] ?? 'InBox', body: knownBody ?? blank(reference) })
      return
    }
    if (!document) return
    const { body } = document
    if (one.what === 'move') document.folder = FOLDERS[one.folder] ?? 'InBox'
    if (one.what === 'sign')
      document.body = { ...body, Signers: [{ ...body.Signers[0], SignedStatus: 'Signed' }, ...body.Signers.slice(1)] }
    if (one.what === 'rename') document.body = { ...body, Name: `${body.Name}+` }
    if (one.what === 'postpone') document.body = { ...body, DueDate: later(body.DueDate) }
    if (one.what === 'vanish') {
      past.set(reference, body)
      held.delete(reference)
    }
  }
  const past = new Map<string, Held['body']>()

  const truthOf = (folder: string) => [...held.values()].filter((one) => one.folder === folder).map(({ body }) => body)

  async function fetch(url: string): Promise<Response> {
    const folder = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
    const atOnce = (underWay.get(folder) ?? 0) + 1
    underWay.set(folder, atOnce)
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    try {
      return await answered(folder, answers[FOLDERS.indexOf(folder as never)] ?? 'true')
    } finally {
      underWay.set(folder, (underWay.get(folder) ?? 1) - 1)
    }
  }

  async function answered(folder: string, how: Answer): Promise<Response> {
    const now = truthOf(folder)
    if (how === 'late') await turns(6)
    if (folder !== FOLDERS[0]) await turns(1)
    for (const one of between.splice(0)) happen(one)
    const documents = folder === FOLDERS[0] || how === 'late' ? now : truthOf(folder)
    if (how === 'lost' || how === 'cut') unknown.set(folder, 0)
    if (how === 'lost') {
      round.isComplete = false
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ENETUNREACH' }) })
    }
    if (how === 'refused' || how === 'unknown') {
      const times = (unknown.get(folder) ?? 0) + 1
      unknown.set(folder, times)
      // A folder that was never there and was unknown twice in a row holds nothing.
      round.missing.set(folder, everRead.has(folder) || times < 2)
      return new Response('{}', { status: how === 'refused' ? 400 : 404 })
    }
    const bytes = JSON.stringify(documents)
    const text =
      how === 'repeated'
        ? (last.get(folder) ?? bytes)
        : how === 'half'
          ? JSON.stringify(documents.slice(0, Math.floor(documents.length / 2)))
          : how === 'empty'
            ? '[]'
            : how === 'spoilt'
              ? JSON.stringify([...documents, { Name: 5, Signers: 'none' }])
              : bytes
    if (how === 'cut') {
      round.isComplete = false
      return new Response(bytes.slice(0, -1))
    }
    everRead.add(folder)
    unknown.set(folder, 0)
    round.missing.delete(folder)
    if (how === 'spoilt') round.isComplete = false
    if (how !== 'spoilt') last.set(folder, text)
    const shown = (JSON.parse(text) as { Reference?: string }[]).flatMap(({ Reference }) => Reference ?? [])
    for (const reference of shown) round.seen.add(reference)
    round.lengths.set(folder, shown.length)
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }

  function run() {
    const worker = openDocumentsWorker({ db, time: { now: clock } })
    const client = createServiceClient({
      baseUrl: 'https://signing.example.com/',
      authentication: createAuthentication({ scheme: 'none' }, { clock }),
      fetch,
      clock,
      random: () => 0,
      jsonByQuery: true,
      limits: { retry: { attempts: 1, firstWaitMs: 0, maxWaitMs: 0, maxRetryAfterMs: 0 } }
    })
    const polling = openPolling({
      ask: worker.ask,
      accounts: () => [{ id: ACCOUNT, folders: [...FOLDERS] }],
      shown: () => [ACCOUNT],
      clientOf: async () => client,
      dateFormatOf: async () => undefined,
      moment,
      time: { now: clock, elapsed: () => elapsed, after: () => () => undefined, random: () => 0, zone: () => 'UTC' },
      changed: (id) => changes.push(id),
      accountRead: () => undefined,
      connectionChanged: () => undefined
    })
    return { worker, polling }
  }

  let parts = run()
  for (let index = 0; index < begin; index++) happen({ what: 'appear', index, folder: index % 3 === 2 ? 1 : 0 })

  return {
    held,
    everHeld,
    rounds,
    happen,
    get ask() {
      return parts.worker.ask
    },
    get mostAtOnce() {
      return mostAtOnce
    },
    restart() {
      parts.polling.stop()
      parts = run()
      rounds.length = 0
      unknown.clear()
      countedAt = Number.NEGATIVE_INFINITY
    },
    jump: (by: number) => {
      now += by
    },
    /** The service accepts an action of ours, and answers with the document. */
    async extend(index: number) {
      const reference = referenceOf(index)
      const document = held.get(reference)
      // An action starts from a document that is shown.
      if (!document || !(await parts.worker.ask('get', { accountId: ACCOUNT, reference }))) return
      happen({ what: 'postpone', index })
      const body = DocumentResponse.parse({ ...document.body, Folder: document.folder })
      await parts.worker.ask('takeOne', {
        accountId: ACCOUNT,
        document: body,
        arrived: moment(),
        now: clock(),
        isOwn: true
      })
    },
    async readFolders(one: Extract<Step, { what: 'round' }>) {
      elapsed += one.isSoon ? 100 : 40_000
      round = blankRound(elapsed)
      answers = one.answers
      between = [...one.between]
      const { polling } = parts
      const nothing = async () => ({ references: [], marks: [], matchKeys: [] })
      const first = one.logs ? polling.readAllFolders(ACCOUNT, nothing) : polling.refresh(ACCOUNT)
      const second = one.twice ? polling.refresh(ACCOUNT) : undefined
      await Promise.allSettled([first, second])
      if ([...round.missing.values()].includes(true)) round.isComplete = false
      round.isCounted = round.isComplete && round.at - countedAt >= 5000
      if (round.isCounted) countedAt = round.at
      rounds.push(round)
      changes = []
    }
  }
}

function blankRound(at: number): Round {
  return { isComplete: true, missing: new Map(), at, isCounted: false, seen: new Set(), lengths: new Map() }
}

function blank(Reference: string): Held['body'] {
  const signer = (FirstName: string) => ({ FirstName, LastName: 'Parata', Email: `${FirstName}@example.com` })
  const Signers = [
    { ...signer('mere'), SignedStatus: 'Pending' },
    { ...signer('wiremu'), SignedStatus: 'Pending' }
  ]
  return { Reference, Name: `Deed ${Reference}`, Status: 'InProgress', DueDate: '2026-12-01T00:00:00Z', Signers }
}

function later(due: string): string {
  return new Date(Date.parse(due) + 86_400_000).toISOString()
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resume) => setImmediate(resume))
}

/** Checks that a document called gone was missing from each of the complete rounds that this takes. */
function holdGone(rounds: readonly Round[], reference: string): void {
  const complete = rounds.filter(({ isCounted }) => isCounted)
  const [before, previous, newest] = [complete.at(-3), complete.at(-2), complete.at(-1)]
  expect(rounds.at(-1)).toBe(newest)
  expect([previous?.seen.has(reference), newest?.seen.has(reference)]).toEqual([false, false])
  const since = rounds.indexOf(previous as Round)
  expect(rounds.slice(since).some(({ seen }) => seen.has(reference))).toBe(false)
  if (shrank(previous, newest) || shrank(before, previous)) expect(before?.seen.has(reference)).toBe(false)
}

function shrank(one: Round | undefined, next: Round | undefined): boolean {
  if (!one || !next) return false
  return [...next.lengths].some(([folder, length]) => {
    const before = one.lengths.get(folder) ?? 0
    return length < before / 2 && before - length >= 10
  })
}

/** The mirror's state of a document, limited to what is announced when it changes. */
interface Known {
  folder: string
  due: string | undefined
  signed: number
  isGone: boolean
}

/**
 * Checks that the announced changes lead from the previous state of a document to the current one, with nothing else.
 */
function checkAnnounced(announced: readonly DocumentChange[], before: Known | undefined, now: Known): void {
  const of = (...kinds: DocumentChange['kind'][]) => announced.filter(({ kind }) => kinds.includes(kind))
  if (!before) {
    // Documents found by the first read of a folder aren't reported.
    expect(of('arrived').length).toBeLessThanOrEqual(1)
    expect(of('moved', 'gone', 'returned', 'signed')).toEqual([])
    return
  }
  expect(of('arrived')).toEqual([])
  expect(of('gone')).toHaveLength(now.isGone && !before.isGone ? 1 : 0)
  expect(of('returned')).toHaveLength(before.isGone && !now.isGone ? 1 : 0)
  expect(of('signed')).toHaveLength(Math.max(0, now.signed - before.signed))
  // A return also announces the folder.
  if (of('returned').length === 0) leads(of('moved'), before.folder, now.folder)
  leads(of('due-changed'), before.due, now.due)
}

function leads(links: readonly DocumentChange[], from: string | undefined, to: string | undefined): void {
  let at = from
  for (const link of links) {
    expect(link.from).toBe(at)
    expect(link.to).not.toBe(at)
    at = link.to
  }
  expect(at).toBe(to)
}

test('after any history the mirror equals the service, and each change was reported once, with none invented', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ begin, steps }) => {
      const world = openWorld(begin)
      const announced: DocumentChange[] = []
      const known = new Map<string, Known>()
      const hear = async () => {
        const news = await world.ask('changesAfter', { after: announced.at(-1)?.id ?? 0, limit: 10_000 })
        for (const { kind, reference } of news) if (kind === 'gone') holdGone(world.rounds, reference)
        announced.push(...news)
        const byReference = Map.groupBy(news, ({ reference }) => reference)
        for (const reference of world.everHeld) {
          const mirrored = await world.ask('get', { accountId: ACCOUNT, reference })
          const now = mirrored && knownOf(mirrored)
          if (now) checkAnnounced(byReference.get(reference) ?? [], known.get(reference), now)
          else expect(byReference.get(reference)).toBeUndefined()
          if (now) known.set(reference, now)
        }
      }
      for (const one of steps) {
        if (one.what === 'round') {
          await world.readFolders(one)
          await hear()
        } else if (one.what === 'extend') {
          await world.extend(one.index)
          await hear()
        } else if (one.what === 'clock') world.jump(one.by)
        else if (one.what === 'restart') world.restart()
        else world.happen(one)
      }
      const calm: Step = {
        what: 'round',
        answers: ['true', 'true', 'true'],
        between: [],
        logs: false,
        twice: false,
        isSoon: false
      }
      for (let round = 0; round < 4; round++) {
        await world.readFolders(calm)
        await hear()
      }
      const after = announced.length
      await world.readFolders(calm)
      await hear()
      expect(announced).toHaveLength(after)
      expect(world.mostAtOnce).toBeLessThanOrEqual(1)

      const isCandid = steps.every((one) => one.what !== 'round' || !one.answers.includes('repeated'))
      for (const reference of world.everHeld) {
        const mirrored = await world.ask('get', { accountId: ACCOUNT, reference })
        const held = world.held.get(reference)
        if (held) {
          expect(mirrored).toMatchObject({ folder: held.folder, document: held.body })
          expect(mirrored?.goneAt).toBeUndefined()
        } else if (mirrored) expect(mirrored.goneAt).toBeDefined()
        const signed = announced.filter((change) => change.reference === reference && change.kind === 'signed')
        if (isCandid) expect(signed.length).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: cases(80) }
  )
}, 120_000)
