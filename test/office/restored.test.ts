// A dump of an earlier moment is restored on the office's server, or a standby takes its place, while packages wait,
// are sent and are undone. Nothing may be sent twice or lost, and what is settled stays settled, whichever workstation
// returns first.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { findPostgres } from '../../scripts/system-packages.ts'
import { openPool, withConnection } from '../../src/main/core/office/connection.ts'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openPurging } from '../../src/main/core/retention/purging.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../src/main/core/storage/meta.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, type ClusterPlace, openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

interface Workstation {
  work: Workplace
  membership: OfficeMembership
  /** Starts it again after it was closed. */
  open(): void
  put(name: string): string
  state(id: string): string | undefined
}

const all = { show: 'all', offset: 0, limit: 100 } as const

async function joined(office: TestOffice, name: string, first?: Workplace): Promise<Workstation> {
  const work = await openWorkplace('empty', first)
  onTestFinished(() => work.close())
  const slot = memoryKeychain().office
  const openOwnMembership = () => {
    const membership = openMembership(work, { slot })
    onTestFinished(() => membership.close())
    return membership
  }
  const workstation: Workstation = {
    work,
    membership: openOwnMembership(),
    open() {
      work.restart()
      workstation.membership = openOwnMembership()
      workstation.membership.start()
    },
    put(name) {
      const composition = forms({ items: [form({ Name: name, Reference: name })] })
      const { id } = work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, composition).id)
      work.parts.outbox.sendNow(id)
      return id
    },
    state: (id) => work.parts.outbox.list([work.accountId], all).rows.find((row) => row.id === id)?.state
  }
  await workstation.membership.join(serverOf(office), await office.invite(name))
  return workstation
}

/**
 * Lets the workstations' time pass until the condition holds: slowly, since what may have been sent half an hour ago is no
 * longer retried automatically.
 */
async function until(workstations: readonly Workstation[], isSo: () => unknown): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const { work } of workstations) await work.time.pass(1_000)
        return isSo()
      },
      { timeout: 120_000, interval: 20 }
    )
    .toBeTruthy()
}

/** The names of a package's forms. */
const namesIn = (body: unknown) => [...JSON.stringify(body).matchAll(/"Name":"([^"]*)"/g)].map(([, name = '']) => name)

/** As another workstation's package is shown once undone: gone, or cancelled if it was uncertain in the meantime. */
const isOver = (state: string | undefined) => state === undefined || state === 'cancelled'

/** Returns a function that runs PostgreSQL's own programs on one dump of an office. */
async function programsFor({ administrator: { host, port, user, password, database } }: TestOffice) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const dump = join(folder, 'office.dump')
  return (program: 'pg_dump' | 'pg_restore', ...args: string[]) => {
    const where = ['-h', host, '-p', String(port), '-U', user, '-d', database]
    const its = program === 'pg_dump' ? ['-f', dump] : [dump]
    execFileSync(join(findPostgres() ?? '', program), [...where, ...args, ...its], {
      env: { PATH: process.env.PATH, PGPASSWORD: password }
    })
  }
}

/** Opens an office of two workstations with one account, and the programs that dump and restore its server. */
async function openRestorableOffice() {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const run = await programsFor(office)
  const front = await joined(office, 'Front desk')
  const back = await joined(office, 'Back room', front.work)
  return { office, run, front, back, both: [front, back] }
}

/** Makes it long enough ago that any POST in flight at the restore has ended. */
const longEnough = (office: TestOffice) =>
  office.sql('UPDATE office.send SET uncertain_at = now() WHERE uncertain_at > now()')

const pausedBecause = ({ work }: Workstation) => work.parts.outbox.state(work.accountId).pause?.error?.message ?? ''
const pause = ({ work }: Workstation, isPaused: boolean) => work.parts.outbox.shared.pause(work.accountId, isPaused)

/** Makes a draft that all of them have. Returns a function that sends it from one of them, and returns the package's id. */
async function sharedDraftAt(maker: Workstation, all: readonly Workstation[]): Promise<(from: Workstation) => string> {
  const composition = forms({ items: [form({ Name: 'Deed of gift', Reference: 'Deed of gift' })] })
  const { id: draft } = maker.work.parts.sharedDrafts.save(maker.work.accountId, composition)
  const has = ({ work }: Workstation) => work.parts.drafts.list([work.accountId]).rows.some(({ id }) => id === draft)
  await until(all, () => all.every(has))
  return ({ work }: Workstation) => {
    const { id } = work.parts.outbox.enqueue(draft)
    work.parts.outbox.sendNow(id)
    return id
  }
}

/** @param which of the two returns first */
async function dumpRestored(which: 0 | 1, wasOff: boolean): Promise<void> {
  const { office, run, front, back, both } = await openRestorableOffice()
  const arrived = () =>
    front.work
      .receivedRequests('SendForms2')
      .flatMap(({ body }) => namesIn(body))
      .sort()

  await pause(front, true)
  const leavingSend = front.put('Leaves from the other')
  const waitingSend = front.put('Waits')
  const takenBack = back.put('Taken back')
  await until(
    both,
    () => [leavingSend, waitingSend].every((id) => back.state(id) === 'ready') && front.state(takenBack) === 'ready'
  )
  // Each is queued, then sent immediately: the second of these reports mustn't arrive after the changes below.
  for (const { work } of both) await work.parts.outbox.shared.syncNow(work.accountId)
  run('pg_dump', '-Fc')

  if (wasOff) await front.membership.close()
  await back.work.outbox.shared.withholdForUndo(back.work.outbox.get(takenBack))
  back.work.outbox.undo(takenBack)
  await office.sql(`UPDATE office.send SET goes_at = now() + interval '1 hour' WHERE id = $1`, [waitingSend])
  await pause(back, false)
  await until([back], () => back.state(leavingSend) === 'sent')
  const later = back.put('Sent since')
  await until([back], () => back.state(later) === 'sent')
  await pause(back, true)
  const since = back.put('Waits since')
  await until([back], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [since])).length === 1)
  if (!wasOff) await until(both, () => front.state(since) === 'ready' && front.state(later) === 'sent')
  for (const { membership } of both) await membership.close()
  expect(arrived()).toEqual(['Leaves from the other', 'Sent since'])
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')

  const [one, other] = which === 0 ? [front, back] : [back, front]
  one.open()
  await until([one], () => pausedBecause(one).includes('restored to an earlier time'))
  expect(arrived()).toEqual(['Leaves from the other', 'Sent since'])
  if (!wasOff) expect(front.state(since)).toBe('cancelled')
  // It waits, as a POST of the previous life may still arrive.
  await until([one], () => one.state(waitingSend) === 'uncertain')
  await longEnough(office)
  // Nobody who knows of the undo has returned yet.
  if (one === front && wasOff) await until([one], () => one.state(takenBack) === 'ready')
  other.open()
  await until(both, () =>
    both.every((workstation) => pausedBecause(workstation).includes('restored to an earlier time'))
  )
  await until(both, () => both.every((workstation) => workstation.state(leavingSend) === 'sent'))
  await until(both, () => isOver(front.state(takenBack)) && back.state(takenBack) === undefined)
  // What the server lost waits as long.
  await until(both, () => both.every((workstation) => workstation.state(since) === 'uncertain'))
  await longEnough(office)
  await pause(one, false)
  await until(both, () =>
    both.every((workstation) => [waitingSend, since].every((id) => workstation.state(id) === 'sent'))
  )
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  expect(back.state(later)).toBe('sent')
  expect(isOver(front.state(takenBack)) && back.state(takenBack) === undefined).toBe(true)
  // Each arrived once, and the undone one never.
  expect(arrived()).toEqual(['Leaves from the other', 'Sent since', 'Waits', 'Waits since'])
}
test(
  'after restoring a dump, each package arrives once: a workstation that was off returns first',
  { timeout: 240_000 },
  () => dumpRestored(0, true)
)
test(
  'after restoring a dump, each package arrives once: the workstation that knows more returns first',
  { timeout: 240_000, tags: ['full'] },
  () => dumpRestored(1, true)
)
test(
  'after restoring a dump, each package arrives once: one that knows of another’s package returns first',
  { timeout: 240_000, tags: ['full'] },
  () => dumpRestored(0, false)
)

test.each([
  ['a package', 'the one that knows the later time', 0, false],
  ['a package', 'one that was off meanwhile', 1, false],
  ['a released package', 'the one that knows the later time', 0, true],
  ['a released package', 'one that was off meanwhile', 1, true]
] as const)(
  'after restoring a dump, %s has the last time that it was given, if %s returns first',
  {
    timeout: 240_000
  },
  async (_what, _name, first, isReleased) => {
    const { office, run, front, back, both } = await openRestorableOffice()
    if (isReleased) front.work.staff.above = 0
    front.work.staff.who = { id: 'ben', name: 'Ben Tui' }
    back.work.staff.who = { id: 'ana', name: 'Ana Reweti' }
    const DAY = 86_400_000
    const { drafts, outbox } = front.work.parts
    const at = (days: number) => Math.ceil(front.work.time.now / DAY) * DAY + days * DAY
    const id = outbox.enqueue(drafts.save(front.work.accountId, forms()).id, { at: at(2) }).id
    await until(both, () => back.state(id) === 'ready')
    if (isReleased) await back.work.parts.outbox.release(id)
    await until(both, () => (outbox.get(id).release?.released !== undefined) === isReleased)
    run('pg_dump', '-Fc')
    await back.membership.close()
    await outbox.reschedule(id, at(4))
    await front.membership.close()
    run('pg_restore', '--clean', '--if-exists', '--single-transaction')
    for (const workstation of first === 0 ? [front, back] : [back, front]) {
      workstation.open()
      await until([workstation], () => pausedBecause(workstation).includes('restored to an earlier time'))
    }
    await until(both, async () => {
      await longEnough(office)
      return both.every((workstation) => workstation.state(id) === 'ready')
    })
    for (const { work } of both)
      for (let sync = 0; sync < 2; sync++) await work.parts.outbox.shared.syncNow(work.accountId)
    for (const { work } of both) {
      expect(Math.abs((work.parts.outbox.get(id).goesAt ?? 0) - at(4))).toBeLessThan(DAY / 2)
    }
    const [row] = await office.sql<{ days: number }>(
      'SELECT extract(epoch FROM goes_at - now()) / 86400 AS days FROM office.send WHERE id = $1',
      [id]
    )
    expect(Number(row?.days)).toBeGreaterThan(3)
  }
)

test.each([
  ['the workstation that made it, which knows of the release, returns first', true, 'maker', true],
  ['the workstation that released it returns first', true, 'other', true],
  ['one that doesn’t know of the release finds out that it never left', false, 'maker', true],
  ['one that doesn’t know of the release is off while that is found out', false, 'away', true],
  [
    'the server had lost the package, too, and the one that doesn’t know of the release returns first',
    false,
    'maker',
    false
  ],
  ['the server had lost the package, too, and the one that released it returns first', false, 'other', false]
] as const)(
  'a package whose release the restored server lost is released there again: %s',
  {
    timeout: 240_000
  },
  async (_how, isKnown, first, isInDump) => {
    const { office, run, front, back, both } = await openRestorableOffice()
    if (!isInDump) run('pg_dump', '-Fc')
    front.work.staff.above = 0
    front.work.staff.who = { id: 'ben', name: 'Ben Tui' }
    back.work.staff.who = { id: 'ana', name: 'Ana Reweti' }
    await pause(front, true)
    const { drafts, outbox } = front.work.parts
    const { id } = outbox.enqueue(drafts.save(front.work.accountId, forms()).id)
    await until(both, () => back.state(id) === 'ready')
    if (isInDump) run('pg_dump', '-Fc')
    const isReleased = ({ work }: Workstation) => work.parts.outbox.get(id).release?.released === 'Ana Reweti'
    if (!isKnown) await front.membership.close()
    await back.work.parts.outbox.release(id)
    if (isKnown) await until(both, () => isReleased(front))
    for (const { membership } of both) await membership.close()
    run('pg_restore', '--clean', '--if-exists', '--single-transaction')
    const open = async (workstation: Workstation) => {
      workstation.open()
      await until([workstation], () => pausedBecause(workstation).includes('restored to an earlier time'))
    }
    const isFoundMissing = async (workstation: Workstation) => {
      await longEnough(office)
      return workstation.state(id) === 'ready'
    }
    await open(first === 'other' ? back : front)
    if (first === 'away') {
      expect(front.state(id)).toBe('uncertain')
      await front.membership.close()
      // It may have begun to look for it, and others look only once its lease has ended.
      await office.sql("DELETE FROM office.lease WHERE name LIKE 'look:%'")
    } else if (!isKnown) await until([front], () => isFoundMissing(front))
    await open(first === 'other' ? front : back)
    await until(first === 'away' ? [back] : both, () => isFoundMissing(back))
    if (first === 'away') {
      const isTold = async () =>
        (await office.sql('SELECT FROM office.release WHERE released_by IS NOT NULL')).length > 0
      await until([back], isTold)
      front.open()
    }
    await until(both, () => isReleased(front))
    await pause(back, false)
    await until(both, () => both.every((workstation) => workstation.state(id) === 'sent'))
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
    expect(both.map(isReleased)).toEqual([true, true])
  }
)

test('a refusal at the restored server counts for the workstation whose release it lost, too', {
  timeout: 240_000
}, async () => {
  const { office, run, front, back, both } = await openRestorableOffice()
  front.work.staff.above = 0
  front.work.staff.who = { id: 'ben', name: 'Ben Tui' }
  back.work.staff.who = { id: 'ana', name: 'Ana Reweti' }
  await pause(front, true)
  const { drafts, outbox } = front.work.parts
  const { id } = outbox.enqueue(drafts.save(front.work.accountId, forms()).id)
  await until(both, () => back.state(id) === 'ready')
  run('pg_dump', '-Fc')
  await front.membership.close()
  await back.work.parts.outbox.release(id)
  await back.membership.close()
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  front.open()
  await until([front], () => pausedBecause(front).includes('restored to an earlier time'))
  await until([front], async () => {
    await longEnough(office)
    return front.state(id) === 'ready'
  })
  front.work.staff.who = { id: 'cleo', name: 'Cleo Marsh' }
  await front.work.parts.outbox.refuse(id, 'Wrong form')
  back.open()
  const releaseAt = ({ work }: Workstation) => work.parts.outbox.get(id).release
  await until(both, () => both.every((workstation) => releaseAt(workstation)?.refused?.reason === 'Wrong form'))
  expect(both.map((workstation) => releaseAt(workstation)?.released)).toEqual([undefined, undefined])
  await until(both, () => both.every(({ work }) => work.parts.outbox.state(work.accountId).office === 'connected'))
  await pause(back, false)
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  expect(front.work.receivedRequests('SendForms2')).toEqual([])
})

test('a time given after a lost release was repeated isn’t replaced by one that was away meanwhile', {
  timeout: 240_000
}, async () => {
  const { office, run, front, back, both } = await openRestorableOffice()
  const DAY = 86_400_000
  front.work.staff.above = 0
  front.work.staff.who = { id: 'ben', name: 'Ben Tui' }
  back.work.staff.who = { id: 'ana', name: 'Ana Reweti' }
  const { drafts, outbox } = front.work.parts
  const at = (days: number) => Math.ceil(front.work.time.now / DAY) * DAY + days * DAY
  const { id } = outbox.enqueue(drafts.save(front.work.accountId, forms()).id, { at: at(2) })
  await until(both, () => back.state(id) === 'ready')
  run('pg_dump', '-Fc')
  await back.work.parts.outbox.release(id)
  await until(both, () => front.work.parts.outbox.get(id).release?.released === 'Ana Reweti')
  for (const { membership } of both) await membership.close()
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  for (const workstation of both) {
    workstation.open()
    await until([workstation], () => pausedBecause(workstation).includes('restored to an earlier time'))
  }
  await front.membership.close()
  await office.sql("DELETE FROM office.lease WHERE name LIKE 'look:%'")
  const isTold = async () => {
    await longEnough(office)
    return (await office.sql('SELECT FROM office.release WHERE released_by IS NOT NULL')).length > 0
  }
  await until([back], isTold)
  await back.work.parts.outbox.reschedule(id, at(4))
  front.open()
  await until(both, () => both.every((workstation) => workstation.state(id) === 'ready'))
  for (const { work } of both)
    for (let sync = 0; sync < 2; sync++) await work.parts.outbox.shared.syncNow(work.accountId)
  for (const { work } of both) expect(Math.abs((work.parts.outbox.get(id).goesAt ?? 0) - at(4))).toBeLessThan(DAY / 2)
})

test.each([
  ['its sender returns first', true],
  ['another that queued it, too, returns first, and its sender’s report comes last', false]
])('a draft sent since the dump isn’t sent again: %s', { timeout: 240_000 }, async (_name, isSenderFirst) => {
  const { office, run, front, back, both } = await openRestorableOffice()
  const send = await sharedDraftAt(front, both)
  run('pg_dump', '-Fc')
  await back.membership.close()
  const sent = send(front)
  await until([front], () => front.state(sent) === 'sent')
  await front.membership.close()
  // It can't learn that it was sent, neither from the office nor from the folders.
  const another = send(back)
  back.work.line.setFault('cut')
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  const arrived = () => front.work.receivedRequests('SendForms2').length
  // It reports its drafts later than what it sent.
  const opens = () => {
    front.open()
    front.work.parts.sharedDrafts.connect = () => undefined
  }
  if (isSenderFirst) {
    opens()
    await until([front], () => pausedBecause(front).includes('restored to an earlier time'))
  }
  back.open()
  await until([back], () => pausedBecause(back).includes('restored to an earlier time'))
  const isThere = async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [another])).length === 1
  if (!isSenderFirst) {
    await until([back], isThere)
    // The report of the workstation that sent it comes last.
    opens()
    await until(both, async () => {
      const [row] = await office.sql<{ state: string }>('SELECT state FROM office.send WHERE id = $1', [sent])
      return row?.state === 'sent'
    })
  }
  back.work.line.setFault('pass')
  await longEnough(office)
  await pause(back, false)
  await until(both, () => front.state(sent) === 'sent' && back.state(another) !== 'ready')
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  expect(back.state(another)).toBe('cancelled')
  expect(arrived()).toBe(1)
})

test.each([
  ['rejoins with all its data', true, false],
  ['leaves and joins as a new one', false, false],
  ['has left, and joins as a new one, and the other package may have arrived', false, true]
])(
  'what a workstation unknown to the restored server has sent isn’t sent again: it %s',
  {
    timeout: 240_000
  },
  async (_name, hasStayed, isDoubtful) => {
    const office = await openTestOffice(inject('cluster'), { search: '0 s' })
    const run = await programsFor(office)
    const back = await joined(office, 'Back room')
    run('pg_dump', '-Fc')
    const front = await joined(office, 'Front desk', back.work)
    const both = [back, front]
    const send = await sharedDraftAt(front, both)
    await back.membership.close()
    const sent = send(front)
    await until([front], () => front.state(sent) === 'sent')
    await front.membership.close()
    // It can't learn that it was sent, neither from the office nor from the folders.
    const another = send(back)
    back.work.line.setFault('cut')
    run('pg_restore', '--clean', '--if-exists', '--single-transaction')
    back.open()
    await until([back], () => pausedBecause(back).includes('restored to an earlier time'))
    await until([back], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [another])).length === 1)
    if (isDoubtful) await office.sql('UPDATE office.send SET may_have_arrived = true WHERE id = $1', [another])
    front.open()
    await until([front], () => front.membership.view()?.state === 'refused')
    if (!hasStayed) await front.membership.leave({ without: true })
    await front.membership.join(serverOf(office), await office.invite('Front desk'))
    await until(both, () =>
      both.every(({ membership, work }) => {
        return (
          membership.view()?.state === 'connected' && work.parts.outbox.state(work.accountId).office === 'connected'
        )
      })
    )
    // As long as it isn't decided what becomes of the other package, each sync reports this again. That changes nothing.
    const reported = () =>
      office.sql(`SELECT seq FROM office.send_change JOIN office.send ON id = send WHERE id = $1 AND state = 'sent'`, [
        sent
      ])
    await until(both, async () => (await reported()).length === 1)
    const before = await reported()
    for (let sync = 0; sync < 3; sync++) await front.work.parts.outbox.shared.syncNow(front.work.accountId)
    expect(await reported()).toEqual(before)
    back.work.line.setFault('pass')
    await pause(back, false)
    await until(both, async () => {
      await longEnough(office)
      return front.state(sent) === 'sent' && back.state(another) === 'cancelled'
    })
    for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
    expect(back.state(another)).toBe('cancelled')
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
  }
)

test.each([
  ['is put in the outbox before the server knows of it', true],
  ['is put in the outbox once every workstation is connected', false]
])(
  'what may have arrived, and the restored server lost, keeps its draft from being sent: another package %s',
  {
    timeout: 240_000
  },
  async (_name, isBefore) => {
    const { office, run, front, back, both } = await openRestorableOffice()
    const send = await sharedDraftAt(front, both)
    run('pg_dump', '-Fc')
    // It arrives, but nobody can find that out.
    for (const { work } of both) work.line.setFaultBy((method) => (method === 'POST' ? 'lose-answer' : 'cut'))
    const first = send(front)
    await until(both, () => both.every((workstation) => workstation.state(first) === 'uncertain'))
    for (const { membership } of both) await membership.close()
    run('pg_restore', '--clean', '--if-exists', '--single-transaction')
    back.open()
    await until([back], () => pausedBecause(back).includes('restored to an earlier time'))
    const second = isBefore ? send(back) : undefined
    if (second !== undefined)
      await until(
        [back],
        async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [second])).length === 1
      )
    front.open()
    const isConnected = ({ membership, work }: Workstation) =>
      membership.view()?.state === 'connected' && work.parts.outbox.state(work.accountId).office === 'connected'
    await until(both, () => both.every(isConnected))
    // Someone resumes the Outbox, as it advises, while nobody can read the folders.
    back.work.line.setFaultBy((method) => (method === 'POST' ? 'pass' : 'cut'))
    await pause(back, false)
    if (!isBefore) {
      await until(both, () => back.state(first) === 'uncertain')
      expect(() => send(back)).toThrow('busy')
    }
    for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
    for (const { work } of both) work.line.setFault('pass')
    await longEnough(office)
    await until(both, () => both.every((workstation) => workstation.state(first) === 'sent'))
    if (second !== undefined) await until(both, () => back.state(second) === 'cancelled')
    for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
  }
)

test('what someone wrote on a draft that had been sent isn’t lost when the server is restored again', {
  timeout: 240_000
}, async () => {
  const { office, run, front, back, both } = await openRestorableOffice()
  const send = await sharedDraftAt(front, both)
  const restoreBoth = async () => {
    for (const { membership } of both) await membership.close()
    run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  }
  const isPaused = (workstation: Workstation) => pausedBecause(workstation).includes('restored to an earlier time')
  const draftsAt = ({ work }: Workstation) => work.parts.drafts.list([work.accountId]).rows
  run('pg_dump', '-Fc')

  // The back room has it in the outbox, and doesn't learn that it was sent.
  await pause(front, true)
  const sent = send(front)
  await until(both, () => back.state(sent) === 'ready')
  const draft = back.work.parts.outbox.get(sent).draftId ?? ''
  await back.membership.close()
  await pause(front, false)
  await until([front], () => front.state(sent) === 'sent')
  await restoreBoth()
  back.open()
  await until([back], () => isPaused(back) && back.state(sent) === 'cancelled')
  const more = forms({ items: [form({ Name: 'Deed of gift, corrected', Reference: 'Deed of gift' })] })
  back.work.parts.sharedDrafts.save(back.work.accountId, more, draft)
  await until([back], () =>
    back.work.parts.drafts.list([back.work.accountId]).rows.some(({ title }) => title.includes('corrected'))
  )
  await back.work.parts.sharedDrafts.syncNow(back.work.accountId)
  // The back room learns that it was sent, but not yet what becomes of its draft.
  back.work.parts.sharedDrafts.disconnect()
  front.open()
  await until(both, () => back.state(sent) === 'sent')

  await restoreBoth()
  back.open()
  await until([back], () => isPaused(back))
  await until([back], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [sent])).length === 1)
  front.open()
  await until(both, () => both.every(isPaused))
  // The front desk removes the draft, and what was written on it goes on as another.
  await until(both, () => !draftsAt(back).some(({ id }) => id === draft))
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  await until(both, () => both.every((workstation) => draftsAt(workstation).length > 0))
  expect(both.map((workstation) => draftsAt(workstation).map(({ title }) => title))).toEqual([
    ['Deed of gift, corrected'],
    ['Deed of gift, corrected']
  ])
  expect(await office.sql('SELECT draft FROM office.send WHERE id = $1', [sent])).toEqual([{ draft }])
})

test('what is pushed just as the server begins another life isn’t taken for new there', async () => {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const front = await joined(office, 'Front desk')
  await pause(front, true)
  const send = await sharedDraftAt(front, [front])
  await front.work.parts.sharedDrafts.syncNow(front.work.accountId)
  const { prepareSend } = front.work.parts.sharedDrafts
  front.work.parts.sharedDrafts.prepareSend = async (...its) => {
    front.work.parts.sharedDrafts.prepareSend = prepareSend
    // Another workstation begins it; this one hears of it only later.
    await office.mutated('begin_life', `PERFORM pg_notify('countersign_life', '');`, '', async () => {
      await office.sql('SELECT office.begin_life(now())')
    })
    return await prepareSend(...its)
  }
  const id = send(front)
  await until([front], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [id])).length === 1)
  // It may have reached the server in the life before, and left from another workstation.
  expect(await office.sql('SELECT state, may_have_arrived FROM office.send')).toEqual([
    { state: 'uncertain', may_have_arrived: true }
  ])
  expect(front.state(id)).toBe('uncertain')
})

test('a workstation can rejoin its office only once it is refused there, and can’t join another', async () => {
  const office = await openTestOffice(inject('cluster'))
  const front = await joined(office, 'Front desk')
  const join = async (to: TestOffice) => front.membership.join(serverOf(to), await to.invite('Front desk again'))
  await expect(join(office)).rejects.toMatchObject({ appError: { code: 'conflict', next: 'Leave that one first.' } })
  const keptSend = front.put('Kept')
  await until([front], () => front.state(keptSend) === 'sent')
  const found = [{ name: 'Back room', isMe: false, why: 'cut', at: 1 }]
  const heads = { life: 1, number: 0, chained: '', stations: { other: { seq: 2, hash: 'a' } }, found }
  const meta = openJsonMeta(front.work.parts.db)
  meta.write('office-heads', { ...heads, mine: 'front' })
  await office.sql('UPDATE office.station SET revoked_at = now()')
  await until([front], () => front.membership.view()?.state === 'refused')
  const other = await openTestOffice(inject('cluster'))
  await expect(join(other)).rejects.toMatchObject({ appError: { message: expect.stringContaining('another office') } })
  expect(front.membership.view()?.state).toBe('refused')
  await join(office)
  await until([front], () => front.membership.view()?.state === 'connected')
  expect(front.work.parts.outbox.shared.accounts().size).toBe(1)
  // To the office it is another workstation, and what is known of trails stays known.
  expect(meta.read('office-heads', z.unknown())).toEqual(heads)
})

test.each([
  ['the next start', (workstation: Workstation) => workstation.open()],
  ['the next greeting', ({ work }: Workstation) => void work.parts.db.exec('DROP TRIGGER full')]
])('joining again that ends before the database knows of it is completed by %s', async (_, goOn) => {
  const office = await openTestOffice(inject('cluster'))
  const front = await joined(office, 'Front desk')
  await office.sql('UPDATE office.station SET revoked_at = now()')
  await until([front], () => front.membership.view()?.state === 'refused')
  const code = await office.invite('Front desk again')
  front.work.parts.db.exec(
    `CREATE TEMP TRIGGER full BEFORE INSERT ON meta WHEN NEW.key = 'office' BEGIN SELECT RAISE(FAIL, 'disk full'); END`
  )
  await expect(front.membership.join(serverOf(office), code)).rejects.toThrow('disk full')
  goOn(front)
  await until([front], () => front.membership.view()?.state === 'connected')
  expect(front.membership.view()?.who.map(({ name }) => name)).toEqual(['Front desk again'])
  expect(front.work.parts.outbox.shared.accounts().size).toBe(1)
})

test('a promoted standby is detected, even by a workstation that lost nothing', {
  timeout: 240_000
}, async () => {
  const cluster = await openCluster()
  onTestFinished(() => cluster.close())
  const office = await openTestOffice(cluster.place, { search: '0 s' })
  const front = await joined(office, 'Front desk')
  const sent = front.put('Sent before')
  await until([front], () => front.state(sent) === 'sent')
  await cluster.promote()
  const id = front.put('Put in since')
  await until([front], () => pausedBecause(front).includes('restored to an earlier time'))
  const [life] = await office.sql<{ life: number }>('SELECT life FROM office.office')
  expect(life?.life).toBeGreaterThan(1)
  await longEnough(office)
  await pause(front, false)
  await until([front], () => front.state(id) === 'sent')
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
  // One new life is enough.
  for (let minute = 0; minute < 3; minute++) await front.work.time.pass(60_000)
  expect(await office.sql('SELECT life FROM office.office')).toEqual([life])
})

/** As docs/office.md says: everything is written on the standby, too, before it counts. */
async function withStandby(office: TestOffice, server: ClusterPlace): Promise<() => Promise<Cluster>> {
  const standby = await openCluster({ standbyOf: server })
  onTestFinished(() => standby.close())
  await office.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await office.sql('SELECT pg_reload_conf()')
  await expect
    .poll(() => office.sql(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`), { timeout: 60_000 })
    .toHaveLength(1)
  return async () => {
    await standby.promote()
    return standby
  }
}

/** As docs/office.md says: the office's roles first, then its database. */
async function withDump({ administrator }: TestOffice): Promise<() => Promise<Cluster>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [dump, roles] = [join(folder, 'office.dump'), join(folder, 'roles.sql')]
  const run = (program: string, { host, port, user, password }: ClusterPlace, ...args: string[]) =>
    execFileSync(join(findPostgres() ?? '', program), ['-h', host, '-p', String(port), '-U', user, ...args], {
      env: { PATH: process.env.PATH, PGPASSWORD: password },
      stdio: 'ignore'
    })
  return async () => {
    const its = { ...administrator, host: '127.0.0.1' } as const
    run('pg_dumpall', its, '--roles-only', '-f', roles)
    run('pg_dump', its, '-Fc', '-d', administrator.database, '-f', dump)
    const other = await openCluster()
    onTestFinished(() => other.close())
    run('psql', other.place, '-d', 'postgres', '-f', roles)
    // The administrator is among the roles.
    const place = { ...other.place, password: administrator.password }
    run('pg_restore', place, '--create', '-d', 'postgres', dump)
    return { ...other, place }
  }
}

test.each([
  ['a synchronous standby', withStandby],
  ['a dump restored elsewhere', withDump]
])(
  '%s replaces a lost server without any loss once its address leads there',
  { timeout: 240_000 },
  async (_what, copied) => {
    const server = await openCluster()
    onTestFinished(() => server.close())
    const office = await openTestOffice(server.place, { search: '0 s' })
    const front = await joined(office, 'Front desk')
    const otherServer = await copied(office, server.place)
    const sent = front.put('Sent before')
    await until([front], () => front.state(sent) === 'sent')
    await pause(front, true)
    const waitingSend = front.put('Waits')
    const asWritten = 'SELECT id, state, revision FROM office.send ORDER BY id'
    await until([front], async () => (await office.sql(asWritten)).length === 2)
    const written = await office.sql(asWritten)
    await front.membership.close()
    if (copied === withStandby) await server.close()
    const { place } = await otherServer()
    if (copied === withDump) await server.close()

    const its = { ...office.administrator, ...place }
    expect(await withConnection(its, async (client) => (await client.query(asWritten)).rows)).toEqual(written)
    const meta = openJsonMeta(front.work.parts.db)
    meta.write('office', { ...meta.read('office', z.looseObject({})), port: place.port })
    front.open()
    await until([front], () => pausedBecause(front).includes('restored to an earlier time'))
    await withConnection(its, (client) =>
      client.query('UPDATE office.send SET uncertain_at = now() WHERE uncertain_at > now()')
    )
    await pause(front, false)
    await until([front], () => front.state(waitingSend) === 'sent')
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
  }
)

test('what may have been sent long ago isn’t retried automatically', { timeout: 240_000 }, async () => {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const run = await programsFor(office)
  const front = await joined(office, 'Front desk')
  await pause(front, true)
  const waitingSend = front.put('Waits')
  await until([front], async () => (await office.sql('SELECT FROM office.send')).length === 1)
  await front.membership.close()
  run('pg_dump', '-Fc')
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  // No workstation has contacted it for two hours; the next one's greeting now mustn't hide that.
  await office.sql(`UPDATE office.office SET alive_at = now() - interval '2 hours'`)
  front.open()
  await until([front], () => front.state(waitingSend) === 'uncertain')
  await longEnough(office)
  await until([front], () => front.state(waitingSend) === 'not-sent')
  await pause(front, false)
  for (let minute = 0; minute < 5; minute++) await front.work.time.pass(60_000)
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(0)
})

test('an account unknown to the restored server is shared again', { timeout: 240_000 }, async () => {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const run = await programsFor(office)
  const front = await joined(office, 'Front desk')
  const sent = front.put('Sent since')
  await until([front], () => front.state(sent) === 'sent')
  await pause(front, true)
  const waitingSend = front.put('Waits since')
  await until([front], async () => (await office.sql('SELECT FROM office.send')).length === 2)
  await front.membership.close()
  // As in a dump from before it was shared.
  await office.sql(`ALTER TABLE office.attempt DISABLE TRIGGER ALL; ALTER TABLE office.answer DISABLE TRIGGER ALL;
    TRUNCATE office.answer, office.attempt, office.send_change, office.send_feed, office.send, office.outbox, office.account CASCADE;
    ALTER TABLE office.attempt ENABLE TRIGGER ALL; ALTER TABLE office.answer ENABLE TRIGGER ALL`)
  run('pg_dump', '-Fc')
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  front.open()
  await until([front], () => front.membership.view()?.state === 'connected' && front.state(waitingSend) === 'uncertain')
  await until(
    [front],
    async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [waitingSend])).length === 1
  )
  await longEnough(office)
  await pause(front, false)
  await until([front], () => front.state(waitingSend) === 'sent')
  expect(front.state(sent)).toBe('sent')
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
})

test('what retention has erased since isn’t sent again', { timeout: 240_000 }, async () => {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const run = await programsFor(office)
  const front = await joined(office, 'Front desk')
  await pause(front, true)
  const sent = front.put('Sent since')
  const stateThere = async () =>
    (await office.sql<{ state: string }>('SELECT state FROM office.send WHERE id = $1', [sent]))[0]?.state
  await until([front], async () => (await stateThere()) === 'ready')
  run('pg_dump', '-Fc')
  await pause(front, false)
  await until([front], () => front.state(sent) === 'sent')
  // Nobody knows the package any more: not the workstation’s list, nor the folders.
  await openPurging(front.work.parts.db).erase({ sends: Number.MAX_SAFE_INTEGER })
  front.work.practice.state.documents = {}
  expect(front.state(sent)).toBeUndefined()
  await front.membership.close()
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  front.open()
  await until([front], () => pausedBecause(front).includes('restored to an earlier time'))
  await longEnough(office)
  await pause(front, false)
  for (let minute = 0; minute < 5; minute++) await front.work.time.pass(60_000)
  await until([front], async () => (await stateThere()) !== 'uncertain')
  expect(await stateThere()).toBe('sent')
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
  // Nor do its people and data come back.
  expect(front.state(sent)).toBeUndefined()
})

test('a draft isn’t sent again from a restored server if retention has erased its package', {
  timeout: 240_000
}, async () => {
  const { office, run, front, back, both } = await openRestorableOffice()
  const sendFrom = await sharedDraftAt(front, both)
  run('pg_dump', '-Fc')
  await back.membership.close()
  const sent = sendFrom(front)
  await until([front], () => front.state(sent) === 'sent')
  await front.work.parts.outbox.shared.syncNow(front.work.accountId)
  await openPurging(front.work.parts.db).erase({ sends: Number.MAX_SAFE_INTEGER })
  expect(front.state(sent)).toBeUndefined()
  await front.membership.close()
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  // It has been off since before the draft was sent.
  back.open()
  await until([back], () => pausedBecause(back).includes('restored to an earlier time'))
  const again = sendFrom(back)
  await until([back], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [again])).length === 1)
  front.open()
  await until(both, () => isOver(back.state(again)))
  await longEnough(office)
  await pause(back, false)
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
  await until(both, () => both.every(({ work }) => work.parts.drafts.list([work.accountId]).rows.length === 0))
})

test.each([
  ['within half an hour', 0],
  ['later, when it isn’t retried automatically', 40]
])(
  'a second package of a draft that was sent is cancelled once it isn’t found, however often the server is restored: %s',
  {
    timeout: 240_000
  },
  async (_name, minutes) => {
    const { office, run, front, back, both } = await openRestorableOffice()
    const sendFrom = await sharedDraftAt(front, both)
    const stateThere = async (id: string) =>
      (await office.sql<{ state: string }>('SELECT state FROM office.send WHERE id = $1', [id]))[0]?.state
    const restore = async () => {
      for (const { membership } of both) await membership.close()
      run('pg_restore', '--clean', '--if-exists', '--single-transaction')
    }
    run('pg_dump', '-Fc')
    await back.membership.close()
    const sent = sendFrom(front)
    await until([front], () => front.state(sent) === 'sent')
    await restore()
    back.open()
    await until([back], () => pausedBecause(back).includes('restored to an earlier time'))
    const again = sendFrom(back)
    await until([back], async () => (await stateThere(again)) === 'ready')
    await restore()
    // Nobody can find out whether it arrived.
    for (const { work } of both) work.line.setFault('cut')
    back.open()
    await until([back], async () => (await stateThere(again)) === 'uncertain')
    front.open()
    await until(both, async () => (await stateThere(sent)) === 'sent')
    for (const { work } of both) await work.time.pass(minutes * 60_000)
    await longEnough(office)
    for (const { work } of both) work.line.setFault('pass')
    await until(both, () => both.every((workstation) => isOver(workstation.state(again))))
    expect(await stateThere(again)).toBe('cancelled')
    await pause(back, false)
    for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
    expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
  }
)

test('what retention has erased doesn’t come back, and isn’t sent again, whatever the server has of it', async () => {
  const office = await openTestOffice(inject('cluster'))
  const front = await joined(office, 'Front desk')
  const sent = front.put('Sent before')
  const stateThere = async () =>
    (await office.sql<{ state: string }>('SELECT state FROM office.send WHERE id = $1', [sent]))[0]?.state
  await until([front], async () => front.state(sent) === 'sent' && (await stateThere()) === 'sent')
  await front.work.parts.outbox.shared.syncNow(front.work.accountId)
  await openPurging(front.work.parts.db).erase({ sends: Number.MAX_SAFE_INTEGER })
  // Its place in the order of changes moves, and a start reads every body again.
  await front.membership.close()
  await office.sql('UPDATE office.send SET draft_revision = draft_revision + 1 WHERE id = $1', [sent])
  front.open()
  await until([front], () => front.membership.view()?.state === 'connected')
  await front.work.parts.outbox.shared.syncNow(front.work.accountId)
  expect(front.state(sent)).toBeUndefined()
  // As on a machine that was set back as a whole, which nobody has noticed.
  await office.sql(`UPDATE office.send SET state = 'ready', goes_at = now() WHERE id = $1`, [sent])
  const other = front.put('Another')
  await until([front], async () => front.state(other) === 'sent' && (await stateThere()) === 'sent')
  expect(front.work.receivedRequests('SendForms2').flatMap(({ body }) => namesIn(body))).toEqual([
    'Sent before',
    'Another'
  ])
  expect(front.state(sent)).toBeUndefined()
})

test('nothing can be claimed on a copy before anyone has noticed that it is one', async () => {
  const office = await openTestOffice(inject('cluster'))
  const run = await programsFor(office)
  const { place } = await office.join('Front desk')
  const pool = openPool(place)
  onTestFinished(() => pool.end())
  const store = openOfficeSends({ pool, key: office.key, time: { elapsed: () => performance.now() } })
  const [accountId, id] = [randomUUID(), randomUUID()]
  await store.configure(accountId, { concurrency: 2, perMinute: null })
  await store.put(accountId, id, Buffer.from('{}'))
  run('pg_dump', '-Fc')
  run('pg_restore', '--clean', '--if-exists', '--single-transaction')
  expect(await store.claim(accountId, 1)).toEqual([])
  expect(await store.outbox(accountId)).toMatchObject({ life: 0 })
  await office.sql('UPDATE office.office SET server_fingerprint = office.server_fingerprint()')
  expect(await store.claim(accountId, 1)).toMatchObject([{ id }])
})

test('a workstation that joins a restored office gets all of its packages, however many there are', {
  timeout: 240_000,
  tags: ['full']
}, async () => {
  const office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const front = await joined(office, 'Front desk')
  await pause(front, true)
  // More than are read at a time.
  const many = 230
  for (let count = 0; count < many; count++) front.put(`Form ${count}`)
  await until([front], async () => (await office.sql('SELECT FROM office.send')).length === many)
  await office.sql('SELECT office.begin_life(now())')
  const lateWorkstation = await joined(office, 'Back room', front.work)
  const total = ({ work }: Workstation) => work.parts.outbox.list([work.accountId], all).total
  await until([lateWorkstation], () => total(lateWorkstation) === many)
})
