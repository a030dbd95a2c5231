/** A practice office on a port of its own, and a client that is let in. */
import { onTestFinished } from 'vitest'
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
  bearer: { scheme: 'bearer', token: 'tok-practice-1' }
} satisfies Record<string, AuthScheme>
export type SchemeName = keyof typeof schemes
export const schemeNames = Object.keys(schemes) as SchemeName[]

export function authenticationFor(scheme: SchemeName) {
  const effects = { clock: Date.now }
  if (scheme === 'api-key') return createAuthentication({ scheme, ...aKey }, effects)
  if (scheme === 'bearer')
    return createAuthentication({ scheme, token: () => schemes.bearer.token, apiKey: aKey }, effects)
  return createAuthentication({ scheme }, effects)
}

export interface OpenedOffice {
  office: PracticeOffice
  client: ServiceClient
}

/** Open until the test is over. */
export async function anOffice(
  options: OfficeOptions = {},
  scheme: SchemeName = 'none',
  changes: Partial<ServiceClientOptions> = {}
): Promise<OpenedOffice> {
  const office = await openPracticeOffice({ data: 'demo', auth: schemes[scheme], ...options })
  onTestFinished(() => office.close())
  return { office, client: clientOf(office.url, { authentication: authenticationFor(scheme), ...changes }) }
}
