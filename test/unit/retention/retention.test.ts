import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DAY } from '../../../src/main/core/lib/calendar.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { nextTurn } from '../../../src/main/core/lib/slices.ts'
import { openHolds } from '../../../src/main/core/retention/holds.ts'
import { openPurging } from '../../../src/main/core/retention/purging.ts'
import { connectReadOnly } from '../../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../../../src/main/core/storage/copies.ts'
import { retentionHandlers } from '../../../src/main/ipc/retention.ts'
import { blankComposition, blankItem } from '../../../src/shared/composition/index.ts'
import { lease } from '../documents/worker-office.ts'
import {
  addDownload,
  addIdentityNumber,
  addPerson,
  addSend,
  addVerification,
  type RetentionOffice,
  retentionOffice,
  TODAY
} from './office.ts'

/** Occurs nowhere else. */
const PLANT = 'Zqxvorn'
const OLD = TODAY - 200 * DAY
const ALL = { documents: 90, sends: 90, downloads: 90, identityNumbers: 90, verifications: 90, people: 90 }

const signer = (FirstName: string) => ({
  Signers: [{ FirstName, LastName: 'Person', Email: `${FirstName}@example.com`, SignedStatus: 'Signed' }]
})

async function read({ worker, time }: RetentionOffice, items: unknown[], folder = 'Sent'): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(items))
  await worker.ask('take', { accountId: 'a', folder, begun: time.clock(), now: time.clock(), withLogs: false, bytes })
}

/** Fills the mirror with documents that left all folders 200 days ago, and others that are still there. */
async function mirror(
  office: RetentionOffice,
  gone: readonly unknown[],
  there: readonly unknown[] = []
): Promise<void> {
  office.time.now = OLD
  await read(office, [...gone, ...there])
  const since = office.time.clock()
  await read(office, [...there])
  await office.worker.ask('markGone', { accountId: 'a', since, now: OLD })
  office.time.now = TODAY
  await read(office, [...there])
}

const countsOf = async ({ worker }: RetentionOffice) =>
  (await worker.ask('counts', { accountId: 'a', queries: [], now: TODAY, zone: 'UTC' })).folders

const count = ({ db }: RetentionOffice, table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()

describe('purged data', () => {
  test('of every kind is in no decrypted page and no log', async () => {
    const office = await retentionOffice()
    const { db } = office
    const names = Array.from({ length: 120 }, (_, at) => `${PLANT}${at}`)
    // Interleaved with others that stay, in pages that were split and merged. All in one write to the disk.
    db.transaction(() => {
      for (const [at, name] of names.entries()) {
        addSend(db, { id: `old ${at}`, who: name, at: OLD, reference: `R${at}` })
        addSend(db, { id: `new ${at}`, who: `Ana${at}`, at: TODAY, reference: `N${at}` })
        addDownload(db, name, OLD)
        addDownload(db, `Ana${at}`, TODAY)
        addIdentityNumber(db, name, OLD)
        addVerification(db, name, OLD)
        addPerson(db, name, OLD)
        addPerson(db, `Ana${at}`, TODAY)
      }
    })()
    const removed = names.map((name, at) =>
      lease(`G${at}`, { ...signer(name), Name: `${name}.pdf`, Notes: name.repeat(300) })
    )
    await mirror(
      office,
      removed,
      names.map((_, at) => lease(`T${at}`))
    )
    expect(office.found(PLANT)).toBeGreaterThan(1000)

    office.retention.set(ALL)
    await office.use(4)
    expect(office.troubles).toEqual([])
    expect(office.found(PLANT)).toBe(0)
    expect(office.found('Ana7')).toBeGreaterThan(0)
    expect(count(office, 'sends')).toBe(120)
    expect(await countsOf(office)).toEqual({ Sent: 120 })
    expect(office.notes.at(-1)).toMatchObject({
      what: 'data-purged',
      detail: {
        documentsPurged: '120',
        sendsPurged: '120',
        downloadsPurged: '120',
        identityNumbersPurged: '120',
        verificationsPurged: '120',
        peoplePurged: '120'
      }
    })
    expect(office.retention.view().last).toMatchObject({ counts: { sends: 120, documents: 120 } })
  })

  test('of drafts in the trash is in no decrypted page, log or copy, and drafts that stay are', async () => {
    const office = await retentionOffice({ policy: { trash: 10 } })
    const { db, drafts, retention } = office
    const draftOf = (name: string) => ({
      ...blankComposition('form-direct', 'form'),
      items: [{ ...blankItem('form'), Name: `Lease for ${name}`, XMLData: `<Note>${`${name} `.repeat(500)}</Note>` }]
    })
    db.transaction(() => {
      for (let at = 0; at < 60; at++) {
        drafts.remove(drafts.save('a', draftOf(`${PLANT}${at}`)).id)
        drafts.save('a', draftOf(`Ana${at}`))
      }
    })()
    await office.copy()
    const inTrash = office.found(PLANT)
    expect(inTrash).toBeGreaterThan(1000)

    // Ten days of use, and a clock that was plausible on three.
    await office.use(9)
    expect(office.found(PLANT)).toBeGreaterThanOrEqual(inTrash)
    expect(office.notes).toEqual([])
    await office.use(2)
    expect(office.troubles).toEqual([])
    expect(office.found(PLANT)).toBe(0)
    expect(office.found('Ana7')).toBeGreaterThan(0)
    expect(count(office, 'drafts')).toBe(60)
    expect(await office.inCopy('SELECT count(*) FROM drafts')).toBe(60)
    expect(office.notes).toEqual([{ what: 'data-purged', detail: { trashPurged: '60' } }])
    expect(retention.view().last).toMatchObject({ counts: { trash: 60 } })
  })
})

describe('nothing is purged', () => {
  test('unless days are set', async () => {
    const office = await retentionOffice()
    addSend(office.db, { id: 'one', who: PLANT, at: OLD })
    await mirror(office, [lease('G1')])
    await office.use(10)
    expect(count(office, 'sends')).toBe(1)
    expect(await office.worker.ask('get', { accountId: 'a', reference: 'G1' })).toBeDefined()
    expect(office.notes).toEqual([])
  })

  test('if the policy was never understood', async () => {
    const office = await retentionOffice({ isKnown: false })
    office.retention.set(ALL)
    addSend(office.db, { id: 'one', who: PLANT, at: OLD })
    await mirror(office, [lease('G1')])
    await office.use(10)
    expect(count(office, 'sends')).toBe(1)
    expect(await office.worker.ask('get', { accountId: 'a', reference: 'G1' })).toBeDefined()
  })

  test('of unfinished packages and downloads', async () => {
    const office = await retentionOffice()
    for (const state of ['ready', 'sending', 'uncertain', 'refused', 'not-sent']) {
      addSend(office.db, { id: state, who: PLANT, state, at: OLD })
    }
    addDownload(office.db, 'waits', OLD, 'waiting')
    office.retention.set(ALL)
    await office.use(4)
    expect(count(office, 'sends')).toBe(5)
    expect(count(office, 'downloads')).toBe(1)
  })

  test('of a package whose draft still exists, which would otherwise seem unsent', async () => {
    const office = await retentionOffice()
    office.db
      .prepare(
        `INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body)
         VALUES ('d', 'a', 'form-direct', '', 1, 1, '{}')`
      )
      .run()
    addSend(office.db, { id: 'one', who: PLANT, state: 'cancelled', at: OLD, draftId: 'd' })
    office.retention.set(ALL)
    await office.use(4)
    expect(count(office, 'sends')).toBe(1)
  })

  test('before three days of use with a plausible clock', async () => {
    const office = await retentionOffice()
    addSend(office.db, { id: 'one', who: PLANT, at: TODAY - 5 * DAY })
    office.retention.set(ALL)
    await office.use(4)
    // Someone sets the clock ten years forward, and back two days later.
    office.time.now += 3650 * DAY
    await office.retention.run()
    await office.use(2)
    office.time.now -= 3650 * DAY
    await office.use(1)
    expect(count(office, 'sends')).toBe(1)
    await office.use(100)
    expect(count(office, 'sends')).toBe(0)
  })
})

describe('a hold', () => {
  test('keeps everything of its document until released', async () => {
    const office = await retentionOffice()
    const { db, holds } = office
    addSend(db, { id: 'one', who: PLANT, at: OLD, reference: 'G1' })
    addDownload(db, 'file', OLD, 'done', 'G1')
    addVerification(db, 'file', OLD, 'G1')
    await mirror(office, [lease('G1'), lease('G2')])
    const document = { accountId: 'a', reference: 'G1', name: 'Lease.pdf' }
    expect(await holds.hold([document, document], 'Court case')).toBe(1)
    office.retention.set(ALL)
    await office.use(10)
    expect(['sends', 'downloads', 'verifications'].map((table) => count(office, table))).toEqual([1, 1, 1])
    expect(await office.worker.ask('get', { accountId: 'a', reference: 'G1' })).toBeDefined()
    expect(await office.worker.ask('get', { accountId: 'a', reference: 'G2' })).toBeUndefined()
    const changes = await office.worker.ask('activity', { accountId: 'a', offset: 0, limit: 10 })
    expect(new Set(changes.changes.map(({ reference }) => reference))).toEqual(new Set(['G1']))

    expect(await holds.release([document])).toBe(1)
    await office.use(1)
    expect(['sends', 'downloads', 'verifications'].map((table) => count(office, table))).toEqual([0, 0, 0])
    expect(await office.worker.ask('get', { accountId: 'a', reference: 'G1' })).toBeUndefined()
    expect(office.notes.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['document-held', 'document-released', 'data-purged'])
    )
  })
})

test('a document put on hold during a purge stays', async () => {
  const office = await retentionOffice()
  const references = Array.from({ length: 130 }, (_, at) => `G${at}`)
  await mirror(
    office,
    references.map((reference) => lease(reference))
  )
  const find = (reference: string) => office.worker.ask('get', { accountId: 'a', reference })
  const purge = office.worker.ask('purge', { now: TODAY, before: TODAY, held: [] })
  while (await find('G0')) await nextTurn()
  expect(await find('G129')).toBeDefined()
  await office.holds.hold([{ accountId: 'a', reference: 'G129', name: 'Lease' }], 'Dispute')
  expect(await purge).toBe(129)
  expect(await find('G129')).toBeDefined()
})

test.each(['before', 'after'])(
  'documents whose holds are still being written stay: a purge began %s that',
  async (when) => {
    const office = await retentionOffice()
    const references = Array.from({ length: 130 }, (_, at) => `G${at}`)
    await mirror(
      office,
      references.map((reference) => lease(reference))
    )
    const find = (reference: string) => office.worker.ask('get', { accountId: 'a', reference })
    const holds = openHolds({
      db: office.db,
      time: { now: () => TODAY },
      staff: () => 'Mere',
      // Each entry takes so long to be flushed to disk that others have their turn.
      note(_entry, _when, along) {
        const until = performance.now() + 5
        while (performance.now() < until);
        along?.()
      },
      keep: (documents) => office.worker.ask('hold', { documents })
    })
    const purge = () => {
      const heldKeys = holds.references('a').map((reference) => ({ accountId: 'a', reference }))
      return office.worker.ask('purge', { now: TODAY, before: TODAY, held: heldKeys })
    }
    const last = references.slice(100)
    const hold = () =>
      holds.hold(
        last.map((reference) => ({ accountId: 'a', reference, name: 'Lease' })),
        'Dispute'
      )
    if (when === 'before') {
      const purging = purge()
      while (await find('G0')) await nextTurn()
      await hold()
      await purging
    } else {
      const holding = hold()
      while (holds.count() === 0) await nextTurn()
      await purge()
      await holding
    }
    const rows = await Promise.all(last.map(find))
    expect(rows.filter((row) => row === undefined)).toEqual([])
    expect(holds.references('a')).toHaveLength(30)
  }
)

describe('the policy’s days', () => {
  test('take precedence over the office’s settings', async () => {
    const office = await retentionOffice({ policy: { sends: null, downloads: 60 } })
    office.retention.set({ sends: 60, downloads: 3000 })
    expect(office.retention.view().days).toMatchObject({ sends: null, downloads: 60 })
    addSend(office.db, { id: 'one', who: PLANT, at: OLD })
    addDownload(office.db, 'old', OLD)
    await office.use(4)
    expect(count(office, 'sends')).toBe(1)
    expect(count(office, 'downloads')).toBe(0)
  })
})

test('a document’s verifications stay if it is put on hold while they are being purged', async () => {
  const office = await retentionOffice()
  addVerification(office.db, 'Held', OLD, 'R1')
  const mirror = Promise.withResolvers<void>()
  const holds = openHolds({
    db: office.db,
    time: { now: () => TODAY },
    staff: () => 'Mere',
    note: (_entry, _when, along) => along?.(),
    // The worker has other things to do first.
    keep: () => mirror.promise
  })
  const holding = holds.hold([{ accountId: 'a', reference: 'R1', name: 'Lease' }], 'Dispute')
  await openPurging(office.db).erase({ verifications: TODAY })
  mirror.resolve()
  expect(await holding).toBe(1)
  expect(count(office, 'verifications')).toBe(1)
})

describe('an interrupted purge', () => {
  test('removes what a copy in progress kept in the log once that has ended', async () => {
    const office = await retentionOffice()
    office.db.pragma('busy_timeout = 0')
    addPerson(office.db, PLANT, OLD)
    const copying = connectReadOnly(join(office.folder, 'countersign.db'), Buffer.alloc(32, 0xa1))
    copying.exec('BEGIN')
    copying.prepare('SELECT count(*) FROM people').get()
    const purging = openPurging(office.db)
    await purging.erase({ people: TODAY })
    await purging.tidy()
    copying.close()
    expect(office.found(PLANT)).toBeGreaterThan(0)
    await purging.tidy()
    expect(office.found(PLANT)).toBe(0)
  })

  test('of the trash counts all that it had erased by then', async () => {
    const office = await retentionOffice({ policy: { trash: 10 } })
    const { db, drafts } = office
    const composition = blankComposition('form-direct', 'form')
    db.transaction(() => {
      for (let at = 0; at < 1_000; at++) drafts.remove(drafts.save('a', composition).id)
    })()
    // The last one ends the purge of the day it is due, after others were erased.
    db.exec(`CREATE TEMP TRIGGER stop BEFORE DELETE ON drafts
      WHEN (SELECT count(*) FROM drafts) = 1 BEGIN SELECT RAISE(FAIL, 'It was interrupted.'); END`)
    await office.use(11)
    expect(office.troubles[0]).toMatchObject({ message: 'It was interrupted.' })
    const left = count(office, 'drafts') as number
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(1_000)
    db.exec('DROP TRIGGER stop')
    await office.use(1)
    const purged = office.notes.map(({ detail }) => Number(detail?.trashPurged))
    expect(purged.reduce((sum, each) => sum + each, 0)).toBe(1_000)
  })

  test('is completed by the next, and fully counted in the audit trail', async () => {
    const office = await retentionOffice()
    office.retention.set(ALL)
    await office.use(3)
    addSend(office.db, { id: 'one', who: PLANT, at: OLD })
    // This ends the documents worker: what was erased before that is counted already.
    await office.worker.close()
    await office.use(1)
    expect(office.troubles).toHaveLength(1)
    expect(count(office, 'sends')).toBe(0)
    expect(office.notes.map(({ what }) => what)).toEqual(['retention-changed'])
    await office.retention.run()
    expect(office.notes.at(-1)).toMatchObject({ what: 'data-purged', detail: { sendsPurged: '1' } })
    expect(office.found(PLANT)).toBe(0)
  })
})

test('a disk that doesn’t answer during a purge doesn’t keep the application from ending', async () => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const office = await retentionOffice({
    policy: { sends: 90 },
    disk() {
      asked.resolve()
      return answered.promise
    }
  })
  await office.use(3)
  const purging = office.use(1)
  await asked.promise
  let hasEnded = false
  void office.retention.stop(5_000).then(() => {
    hasEnded = true
  })
  await office.time.pass(4_000)
  expect(hasEnded).toBe(false)
  await office.time.pass(2_000)
  expect(hasEnded).toBe(true)
  answered.resolve()
  await purging
})

describe('the mirror without a purged document', () => {
  test('treats it as new if a folder shows it again', async () => {
    const office = await retentionOffice()
    await mirror(office, [lease('G1', { PackageReference: 'P' })], [lease('T1', { PackageReference: 'P' })])
    office.retention.set(ALL)
    await office.use(4)
    await read(office, [lease('T2'), lease('G1', { PackageReference: 'P' }), lease('T1', { PackageReference: 'P' })])
    const page = await office.worker.ask('page', { accountId: 'a', reference: 'T1' })
    expect(page?.package.map(({ reference }) => reference)).toEqual(['G1'])
    expect((await office.worker.ask('get', { accountId: 'a', reference: 'G1' }))?.goneAt).toBeUndefined()
    expect(await countsOf(office)).toEqual({ Sent: 3 })
  })
})

test('identity document numbers are purged after their days, except on hold, and counted a week ahead', async () => {
  const office = await retentionOffice()
  const { db, retention } = office
  addIdentityNumber(db, 'OLD1', OLD)
  addIdentityNumber(db, 'HELD', OLD, 'R1')
  addIdentityNumber(db, 'NEW1', TODAY)
  await office.holds.hold([{ accountId: 'a', reference: 'R1', name: 'Lease.pdf' }], 'Dispute')
  await office.use(4)
  expect(count(office, 'identity_numbers')).toBe(3)
  retention.set({ identityNumbers: 90 })
  expect(await retention.countDue(['identityNumbers'])).toEqual({ identityNumbers: 1 })
  await office.use(1)
  expect(office.found('OLD1')).toBe(0)
  expect(db.prepare('SELECT session FROM identity_numbers ORDER BY session').pluck().all()).toEqual([
    'session HELD',
    'session NEW1'
  ])
  expect(office.notes.at(-1)).toEqual({ what: 'data-purged', detail: { identityNumbersPurged: '1' } })
})

describe('database copies', () => {
  test('are purged at the same time, and keep the rest', async () => {
    const office = await retentionOffice()
    const { db } = office
    addSend(db, { id: 'old', who: PLANT, at: OLD })
    addSend(db, { id: 'held', who: 'Held', at: OLD, reference: 'R1' })
    addSend(db, { id: 'released', who: PLANT, at: OLD, reference: 'R2' })
    addSend(db, { id: 'new', who: 'Ana', at: TODAY })
    addDownload(db, PLANT, OLD)
    addIdentityNumber(db, PLANT, OLD)
    addVerification(db, PLANT, OLD)
    addPerson(db, PLANT, OLD)
    const thrown = office.drafts.save('a', blankComposition('form-direct', 'form'))
    db.prepare('UPDATE drafts SET title = ?, trashed_at = ?, trashed_look = 0 WHERE id = ?').run(PLANT, OLD, thrown.id)
    const document = (reference: string) => ({ accountId: 'a', reference, name: 'Lease.pdf' })
    await office.holds.hold([document('R2')], 'Dispute')
    await office.copy()
    expect(office.found(PLANT)).toBeGreaterThan(10)

    // The current holds decide, not those when the copy was made.
    await office.holds.release([document('R2')])
    await office.holds.hold([document('R1')], 'Dispute')
    office.retention.set(ALL)
    await office.use(14)
    expect(office.troubles).toEqual([])
    expect(office.found(PLANT)).toBe(0)
    expect(await office.inCopy('SELECT group_concat(id) FROM (SELECT id FROM sends ORDER BY id)')).toBe('held,new')
  })

  test('from before an update are purged of what they have', async () => {
    const office = await retentionOffice()
    addSend(office.db, { id: 'old', who: PLANT, at: OLD })
    addSend(office.db, { id: 'new', who: 'Ana', at: TODAY })
    await office.copy()
    await office.inOlderCopy('DROP TABLE identity_numbers')
    office.retention.set(ALL)
    await office.use(4)
    expect([office.found(PLANT), await office.inCopy('SELECT group_concat(id) FROM sends')]).toEqual([0, 'new'])
  })

  test('that can’t be purged are deleted', async () => {
    const office = await retentionOffice()
    addSend(office.db, { id: 'old', who: PLANT, at: OLD })
    await office.copy()
    const [copy] = await copiesIn(office.folder)
    truncateSync(join(office.folder, COPIES_FOLDER, copy?.name ?? ''), 4096)
    office.retention.set(ALL)
    await office.use(4)
    expect(await copiesIn(office.folder)).toEqual([])
  })
})

describe('before a purge', () => {
  test('what is due within a week is counted, with the date per document, except what is on hold', async () => {
    const office = await retentionOffice()
    const { db, retention } = office
    const soon = TODAY - 84 * DAY
    for (const [at, id] of [OLD, soon, TODAY].entries()) addSend(db, { id: `send ${at}`, who: 'Ana', at: id })
    addDownload(db, 'Lease', soon)
    addVerification(db, 'Lease', soon)
    addPerson(db, 'Ana', TODAY)
    await mirror(office, [lease('G1'), lease('G2')])
    expect(await retention.countDue(['documents', 'sends'])).toEqual({})
    expect(retention.erasedFrom('a', 'G1', OLD)).toBeUndefined()

    retention.set(ALL)
    await office.holds.hold([{ accountId: 'a', reference: 'G2', name: 'Lease.pdf' }], 'Dispute')
    expect(await retention.countDue(['documents', 'sends', 'downloads', 'verifications', 'people'])).toEqual({
      documents: 1,
      sends: 2,
      downloads: 1,
      verifications: 1,
      people: 0
    })
    expect(await retention.countDue(['documents'])).toEqual({ documents: 1 })
    expect(retention.erasedFrom('a', 'G1', OLD)).toBe(OLD + 90 * DAY)
    expect(retention.erasedFrom('a', 'G2', OLD)).toBeUndefined()
    // Exactly what was counted is erased.
    await office.use(4)
    expect([count(office, 'sends'), count(office, 'downloads')]).toEqual([2, 1])
    await office.use(3)
    expect([count(office, 'sends'), count(office, 'downloads')]).toEqual([1, 0])
  })

  test('nothing is counted while a policy might still change the days', async () => {
    const office = await retentionOffice({ isKnown: false, policy: ALL })
    addSend(office.db, { id: 'old', who: 'Ana', at: OLD })
    expect(await office.retention.countDue(['documents', 'sends'])).toEqual({})
    expect(office.retention.erasedFrom('a', 'G1', OLD)).toBeUndefined()
  })

  test('the days can be set only once an administrator has unlocked the settings', async () => {
    const { retention, holds, notes, worker, time } = await retentionOffice()
    let isOpen = false
    const handlers = retentionHandlers({
      retention,
      holds,
      time: time.run(),
      ask: worker.ask,
      accounts: {} as never,
      changed: () => undefined,
      async mustBeOpen() {
        if (!isOpen) fail('not-allowed', 'Locked.')
      }
    })
    const set = () => handlers['retention.set']({ sends: 90 }, { from: 'office', stillAsking: () => true })
    await expect(set()).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
    expect([retention.view().days.sends, notes]).toEqual([null, []])
    isOpen = true
    await set()
    expect(notes).toMatchObject([
      { what: 'retention-changed', detail: { changed: 'sends', was: 'sends –', to: 'sends 90' } }
    ])
  })
})
