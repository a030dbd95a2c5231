import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeychainError } from '../../../src/main/core/storage/keychain.ts'
import { readRecoveryKey, recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { refusal } from './computers.ts'
import { log, NOW, PLANTED, recoverable } from './recoverable.ts'

test('a key is read however it is typed, and one wrong letter is located in its group', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.nat(39), fc.nat(30), (bytes, place, other) => {
      const text = recoveryKeyText(bytes)
      expect(text).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){7}[0-9A-HJKMNP-TV-Z]{5}$/)
      const typed = text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
      for (const one of [text, typed, text.replaceAll('-', '')]) expect(readRecoveryKey(one)).toEqual({ bytes })
      const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
      const withoutDashes = text.replaceAll('-', '')
      const wrong = letters.replace(withoutDashes[place] ?? '', '')[other] ?? ''
      const slip = withoutDashes.slice(0, place) + wrong + withoutDashes.slice(place + 1)
      expect(readRecoveryKey(slip)).toEqual({ wrongGroup: Math.floor(place / 5) + 1 })
    })
  )
  const [one = '', two = '', ...rest] = recoveryKeyText(Uint8Array.from({ length: 20 }, (_, at) => at)).split('-')
  expect(readRecoveryKey([two, one, ...rest].join('-'))).toHaveProperty('wrongGroup')
})

test('after the keychain is lost, the key on paper restores the data; the file beside them reveals neither', async () => {
  const { recovery, lose, start, recover, file, notes, entries } = await recoverable()
  const key = recoveryKeyText(randomBytes(20))
  expect(await recovery.view()).toEqual({ isOffered: true })
  await recovery.setPaperKey(key.toLowerCase())
  expect(await recovery.view()).toEqual({ paperAt: NOW, isOffered: false })
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain(entries.get('database-key'))
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0)
  lose()
  const locked = await start()
  expect(locked.storage).toMatchObject({ state: 'memory', because: 'key-missing', hasData: true })
  expect(await refusal(locked.recovery.setPaperKey(key))).toMatchObject({ code: 'keychain' })
  await recover(key)
  const { storage, recovery: restarted } = await start()
  expect(storage.state).toBe('encrypted')
  expect(storage.db.prepare("SELECT value FROM meta WHERE key = 'planted'").pluck().get()).toBe(JSON.stringify(PLANTED))
  expect(notes).toEqual(['recovery-key-made person', 'recovery-key-used'])
  await restarted.applyPolicy(log)
  expect(notes).toHaveLength(2)
})

test('a wrong, mistyped, earlier or foreign key changes nothing, and is reported as what it is', async () => {
  const { recovery, lose, recover, file, entries } = await recoverable()
  const [old, key] = [recoveryKeyText(randomBytes(20)), recoveryKeyText(randomBytes(20))]
  await recovery.setPaperKey(old)
  await recovery.setPaperKey(key)
  lose()
  const before = readFileSync(file)
  const slip = key.startsWith('0') ? `1${key.slice(1)}` : `0${key.slice(1)}`
  for (const [typed, words] of [
    [old, /doesn’t open the data/],
    [recoveryKeyText(randomBytes(20)), /doesn’t open the data/],
    [slip, /Group 1 isn’t right/],
    [key.slice(0, -6), /has 40 letters and digits. This one has 35/]
  ] as const) {
    const error = await refusal(recover(typed))
    expect(error.message).toMatch(words)
    expect(error.fields?.[0]?.field).toBe('key')
  }
  expect(entries.size).toBe(0)
  expect(readFileSync(file)).toEqual(before)
  // One made for another database of this folder.
  const flipped = (hex: string) => (Number.parseInt(hex, 16) ^ 1).toString(16)
  writeFileSync(file, before.toString().replace(/(?<="sealed": ")./, flipped))
  expect((await refusal(recover(key))).message).toMatch(/doesn’t open/)
  for (const damaged of ['{"version":1', '{"version":2,"keys":[]}']) {
    writeFileSync(file, damaged)
    expect(await refusal(recover(key))).toMatchObject({ code: 'gone' })
  }
  rmSync(file)
  expect(await refusal(recover(key))).toMatchObject({ code: 'gone' })
  writeFileSync(file, before)
  await recover(key)
})

test('the organisation’s private key opens its escrowed key with the project’s script; another key opens nothing', async () => {
  const pair = () =>
    generateKeyPairSync('rsa', {
      modulusLength: 3072,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
    })
  const [ours, later] = [pair(), pair()]
  const { recovery, is, file, folder, lose, recover, start, notes } = await recoverable(ours.publicKey)
  expect(await recovery.view()).toEqual({ organisationAt: NOW, isOffered: false })
  const first = readFileSync(file)
  await recovery.applyPolicy(log)
  expect(readFileSync(file)).toEqual(first)
  await recovery.setPaperKey(recoveryKeyText(randomBytes(20)))
  is.publicKey = later.publicKey
  await recovery.applyPolicy(log)
  expect(JSON.parse(readFileSync(file, 'utf8')).keys).toMatchObject([{ kind: 'paper' }, { kind: 'organisation' }])
  const opened = (privateKey: string) => {
    writeFileSync(join(folder, 'private.pem'), privateKey)
    const script = resolve(import.meta.dirname, '../../../scripts/open-recovery.ts')
    try {
      return execFileSync(process.execPath, [script, join(folder, 'private.pem'), file], {
        encoding: 'utf8',
        stdio: 'pipe'
      })
    } catch {
      return 'nothing'
    }
  }
  expect(opened(ours.privateKey)).toBe('nothing')
  const [, key = ''] = opened(later.privateKey).trim().split(/\s+/)
  lose()
  await recover(key)
  expect((await start()).storage.state).toBe('encrypted')
  expect(notes.filter((note) => note.includes('policy'))).toHaveLength(2)
  is.publicKey = undefined
  await (await start()).recovery.applyPolicy(log)
  expect(JSON.parse(readFileSync(file, 'utf8')).keys).toMatchObject([{ kind: 'paper' }])
}, 60_000)

test('a database set aside keeps its recovery keys, and a dismissed offer stays dismissed', async () => {
  const { recovery, folder, storage, start } = await recoverable()
  recovery.dismissOffer()
  expect(await recovery.view()).toEqual({ isOffered: false })
  await recovery.setPaperKey(recoveryKeyText(randomBytes(20)))
  storage.db.close()
  writeFileSync(join(folder, 'countersign.db'), randomBytes(40_960))
  const restarted = await start()
  expect(restarted.storage.setAside?.reason).toBe('unreadable')
  expect(readdirSync(join(folder, restarted.storage.setAside?.name ?? ''))).toContain('recovery.json')
  expect(await restarted.recovery.view()).toEqual({ isOffered: true })
})

test('a new database key needs new recovery keys, the organisation’s too; the earlier ones open nothing', async () => {
  const { publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
  const { recovery, storage, start, file, recover, entries } = await recoverable(publicKey)
  const [old, key] = [recoveryKeyText(randomBytes(20)), recoveryKeyText(randomBytes(20))]
  await recovery.setPaperKey(old)
  await recovery.changeKey(key)
  // Until then both are stored: the start may be far off, and the keychain may be lost before it.
  const before = JSON.parse(readFileSync(file, 'utf8')).keys as { kind: string }[]
  expect(before.map(({ kind }) => kind)).toEqual(['organisation', 'paper', 'paper', 'organisation'])
  storage.db.close()
  const restarted = await start()
  expect(restarted.storage).toMatchObject({ state: 'encrypted', rekeyed: { state: 'done' } })
  const after = JSON.parse(readFileSync(file, 'utf8')).keys as { kind: string }[]
  expect(after.map(({ kind }) => kind)).toEqual(['paper', 'organisation'])
  restarted.storage.db.close()
  entries.clear()
  expect((await refusal(recover(old))).message).toMatch(/doesn’t open/)
  await recover(key)
  expect((await start()).storage.state).toBe('encrypted')
}, 60_000)

/** A recovery key for a pending new database key, next to the current recovery key. */
async function waiting() {
  const { publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  })
  const computer = await recoverable(publicKey)
  const [old, key] = [recoveryKeyText(randomBytes(20)), recoveryKeyText(randomBytes(20))]
  await computer.recovery.setPaperKey(old)
  await computer.recovery.changeKey(key)
  computer.storage.db.close()
  const now = Buffer.from(computer.entries.get('database-key') ?? '', 'hex')
  const kinds = () =>
    (JSON.parse(readFileSync(computer.file, 'utf8')).keys as { kind: string }[]).map(({ kind }) => kind)
  return { ...computer, old, key, kinds, shut: await computer.start(now) }
}

test('no recovery key is lost while a new key waits for a keychain, not even one of a withdrawn policy', async () => {
  const { old, key, recover, shut, is, kinds, entries, start, folder } = await waiting()
  const requestPath = join(folder, 'rekey.json')
  expect(kinds()).toEqual(['organisation', 'paper', 'paper', 'organisation'])
  expect((await refusal(recover(key))).next).toMatch(/or the one before it/)
  await recover(old)
  is.publicKey = undefined
  await shut.recovery.applyPolicy(log)
  expect(kinds()).toEqual(['paper', 'paper'])
  shut.storage.db.close()
  const restarted = await start()
  expect(restarted.storage).toMatchObject({ state: 'encrypted', rekeyed: { state: 'done' } })
  expect(kinds()).toEqual(['paper'])
  entries.delete('next-database-key')
  rmSync(requestPath)
  const newest = recoveryKeyText(randomBytes(20))
  await restarted.recovery.changeKey(newest)
  expect(await refusal(restarted.recovery.setPaperKey(newest))).toMatchObject({ code: 'not-allowed' })
  restarted.storage.db.close()
  entries.clear()
  await recover(key)
  expect((await start()).storage).toMatchObject({ rekeyed: { state: 'given-up' } })
}, 60_000)

test('while a new key is pending, no further recovery or database key is created, in this run or the next', async () => {
  const { recovery, shut, file, entries } = await waiting()
  const before = [readFileSync(file, 'utf8'), new Map(entries)]
  const third = recoveryKeyText(randomBytes(20))
  for (const one of [recovery, shut.recovery]) {
    expect(await refusal(one.setPaperKey(third))).toMatchObject({ code: 'not-allowed' })
    expect(await refusal(one.changeKey(third))).toMatchObject({ code: 'not-allowed' })
  }
  expect([readFileSync(file, 'utf8'), entries]).toEqual(before)
}, 60_000)

test('a key change refused by the keychain or the disk changes nothing, however often it is tried', async () => {
  const { recovery, file, folder, entries, recover, lose } = await recoverable()
  const key = recoveryKeyText(randomBytes(20))
  await recovery.setPaperKey(key)
  const state = () => [JSON.parse(readFileSync(file, 'utf8')), new Map(entries)]
  const before = state()
  const requestPath = join(folder, 'rekey.json')
  const keep = entries.set.bind(entries)
  const refuse = () => {
    throw new KeychainError('locked', 'Not now.')
  }
  // With its name taken, it can't be written once everything else is.
  const takeName: typeof keep = (...entry) => {
    mkdirSync(requestPath)
    return keep(...entry)
  }
  for (const set of [refuse, takeName]) {
    entries.set = set
    for (let times = 0; times < 12; times++) {
      await expect(recovery.changeKey(recoveryKeyText(randomBytes(20)))).rejects.toThrow()
      if (set === takeName) rmdirSync(requestPath)
      expect(state()).toEqual(before)
    }
  }
  entries.set = keep
  lose()
  await recover(key)
})

test('excess entries stay in the file until those that open nothing are removed', async () => {
  const { recovery, file } = await recoverable()
  await recovery.setPaperKey(recoveryKeyText(randomBytes(20)))
  const [own] = JSON.parse(readFileSync(file, 'utf8')).keys
  writeFileSync(file, JSON.stringify({ version: 1, keys: [own, ...Array(25).fill({ ...own, opens: 'ab' })] }))
  await recovery.applyPolicy(log)
  expect(JSON.parse(readFileSync(file, 'utf8')).keys).toEqual([own])
})
