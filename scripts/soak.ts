/**
 * Simulates a day of eight staff at four workstations, as fast as it can be computed; a balance sheet then shows
 * whether every package, file and audit trail entry adds up. Run with `npm run soak -- [--hours N] [--seed S] [--json
 * FILE]`; exits with 1 if they don't.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { soak } from '../test/chaos/soak.ts'

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'string' }
  }
})
const hours = Number(values.hours)
const seed = Number(values.seed)
if (!(hours > 0) || !Number.isInteger(seed)) {
  console.error('Use: npm run soak -- [--hours N] [--seed S] [--json FILE]')
  process.exit(2)
}
console.log(`${hours} hours, seed ${seed}`)
const sheet = await soak({ hours, seed, say: (line) => console.log(`  ${line}`) })
const { wrong, seconds, ...columns } = sheet
for (const [name, column] of Object.entries(columns)) console.log(`${name}:`, column)
console.log(`${seconds} s; ${wrong.length === 0 ? 'everything adds up' : `${wrong.length} things don’t add up:`}`)
for (const line of wrong) console.error(`  ${line}`)
if (wrong.length > 0) {
  process.exitCode = 1
  console.error(`Again: npm run soak -- --hours ${hours} --seed ${seed}`)
}
if (values.json) await writeFile(values.json, `${JSON.stringify(sheet, null, 2)}\n`)
