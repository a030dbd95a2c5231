/**
 * Kills the real application, cuts connections, and counts what is lost, duplicated or reported wrongly. Run with `npm
 * run chaos -- [--only AREA] [--rounds N] [--seed S] [--json FILE]`; exits with 1 if anything is.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { backupChaos } from '../test/chaos/backup.ts'
import { counterChaos } from '../test/chaos/counter.ts'
import { downloadsChaos } from '../test/chaos/downloads.ts'
import { dropFoldersChaos } from '../test/chaos/drop-folders.ts'
import { keychainChaos } from '../test/chaos/keychain.ts'
import { officeChaos } from '../test/chaos/office.ts'
import { officeTogetherChaos } from '../test/chaos/office-together.ts'
import { outboxChaos } from '../test/chaos/outbox.ts'
import { storageChaos } from '../test/chaos/storage.ts'
import { type ChaosOptions, emptyTally, isClean, type Tally } from '../test/chaos/tally.ts'
import { verificationsChaos } from '../test/chaos/verifications.ts'

const areas: Record<string, (options: ChaosOptions) => Promise<Tally>> = {
  outbox: outboxChaos,
  'drop-folders': dropFoldersChaos,
  downloads: downloadsChaos,
  verifications: verificationsChaos,
  storage: storageChaos,
  backup: backupChaos,
  counter: counterChaos,
  keychain: keychainChaos,
  office: officeChaos,
  'office-together': officeTogetherChaos
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'string' }
  }
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed) || (values.only && !areas[values.only])) {
  console.error(`Use: npm run chaos -- [--only ${Object.keys(areas).join('|')}] [--rounds N] [--seed S] [--json FILE]`)
  process.exit(2)
}

// All starts of a test program share what Node has compiled: more than half of a start's work.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/node')

const results: Record<string, Tally> = {}
for (const [area, run] of Object.entries(areas)) {
  if (values.only && values.only !== area) continue
  console.log(`${area}: ${rounds} rounds, seed ${seed}`)
  const tally = await run({ rounds, seed, say: (line) => console.log(`  ${line}`) })
  results[area] = tally
  if (!isClean(tally)) {
    process.exitCode = 1
    console.error(`Again: npm run chaos -- --only ${area} --rounds ${rounds} --seed ${seed}`)
  }
}
console.table(results, Object.keys(emptyTally()))
if (values.json) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`)
// A Chromium that could be used again would keep this process running.
process.exit()
