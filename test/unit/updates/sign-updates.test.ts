// A publisher's signature is what makes a feed trusted, and nothing else can be signed by mistake.
import { generateKeyPairSync, verify } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signUpdates } from '../../../scripts/sign-updates.ts'
import { temporaryFolder } from '../storage/folders.ts'

function keyIn(folder: string, type: 'ed25519' | 'ed448' = 'ed25519') {
  const { publicKey, privateKey } = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ed448')
  const path = join(folder, 'key.pem')
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { path, publicKey }
}

test('each description gets a signature file, and the key is printed in the policy’s format', () => {
  const folder = temporaryFolder()
  const { path, publicKey } = keyIn(folder)
  for (const name of ['latest.yml', 'latest-linux-arm64.yml', 'beta-mac.yml', 'builder-debug.yml']) {
    writeFileSync(join(folder, name), `version: ${name}\n`)
  }
  const printed = signUpdates(path, folder)
  expect(printed).toBe(Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64'))
  for (const name of ['latest.yml', 'latest-linux-arm64.yml', 'beta-mac.yml']) {
    const signature = Buffer.from(readFileSync(join(folder, `${name}.sig`), 'utf8'), 'base64')
    expect(verify(null, readFileSync(join(folder, name)), publicKey, signature)).toBe(true)
  }
  expect(existsSync(join(folder, 'builder-debug.yml.sig'))).toBe(false)
})

test('another kind of key, or a folder without a release, is refused', () => {
  const folder = temporaryFolder()
  expect(() => signUpdates(keyIn(folder, 'ed448').path, folder)).toThrow('Ed25519')
  expect(() => signUpdates(keyIn(folder).path, folder)).toThrow('no latest.yml')
})
