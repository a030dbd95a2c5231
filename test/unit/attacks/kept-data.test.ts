/** Attacks with backups, recovery keys and the small files read at start: the rows of docs/attacks.md. */
import { createHash, type createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { enrolmentFile } from '../../../src/main/core/accounts/enrolment.ts'
import type { Manifest } from '../../../src/main/core/backup/backup.ts'
import { escrowKeyOf } from '../../../src/main/core/backup/recovery-keys.ts'
import { removeEverything, scheduledRemoval, scheduleRemoval } from '../../../src/main/core/backup/removal.ts'
import { finishRestore, scheduleRestore } from '../../../src/main/core/backup/restore.ts'
import { openSealed, seal } from '../../../src/main/core/backup/sealed-file.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectEncrypted } from '../../../src/main/core/storage/connection.ts'
import { DATABASE_FILE } from '../../../src/main/core/storage/database.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { keptData } from '../../e2e/attacks/tables/kept-data.ts'
import { enrolmentWorkstations, urlOf } from '../accounts/enrolment-workstations.ts'
import {
  backedUp,
  computer,
  endOfChunk,
  flip,
  LOW_COST,
  NOW,
  PASSPHRASE,
  refusal,
  restored
} from '../backup/computers.ts'
import { log, recoverable } from '../backup/recoverable.ts'
import { contentsOf, temporaryFolder } from '../storage/folders.ts'
import { attempts } from './attempts.ts'

const FACTS = { madeAt: NOW, madeBy: 'Countersign 0.1.0', cost: LOW_COST }
/** More than two chunks. */
const CONTENT = Buffer.alloc(140_000, 'Ana Example')

async function written(content: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(temporaryFolder(), 'of-others.countersign-backup')
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  writeFileSync(path, Buffer.concat(parts))
  return path
}

async function* pieces(...parts: Uint8Array[]) {
  yield* parts
}

/** A file of known content, sealed with the passphrase. */
const aFile = (facts = FACTS) => written(seal(pieces(CONTENT), PASSPHRASE, facts))

async function contentOf(path: string, passphrase = PASSPHRASE): Promise<Buffer> {
  const file = await openSealed(path)
  try {
    const parts: Buffer[] = []
    for await (const part of file.content(passphrase)) parts.push(part)
    return Buffer.concat(parts)
  } finally {
    await file.close()
  }
}

const opened = async (path: string) => {
  const file = await openSealed(path)
  await file.close()
  return file.facts
}

const OURS = { scheme: 'bearer', token: 'ours' } as const
type EnrolmentComputers = Awaited<ReturnType<typeof enrolmentWorkstations>>

/**
 * Checks that an account with the file's name that waits for a secret of its own stays unchanged, and gets none of the
 * file's.
 */
async function expectNotEnrolled(
  ours: { baseUrl: string; scheme: 'bearer' | 'basic' },
  computers?: EnrolmentComputers
): Promise<void> {
  const { clerk, computer, prepared } = computers ?? (await enrolmentWorkstations())
  await prepared()
  await clerk.accounts.manage({ name: 'harbour', ...ours })
  const before = clerk.accounts.list()
  await computer(clerk)
    .enrol()
    .catch(() => undefined)
  expect(clerk.accounts.list()).toEqual(before)
  expect(await clerk.accounts.secretState(before.at(-1)?.id ?? '')).toBe('missing')
}

/** While an account waits for its secret, runs `meanwhile` during the attempt with the file's. */
async function enrolledMeanwhile(meanwhile: (clerk: EnrolmentComputers['clerk'], id: string) => Promise<unknown>) {
  const { admin, clerk, computer, prepared } = await enrolmentWorkstations()
  await prepared()
  await clerk.accounts.manage({ name: 'Harbour', baseUrl: urlOf(admin), scheme: 'bearer' })
  const id = clerk.accounts.list().at(-1)?.id ?? ''
  const clients = {
    ...clerk.clients,
    test: async (...args: Parameters<typeof clerk.clients.test>) => {
      const answer = await clerk.clients.test(...args)
      await meanwhile(clerk, id)
      return answer
    }
  }
  await computer(clerk, { clients })
    .enrol()
    .catch(() => undefined)
  return { clerk, id }
}

const BAD = { code: 'bad-file' }
const expectRefused = async (call: Promise<unknown>) => expect(await refusal(call)).toMatchObject(BAD)

/** Writes the file with a changed header whose hash is right. */
async function withHeader(change: (text: string) => string): Promise<string> {
  const path = await aFile()
  const bytes = readFileSync(path)
  const end = 12 + bytes.readUInt32BE(8)
  const text = Buffer.from(change(bytes.subarray(12, end).toString()))
  const truncated = Buffer.concat([bytes.subarray(0, 12), text])
  truncated.writeUInt32BE(text.length, 8)
  const hash = createHash('sha256').update(truncated).digest()
  writeFileSync(path, Buffer.concat([truncated, hash, bytes.subarray(end + 32)]))
  return path
}

/** Writes the file with its chunks rearranged. */
async function withChunks(change: (chunks: Buffer[]) => Buffer[]): Promise<string> {
  const path = await aFile()
  const bytes = readFileSync(path)
  const ends = [-1, 0, 1].map((chunk) => endOfChunk(path, chunk))
  const chunks = ends.map((from, place) => bytes.subarray(from, ends[place + 1]))
  writeFileSync(path, Buffer.concat([bytes.subarray(0, ends[0]), ...change(chunks)]))
  return path
}

/** A backup whose content was changed by someone who knows its passphrase. */
async function crafted(
  change: (manifest: Manifest, files: Buffer) => { manifest: object; files: Buffer }
): Promise<string> {
  const { path } = await backedUp()
  const content = await contentOf(path)
  const end = 4 + content.readUInt32BE()
  const { manifest, files } = change(JSON.parse(content.subarray(4, end).toString()), content.subarray(end))
  const text = Buffer.from(JSON.stringify(manifest))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length)
  return written(seal(pieces(length, text, files), PASSPHRASE, FACTS))
}

/** A backup of a database that someone changed with SQL. */
async function changedBy(sql: string): Promise<string> {
  const { path } = await backedUp({ sql })
  return path
}

/** Checks that it is refused, and that nothing of it is left in the data folder. */
async function expectNothingLeft(path: string): Promise<void> {
  const folder = temporaryFolder()
  const into = join(folder, 'data')
  mkdirSync(into)
  await expectRefused(restored(into, path))
  expect(contentsOf(folder)).toEqual({})
}

async function toRemove(decision: unknown) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'removal.json'), JSON.stringify(decision))
  return scheduledRemoval(folder)
}

/** Starts with this decision, next to a folder outside the data folder. */
async function startedWith(change: (decision: { stage: string; aside: string }) => object) {
  const around = temporaryFolder()
  const [folder, outside] = [join(around, 'data'), join(around, 'elsewhere')]
  const stage = `restore-${'0a'.repeat(8)}`
  for (const [place, text] of [
    [folder, 'ours'],
    [outside, 'theirs'],
    [join(folder, stage), 'restored']
  ] as const) {
    mkdirSync(place)
    writeFileSync(join(place, DATABASE_FILE), text)
  }
  await scheduleRestore(folder, stage, NOW)
  const order = join(folder, 'restore.json')
  writeFileSync(order, JSON.stringify(change(JSON.parse(readFileSync(order, 'utf8')))))
  await finishRestore(folder)
  expect(readFileSync(join(folder, DATABASE_FILE), 'utf8')).toBe('ours')
  expect(readFileSync(join(outside, DATABASE_FILE), 'utf8')).toBe('theirs')
  expect(readdirSync(around).sort()).toEqual(['data', 'elsewhere'])
}

const anRsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const pem = (key: ReturnType<typeof createPrivateKey>, type: 'spki' | 'pkcs8') =>
  String(key.export({ type, format: 'pem' }))

attempts(keptData, {
  'be read under another passphrase': async () => expectRefused(contentOf(await aFile(), 'a passphrase of five words')),
  'have a beginning without bounds': async () =>
    expectRefused(opened(await withHeader((text) => text.replace('{', `{${' '.repeat(5000)}`)))),
  'be of another day than it was made on': async () => {
    const path = await aFile()
    const bytes = readFileSync(path)
    const at = bytes.indexOf(String(NOW))
    bytes.write(String(NOW + 86_400_000), at)
    writeFileSync(path, bytes)
    await expectRefused(opened(path))
  },
  'keep this computer at making its key for hours': async () =>
    expectRefused(opened(await withHeader((text) => text.replace(`"N":${LOW_COST}`, `"N":${2 ** 30}`)))),
  'have its key made a thousand times': async () =>
    expectRefused(opened(await withHeader((text) => text.replace('"p":1', '"p":1000')))),
  'have its key made in a way that costs nothing': async () => {
    await expectRefused(opened(await withHeader((text) => text.replace('"scrypt"', '"md5"'))))
    await expectRefused(opened(await withHeader((text) => text.replace(`"N":${LOW_COST}`, '"N":2'))))
  },
  'change a byte of what is in it': async () => {
    const path = await aFile()
    flip(path, 100_000)
    await expectRefused(contentOf(path))
  },
  'let two of its parts change places': async () =>
    expectRefused(contentOf(await withChunks(([one, two, last]) => [two, one, last] as Buffer[]))),
  'leave out one of its parts': async () =>
    expectRefused(contentOf(await withChunks(([one, , last]) => [one, last] as Buffer[]))),
  'end early, where a part ends': async () =>
    expectRefused(contentOf(await withChunks(([one, two]) => [one, two] as Buffer[]))),
  'bring a part of another backup under the same passphrase': async () => {
    const other = await aFile()
    const theirs = readFileSync(other).subarray(endOfChunk(other, 0), endOfChunk(other, 1))
    await expectRefused(contentOf(await withChunks(([one, , last]) => [one, theirs, last] as Buffer[])))
  },
  'be an enrolment file': async () => {
    const account = { name: 'Office', baseUrl: 'https://sign.example.com', colour: '#1f7a7a', folders: ['Inbox'] }
    const code = recoveryKeyText(randomBytes(10))
    const file = enrolmentFile(
      { ...account, jsonByQuery: false, dataTypeSpelling: 'reference' } as never,
      { scheme: 'none' },
      { ...FACTS, code, validUntil: NOW }
    )
    await expectRefused(opened(await written(file)))
  },

  'be written outside its folder': async () => {
    const more = Buffer.from('from outside')
    await expectNothingLeft(
      await crafted((manifest, files) => {
        const sha256 = createHash('sha256').update(more).digest('hex')
        const [main] = manifest.files
        return {
          manifest: { ...manifest, files: [main, { name: '../../planted', bytes: more.length, sha256 }] },
          files: Buffer.concat([files.subarray(0, main?.bytes), more])
        }
      })
    )
  },
  'fill the memory with what stands first': async () =>
    expectNothingLeft(
      await crafted((manifest, files) => ({
        manifest: { ...manifest, settings: { fill: ' '.repeat(8 * 1024 * 1024) } },
        files
      }))
    ),
  'hold more than it says': async () =>
    expectNothingLeft(
      await crafted((manifest, files) => ({ manifest, files: Buffer.concat([files, Buffer.alloc(4096)]) }))
    ),
  'hold something else than it says': async () =>
    expectNothingLeft(
      await crafted((manifest, files) => ({
        manifest: { ...manifest, files: manifest.files.map((file) => ({ ...file, sha256: '0a'.repeat(32) })) },
        files
      }))
    ),
  'bring a trigger of its own': async () =>
    expectNothingLeft(await changedBy('CREATE TRIGGER planted AFTER INSERT ON meta BEGIN DELETE FROM sends; END')),
  'bring what belongs to nothing': async () =>
    expectNothingLeft(await changedBy(`PRAGMA foreign_keys = OFF; DELETE FROM accounts; PRAGMA foreign_keys = ON`)),
  'be of a version that isn’t known': async () => expectNothingLeft(await changedBy('PRAGMA user_version = 999')),
  'send what was sent since': async () => {
    const { path } = await backedUp()
    const other = computer()
    await other.open().then(({ db }) => db.close())
    const { stage } = await restored(other.folder, path, PASSPHRASE, other.key())
    const db = connectEncrypted(join(other.folder, stage, DATABASE_FILE), other.key())
    const states = db.prepare('SELECT state FROM sends ORDER BY id').pluck().all()
    const pauses = db.prepare('SELECT paused_by FROM outboxes').pluck().all()
    db.close()
    expect({ states, pauses }).toEqual({ states: ['uncertain', 'sent'], pauses: ['person'] })
  },

  'have a folder from elsewhere put in place': () =>
    startedWith((decision) => ({ ...decision, stage: '../elsewhere' })),
  'have what is here put elsewhere': () => startedWith((decision) => ({ ...decision, aside: '../taken' })),
  'have a file removed that isn’t in the folder of backups': async () => {
    const backups = [{ folder: '/home/ana', name: '../letters.countersign-backup' }]
    expect(await toRemove({ accountIds: [], backups })).toBeUndefined()
  },
  'have a file removed that is no backup': async () => {
    expect(await toRemove({ accountIds: [], backups: [{ folder: '/home/ana', name: 'letters.docx' }] })).toBeUndefined()
  },
  'have everything removed by a file that decides nothing': async () => {
    expect(await toRemove({})).toBeUndefined()
  },
  'have it said that all is gone while the keychain is locked': async () => {
    const folder = temporaryFolder()
    const decided = { accountIds: [], knowsAccounts: true, backups: [] }
    await scheduleRemoval(folder, decided)
    const removed = await removeEverything({ folder, keychain: memoryKeychain(), logs: [], time: systemTime }, decided)
    expect(removed.left).toEqual(['entries'])
  },

  'have another computer’s key taken for this one’s': async () => {
    const [ours, other] = [await recoverable(), await recoverable()]
    const key = recoveryKeyText(randomBytes(20))
    await ours.recovery.setPaperKey(key)
    await other.recovery.setPaperKey(key)
    ours.lose()
    writeFileSync(ours.file, readFileSync(other.file))
    expect(await refusal(ours.recover(key))).toMatchObject({ code: 'invalid' })
    expect(ours.entries.size).toBe(0)
  },
  'change what a recovery key opens': async () => {
    const ours = await recoverable()
    const key = recoveryKeyText(randomBytes(20))
    await ours.recovery.setPaperKey(key)
    ours.lose()
    // A byte of the sealed key itself, after the nonce.
    const turned = readFileSync(ours.file, 'utf8').replace(
      /("sealed": "[0-9a-f]{30})(.)/,
      (_all, before, digit) => `${before}${digit === '0' ? '1' : '0'}`
    )
    writeFileSync(ours.file, turned)
    expect(await refusal(ours.recover(key))).toMatchObject({ code: 'invalid' })
    expect(ours.entries.size).toBe(0)
  },
  'have hundreds of keys tried': async () => {
    const ours = await recoverable()
    const key = recoveryKeyText(randomBytes(20))
    await ours.recovery.setPaperKey(key)
    ours.lose()
    const { keys } = JSON.parse(readFileSync(ours.file, 'utf8'))
    const others = Array(300).fill({ ...keys[0], salt: 'ab' })
    writeFileSync(ours.file, JSON.stringify({ version: 1, keys: [...others, keys[0]] }))
    expect(await refusal(ours.recover(key))).toMatchObject({ code: 'invalid' })
  },
  'go on reading with a key that the organisation withdrew': async () => {
    const ours = await recoverable(pem(anRsaKey(3072).publicKey, 'spki'))
    expect(await ours.recovery.view()).toHaveProperty('organisationAt')
    ours.is.publicKey = undefined
    await ours.recovery.applyPolicy(log)
    expect(JSON.parse(readFileSync(ours.file, 'utf8'))).toEqual({ version: 1, keys: [] })
  },
  'have the organisation’s key be a short one': () => {
    expect(() => escrowKeyOf(pem(anRsaKey(2048).publicKey, 'spki'))).toThrow()
  },
  'have the organisation’s private key lie where each user reads it': () => {
    expect(() => escrowKeyOf(pem(anRsaKey(3072).privateKey, 'pkcs8'))).toThrow()
  },

  'have an account of its name led elsewhere': () =>
    expectNotEnrolled({ baseUrl: 'https://sign.ours.example', scheme: 'bearer' }),
  'have an account of its name sign in otherwise': async () => {
    const computers = await enrolmentWorkstations()
    await expectNotEnrolled({ baseUrl: urlOf(computers.admin), scheme: 'basic' }, computers)
  },
  'replace a secret that is here': async () => {
    const { admin, clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    const ours = { kind: 'service', name: 'harbour', baseUrl: urlOf(admin), authentication: OURS } as const
    const { id } = await clerk.accounts.add(ours)
    const before = clerk.accounts.get(id)
    await computer(clerk)
      .enrol()
      .catch(() => undefined)
    expect(clerk.accounts.get(id)).toEqual(before)
    expect(await clerk.accounts.credentialsOf(id)).toEqual(OURS)
  },
  'replace a secret that was entered while its own was tried': async () => {
    const { clerk, id } = await enrolledMeanwhile((clerk, id) => clerk.accounts.update(id, { authentication: OURS }))
    expect(await clerk.accounts.credentialsOf(id)).toEqual(OURS)
  },
  'have its secret sent where the account was led meanwhile': async () => {
    const { clerk, id } = await enrolledMeanwhile((clerk) =>
      clerk.accounts.manage({ name: 'Harbour', baseUrl: 'https://evil.example', scheme: 'bearer' })
    )
    expect(await clerk.accounts.secretState(id)).toBe('missing')
    expect(await clerk.accounts.isEnrolled(id)).toBe(false)
  }
})
