/** The items of an answer while it is taken over: which are as they are kept, and which are to be read. */

import type { Scan } from '../../lib/json-scanning.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { DeskQuestions } from '../questions.ts'
import { type Answered, readItem } from './answer-decode.ts'
import { itemHash, textOf } from './answer-text.ts'
import type { Account, Entry, Folder, Mode } from './state.ts'

/** A folder's answer while it is taken over. */
export interface Taking {
  account: Account
  folder: Folder
  ask: DeskQuestions['take']['ask']
  mode: Mode
  number: number
  arrived: number
  isBaseline: boolean
  bytes: Uint8Array
  scan: Scan
  /** Of the folder, when it began. */
  disturbances: number
}

/** An item that isn't, byte for byte, what is kept. */
export interface Other {
  place: number
  hash: string
}

/** Notes what is as it was as seen; answers what isn't. */
export function* othersOf(taking: Taking): Sliced<Other[]> {
  const { account, number, bytes, scan } = taking
  const others: Other[] = []
  for (let place = 0; place < scan.count; place++) {
    if (place % 16 === 0) yield
    const hash = itemHash(itemOf(bytes, scan, place))
    const entry = account.byHash.get(hash)
    if (entry && isAsKept(taking, entry, hash)) {
      entry.look = number
      entry.place = place
    } else {
      others.push({ place, hash })
    }
  }
  return others
}

/**
 * Where each document stands last among those that aren't as they were: an answer may name one twice. Undefined where
 * one of them isn't JSON, and so the whole answer isn't.
 */
export function* lastPlaces(taking: Taking, others: readonly Other[]): Sliced<Map<string, number> | undefined> {
  const last = new Map<string, number>()
  for (const { place } of others) {
    yield
    const answered = answeredAt(taking, place)
    if (answered.kind === 'not-json') return undefined
    if (answered.kind === 'document') last.set(answered.document.Reference, place)
  }
  return last
}

export function answeredAt({ bytes, scan }: Pick<Taking, 'bytes' | 'scan'>, place: number): Answered {
  return readItem(textOf(itemOf(bytes, scan, place)), scan.tooDeep.has(place))
}

/** Whether these bytes say of the document what is kept of it, and nothing newer is known. */
function isAsKept({ account, folder, mode, ask }: Taking, entry: Entry, hash: string): boolean {
  return (
    entry.hashes[mode] === hash &&
    entry.folder === folder.name &&
    entry.isPlaced &&
    entry.knownAt <= ask.begun &&
    account.board.get(entry.reference)?.goneAt === undefined
  )
}

function itemOf(bytes: Uint8Array, { starts, ends }: Scan, place: number): Uint8Array {
  return bytes.subarray(starts[place], ends[place])
}
