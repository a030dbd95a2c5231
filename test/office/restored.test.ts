// A dump of an earlier moment is restored on the office's server, or a standby takes its place, while packages wait, leave and are taken
// back: nothing goes twice, nothing is lost, and what is over stays so, whichever workstation comes back first.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { findPostgres } from '../../scripts/system-packages.ts'
import { Desk } from '../../src/main/core/office/desk.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { keptIn } from '../../src/main/core/storage/meta.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

interface Station {
  work: Workplace
  desk: Desk
  /** Starts it, as it starts after it was closed. */
  open(): void
  put(name: string): string
  state(id: string): string | undefined
}

const all = { show: 'all', offset: 0, limit: 100 } as const

async function joined(office: TestOffice, name: string, beside?: Workplace): Promise<Station> {
  const work = await openWorkplace('empty', beside)
  onTestFinished(() => work.close())
  const slot = memoryKeychain().office
  const deskHere = () => {
    const desk = new Desk({
      shared: work.parts.outbox.shared,
      folders: work.parts.together,
      slot,
      kept: keptIn(work.parts.db),
      time: work.time.run(),
      accounts: () => [{ id: work.accountId, name: 'Harbour Law', baseUrl: work.serviceUrl }],
      limitsOf: (accountId) => work.parts.outbox.state(accountId).settings,
      changed: () => undefined
    })
    onTestFinished(() => desk.close())
    return desk
  }
  const station: Station = {
    work,
    desk: deskHere(),
    open() {
      work.startAgain()
      station.desk = deskHere()
      station.desk.open()
    },
    put(name) {
      const composition = forms({ items: [form({ Name: name, Reference: name })] })
      const { id } = work.parts.outbox.start(work.parts.drafts.save(work.accountId, composition).id)
      work.parts.outbox.now(id)
      return id
    },
    state: (id) => work.parts.outbox.list([work.accountId], all).rows.find((row) => row.id === id)?.state
  }
  const { host, port, database } = office.administrator
  await station.desk.join({ host, port, database }, await office.invite(name))
  return station
}

/** Lets the time of these pass until it is so. */
async function until(stations: readonly Station[], isSo: () => unknown): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const { work } of stations) await work.time.pass(3_000)
        return isSo()
      },
      { timeout: 120_000, interval: 20 }
    )
    .toBeTruthy()
}

const pausedBecause = ({ work }: Station) => work.parts.outbox.state(work.accountId).pause?.error?.message ?? ''
const pause = ({ work }: Station, isPaused: boolean) => work.parts.outbox.shared.pause(work.accountId, isPaused)

test.each([
  ['one that was off since', 0, true],
  ['the one that knows more', 1, true],
  ['one that knows of another’s package', 0, false]
])('a dump is restored, and %s is there first', { timeout: 240_000 }, async (_name, which, wasOff) => {
  const office = await openTestOffice(inject('cluster'), { look: '0 s' })
  const { host, port, user, password, database } = office.administrator
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const run = (program: string, ...args: string[]) =>
    execFileSync(
      join(findPostgres() ?? '', program),
      ['-h', host, '-p', String(port), '-U', user, '-d', database, ...args],
      {
        env: { PATH: process.env.PATH, PGPASSWORD: password }
      }
    )
  const front = await joined(office, 'Front desk')
  const back = await joined(office, 'Back room', front.work)
  const both = [front, back]
  const arrived = () => front.work.taken('SendForms2').length

  await pause(front, true)
  const leaves = front.put('Leaves from the other')
  const waits = front.put('Waits')
  const takenBack = back.put('Taken back')
  await until(
    both,
    () => [leaves, waits].every((id) => back.state(id) === 'ready') && front.state(takenBack) === 'ready'
  )
  const dump = join(folder, 'office.dump')
  run('pg_dump', '-Fc', '-f', dump)

  if (wasOff) await front.desk.close()
  await back.work.outbox.shared.keepBack(back.work.outbox.get(takenBack))
  back.work.outbox.undo(takenBack)
  await office.sql(`UPDATE office.send SET goes_at = now() + interval '1 hour' WHERE id = $1`, [waits])
  await pause(back, false)
  await until([back], () => back.state(leaves) === 'sent')
  const later = back.put('Sent since')
  await until([back], () => back.state(later) === 'sent')
  await pause(back, true)
  const since = back.put('Waits since')
  await until([back], async () => (await office.sql('SELECT FROM office.send WHERE id = $1', [since])).length === 1)
  if (!wasOff) await until(both, () => front.state(since) === 'ready' && front.state(later) === 'sent')
  for (const { desk } of both) await desk.close()
  expect(arrived()).toBe(2)
  run('pg_restore', '--clean', '--if-exists', '--single-transaction', dump)

  const [one, other] = which === 0 ? [front, back] : [back, front]
  one.open()
  await until([one], () => pausedBecause(one).includes('put back to an earlier moment'))
  expect(arrived()).toBe(2)
  if (!wasOff) expect(front.state(since)).toBe('cancelled')
  other.open()
  await until(both, () => both.every((station) => pausedBecause(station).includes('put back to an earlier moment')))
  await until(both, () => both.every((station) => station.state(leaves) === 'sent'))
  expect(back.state(takenBack)).toBeUndefined()
  await pause(one, false)
  await until(both, () => both.every((station) => [waits, since].every((id) => station.state(id) === 'sent')))
  for (let minute = 0; minute < 5; minute++) for (const { work } of both) await work.time.pass(60_000)
  expect(back.state(later)).toBe('sent')
  expect([front.state(takenBack), back.state(takenBack)]).toEqual([undefined, undefined])
  // Each once, and what was taken back never.
  expect(arrived()).toBe(4)
})

test('a standby that takes the server’s place is noticed, also by one that lost nothing', {
  timeout: 240_000
}, async () => {
  const cluster = await openCluster()
  onTestFinished(() => cluster.close())
  const office = await openTestOffice(cluster.place, { look: '0 s' })
  const front = await joined(office, 'Front desk')
  const sent = front.put('Sent before')
  await until([front], () => front.state(sent) === 'sent')
  await cluster.promote()
  const id = front.put('Put in since')
  await until([front], () => pausedBecause(front).includes('put back to an earlier moment'))
  expect(await office.sql('SELECT life FROM office.office')).toEqual([{ life: 2 }])
  await pause(front, false)
  await until([front], () => front.state(id) === 'sent')
  expect(front.work.taken('SendForms2')).toHaveLength(2)
  // Once is enough.
  await until([front], () => true)
  expect(await office.sql('SELECT life FROM office.office')).toEqual([{ life: 2 }])
})
