/**
 * Signs a release's descriptions, `latest.yml` and the like, for an update feed: `node scripts/sign-updates.ts KEY
 * FOLDER`. Writes a `.sig` next to each, and prints the public key in the form a policy uses. The key is an Ed25519
 * private key in PEM, which never leaves the publisher's machine: create one with `openssl genpkey -algorithm ed25519
 * -out KEY`.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Signs every description in the folder.
 * @returns the public key in base64.
 * @throws Error if the key isn't an Ed25519 key, or there is nothing to sign.
 */
export function signUpdates(keyFile: string, folder: string): string {
  const key = createPrivateKey(readFileSync(keyFile))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key must be an Ed25519 private key.')
  const names = readdirSync(folder).filter((name) => /^(?:latest|beta)(?:-[\w-]+)?\.yml$/.test(name))
  if (names.length === 0) throw new Error('There is no latest.yml or its kin in this folder.')
  for (const name of names) {
    const path = join(folder, name)
    writeFileSync(`${path}.sig`, `${sign(null, readFileSync(path), key).toString('base64')}\n`)
  }
  return Buffer.from(String(createPublicKey(key).export({ format: 'jwk' }).x), 'base64url').toString('base64')
}

if (import.meta.main) {
  const [keyFile, folder] = process.argv.slice(2)
  if (!keyFile || !folder) {
    console.error('Use: node scripts/sign-updates.ts KEY FOLDER')
    process.exit(1)
  }
  console.log(signUpdates(keyFile, folder))
}
