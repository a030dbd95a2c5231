/**
 * Mutation tests for security: removes the protections named in docs/attacks.md from the application, and expects the
 * rows that name them to fall (their attack then succeeds). Run with `npm run test:mutants -- [--only GUARD] [--rows
 * 8,9.14] [--why]`; exits with 1 if a row doesn't fall, or if no row falls when a protection alone is removed.
 *
 * A row must fall once all protections it names are removed. If it names several, one that makes no difference is
 * reported: a row needs a protection if it stands while only that one is left, or falls when only that one is removed.
 * Which of two takes effect first may depend on timing.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import type { Area, Attack } from '../test/e2e/attacks/attack.ts'
import { mutants, type Removable, without } from '../test/e2e/attacks/mutants.ts'
import { numbered } from '../test/e2e/attacks/numbered.ts'
import { RowPlayer } from '../test/e2e/attacks/row-player.ts'

/** A row that waits longer than this is waiting for something that won't come. */
const PATIENCE_MS = 3_000

interface Row {
  number: string
  area: Area
  attack: Attack
  guards: Removable[]
}

const removable = Object.keys(mutants) as Removable[]
const { values } = parseArgs({
  options: { only: { type: 'string' }, rows: { type: 'string' }, why: { type: 'boolean', default: false } }
})
if (values.only && !removable.includes(values.only as Removable)) {
  console.error(`Use: npm run test:mutants -- [--only ${removable.join('|')}] [--rows NUMBER,…] [--why]`)
  process.exit(2)
}

const requestedRows = values.rows?.split(',')
const rows: Row[] = numbered
  .flatMap(({ area, rows }) =>
    rows.map(({ number, attack }) => ({ number, area, attack, guards: removableGuards(attack.guard ?? area.guard) }))
  )
  .filter(({ guards }) => guards.length > 0 && (!values.only || guards.includes(values.only as Removable)))
  .filter(
    ({ number }) => !requestedRows || requestedRows.some((each) => number === each || number.startsWith(`${each}.`))
  )

/** Which rows fell, by the set of protections that was removed. */
const outcomes = new Map<string, Map<Row, boolean>>()

const plays = rows.flatMap((row) => [
  { row, out: row.guards },
  ...(row.guards.length > 1
    ? row.guards.map((guard) => ({ row, out: row.guards.filter((each) => each !== guard) }))
    : [])
])
await playAll(plays)
await playAll(
  rows.flatMap((row) => row.guards.filter((guard) => !isStandingOn(row, guard)).map((guard) => ({ row, out: [guard] })))
)
report()

function removableGuards(guards: readonly string[]): Removable[] {
  return guards.filter((guard): guard is Removable => guard !== 'browser')
}

async function playAll(plays: { row: Row; out: readonly Removable[] }[]): Promise<void> {
  const sets = Map.groupBy(plays, ({ out }) => key(out))
  for (const [name, played] of sets) {
    const known = outcomes.get(name)
    const remaining = [...new Set(played.map(({ row }) => row))].filter((row) => !known?.has(row))
    if (remaining.length === 0) continue
    const began = performance.now()
    const out = played[0]?.out ?? []
    const browserRows = remaining.filter(({ area }) => !area.unit)
    const fallen = new Set([
      ...(browserRows.length > 0 ? await playWithout(out, browserRows) : []),
      ...runTestsWithout(
        out,
        remaining.filter(({ area }) => area.unit)
      )
    ])
    outcomes.set(name, new Map([...(known ?? []), ...remaining.map((row) => [row, fallen.has(row)] as const)]))
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(`without ${name}: ${fallen.size} of ${remaining.length} rows fell (${seconds} s)`)
    const standing = remaining.filter((row) => !fallen.has(row)).map(({ number }) => number)
    if (standing.length > 0) console.log(`  still refused: ${standing.join(', ')}`)
  }
}

/** @returns the rows that fell. */
async function playWithout(out: readonly Removable[], played: readonly Row[]): Promise<Set<Row>> {
  const fallen = new Set<Row>()
  const { plugins, expectApplied } = without(out)
  const player = await RowPlayer.start(plugins, PATIENCE_MS)
  expectApplied()
  const recordFallen = async (row: Row, error: unknown) => {
    fallen.add(row)
    if (values.why) console.log(`  ${row.number} ${row.attack.name}: ${firstLines(error)}`)
    await player.recover()
  }
  let previous: Row | undefined
  for (const row of played) {
    // Late failures belong to the previous row.
    await player.forget().catch((error) => recordFallen(previous ?? row, error))
    await player.playOnce(row.area, row.attack).catch((error) => recordFallen(row, error))
    previous = row
  }
  await player.forget().catch((error) => previous && recordFallen(previous, error))
  await player.stop()
  return fallen
}

/** @returns the rows that fell among those that need no browser: their tests run without these protections. */
function runTestsWithout(out: readonly Removable[], tested: readonly Row[]): Row[] {
  if (tested.length === 0) return []
  const files = new Set(tested.map(({ area }) => area.unit ?? ''))
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mutants-'))
  try {
    const report = join(folder, 'report.json')
    spawnSync('npx', ['vitest', 'run', '--project', 'node*', ...files, '--reporter=json', `--outputFile=${report}`], {
      stdio: 'ignore',
      shell: process.platform === 'win32',
      env: { ...process.env, COUNTERSIGN_WITHOUT: out.join(',') }
    })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as TestReport
    const results = new Map(
      testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ title, ...result }) => [title, result] as const)
      )
    )
    return tested.filter(({ number, attack }) => {
      const result = results.get(`${number} ${attack.name}`)
      if (!result) throw new Error(`No test is called “${number} ${attack.name}”.`)
      if (values.why)
        console.log(`  ${number} ${attack.name}: ${firstLines(new Error(result.failureMessages[0] ?? '–'))}`)
      return result.status === 'failed'
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Vitest's report format. */
interface TestReport {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[]
}

function firstLines(error: unknown): string {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
  return text.replace(/\s+/g, ' ').slice(0, 300)
}

function hasFallen(row: Row, out: readonly Removable[]): boolean {
  return outcomes.get(key(out))?.get(row) === true
}

/** Returns whether the row still stands while this is the only one of its protections left. */
function isStandingOn(row: Row, guard: Removable): boolean {
  return !hasFallen(
    row,
    row.guards.filter((each) => each !== guard)
  )
}

function key(out: readonly Removable[]): string {
  return [...out].sort().join(' + ')
}

function report(): void {
  const failures: string[] = []
  for (const row of rows) {
    if (!hasFallen(row, row.guards)) {
      failures.push(`${row.number} doesn’t fall without ${row.guards.join(' and ')}: ${row.attack.name}`)
      continue
    }
    if (row.guards.length === 1) continue
    for (const guard of row.guards) {
      const isNeeded = isStandingOn(row, guard) || hasFallen(row, [guard])
      if (!isNeeded) console.log(`${row.number} may not need ${guard}: ${row.attack.name}`)
    }
  }
  const table = (values.only ? [values.only as Removable] : removable).map((guard) => {
    const naming = rows.filter(({ guards }) => guards.includes(guard))
    const alone = naming.filter((row) => hasFallen(row, [guard]))
    const together = naming.filter((row) => !alone.includes(row) && hasFallen(row, row.guards))
    if (alone.length === 0 && !requestedRows) failures.push(`${guard} is missed by no row`)
    return {
      protection: guard,
      'rows that name it': naming.length,
      'fall without it': alone.length,
      'fall without it and the others they name': together.length
    }
  })
  console.table(table)
  for (const each of failures) console.error(each)
  if (failures.length > 0) process.exitCode = 1
}
