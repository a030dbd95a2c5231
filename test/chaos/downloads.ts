/**
 * Kills the process that downloads identity data at random moments with fifty files queued, from a service that is slow
 * at times and breaks off at others. A file under its final name must always be whole, and none may be saved twice or
 * elsewhere. In the end every queued file is there.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connectEncrypted } from '../../src/main/core/storage/connection.ts'
import { DATABASE_KEY } from '../fixtures/download-office.ts'
import { openPdfServer, type PdfServer, pdfOf } from '../fixtures/pdf-server.ts'
import { type Chance, chanceOf } from './chance.ts'
import { begin, killed } from './killed-process.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

const PROGRAM = new URL('./fetching-until-killed.ts', import.meta.url)
const IN_LINE = 50

interface Place {
  /** All files are below it; downloads belong in `own/Files`. */
  root: string
  server: PdfServer
  chance: Chance
  /** Documents whose queueing was confirmed. */
  confirmed: Set<string>
  /** Files already checked, with their modification times. */
  checked: Map<string, number>
  /** The path of each document's file. */
  found: Map<string, string>
}

/** Each round is one life of the process, which begins with fifty files queued. */
export async function downloadsChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const chance = chanceOf(seed)
  const server = await openPdfServer()
  badLine(server, chance)
  const place: Place = { root, server, chance, confirmed: new Set(), checked: new Map(), found: new Map() }
  const tally = emptyTally()
  let whileUnderWay = 0
  const note = notingIn(tally, say)
  try {
    await mkdir(join(root, 'own'))
    for (let round = 1; round <= rounds; round++) {
      await oneLife(place, round)
      const { faults, waiting } = await faultsIn(place, false)
      note(faults, `after round ${round}`)
      if (waiting > 0) whileUnderWay++
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds, ${place.found.size} files`)
    }
    await restFetched(place)
    note((await faultsIn(place, true)).faults, 'in the end')
    say(`killed ${whileUnderWay} times with files in line, ${place.found.size} files in the end`)
  } finally {
    await server.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** Some answers are slow, a few end in the middle, and one in fifty is a 503. */
function badLine(server: PdfServer, chance: Chance): void {
  let reports = 0
  server.answer = async (reference, response) => {
    // A report may be generated afresh on every request.
    const pdf = pdfOf(`${reference} ${++reports}`, sizeOf(reference))
    const fate = chance.below(50)
    if (fate === 0) return void response.writeHead(503).end()
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': pdf.length })
    const cutAt = fate < 4 ? chance.below(pdf.length) : pdf.length
    const piece = fate < 20 ? 16_000 : pdf.length
    for (let at = 0; at < cutAt; at += piece) {
      response.write(pdf.subarray(at, Math.min(at + piece, cutAt)))
      if (fate < 20) await pause(chance.below(25))
    }
    if (cutAt < pdf.length) response.destroy()
    else response.end()
  }
}

/** Always the same for a document. */
function sizeOf(reference: string): number {
  return 1_000 + ((Number(reference.slice(1)) * 7919) % 150_000)
}

async function oneLife(place: Place, round: number): Promise<void> {
  const { chance, confirmed, found } = place
  const missing = Math.max(0, IN_LINE - (confirmed.size - found.size))
  const added = Array.from({ length: missing }, (_, index) => aName(`D${confirmed.size + index + 1}`, round, chance))
  const { child, printed } = beginFetching(place, added)
  try {
    await printed('added')
    for (const { reference } of added) confirmed.add(reference)
    await pause(chance.below(900))
  } finally {
    await killed(child)
  }
}

/** Names that would lead elsewhere, that Windows doesn't allow, or that other documents share. */
function aName(reference: string, round: number, chance: Chance): { reference: string; name: string } {
  const name = chance.oneOf([
    `Lease ${reference}`,
    `../../${reference}`,
    `..\\..\\${reference}`,
    'CON',
    `Agreement of round ${round}`
  ])
  return { reference, name }
}

function beginFetching({ root, server }: Place, added: readonly { reference: string; name: string }[]) {
  return begin(PROGRAM, [join(root, 'own'), server.url, JSON.stringify(added)])
}

async function restFetched(place: Place): Promise<void> {
  const { child, printed } = beginFetching(place, [])
  try {
    await printed('rested')
  } finally {
    await killed(child)
  }
}

async function faultsIn(place: Place, isEnd: boolean): Promise<{ faults: Fault[]; waiting: number }> {
  const faults = await faultsOfFiles(place, isEnd)
  const rows = rowsOf(place)
  let waiting = 0
  for (const reference of place.confirmed) {
    const states = rows.get(reference) ?? []
    const isThere = place.found.has(reference)
    if (states.includes('waiting')) waiting++
    const isKnown = states.length === 1 && (states[0] === 'waiting' || (states[0] === 'done' && isThere))
    if (!isKnown)
      faults.push({ kind: 'lost', words: `${reference} is ${states.join(' and ') || 'nowhere'} in the queue` })
    if (isEnd && !isThere) faults.push({ kind: 'lost', words: `${reference} has no file` })
  }
  return { faults, waiting }
}

async function faultsOfFiles({ root, checked, found }: Place, isEnd: boolean): Promise<Fault[]> {
  const faults: Fault[] = []
  const files = join(root, 'own', 'Files')
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const within = relative(files, path)
    if (entry.isDirectory() || /^own\/office\.db(-wal|-shm)?$/.test(relative(root, path))) continue
    if (within.startsWith('..')) {
      faults.push({ kind: 'wrong', words: `${relative(root, path)} was written outside the folder` })
      continue
    }
    if (entry.name.endsWith('.part')) {
      if (isEnd) faults.push({ kind: 'wrong', words: `${within} was left behind` })
      continue
    }
    const { mtimeMs } = await stat(path)
    if (checked.get(path) === mtimeMs) continue
    if (checked.has(path)) faults.push({ kind: 'wrong', words: `${within} was written over` })
    checked.set(path, mtimeMs)
    faults.push(...faultsOfContent(await readFile(path), within, found))
  }
  return faults
}

function faultsOfContent(content: Buffer, path: string, found: Map<string, string>): Fault[] {
  const [, report = '', reference] = /^%PDF-1\.7\n((D\d+) \d+)\n/.exec(content.subarray(0, 40).toString('latin1')) ?? []
  if (reference === undefined || !content.equals(pdfOf(report, sizeOf(reference)))) {
    return [{ kind: 'partial', words: `${path} isn’t whole` }]
  }
  const other = found.get(reference)
  found.set(reference, path)
  return other === undefined ? [] : [{ kind: 'doubled', words: `${path} is ${other} once more` }]
}

function rowsOf({ root }: Place): Map<string, string[]> {
  const db = connectEncrypted(join(root, 'own', 'office.db'), DATABASE_KEY)
  try {
    const rows = db
      .prepare<[], { document_reference: string; state: string }>('SELECT document_reference, state FROM downloads')
      .all()
    const found = new Map<string, string[]>()
    for (const row of rows) found.set(row.document_reference, [...(found.get(row.document_reference) ?? []), row.state])
    return found
  } finally {
    db.close()
  }
}
