// Names, addresses, titles, presets, drafts and PINs of an office that used everything are neither in a dump of its
// server nor in its write-ahead log: nobody can ask the server for what it doesn't have.
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { findPostgres } from '../../scripts/system-packages.ts'
import { SharedStaff } from '../../src/main/core/counter/shared-staff.ts'
import { Staff } from '../../src/main/core/counter/staff.ts'
import { openOfficeCounters } from '../../src/main/core/office/counters.ts'
import { openOfficeFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { openOfficeTasks } from '../../src/main/core/office/tasks.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { OfficeWorkstation, openOfficeWorkstation, poolAs } from '../fixtures/office-workstation.ts'
import type { Workplace } from '../fixtures/workplace.ts'

/** None of these words occurs in this application or in PostgreSQL. */
const PLANTED = {
  first: 'Zephyrine',
  last: 'Quillfeather',
  email: 'zq@planted.example',
  mobile: '0219955317',
  title: 'Deed of Wistmere',
  reference: 'WIST-90417',
  preset: 'Brindlewick lease',
  view: 'Overdue Thornapple',
  typed: 'half-typed Marrowgate',
  guest: 'Ottoline Fennimore',
  place: 'Room Larkspur',
  about: 'the Vantongeren will',
  staff: 'Isambard Crutchley',
  clerk: 'Peregrine Mossop',
  pin: '7491836205',
  badge: 'CARD-Quenby-17',
  action: 'remind Hepzibah',
  counter: 'signs with Lysander',
  file: 'Yarrowby.pdf'
}
/** A name that the server has to know. */
const WORKSTATION = 'Desk Xanthippe'

class Workstation extends OfficeWorkstation {
  readonly its: { staff: Staff; shared: SharedStaff }
  constructor(work: Workplace, office: TestOffice) {
    const its = {} as { staff: Staff; shared: SharedStaff }
    super(work, office, ({ parts: { db }, time }) => {
      const shared = new SharedStaff({ db, time: time.run(), newId: randomUUID, onError: () => undefined })
      const staff = new Staff({
        db,
        slot: memoryKeychain().staffPin,
        randomBytes,
        platform: 'win32',
        keeps: 'in-os',
        cost: { n: 2 ** 10, r: 8, p: 1 },
        newId: randomUUID,
        firstName: () => PLANTED.staff,
        note: (_note, _when, along) => along?.(),
        time: { now: time.clock, elapsed: time.elapsed },
        isInOffice: () => shared.isInOffice,
        changed: () => shared.changedHere()
      })
      shared.follow(staff)
      Object.assign(its, { staff, shared })
      return { staff: shared }
    })
    this.its = its
  }
}

/** The ways in which it could be written somewhere. */
function spellings(word: string): Buffer[] {
  const bytes = Buffer.from(word)
  const texts = [
    word,
    word.toUpperCase(),
    word.toLowerCase(),
    bytes.toString('hex'),
    bytes.toString('base64').slice(0, -4)
  ]
  return [...texts.map((text) => Buffer.from(text)), Buffer.from(word, 'utf16le')]
}
/**
 * Returns the words that are found, in one pass over what may be hundreds of megabytes, as other tests write to the
 * same log.
 */
function foundIn(pieces: readonly Buffer[], words: readonly string[]): string[] {
  const meant = new Map(words.flatMap((word) => spellings(word).map((bytes) => [bytes.toString('latin1'), word])))
  const any = new RegExp(
    [...meant.keys()].map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'g'
  )
  const found = pieces.flatMap((bytes) => bytes.toString('latin1').match(any) ?? [])
  return [...new Set(found.map((spelling) => meant.get(spelling) ?? spelling))]
}

/** A dump as it is, followed by its bodies unpacked, in case they are only compressed. */
function readable(dump: Buffer): Buffer {
  const bodies = [...dump.toString('latin1').matchAll(/\\\\x([0-9a-f]{20,})/g)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex')
  )
  const unpacked = bodies.flatMap((body) =>
    [0, 4, 16, 32].map((at) => {
      try {
        return inflateRawSync(body.subarray(at))
      } catch {
        return Buffer.alloc(0)
      }
    })
  )
  return Buffer.concat([dump, ...bodies, ...unpacked])
}

test('nothing put into an office is readable in a dump or log of its server', async () => {
  const office = await openTestOffice(inject('cluster'))
  const { host, port, user, password, database } = office.administrator
  const [first] = await office.sql<{ name: string }>('SELECT pg_walfile_name(pg_current_wal_lsn()) AS name')
  const front = await openOfficeWorkstation(Workstation, office)
  const back = await openOfficeWorkstation(Workstation, office, front)
  await front.join(WORKSTATION)
  await back.join('Counter 2')

  const { parts, accountId } = front.work
  const { first: FirstName, last: LastName, email: Email, mobile: MobileNumber, title: Name, reference } = PLANTED
  const composition = forms({
    items: [form({ Name, Reference: reference, signers: [signer({ FirstName, LastName, Email, MobileNumber })] })]
  })
  await front.its.staff.set(PLANTED.pin)
  await front.its.staff.add({ name: PLANTED.clerk, role: 'clerk', pin: PLANTED.pin.slice(2), badge: PLANTED.badge })
  parts.drafts.save(accountId, forms({ items: [form({ Name: PLANTED.typed })] }))
  parts.presets.save(accountId, PLANTED.preset, composition)
  parts.views.save(accountId, { name: PLANTED.view, query: DocumentQuery.parse({ search: LastName }), tell: false })
  parts.people.note(accountId, composition)
  const at = front.work.clock() + 60_000
  parts.appointments.add({
    name: PLANTED.guest,
    at,
    minutes: 30,
    email: Email,
    mobile: MobileNumber,
    place: PLANTED.place,
    about: PLANTED.about
  })
  const { id } = parts.outbox.enqueue(parts.drafts.save(accountId, composition).id)
  parts.outbox.sendNow(id)
  const sent = async () => {
    await front.work.time.pass(1_000)
    return parts.outbox.get(id).state
  }
  await expect.poll(sent).toBe('sent')
  const pool = await poolAs('Counter 3', office)
  const officeId = parts.outbox.shared.accounts().get(accountId) ?? ''
  const { key } = office
  const line = { pool, key, time: { elapsed: () => performance.now() } }
  const tag = tagOf(key, reference)
  await openOfficeFeed(line).poll(officeId, { ms: 30_000, isShown: true })
  await openOfficeFeed(line).publish(officeId, 1, [{ tag, sealed: sealForFeed(key, officeId, tag, { Name }) }])
  await openOfficeCounters(line).publish({ person: PLANTED.counter }, { ms: 60_000, isNews: true })
  const tasks = openOfficeTasks(line)
  for (const [kind, content] of [
    ['action', PLANTED.action],
    ['turn', LastName],
    ['file', PLANTED.file]
  ] as const) {
    await tasks.claim(kind, {
      accountId: officeId,
      about: [content],
      id: randomUUID(),
      ms: 60_000,
      content: { content }
    })
  }
  await front.whenSynced()
  await back.whenSynced()
  for (const { its } of [front, back]) await its.shared.syncNow()
  await back.whenSynced()
  expect(back.its.staff.list().map(({ name }) => name)).toContain(PLANTED.clerk)
  await office.rotateKey().catch(() => undefined)

  const args = ['-h', host, '-p', String(port), '-U', user, '-d', database]
  const dump = execFileSync(join(findPostgres() ?? '', 'pg_dump'), args, {
    env: { PATH: process.env.PATH, PGPASSWORD: password },
    maxBuffer: 2 ** 28
  })
  const log = await office.sql<{ bytes: Buffer }>(
    `SELECT pg_read_binary_file('pg_wal/' || name) AS bytes FROM pg_ls_waldir() WHERE name >= $1 AND length(name) = 24`,
    [first?.name]
  )
  const rows = await office.sql<{ name: string; count: string }>(
    `SELECT name, count FROM (VALUES ('shared_item', (SELECT count(DISTINCT kind) FROM office.shared_item)), ('send', (SELECT count(*) FROM office.answer)),
       ('task', (SELECT count(*) FROM office.task)), ('mirror', (SELECT count(*) FROM office.mirror)),
       ('counter', (SELECT count(*) FROM office.counter))) AS it (name, count) WHERE count > 0`
  )
  expect(rows).toHaveLength(5)
  expect(rows[0]?.count).toBe('6')
  const secrets = [...Object.values(PLANTED), key.toString('latin1'), key.toString('hex'), key.toString('base64url')]
  for (const pieces of [[readable(dump)], log.map(({ bytes }) => bytes)]) {
    // The search does find what is there.
    expect(foundIn(pieces, [...secrets, WORKSTATION])).toEqual([WORKSTATION])
  }
})
