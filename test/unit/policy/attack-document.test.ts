/** The document for security reviewers matches the attack tables, and the tables are complete. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackDocument } from '../../e2e/attacks/document.ts'
import { guards } from '../../e2e/attacks/guards.ts'
import { expectEditsFit, mutants } from '../../e2e/attacks/mutants.ts'
import { numbered } from '../../e2e/attacks/numbered.ts'

const root = new URL('../../../', import.meta.url)
const rows = numbered.flatMap(({ rows }) => rows)

test('docs/attacks.md matches the tables; regenerate it with `node test/e2e/attacks/write-document.ts`', () => {
  expect(readFileSync(new URL('docs/attacks.md', root), 'utf8')).toBe(attackDocument())
})

test('there are enough rows, each with an action, and none twice in its area', () => {
  expect(rows.length).toBeGreaterThanOrEqual(700)
  const played = numbered.filter(({ area }) => !area.unit).flatMap(({ rows }) => rows)
  for (const { number, attack } of played) {
    // Attacks by headers start when the page loads.
    const does = attack.script ?? attack.play ?? attack.headers
    expect(does, number).toBeDefined()
  }
  for (const { rows } of numbered) expect(new Set(rows.map(({ attack }) => attack.name)).size).toBe(rows.length)
})

test('each row is guarded either by our protections or by the browser', () => {
  for (const { area, rows } of numbered) {
    for (const { number, attack } of rows) {
      const named: readonly string[] = attack.guard ?? area.guard
      if (named.includes('browser')) expect(named, number).toEqual(['browser'])
    }
  }
})

test('the short round of npm test tries every protection, and every kind of attacker', () => {
  const short = numbered.map(({ area, rows }) =>
    rows.filter(({ isInShortRound }) => isInShortRound).map(({ attack }) => attack.guard ?? area.guard)
  )
  expect(new Set(short.flat(2))).toEqual(new Set(Object.keys(guards)))
  expect(short.filter((rows) => rows.length === 0)).toEqual([])
})

test('each protection can be removed from the current sources', () => {
  expect(Object.keys(mutants).sort()).toEqual(
    Object.keys(guards)
      .filter((guard) => guard !== 'browser')
      .sort()
  )
  expectEditsFit(root)
})

test('every protection is in the sources and guards some row', () => {
  const used = new Set(numbered.flatMap(({ area, rows }) => rows.flatMap(({ attack }) => attack.guard ?? area.guard)))
  expect([...used].sort()).toEqual(Object.keys(guards).sort())
  for (const { files } of Object.values(guards)) {
    for (const file of files) expect(existsSync(new URL(file, root)), file).toBe(true)
  }
})
