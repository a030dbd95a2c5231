/** How an account proves who it is, as it is kept in the keychain: one JSON text for each account. */
import { z } from 'zod'
import type { Credentials } from '../service/authentication.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import { type AccountSecrets, type Keychain, memoryKeychain } from '../storage/keychain.ts'

/** These go out as HTTP headers, which carry nothing but visible ASCII. */
const header = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[\x20-\x7e]+$/, 'Only plain letters, digits and signs can be sent here.')

const accessUrl = header(2000).refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
  message: 'Enter the whole address that is registered for the key, beginning with https://.'
})

const apiKey = {
  key: header(10_000),
  /** Signs requests and is never sent, so it may be any text. Not trimmed: a space may be part of it. */
  secret: z.string().min(1).max(10_000),
  /** The access URL registered for the key; goes out as Referer. */
  referer: accessUrl,
  /** E-mail address of the user on whose behalf is sent. An empty one is none. */
  sender: z
    .string()
    .trim()
    .max(320)
    .regex(/^[\x21-\x7e]*$/, 'Enter a single e-mail address.')
    .transform((text) => text || undefined)
    .optional()
}

export const AccountCredentials = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.literal('api-key'), ...apiKey }),
  z.strictObject({
    scheme: z.literal('bearer'),
    token: header(10_000).refine((text) => !text.includes(' '), { message: 'A token has no spaces.' }),
    apiKey: z.strictObject(apiKey).optional()
  })
])

export type AccountCredentials = z.output<typeof AccountCredentials>
export type CredentialsInput = z.input<typeof AccountCredentials>

/** As the client of the service takes them. */
export function clientCredentials(credentials: AccountCredentials): Credentials {
  switch (credentials.scheme) {
    case 'none':
      return { scheme: 'none' }
    case 'api-key':
      return { scheme: 'api-key', ...clientKey(credentials) }
    case 'bearer': {
      const { token, apiKey } = credentials
      return { scheme: 'bearer', token: () => token, ...(apiKey && { apiKey: clientKey(apiKey) }) }
    }
  }
}

/**
 * Whether both open the same user's folders at the service: a key that has a new secret is still the same key. A token
 * doesn't say whose it is.
 */
export function isSameLogin(one: AccountCredentials, other: AccountCredentials): boolean {
  if (one.scheme === 'api-key' && other.scheme === 'api-key') {
    return one.key === other.key && one.sender === other.sender
  }
  return encodeCredentials(one) === encodeCredentials(other)
}

type KeptKey = NonNullable<Extract<AccountCredentials, { scheme: 'bearer' }>['apiKey']>

function clientKey({ key, secret, referer, sender }: KeptKey) {
  return { key, secret, accessUrl: referer, ...(sender !== undefined && { sender }) }
}

export function encodeCredentials(credentials: AccountCredentials): string {
  return JSON.stringify(credentials)
}

/** Undefined when the text isn't ours or is damaged. */
export function decodeCredentials(text: string): AccountCredentials | undefined {
  try {
    return AccountCredentials.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Where the secrets of this run's accounts belong: the keychain's entries beside a database on disk. Accounts that are in memory only keep their secrets there too:
 * otherwise they would stay in the keychain when nobody knows any longer whose they are.
 */
export function secretsBeside(opened: OpenedDatabase, keychain: Keychain): AccountSecrets {
  return opened.state === 'encrypted' ? keychain.accounts : memoryKeychain().accounts
}
