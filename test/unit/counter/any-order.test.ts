/**
 * Random actions of people, pages, the service and the clock, in any order, with the application killed at any point.
 * Invariants: a page is seen only by its own signer, a lock opens only with the PIN, nothing is reported as signed that
 * isn't, no link leaks, nothing is left for the next person or the next session, the audit trail has every step, and
 * every session ends.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Appointments } from '../../../src/main/core/appointments/appointments.ts'
import type { LeaveReason, SigningViewEvents } from '../../../src/main/core/counter/deps.ts'
import { enlargedZoom } from '../../../src/main/core/counter/page.ts'
import { PHASES } from '../../../src/main/core/counter/phases.ts'
import { DEFAULT_PREFERENCES } from '../../../src/main/core/counter/session-state.ts'
import type { StaffAction } from '../../../src/main/core/counter/staff-actions.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { dayAt, startOfDay } from '../../../src/main/core/lib/calendar.ts'
import { defined } from '../../../src/main/core/lib/objects.ts'
import { contentOf } from '../../../src/main/core/receipts/content.ts'
import { fewestVisits } from '../../../src/renderer/src/screens/counter/signings.ts'
import type { CounterSession, OfferedEntry, PersonPreferences } from '../../../src/shared/contract/index.ts'
import { Disk, type KeptOffice, type Run } from './kept-office.ts'
import { BOUNDS, gate, later, OFFLINE, type Office, openOffice, PIN, SECRET, type Signer, signer } from './office.ts'

/** Each run takes about 20 ms. Set ANY_ORDER_RUNS=1000 for more, as described in docs/performance.md. */
const RUNS = Number(process.env.ANY_ORDER_RUNS ?? 60)

const disk = new Disk()
/** Files that staff opens for a person. */
const THEIRS = join(disk.folder, 'theirs')
mkdirSync(THEIRS)
for (const name of ['passport.pdf', 'photo.jpg']) writeFileSync(join(THEIRS, name), name)
afterAll(() => disk.remove())

/** One random event. The test doesn't await what it starts. */
type Happening = (world: World) => unknown

interface World {
  office: Office
  /** The documents as the service has them when a sitting begins, and one place for each signature. */
  documents: Record<string, Signer[]>
  places: Place[]
  /** The signers of withdrawn documents, as the service had them last. */
  withdrawn: Map<string, Signer[]>
  computer: KeptOffice
  run: Run
  id: string
  /** Session id of the previous sitting, if there was one. Commands for it must have no effect. */
  idBefore: string | undefined
  /** Number of pages opened before this sitting. */
  pagesBefore: number
  /** Answers and errors of commands. */
  answers: unknown[]
  /** Number of correct PINs and of staff actions at their own screen: no lock opens without one of them. */
  rights: number
  opened: number
  gates: (() => void)[]
  /** Each person's screen preferences, chosen since the application started. */
  chosen: Map<string, PersonPreferences>
  /** The appointments at the last check, and the number of audit entries then. */
  lastCheck: { rows: ReturnType<typeof rowsOf>; notes: number }
  kills: number
  /** The PINs that are being checked now, and the most at once since the application started. */
  pinChecks: { now: number; most: number }
  /** The application was killed after the session had ended, so nothing of the session is found any more. */
  isGone: boolean
  /** What the audit trail has to tell of this sitting. */
  steps: Steps
  /** Since when the screen is covered until staff comes, and how long it may stay so. */
  covered: { since: number; for: number } | undefined
  /** The answer that the page last got to its request for devices. */
  deviceAnswer: boolean
  /** The second display is vanishing: the screen moves, and is left only once. */
  isUnplugging: boolean
  /** The last announced state, and whether the application is quitting. */
  before: CounterSession | undefined
  isClosing: boolean
  /** Invariants that failed while a change was announced. */
  broken: unknown[]
}

/** What happened that the audit trail has to tell, each in its order. An entry is its kind and what tells it apart. */
type Steps = Record<'screen' | 'pins' | 'devices', string[]>
const noSteps = (): Steps => ({ screen: [], pins: [], devices: [] })

const VIDEO = { VideoConfirmationEnabled: true }
const FIRST_NAMES = ['Ann', 'Ben', 'Cy', 'Dee', 'Eve', 'Flo', 'Gus', 'Hal', 'Ida', 'Joe']
const EVERYONE = FIRST_NAMES.map((name) => `${name} Example`)
const PEOPLE = EVERYONE.slice(0, 4)
const NAMES = ['will', 'deed', 'note', 'lease', 'gift', 'trust', ...Array.from({ length: 24 }, (_, at) => `form-${at}`)]

/** The documents to sign, each with its signers, in order or in any order. A signer without a name comes last. */
const papersOf = (people: string[], minLength: number, maxLength: number) =>
  fc.array(
    fc.record({
      signers: fc.uniqueArray(fc.constantFrom(...people), { minLength: 1, maxLength: people.length }),
      isInOrder: fc.boolean(),
      hasNameless: fc.nat(4).map((one) => one === 0)
    }),
    { minLength, maxLength, size: 'max' }
  )
/** Some days have large sittings: up to ten people, and up to 30 documents. One takes as long as ten others. */
const anyPapers = fc.oneof(
  { weight: RUNS > 60 ? 9 : 29, arbitrary: papersOf(PEOPLE, 3, 6) },
  { weight: 1, arbitrary: papersOf(EVERYONE, 6, NAMES.length) }
)
type Papers = typeof anyPapers extends fc.Arbitrary<infer One> ? One : never
type Place = [reference: string, signer: number]

const documentsOf = (papers: Papers): Record<string, Signer[]> =>
  Object.fromEntries(
    papers.map(({ signers, isInOrder, hasNameless }, index) => {
      const inOrder = signers.map((name, at) => {
        const more = name === 'Ann Example' ? VIDEO : {}
        return isInOrder && at > 0 ? later(name, more) : signer(name, more)
      })
      const nameless = hasNameless ? [signer('', { FirstName: '', LastName: '', Email: '' })] : []
      return [NAMES[index] as string, [...inOrder, ...nameless]]
    })
  )
const placesOf = (documents: Record<string, Signer[]>): Place[] =>
  Object.entries(documents).flatMap(([reference, signers]) => signers.map((_one, at): Place => [reference, at]))

/**
 * Index of a signature (modulo their number). Low numbers are likelier, as the first turns are the ones that are
 * reached.
 */
const anyone = fc.nat(23)
const placeOf = ({ places }: World, which: number) => places[which % places.length] as Place

const often = (weight: number, arbitrary: fc.Arbitrary<Happening>) => ({ weight, arbitrary })
const command =
  (of: (world: World) => Promise<unknown>): Happening =>
  (world) =>
    of(world).then(
      (answer) => world.answers.push(answer),
      (error) => world.answers.push(asAppError(error))
    )

const persons = fc
  .constantFrom('begin', 'resume', 'finish', 'next', 'retry', 'allowCamera')
  .map((name) => command(({ office, id }) => office.counter[name](id)))
/** They sign nothing more, and are told so. */
const stopsHere = fc.constant(command(({ office, id }) => office.counter.next(id, true)))
/** The usual way to open a page. Without it most runs would have no turns to disturb. */
const opens = fc.constant<Happening>(async (world) => {
  const { office, id } = world
  await command(() => (office.state().phase === 'between' ? office.counter.next(id) : office.counter.begin(id)))(world)
  office.counter.show(id, BOUNDS)
  office.page()?.turn.events.open()
})
const returns = anyone.map(
  (which): Happening =>
    async (world) => {
      const { office } = world
      const [reference, index] = placeOf(world, which)
      if (office.service.has(reference)) office.signs(reference, index)
      office.page()?.turn.events.returned()
      await office.time.pass(0)
      await office.time.pass(8000)
    }
)
const covers = fc
  .constantFrom('moment', 'help', 'finish', 'stop', 'not-me')
  .map((why) => command(({ office, id }) => office.counter.cover(id, why)))
const shows = fc.constant<Happening>(({ office, id }) => office.counter.show(id, BOUNDS))
const touches = fc.constant<Happening>(({ office, id }) => office.counter.touched(id))
const zooms = fc
  .double({ min: 0.5, max: 3, noNaN: true })
  .map((factor) => command(({ office, id }) => office.counter.zoom(id, factor)))
const pins = fc
  .constantFrom(PIN, PIN, '0000', '')
  .map((pin) => command(({ office, id }) => office.counter.unlock(id, pin)))
const deeds = fc
  .record({
    does: fc.constantFrom<StaffAction>(
      'answer',
      'cover',
      'continue',
      'continue',
      'end',
      'allow-camera',
      'allow-camera',
      'refuse-camera',
      'print',
      'save',
      'open-files'
    ),
    from: fc.constantFrom('office', 'person')
  })
  .map(({ does, from }) =>
    command(async (world) => {
      const { place, cover, phase, asksFor = [] } = world.office.counter.state() ?? {}
      if (place === 'other-display' && from === 'office') world.rights++
      const isStaff = cover === 'staff' || (place === 'other-display' && from === 'office')
      if (does === 'allow-camera' && isStaff && phase !== 'ended' && asksFor.length > 0)
        world.steps.devices.push('camera-allowed staff')
      return world.office.counter.staff(world.id, does, from)
    })
  )
/** The usual way from the page's request for a file to the file. */
const gives = fc.boolean().map(
  (isNamed): Happening =>
    async (world) => {
      const { office, id } = world
      office.page()?.turn.events.asksForFile(isNamed ? ['.pdf'] : [])
      await command(({ office: { counter } }) => counter.unlock(id, PIN))(world)
      await command(({ office: { counter } }) => counter.staff(id, 'open-folder', 'office'))(world)
      await command(async ({ office: { counter } }) => {
        const [file] = counter.state()?.asksFile?.files ?? []
        if (file) await counter.giveFile(id, file.id)
      })(world)
    }
)
const adjusts = fc
  .record(
    {
      language: fc.constantFrom('en' as const, 'mi' as const, 'ar' as const, 'hi' as const),
      textSize: fc.constantFrom(1 as const, 1.5 as const, 2 as const),
      highContrast: fc.boolean(),
      moreTime: fc.boolean()
    },
    { requiredKeys: [] }
  )
  .map((changes) =>
    command(async (world) => {
      const { office, id, chosen } = world
      const { phase, turns, current, offers } = office.state()
      const person = turns[current]?.person ?? ''
      const isOffered = !changes.language || changes.language === 'en' || offers.languages.includes(changes.language)
      if (phase !== 'ended' && isOffered) {
        chosen.set(person, { ...(chosen.get(person) ?? DEFAULT_PREFERENCES), ...defined(changes) })
      }
      return office.counter.adjust(id, defined(changes))
    })
  )

/** Something staff does with an existing or a new appointment. */
type AppointmentStep = (appointments: Appointments, id: string, world: World) => unknown
const STEPS: AppointmentStep[] = [
  ...(['arrived', 'here', 'done', 'no-show', 'undo', 'undo'] as const).map(
    (as): AppointmentStep =>
      (appointments, id) =>
        appointments.mark(id, as)
  ),
  (appointments, id) => appointments.call(id),
  (appointments, id) => appointments.call(id),
  (appointments) => appointments.endCall(),
  (appointments, id) => appointments.remove(id),
  // Moved within the day, and to tomorrow.
  ...[1, 24].map(
    (hours): AppointmentStep =>
      (appointments, id, { office }) =>
        appointments.change({ id, at: office.time.now + hours * 3_600_000 })
  ),
  async (appointments) => {
    const { appointments: all } = await appointments.today()
    const ambiguous = all.find(({ choices }) => choices.length > 0)
    if (ambiguous) appointments.choosePerson(ambiguous.id, ambiguous.choices[0]?.person ?? '')
  }
]
const appointed = fc
  .record({
    which: fc.nat(5),
    step: fc.constantFrom(...STEPS),
    name: fc.constantFrom(...PEOPLE, 'Zoe Walker'),
    isNew: fc.nat(2).map((one) => one === 0)
  })
  .map(({ which, step, name, isNew }) =>
    command(async (world) => {
      const { run, office } = world
      const rows = rowsOf(world)
      const id = rows[which % Math.max(1, rows.length)]?.id
      if (id === undefined || isNew) run.appointments.add({ name, at: office.time.now + 600_000, minutes: 30 })
      else await step(run.appointments, id, world)
    })
  )
const kills = fc.constantFrom<Happening>(
  ({ run }) => run.killed(),
  ({ run }) => run.strikes('before'),
  ({ run }) => run.strikes('after')
)
/** A command from a screen of the previous sitting that doesn't know yet that it is over. */
const stale = fc.constantFrom('begin', 'resume', 'finish', 'next', 'retry', 'allowCamera').map(
  (name): Happening =>
    async ({ office, idBefore, broken }) => {
      if (idBefore === undefined) return
      const code = await office.counter[name](idBefore).then(
        () => 'done',
        (error) => asAppError(error).code
      )
      if (code !== 'gone') broken.push(new Error(`${name} of the sitting before: ${code}`))
    }
)
const leaving = fc.constantFrom<LeaveReason>('blur', 'full-screen', 'hidden', 'display', 'locked', 'page').map(
  (by): Happening =>
    ({ office }) =>
      office.counter.screenLeft(by)
)

/** Once everyone has finished at the other display, this window was staff's all along: no PIN is needed. */
const unplugged = fc.constant<Happening>((world) => {
  const state = world.office.counter.state()
  if (state?.place === 'other-display' && state.phase === 'return') world.rights++
  world.isUnplugging = true
  world.office.counter.displayLost()
  world.isUnplugging = false
  if (state?.place === 'other-display' && state.phase !== 'ended')
    world.steps.screen.push(`left ${state.current + 1} display`)
})

const leakyText = `https://sign.example.com/s/${SECRET}-AnnExample?t=${SECRET}`
const asksForDevices = (events: SigningViewEvents, world: World) =>
  events.asksFor(['camera', 'microphone'], (granted) => {
    world.deviceAnswer = granted
  })
const pageDoes: ((events: SigningViewEvents, world: World) => void)[] = [
  (events) => events.loading(),
  (events) => events.open(),
  (events) => events.returned(),
  (events) => events.failed({ code: 'timeout', message: 'Late.', serviceMessage: leakyText }),
  (events) => events.refused(`Tried to open ${leakyText}`),
  (events) => events.open(leakyText),
  (events) => events.granted(['camera']),
  (events) => events.otherCamera(),
  (events) => events.touched(),
  asksForDevices,
  (events) => events.asksForFile(['.pdf'])
]
/** The page asks for the camera. */
const asks = fc.constant<Happening>((world) => {
  const page = world.office.page()
  if (page) asksForDevices(page.turn.events, world)
})
/** Events of the current page, or of one destroyed long ago. */
const pages = fc.record({ does: fc.constantFrom(...pageDoes), which: fc.nat(3) }).map(
  ({ does, which }): Happening =>
    (world) => {
      const page = world.office.pages.at(-1 - which)
      if (page) does(page.turn.events, world)
    }
)
const signs = anyone.map(
  (which): Happening =>
    (world) => {
      const [reference, index] = placeOf(world, which)
      if (world.office.service.has(reference)) world.office.signs(reference, index)
    }
)
/** Any signer of any document declines. */
const declines = anyone.map(
  (which): Happening =>
    (world) => {
      const [reference, index] = placeOf(world, which)
      if (world.office.service.has(reference)) world.office.declines(reference, index)
    }
)
/** The document is withdrawn, or its signer is replaced. */
const changes = fc.record({ which: anyone, isGone: fc.boolean() }).map(
  ({ which, isGone }): Happening =>
    (world) => {
      const [reference, index] = placeOf(world, which)
      const { service } = world.office
      const document = service.get(reference)
      if (!document) return
      if (!isGone) return world.office.change(reference, index, { FirstName: 'Dora' })
      world.withdrawn.set(reference, document.Signers as Signer[])
      service.delete(reference)
    }
)
const world = fc.constantFrom<Happening>(
  ({ office }) => void office.looked(),
  ({ office }) => {
    office.trouble = office.trouble ? undefined : OFFLINE
  },
  ({ office, gates }) => {
    const held = gate()
    office.line = held.passed
    gates.push(held.open)
  },
  ({ office, gates }) => {
    const held = gate()
    office.wiping = held.passed
    gates.push(held.open)
  },
  ({ office, gates }) => {
    const held = gate()
    office.checking = held.passed
    gates.push(held.open)
  },
  freed,
  freed,
  freed
)
const ends = fc.constantFrom<Happening>(
  ({ office }) => {
    office.accounts.clear()
    void office.counter.accountsChanged()
  },
  (world) => {
    world.isClosing = true
    void world.office.counter.end()
  }
)
const passing = fc.constantFrom(0, 0, 500, 500, 3000, 3000, 20_000, 61_000, 125_000, 200_000, 460_000).map(
  (milliseconds): Happening =>
    ({ office }) =>
      office.time.pass(milliseconds)
)

const happenings = fc.array(
  fc.oneof(
    ...[
      often(9, opens),
      often(4, returns),
      often(8, persons),
      often(1, stopsHere),
      often(2, covers),
      often(4, shows),
      often(1, touches),
      often(1, zooms),
      often(2, pins)
    ],
    ...[often(3, gives), often(3, adjusts), often(4, appointed), often(1, kills), often(1, stale)],
    ...[
      often(4, deeds),
      often(2, leaving),
      often(1, unplugged),
      often(8, pages),
      often(2, asks),
      often(4, signs),
      often(1, declines),
      often(1, changes),
      often(3, world),
      often(8, passing)
    ]
  ),
  { minLength: 5, maxLength: 60, size: 'max' }
)

function freed({ office, gates }: World): void {
  office.line = Promise.resolve()
  office.wiping = Promise.resolve()
  office.checking = Promise.resolve()
  for (const open of gates.splice(0)) open()
}

function rowsOf({ run }: Pick<World, 'run'>) {
  return run.appointments.table
    .between('office', 0, Number.MAX_SAFE_INTEGER)
    .map(({ id, name, at, state, calls, number }) => ({ id, name, at, state, calls, number }))
}

/** Checks what must hold after each happening. */
function checkAfter(world: World): void {
  check(world)
  const { office, run, chosen, lastCheck } = world
  const state = office.state()
  const { preferences, phase, turns, current } = state
  // Each person has the preferences they chose, never someone else's.
  if (phase !== 'return' && phase !== 'ended') {
    expect(preferences).toEqual(chosen.get(turns[current]?.person ?? '') ?? DEFAULT_PREFERENCES)
  }
  const shown = office.pages.find((page) => page.state === 'shown')
  if (shown) expect(shown.languages.at(-1)?.startsWith(preferences.language)).toBe(true)

  // Every change of an appointment has an audit entry, numbers are unique, and a call shows no names.
  const rows = rowsOf(world)
  const today = startOfDay(dayAt(office.time.now, 'Pacific/Auckland'), 'Pacific/Auckland')
  const hasChanged = lastCheck.rows.some((before) => {
    const after = rows.find(({ id }) => id === before.id)
    return after ? JSON.stringify(after) !== JSON.stringify(before) : before.at >= today
  })
  const isNoted = office.notes.slice(lastCheck.notes).some(({ what }) => what.startsWith('appointment-'))
  if (hasChanged || rows.length > lastCheck.rows.length) expect(isNoted).toBe(true)
  world.lastCheck = { rows, notes: office.notes.length }
  const numbers = rows.filter(({ at, number }) => at >= today && number !== undefined)
  expect(new Set(numbers.map(({ number }) => number)).size).toBe(numbers.length)
  expect(JSON.stringify(run.appointments.currentCall() ?? {})).not.toMatch(
    new RegExp([...FIRST_NAMES, 'Zoe'].join('|'))
  )
}

/** Checks what must hold at every moment. */
function check({ office, withdrawn, answers, rights, opened, broken }: World): void {
  if (broken[0]) throw broken[0]
  const state = office.state()
  const there = office.pages.filter((page) => page.state !== 'destroyed')
  const shown = there.filter((page) => page.state === 'shown')
  if (shown.length > 0) {
    expect(['loading', 'open']).toContain(state.phase)
    expect([state.isLocked, state.cover]).toEqual([false, undefined])
    expect(shown).toEqual([office.page()])
    // A page shows only its own signer's link.
    const { signerName = '' } = state.turns[state.current] ?? {}
    expect(shown[0]?.turn.url).toContain(`-${signerName.replaceAll(' ', '')}?`)
  }
  expect(office.mostPages).toBeLessThanOrEqual(1)
  expect(opened).toBeLessThanOrEqual(rights)
  if (state.cover === 'away' || state.cover === 'idle' || state.cover === 'camera') expect(state.isLocked).toBe(true)
  if (state.phase === 'covered') expect(state.cover).toBeDefined()
  if (state.cover === 'file') expect(state.asksFile).toBeDefined()
  if (state.cover === 'consent')
    expect([state.isLocked, state.allowsCamera, state.asksFor.length > 0]).toEqual([false, true, true])
  if (state.phase === 'return') expect(state.isLocked).toBe(true)
  if (state.phase === 'ended') expect([state.isLocked, office.isTaken, office.marker]).toEqual([false, false, null])
  if (state.warningUntil !== undefined) expect(state.isLocked && state.cover !== 'camera').toBe(false)
  for (const { outcome, documentReference, signer: at } of state.turns) {
    if (outcome?.signed !== 'signed') continue
    const signers = (office.service.get(documentReference)?.Signers ?? withdrawn.get(documentReference)) as Signer[]
    expect(signers[at]?.HasSigned).toBe(true)
  }
  // Files are offered only where staff opened them for this turn.
  if (state.asksFile?.files) {
    const opened = office.notesOf('files-opened').filter(({ session }) => session === state.id)
    expect(opened.map(({ detail }) => detail?.turn)).toContain(String(state.current + 1))
  }
  // Only files that staff opened are given, each with an audit entry written first.
  const givenFiles = office.pages.flatMap((page) => page.given.map((path) => basename(path)))
  expect(office.notesOf('file-given').length).toBeGreaterThanOrEqual(givenFiles.length)
  for (const name of givenFiles) expect(['passport.pdf', 'photo.jpg']).toContain(name)
  expect(JSON.stringify([state, office.notes, office.marker, answers])).not.toContain(SECRET)
}

/** Kills the application and restarts it with what is on the disk. */
async function beginAgain(world: World): Promise<void> {
  const { office, computer, id } = world
  world.kills++
  world.run.killed()
  world.run = computer.run()
  expect(await whats(world)).toEqual(office.notes.map(({ what }) => what))
  checkSteps(world, 'killed')
  world.steps = stepsToldOf(world)
  world.pinChecks = { now: 0, most: 1 }
  world.before = undefined
  world.covered = undefined
  world.chosen.clear()
  void office.counter.resumeInterrupted()
  const state = office.counter.state()
  if (state === null) {
    expect(toldOf(world, 'session-ended')).toHaveLength(1)
    world.isGone = true
    return
  }
  expect(state).toMatchObject({ id, phase: 'return', isLocked: true, wasInterrupted: true })
  world.before = state
}

/** Audit entries of this sitting. */
const toldOf = ({ office, id }: World, what: Parameters<Office['notesOf']>[0]) =>
  office.notesOf(what).filter(({ session }) => session === id)

/** What the audit trail tells of this sitting, in the form of `Steps`. */
function stepsToldOf({ office, id }: World): Steps {
  const told = noSteps()
  for (const { what, session, detail = {} } of office.notes) {
    if (session !== id) continue
    const { turn, by, why, became } = detail
    if (what === 'handed-over' || what === 'page-opened') told.screen.push(`${what} ${turn}`)
    else if (what === 'left') told.screen.push([what, turn, by, why].filter((one) => one !== undefined).join(' '))
    else if (what === 'idle') told.screen.push([what, became, by].filter((one) => one !== undefined).join(' '))
    else if (what === 'unlocked' || what === 'pin-wrong') told.pins.push(what)
    else if (what === 'camera-refused') told.devices.push(what)
    else if (what === 'camera-allowed' && (by === 'staff' || by === 'person')) told.devices.push(`${what} ${by}`)
  }
  return told
}

/**
 * Checks that the audit trail tells what happened, each in its order. When the application is killed, it may lack the
 * last step, or tell one that no longer took place: the two are done one right after the other. PINs that were checked
 * at once may all be missing.
 */
function checkSteps(world: World, end: 'killed' | 'ended'): void {
  const told = stepsToldOf(world)
  for (const kind of ['screen', 'pins', 'devices'] as const) {
    const [happened, isTold] = [world.steps[kind], told[kind]]
    const length = Math.min(happened.length, isTold.length)
    expect(isTold.slice(0, length), kind).toEqual(happened.slice(0, length))
    const difference = Math.abs(happened.length - isTold.length)
    if (end === 'ended') expect(isTold, kind).toEqual(happened)
    else expect(difference, kind).toBeLessThanOrEqual(kind === 'pins' ? world.pinChecks.most : 1)
  }
}

const whats = async ({ run }: World) => (await run.trail()).map(({ what }) => what)

/** Checks that the audit trail is whole and has each step once. */
async function checkTrail(world: World): Promise<void> {
  const { office, run, isGone } = world
  expect(await run.audit.check()).toMatchObject({ isWhole: true })
  expect(await whats(world)).toEqual(office.notes.map(({ what }) => what))
  const count = (what: Parameters<Office['notesOf']>[0]) => toldOf(world, what).length
  expect([count('session-started'), count('session-ended'), count('session-interrupted')]).toEqual([
    ...[1, 1],
    isGone ? expect.any(Number) : world.kills
  ])
  checkSteps(world, isGone ? 'killed' : 'ended')
}

/** Waits for disk reads, which don't advance the test's clock. */
async function diskIsDone(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resume) => setImmediate(resume))
}

const RESULTS = {
  signed: ['signed'],
  declined: ['declined'],
  'not-yet': ['not-signed', 'stopped'],
  unknown: ['not-confirmed'],
  skipped: ['not-opened']
}

/** Checks that the receipt made from the trail gives each turn the result that the service gave, and nothing more. */
function checkReceipt({ office, id }: World): void {
  const links = office.notes
    .filter(({ session }) => session === id)
    .map((note, index) => ({
      entry: { seq: index + 1, at: 0, zone: 'UTC', staff: 'Clerk', ...note, detail: note.detail ?? {} },
      hash: ''
    }))
  const made = contentOf(links, { copy: 'file', number: 'R', key: 'K' })
  if (!made.ok) throw new Error(made.why)
  const resultOf = new Map(
    made.content.people.flatMap(({ name, documents: own }) =>
      own.map(({ reference, result }) => [`${name} ${reference}`, result] as const)
    )
  )
  for (const { signerName, documentReference, outcome } of office.state().turns) {
    const result = resultOf.get(`${signerName} ${documentReference}`)
    if (outcome) expect(RESULTS[outcome.signed], documentReference).toContain(result)
    else expect(['not-confirmed', 'not-opened', undefined]).toContain(result)
  }
}

/** Checks the invariants at each announced change, as the screens would see it. */
function watched(office: Office, world: World): void {
  const { changed } = office.deps
  office.deps.changed = (id) => {
    changed(id)
    const after = office.state()
    const { before } = world
    const wasLocked = before?.cover === 'away' || before?.cover === 'idle' || before?.phase === 'return'
    if (wasLocked && before?.isLocked && !after.isLocked && !world.isClosing) world.opened++
    if (before?.id === after.id) stepTaken(world, before, after)
    world.before = after
    // Thrown here, it would count as a failure of the session.
    try {
      if (after.phase === 'handover' && after.current !== before?.current && before?.id === after.id)
        checkNext(office, after)
      check(world)
    } catch (error) {
      world.broken.push(error)
    }
  }
  const checkPin = office.deps.pin.check
  office.deps.pin.check = async (pin) => {
    const { run, pinChecks } = world
    pinChecks.most = Math.max(pinChecks.most, ++pinChecks.now)
    const answer = await checkPin(pin)
    pinChecks.now--
    if (answer.ok) world.rights++
    if (answer.ok || answer.code === 'wrong-pin') {
      // Nobody hears the answer if the application was killed meanwhile, or the session ended.
      if (world.run === run && run.isAlive && office.state().phase !== 'ended')
        world.steps.pins.push(answer.ok ? 'unlocked' : 'pin-wrong')
    }
    return answer
  }
  const { openView } = office.deps
  office.deps.openView = (turn) => {
    world.steps.screen.push(`page-opened ${office.state().current + 1}`)
    return openView(turn)
  }
}

/** Checks that the person who gets the screen finds nothing of the person before: neither a page's, nor of how they had it. */
function checkNext(office: Office, { turns, current, ...next }: CounterSession): void {
  const { textSize } = next.preferences
  expect(next).toMatchObject({ origin: '', refused: [], asksFor: [], zoom: enlargedZoom(office.deps.zoom(), textSize) })
  for (const name of ['error', 'asksFile', 'wantsFile', 'warningUntil'] as const)
    expect(next[name], name).toBeUndefined()
  expect(office.enlarged).toBe(textSize)
  expect(turns[current]?.outcome?.signed).toBeOneOf([undefined, 'not-yet', 'skipped'])
  expect(office.pages.filter(({ state }) => state === 'shown')).toEqual([])
}

/** Notes what a change of the session is, for the audit trail to tell. */
function stepTaken(world: World, before: CounterSession, after: CounterSession): void {
  const { steps, office, isUnplugging } = world
  const { cover, coveredBy = '', phase, current } = after
  const turn = current + 1
  if (before.phase === 'handover' && phase === 'loading') steps.screen.push(`handed-over ${turn}`)
  // Nobody came: the session went on from its cover by itself.
  const { covered } = world
  const mayStay = PHASES[phase].isTimed ? LONGEST_COVER[cover ?? ''] : undefined
  if (mayStay !== covered?.for) {
    if (covered && office.time.now - covered.since >= covered.for) steps.screen.push('idle ended')
    world.covered = mayStay === undefined ? undefined : { since: office.time.now, for: mayStay }
  }
  if (cover !== before.cover && !isUnplugging) {
    if (cover === 'moment' || cover === 'help' || cover === 'finish' || cover === 'stop')
      steps.screen.push(`left ${turn} person ${cover}`)
    else if (cover === 'not-me') steps.screen.push(`left ${turn} not-me`)
    else if (cover === 'idle') steps.screen.push('idle covered')
    // Staff left their choice open, and nobody touched it.
    else if (cover === 'away' && coveredBy === 'away') steps.screen.push('idle covered staff')
    else if (cover === 'away') steps.screen.push(`left ${turn} ${coveredBy === 'office' ? 'staff' : coveredBy}`)
  }
  if (before.asksFor.length > 0 && after.asksFor.length === 0)
    steps.devices.push(world.deviceAnswer ? 'camera-allowed person' : 'camera-refused')
}

/** How long the screen stays covered until the session ends by itself, in milliseconds. */
const LONGEST_COVER: Record<string, number> = { idle: 300_000, away: 450_000, 'not-me': 450_000 }

const anySitting = fc.record({
  /** Indexes of the chosen signatures, in order. */
  turns: fc.uniqueArray(anyone, { minLength: 1, maxLength: 10 }),
  /** Staff take all that is offered, in the order of the start sheet, instead of the chosen signatures. */
  takesAll: fc.nat(4).map((one) => one === 0),
  happenings,
  end: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: ends })
})
type Sitting = typeof anySitting extends fc.Arbitrary<infer One> ? One : never
/** One or two sittings on the same computer. */
const anyDay = fc.record({
  papers: anyPapers,
  place: fc.constantFrom('here' as const, 'other-display' as const),
  mayKeepPages: fc.boolean(),
  first: anySitting,
  second: fc.option(anySitting, { nil: undefined })
})

test('every session keeps all invariants at every moment, and ends', async () => {
  await fc.assert(
    fc.asyncProperty(anyDay, async ({ papers, place, mayKeepPages, first, second }) => {
      const documents = documentsOf(papers)
      const office = openOffice(documents)
      office.place = place
      office.settings.mayKeepPages = mayKeepPages
      office.settings.mayGiveFiles = true
      office.chosenFiles = { folder: THEIRS }
      const computer = disk.computer(office)
      const there: World = {
        documents,
        places: placesOf(documents),
        withdrawn: new Map(),
        office,
        computer,
        run: computer.run(),
        id: '',
        idBefore: undefined,
        pagesBefore: 0,
        answers: [],
        rights: 0,
        opened: 0,
        gates: [],
        broken: [],
        before: undefined,
        isClosing: false,
        chosen: new Map(),
        lastCheck: { rows: [], notes: 0 },
        kills: 0,
        pinChecks: { now: 0, most: 1 },
        isGone: false,
        steps: noSteps(),
        covered: undefined,
        deviceAnswer: false,
        isUnplugging: false
      }
      watched(office, there)
      await sits(there, first)
      if (second) {
        afresh(there)
        await sits(there, second)
      }
      there.run.closed()
    }),
    // Does all requested runs, however long they take: an interrupt counts as a failure.
    { numRuns: RUNS, interruptAfterTimeLimit: 1_200_000, markInterruptAsFailure: true }
  )
}, 1_200_000)

/** Runs a sitting from start to end, and checks its audit trail. */
async function sits(there: World, { turns, takesAll, happenings: all, end }: Sitting): Promise<void> {
  const { office } = there
  const chosen = chosenOf(there, turns)
  there.id = (await office.start(...(takesAll ? await offeredWith(there, chosen[0] as Place) : chosen))).id
  there.before = office.state()
  there.steps = noSteps()
  there.covered = undefined
  // When the session started, the service's link was still safe to open.
  const [unsafe] = there.places.at(-1) as Place
  office.change(unsafe, 0, { SigningKey: `http://sign.example.com/${SECRET}` })
  for (const happening of all) {
    const done = happening(there)
    if (there.run.isAlive) check(there)
    // Time passes only in steps that say so; commands continue while the next happenings run.
    if (done instanceof Promise) await Promise.race([done, office.time.pass(0).then(diskIsDone)])
    if (!there.run.isAlive) await beginAgain(there)
    if (there.isGone) break
    checkAfter(there)
  }
  there.run.strikes(undefined)
  if (!there.isGone) await comesToItsEnd(there, end)
  await checkTrail(there)
}

/** The chosen turns, each signature once, beginning with one who can sign immediately. */
function chosenOf({ documents, places }: World, turns: readonly number[]): Place[] {
  const chosen = [...new Set(turns.map((which) => which % places.length))].map((which) => places[which] as Place)
  const canBegin = ([reference, at]: Place) => documents[reference]?.[at]?.SignedStatus === 'Invitation'
  const first = chosen.find(canBegin) ?? (places[0] as Place)
  return [first, ...chosen.filter((one) => one !== first)]
}

/** All that is offered with a signature, in the order of the start sheet. */
async function offeredWith({ office }: World, [reference, signer]: Place): Promise<Place[]> {
  const { entries } = await office.counter.offer(reference, signer)
  const isFirst = (entry: OfferedEntry) => entry.documentReference === reference && entry.signer === signer
  const inOrder = [...entries.filter(isFirst), ...entries.filter((entry) => !isFirst(entry))]
  return fewestVisits(inOrder)
    .flat()
    .map((entry) => [entry.documentReference, entry.signer])
}

/** Prepares the next sitting, with the documents as they were at first. Restarts the application if it was quit. */
function afresh(there: World): void {
  const { office, computer, run, isClosing, id, documents } = there
  freed(there)
  office.trouble = undefined
  office.accounts.add('office')
  for (const [reference, Signers] of Object.entries(documents)) office.service.set(reference, { Signers })
  there.withdrawn.clear()
  if (isClosing) {
    run.closed()
    there.run = computer.run()
  }
  Object.assign(there, { idBefore: id, pagesBefore: office.pages.length, kills: 0, isGone: false, isClosing: false })
  there.chosen.clear()
}

async function comesToItsEnd(there: World, end: Happening | undefined): Promise<void> {
  const { office, id } = there
  await end?.(there)
  check(there)
  freed(there)
  // With no input the session is covered first, then ends, and staff comes.
  for (let minute = 0; minute < 20; minute++) await office.time.pass(60_000).then(diskIsDone)
  // Removing the given files takes real disk time. A session that never ends fails by the test's timeout.
  const isOver = async () =>
    ['return', 'ended'].includes(office.state().phase) &&
    (await readdir(office.filesPlace).catch(() => [])).length === 0
  while (!(await isOver())) await office.time.pass(60_000).then(diskIsDone)
  await office.counter.unlock(id, PIN)
  expect(office.state().phase).toBe('ended')
  expect(office.pages.every(({ state }) => state === 'destroyed')).toBe(true)
  expect(office.state().turns.every(({ outcome }) => outcome !== undefined) || end !== undefined).toBe(true)
  check(there)
  if (office.state().turns.every(({ outcome }) => outcome !== undefined)) checkReceipt(there)
}
