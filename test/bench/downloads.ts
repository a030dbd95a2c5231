/**
 * 300 PDFs of 2 MB through the queue, four at a time, each hashed, flushed to disk and recorded, against a bare loop
 * that streams the same to files with `fetch`. Also the memory that this takes, and that of one PDF of 200 MB.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growthOf } from './download-growth.ts'
import { bareLoop, CONCURRENCY, throughTheQueue } from './download-ways.ts'
import { type Bench, type Figure, median, rounded } from './figure.ts'
import { openPdfService, referenceOf } from './pdf-service.ts'

const FILES = 300
const PAIRS = 5
const MIN_THROUGHPUT = 0.8
const MAX_GROWTH = 80

export const downloads: Bench = {
  name: 'downloads',
  async run(): Promise<Figure[]> {
    const service = await openPdfService()
    const root = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    try {
      const references = Array.from({ length: FILES }, (_, index) => referenceOf(index, 2))
      const many = await growthOf(service.url, root, references)
      const one = await growthOf(service.url, root, [referenceOf(0, 200)])
      for (const way of [bareLoop, throughTheQueue]) await way(service.url, root, references)
      const ratios: number[] = []
      for (let pair = 0; pair < PAIRS; pair++) {
        // Whichever is second has warmer caches, so they take turns.
        const turns = pair % 2 === 0 ? [bareLoop, throughTheQueue] : [throughTheQueue, bareLoop]
        const took = new Map<unknown, number>()
        for (const way of turns) took.set(way, await way(service.url, root, references))
        ratios.push((took.get(bareLoop) ?? Number.NaN) / (took.get(throughTheQueue) ?? Number.NaN))
      }
      const spread = `${rounded(Math.min(...ratios))} to ${rounded(Math.max(...ratios))}`
      return [
        {
          name: 'downloads-throughput',
          value: rounded(median(ratios)),
          unit: 'ratio',
          limit: MIN_THROUGHPUT,
          better: 'higher',
          against: `fetch to files alone, neither hashed nor flushed, ${CONCURRENCY} at a time, ${FILES} PDFs of 2 MB, ${PAIRS} pairs: ${spread}`
        },
        {
          name: 'downloads-memory',
          value: rounded(many),
          unit: 'MB',
          limit: MAX_GROWTH,
          better: 'lower',
          against: `the process before ${FILES} PDFs of 2 MB, at its peak`
        },
        {
          name: 'downloads-memory-of-a-large-one',
          value: rounded(one),
          unit: 'MB',
          limit: MAX_GROWTH,
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
