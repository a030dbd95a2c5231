/**
 * 300 PDFs of 2 MB through the queue, four at a time, each hashed, flushed to the disk and written down, against a bare loop
 * that streams the same to files by `fetch`; and what memory that takes, and one PDF of 200 MB.
 */
import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkFile } from '../../src/main/core/downloads/checking.ts'
import { aDocument, downloadOffice } from '../fixtures/download-office.ts'
import { type Bench, type Figure, median, rounded } from './figure.ts'
import { lengthOf, openPdfService, type PdfService, referenceOf, sha256Of } from './pdf-service.ts'

/** What `fetch` answers is of the web's type, and the same thing. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0]

const FILES = 300
const LANES = 4
const PAIRS = 5
const MEGABYTE = 1024 * 1024
const LEAST_THROUGHPUT = 0.8
const MOST_GROWTH = 80

export const downloads: Bench = {
  name: 'downloads',
  async run(): Promise<Figure[]> {
    const service = await openPdfService()
    const root = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    try {
      const references = Array.from({ length: FILES }, (_, index) => referenceOf(index, 2))
      const large = [referenceOf(0, 200)]
      // Before anything else: what was used before could be used again, and would not be seen.
      const many = await growthOf(() => throughTheQueue(service, root, references))
      const one = await growthOf(() => throughTheQueue(service, root, large))
      await bareLoop(service, root, references)
      const ratios: number[] = []
      for (let pair = 0; pair < PAIRS; pair++) {
        // Whoever is second has it warmer: they take turns.
        const turns = pair % 2 === 0 ? [bareLoop, throughTheQueue] : [throughTheQueue, bareLoop]
        const took = new Map<unknown, number>()
        for (const way of turns) took.set(way, await way(service, root, references))
        ratios.push((took.get(bareLoop) ?? Number.NaN) / (took.get(throughTheQueue) ?? Number.NaN))
      }
      const spread = `${rounded(Math.min(...ratios))} to ${rounded(Math.max(...ratios))}`
      return [
        {
          name: 'downloads-throughput',
          value: rounded(median(ratios)),
          unit: 'ratio',
          limit: LEAST_THROUGHPUT,
          better: 'higher',
          against: `fetch to files alone, neither hashed nor flushed, ${LANES} at a time, ${FILES} PDFs of 2 MB, ${PAIRS} pairs: ${spread}`
        },
        {
          name: 'downloads-memory',
          value: rounded(many),
          unit: 'MB',
          limit: MOST_GROWTH,
          better: 'lower',
          against: `the process before ${FILES} PDFs of 2 MB, at its peak`
        },
        {
          name: 'downloads-memory-of-a-large-one',
          value: rounded(one),
          unit: 'MB',
          limit: MOST_GROWTH,
          better: 'lower',
          against: 'the process before one PDF of 200 MB, at its peak'
        }
      ]
    } finally {
      await service.close()
      await rm(root, { recursive: true, force: true })
    }
  }
}

const addressOf = (service: PdfService, reference: string) => `${service.url}/Download/IDVerification/${reference}/pdf`

/** Milliseconds that streaming takes where nothing is kept of it but the bytes. */
async function bareLoop(service: PdfService, root: string, references: readonly string[]): Promise<number> {
  const folder = join(root, 'bare')
  await mkdir(folder)
  const left = [...references]
  const began = performance.now()
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let reference = left.shift(); reference !== undefined; reference = left.shift()) {
        const { body } = await fetch(addressOf(service, reference))
        if (!body) throw new Error('Nothing came.')
        await pipeline(Readable.fromWeb(body as NodeStream), createWriteStream(join(folder, `${reference}.pdf`)))
      }
    })
  )
  const took = performance.now() - began
  await insistOn(references, (reference) => join(folder, `${reference}.pdf`))
  await clear(folder)
  return took
}

/** Milliseconds from the first being put in line until all are there, whole, and noted as such. */
async function throughTheQueue(service: PdfService, root: string, references: readonly string[]): Promise<number> {
  const folder = join(root, 'queue')
  const office = await downloadOffice({ folder, baseUrl: service.url })
  try {
    await office.look(references.map((reference) => aDocument(reference, { Name: reference })))
    office.downloads.configure({ concurrency: LANES })
    office.downloads.open()
    const choice = { types: ['pdf' as const], pattern: '{document}', writesIndex: false, folderId: office.folderId }
    const began = performance.now()
    await office.downloads.add(office.accountId, { references: [...references] }, choice)
    await office.rested()
    const took = performance.now() - began
    const { items } = office.downloads.list(office.accountId, { offset: 0, limit: 500 })
    if (items.length !== references.length) throw new Error(`${items.length} of ${references.length} came.`)
    for (const { sha256, documentReference } of items) {
      if (sha256 !== sha256Of(documentReference)) throw new Error(`${documentReference} was taken for another.`)
    }
    await insistOn(references, (reference) => join(office.files, `${reference}.pdf`))
    return took
  } finally {
    office.kill()
    await clear(folder)
  }
}

/** @throws where one of the files isn't what it should be. */
async function insistOn(references: readonly string[], pathOf: (reference: string) => string): Promise<void> {
  for (const reference of references) {
    const expected = { bytes: lengthOf(reference), sha256: sha256Of(reference) }
    const state = await checkFile(pathOf(reference), expected)
    if (state !== 'intact') throw new Error(`${reference} is ${state}.`)
  }
}

/** What one way left to be written must not hold up the other. */
async function clear(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  if (process.platform !== 'win32') execFileSync('sync')
}

/** By how many megabytes the process grows, at its peak, while something is done. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 4; round++) {
    collect()
    await new Promise((resume) => setTimeout(resume, 100))
  }
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return (Math.max(peak, process.memoryUsage.rss()) - before) / MEGABYTE
}
