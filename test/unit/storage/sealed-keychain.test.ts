import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentialIn, openSealedKeychain } from '../../../src/main/core/storage/sealed-keychain.ts'
import { temporaryFolder } from './folders.ts'

/** Returns an agent's data folder, and its own credential as systemd provides it. */
function agent(secret: string | Buffer = randomBytes(32).toString('base64')) {
  const [folder, credentials] = [temporaryFolder(), temporaryFolder()]
  const credential = credentialIn({ CREDENTIALS_DIRECTORY: credentials }) ?? ''
  writeFileSync(credential, secret)
  return {
    folder,
    credential,
    file: join(folder, 'keychain.sealed'),
    open: () => openSealedKeychain({ folder, credential })
  }
}

test('an agent’s secrets are there at its next start, readable by nobody else and never stored unencrypted', async () => {
  const { folder, file, open } = agent()
  const { keychain, status } = await open()
  expect(status).toEqual({ state: 'available' })
  expect(keychain.keeps).toBe('in-os')
  expect(await keychain.office.get()).toBeNull()
  await Promise.all([
    keychain.office.set('password of the office'),
    keychain.databaseKey.set('key of the database'),
    keychain.accounts.set('account-1', 'token of an account'),
    keychain.accounts.set('account-2', 'gone'),
    keychain.accounts.delete('account-2')
  ])
  const reopened = await open()
  expect(await reopened.keychain.office.get()).toBe('password of the office')
  expect(await reopened.keychain.databaseKey.get()).toBe('key of the database')
  expect(await reopened.keychain.accounts.get('account-1')).toBe('token of an account')
  expect(await reopened.keychain.accounts.get('account-2')).toBeNull()
  expect(readFileSync(file, 'latin1')).not.toMatch(/password|database|token|account/)
  expect(readdirSync(folder)).toEqual(['keychain.sealed'])
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a sealed keychain without its credential, with another one, or altered isn’t taken for empty, and stays as it is', async () => {
  const { folder, file, open } = agent()
  await (await open()).keychain.office.set('password of the office')
  const bytesBefore = readFileSync(file)

  const missing = await openSealedKeychain({ folder, credential: join(folder, 'nowhere') })
  expect(missing).toMatchObject({
    status: { state: 'unavailable', reason: 'missing' },
    keychain: { keeps: 'in-memory' }
  })
  const other = await openSealedKeychain({ folder, credential: agent().credential })
  expect(other).toMatchObject({ status: { state: 'unavailable', reason: 'failed' }, keychain: { keeps: 'in-memory' } })
  expect(readFileSync(file)).toEqual(bytesBefore)

  for (const altered of [
    '',
    '{}',
    bytesBefore.toString().replace(/"sealed":"../, '"sealed":"zz'),
    flipped(bytesBefore)
  ]) {
    writeFileSync(file, altered)
    expect((await open()).status).toMatchObject({ state: 'unavailable', reason: 'failed' })
  }
})

test('one that is damaged while the agent runs refuses access, and isn’t overwritten', async () => {
  const { file, open } = agent()
  const { keychain } = await open()
  await keychain.office.set('password of the office')
  writeFileSync(file, 'something else')
  await expect(keychain.office.get()).rejects.toMatchObject({ code: 'failed' })
  await expect(keychain.office.set('another')).rejects.toMatchObject({ code: 'failed' })
  expect(readFileSync(file, 'utf8')).toBe('something else')
})

test('a guessable credential is refused', async () => {
  expect((await agent('secret').open()).status).toMatchObject({
    state: 'unavailable',
    reason: 'failed',
    detail: expect.stringContaining('32 bytes')
  })
})

function flipped(bytes: Buffer): Buffer {
  const altered = JSON.parse(bytes.toString())
  const last = altered.sealed.at(-1)
  return Buffer.from(JSON.stringify({ ...altered, sealed: altered.sealed.slice(0, -1) + (last === '0' ? '1' : '0') }))
}
