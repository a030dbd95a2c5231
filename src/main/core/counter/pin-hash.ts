/**
 * Which PINs may be chosen, and how a PIN is stored: as a scrypt hash with its salt and cost, so that the cost can be
 * raised without asking anyone for their PIN.
 */
import { scrypt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

const KEY_BYTES = 32
const SALT_BYTES = 16

/** Named as in scrypt. Higher values aren't ours, and would exhaust the computer's memory. */
const Cost = z.object({
  n: z
    .int()
    .min(2)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.int().min(1).max(32),
  p: z.int().min(1).max(16)
})
export type Cost = z.infer<typeof Cost>

/**
 * 32 MB and a few tenths of a second: the row with the least memory in what OWASP's Password Storage Cheat Sheet
 * requires of scrypt. A PIN has few digits, so its main protection is the keychain; the hash adds to it.
 */
export const FULL_COST: Cost = { n: 2 ** 15, r: 8, p: 3 }

export const PinHash = Cost.extend({
  salt: z.string().regex(/^[0-9a-f]{32,128}$/),
  key: z.string().regex(new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`))
})
export type PinHash = z.infer<typeof PinHash>

/** @param random returns bytes that can't be guessed. */
export async function hashOf(pin: string, cost: Cost, random: (bytes: number) => Uint8Array): Promise<PinHash> {
  const salt = Buffer.from(random(SALT_BYTES))
  const key = await deriveKey(pin, salt, cost)
  return { ...cost, salt: salt.toString('hex'), key: key.toString('hex') }
}

/** Whether the PIN matches the hash. Takes the same time for a nearly right PIN as for any other. */
export async function matchesHash(pin: string, hash: PinHash): Promise<boolean> {
  const key = await deriveKey(pin, Buffer.from(hash.salt, 'hex'), hash)
  return timingSafeEqual(key, Buffer.from(hash.key, 'hex'))
}

/** Whether a hash has a lower cost than the given one. */
export function isCheaper(hash: Cost, { n, r, p }: Cost): boolean {
  return hash.n * hash.r * hash.p < n * r * p
}

function deriveKey(pin: string, salt: Uint8Array, { n, r, p }: Cost): Promise<Buffer> {
  // Node refuses 32 MB and more by default, which is what N = 2^15 needs.
  const options = { N: n, r, p, maxmem: 128 * r * (n + p + 2) * 2 }
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Common PINs that the rules don't catch: down the middle of the pad, its corners, years of birth. */
const WELL_KNOWN = new Set([
  '2580',
  '0852',
  '1379',
  '9731',
  '1397',
  '1004',
  '2000',
  '1010',
  '1122',
  '1313',
  '147258369'
])

/** Returns why a PIN is refused, as a sentence for the person who chose it; undefined if it's accepted. */
export function pinRefusal(pin: string): string | undefined {
  if (!/^\d{4,12}$/.test(pin)) return 'Use 4 to 12 digits.'
  if (/^(\d)\1+$/.test(pin)) return 'Too easy to guess. Don’t repeat one digit.'
  if (isRun(pin)) return 'Too easy to guess. Don’t use consecutive digits, such as 1234 or 9876.'
  if (/^(\d{2,6})\1+$/.test(pin)) return 'Too easy to guess. Don’t repeat a pattern.'
  if (/^(?:(\d)\1)+$/.test(pin)) return 'Too easy to guess. Don’t use doubled digits.'
  if (WELL_KNOWN.has(pin)) return 'Too easy to guess. Choose another PIN.'
  return undefined
}

/** Ascending or descending by one, across the end of the pad too: 1234, 4321, 7890, 0987. */
function isRun(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, index) => (Number(digit) - Number(pin[index]) + 10) % 10))
  return steps.size === 1 && (steps.has(1) || steps.has(9))
}
