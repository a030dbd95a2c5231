/**
 * Whatever people, pages, the service and the clock do, in whatever order: a page is seen only by its own signer, a lock is
 * opened only by the PIN, nothing is called signed that isn't, no link gets out, and every session comes to its end.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LeftBy, SigningViewEvents } from '../../../src/main/core/counter/deps.ts'
import type { StaffAction } from '../../../src/main/core/counter/staff-actions.ts'
import { contentOf } from '../../../src/main/core/receipts/content.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import { BOUNDS, gate, later, OFFLINE, type Office, openOffice, PIN, SECRET, type Signer, signer } from './office.ts'

/** One thing that happens. What it starts isn't waited for. */
type Happening = (world: World) => unknown

interface World {
  office: Office
  id: string
  /** What commands answered or failed by. */
  answers: unknown[]
  /** Right PINs, and what staff did at their own screen: no lock opens without one of them. */
  rights: number
  opened: number
  gates: (() => void)[]
  /** What didn't hold while a change was told. */
  broken: unknown[]
}

const VIDEO = { VideoConfirmationEnabled: true }
const documents = (): Record<string, Signer[]> => ({
  will: [signer('Ann Example', VIDEO), later('Ben Example')],
  deed: [signer('Ann Example', VIDEO), signer('', { FirstName: '', LastName: '', Email: '' })],
  // Whom the will makes wait is waited for here.
  note: [signer('Ben Example'), later('Ann Example', VIDEO)],
  lease: [signer('Cy Example')]
})
const TURNS = [
  ['will', 0],
  ['deed', 0],
  ['deed', 1],
  ['lease', 0]
] as const
/** Beside those, a sitting of two people who wait for each other. */
const SITTING = [
  ['will', 1],
  ['note', 0],
  ['note', 1]
] as const

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
/** As a person usually does it: there are no turns to disturb else. */
const opens = fc.constant<Happening>(async (world) => {
  const { office, id } = world
  await command(() => (office.state().phase === 'between' ? office.counter.next(id) : office.counter.begin(id)))(world)
  office.counter.show(id, BOUNDS)
  office.page()?.turn.events.open()
})
const returns = fc.constantFrom(...TURNS, ...SITTING).map(
  ([reference, index]): Happening =>
    async ({ office }) => {
      if (office.service.has(reference)) office.signs(reference, index)
      office.page()?.turn.events.returned()
      await office.time.pass(0)
      await office.time.pass(8000)
    }
)
const covers = fc
  .constantFrom('moment', 'help', 'finish', 'stop')
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
      if (world.office.counter.state()?.place === 'other-display' && from === 'office') world.rights++
      return world.office.counter.staff(world.id, does, from)
    })
  )
const leaving = fc.constantFrom<LeftBy>('blur', 'full-screen', 'hidden', 'display', 'locked', 'page').map(
  (by): Happening =>
    ({ office }) =>
      office.counter.left(by)
)

/** Where all have finished, this window was staff's all along. */
const unplugged = fc.constant<Happening>((world) => {
  const state = world.office.counter.state()
  if (state?.place === 'other-display' && state.phase === 'return') world.rights++
  world.office.counter.placeLost()
})

const said = `https://sign.example.com/s/${SECRET}-AnnExample?t=${SECRET}`
const pageDoes: ((events: SigningViewEvents) => void)[] = [
  (events) => events.loading(),
  (events) => events.open(),
  (events) => events.returned(),
  (events) => events.failed({ code: 'timeout', message: 'Late.', serviceMessage: said }),
  (events) => events.refused(`Tried to open ${said}`),
  (events) => events.open(said),
  (events) => events.granted(['camera']),
  (events) => events.otherCamera(),
  (events) => events.touched(),
  (events) => events.asksFor(['camera', 'microphone'], () => undefined),
  (events) => events.asksForFile(['.pdf'])
]
/** Of the page that is there, or of one that is long gone. */
const pages = fc.record({ does: fc.constantFrom(...pageDoes), which: fc.nat(3) }).map(
  ({ does, which }): Happening =>
    ({ office }) => {
      const page = office.pages.at(-1 - which)
      if (page) does(page.turn.events)
    }
)
const signs = fc.constantFrom(...TURNS, ...SITTING).map(
  ([reference, index]): Happening =>
    ({ office }) => {
      if (office.service.has(reference)) office.signs(reference, index)
    }
)
const world = fc.constantFrom<Happening>(
  ({ office }) => office.service.has('deed') && office.declines('deed', 0),
  ({ office }) => office.service.delete('deed'),
  ({ office }) => office.change('will', 0, { FirstName: 'Dora' }),
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
  ({ office }) => void office.counter.end()
)
const passing = fc.constantFrom(0, 0, 500, 500, 3000, 3000, 20_000, 61_000, 125_000, 200_000, 460_000).map(
  (milliseconds): Happening =>
    ({ office }) =>
      office.time.pass(milliseconds)
)

const happenings = fc.array(
  fc.oneof(
    ...[
      often(6, opens),
      often(4, returns),
      often(8, persons),
      often(2, covers),
      often(4, shows),
      often(1, touches),
      often(1, zooms),
      often(2, pins)
    ],
    ...[
      often(4, deeds),
      often(2, leaving),
      often(1, unplugged),
      often(8, pages),
      often(4, signs),
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

/** What must hold at every moment. */
function check({ office, answers, rights, opened, broken }: World): void {
  if (broken[0]) throw broken[0]
  const state = office.state()
  const there = office.pages.filter((page) => page.state !== 'destroyed')
  const shown = there.filter((page) => page.state === 'shown')
  if (shown.length > 0) {
    expect(['loading', 'open']).toContain(state.phase)
    expect([state.isLocked, state.cover]).toEqual([false, undefined])
    expect(shown).toEqual([office.page()])
    // Their own link, and nobody else's.
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
  if (state.phase === 'ended') expect([state.isLocked, office.isTaken, office.kept]).toEqual([false, false, null])
  if (state.warningUntil !== undefined) expect(state.isLocked && state.cover !== 'camera').toBe(false)
  for (const { outcome, documentReference, signer: at } of state.turns) {
    if (outcome?.signed !== 'signed') continue
    const signers = (office.service.get(documentReference)?.Signers ?? []) as Signer[]
    if (signers.length > 0) expect(signers[at]?.HasSigned).toBe(true)
  }
  expect(JSON.stringify([state, office.notes, office.kept, answers])).not.toContain(SECRET)
}

const RESULTS = {
  signed: ['signed'],
  declined: ['declined'],
  'not-yet': ['not-signed', 'stopped'],
  unknown: ['not-confirmed'],
  skipped: ['not-opened']
}

/** The receipt that the trail gives says of each turn what the service said of it, and nothing more. */
function checkReceipt({ office, id }: World): void {
  const links = office.notes
    .filter(({ session }) => session === id)
    .map((note, index) => ({
      entry: { seq: index + 1, at: 0, zone: 'UTC', staff: 'Clerk', ...note, detail: note.detail ?? {} },
      hash: ''
    }))
  const made = contentOf(links, { copy: 'file', number: 'R', key: 'K' })
  if (!made.ok) throw new Error(made.why)
  const said = new Map(
    made.content.people.flatMap(({ name, documents: own }) =>
      own.map(({ reference, result }) => [`${name} ${reference}`, result] as const)
    )
  )
  for (const { signerName, documentReference, outcome } of office.state().turns) {
    const result = said.get(`${signerName} ${documentReference}`)
    if (outcome) expect(RESULTS[outcome.signed], documentReference).toContain(result)
    else expect(['not-confirmed', 'not-opened', undefined]).toContain(result)
  }
}

/** Told of each change, as the screens are. */
function watched(office: Office, world: World): void {
  let before = office.state()
  const { changed } = office.deps
  office.deps.changed = (id) => {
    changed(id)
    const after = office.state()
    const wasLocked = before.cover === 'away' || before.cover === 'idle' || before.phase === 'return'
    if (wasLocked && before.isLocked && !after.isLocked && !isClosing) world.opened++
    before = after
    // Thrown here it would be the session's own failure.
    try {
      check(world)
    } catch (error) {
      world.broken.push(error)
    }
  }
  let isClosing = false
  const end = office.counter.end.bind(office.counter)
  office.counter.end = () => {
    isClosing = true
    return end()
  }
  const checkPin = office.deps.pin.check
  office.deps.pin.check = async (pin) => {
    const answer = await checkPin(pin)
    if (answer.ok) world.rights++
    return answer
  }
}

const anySession = fc.record({
  place: fc.constantFrom('here' as const, 'other-display' as const),
  mayKeepPages: fc.boolean(),
  turns: fc.uniqueArray(fc.constantFrom(...TURNS), { minLength: 1, maxLength: 4 }),
  withBen: fc.nat(SITTING.length),
  happenings,
  end: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: ends })
})

test('every session keeps its promises at every moment, and comes to its end', async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async ({ place, mayKeepPages, turns, withBen, happenings: all, end }) => {
      const office = openOffice(documents())
      office.place = place
      office.settings.mayKeepPages = mayKeepPages
      office.settings.mayGiveFiles = true
      office.chosenFiles = { files: [] }
      const chosen = [...turns, ...SITTING.slice(0, withBen)]
      const { id } = await office.start(...chosen.map(([reference, at]): [string, number] => [reference, at]))
      // As it was begun, the service's link was one to open.
      office.change('lease', 0, { SigningKey: `http://sign.example.com/${SECRET}` })
      const there: World = { office, id, answers: [], rights: 0, opened: 0, gates: [], broken: [] }
      watched(office, there)
      for (const happening of all) {
        const done = happening(there)
        check(there)
        // Time passes only where it is said to; commands go on beside what follows.
        if (done instanceof Promise) await Promise.race([done, office.time.pass(0)])
        check(there)
      }
      await end?.(there)
      check(there)
      freed(there)
      // Nobody touches anything any more: first it is covered, then it ends, and staff comes.
      for (let minute = 0; minute < 20; minute++) await office.time.pass(60_000)
      expect(['return', 'ended']).toContain(office.state().phase)
      await office.counter.unlock(id, PIN)
      expect(office.state().phase).toBe('ended')
      expect(office.pages.every(({ state }) => state === 'destroyed')).toBe(true)
      expect(office.state().turns.every(({ outcome }) => outcome !== undefined) || end !== undefined).toBe(true)
      check(there)
      if (office.state().turns.every(({ outcome }) => outcome !== undefined)) checkReceipt(there)
    }),
    { numRuns: 1000 }
  )
})
