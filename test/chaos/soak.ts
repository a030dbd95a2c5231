/**
 * Simulates an office's long day as fast as it can be computed: eight staff at four workstations on one practice
 * service, which speaks each dialect for a while. They send, sign, correct, poll, download and drop files; answers get
 * lost, and workstations are restarted. In the end a balance sheet has to add up for every package, file and audit
 * trail entry.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SigningTurn } from '../../src/main/core/counter/deps.ts'
import type { Keychain } from '../../src/main/core/storage/keychain.ts'
import { DIALECTS, type Dialect } from '../../src/practice/dialects.ts'
import { seed as seedOffice } from '../../src/practice/seed.ts'
import { createPracticeService, type PracticeService } from '../../src/practice/service.ts'
import { systemRandom } from '../../src/practice/sources.ts'
import type { DocumentRecord, SignerRecord } from '../../src/practice/state.ts'
import { DocumentQuery, type SendView } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { requestFile } from '../fixtures/drop-folder-office.ts'
import { type TestTime, testTime } from '../fixtures/own-time.ts'
import { openWorkstation, UNSEEN_PAGE, type Workstation } from '../fixtures/workstation.ts'
import { lastingKeychain } from '../unit/storage/keychains.ts'
import { type Chance, chanceOf } from './chance.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BASE_URL = 'http://127.0.0.1:4100'
const PIN = '2468'
const STAFF = ['Ana', 'Ben', 'Cleo', 'Dev', 'Eru', 'Fay', 'Gus', 'Hine'] as const
const WORKSTATIONS = 4
/** The service answers as the reference's samples do, then in each dialect. */
const STRETCHES: readonly (Dialect | undefined)[] = [undefined, ...DIALECTS]
/** How long everything may take to settle once everybody has gone home. */
const SETTLING = 12 * HOUR

export interface SoakOptions {
  hours: number
  seed: number
  say: (line: string) => void
}

/** The day's totals. Each entry of `wrong` is a sentence about something that doesn't add up. */
export interface BalanceSheet {
  packages: { put: number; sent: number; accepted: number; notSent: number; settledByHand: number }
  documents: { completed: number; saved: number }
  files: { dropped: number; done: number; failed: number; reports: number }
  trail: { entries: number; sessions: number; signedHere: number }
  actions: { requested: number; done: number; others: number }
  faults: { lostAnswers: number; cut: number; restarts: number }
  wrong: string[]
  seconds: number
}

interface SoakWorkstation {
  number: number
  folder: string
  files: string
  keychain: Keychain
  /** Which of its two staff is working now. */
  at: string
  work: Workstation
  end: () => void
  accountId: string
  /** The page of the running counter session, and how many pages there have been. */
  page?: SigningTurn
  pages: number
}

interface Day {
  root: string
  share: string
  time: TestTime
  chance: Chance
  service: PracticeService
  workstations: SoakWorkstation[]
  line: { isBad: boolean; lostAnswers: number; cut: number }
  fetchOnLine: Line
  /** Names of composed packages, each unique. */
  composed: string[]
  dropped: { name: string; title?: string }[]
  sessions: number[]
  signedHere: number
  requested: number
  restarts: number
  settledByHand: number
}

/** Runs the day and returns its balance sheet. */
export async function soak({ hours, seed, say }: SoakOptions): Promise<BalanceSheet> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-soak-'))
  const day = await openDay(root, seed)
  try {
    const length = hours * HOUR
    const each = length / STRETCHES.length
    for (const [index, dialect] of STRETCHES.entries()) {
      day.service.setConditions({ dialects: dialect ? [dialect] : [] })
      await stretch(day, each)
      const { packages, documents } = counted(day)
      say(
        `${(((index + 1) * each) / HOUR).toFixed(1)} h, ${dialect ?? 'as the samples'}: ` +
          `${packages} packages, ${documents} completed, ${day.dropped.length} files, ${day.sessions.length} sessions`
      )
    }
    day.service.setConditions({ dialects: [] })
    // On a short day chance may skip rare events, and a balance of nothing adds up.
    while (!hasEverything(day)) {
      await day.time.pass(MINUTE)
      await something(day)
    }
    day.line.isBad = false
    await settle(day)
    const sheet = await balance(day)
    return { ...sheet, seconds: Math.round((performance.now() - began) / 100) / 10 }
  } finally {
    for (const workstation of day.workstations) await leave(workstation)
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

async function openDay(root: string, seed: number): Promise<Day> {
  const chance = chanceOf(seed)
  const underWay = { count: 0 }
  // Today at 8 in the morning: claims get their times from the disk, so it has to be the current day.
  const time = testTime(new Date().setHours(8, 0, 0, 0), () => still(underWay))
  const clock = { now: () => time.now }
  const service = createPracticeService({ state: seedOffice('empty', clock, systemRandom), clock })
  const share = join(root, 'Dropped')
  await mkdir(share)
  const line = { isBad: true, lostAnswers: 0, cut: 0 }
  const day: Day = {
    root,
    share,
    time,
    chance,
    service,
    line,
    fetchOnLine,
    workstations: [],
    composed: [],
    dropped: [],
    sessions: [],
    signedHere: 0,
    requested: 0,
    restarts: 0,
    settledByHand: 0
  }

  /** One in ten sends is accepted and its answer lost; one in ten fails before the service sees it. */
  async function fetchOnLine(url: string, init: RequestInit): Promise<Response> {
    underWay.count++
    try {
      const isSend = init.method === 'POST' && /SendForms|FormFiller\/Send/i.test(url)
      const fate = isSend && line.isBad ? chance.below(10) : 2
      if (fate === 0) {
        line.cut++
        throw new TypeError('fetch failed')
      }
      const { signal: _signal, ...rest } = init
      const answer = await service.fetch(new Request(url, rest))
      const body = await answer.arrayBuffer()
      if (fate === 1) {
        line.lostAnswers++
        throw new TypeError('terminated')
      }
      const { status, headers } = answer
      return new Response(status === 204 || status === 304 ? null : body, { status, headers })
    } finally {
      underWay.count--
    }
  }

  for (let number = 0; number < WORKSTATIONS; number++) {
    const folder = join(root, `Workstation ${number + 1}`)
    const files = join(root, `Files ${number + 1}`)
    await mkdir(files)
    const workstation = {
      number,
      folder,
      files,
      keychain: lastingKeychain(),
      at: STAFF[number * 2] ?? '',
      pages: 0
    } as SoakWorkstation
    await enter(day, workstation)
    day.workstations.push(workstation)
  }
  for (const workstation of day.workstations) {
    await workstation.work.pin.set(PIN)
    const { id } = await workstation.work.dropFolders.add(workstation.accountId, share)
    workstation.work.dropFolders.change(id, { sends: true })
  }
  // A rule on the first workstation saves completed documents.
  const [first] = day.workstations
  if (!first) throw new Error('There is no workstation.')
  const { work, accountId, files } = first
  work.rights.learn(accountId, { signedDocuments: 'yes' })
  const view = work.views.save(accountId, { name: 'All', query: DocumentQuery.parse({}), tell: false })
  const rule = { viewId: view.id, folderId: work.downloads.folders.register(files).id, alsoNow: true }
  await work.downloads.rules.add(accountId, {
    ...rule,
    types: ['signed'],
    pattern: '{document} {reference}',
    writesIndex: false
  })
  return day
}

type Line = (url: string, init: RequestInit) => Promise<Response>

/** Starts the application at a workstation. */
async function enter(
  { time, chance, fetchOnLine }: Pick<Day, 'time' | 'chance' | 'fetchOnLine'>,
  workstation: SoakWorkstation
): Promise<void> {
  const { folder, files, keychain } = workstation
  const its = time.run({ random: () => chance.below(1000) / 1000 })
  workstation.end = its.end
  workstation.work = await openWorkstation({
    folder,
    files,
    keychain,
    time: its,
    baseUrl: BASE_URL,
    staff: () => workstation.at,
    fetch: fetchOnLine,
    listen: () => () => undefined,
    openView(turn) {
      workstation.page = turn
      workstation.pages++
      return {
        ...UNSEEN_PAGE,
        destroy: async () => void delete workstation.page
      }
    }
  })
  workstation.accountId = await workstation.work.account()
  workstation.work.start()
}

async function leave(workstation: SoakWorkstation): Promise<void> {
  await workstation.work.shutDown()
  workstation.end()
}

/** Resolves once no request to the service is in flight and no disk operation is pending. */
async function still(underWay: { count: number }): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    await new Promise((resume) => setImmediate(resume))
    quiet = underWay.count === 0 && !isBusy() ? quiet + 1 : 0
  }
}

const BUSY = /FSReq|ScryptRequest|RandomBytes|ZLIB|Zlib|FileHandle/

function isBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => BUSY.test(name))
}

async function stretch(day: Day, length: number): Promise<void> {
  const { time, chance, workstations } = day
  const until = time.elapsed() + length
  while (time.elapsed() < until) {
    const hour = new Date(time.now).getHours()
    const isOpen = hour >= 8 && hour < 18
    for (const { work } of workstations) work.polling.setShown(isOpen)
    // Someone is there now and then at night, and other software drops files all the time.
    const eventEvery = isOpen ? MINUTE : 20 * MINUTE
    await time.pass(Math.min(until - time.elapsed(), 1 + chance.below(eventEvery)))
    if (time.elapsed() < until) await something(day)
  }
}

/** Has a staff member, a signer at home or other software do one thing. */
async function something(day: Day): Promise<void> {
  const { chance, workstations } = day
  const workstation = workstations[chance.below(workstations.length)] as SoakWorkstation
  workstation.at = STAFF[workstation.number * 2 + chance.below(2)] ?? ''
  const doing = chance.oneOf([
    ...(['send', 'send', 'send', 'sign', 'sign', 'sign', 'sign'] as const),
    ...(['counter', 'correct', 'drop', 'drop', 'restart'] as const)
  ] as unknown as readonly ['send', ...('sign' | 'counter' | 'correct' | 'drop' | 'restart')[]])
  switch (doing) {
    case 'send':
      return send(day, workstation)
    case 'sign':
      return signAtHome(day)
    case 'counter':
      return signHere(day, workstation)
    case 'correct':
      return correct(day, workstation)
    case 'drop':
      return drop(day)
    case 'restart':
      // Rarely, as computers are left on.
      if (chance.below(4) === 0) await restart(day, workstation)
  }
}

function send(day: Day, { work, accountId }: SoakWorkstation): void {
  const { chance, composed } = day
  const name = `Package ${composed.length + 1}`
  const people = [
    signer(),
    ...(chance.below(2) === 0 ? [signer({ key: 's2', FirstName: 'Wiremu', Email: 'wiremu@example.com' })] : [])
  ]
  const composition = forms({
    embedded: chance.below(2) === 0,
    items: [form({ Name: name, Reference: 'FORM-1', signers: people })]
  })
  work.outbox.enqueue(work.drafts.save(accountId, composition).id)
  composed.push(name)
}

/** Picks someone whose turn it is to sign. */
function awaited({ service, chance }: Day): { document: DocumentRecord; person: SignerRecord } | undefined {
  const open = Object.values(service.state.documents).filter(({ ending }) => !ending)
  const document = open[chance.below(Math.max(1, open.length))]
  const person = document?.signers.find(({ signedAt }) => signedAt === undefined)
  return document && person ? { document, person } : undefined
}

async function signAtHome(day: Day): Promise<void> {
  const found = awaited(day)
  if (found) await post(day, `${BASE_URL}/sign/${found.person.key}`, found.person.FirstName)
}

async function post({ service }: Day, link: string, name: string): Promise<void> {
  const body = new URLSearchParams({ 'signature-kind': 'typed', 'signature-name': name, agree: 'true' })
  const answer = await service.fetch(new Request(`${link}/document`, { method: 'POST', body }))
  if (answer.status !== 302) throw new Error(`The practice service answered a signature with ${answer.status}.`)
}

/** Plays a whole session: queue, handover, page, signature, return, PIN. */
async function signHere(day: Day, workstation: SoakWorkstation): Promise<void> {
  const { time } = day
  const { counter } = workstation.work
  const entries = (await counter.queue()).filter(({ withoutLink }) => !withoutLink)
  const entry = entries[day.chance.below(Math.max(1, entries.length))]
  if (!entry || counter.isRunning()) return
  const { documentReference, signer: at } = entry
  const begun = await done(
    day,
    counter.start({ turns: [{ documentReference, signer: at, evidence: [] }], allowsCamera: false })
  )
  // Someone may have signed at home since the queue was read.
  if (!begun) return
  day.sessions.push(workstation.number)
  const { id } = begun
  await done(day, counter.begin(id))
  counter.show(id, { x: 0, y: 40, width: 800, height: 600 })
  const page = workstation.page
  if (page) {
    page.events.loading()
    page.events.open()
    await time.pass(MINUTE)
    await post(day, page.url.replace(/\/document$/, ''), entry.signerName)
    day.signedHere++
    page.events.returned()
  } else await done(day, counter.finish(id))
  for (let seconds = 0; seconds < 60 && counter.state()?.phase === 'asking'; seconds++) await time.pass(1000)
  if (counter.state()?.phase === 'between') await done(day, counter.next(id))
  if (counter.state()?.phase === 'failed') await done(day, counter.next(id))
  await done(day, counter.unlock(id, PIN))
  if (counter.isRunning()) await done(day, counter.staff(id, 'end', 'office'))
  if (counter.isRunning()) throw new Error(`A session at the counter doesn’t end: ${counter.state()?.phase}.`)
  counter.close(id)
}

/** Awaits an answer while time passes; undefined if it is refused. */
async function done<Answer>({ time }: Day, call: Promise<Answer> | Answer): Promise<Answer | undefined> {
  let ended = false
  const answer = Promise.resolve(call)
    .catch(() => undefined)
    .finally(() => {
      ended = true
    })
  for (let seconds = 0; !ended && seconds < 600; seconds++) await time.pass(ended ? 0 : 1000)
  return answer
}

async function correct(day: Day, { work, accountId }: SoakWorkstation): Promise<void> {
  const found = awaited(day)
  const { document } = (found && (await work.ask('get', { accountId, reference: found.document.reference }))) ?? {}
  if (!document) return
  const dueDate = new Date(day.time.now + (20 + day.chance.below(20)) * 24 * HOUR).toISOString()
  const request = { kind: 'extend', dueDate, gmt: 720 } as const
  if (await done(day, work.actions.start(accountId, { id: randomUUID(), reference: document.Reference, request })))
    day.requested++
}

/** Drops a file as other software does; one in five is unusable. */
async function drop({ share, dropped, chance }: Day): Promise<void> {
  const number = dropped.length + 1
  const name = `order ${number}.json`
  const title = `Order ${number}`
  const isBad = chance.below(5) === 0
  await writeFile(join(share, name), isBad ? `{ "Forms": ${number}` : requestFile(title).replace('TFN-1', 'FORM-1'))
  dropped.push({ name, ...(!isBad && { title }) })
}

async function restart(day: Day, workstation: SoakWorkstation): Promise<void> {
  const left = leave(workstation)
  for (let seconds = 0; seconds < 20; seconds++) await day.time.pass(1000)
  await left
  await enter(day, workstation)
  day.restarts++
}

const sendsOf = ({ work, accountId }: SoakWorkstation): SendView[] => {
  const all: SendView[] = []
  for (;;) {
    const { rows, total } = work.outbox.list([accountId], { show: 'all', offset: all.length, limit: 500 })
    all.push(...rows)
    if (rows.length === 0 || all.length >= total) return all
  }
}

function hasEverything(day: Day): boolean {
  const { packages, documents } = counted(day)
  return [packages, documents, day.dropped.length, day.signedHere].every((count) => count > 0)
}

function counted({ workstations, service }: Day) {
  const documents = Object.values(service.state.documents).filter(({ ending }) => ending === 'Complete').length
  return { packages: workstations.flatMap(sendsOf).length, documents }
}

/** Passes time with nobody acting. Sends that only a person can settle are settled by a look at the service. */
async function settle(day: Day): Promise<void> {
  const { time, workstations } = day
  const until = time.elapsed() + SETTLING
  const isOpen = () => workstations.flatMap(sendsOf).some(({ state }) => state !== 'sent')
  while (time.elapsed() < until && (isOpen() || (await filesIn(day.share)).length > 0)) {
    await time.pass(5 * MINUTE)
    for (const workstation of workstations) await settleByHand(day, workstation)
  }
  // Rules run once more, and what they find is downloaded.
  for (let minutes = 0; minutes < 30; minutes++) await time.pass(MINUTE)
}

async function settleByHand(day: Day, workstation: SoakWorkstation): Promise<void> {
  for (const send of sendsOf(workstation)) {
    // All automatic retries failed: a person who sees that sends it again.
    if (send.state === 'not-sent') workstation.work.outbox.retry(send.id)
    if (send.state !== 'uncertain' || !send.ambiguity) continue
    const taken = new Set(sendsOf(workstation).flatMap(({ documents }) => documents.map(({ reference }) => reference)))
    const mine = Object.values(day.service.state.documents).filter(
      ({ name, reference }) => name === send.title && !taken.has(reference)
    )
    const documents = mine.map(({ reference }) => reference)
    await workstation.work.outbox.resolveAmbiguity(
      send.id,
      documents.length > 0 ? { arrived: true, documents } : { arrived: false }
    )
    day.settledByHand++
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

async function balance(day: Day): Promise<Omit<BalanceSheet, 'seconds'>> {
  const wrong: string[] = []
  const packages = balancePackages(day, wrong)
  const documents = await balanceDocuments(day, wrong)
  const files = await balanceFiles(day, wrong)
  const trail = await balanceTrail(day, wrong)
  const { requested, restarts, line } = day
  const actions = day.workstations.flatMap(({ work, accountId }) => work.actions.list(accountId))
  const finished = actions.filter(({ state }) => state === 'done').length
  if (actions.length !== requested) wrong.push(`${requested} corrections were asked for, ${actions.length} are known`)
  for (const { state, id } of actions) {
    if (state === 'waiting' || state === 'running') wrong.push(`the correction ${id} is still ${state}`)
  }
  for (const { work, number } of day.workstations) {
    for (const trouble of work.troubles) wrong.push(`workstation ${number + 1} had trouble: ${String(trouble)}`)
  }
  return {
    packages,
    documents,
    files,
    trail,
    actions: { requested, done: finished, others: actions.length - finished },
    faults: { lostAnswers: line.lostAnswers, cut: line.cut, restarts },
    wrong
  }
}

/** Checks that each package in an outbox arrived at the service as often as the outbox says: once, or not at all. */
function balancePackages(day: Day, wrong: string[]): BalanceSheet['packages'] {
  const sends = day.workstations.flatMap(sendsOf)
  const accepted = new Map<string, number>()
  for (const { name } of Object.values(day.service.state.documents)) accepted.set(name, (accepted.get(name) ?? 0) + 1)
  const put = new Map<string, number>()
  for (const { title, state, error } of sends) {
    put.set(title, (put.get(title) ?? 0) + 1)
    const arrived = accepted.get(title) ?? 0
    if (arrived > 1) wrong.push(`${title} arrived ${arrived} times`)
    if (state === 'sent' ? arrived !== 1 : arrived !== 0)
      wrong.push(`${title} is ${state}, and arrived ${arrived} times`)
    if (state !== 'sent') wrong.push(`${title} is ${state} in the end${error ? `: ${error.message}` : ''}`)
  }
  const titles = [...day.composed, ...day.dropped.flatMap(({ title }) => title ?? [])]
  for (const title of titles) {
    if (put.get(title) !== 1) wrong.push(`${title} is in the outboxes ${put.get(title) ?? 0} times`)
  }
  for (const title of accepted.keys()) if (!put.has(title)) wrong.push(`${title} is at the service, and in no outbox`)
  const sent = sends.filter(({ state }) => state === 'sent').length
  const all = [...accepted.values()].reduce((sum, count) => sum + count, 0)
  return { put: sends.length, sent, accepted: all, notSent: sends.length - sent, settledByHand: day.settledByHand }
}

/** Checks that each completed document's PDF was saved once, in the folder of the workstation that has the rule. */
async function balanceDocuments({ service, workstations }: Day, wrong: string[]): Promise<BalanceSheet['documents']> {
  const complete = Object.values(service.state.documents).filter(({ ending }) => ending === 'Complete')
  const saved = await filesIn(workstations[0]?.files ?? '')
  for (const { name, reference } of complete) {
    const count = saved.filter((file) => file.includes(reference)).length
    if (count !== 1) wrong.push(`${name} is complete, and its PDF was saved ${count} times`)
  }
  if (saved.length !== complete.length) wrong.push(`${complete.length} are complete, ${saved.length} files were saved`)
  return { completed: complete.length, saved: saved.length }
}

/** Checks that each dropped file is in `done` or `failed`, once, with its report. */
async function balanceFiles({ share, dropped }: Day, wrong: string[]): Promise<BalanceSheet['files']> {
  const [done, failed] = await Promise.all(['done', 'failed'].map((name) => filesIn(join(share, name))))
  const isReport = (name: string) => name.endsWith('.report.txt')
  for (const { name, title } of dropped) {
    const [where, other] = title === undefined ? [failed, done] : [done, failed]
    for (const expected of [name, `${name}.report.txt`]) {
      if (!where?.includes(expected) || other?.includes(expected)) wrong.push(`${expected} is not where it belongs`)
    }
  }
  const left = [...(await filesIn(share)), ...(await filesIn(join(share, '.countersign')))]
  for (const name of left) wrong.push(`${name} was never taken`)
  const all = [...(done ?? []), ...(failed ?? [])]
  const reports = all.filter(isReport).length
  if (all.length !== 2 * dropped.length)
    wrong.push(`${dropped.length} files were dropped, ${all.length} lie there with their reports`)
  return {
    dropped: dropped.length,
    done: (done ?? []).filter((name) => !isReport(name)).length,
    failed: (failed ?? []).filter((name) => !isReport(name)).length,
    reports
  }
}

/** Checks that each audit trail is whole and has each event as often as it happened. */
async function balanceTrail(day: Day, wrong: string[]): Promise<BalanceSheet['trail']> {
  let entries = 0
  for (const { work, number, files, pages } of day.workstations) {
    const check = await work.audit.check()
    if (!check.isWhole) wrong.push(`the trail of workstation ${number + 1} is broken`)
    const { total } = await work.audit.list('', 0, 1)
    const counts = new Map<string, number>()
    for (let at = 0; at < total; at += 500) {
      for (const { what } of (await work.audit.list('', at, 500)).entries) counts.set(what, (counts.get(what) ?? 0) + 1)
    }
    const sessions = day.sessions.filter((one) => one === number).length
    const expected: Record<string, number> = {
      'session-started': sessions,
      'handed-over': sessions,
      'turn-ended': sessions,
      'session-ended': sessions,
      'page-opened': pages,
      'signed-document-fetched': (await filesIn(files)).length
    }
    for (const [what, count] of Object.entries(expected)) {
      if ((counts.get(what) ?? 0) !== count) {
        wrong.push(
          `workstation ${number + 1} has ${counts.get(what) ?? 0} entries “${what}”, and it was ${count} times`
        )
      }
    }
    const sum = [...counts.values()].reduce((one, other) => one + other, 0)
    if (sum !== check.entries || total !== check.entries)
      wrong.push(`workstation ${number + 1} counts ${check.entries} entries, and lists ${sum}`)
    entries += check.entries
  }
  return { entries, sessions: day.sessions.length, signedHere: day.signedHere }
}
