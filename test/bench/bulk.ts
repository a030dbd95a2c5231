/** The dry run of a sheet of two thousand rows: how long it takes, and how long it blocks the main thread. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { openBulk } from '../../src/main/core/bulk/bulk.ts'
import { openBulkWorker } from '../../src/main/shell/bulk.ts'
import { matchColumns } from '../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../src/shared/composition/bulk-targets.ts'
import { blankSigner } from '../../src/shared/composition/index.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { type Bench, type Figure, median, rounded } from './figure.ts'

const ROWS = 2000
const MANY = 10_000
const WORKER = new URL('../../src/main/shell/bulk-worker.ts', import.meta.url)

export const bulk: Bench = {
  name: 'bulk',
  async run(): Promise<Figure[]> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    const worker = openBulkWorker({ worker: WORKER, log: { error: (message) => console.error(message) } })
    const sheets = openBulk({
      worker,
      columns: { remember: () => undefined, find: () => undefined },
      outbox: {
        addBatch: () => Promise.reject(new Error('Nothing is sent here.')),
        sentRecently: () => new Map(),
        inTurn: (_, act) => act()
      },
      time: { now: Date.now, zone: () => 'Pacific/Auckland' },
      newId: () => 'sheet'
    })
    try {
      const path = join(folder, 'sheet.csv')
      await writeFile(path, sheet(ROWS))
      const { id, columns } = await sheets.open('office', 'sheet.csv', { path })
      const composition = forms({ items: [form({ signers: [blankSigner('s1'), blankSigner('s2')] })] })
      const mapping = matchColumns(bulkTargets(composition), columns)
      if (mapping.length !== columns.length) throw new Error(`Only ${mapping.length} columns were matched.`)
      const check = async () => {
        const { ready, withErrors } = await sheets.check('office', { id, composition, mapping })
        if (ready !== ROWS - 20 || withErrors !== 20) throw new Error(`${ready} rows are right, ${withErrors} are not.`)
      }
      await check()
      const times: number[] = []
      const stalls: number[] = []
      for (let run = 0; run < 7; run++) {
        await pause(200)
        const delays = monitorEventLoopDelay({ resolution: 1 })
        delays.enable()
        const began = performance.now()
        await check()
        times.push(performance.now() - began)
        delays.disable()
        stalls.push(delays.max / 1e6)
      }
      await writeFile(path, sheet(MANY))
      const many = await sheets.open('office', 'sheet.csv', { path })
      await sheets.check('office', { id: many.id, composition, mapping })
      const corrections: number[] = []
      for (let run = 0; run < 21; run++) {
        const began = performance.now()
        await sheets.correct('office', { id: many.id, row: 2, column: 2, value: `marama.${run}@example.org` })
        corrections.push(performance.now() - began)
      }
      const against = `${ROWS.toLocaleString('en-GB')} rows of ${columns.length} columns, median of 7`
      return [
        {
          name: 'correction',
          value: rounded(median(corrections)),
          unit: 'ms',
          limit: 20,
          better: 'lower',
          against: `a cell of ${MANY.toLocaleString('en-GB')} rows, median of 21`
        },
        { name: 'dry-run', value: rounded(median(times)), unit: 'ms', limit: 2000, better: 'lower', against },
        {
          name: 'dry-run-stall',
          value: rounded(Math.max(...stalls)),
          unit: 'ms',
          limit: 20,
          better: 'lower',
          against: `longest stall of the main thread in 7 runs; median of their longest ${rounded(median(stalls))} ms`
        }
      ]
    } finally {
      await sheets.closeAll()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Two people a row; every hundredth lacks an address. */
function sheet(count: number): string {
  const person = (index: number) => [`Signer ${index} first name`, `Signer ${index} last name`, `Signer ${index} email`]
  const headings = [
    ...person(1),
    ...person(2),
    'Signer 1 mobile country',
    'Signer 1 mobile number',
    'Due date',
    'XML data'
  ]
  const rows = Array.from({ length: count }, (_, row) => [
    'Marama',
    `Ngata ${row}`,
    row % 100 === 0 ? '' : `marama.${row}@example.com`,
    'Tama',
    `Brooks ${row}`,
    `tama.${row}@example.com`,
    '64',
    '021012345',
    '2099-01-05 17:00',
    `<data><row>${row}</row></data>`
  ])
  return [headings, ...rows].map((cells) => cells.join(',')).join('\n')
}
