/**
 * The clerk's side of the counter in every state that must be looked at: the queue, the start sheet, outcomes,
 * settings, the audit trail.
 */
import { blankComposition } from '../../../src/shared/composition/composition.ts'
import type {
  AuditEntry,
  Board,
  BoardCounter,
  CounterEntry,
  CounterSession,
  CounterTurn,
  OfferedEntry,
  PresetView,
  StaffMember
} from '../../../src/shared/contract/views.ts'
import { type FakeApi, type FakeState, fakeApi } from '../fake-api.ts'
import { appointmentOf } from '../fakes/appointments.ts'
import { auditEntryOf } from '../fakes/audit.ts'
import { fakeLogo, sessionOf, turnOf } from '../fakes/counter.ts'
import { documents, people } from '../people.ts'

const now = () => Date.now()
const DAY = 86_400_000
const subjects = ['Tenancy agreement', 'Deed of gift', 'Power of attorney', 'Loan variation', 'Superannuation choice']

/** Returns someone who can sign: the one at `index` of a long list. */
function entryOf(index: number, at = now(), change: Partial<CounterEntry> = {}): CounterEntry {
  const [first, last] = people[index % people.length] ?? ['Mere', 'Parata']
  return {
    accountId: 'practice',
    documentReference: `doc-${index}`,
    documentName: `${subjects[index % subjects.length]} ${last}`,
    signer: 0,
    signerName: `${first} ${last}`,
    person: `${first} ${last}`.toLowerCase(),
    ...(index % 5 !== 4 && { due: { at: at + (index - 1) * DAY, offset: 780, precision: 'time' as const } }),
    faceToFace: index % 3 === 0,
    mayNeedCamera: index % 4 === 1,
    isToday: false,
    ...change
  }
}

function counter(change: Partial<FakeState> = {}): FakeApi {
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    queue: Array.from({ length: 9 }, (_, index) => entryOf(index)),
    today: ['doc-3 0', 'doc-5 0'],
    ...change
  })
}

const first = entryOf(0)
const offered: Partial<FakeState> = {
  offer: {
    first: { ...first, mayNeedCamera: true },
    entries: [
      { ...first, mayNeedCamera: true, after: [] },
      { ...first, signer: 1, signerName: 'Tama Brooks', person: 'tama brooks', after: [0] },
      { ...first, signer: 2, signerName: 'Anahera Singh', person: 'anahera singh', after: [0, 1] },
      {
        ...entryOf(1, now(), { person: first.person, signerName: first.signerName, mayNeedCamera: false }),
        after: []
      }
    ],
    further: 0,
    evidence: [
      { id: 'photo', text: 'Photo ID seen', isRequired: true },
      { id: 'name', text: 'Name matches the document', isRequired: false },
      { id: 'address', text: 'Proof of address not older than three months', isRequired: false }
    ],
    staff: 'Grace Okafor'
  }
}

/** A couple with five documents, and the bank's own signer for one of them. */
const sitting: Partial<FakeState> = {
  offer: {
    ...offered.offer,
    first,
    entries: ['Loan agreement', 'Mortgage deed', 'Guarantee', 'Insurance assignment', 'Letter of wishes'].flatMap(
      (documentName, at) => {
        const document = { ...first, documentName, ...(at > 0 && { documentReference: `doc-sitting-${at}` }) }
        const tama = { signer: 1, signerName: 'Tama Brooks', person: 'tama brooks', mayNeedCamera: false }
        const bank = { signer: 2, signerName: 'Anahera Singh', person: 'anahera singh', mayNeedCamera: false }
        return [
          ...(at === 3 ? [] : [{ ...document, after: [] }]),
          ...(at === 4 ? [] : [{ ...document, ...tama, after: at === 3 ? [] : [0] }]),
          ...(at === 1 ? [{ ...document, ...bank, after: [0, 1] }] : [])
        ]
      }
    ),
    further: 0
  }
}

/** Ten people who sign the same thirty documents, in order. */
const tenTimesThirty: Partial<FakeState> = {
  offer: {
    ...offered.offer,
    first: { ...first, person: 'p0' },
    entries: Array.from({ length: 30 }, (_, document) =>
      Array.from({ length: 10 }, (_, signer) => {
        const [signerName = '', person = ''] = [
          `${people[signer % 8]?.join(' ')}${signer < 8 ? '' : '-Smith'}`,
          `p${signer}`
        ]
        const { due: _due, ...rest } = entryOf(document, now(), { mayNeedCamera: signer === 3 })
        const after = Array.from({ length: signer }, (_, before) => before)
        return {
          ...rest,
          signer,
          signerName,
          person,
          after,
          ...(document === 0 && { documentName: first.documentName })
        }
      })
    ).flat(),
    further: 12
  }
}

/** A name of 300 characters, written from right to left. */
export const LONG_NAME = 'عبد الرحمن (3) محمود الهاشمي '.repeat(20).slice(0, 300).trim()
/** The same without a space, where a line could break. */
export const LONG_NAME_WITHOUT_SPACES = LONG_NAME.replaceAll(' ', '').repeat(2).slice(0, 300)
const endless = { signerName: LONG_NAME, person: 'endless' }
const unbroken = { signerName: LONG_NAME_WITHOUT_SPACES, person: 'endless' }
/** Two people of this name. */
const endlessAlike = [
  { ...endless, person: 'endless 0', contact: 'abdulrahman@example.com', born: '1980-03-12', matter: '2024-117' },
  { ...endless, person: 'endless 1', contact: '…0199', born: '1951-07-01', matter: '2025-003' }
].map((own, at) => entryOf(at, now(), { ...own, documentReference: `doc-endless-${at}` }))

/** Returns a morning on which people of this name wait, are called, have come and gone, and may be meant. */
function endlessMorning(): Partial<FakeState> {
  const name = LONG_NAME
  const [meant] = endlessAlike
  return {
    appointments: [
      appointmentOf({ id: 'a0', name, at: quarter(-45), place: 'Room 2' }),
      appointmentOf({ id: 'a1', name, at: quarter(-30), state: 'called', number: 13, calledAt: now() - 130_000 }),
      appointmentOf({ id: 'a2', name, at: quarter(0), state: 'arrived', number: 14, arrivedAt: now() - 360_000 }),
      appointmentOf({
        id: 'a3',
        name,
        at: quarter(30),
        choices: endlessAlike.map(({ person, contact = '' }) => ({ person, name, contact }))
      }),
      appointmentOf({ id: 'a4', name, person: meant?.person ?? '', at: quarter(45), about: LONG_NAME }),
      appointmentOf({ id: 'a5', name, at: quarter(-90), state: 'done' })
    ],
    calling: 'a1',
    counterSettings: { ...fakeApi().control.state.counterSettings, waitingRoom: room, staffName: 'Grace Okafor' }
  }
}

/** Two people of the same name, who differ only in their documents and dates of birth. */
const alike = [
  { documentReference: 'doc-alike-0', documentName: 'Deed of gift Parata', born: '1980-03-12', matter: '2024-117' },
  { documentReference: 'doc-alike-1', documentName: 'Power of attorney Parata', born: '1951-07-01', matter: '2025-003' }
].map((own, at) => entryOf(0, now(), { ...own, person: `mere parata ${at}`, contact: '…0199' }))

/** An offered signature that waits for nobody. */
const alone = (entry: CounterEntry): OfferedEntry => ({ ...entry, after: [] })

function turns(...outcomes: (CounterTurn['outcome'] | undefined)[]): CounterTurn[] {
  return outcomes.map((outcome, index) => {
    const { documentReference, documentName, signer, signerName, person } = entryOf(index)
    return turnOf({ documentReference, documentName, signer, signerName, person, ...(outcome && { outcome }) })
  })
}

const ended = (change: Partial<CounterSession>) => counter({ counter: sessionOf({ phase: 'ended', ...change }) })
const atOtherDisplay = (change: Partial<CounterSession>) =>
  counter({
    counter: sessionOf({
      place: 'other-display',
      phase: 'open',
      origin: 'https://signing.example.com',
      turns: turns({ signed: 'signed' }, undefined, undefined),
      current: 1,
      ...change
    })
  })

function staffOf(): StaffMember[] {
  return [
    { id: 'first', name: 'Grace Okafor', role: 'administrator', hasBadge: false, isCurrent: true },
    { id: 'staff-1', name: 'Ben Tui', role: 'clerk', hasBadge: true, isCurrent: false },
    { id: 'staff-2', name: 'Ana Reweti', role: 'manager', hasBadge: true, isCurrent: false }
  ]
}

/** Returns an audit trail of `count` entries, newest first. */
function trailOf(count: number): AuditEntry[] {
  const story: Pick<AuditEntry, 'what' | 'detail'>[] = [
    { what: 'session-started', detail: { documents: '1', evidence: 'Photo ID seen' } },
    {
      what: 'handed-over',
      detail: { evidence: 'Photo ID seen; Name matches the document', place: 'here' }
    },
    { what: 'page-opened', detail: { origin: 'https://signing.example.com' } },
    { what: 'camera-allowed', detail: { devices: 'camera, microphone', by: 'staff' } },
    { what: 'left', detail: { by: 'blur' } },
    { what: 'pin-wrong', detail: {} },
    { what: 'unlocked', detail: { phase: 'covered' } },
    { what: 'turn-ended', detail: { outcome: 'signed', tried: '2' } },
    { what: 'session-ended', detail: { signed: '1', seconds: '312' } },
    { what: 'settings-changed', detail: { changed: 'allowed addresses', origins: 'https://pay.example.com' } }
  ]
  return Array.from({ length: count }, (_, index) => {
    const { documentReference, documentName, signerName } = entryOf(Math.floor(index / story.length))
    const part = story[index % story.length]
    return auditEntryOf({
      seq: index + 1,
      at: now() - (count - index) * 97_000,
      session: `session-${Math.floor(index / story.length)}`,
      documentReference,
      documentName,
      signerName,
      ...part
    })
  })
}

function presets(): PresetView[] {
  return ['Tenancy, furnished', 'Power of attorney for one', 'Loan variation'].map((name, index) => {
    const composition = blankComposition('form-filler', 'a')
    // The last one is still empty.
    for (const item of index < 2 ? composition.items : [])
      Object.assign(item, { Name: name, Reference: `tpl-${index}` })
    const updatedAt = now() - index * DAY
    return { id: `preset-${index}`, name, kind: 'form-filler', title: name, updatedAt, composition }
  })
}

/** Returns the time this many minutes from now, rounded to a quarter of an hour. */
const quarter = (minutes: number) => Math.round((now() + minutes * 60_000) / 900_000) * 900_000

/**
 * Returns a morning: people who are late, waiting, called, at the counter or still to come, and one whose identity is
 * unclear.
 */
function morning(): Partial<FakeState> {
  const of = (index: number) => ({ name: entryOf(index).signerName, person: entryOf(index).person })
  const places = ['Room 2', 'Counter 2', '', 'Room 2']
  return {
    appointments: [
      appointmentOf({ id: 'a0', ...of(1), at: quarter(-45), place: 'Room 2' }),
      appointmentOf({ id: 'a1', ...of(2), at: quarter(-30), state: 'here', number: 12, arrivedAt: now() - 1_900_000 }),
      appointmentOf({
        id: 'a2',
        ...of(4),
        at: quarter(-15),
        place: 'Counter 2',
        state: 'called',
        number: 13,
        arrivedAt: now() - 900_000,
        calledAt: now() - 130_000
      }),
      appointmentOf({ id: 'a3', ...of(6), at: quarter(0), state: 'arrived', number: 14, arrivedAt: now() - 360_000 }),
      appointmentOf({
        id: 'a4',
        name: 'Mere Parata',
        at: quarter(30),
        place: 'Room 2',
        choices: [
          { person: 'p1', name: 'Mere Parata', contact: 'mere@example.com' },
          { person: 'p2', name: 'Mere Parata', contact: 'm.parata@example.org' }
        ]
      }),
      appointmentOf({ id: 'a5', name: 'محمد علي', at: quarter(60), about: 'Statement of advice' }),
      ...[7, 8].map((index, at) =>
        appointmentOf({ id: `b${index}`, ...of(index), at: quarter(90 + at * 15), place: places[at] ?? '' })
      ),
      appointmentOf({ id: 'c1', name: 'Hemi Walker', at: quarter(-90), state: 'done' }),
      appointmentOf({ id: 'c2', name: 'Sina Leota', at: quarter(-120), state: 'no-show' })
    ],
    calling: 'a2',
    counterSettings: { ...fakeApi().control.state.counterSettings, waitingRoom: room, staffName: 'Grace Okafor' }
  }
}

/** Returns the same morning after another counter of the office has called two of them. */
function elsewhere(): Partial<FakeState> {
  const { appointments = [], ...rest } = morning()
  const isThere = (id: string) => id === 'a1' || id === 'a2'
  return {
    ...rest,
    appointments: appointments.map((one) => (isThere(one.id) ? { ...one, workstation: 'Front desk' } : one))
  }
}
const room = { counterName: 'Counter 2', noShowAfter: 15, callSound: true, pictures: [] }

const importedFile: FakeState['appointmentFile'] = {
  id: 'file-1',
  fileName: 'tomorrow.ics',
  rows: [0, 1, 2, 3].map((index) => ({
    kind: (['new', 'changed', 'same', 'gone'] as const)[index] ?? 'new',
    name: entryOf(index).signerName,
    ...(index === 0 && { email: 'mere@example.com' }),
    at: quarter(60 + index * 30),
    minutes: 30,
    place: index === 2 ? '' : 'Room 2',
    notes: index === 1 ? ['Also invited: Tama Brooks.'] : []
  })),
  counts: { new: 1, changed: 1, same: 1, gone: 1 },
  refused: [
    { name: 'Office closed', why: 'It’s all day, without a time.' },
    { name: 'Team breakfast', why: 'Its time zone, “Middle-earth/Shire”, isn’t known.' }
  ],
  refusedCount: 2,
  notes: ['2 times have no time zone and were read in yours, Pacific/Auckland.', '14 dates before today left out.']
}

const offline = { code: 'offline', message: 'No network.' } as const

/**
 * Returns what the office's other counters are doing: one signs, one needs help, one has crashed, one can't be read.
 */
function threeCounters(): Partial<FakeState> {
  const at = now()
  const there = { staff: '', wantsStaff: false, hasOtherDisplay: true }
  return {
    ...morning(),
    board: {
      office: { state: 'connected', readAt: at - 4_000 },
      counters: [
        {
          id: 'here',
          name: 'Counter 1',
          staff: 'Grace Okafor',
          state: 'signing',
          wantsStaff: false,
          hasOtherDisplay: true,
          signer: 'Mere Parata',
          document: 'Tenancy agreement Parata',
          since: at - 240_000
        },
        {
          ...there,
          id: 'office 2',
          name: 'Counter 2',
          staff: 'Tomasz Reid',
          state: 'covered',
          wantsStaff: true,
          signer: 'Wiremu Ngata',
          document: 'Deed of gift Ngata',
          since: at - 1_020_000,
          coveredSince: at - 250_000,
          office: { workstation: 'Front desk', heardAt: at - 24_000 }
        },
        {
          ...there,
          id: 'office 3',
          name: 'Counter 3',
          state: 'signing',
          signer: 'Aroha Ngata',
          office: { workstation: 'Back room', heardAt: at - 900_000, isSilent: true }
        },
        {
          ...there,
          id: 'office 4',
          name: 'Room 2',
          state: 'free',
          downSince: at - 1_800_000,
          office: { workstation: 'Room 2', heardAt: at - 61_000 }
        }
      ]
    }
  }
}

/** Makes a counter look as if nothing has been heard from it for this long. */
const silentFor =
  (milliseconds: number) =>
  (heard: BoardCounter): BoardCounter =>
    heard.office ? { ...heard, office: { ...heard.office, heardAt: now() - milliseconds, isSilent: true } } : heard

/** Returns an office of fourteen counters, with every state. */
function fourteenCounters(): Partial<FakeState> {
  const at = now()
  const board = threeCounters().board
  const [here, waiting, silent] = board?.counters ?? []
  const minutes = (count: number) => at - count * 60_000
  const of = (number: number, change: Partial<BoardCounter>, heard = at - 12_000): BoardCounter => ({
    id: `office ${number}`,
    name: `Counter ${number}`,
    staff: '',
    state: 'free',
    wantsStaff: false,
    hasOtherDisplay: true,
    office: { workstation: `Counter ${number}`, heardAt: heard },
    ...change
  })
  const office = (workstation: string, heardAt = at - 8_000) => ({ workstation, heardAt })
  return {
    ...morning(),
    board: {
      office: { state: 'connected', readAt: at - 4_000 },
      counters: [
        ...(here ? [here] : []),
        of(2, { staff: 'Ben Tui' }),
        ...(silent ? [silent] : []),
        of(4, { state: 'signing', signer: 'Wiremu Ngata', document: 'Deed of gift Ngata', since: minutes(11) }),
        of(5, {}, at - 61_000),
        of(6, { state: 'between', signer: 'Sione Tupou', document: 'Enduring power of attorney' }),
        of(7, { state: 'closed' }, minutes(47)),
        of(8, { state: 'locked', coveredSince: minutes(2), signer: 'Lena Marchetti', document: 'Lease renewal' }),
        of(9, { state: 'signing', since: minutes(128) }),
        ...(waiting ? [{ ...waiting, id: 'office 10', name: 'Counter 10' }] : []),
        of(11, { name: 'Interview room by the lifts, second floor', staff: 'Alexandra Papadopoulou-Vasilakis' }),
        of(12, { downSince: minutes(30) }, at - 41_000),
        of(13, { name: '', state: 'unknown', office: office('Training room') }),
        of(14, { name: 'Room 2', state: 'covered', coveredSince: minutes(1), signer: 'محمد علي', document: 'Will' })
      ]
    }
  }
}

/** Returns the board when people of a name of 300 characters sign and wait. */
function endlessBoard(): Partial<FakeState> {
  const signers = (one: BoardCounter, at: number) =>
    one.signer ? { ...one, signer: at ? LONG_NAME_WITHOUT_SPACES : LONG_NAME } : one
  const { board } = fourteenCounters()
  return { ...endlessMorning(), board: { ...board, counters: board?.counters?.map(signers) ?? [] } }
}

/** Returns the board of a workstation whose office is in this state, with or without what was read of the others. */
const withOfficeIn = (office: Board['office'], isKnown = true) => {
  const { board, ...rest } = threeCounters()
  const [here, ...others] = board?.counters ?? []
  const counters = [...(here ? [here] : []), ...(isKnown ? others.map(silentFor(720_000)) : [])]
  return counter({ ...rest, board: { ...board, counters, ...(office && { office }) } })
}

export const counterClerkScenes: Record<string, () => FakeApi> = {
  clerk: () => counter(),
  'clerk-appointments': () => counter(morning()),
  'clerk-appointments-office': () => counter(elsewhere()),
  'clerk-appointments-unseen': () => counter({ ...morning(), hasDisplay: false }),
  'clerk-appointments-in-use': () =>
    counter({
      ...morning(),
      counter: sessionOf({ place: 'other-display', phase: 'open', turns: turns(undefined) })
    }),
  'clerk-appointments-empty': () =>
    counter({
      queue: [],
      today: [],
      appointments: [appointmentOf({ name: 'Hemi Walker', at: quarter(30), place: 'Room 2' })]
    }),
  'clerk-import': () => counter({ ...morning(), appointmentFile: importedFile }),
  board: () => counter(morning()),
  'board-empty': () => counter({ queue: [], today: [] }),
  'board-help': () =>
    counter({
      ...morning(),
      counter: sessionOf({ place: 'other-display', phase: 'covered', cover: 'help', turns: turns(undefined) }),
      board: {
        counters: [
          {
            id: 'here',
            name: 'Counter 2',
            staff: 'Grace Okafor',
            state: 'covered',
            wantsStaff: true,
            hasOtherDisplay: true,
            signer: 'Mere Parata',
            document: 'Tenancy agreement Parata',
            since: now() - 1_020_000,
            coveredSince: now() - 250_000
          }
        ]
      }
    }),
  'board-office': () => counter(threeCounters()),
  'board-office-away': () => {
    const { board, ...rest } = threeCounters()
    const office = { state: 'away', readAt: now() - 300_000 } as const
    return counter({ ...rest, board: { ...board, office, counters: board?.counters?.map(silentFor(300_000)) ?? [] } })
  },
  'board-office-apart': () => withOfficeIn({ state: 'apart', readAt: now() - 720_000 }),
  'board-office-unknown': () => withOfficeIn({ state: 'apart' }, false),
  'board-office-reading': () => withOfficeIn({ state: 'connecting' }, false),
  'board-many': () => counter(fourteenCounters()),
  'board-offline': () =>
    counter({ ...morning(), connection: { state: 'offline', since: now() - 1_800_000, error: offline } }),
  'clerk-empty': () => counter({ queue: [], today: [] }),
  'clerk-one': () => counter({ queue: [entryOf(1)], today: [] }),
  'clerk-many': () => counter({ queue: Array.from({ length: 300 }, (_, index) => entryOf(index)) }),
  'clerk-without-link': () => counter({ queue: [entryOf(0), entryOf(1, now(), { withoutLink: true })], today: [] }),
  'clerk-elsewhere': () => counter({ documents: documents(8), queue: [entryOf(0)], today: [] }),
  'clerk-failing': () => {
    const api = counter()
    api.control.fail('counter.queue', { code: 'storage', message: 'The database is busy.' })
    return api
  },
  'clerk-offline': () => {
    const api = counter({ connection: { state: 'offline', since: now() - 1_800_000, error: offline } })
    api.control.fail('documents.refresh', offline)
    api.control.fail('counter.offer', offline)
    return api
  },
  'clerk-called': () =>
    counter({
      queue: Array.from({ length: 4 }, (_, index) =>
        entryOf(
          index,
          now(),
          index === 1 ? { elsewhere: { workstation: 'Counter 2', since: now() - 11 * 60_000 } } : {}
        )
      ),
      today: []
    }),
  'clerk-sheet': () => counter(offered),
  'clerk-sheet-not-reserved': () => counter({ offer: { ...offered.offer, isNotReserved: true } }),
  'clerk-alike': () =>
    counter({
      queue: [...alike, ...Array.from({ length: 4 }, (_, index) => entryOf(index + 1))],
      offer: {
        ...offered.offer,
        first: alike[0] as CounterEntry,
        entries: [{ ...(alike[0] as CounterEntry), after: [] }],
        further: 0
      }
    }),
  'clerk-sheet-kept': () => counter({ offer: { ...offered.offer, identityKept: 'number-and-expiry' } }),
  'clerk-sheet-typed': () => counter({ ...offered, printed: { kind: 'matches', isExpired: true } }),
  'clerk-sitting': () => counter(sitting),
  'clerk-sitting-large': () => counter(tenTimesThirty),
  'clerk-endless': () =>
    counter({
      queue: [
        ...endlessAlike,
        entryOf(1, now(), { ...unbroken, elsewhere: { workstation: 'Counter 2', since: now() - 660_000 } }),
        entryOf(2)
      ],
      today: [],
      offer: { ...offered.offer, first: endlessAlike[0] as CounterEntry, entries: endlessAlike.map(alone) }
    }),
  'clerk-endless-sitting': () => {
    const named = (entry: OfferedEntry) => (entry.signer === 1 ? { ...entry, ...unbroken, mayNeedCamera: true } : entry)
    return counter({ offer: { ...sitting.offer, entries: sitting.offer?.entries?.map(named) ?? [] } })
  },
  'clerk-endless-appointments': () => counter({ ...endlessMorning(), queue: [...endlessAlike, entryOf(2)], today: [] }),
  'clerk-endless-panel': () =>
    atOtherDisplay({ turns: turns(undefined, undefined).map((turn) => ({ ...turn, ...unbroken })), current: 0 }),
  'clerk-endless-result': () =>
    counter({
      queue: [entryOf(0, now(), { ...unbroken, signer: 1 })],
      counter: sessionOf({
        phase: 'ended',
        turns: turns({ signed: 'unknown', error: offline }).map((turn) => ({ ...turn, ...unbroken }))
      })
    }),
  'board-endless': () => counter(endlessBoard()),
  'board-endless-one': () => {
    const { board, ...rest } = endlessBoard()
    return counter({ ...rest, board: { ...board, counters: board?.counters?.slice(0, 1) ?? [] } })
  },
  'clerk-no-pin': () => counter({ pin: { isSet: false, keptIn: 'keychain', reset: 'none', canReset: true } }),
  'clerk-signed': () => ended({ turns: turns({ signed: 'signed' }) }),
  'clerk-mixed': () =>
    ended({
      turns: turns(
        { signed: 'signed' },
        { signed: 'not-yet' },
        { signed: 'declined' },
        { signed: 'unknown', error: offline },
        { signed: 'skipped', error: { code: 'cancelled', message: 'The session ended before this page was opened.' } }
      ),
      current: 4,
      refused: [{ what: 'It asked for a file on this computer.', at: now() - 60_000 }]
    }),
  'clerk-interrupted': () =>
    ended({ turns: turns({ signed: 'not-yet' }, { signed: 'skipped' }), wasInterrupted: true }),
  'clerk-panel': () => atOtherDisplay({}),
  'clerk-panel-file': () => atOtherDisplay({ wantsFile: true }),
  'clerk-panel-not-reserved': () => atOtherDisplay({ notReserved: 'away' }),
  'clerk-panel-other-camera': () => atOtherDisplay({ otherCamera: true }),
  'clerk-panel-choose-file': () => atOtherDisplay({ phase: 'covered', cover: 'file', asksFile: {} }),
  'clerk-panel-help': () => atOtherDisplay({ phase: 'covered', cover: 'help' }),
  'clerk-panel-camera': () =>
    atOtherDisplay({ phase: 'covered', cover: 'camera', isLocked: true, asksFor: ['camera', 'microphone'] }),
  'clerk-panel-return': () =>
    atOtherDisplay({
      phase: 'return',
      isLocked: true,
      current: 2,
      turns: turns({ signed: 'signed' }, { signed: 'signed' }, { signed: 'signed' })
    }),
  'clerk-locked': () => counter({ lock: { isLocked: true, opensBySignIn: true } }),
  'clerk-settings': () =>
    counter({
      counterSettings: {
        staffName: 'Grace Okafor',
        identityKept: 'compared',
        evidence: offered.offer?.evidence ?? [],
        idleText: 'Welcome to Harbour & Co.\nPlease take a seat.',
        logo: fakeLogo,
        fullScreen: true,
        useOtherDisplay: true,
        otherDisplay: 'DELL P2419H',
        idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
        lockAfter: 15,
        allowedOrigins: ['https://pay.example.com', 'https://identity.example.org'],
        mayKeepPages: true,
        languages: ['en', 'mi', 'sm', 'zh-Hans'],
        moreTime: 3,
        mayGiveFiles: true,
        camera: '',
        receipt: 'on-request',
        waitingRoom: { counterName: 'Counter 2', noShowAfter: 15, callSound: true, pictures: ['harbour', 'garden'] }
      }
    }),
  'clerk-settings-staff': () => counter({ staff: { members: staffOf(), settings: 'open' } }),
  'clerk-settings-one-releases': () =>
    counter({ staff: { members: staffOf().slice(0, 2), settings: 'open', release: { above: 0 } } }),
  'clerk-settings-locked': () => counter({ staff: { members: staffOf(), settings: 'locked' } }),
  'clerk-locked-names': () => counter({ lock: { isLocked: true, opensBySignIn: true, asksName: true } }),
  'clerk-locked-once': () =>
    counter({ isPinOnce: true, lock: { isLocked: true, opensBySignIn: false, asksName: true } }),
  'clerk-start-names': () => counter({ ...offered, staff: { members: staffOf(), settings: 'locked' } }),
  'clerk-settings-bare': () =>
    counter({
      pin: { isSet: false, keptIn: 'memory', reset: 'none', canReset: false },
      counterSettings: {
        staffName: '',
        identityKept: 'compared',
        evidence: [],
        idleText: '',
        fullScreen: false,
        useOtherDisplay: false,
        idle: { warnAfter: 45, coverAfter: 30, endAfter: 300 },
        lockAfter: 0,
        allowedOrigins: [],
        mayKeepPages: false,
        languages: ['en'],
        moreTime: 1,
        mayGiveFiles: false,
        camera: '',
        receipt: 'on-request',
        waitingRoom: { counterName: '', noShowAfter: 15, callSound: false, pictures: [] }
      }
    }),
  'clerk-settings-reset': () => counter({ pin: { isSet: true, keptIn: 'memory', reset: 'asked', canReset: true } }),
  record: () =>
    counter({
      audit: trailOf(10_000),
      auditFile: {
        label: 'R-2025-000123-3F2A.pdf',
        verdict: 'genuine',
        exportedAt: new Date(now()).toISOString(),
        key: { fingerprint: '', isOurs: true },
        isInTrail: true,
        receipt: { number: 'R-2025-000123-3F2A' }
      }
    }),
  'record-empty': () => counter({ audit: [] }),
  'record-older': () =>
    counter({
      audit: trailOf(30),
      auditAtStart: { isWhole: false, entries: 12, after: 18, isCutOff: true, missing: 'older-copy' }
    }),
  'record-office': () =>
    counter({
      audit: trailOf(30),
      auditCheck: {
        office: [
          { name: 'Counter 2', isMe: false, why: 'restored', at: Date.UTC(2026, 10, 18, 1, 4) },
          { name: 'Front desk', isMe: false, why: 'cut', at: Date.UTC(2026, 10, 19, 22, 40) }
        ]
      }
    }),
  'record-broken': () => counter({ audit: trailOf(30), auditCheck: { isWhole: false, brokenAt: 17, isCutOff: true } }),
  'walk-in': () => counter({ presets: presets() })
}
