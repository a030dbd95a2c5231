/**
 * Verifies the audit trail heads recorded by an office's server, without any code of Countersign: only Node's own
 * crypto and files.
 *
 * `npm run office -- check … --heads heads.jsonl`, then `node scripts/verify-heads.ts heads.jsonl [WORKSTATION "Audit
 * trail 2026-11-24.json"]`
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface Head
  extends Record<'number' | 'seq' | 'at', number>,
    Record<'station' | 'name' | 'hash' | 'chained', string> {
  cause: string | null
}
const [path = '', name, trail = ''] = process.argv.slice(2)
const heads: Head[] = readFileSync(path, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line))
const latest = new Map<string, Head>()
let isIntact = true
let last = ''
for (const [index, { number, station, seq, hash, at, cause, chained, name: who }] of heads.entries()) {
  // Each head is chained to the previous one, and none is missing.
  last = sha256(`${last}\n${[number, station, seq, hash, at, cause ?? '-'].join(' ')}`)
  if (number !== index + 1 || last !== chained)
    reportProblem(`Head ${number} was changed, or one before it is missing.`)
  last = chained
  const previous = latest.get(station)
  if (cause || (previous && (seq < previous.seq || (seq === previous.seq && hash !== previous.hash))))
    reportProblem(
      `The trail of ${who} lacks entries up to ${previous?.seq ?? seq}, ${new Date(at).toISOString()}: ${cause ?? 'nobody says why'}.`
    )
  latest.set(station, heads[index] as Head)
}
if (name !== undefined) {
  // The workstation's trail must contain every head it reported, unchanged.
  const entries: { seq: number; hash: string }[] = JSON.parse(readFileSync(trail, 'utf8')).entries
  const hashes = new Map(entries.map(({ seq, hash }) => [seq, hash]))
  for (const head of heads.filter((one) => one.name === name))
    if (hashes.get(head.seq) !== head.hash)
      reportProblem(`Entry ${head.seq} of the trail isn’t the one that was told of, head ${head.number}.`)
}
if (isIntact) process.stdout.write(`Whole: ${heads.length} heads of ${latest.size} trails\n`)
process.exitCode = isIntact ? 0 : 1

function reportProblem(line: string): void {
  isIntact = false
  process.stdout.write(`${line}\n`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
