/** A practice office on its own port, and a client with access. */
import { onTestFinished } from 'vitest'
import type { Credentials } from '../../src/main/core/service/authentication.ts'
import {
  createAuthentication,
  type ServiceClient,
  type ServiceClientOptions
} from '../../src/main/core/service/index.ts'
import type { AuthScheme } from '../../src/practice/authentication.ts'
import { type OfficeOptions, openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { aKey, clientOf } from './client-factory.ts'

const schemes = {
  none: { scheme: 'none' },
  'api-key': { scheme: 'hmac', key: aKey.key, secret: aKey.secret, referer: aKey.accessUrl },
  bearer: { scheme: 'bearer', token: 'tok-practice-1' },
  'bearer-and-key': {
    scheme: 'bearer-and-key',
    token: 'tok-practice-1',
    key: aKey.key,
    secret: aKey.secret,
    referer: aKey.accessUrl
  },
  basic: { scheme: 'basic', user: 'bureau-tūī', password: 'pass word: ü' },
  headers: { scheme: 'headers', headers: { 'X-Gateway-Key': 'gate-1', Authorization: 'Gate gate-2' } }
} satisfies Record<string, AuthScheme>
export type SchemeName = keyof typeof schemes
/** The schemes that public clients of the service use: each operation is tested with each. */
export const schemeNames = ['none', 'api-key', 'bearer'] as const satisfies SchemeName[]

export function authenticationFor(scheme: SchemeName) {
  const token = () => schemes.bearer.token
  const credentials: Record<SchemeName, Credentials> = {
    none: { scheme: 'none' },
    'api-key': { scheme: 'api-key', ...aKey },
    bearer: { scheme: 'bearer', token },
    'bearer-and-key': { scheme: 'bearer', token, apiKey: aKey },
    basic: schemes.basic,
    headers: {
      scheme: 'headers',
      headers: Object.entries(schemes.headers.headers).map(([name, value]) => ({ name, value }))
    }
  }
  return createAuthentication(credentials[scheme], { clock: Date.now })
}

export interface OpenedOffice {
  office: PracticeOffice
  client: ServiceClient
}

/** Opens an office until the test is over. */
export async function anOffice(
  options: OfficeOptions = {},
  scheme: SchemeName = 'none',
  changes: Partial<ServiceClientOptions> = {}
): Promise<OpenedOffice> {
  const office = await openPracticeOffice({ data: 'demo', auth: schemes[scheme], ...options })
  onTestFinished(() => office.close())
  return { office, client: clientOf(office.url, { authentication: authenticationFor(scheme), ...changes }) }
}
