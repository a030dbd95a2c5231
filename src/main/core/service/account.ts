/**
 * The account's limits and rights (not in the reference, so they may be missing), its recipients and its employer
 * records, each decoded separately. Reference section 4, operations 3 and 11, and 2.19.
 */
import {
  AccountInfo,
  type DecodedList,
  type DecodingProblem,
  decode,
  EMPLOYER_FIELDS,
  type EmployerKind,
  EmployerSet,
  Recipients,
  UpdateEmployersRequest
} from '../../../shared/model/index.ts'
import { postValidated } from './documents.ts'
import { callOf, decodeAnswer, decodeListAnswer, type Redact, undefinedIfUnsupported } from './operation.ts'
import type { CallOptions, Transport } from './transport.ts'

export function accountOperations(transport: Transport) {
  return {
    /** Returns the account's limits and rights; undefined if the service doesn't provide them. */
    async getAccountInfo(options?: CallOptions): Promise<AccountInfo | undefined> {
      const operation = 'Account/Info'
      const json = await undefinedIfUnsupported(transport.get(callOf(operation, options), 'read'))
      return json === undefined ? undefined : decodeAnswer(operation, AccountInfo, json, transport.redact)
    },

    /** Operation 11: tries its first path, then its second if the service lacks the first. */
    async getRecipients(options?: CallOptions): Promise<DecodedList<Recipients>> {
      const get = (operation: string) => transport.get(callOf(operation, options), 'list')
      const json = (await undefinedIfUnsupported(get('Recipient/GetRecipients'))) ?? (await get('Recipient/Recipients'))
      return decodeListAnswer('Recipient/GetRecipients', Recipients, json, transport.redact)
    },

    /** Operation 3: saves employers (2.18) and returns all of the account's employers (2.19). */
    async updateEmployers(request: UpdateEmployersRequest, options?: CallOptions): Promise<EmployersAnswer> {
      const operation = 'FormDirect/UpdateEmployers'
      const json = await postValidated(transport, operation, UpdateEmployersRequest, request, options)
      return decodeEmployers(operation, json, transport.redact)
    },

    /** Returns the account's employers. Not in the reference (endpoint rule 11): undefined if the service lacks it. */
    async getEmployers(options?: CallOptions): Promise<EmployersAnswer | undefined> {
      const operation = 'FormDirect/Employers'
      const json = await undefinedIfUnsupported(transport.get(callOf(operation, options), 'read'))
      return json === undefined ? undefined : decodeEmployers(operation, json, transport.redact)
    }
  }
}

/** A record that can't be read: its path in the answer, and its name if that is text. */
export interface UnreadableEmployer extends Pick<DecodingProblem, 'path'> {
  kind: EmployerKind
  name: string
}

/** All of the account's employers. Unreadable records are listed separately and don't affect the others. */
export interface EmployersAnswer {
  set: EmployerSet
  unreadable: UnreadableEmployer[]
}

const KINDS = new Map((Object.keys(EMPLOYER_FIELDS) as EmployerKind[]).map((kind) => [kind.toLowerCase(), kind]))

/** Decodes employers record by record. @throws ServiceError `unexpected-shape` if it isn't a set of lists at all. */
function decodeEmployers(operation: string, json: unknown, redact: Redact): EmployersAnswer {
  if (typeof json !== 'object' || json === null)
    return { set: decodeAnswer(operation, EmployerSet, json, redact), unreadable: [] }
  const unreadable: UnreadableEmployer[] = []
  const readable = Object.entries(json).map(([member, value]) => {
    const kind = KINDS.get(member.toLowerCase())
    if (!kind || !Array.isArray(value)) return [member, value] as const
    const records = value.filter((record, place) => {
      const read = decode(EmployerSet, { [kind]: [record] })
      if (!read.ok) {
        unreadable.push({ kind, name: nameOf(record), path: read.problem.path.replace('[0]', `[${place}]`) })
      }
      return read.ok
    })
    return [member, records] as const
  })
  return { set: decodeAnswer(operation, EmployerSet, Object.fromEntries(readable), redact), unreadable }
}

function nameOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return ''
  const texts = Object.entries(record).filter(([, value]) => typeof value === 'string' && value.trim() !== '')
  const read = new Map(texts.map(([name, value]) => [name.toLowerCase(), value as string]))
  return (read.get('name') ?? read.get('reference') ?? '').slice(0, MAX_NAME_LENGTH)
}

/** In characters; the name appears in a sentence. */
const MAX_NAME_LENGTH = 80
