import { execFile, execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'
import { auditedWorkstation } from './office.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/verify-audit-export.ts')
const run = promisify(execFile)

/** Exports a workstation's trail to a file in a folder of its own. */
async function exported(format: 'json' | 'csv' | 'xlsx' = 'json', howMany = 40) {
  const workstation = auditedWorkstation()
  const audit = workstation.run()
  for (let time = 0; time < howMany; time++) {
    audit.note({
      what: 'turn-ended',
      signerName: `Signer ${time + 1}`,
      documentName: 'Lease',
      detail: { outcome: 'signed' }
    })
  }
  const files = workstation.exportsOf(audit)
  const path = join(temporaryFolder(), `trail.${format}`)
  await files.write(path, format)
  return { ...workstation, audit, files, path, signature: `${path}.signature` }
}

/** Runs the verification script, which shares no code with the product. */
async function byScript(path: string, ...noted: string[]): Promise<{ output: string; isGenuine: boolean }> {
  try {
    const { stdout } = await run(process.execPath, [SCRIPT, path, ...noted])
    return { output: stdout.trim(), isGenuine: true }
  } catch (error) {
    return { output: String((error as { stdout: string }).stdout).trim(), isGenuine: false }
  }
}

describe('a signed export', () => {
  test.each(['json', 'csv', 'xlsx'] as const)('as %s is verified as genuine, by us and by anyone', async (format) => {
    const { files, path } = await exported(format)
    const { fingerprint } = await files.key()
    expect(await files.check(path)).toMatchObject({
      verdict: 'genuine',
      key: { fingerprint, isOurs: true },
      isInTrail: true
    })
    const { output, isGenuine } = await byScript(path, fingerprint)
    expect(output).toMatch(/^Genuine: 4[01] entries/)
    expect(isGenuine).toBe(true)
  })

  test('that can’t be told from another computer’s while the keychain is locked isn’t called unreadable', async () => {
    const { audit, exportsOf, path } = await exported()
    const files = exportsOf(audit, troubledKeychain('locked').auditKey)
    await expect(files.check(path)).rejects.toMatchObject({ name: 'KeychainError', code: 'locked' })
  })

  test('is recorded in the trail, and so is its signing key', async () => {
    const { audit, files } = await exported()
    const { fingerprint } = await files.key()
    const { entries } = await audit.list('', 0, 2)
    expect(entries[0]).toMatchObject({ what: 'trail-exported', detail: { file: 'trail.json', key: fingerprint } })
    expect(entries[1]).toMatchObject({ what: 'signing-key-made', detail: { key: fingerprint } })
  })

  test('with a single changed byte is detected and located, by us and by anyone', async () => {
    const { files, path } = await exported()
    const original = await readFile(path)
    const at = original.indexOf('Signer 23')
    expect(at).toBeGreaterThan(0)
    const changed = Buffer.from(original)
    changed[at] = 'Z'.charCodeAt(0)
    await writeFile(path, changed)
    const found = await files.check(path)
    expect(found).toMatchObject({ verdict: 'changed', key: { isOurs: true } })
    expect(found.bytes?.from).toBeLessThanOrEqual(at)
    expect(found.bytes?.to).toBeGreaterThanOrEqual(at)
    expect(found.near?.from).toBeLessThanOrEqual(23)
    expect(found.near?.to).toBeGreaterThanOrEqual(23)
    expect((found.near?.to ?? 0) - (found.near?.from ?? 0)).toBeLessThan(5)
    const { output, isGenuine } = await byScript(path)
    expect(isGenuine).toBe(false)
    expect(output).toContain(`bytes ${found.bytes?.from} to ${found.bytes?.to}`)
    expect(output).toMatch(/entry 2[3-6]/)
  })

  test('is protected at every byte', async () => {
    const { files, path } = await exported('json', 2)
    const original = await readFile(path)
    const unnoticed: number[] = []
    for (let at = 0; at < original.length; at += 7) {
      const changed = Buffer.from(original)
      changed[at] = (changed[at] ?? 0) ^ 1
      await writeFile(path, changed)
      const { verdict, bytes } = await files.check(path)
      if (verdict !== 'changed' || !bytes || at < bytes.from || at > bytes.to) unnoticed.push(at)
    }
    expect(unnoticed).toEqual([])
  })

  test.each(['csv', 'xlsx'] as const)('as %s is detected as changed, too', async (format) => {
    const { files, path } = await exported(format)
    const changed = await readFile(path)
    changed[changed.length - 200] = (changed[changed.length - 200] ?? 0) ^ 1
    await writeFile(path, changed)
    expect(await files.check(path)).toMatchObject({ verdict: 'changed' })
    expect((await byScript(path)).isGenuine).toBe(false)
  })

  test('is detected as changed if truncated or extended', async () => {
    const { files, path } = await exported()
    const original = await readFile(path)
    await writeFile(path, Buffer.concat([original, Buffer.from(' ')]))
    expect(await files.check(path)).toMatchObject({ verdict: 'changed' })
    await truncate(path, 3000)
    expect(await files.check(path)).toMatchObject({ verdict: 'changed', bytes: { from: 2048 } })
    await truncate(path, 0)
    expect(await files.check(path)).toMatchObject({ verdict: 'changed', bytes: { from: 0 } })
    expect((await byScript(path)).output).toMatch(/^Changed/)
  })
})

describe('the signature file', () => {
  test('may be missing, which is reported', async () => {
    const { files, path, signature } = await exported()
    await rm(signature)
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'unsigned' })
  })

  test('with another key is for people to compare, and never called ours', async () => {
    const { files, path } = await exported()
    const forger = await exported('json', 3)
    const { fingerprint } = await forger.files.key()
    for (const ending of ['', '.signature'])
      await writeFile(`${path}${ending}`, await readFile(`${forger.path}${ending}`))
    expect(await files.check(path)).toMatchObject({
      verdict: 'genuine',
      key: { fingerprint, isOurs: false },
      isInTrail: false
    })
    const { output } = await byScript(path, (await files.key()).fingerprint)
    expect(output).toMatch(/^Signed with another key/)
  })

  test('with altered statements is invalid', async () => {
    const { files, path, signature } = await exported()
    const text = await readFile(signature, 'utf8')
    await writeFile(signature, text.replace('\\"entries\\":4', '\\"entries\\":5'))
    expect(await readFile(signature, 'utf8')).not.toBe(text)
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'signature' })
    expect((await byScript(path)).output).toBe('The signature is not valid.')
  })

  test.each([
    ['an empty file', ''],
    ['not JSON', 'hello'],
    ['another shape', '{"statement":7}'],
    [
      'an invalid key',
      '{"statement":"{}","publicKey":"-----BEGIN PUBLIC KEY-----\\nx\\n-----END PUBLIC KEY-----","signature":""}'
    ]
  ])('that is malformed is rejected: %s', async (_, text) => {
    const { files, path, signature } = await exported()
    await writeFile(signature, text)
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'signature' })
  })

  test.each([
    ['fewer blocks than it has', { blocks: '' }],
    ['blocks of one byte', { blockBytes: 1, blocks: 'a'.repeat(64 * 5), bytes: 5 }],
    ['a length below zero', { bytes: -1 }]
  ])('signed by anyone may not state %s', async (_, change) => {
    const { files, path, signature } = await exported()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const signedStatement = JSON.parse(JSON.parse(await readFile(signature, 'utf8')).statement)
    const statement = JSON.stringify({ ...signedStatement, ...change })
    const forged = {
      statement,
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }),
      signature: sign(null, Buffer.from(statement), privateKey).toString('base64')
    }
    await writeFile(signature, JSON.stringify(forged))
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'signature' })
  })

  test('larger than any of ours isn’t read', async () => {
    const { files, path, signature } = await exported()
    await truncate(signature, 21 * 1024 * 1024)
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'signature' })
  })

  test('that can’t be removed keeps its export from being replaced, which it would call changed', async () => {
    const { files, path, signature } = await exported()
    const original = await readFile(path)
    await rm(signature)
    // As a file that another program holds open on Windows.
    await mkdir(join(signature, 'held'), { recursive: true })
    await expect(files.write(path, 'json')).rejects.toThrow()
    expect(await readFile(path)).toEqual(original)
    await rm(signature, { recursive: true })
    await files.write(path, 'json')
    expect(await files.check(path)).toMatchObject({ verdict: 'genuine' })
  })

  test('may not be on its own', async () => {
    const { files, path, signature } = await exported()
    await rm(path)
    await expect(files.check(signature)).rejects.toMatchObject({ appError: { code: 'bad-file' } })
  })

  test('a pipe in place of an export or its signature isn’t waited for', async () => {
    const { files, path, signature } = await exported()
    await rm(path)
    execFileSync('mkfifo', [path])
    await expect(files.check(path)).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    await rm(signature)
    execFileSync('mkfifo', [signature])
    expect(await files.check(path)).toMatchObject({ verdict: 'unsigned' })
  })
})

describe('the signing key', () => {
  test('is kept from run to run, and only in the keychain', async () => {
    const { audit, files, exportsOf, entries, path, signature } = await exported()
    expect(await exportsOf(audit).key()).toEqual(await files.key())
    const secret = entries.get('audit-key') ?? ''
    expect(secret.length).toBeGreaterThan(40)
    for (const file of [path, signature]) expect(await readFile(file, 'utf8')).not.toContain(secret)
  })

  test('that is unreadable is replaced, and the trail records it', async () => {
    const { audit, files, exportsOf, entries } = await exported()
    const before = await files.key()
    entries.set('audit-key', 'nothing of ours')
    const after = await exportsOf(audit).key()
    expect(after.fingerprint).not.toBe(before.fingerprint)
    const { entries: newest } = await audit.list('', 0, 1)
    expect(newest[0]).toMatchObject({
      what: 'signing-key-made',
      detail: { how: 'in place of another', key: after.fingerprint }
    })
  })

  test('that the keychain withholds leaves no unsigned export behind', async () => {
    const { audit, exportsOf, path } = await exported()
    const elsewhere = join(temporaryFolder(), 'trail.csv')
    await expect(exportsOf(audit, troubledKeychain('locked').auditKey).write(elsewhere, 'csv')).rejects.toMatchObject({
      code: 'locked'
    })
    await expect(readFile(elsewhere)).rejects.toThrow()
    expect((await readFile(path)).length).toBeGreaterThan(0)
  })

  test('that fails after it replaced an earlier export doesn’t call the new one changed', async () => {
    const { audit, files, exportsOf, path } = await exported()
    let reads = 0
    const { auditKey } = lastingKeychain(new Map())
    const locksMeanwhile = {
      ...auditKey,
      get: () => (++reads > 1 ? troubledKeychain('locked').auditKey.get() : auditKey.get())
    }
    audit.note({ what: 'idle' })
    await expect(exportsOf(audit, locksMeanwhile).write(path, 'json')).rejects.toMatchObject({ code: 'locked' })
    expect(await files.check(path)).toEqual({ label: 'trail.json', verdict: 'unsigned' })
  })
})

test('the script for anyone uses only what comes with Node', async () => {
  const text = await readFile(SCRIPT, 'utf8')
  const used = [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name)
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([])
  expect(text).not.toMatch(/import\(|require\(/)
})
