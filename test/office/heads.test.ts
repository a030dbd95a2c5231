// Workstations of an office report the heads of their audit trails and know of each other's: a trail that was cut or
// rewritten is detected, on a workstation as on the server, and a restored backup isn't mistaken for one.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { checkOffice } from '../../src/main/core/office/administration.ts'
import { openPool, withConnection } from '../../src/main/core/office/connection.ts'
import { Heads, openOfficeHeads } from '../../src/main/core/office/heads.ts'
import type { Db } from '../../src/main/core/storage/connection.ts'
import { openJsonMeta } from '../../src/main/core/storage/meta.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace } from '../fixtures/workplace.ts'
import { auditedWorkstation } from '../unit/audit/office.ts'
import { temporaryFolder } from '../unit/storage/folders.ts'

const run = promisify(execFile)
const SCRIPTS = join(import.meta.dirname, '../../scripts')
/** The time between two reported heads. */
const LATER = 600_000

let office: TestOffice
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'))
})

async function joinedWorkstation(name: string) {
  const its = auditedWorkstation()
  const joined = await office.join(name)
  const serverFor = ({ place }: typeof joined) => {
    const pool = openPool(place)
    onTestFinished(() => pool.end())
    return openOfficeHeads(pool)
  }
  const server = serverFor(joined)
  let elapsed = 0
  const begin = () => {
    const audit = its.run()
    const heads = new Heads(openJsonMeta(its.db), { now: () => its.now.at, elapsed: () => elapsed })
    heads.setTrail(audit)
    return { audit, heads }
  }
  let now = begin()
  return {
    name,
    its,
    joined,
    server,
    get trail() {
      return now.audit
    },
    found: () => now.heads.findings().map(({ name: who, why, isMe }) => [who, why, isMe]),
    async greets(life = 1, by = server) {
      elapsed += LATER
      return await now.heads.sync(by, life)
    },
    /** Rejoins as another workstation, and returns the office's heads for that one. */
    async rejoins() {
      const rejoined = serverFor(await office.join(`${name} again`))
      now.heads.joinedAgain()
      return rejoined
    },
    report: (every?: number) => now.heads.report(server, every),
    /** Writes that many entries. */
    async writes(many: number) {
      for (let one = 0; one < many; one++)
        now.audit.note({ what: 'turn-ended', signerName: `Person ${one} at ${name}` })
      await now.audit.flush()
    },
    /** Ends the application and starts it again. */
    async restarts() {
      await now.audit.flush()
      now = begin()
      await now.audit.flush()
    }
  }
}

async function two() {
  const [front, back] = [await joinedWorkstation('Front desk'), await joinedWorkstation('Back room')]
  for (const one of [front, back]) {
    await one.writes(3)
    await one.greets()
  }
  await front.greets()
  return { front, back }
}
const storedHeads = () =>
  office.sql<{ seq: string; cause: string | null }>('SELECT seq, cause FROM office.head ORDER BY number')
const asOwner = (sql: string) =>
  office.sql(
    `ALTER TABLE office.head DISABLE TRIGGER append_only; ${sql}; ALTER TABLE office.head ENABLE TRIGGER append_only`
  )

/** The findings of the administrator's command, however many heads it follows at once. */
async function checked() {
  const all = await Promise.all([1, 2, undefined].map((headsAtOnce) => checkOffice(office.administrator, headsAtOnce)))
  const [first = expect.fail('Nothing was checked.')] = all
  for (const one of all) expect(one).toEqual(first)
  return first
}

test('each workstation reports its head every few minutes and at the end, and no problem is found', async () => {
  const { front, back } = await two()
  expect((await storedHeads()).map(({ seq }) => Number(seq))).toEqual([3, 3])
  await front.greets()
  expect(await storedHeads()).toHaveLength(2)
  await front.writes(1)
  await front.report(LATER * 10)
  expect(await storedHeads()).toHaveLength(2)
  await front.report()
  expect((await storedHeads()).map(({ seq }) => Number(seq))).toEqual([3, 3, 4])
  await back.greets()
  expect([front.found(), back.found()]).toEqual([[], []])
  expect(await checked()).toMatchObject({ trails: [] })
})

test('a head reported while a greeting is being answered isn’t mistaken for another chain', async () => {
  const { front, back } = await two()
  await back.greets()
  await front.writes(1)
  const answer = Promise.withResolvers<void>()
  const isAsked = Promise.withResolvers<void>()
  const greeting = front.greets(1, {
    ...front.server,
    async from(number) {
      const heads = await front.server.from(number)
      isAsked.resolve()
      await answer.promise
      return heads
    }
  })
  await isAsked.promise
  await front.report()
  answer.resolve()
  await greeting
  for (const one of [front, back, front]) await one.greets()
  expect([front.found(), back.found()]).toEqual([[], []])
})

describe('a trail', () => {
  test('that was cut is detected by its own workstation and by the others, with its name', async () => {
    const { front, back } = await two()
    front.its.tamper('DELETE FROM audit WHERE seq > 1')
    await front.restarts()
    await front.greets()
    await back.greets()
    expect(front.found()).toEqual([['Front desk', 'cut', true]])
    expect(back.found()).toEqual([['Front desk', 'cut', false]])
    const { trails } = await checked()
    expect(trails).toMatchObject([{ name: 'Front desk', why: 'cut' }])
    // Reported once, however often it is checked.
    await front.writes(5)
    for (const one of [front, back, front]) await one.greets()
    expect([front.found(), back.found()].map((found) => found.length)).toEqual([1, 1])
  })

  test('that was replaced together with the keychain and known heads is detected from the server’s heads', async () => {
    const { front, back } = await two()
    const forger = await joinedWorkstation('Forger')
    await forger.writes(5)
    const rows = forger.its.db.prepare<[], Record<string, unknown>>('SELECT * FROM audit').all()
    front.its.tamper('DELETE FROM audit')
    for (const row of rows) {
      const names = Object.keys(row)
      front.its.db
        .prepare(`INSERT INTO audit (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`)
        .run(row)
    }
    front.its.entries.clear()
    for (const [name, text] of forger.its.entries) front.its.entries.set(name, text)
    // The database's record of what was reported now matches what is there.
    const meta = openJsonMeta(front.its.db)
    const heads = meta.read('office-heads', z.looseObject({ mine: z.string(), stations: z.looseObject({}) }))
    const newest = forger.trail.newest()
    if (!heads || !newest) throw new Error('Nothing was reported.')
    meta.write('office-heads', { ...heads, stations: { ...heads.stations, [heads.mine]: newest } })
    await front.restarts()
    await front.greets()
    await back.greets()
    expect(front.found()).toEqual([['Front desk', 'cut', true]])
    expect(back.found()).toEqual([['Front desk', 'cut', false]])
  })

  test('is still known, with its findings, after a workstation rejoined', async () => {
    const { front, back } = await two()
    front.its.tamper('DELETE FROM audit WHERE seq > 1')
    await front.restarts()
    await front.greets()
    await back.greets()
    const found = [['Front desk', 'cut', false]]
    expect(back.found()).toEqual(found)
    const rejoined = await back.rejoins()
    await front.server.report({ seq: 1, hash: 'f'.repeat(64) }, undefined)
    await back.greets(1, rejoined)
    expect(back.found()).toEqual([...found, ...found])
    // Its own trail goes on under its new name.
    const own = (await rejoined.newest()).filter(({ isMine }) => isMine)
    expect(own).toMatchObject([{ name: 'Back room again', seq: 3 }])
  })

  test('from a restored backup is reported as restored', async () => {
    const { front, back } = await two()
    const before = front.trail.newest()?.seq
    front.its.tamper('DELETE FROM audit WHERE seq > 1')
    await front.restarts()
    front.trail.note({ what: 'data-restored', detail: { made: '2026-11-20', before: String(before) } })
    await front.greets()
    await back.greets()
    expect(back.found()).toEqual([['Front desk', 'restored', false]])
  })

  test('from an older copy of the database is reported as such', async () => {
    const { front, back } = await two()
    const copy = front.its.db.serialize()
    await front.restarts()
    await front.writes(4)
    await front.greets()
    const Opened = front.its.db.constructor as new (copy: Buffer) => Db
    const older = new Opened(copy)
    onTestFinished(() => void older.close())
    const audit = front.its.run(undefined, older)
    await audit.flush()
    const heads = new Heads(openJsonMeta(older), { now: () => 0, elapsed: () => 0 })
    heads.setTrail(audit)
    await heads.sync(front.server, 1)
    await back.greets()
    expect(back.found()).toEqual([['Front desk', 'older-copy', false]])
    expect(heads.findings()).toMatchObject([{ isMe: true, why: 'older-copy' }])
  })
})

describe('a server', () => {
  test.each([
    ['changed a head', `UPDATE office.head SET hash = repeat('0', 64) WHERE number = 1`],
    [
      'rebuilt the chain',
      `UPDATE office.head SET seq = 2; UPDATE office.head it SET chained = office.chain_head('', it) WHERE number = 1;
       UPDATE office.head it SET chained = office.chain_head((SELECT chained FROM office.head WHERE number = 1), it) WHERE number = 2`
    ]
  ])('whose owner %s is detected, and no workstation is accused', async (what, sql) => {
    const { front, back } = await two()
    await asOwner(sql)
    if (what === 'changed a head') await back.writes(1)
    await back.greets()
    await front.greets()
    const all = [...back.found(), ...front.found()]
    const { brokenAt } = await checked()
    expect(what === 'changed a head' ? brokenAt : all[0]).toEqual(
      what === 'changed a head' ? 1 : [undefined, 'rewritten', false]
    )
    expect(all.filter(([, why]) => why !== 'rewritten')).toEqual([])
  })

  test('whose owner adds a malformed head is detected, and what was found before is still known', async () => {
    const { front, back } = await two()
    front.its.tamper('DELETE FROM audit WHERE seq > 1')
    await front.restarts()
    await front.greets()
    await back.greets()
    const found = ['Front desk', 'cut', false]
    expect(back.found()).toEqual([found])
    const next = `(SELECT max(number) + 1 FROM office.head)`
    const head = `(${next}, (SELECT station FROM office.head WHERE number = 1), 9, repeat('0', 64), 0, 'unknown', '')`
    await asOwner(`ALTER TABLE office.head DROP CONSTRAINT head_cause_check; INSERT INTO office.head VALUES ${head};
      UPDATE office.head it SET chained = office.chain_head((SELECT chained FROM office.head WHERE number = it.number - 1), it)
        WHERE cause = 'unknown'`)
    await back.writes(1)
    for (const one of [back, back]) await one.greets()
    expect(back.found()[0]).toEqual(found)
    expect(back.found().slice(1)).toEqual([[undefined, 'rewritten', false]])
  })

  test.each([
    ['the newest head', 'DELETE FROM office.head WHERE number = 2'],
    ['all heads', 'DELETE FROM office.head']
  ])('that has lost %s is treated as restored, and nobody is accused', async (_what, sql) => {
    const { front, back } = await two()
    await asOwner(sql)
    for (const one of [front, back]) expect(await one.greets()).toEqual({ isRolledBack: true })
    expect([front.found(), back.found()]).toEqual([[], []])
  })

  test('that has lost heads begins a new life when a workstation greets it', async () => {
    const work = await openWorkplace()
    onTestFinished(() => work.close())
    const its = auditedWorkstation()
    const audit = its.run()
    const heads = new Heads(openJsonMeta(its.db), work.time.run())
    heads.setTrail(audit)
    audit.note({ what: 'turn-ended', signerName: 'Mere Tamati' })
    await audit.flush()
    const membership = openMembership(work, { heads })
    onTestFinished(() => membership.close())
    await membership.join(serverOf(office), await office.invite('Front desk'))
    const [count, life] = ['SELECT count(*)::integer AS it FROM office.head', 'SELECT life AS it FROM office.office']
    const now = (sql: string) =>
      expect.poll(
        async () => {
          await work.time.pass(60_000)
          return (await office.sql(sql))[0]
        },
        { timeout: 60_000 }
      )
    await now(count).toEqual({ it: 1 })
    const [first] = await office.sql(life)
    await asOwner('DELETE FROM office.head')
    await now(life).not.toEqual(first)
    expect(heads.findings()).toEqual([])
  })

  test('that was restored isn’t accused, and a trail that is cut later is still detected', async () => {
    const { front, back } = await two()
    await front.writes(5)
    await front.greets()
    await back.greets()
    await asOwner('DELETE FROM office.head WHERE number > 2')
    // A machine that was restored as a whole doesn't begin a new life by itself.
    for (const one of [front, back]) expect(await one.greets()).toEqual({ isRolledBack: true })
    expect([front.found(), back.found()]).toEqual([[], []])
    for (const one of [front, back]) expect(await one.greets(2)).toEqual({ isRolledBack: false })
    expect([front.found(), back.found()]).toEqual([[], []])
    front.its.tamper('DELETE FROM audit WHERE seq > 4')
    await front.restarts()
    await front.greets(2)
    await back.greets(2)
    expect(back.found()).toEqual([['Front desk', 'cut', false]])
  })
})

test('a workstation can only add heads of its own trail, and a repeated one is stored once', async () => {
  const { front, back } = await two()
  const hash = 'a'.repeat(64)
  await withConnection(back.joined.place, async (client) => {
    const outcomeOf = (sql: string) =>
      client.query(sql).then(
        () => 'done',
        (error: { code: string }) => error.code
      )
    for (const sql of [
      'SELECT * FROM office.head',
      `UPDATE office.head SET seq = 1`,
      'DELETE FROM office.head',
      `INSERT INTO office.head VALUES (9, gen_random_uuid(), 1, '${hash}', 0, NULL, '')`,
      `SELECT office.chain_head('', NULL)`
    ])
      expect(await outcomeOf(sql)).toBe('42501')
    expect(await outcomeOf(`SELECT office.report_head(0, '${hash}', NULL)`)).toBe('23514')
    // No workstation could read or chain a larger number.
    expect(await outcomeOf(`SELECT office.report_head(9007199254740992, '${hash}', NULL)`)).toBe('23514')
    expect(await outcomeOf(`SELECT office.report_head(1, 'short', NULL)`)).toBe('23514')
    expect(await outcomeOf(`SELECT office.report_head(1, '${hash}', 'another reason')`)).toBe('23514')
    const before = (await storedHeads()).length
    for (const _ of [1, 2]) expect(await outcomeOf(`SELECT office.report_head(9, '${hash}', NULL)`)).toBe('done')
    expect(await storedHeads()).toHaveLength(before + 1)
    // An earlier head again, without a reason.
    expect(await outcomeOf(`SELECT office.report_head(2, '${hash}', NULL)`)).toBe('done')
  })
  await front.greets()
  expect(front.found()).toEqual([['Back room', 'cut', false]])
  await expect(office.sql('DELETE FROM office.head')).rejects.toMatchObject({ code: '23001' })
})

test('an independent script checks all heads, also against an exported trail', async () => {
  const { front } = await two()
  const folder = temporaryFolder()
  const [file, exported] = [join(folder, 'heads.jsonl'), join(folder, 'trail.json')]
  await front.its.exportsOf(front.trail).write(exported, 'json')
  await front.greets()
  const { host, port, user, password, database } = office.administrator
  const check = async () => {
    const args = ['check', '--server', `${host}:${port}`, '--user', user, '--database', database, '--heads', file]
    const env = { ...process.env, PGPASSWORD: password }
    return await run(process.execPath, [join(SCRIPTS, 'office.ts'), ...args], { env }).catch(
      (error: { stderr: string }) => error
    )
  }
  const verify = (...more: string[]) =>
    run(process.execPath, [join(SCRIPTS, 'verify-heads.ts'), file, ...more]).catch((error: { stdout: string }) => error)
  expect((await check()).stderr).toBe('')
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3)
  await front.its.exportsOf(front.trail).write(exported.replace('trail', 'later'), 'json')
  const later = exported.replace('trail', 'later')
  expect((await verify('Front desk', later)).stdout).toBe('Whole: 3 heads of 2 trails\n')
  expect((await verify('Back room', later)).stdout).toMatch(
    /^Entry 3 of the trail isn’t the one that was told of, head 2/
  )

  front.its.tamper('DELETE FROM audit WHERE seq > 1')
  await front.restarts()
  await front.greets()
  expect((await check()).stderr).toMatch(
    /^Entries are missing from the audit trail of Front desk.*entries were removed/
  )
  expect((await verify()).stdout).toMatch(/^The trail of Front desk lacks entries up to \d+, 2\d{3}-.*: cut\.\n$/)
  await asOwner(`UPDATE office.head SET seq = seq + 1 WHERE number = 2`)
  expect((await check()).stderr).toMatch(/were changed on this server, from number 2 on/)
  expect((await verify()).stdout).toMatch(/^Head 2 was changed/)
})
