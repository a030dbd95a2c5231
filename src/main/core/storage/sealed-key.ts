/**
 * Seals something short, such as a database key, under a high-entropy secret: a recovery key, or the key that replaced
 * it.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { z } from 'zod'

const Hex = z.string().regex(/^[0-9a-f]+$/)
/** `sealed`: nonce, encrypted key and tag. */
export const SealedKey = z.object({ salt: Hex, sealed: Hex })
export type SealedKey = z.infer<typeof SealedKey>
/** What a key is sealed for; it doesn't open for any other purpose. */
type Purpose = 'Countersign recovery key' | 'Countersign former key' | 'Countersign keychain'

export function sealKey(secret: Uint8Array, key: Uint8Array, purpose: Purpose): SealedKey {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secret, salt, purpose), nonce)
  const sealed = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  return { salt: salt.toString('hex'), sealed: sealed.toString('hex') }
}

/** Opens a sealed key; undefined if it wasn't sealed under this secret. */
export function unsealKey(secret: Uint8Array, { salt, sealed }: SealedKey, purpose: Purpose): Uint8Array | undefined {
  const bytes = Buffer.from(sealed, 'hex')
  try {
    const derived = keyFrom(secret, Buffer.from(salt, 'hex'), purpose)
    const decipher = createDecipheriv('aes-256-gcm', derived, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
  } catch {
    return undefined
  }
}

/** Returns a mark that tells whether two recovery keys open the same database key, without revealing it. */
export function markOf(databaseKey: Uint8Array): string {
  return createHmac('sha256', databaseKey).update('Countersign recovery').digest('hex').slice(0, 16)
}

/** A random secret needs no slow derivation. */
function keyFrom(secret: Uint8Array, salt: Uint8Array, purpose: Purpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, purpose, 32))
}
