import { randomBytes } from 'node:crypto'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAuditTable, searchText } from '../../../src/main/core/audit/audit-table.ts'
import { textOf } from '../../../src/main/core/audit/chain.ts'
import { connectEncrypted, KEY_BYTES } from '../../../src/main/core/storage/connection.ts'
import { KeychainError, type SecretSlot } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'
import { auditedWorkstation, database, hashOf, TEN, ZONE } from './office.ts'

const WHOLE = { isWhole: true, isCutOff: false }
const NAMES = ['Mere', 'Ben', 'Ana', 'Wiremu', 'Grace', 'Łukasz', 'Zoë', 'Ines']

/** Eight entries, all anchored. */
async function filled() {
  const workstation = auditedWorkstation()
  const audit = workstation.run()
  for (const signerName of NAMES) {
    audit.note({ what: 'turn-ended', signerName, documentName: 'Lease', detail: { outcome: 'signed' } })
  }
  await audit.flush()
  return { ...workstation, audit }
}

/** An encrypted database in its own folder, as in the product. */
function onDisk() {
  const path = join(temporaryFolder(), 'trail.db')
  const key = randomBytes(KEY_BYTES)
  function open(at: string) {
    const db = connectEncrypted(at, key)
    onTestFinished(() => void db.close())
    migrate(db)
    return db
  }
  return { path, key, open }
}

describe('the database itself refuses', () => {
  test.each([
    ['to change an entry', `UPDATE audit SET signer_name = 'Nobody' WHERE seq = 3`],
    ['to change an entry’s search text', `UPDATE audit SET search = '' WHERE seq = 3`],
    ['to delete an entry', 'DELETE FROM audit WHERE seq = 8'],
    ['to delete all entries', 'DELETE FROM audit'],
    ['to replace an entry', `INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 3`],
    [
      'to insert an entry before the first',
      `INSERT INTO audit SELECT 0, at, zone, staff, what, session, document_reference, document_name, signer_name, detail, hash, search FROM audit WHERE seq = 3`
    ]
  ])('%s', async (_, sql) => {
    const { db, audit } = await filled()
    expect(() => db.exec(sql)).toThrow(/audit trail/)
    expect(await audit.check()).toEqual({ ...WHOLE, entries: 8 })
  })
})

describe('a change made with the database key is detected', () => {
  test.each([
    ['the signer', `UPDATE audit SET signer_name = 'Nobody' WHERE seq = 3`, 3],
    ['the removal of a signer', 'UPDATE audit SET signer_name = NULL WHERE seq = 1', 1],
    ['an empty value for a missing one', `UPDATE audit SET session = '' WHERE seq = 5`, 5],
    ['the time', 'UPDATE audit SET at = at + 1 WHERE seq = 4', 4],
    ['the time zone', `UPDATE audit SET zone = 'UTC' WHERE seq = 4`, 4],
    ['the member of staff', `UPDATE audit SET staff = 'Ben' WHERE seq = 8`, 8],
    ['the event', `UPDATE audit SET what = 'session-ended' WHERE seq = 2`, 2],
    ['the outcome', `UPDATE audit SET detail = '{"outcome":"declined"}' WHERE seq = 6`, 6],
    ['an additional detail', `UPDATE audit SET detail = '{"outcome":"signed","more":"x"}' WHERE seq = 6`, 6],
    ['an unreadable detail', `UPDATE audit SET detail = '[7]' WHERE seq = 6`, 6],
    [
      'text moved from one member to the next',
      `UPDATE audit SET staff = 'Grace', zone = zone || ' Okafor' WHERE seq = 7`,
      7
    ],
    ['the search text', `UPDATE audit SET search = 'x' WHERE seq = 6`, 6],
    ['a hash', `UPDATE audit SET hash = '${'0'.repeat(64)}' WHERE seq = 5`, 5],
    ['a deleted entry in the middle', 'DELETE FROM audit WHERE seq = 4', 5],
    [
      'a deleted entry in the middle, with later ones renumbered',
      'DELETE FROM audit WHERE seq = 4; UPDATE audit SET seq = seq - 1 WHERE seq > 4',
      4
    ],
    ['a deleted first entry', 'DELETE FROM audit WHERE seq = 1', 2],
    [
      'two entries swapped',
      `UPDATE audit SET seq = 100 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 100`,
      3
    ]
  ])('%s', async (_, sql, brokenAt) => {
    const { tamper, audit, run } = await filled()
    tamper(sql)
    expect(await audit.check()).toMatchObject({ isWhole: false, brokenAt })
    const next = run()
    next.note({ what: 'pin-set' })
    expect(await next.check()).toMatchObject({ isWhole: false, brokenAt })
  })

  test('an inserted next entry', async () => {
    const { db, audit } = await filled()
    db.exec(
      `INSERT INTO audit SELECT 9, at, zone, staff, what, session, document_reference, document_name, signer_name, detail, hash, search FROM audit WHERE seq = 8`
    )
    expect(await audit.check()).toMatchObject({ isWhole: false, brokenAt: 9, entries: 9 })
  })
})

test('a skipped number is detected although each hash is right', async () => {
  const { run, tamper, db } = auditedWorkstation()
  run().note({ what: 'pin-set' })
  const first = openAuditTable(db).newest()
  const entry = { seq: 3, at: TEN, zone: ZONE, staff: 'Ben', what: 'pin-set' as const, detail: {} }
  const hash = hashOf(first?.hash ?? '', textOf(entry))
  const search = searchText(entry)
  tamper(
    `INSERT INTO audit VALUES (3, ${TEN}, '${ZONE}', 'Ben', 'pin-set', NULL, NULL, NULL, NULL, '{}', '${hash}', '${search}')`
  )
  expect(await run().check()).toMatchObject({ isWhole: false, brokenAt: 3 })
})

describe('comparison with the keychain detects', () => {
  const CUT_OFF = { isWhole: false, isCutOff: true, missing: 'cut' }

  test.each([
    ['a truncated end', 'DELETE FROM audit WHERE seq > 5', 5],
    ['a missing last entry', 'DELETE FROM audit WHERE seq = 8', 7],
    ['the removal of all entries', 'DELETE FROM audit', 0]
  ])('%s, even after new entries were added in this run and the next', async (_, sql, entries) => {
    const { tamper, audit, run } = await filled()
    tamper(sql)
    expect(await audit.check()).toEqual({ ...CUT_OFF, entries })
    const next = run()
    for (let time = 0; time < 4; time++) next.note({ what: 'pin-set' })
    await next.flush()
    expect(await next.check()).toEqual({ ...CUT_OFF, entries: entries + 4 })
    for (let time = 0; time < 4; time++) next.note({ what: 'pin-set' })
    await next.flush()
    expect(await run().check()).toEqual({ ...CUT_OFF, entries: entries + 8 })
  })

  test('a trail rewritten completely with a valid chain', async () => {
    const { tamper, audit, db, run } = await filled()
    tamper('DELETE FROM audit')
    const forged = openAuditTable(db)
    for (const signerName of NAMES) {
      forged.append({ at: TEN, zone: ZONE, staff: 'Grace Okafor', what: 'turn-ended', signerName, detail: {} })
    }
    expect(await audit.check()).toEqual({ ...CUT_OFF, entries: 8 })
    const next = run()
    next.note({ what: 'pin-set' })
    await next.flush()
    expect(await run().check()).toEqual({ ...CUT_OFF, entries: 9 })
  })

  test('another database in its place', async () => {
    const { run } = await filled()
    const other = database()
    const next = run(undefined, other)
    const replaced = { ...CUT_OFF, missing: 'replaced' }
    expect(await next.check()).toEqual({ ...replaced, entries: 0 })
    next.note({ what: 'pin-set' })
    await next.flush()
    expect(await next.check()).toEqual({ ...replaced, entries: 1 })
    expect(await run(undefined, other).check()).toEqual({ ...replaced, entries: 1 })
  })

  test.each([
    ['was deleted', 'forgotten', (entries: Map<string, string>) => void entries.delete('audit-anchor')],
    ['is unreadable', 'forgotten', (entries: Map<string, string>) => void entries.set('audit-anchor', '{"seq":"8"}')],
    [
      'names another entry of the trail',
      'cut',
      (entries: Map<string, string>) =>
        void entries.set('audit-anchor', `{"seq":3,"hash":"${'a'.repeat(64)}","runs":1}`)
    ]
  ])('a keychain entry that %s', async (_, missing, change) => {
    const { entries, audit, run } = await filled()
    change(entries)
    expect(await audit.check()).toEqual({ ...CUT_OFF, missing, entries: 8 })
    const next = run()
    next.note({ what: 'pin-set' })
    await next.flush()
    expect(await next.check()).toEqual({ ...CUT_OFF, missing, entries: 9 })
  })

  test('an older copy of the database restored, which isn’t reported as cut', async () => {
    const { path, key, open } = onDisk()
    const { run } = auditedWorkstation()
    const first = open(path)
    const audit = run(undefined, first)
    for (let time = 0; time < 8; time++) audit.note({ what: 'page-opened' })
    await audit.flush()
    first.pragma('wal_checkpoint(TRUNCATE)')
    await copyFile(path, `${path}.copy`)
    audit.note({ what: 'session-started' })
    await audit.flush()
    const copy = connectEncrypted(`${path}.copy`, key)
    onTestFinished(() => void copy.close())
    const second = run(undefined, first)
    second.note({ what: 'pin-set' })
    await second.flush()
    const older = { ...CUT_OFF, missing: 'older-copy' }
    const next = run(undefined, copy)
    expect(await next.check()).toEqual({ ...older, entries: 8 })
    next.note({ what: 'pin-set' })
    await next.flush()
    expect(await next.check()).toEqual({ ...older, entries: 9 })
    const later = run(undefined, copy)
    later.note({ what: 'pin-set' })
    await later.flush()
    expect(await later.check()).toEqual({ ...older, entries: 10 })
  })
})

describe('damage to the disk', () => {
  test('is reported as such, and nobody is blamed', async () => {
    const { path, open } = onDisk()
    const first = open(path)
    const { run } = auditedWorkstation()
    const audit = run(undefined, first)
    for (let time = 0; time < 2000; time++)
      audit.note({ what: 'turn-ended', signerName: 'Mere', detail: { outcome: 'signed' } })
    await audit.flush()
    const page = first
      .prepare<[], number>(`SELECT pageno FROM dbstat WHERE name = 'audit' AND pagetype = 'leaf' LIMIT 1 OFFSET 20`)
      .pluck()
    const damaged = page.get() as number
    const size = Number(first.pragma('page_size', { simple: true }))
    first.pragma('wal_checkpoint(TRUNCATE)')
    first.close()
    const bytes = await readFile(path)
    bytes.fill(0x5a, (damaged - 1) * size + 100, (damaged - 1) * size + 200)
    await writeFile(path, bytes)
    const db = open(path)
    const found = await run(undefined, db).check()
    expect(found).toMatchObject({ isWhole: false, isDamaged: true, isCutOff: false })
    expect(found).not.toHaveProperty('brokenAt')
  })
})

describe('the check at start', () => {
  test('reads only what is new since the trail was last found intact', async () => {
    const { audit, run } = await filled()
    expect(audit.startCheck).toBeNull()
    await audit.checkAtStart()
    expect(audit.startCheck).toEqual({ ...WHOLE, entries: 8 })
    await audit.flush()
    const next = run()
    next.note({ what: 'pin-set' })
    next.note({ what: 'pin-set' })
    await next.checkAtStart()
    expect(next.startCheck).toEqual({ ...WHOLE, entries: 2, after: 8 })
    await next.flush()
    const last = run()
    await last.checkAtStart()
    expect(last.startCheck).toEqual({ ...WHOLE, entries: 0, after: 10 })
    expect(await last.check()).toEqual({ ...WHOLE, entries: 10 })
  })

  test('detects changes among new entries, at every start until repaired, and missing ones', async () => {
    const { audit, run, tamper } = await filled()
    await audit.checkAtStart()
    audit.note({ what: 'session-started' })
    audit.note({ what: 'session-ended' })
    await audit.flush()
    tamper(`UPDATE audit SET staff = 'Ben' WHERE seq = 9`)
    for (let start = 0; start < 2; start++) {
      const next = run()
      await next.checkAtStart()
      expect(next.startCheck).toMatchObject({ isWhole: false, brokenAt: 9, after: 8 })
      await next.flush()
    }
    tamper('DELETE FROM audit WHERE seq = 10')
    const cut = run()
    await cut.checkAtStart()
    expect(cut.startCheck).toMatchObject({ isWhole: false, missing: 'cut' })
  })

  test('starts from the beginning if the entry it would continue from has changed', async () => {
    const { audit, run, tamper } = await filled()
    await audit.checkAtStart()
    await audit.flush()
    tamper(`UPDATE audit SET hash = '${'0'.repeat(64)}' WHERE seq = 8`)
    const next = run()
    await next.checkAtStart()
    expect(next.startCheck).toMatchObject({ isWhole: false, entries: 8, brokenAt: 8 })
  })

  test('announces its result, and without a keychain leaves open what it can’t know', async () => {
    const { run, notified, troubles } = await filled()
    const before = notified.changed
    await run().checkAtStart()
    expect(notified.changed).toBe(before + 1)
    const next = run(troubledKeychain('locked').auditAnchor)
    await next.checkAtStart()
    expect(next.startCheck).toBeNull()
    expect(troubles.length).toBeGreaterThan(0)
  })
})

describe('an untouched trail is reported as intact', () => {
  test('before its first entry', async () => {
    expect(await auditedWorkstation().run().check()).toEqual({ ...WHOLE, entries: 0 })
  })

  test('while the keychain lags behind, and after a crash before it had the newest entry', async () => {
    const { audit, run, entries, anchor } = await filled()
    const before = entries.get('audit-anchor') ?? ''
    audit.note({ what: 'session-started' })
    expect(await audit.check()).toEqual({ ...WHOLE, entries: 9 })
    await audit.flush()
    // As a crash leaves it.
    entries.set('audit-anchor', before)
    const next = run()
    expect(await next.check()).toEqual({ ...WHOLE, entries: 9 })
    await next.flush()
    expect(anchor()).toMatchObject({ seq: 9 })
  })

  test('after a crash before the keychain had any entry', async () => {
    const { run } = auditedWorkstation()
    const slot: SecretSlot = { ...lastingKeychain().auditAnchor, set: () => new Promise<never>(() => undefined) }
    run(slot).note({ what: 'pin-set' })
    const next = run()
    expect(await next.check()).toEqual({ ...WHOLE, entries: 1 })
    await next.flush()
    expect(await next.check()).toEqual({ ...WHOLE, entries: 1 })
  })

  test('while entries are added during the check', async () => {
    const { audit } = await filled()
    const checking = audit.check()
    for (let time = 0; time < 700; time++) audit.note({ what: 'page-opened' })
    expect(await checking).toMatchObject(WHOLE)
    expect(await audit.check()).toEqual({ ...WHOLE, entries: 708 })
  })

  test('although an entry is added at any moment while the previous one is being anchored', async () => {
    const { run, entries, anchor } = auditedWorkstation()
    const real = lastingKeychain(entries).auditAnchor
    let afterwards: (() => void) | undefined
    const set = async (secret: string) => {
      await real.set(secret)
      afterwards?.()
      afterwards = undefined
    }
    const audit = run({ ...real, set })
    await audit.flush()
    const missed: number[] = []
    for (let steps = 0; steps < 16; steps++) {
      const noted = Promise.withResolvers<void>()
      afterwards = () => {
        let step = Promise.resolve()
        for (let count = 0; count < steps; count++) step = step.then(() => undefined)
        void step.then(() => {
          audit.note({ what: 'unlocked' })
          noted.resolve()
        })
      }
      audit.note({ what: 'pin-wrong' })
      await noted.promise
      await audit.flush()
      if (anchor().seq !== (steps + 1) * 2) missed.push(steps)
    }
    expect(missed).toEqual([])
  })

  test('after the keychain failed for a while: many entries are anchored by the newest', async () => {
    const { run, troubles, entries, anchor } = auditedWorkstation()
    const real = lastingKeychain(entries).auditAnchor
    let isLocked = true
    let writes = 0
    const set = async (secret: string) => {
      if (isLocked) throw new KeychainError('locked', 'Not now.')
      writes += 1
      await real.set(secret)
    }
    const audit = run({ ...real, set })
    for (let time = 0; time < 50; time++) audit.note({ what: 'page-opened' })
    await audit.flush()
    expect(troubles).toContainEqual(expect.objectContaining({ code: 'locked' }))
    expect(await audit.check()).toEqual({ ...WHOLE, entries: 50 })
    isLocked = false
    for (let time = 0; time < 50; time++) audit.note({ what: 'page-opened' })
    await audit.flush()
    expect(anchor()).toMatchObject({ seq: 100 })
    expect(writes).toBeLessThan(5)
    expect(await audit.check()).toEqual({ ...WHOLE, entries: 100 })
  })
})

describe('a keychain that doesn’t answer', () => {
  test('leaves open whether the last entries are there, and says so', async () => {
    const { run } = await filled()
    const check = run(troubledKeychain('locked').auditAnchor).check()
    await expect(check).rejects.toMatchObject({
      appError: { code: 'keychain', message: expect.stringMatching(/last ones/) }
    })
  })

  test('hides nothing that the chain itself shows', async () => {
    const { run, tamper } = await filled()
    tamper(`UPDATE audit SET staff = 'Ben' WHERE seq = 3`)
    const next = run(troubledKeychain('locked').auditAnchor)
    expect(await next.check()).toEqual({ isWhole: false, entries: 8, brokenAt: 3, isCutOff: false })
  })
})
