/** The employers that the service answers (reference section 2.19), read record by record. */
import {
  type DecodingProblem,
  decode,
  EMPLOYER_FIELDS,
  type EmployerKind,
  EmployerSet
} from '../../../shared/model/index.ts'
import { decoded } from './encoding.ts'

/** A record that can't be read: where it stands in the answer, and what it calls itself, where that is text. */
export interface UnreadableEmployer extends Pick<DecodingProblem, 'path'> {
  kind: EmployerKind
  name: string
}

/** All that the account has. A record that can't be read is named, and loses no other. */
export interface EmployersAnswer {
  set: EmployerSet
  unreadable: UnreadableEmployer[]
}

const KINDS = new Map((Object.keys(EMPLOYER_FIELDS) as EmployerKind[]).map((kind) => [kind.toLowerCase(), kind]))

/** @throws ServiceError `unexpected-shape` where it isn't a set of lists at all. */
export function decodedEmployers(operation: string, json: unknown): EmployersAnswer {
  if (typeof json !== 'object' || json === null) return { set: decoded(operation, EmployerSet, json), unreadable: [] }
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
  return { set: decoded(operation, EmployerSet, Object.fromEntries(readable)), unreadable }
}

function nameOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return ''
  const texts = Object.entries(record).filter(([, value]) => typeof value === 'string' && value.trim() !== '')
  const read = new Map(texts.map(([name, value]) => [name.toLowerCase(), value as string]))
  return (read.get('name') ?? read.get('reference') ?? '').slice(0, LONGEST_NAME)
}

/** In characters: the name is shown in a sentence. */
const LONGEST_NAME = 80
