/** The rows of an area of docs/attacks.md that need no browser, each run as a test with its number and name. */
import { expect, test } from 'vitest'
import type { Area } from '../../e2e/attacks/attack.ts'
import { numbered } from '../../e2e/attacks/numbered.ts'

/** @param tries what each row does, by the row's name; it fails if the attack gains something */
export function attempts(area: Area, tries: Readonly<Record<string, () => Promise<void> | void>>): void {
  const { rows } = numbered.find((one) => one.area === area) ?? expect.unreachable()
  test(`${area.title}: each row is tried`, () => {
    expect(Object.keys(tries)).toEqual(rows.map(({ attack }) => attack.name))
  })
  for (const { number, attack } of rows) test(`${number} ${attack.name}`, async () => tries[attack.name]?.())
}
