/** Reads an answer as the records of an identity check (2.22): a list of them, or one, or either in a JSON string. */
import type { DecodedList } from '../../../shared/model/index.ts'
import { IDVerificationRecord } from '../../../shared/model/index.ts'
import { type Finding, ServiceError } from './errors.ts'
import { asIdentityTrouble, notWhatWasAsked, OPERATION } from './identity-trouble.ts'
import { decodedList } from './operation.ts'
import type { Refusal } from './refusal.ts'
import type { CallOptions, Transport } from './transport.ts'
import { type Came, isRecord, LOOKED_AT, whatCame, whatJsonIs } from './what-came.ts'

export interface RecordsAnswer {
  list: DecodedList<IDVerificationRecord>
  /** The answer's body as it came, unpacked. */
  bytes: Uint8Array
}

/** @throws ServiceError; a record that can't be read is none, but a problem beside the others. */
export async function readRecords(
  transport: Transport,
  path: string,
  options: CallOptions | undefined
): Promise<RecordsAnswer> {
  let instead: Came | undefined
  try {
    // Its images make it as large as a list.
    const { json, bytes } = await transport.take(
      { ...options, operation: OPERATION, path },
      'list',
      async (bytes, charset) => {
        try {
          return { json: await transport.parse(bytes, charset), bytes }
        } catch {
          // Perhaps JSON comes when it is asked for in another way; if not, this is what came.
          instead = whatCame(bytes.subarray(0, LOOKED_AT), bytes.byteLength <= LOOKED_AT)
          return undefined
        }
      }
    )
    return { list: recordsIn(json, transport.shown), bytes }
  } catch (thrown) {
    throw thrown instanceof ServiceError && thrown.code === 'not-json' && instead
      ? trouble(thrown.status === 204 ? 'no-content' : instead.finding, transport.shown(instead.said))
      : asIdentityTrouble('json', thrown)
  }
}

function recordsIn(json: unknown, shown: (said: Refusal) => Refusal): DecodedList<IDVerificationRecord> {
  const value = unwrapped(json)
  if (Array.isArray(value) && value.length > 0) return decodedList(OPERATION, IDVerificationRecord, value)
  if (isRecord(value)) return decodedList(OPERATION, IDVerificationRecord, [value])
  const { finding, said } = whatJsonIs(value)
  throw trouble(finding, shown(said))
}

/** Some services answer text that holds the JSON. */
function unwrapped(json: unknown): unknown {
  if (typeof json !== 'string') return json
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function trouble(finding: Finding, said: Refusal): ServiceError {
  return notWhatWasAsked('json', finding, said)
}
