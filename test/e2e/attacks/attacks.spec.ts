/** The attack tables, run against the real boundary. Each attack leaves the application as it was. */
import { expect, test } from 'playwright/test'
import type { Area, Attack } from './attack.ts'
import { without } from './mutants.ts'
import { numbered } from './numbered.ts'
import { RowPlayer } from './row-player.ts'
import { areas } from './tables/index.ts'

let player: RowPlayer

test.beforeAll(async () => {
  player = await RowPlayer.start()
})
test.afterAll(() => player.stop())

test.beforeEach(() => player.forget())

for (const { area, number, rows } of numbered) {
  if (area.unit) continue
  test.describe(`${number}. ${area.title}`, () => {
    for (const { number, attack, isInShortRound } of rows)
      test(`${number} ${attack.name}`, { tag: isInShortRound ? [] : '@full' }, () => player.play(area, attack))
  })
}

test('our own page is served with its parts, each with the headers that shut the rest out', async () => {
  const script = `Promise.all(['/index.html', '/page.js', '/page.css', '/none.html'].map(async (path) => {
    const { status, headers } = await fetch(path)
    const named = ['content-type', 'content-security-policy', 'x-content-type-options', 'referrer-policy', 'x-dns-prefetch-control',
      'cross-origin-opener-policy', 'cross-origin-resource-policy']
    return [status, ...named.map((name) => headers.get(name))]
  }))`
  const parts = (await player.app.say({ do: 'run-in-own-page', script })) as (string | number)[][]
  expect(parts.map(([status, type]) => [status, String(type).split(';')[0]])).toEqual([
    [200, 'text/html'],
    [200, 'text/javascript'],
    [200, 'text/css'],
    [404, 'text/plain']
  ])
  for (const [, , policy, ...others] of parts) {
    expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(others).toEqual(['nosniff', 'no-referrer', 'off', 'same-origin', 'same-origin'])
  }
  const appearance = `[document.body.dataset.loaded, getComputedStyle(document.querySelector('h1')).color, typeof countersign]`
  expect(await player.app.say({ do: 'run-in-own-page', script: appearance })).toEqual(['yes', 'rgb(1, 2, 3)', 'object'])
})

test('our own page reaches its handlers, and is answered as data', async () => {
  const script = `Promise.all([countersign.accounts.list(), countersign.drafts.get({ id: 'a' })])`
  expect(await player.app.say({ do: 'run-in-own-page', script })).toEqual([
    { ok: true, value: null },
    { ok: true, value: null }
  ])
  expect((await player.app.facts()).handled).toEqual(['accounts.list', 'drafts.get'])
})

for (const [guard, falls] of [
  ['hold', 'call another computer, past the requests'],
  ['policy', 'run a worker that is data']
] as const) {
  test(`a row falls when what it names is gone: ${guard}`, async () => {
    const { plugins, expectApplied } = without([guard])
    const unguarded = await RowPlayer.start(plugins)
    try {
      expectApplied()
      const area = areas.find(({ attacks }) => attacks.some(({ name }) => name === falls)) as Area
      const attack = area.attacks.find(({ name }) => name === falls) as Attack
      await expect(unguarded.playOnce(area, attack)).rejects.toThrow()
    } finally {
      await unguarded.stop()
    }
  })
}
