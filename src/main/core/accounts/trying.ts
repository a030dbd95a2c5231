/**
 * Tries an account before it is kept: asks the service that it would have, as it would, for what its folders hold. Nothing is
 * chosen, kept or changed by it, and no other account is touched.
 */
import { scanList } from '../lib/json-scanning.ts'
import { inSlices } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Credentials } from '../service/authentication.ts'
import type { Unread } from '../service/documents.ts'
import { createAuthentication, createServiceClient, type Fetch, isServiceError } from '../service/index.ts'
import { USUAL_FOLDERS } from './account.ts'

export interface Trial {
  baseUrl: string
  credentials: Credentials
  folders?: readonly string[] | undefined
}

interface TrialDeps {
  fetch: Fetch
  time: Pick<Time, 'now' | 'random'>
}

/**
 * @returns how many documents the folders hold, and which folders the service doesn't have.
 * @throws ServiceError where a folder can't be read for any other reason, or none can.
 */
export async function tryService(
  { baseUrl, credentials, folders = USUAL_FOLDERS }: Trial,
  { fetch, time }: TrialDeps
): Promise<{ documents: number; missing: string[] }> {
  const client = createServiceClient({
    ...{ baseUrl, fetch, clock: time.now, random: time.random },
    authentication: createAuthentication(credentials, { clock: time.now })
  })
  const missing: string[] = []
  let documents = 0
  let first: unknown
  for (const folder of folders) {
    try {
      const { count } = await client.readActiveDocuments(folder, {}, async (bytes): Promise<Counted | Unread> => {
        const scan = await inSlices(scanList(bytes))
        return scan ? { kind: 'taken', count: scan.count } : notAList(bytes)
      })
      documents += count
    } catch (error) {
      if (!isServiceError(error) || (error.code !== 'not-found' && error.code !== 'invalid')) throw error
      first ??= error
      missing.push(folder)
    }
  }
  if (missing.length === folders.length) throw first
  return { documents, missing }
}

interface Counted {
  kind: 'taken'
  count: number
}

/** Nothing is an empty list; other JSON says that a service is there, and another one. */
function notAList(bytes: Uint8Array): Counted | Unread {
  const text = new TextDecoder().decode(bytes.subarray(0, 64)).trim()
  if (text === 'null') return { kind: 'taken', count: 0 }
  return /^[{["\d]/.test(text) ? { kind: 'unexpected-shape', path: '', said: {} } : { kind: 'not-json' }
}
