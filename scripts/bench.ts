/**
 * Measures the product's performance targets. Run with `npm run bench -- [--only NAME] [--json FILE]`; exits with 1 if
 * a limit is missed.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { bulk } from '../test/bench/bulk.ts'
import { counter } from '../test/bench/counter.ts'
import { documentIndex } from '../test/bench/document-index.ts'
import { documents } from '../test/bench/documents.ts'
import { downloads } from '../test/bench/downloads.ts'
import { drafts } from '../test/bench/drafts.ts'
import { type Bench, type Figure, isMet } from '../test/bench/figure.ts'
import { firstLoad } from '../test/bench/first-load.ts'
import { ipc } from '../test/bench/ipc.ts'
import { list } from '../test/bench/list.ts'
import { office } from '../test/bench/office.ts'
import { officeFifty } from '../test/bench/office-fifty.ts'
import { officeJoin } from '../test/bench/office-join.ts'
import { officeOutbox } from '../test/bench/office-outbox.ts'
import { outbox } from '../test/bench/outbox.ts'
import { pollingDay } from '../test/bench/polling-day.ts'
import { start } from '../test/bench/start.ts'
import { typing } from '../test/bench/typing.ts'

const benches: readonly Bench[] = [
  firstLoad,
  start,
  ipc,
  drafts,
  outbox,
  bulk,
  typing,
  documents,
  pollingDay,
  documentIndex,
  list,
  counter,
  downloads,
  office,
  officeFifty,
  officeJoin,
  officeOutbox
]

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } })
const chosen = benches.filter(({ name }) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(`Use: npm run bench -- [--only ${benches.map(({ name }) => name).join('|')}] [--json FILE]`)
  process.exit(2)
}

// Chromium is part of what is measured, so each application starts its own (test/host/lending.ts).
process.env.HOST_BORROWS = '0'

const figures: Figure[] = []
for (const bench of chosen) {
  const measured = await bench.run()
  // Printed as it goes: all benchmarks together take minutes, and results are kept if a later one is stopped.
  console.table(measured.map((figure) => ({ ...figure, met: isMet(figure) })))
  figures.push(...measured)
  if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`)
}
process.exitCode = figures.every(isMet) ? 0 : 1
