/**
 * Polls of a folder through the real thread, and decoding: each against `JSON.parse` of the same bytes in the same run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AskDocuments, TakeResult } from '../../src/main/core/documents/questions.ts'
import { openDocumentsThread } from '../../src/main/shell/documents.ts'
import { decodeDocument } from '../../src/shared/model/document-decoding.ts'
import { type Bench, type Figure, lower, median } from './figure.ts'
import { CHANGED, openAnswer } from './large-folder.ts'

const WORKER = new URL('../../src/main/shell/documents-worker.ts', import.meta.url)
const SIZES = [10_000, 100_000]
const SMALL = 1000
const ROUNDS = 7

export const documents: Bench = {
  name: 'documents',
  async run(): Promise<Figure[]> {
    const figures: Figure[] = []
    const small = await polls(SMALL)
    for (const size of SIZES) {
      const { unchanged, changed, parse, first, stall } = await polls(size)
      const against = `JSON.parse of the same bytes, ${size} documents`
      figures.push(
        lower(`poll-unchanged-${size}`, unchanged / parse, 'ratio', 0.2, against),
        lower(`poll-ten-changes-${size}`, changed / parse, 'ratio', 3, against),
        lower(`decode-${size}`, decoding(size), 'ratio', 2, against),
        lower(`main-thread-stall-${size}`, stall, 'ms', 20, 'longest, while polls with changes are taken over'),
        // Not a promised limit: it is here so that a regression shows.
        lower(`first-look-${size}`, first / parse, 'ratio', 100, against)
      )
      if (size === 100_000) {
        const perDocument = changed / size / (small.changed / SMALL)
        figures.push(lower('poll-cost-per-document', perDocument, 'ratio', 1.2, `at ${SMALL} documents`))
      }
    }
    return figures
  }
}

/** Milliseconds of each, excluding the receiving of the bytes. */
async function polls(size: number) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const worker = openDocumentsThread({
    worker: WORKER,
    folder,
    key: { key: new Uint8Array(32).fill(7), isNew: true },
    log: { warn: console.warn, error: console.error }
  })
  try {
    const took = openTaking(worker.ask)
    const answer = openAnswer(size)
    const first = await took(answer(0), size)
    // Before anything else here leaves this thread garbage to collect.
    let stall = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const bytes = answer(round)
      stall = Math.max(stall, await longestStall(() => took(bytes, CHANGED)))
    }
    const parse: number[] = []
    const unchanged: number[] = []
    const changed: number[] = []
    for (let round = ROUNDS + 1; round <= 2 * ROUNDS; round++) {
      // In turn, so that other load on the machine affects all of them alike.
      parse.push(parsing(answer(round)))
      changed.push(await took(answer(round), CHANGED))
      unchanged.push(await took(answer(round), 0))
    }
    return { first, parse: median(parse), unchanged: median(unchanged), changed: median(changed), stall }
  } finally {
    await worker.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The longest that other work of this thread had to wait, in milliseconds. */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  await new Promise((resume) => setTimeout(resume, 50))
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  await work()
  clearInterval(timer)
  return longest
}

function openTaking(ask: AskDocuments) {
  let begun = 0
  return async (bytes: Uint8Array<ArrayBuffer>, changes: number): Promise<number> => {
    begun += 1000
    const read = { accountId: 'bench', folder: 'Progress', begun, now: begun + 1, withLogs: false }
    const since = performance.now()
    const taken: TakeResult = await ask('take', { ...read, bytes })
    const took = performance.now() - since
    if (taken.kind !== 'taken' || taken.changed !== changes)
      throw new Error(`Not as it should be: ${JSON.stringify(taken)}`)
    return took
  }
}

function parsing(bytes: Uint8Array): number {
  const since = performance.now()
  const items = JSON.parse(new TextDecoder().decode(bytes)) as unknown[]
  const took = performance.now() - since
  if (items.length === 0) throw new Error('There is nothing to read.')
  return took
}

/** How many times as long parsing and decoding takes as parsing alone. */
function decoding(size: number): number {
  const bytes = openAnswer(size)(0)
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = parsing(bytes)
    const since = performance.now()
    const items = JSON.parse(new TextDecoder().decode(bytes)) as unknown[]
    for (const item of items) if (!decodeDocument(item).ok) throw new Error('A document could not be read.')
    ratios.push((performance.now() - since) / alone)
  }
  return median(ratios)
}
