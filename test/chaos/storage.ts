/**
 * Fills the disk at a random write, round after round, and damages copies of the data: a byte or a page is changed, the
 * log is cut, or a file is truncated. After each the application must start or say what is wrong, have everything that
 * it said was saved, send nothing twice, and leave damaged files as they are.
 */
import { cp, mkdtemp, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'
import type { WorkstationOpened, WorkstationPlan, WorkstationSnapshot } from './workstation.ts'
import { refusalOf, WorkstationDied, WorkstationProcess } from './workstation-process.ts'

const TOKEN = 'made-up-token-1'
const DATABASE = 'countersign.db'
const PAGE = 4096

interface Place {
  root: string
  office: PracticeOffice
  chance: Chance
  /** Titles that the application said it saved. */
  drafts: Set<string>
  sends: Set<string>
  notes: Set<string>
  /** Refused titles: each may still be there, once. */
  tried: Set<string>
  full: number
  setAside: number
  unnoticed: number
}

/** Each round runs the application on a disk that fills up, checks what is left, and opens a damaged copy. */
export async function storageChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: TOKEN } })
  const place: Place = {
    root,
    office,
    chance: chanceOf(seed),
    full: 0,
    setAside: 0,
    unnoticed: 0,
    drafts: new Set(),
    sends: new Set(),
    notes: new Set(),
    tried: new Set()
  }
  const tally = emptyTally()
  const note = notingIn(tally, say)
  try {
    note(await firstLife(place), 'at first')
    for (let round = 1; round <= rounds; round++) {
      note(await fullDisk(place, round), `round ${round}, full`)
      note(await whole(place), `round ${round}, after a full disk`)
      note(await damaged(place), `round ${round}, damaged`)
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds`)
    }
    note(await lastLife(place), 'in the end')
    const { drafts, sends, notes, full, setAside, unnoticed } = place
    say(
      `${drafts.size} drafts, ${sends.size} packages and ${notes.size} entries were kept; ${full} refusals of a full disk`
    )
    say(`${setAside} damaged copies were set aside, ${unnoticed} had all there was`)
  } finally {
    await office.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

function planOf({ root, office }: Place): WorkstationPlan {
  return { root, baseUrl: office.url, token: TOKEN, keychain: 'file' }
}

async function firstLife(place: Place): Promise<Fault[]> {
  const workstation = new WorkstationProcess(planOf(place))
  const { state } = await workstation.opened
  await workstation.ask('account')
  await workstation.end()
  return state === 'encrypted' ? [] : [{ kind: 'wrong', words: `a new database is “${state}”` }]
}

/**
 * Works until four things were refused for lack of space, or up to fifty things were done; then shuts down or is
 * killed.
 */
async function fullDisk(place: Place, round: number): Promise<Fault[]> {
  const { chance } = place
  const faults: Fault[] = []
  // The error comes either from the system (the file can't grow) or from SQLite (its disk is full).
  const workstation =
    chance.below(2) === 0
      ? new WorkstationProcess({ ...planOf(place), morePages: chance.below(12) })
      : new WorkstationProcess(planOf(place), {
          maxFileBytes: (await largestFile(join(place.root, 'own'))) + chance.below(96) * 2048
        })
  try {
    const opened = await workstation.opened
    // There may be no room even to start: then it says so and writes nothing.
    if (opened.state === 'memory') {
      if (!opened.because || opened.setAside) faults.push(wrong('a full disk set the database aside, or is no reason'))
      place.full++
      return faults
    }
    await workstation.ask('begin')
    for (let number = 1, refused = 0; number <= 50 && refused < 4; number++) {
      if (await oneThing(place, workstation, `${round}.${number}`, faults)) refused++
    }
  } catch (error) {
    if (error instanceof WorkstationDied) faults.push(wrong('the application ended by itself'))
    else throw error
  } finally {
    if (chance.below(2) === 0 && workstation.isAlive())
      await Promise.race([refusalOf(workstation.ask('end')).catch(() => undefined), pause(2000)])
    await workstation.kill()
  }
  return faults
}

/** Checks what is left, and leaves it as a kill does, with some entries only in the log. */
async function whole(place: Place): Promise<Fault[]> {
  const workstation = new WorkstationProcess(planOf(place))
  try {
    const opened = await workstation.opened
    const faults = faultsOf(place, await workstation.snapshot())
    for (let number = 0; number < 3; number++)
      await workstation
        .ask('note', `Damage ${place.notes.size}`)
        .then(() => place.notes.add(`Damage ${place.notes.size}`))
    if (opened.state === 'encrypted' && !opened.setAside) return faults
    return [...faults, wrong(`it is opened as ${JSON.stringify(opened)}`)]
  } finally {
    await workstation.kill()
  }
}

/** Returns whether it was refused. */
async function oneThing(
  place: Place,
  workstation: WorkstationProcess,
  name: string,
  faults: Fault[]
): Promise<boolean> {
  const what = place.chance.oneOf(['draft', 'draft', 'send', 'note'] as const)
  const [titles, title] = {
    draft: [place.drafts, `Draft ${name}`] as const,
    send: [place.sends, `Send ${name}`] as const,
    note: [place.notes, `Note ${name}`] as const
  }[what]
  if (what === 'note') {
    const isKept = (await workstation.ask('note', title)) === true
    if (isKept) titles.add(title)
    else place.tried.add(title)
    return !isKept
  }
  const refusal = await refusalOf(workstation.ask(what, title))
  if (!refusal) {
    titles.add(title)
    return false
  }
  place.full++
  place.tried.add(title)
  // The error has to be about the disk.
  if (!['no-space', 'storage', 'not-writable'].includes(refusal.code)) {
    faults.push(wrong(`${title} was refused with “${refusal.code}: ${refusal.message}”`))
  }
  return true
}

const wrong = (words: string): Fault => ({ kind: 'wrong', words })

/** Checks that what was reported saved is there once, what was refused at most once, and that the trail is whole. */
function faultsOf(
  { drafts, sends, notes, tried, office }: Place,
  snapshot: WorkstationSnapshot,
  isEnd = false
): Fault[] {
  const faults: Fault[] = []
  const arrived = arrivals(office)
  const shown = {
    draft: countedBy(snapshot.drafts),
    send: countedBy(snapshot.sends.map(({ title }) => title)),
    note: countedBy(snapshot.notes)
  }
  for (const [titles, counts] of [
    [drafts, shown.draft],
    [sends, shown.send],
    [notes, shown.note]
  ] as const) {
    for (const title of titles) if (!counts.has(title)) faults.push({ kind: 'lost', words: `${title} is nowhere` })
  }
  for (const counts of Object.values(shown)) {
    for (const [title, count] of counts) {
      if (count > 1) faults.push({ kind: 'doubled', words: `${title} is there ${count} times` })
    }
  }
  for (const [title, count] of arrived) {
    if (count > 1) faults.push({ kind: 'doubled', words: `${title} arrived ${count} times` })
    // The draft of a refused send may remain, but nothing may have been sent.
    if (!shown.send.has(title)) faults.push(wrong(`${title} arrived, and is in no outbox`))
  }
  for (const { title, state } of snapshot.sends) {
    const count = arrived.get(title) ?? 0
    if (state === 'sent' && count === 0) faults.push(wrong(`${title} is called sent, and the service has nothing`))
    if ((state === 'not-sent' || state === 'ready') && count > 0)
      faults.push(wrong(`${title} is called ${state}, and the service has it`))
    if (isEnd && state !== 'sent' && !tried.has(title))
      faults.push({ kind: 'lost', words: `${title} is “${state}” in the end` })
  }
  if (!('isWhole' in snapshot.trail) || !snapshot.trail.isWhole)
    faults.push(wrong(`the trail: ${JSON.stringify(snapshot.trail)}`))
  return faults
}

const DAMAGES = [
  'a byte',
  'a page',
  'a byte of the log',
  'the log is cut',
  'the log is gone',
  'the end is missing',
  'it is empty'
] as const

/** Damages a copy and has the application open it. */
async function damaged(place: Place): Promise<Fault[]> {
  const { chance, root } = place
  const copy = await mkdtemp(join(tmpdir(), 'countersign-damaged-'))
  try {
    await cp(root, copy, { recursive: true })
    const own = join(copy, 'own')
    const damage = chance.oneOf(DAMAGES)
    await inflict(own, damage, chance)
    const bytes = await bytesOf(own)
    const workstation = new WorkstationProcess({ ...planOf(place), root: copy })
    try {
      const opened = await workstation.opened
      return await faultsOfOpening(place, workstation, opened, { own, bytes, damage })
    } catch (error) {
      if (error instanceof WorkstationDied) return [wrong(`${damage}: the application didn’t start`)]
      throw error
    } finally {
      await workstation.kill()
    }
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

async function inflict(own: string, damage: (typeof DAMAGES)[number], chance: Chance): Promise<void> {
  const path = join(own, DATABASE)
  const log = `${path}-wal`
  const sizeOf = (file: string) => stat(file).then(({ size }) => size)
  switch (damage) {
    case 'a byte':
      return overwrite(path, chance.below(await sizeOf(path)), 1)
    case 'a page':
      return overwrite(path, chance.below((await sizeOf(path)) / PAGE) * PAGE, PAGE)
    case 'a byte of the log':
      return overwrite(log, chance.below(await sizeOf(log)), 1)
    case 'the log is cut':
      return truncate(log, chance.below(await sizeOf(log)))
    case 'the log is gone':
      return rm(log)
    case 'the end is missing':
      return truncate(path, PAGE + chance.below((await sizeOf(path)) - PAGE))
    case 'it is empty':
      return truncate(path, 0)
  }
}

/** Changes every byte. */
async function overwrite(path: string, at: number, length: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    await file.write(
      buffer.map((byte) => byte ^ 0xa5),
      0,
      bytesRead,
      at
    )
  } finally {
    await file.close()
  }
}

const bytesOf = async (folder: string) =>
  new Map(
    await Promise.all(
      ['', '-wal'].map(
        async (end) =>
          [`${DATABASE}${end}`, await readFile(join(folder, `${DATABASE}${end}`)).catch(() => undefined)] as const
      )
    )
  )

interface Damaged {
  own: string
  bytes: Awaited<ReturnType<typeof bytesOf>>
  damage: string
}

async function faultsOfOpening(
  place: Place,
  workstation: WorkstationProcess,
  opened: WorkstationOpened,
  { own, bytes, damage }: Damaged
): Promise<Fault[]> {
  const openedText = JSON.stringify(opened)
  const setAsidePath = opened.setAside ? join(own, opened.setAside.name) : opened.state === 'memory' ? own : undefined
  if (setAsidePath === undefined) {
    place.unnoticed++
    // If nothing is reported, nothing may be missing.
    const faults = faultsOf(place, await workstation.snapshot())
    return faults.map(({ kind, words }) => ({
      kind,
      words: `${damage}, and nothing is said of it (${openedText}): ${words}`
    }))
  }
  place.setAside++
  const now = await bytesOf(setAsidePath)
  const faults: Fault[] = []
  for (const [name, content] of bytes) {
    const isAsItWas = content === undefined ? now.get(name) === undefined : now.get(name)?.equals(content)
    if (!isAsItWas) faults.push(wrong(`${damage}: ${name} is another now (${openedText})`))
  }
  if (opened.state === 'memory' && !opened.because) faults.push(wrong(`${damage}: no reason is given (${openedText})`))
  return faults
}

/** Lets everything in the outbox settle. */
async function lastLife(place: Place): Promise<Fault[]> {
  const workstation = new WorkstationProcess(planOf(place))
  try {
    await workstation.opened
    await workstation.ask('begin')
    await workstation.ask('resume')
    return faultsOf(place, await workstation.snapshotOnceSettled(), true)
  } finally {
    await workstation.kill()
  }
}

async function largestFile(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(DATABASE))
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).then(({ size }) => size)))
  return Math.max(0, ...sizes)
}

function arrivals({ service }: PracticeOffice): Map<string, number> {
  return countedBy(Object.values(service.state.documents).map(({ name }) => name))
}

function countedBy(titles: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1)
  return counts
}
