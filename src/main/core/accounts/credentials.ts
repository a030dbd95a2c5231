/**
 * An account's credentials as stored in the keychain, one JSON text per account, and validation of what users enter for
 * an account: errors name the field and never repeat a secret.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { FieldMessage } from '../../../shared/contract/errors.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Credentials } from '../service/authentication.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import { type AccountSecrets, type Keychain, memoryKeychain } from '../storage/keychain.ts'
import type { OAuthTokens } from './oauth-tokens.ts'

/** These become HTTP headers, which only allow visible ASCII. */
const headerValue = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .regex(/^[\x20-\x7e]+$/, 'Use only plain letters, numbers and symbols.')

const accessUrl = headerValue(2000).refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
  message: 'Enter the full URL registered for the key, starting with https://.'
})

const apiKey = {
  key: headerValue(10_000),
  /** Signs requests and is never sent, so any text is allowed. Not trimmed: spaces may be part of it. */
  secret: z.string().min(1).max(10_000),
  /** The access URL registered for the key; sent as Referer. */
  referer: accessUrl,
  /** E-mail address of the user to send on behalf of. Empty means none. */
  sender: z
    .string()
    .trim()
    .max(320)
    .regex(/^[\x21-\x7e]*$/, 'Enter one e-mail address.')
    .transform((text) => text || undefined)
    .optional()
}

/** Headers that belong to HTTP itself or to the other schemes; offices can't set them. */
const RESERVED_HEADERS =
  /^(accept|connection|content-.*|cookie2?|date|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|x-custom-.*)$/i
const MAX_HEADERS = 10

/** A sign-in service's address: it receives secrets, and users type their passwords there. */
const signInUrl = z
  .string()
  .trim()
  .max(2000)
  .transform((text, context) => {
    const url = URL.parse(text)
    const isPlain = url && !url.username && !url.password && !url.hash && !/[\s\\\p{C}]/u.test(text)
    if (isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isThisComputer(url.hostname))))
      return text
    context.addIssue({ code: 'custom', message: 'Enter a full address, starting with https://.' })
    return z.NEVER
  })

const token = headerValue(10_000)

/** An office's OAuth 2 settings and tokens. */
const oauth = z
  .strictObject({
    scheme: z.literal('oauth'),
    grant: z.enum(['code', 'client']),
    clientId: headerValue(1000),
    /** Sent to the sign-in service only. Not trimmed: spaces may be part of it. */
    secret: z.string().min(1).max(10_000).optional(),
    issuer: signInUrl.optional(),
    authorizeUrl: signInUrl.optional(),
    tokenUrl: signInUrl.optional(),
    revokeUrl: signInUrl.optional(),
    scope: z
      .string()
      .trim()
      .max(1000)
      .regex(/^[\x20-\x7e]*$/, 'Separate scopes with spaces.')
      .transform((text) => text || undefined)
      .optional(),
    apiKey: z.strictObject(apiKey).optional(),
    /** Discovered during sign-in. */
    endpoints: z
      .strictObject({
        issuer: z.string(),
        authorize: signInUrl.optional(),
        token: signInUrl,
        revoke: signInUrl.optional(),
        isBasic: z.boolean().optional()
      })
      .optional(),
    tokens: z
      .strictObject({
        refresh: token.optional(),
        access: token.optional(),
        until: z.number().optional(),
        renewAt: z.number().optional()
      })
      .optional()
  })
  .check(({ value, issues }) => {
    const { grant, secret, issuer, authorizeUrl, tokenUrl } = value
    const missing = (path: keyof typeof value, message: string) =>
      void issues.push({ code: 'custom', input: value, path: [path], message })
    if (grant === 'client' && secret === undefined) missing('secret', 'Enter the client secret.')
    if (issuer !== undefined) return
    if (tokenUrl === undefined) missing('tokenUrl', 'Enter the address for tokens.')
    if (grant === 'code' && authorizeUrl === undefined)
      missing('authorizeUrl', 'Enter the address of the sign-in page.')
  })

export type OAuthCredentials = z.output<typeof oauth>

export const AccountCredentials = z.discriminatedUnion('scheme', [
  oauth,
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.literal('api-key'), ...apiKey }),
  z.strictObject({
    scheme: z.literal('bearer'),
    token: headerValue(10_000).refine((text) => !text.includes(' '), { message: 'A token can’t contain spaces.' }),
    apiKey: z.strictObject(apiKey).optional()
  }),
  z.strictObject({
    scheme: z.literal('basic'),
    user: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .regex(/^[^:\p{Cc}]+$/u, 'A user name can’t contain a colon.'),
    /** Not trimmed: spaces may be part of it. */
    password: z
      .string()
      .min(1)
      .max(10_000)
      .regex(/^\P{Cc}+$/u, 'Use only letters, numbers, symbols and spaces.')
  }),
  z.strictObject({
    scheme: z.literal('headers'),
    headers: z
      .array(
        z.strictObject({
          name: z
            .string()
            .trim()
            .min(1)
            .max(100)
            .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'A header’s name has only letters, numbers and hyphens.')
            .refine((name) => !RESERVED_HEADERS.test(name), { message: 'Countersign sets this header itself.' }),
          value: headerValue(10_000)
        })
      )
      .min(1)
      .max(MAX_HEADERS)
      .refine((headers) => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length, {
        message: 'A header is listed twice.'
      })
      .readonly()
  })
])

export type AccountCredentials = z.output<typeof AccountCredentials>
export type CredentialsInput = z.input<typeof AccountCredentials>

type KeyInput = Extract<CredentialsInput, { scheme: 'api-key' }>
/** A change to an existing account: if no key is given, the stored one is kept, along with other missing members. */
export type CredentialsChange =
  | Exclude<CredentialsInput, KeyInput>
  | ({ readonly [Name in keyof KeyInput as Exclude<Name, 'scheme'>]?: KeyInput[Name] | undefined } & Pick<
      KeyInput,
      'scheme'
    >)

/** Converts credentials for the service client. @param openTokens opens the tokens of an account with OAuth 2. */
export function clientCredentials(
  credentials: AccountCredentials,
  openTokens: (signIn: OAuthCredentials) => Pick<OAuthTokens, 'token' | 'renewAfterRefusal'>
): Credentials {
  switch (credentials.scheme) {
    case 'none':
      return { scheme: 'none' }
    case 'oauth': {
      const { token, renewAfterRefusal } = openTokens(credentials)
      const { apiKey } = credentials
      return { scheme: 'bearer', token, onRejected: renewAfterRefusal, ...(apiKey && { apiKey: clientKey(apiKey) }) }
    }
    case 'api-key':
      return { scheme: 'api-key', ...clientKey(credentials) }
    case 'bearer': {
      const { token, apiKey } = credentials
      return { scheme: 'bearer', token: () => token, ...(apiKey && { apiKey: clientKey(apiKey) }) }
    }
    default:
      return credentials
  }
}

/**
 * Returns whether both credentials open the same user's folders: a key with a new secret is still the same key. Tokens
 * don't tell whose they are.
 */
export function isSameLogin(one: AccountCredentials, other: AccountCredentials): boolean {
  if (one.scheme === 'api-key' && other.scheme === 'api-key') {
    return one.key === other.key && one.sender === other.sender
  }
  if (one.scheme === 'basic' && other.scheme === 'basic') return one.user === other.user
  if (one.scheme === 'oauth' && other.scheme === 'oauth' && one.grant === 'client' && other.grant === 'client') {
    const ofOne = [one.clientId, one.issuer, one.tokenUrl, one.apiKey?.key, one.apiKey?.sender]
    return isDeepStrictEqual(ofOne, [
      ...[other.clientId, other.issuer, other.tokenUrl],
      ...[other.apiKey?.key, other.apiKey?.sender]
    ])
  }
  return isDeepStrictEqual(one, other)
}

type StoredApiKey = NonNullable<Extract<AccountCredentials, { scheme: 'bearer' }>['apiKey']>

function clientKey({ key, secret, referer, sender }: StoredApiKey) {
  return { key, secret, accessUrl: referer, ...(sender !== undefined && { sender }) }
}

/**
 * Serialises credentials together with their service's origin, and whether they came with an enrolment file: keychain
 * and database can't be updated atomically, and a secret must never reach another service, nor an enrolled one a file.
 */
export function encodeCredentials(
  credentials: AccountCredentials,
  baseUrl: string | null,
  isEnrolled: boolean
): string {
  return JSON.stringify({
    ...withoutRenewableTokens(credentials),
    origin: originOf(baseUrl),
    ...(isEnrolled && { isEnrolled })
  })
}

/**
 * Access tokens are short-lived, and some keychains have little room, so they aren't stored if a refresh token or
 * client secret can replace them.
 */
function withoutRenewableTokens(credentials: AccountCredentials): AccountCredentials {
  if (credentials.scheme !== 'oauth' || !credentials.tokens) return credentials
  const { tokens, ...rest } = credentials
  if (rest.grant === 'client') return rest
  return { ...rest, tokens: tokens.refresh === undefined ? tokens : { refresh: tokens.refresh } }
}

/** Returns undefined if the text is foreign, damaged, or for another service. */
export function decodeCredentials(text: string, baseUrl: string | null): AccountCredentials | undefined {
  const kept = Entry.safeParse(parsedJson(text)).data
  if (!kept) return undefined
  const { origin, isEnrolled: _, ...credentials } = kept
  // Older entries have no origin and are accepted for any address.
  if (origin !== undefined && origin !== originOf(baseUrl)) return undefined
  return AccountCredentials.safeParse(credentials).data
}

/** Whether a stored secret came with an enrolment file. */
export function isEnrolledSecret(text: string | null): boolean {
  return text !== null && Entry.safeParse(parsedJson(text)).data?.isEnrolled === true
}

const Entry = z.looseObject({ origin: z.string().optional(), isEnrolled: z.boolean().optional() })

export function originOf(baseUrl: string | null): string | undefined {
  return baseUrl === null ? undefined : URL.parse(baseUrl)?.origin
}

/**
 * Returns where accounts' secrets are stored: in the keychain, if the database is on disk. Accounts in memory keep
 * their secrets there too; otherwise they would stay in the keychain without an owner.
 */
export function accountSecretsFor(opened: OpenedDatabase, keychain: Keychain): AccountSecrets {
  return opened.state === 'encrypted' ? keychain.accounts : memoryKeychain().accounts
}

/** Validates a service's address and credentials. @param plainHttp as for `readTypedAddress`. */
export function readService(
  input: { baseUrl: string; authentication: CredentialsInput },
  plainHttp: readonly string[] = []
) {
  return { baseUrl: readAddress(input.baseUrl, plainHttp), credentials: readCredentials(input.authentication) }
}

export function readName(typed: string): string {
  const name = typed.trim().normalize('NFC')
  return name === '' ? invalid([{ field: 'name', message: 'Enter a name.' }]) : name
}

export function readAddress(typed: string, plainHttp: readonly string[] = []): string {
  const read = readTypedAddress(typed, plainHttp)
  return read.ok ? read.value : invalid([{ field: 'baseUrl', message: read.message }])
}

/** Whether some of the stored credentials are kept; these may only go to the service they are for. */
export function keepsStoredCredentials(input: CredentialsChange | undefined): boolean {
  return input === undefined || (input.scheme === 'api-key' && input.key === undefined)
}

/** Returns an account's new credentials: the input, merged over the stored key if that is kept. */
export function mergedCredentials(
  input: CredentialsChange,
  stored: AccountCredentials | undefined
): AccountCredentials {
  if (!keepsStoredCredentials(input) || stored?.scheme !== 'api-key') return readCredentials(input)
  const typed = Object.entries(input).filter(([, value]) => value !== undefined)
  return readCredentials({ ...stored, ...Object.fromEntries(typed) })
}

export function readCredentials(input: CredentialsChange): AccountCredentials {
  const read = AccountCredentials.safeParse(input)
  return read.success ? read.data : invalid(read.error.issues.map(fieldMessage))
}

function fieldMessage(issue: z.core.$ZodIssue): FieldMessage {
  const isOurs = issue.code === 'custom' || issue.code === 'invalid_format'
  return {
    field: ['authentication', ...issue.path].join('.'),
    message: isOurs ? issue.message : 'This is missing or too long.'
  }
}

function invalid(fields: FieldMessage[]): never {
  return fail('invalid', fields[0]?.message ?? 'Something here isn’t valid.', { fields })
}

/**
 * A signing service's address as typed. Stored as typed, with the path's case, but without trailing slashes; addresses
 * that would misdirect credentials are refused.
 */

type AddressResult =
  | { readonly ok: true; readonly value: string }
  /** A plain sentence for the user, which doesn't repeat the input. */
  | { readonly ok: false; readonly message: string }

/**
 * Validates an address like `https://sign.example.com/web/v1.4`. `http` is allowed only for this computer, and for
 * hosts named by the organisation.
 */
export function readTypedAddress(typed: string, plainHttp: readonly string[] = []): AddressResult {
  const text = typed.trim()
  if (text === '') return invalidAddress('Enter the service address.')
  if (/[\s\\\p{C}]/u.test(text)) return invalidAddress('An address can’t contain spaces or backslashes.')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return invalidAddress('Start the address with https://.')
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    return invalidAddress('This address isn’t complete. Example: https://signing.example.com/web/v1.4')
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    return invalidAddress('Leave the user name and password out of the address.')
  }
  if (/[?#]/.test(text)) return invalidAddress('Leave out everything from “?” or “#”.')
  if (url.protocol === 'http:' && !isThisComputer(url.hostname) && !plainHttp.includes(url.hostname)) {
    return invalidAddress('The address must start with https:// to keep your key or token safe.')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalidAddress('Start the address with https://.')
  return { ok: true, value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

function isThisComputer(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function invalidAddress(message: string): AddressResult {
  return { ok: false, message }
}
