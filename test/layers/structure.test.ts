/**
 * The structure of the code as a newcomer meets it: no cycles, no tiny files, and the four paths of
 * docs/architecture.md as they really are.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importGraph, root, sources } from './sources.ts'

const graph = importGraph()
const importers = Map.groupBy(
  [...graph].flatMap(([file, imported]) => imported.map((one) => ({ file, one }))),
  ({ one }) => one
)

/** Returns the room of a file: a folder for one concern. Files outside rooms (a root, a worker) have none. */
function roomOf(file: string): string | undefined {
  return (
    /^src\/main\/core\/[^/]+(?=\/)/.exec(file)?.[0] ??
    /^src\/renderer\/src\/screens\/[^/]+(?=\/)/.exec(file)?.[0] ??
    /^src\/renderer\/src\/[^/]+(?=\/)/.exec(file)?.[0] ??
    /^src\/(?:main|shared)\/[^/]+(?=\/)/.exec(file)?.[0] ??
    /^src\/(?:practice|preload)(?=\/)/.exec(file)?.[0]
  )
}

/** Returns the import cycles among files or rooms, each as a list in order. */
function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string): void => {
    const at = path.indexOf(node)
    if (at >= 0) {
      circles.push([...path.slice(at), node])
      return
    }
    if (done.has(node)) return
    path.push(node)
    for (const next of edges.get(node) ?? []) visit(next)
    path.pop()
    done.add(node)
  }
  for (const node of edges.keys()) visit(node)
  return circles
}

describe('the structure', () => {
  test('no file imports itself indirectly', () => {
    expect(circlesOf(graph)).toEqual([])
    expect(
      circlesOf(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']]
        ])
      )
    ).toEqual([['a', 'b', 'c', 'a']])
  })

  test('no two rooms import each other', () => {
    const rooms = new Map<string, Set<string>>()
    for (const [file, imported] of graph) {
      const from = roomOf(file)
      for (const one of imported) {
        const to = roomOf(one)
        if (from && to && from !== to) rooms.set(from, (rooms.get(from) ?? new Set()).add(to))
      }
    }
    const mutual = [...rooms].flatMap(([one, others]) =>
      [...others].filter((other) => one < other && rooms.get(other)?.has(one)).map((other) => `${one} <-> ${other}`)
    )
    expect(mutual).toEqual([])
  })

  test('a small file with a single user in its folder belongs inside that user', () => {
    const crumbs = sources.filter((file) => {
      const users = importers.get(file) ?? []
      const [only] = users
      if (users.length !== 1 || !only || dirname(only.file) !== dirname(file)) return false
      return readFileSync(join(root, file), 'utf8').split('\n').length <= 80
    })
    expect(crumbs.length, crumbs.join('\n')).toBeLessThanOrEqual(MAX_CRUMBS)
  })
})

describe('the styles', () => {
  /** Returns the classes that have a rule of their own in a style, such as `.a {` or `.a, .b {`. */
  const classesOf = (style: string) =>
    [...style.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{/g)]
      .flatMap(([, selectors = '']) => selectors.split(','))
      .flatMap((selector) => /^\s*\.([\w-]+)\s*$/.exec(selector)?.[1] ?? [])

  test('no component reuses a class name of layout.css', () => {
    const shared = new Set(classesOf(readFileSync(join(root, 'src/renderer/src/ui/layout.css'), 'utf8')))
    expect(shared.has('stack')).toBe(true)
    // A tone says what something means; each component defines how it shows that.
    for (const tone of ['quiet', 'accent', 'ok', 'warn', 'danger']) shared.delete(tone)
    const twice = sources.flatMap((file) => {
      const style = /<style>([\s\S]*)<\/style>/.exec(
        file.endsWith('.svelte') ? readFileSync(join(root, file), 'utf8') : ''
      )
      return classesOf(style?.[1] ?? '').flatMap((name) => (shared.has(name) ? [`${file}: .${name}`] : []))
    })
    expect(twice).toEqual([])
  })
})

describe('the paths in docs/architecture.md', () => {
  const chapter = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const ways = [...chapter.matchAll(/^### (.+)\n\n((?:\d+\. .+\n)+)/gm)].map(
    ([, name = '', steps = '']) =>
      [name, [...steps.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file)] as const
  )

  test.each(ways)('%s: every file exists and is connected to the others', (_name, files) => {
    const all = new Set(files)
    expect(files.filter((file) => !graph.has(file))).toEqual([])
    // Screens and main meet in the contract, main's parts in its roots, and operations in the client that holds them.
    const joints = sources.filter((file) =>
      /^src\/(shared\/contract|preload)\/|^src\/main\/[^/]+\.ts$|^src\/main\/core\/(accounts\/clients|service\/service-client|service\/index)\.ts$/.test(
        file
      )
    )
    const ground = new Set([...all, ...joints])
    const neighbours = new Map([...ground].map((file) => [file, new Set<string>()]))
    for (const file of ground) {
      for (const imported of graph.get(file) ?? []) {
        if (!ground.has(imported)) continue
        neighbours.get(file)?.add(imported)
        neighbours.get(imported)?.add(file)
      }
    }
    const reached = new Set([...joints])
    for (let grown = -1; grown !== reached.size; ) {
      grown = reached.size
      for (const file of [...reached]) for (const next of neighbours.get(file) ?? []) reached.add(next)
    }
    expect(files.filter((file) => !reached.has(file))).toEqual([])
  })

  test('exist', () => expect(ways.length).toBeGreaterThanOrEqual(2))
})

test('every test named in docs/dialects.md exists with that title', () => {
  const text = readFileSync(join(root, 'docs/dialects.md'), 'utf8')
  const title = '“((?:[^“”]|“[^“”]*”)+)”'
  const named = [...text.matchAll(new RegExp(`\`([\\w/.-]+\\.(?:test|spec)\\.ts)\`((?:,?\\s${title})+)`, 'g'))]
  const missing = named.flatMap(([, file = '', titles = '']) => {
    const tests = readFileSync(join(root, 'test', file), 'utf8')
    const all = [...titles.matchAll(new RegExp(title, 'g'))].map(([, one = '']) => one.replace(/\s+/g, ' '))
    return all.filter((one) => !tests.includes(one.replace(/ …$/, ''))).map((one) => `${file}: ${one}`)
  })
  expect(named.length).toBeGreaterThan(40)
  expect(missing).toEqual([])
})

test('every row of threats in docs/security.md names test files that exist', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const areas = readFileSync(join(root, 'scripts/chaos.ts'), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| (?!threat |---)/.test(line))
  const namedIn = (where: string) =>
    [...where.matchAll(/`(test\/[^`]+|[^`/ ]+\.(?:test|spec)\.ts)`/g)].flatMap(([, path = '']) => {
      const [, before = path, choice, after = ''] = /^(.*)\{(.+)\}(.*)$/.exec(path) ?? []
      return choice === undefined ? [path] : choice.split(',').map((one) => `${before}${one}${after}`)
    })
  const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false
  expect(rows.length).toBeGreaterThan(35)
  expect(rows.filter((row) => namedIn(row.split(' | ').at(-1) ?? '').length === 0)).toEqual([])
  expect(namedIn(text).filter((path) => !isFile(path))).toEqual([])
  const chaos = [...text.matchAll(/chaos -- --only ([\w-]+)/g)].map(([, area = '']) => area)
  expect(chaos.filter((area) => !new RegExp(`^  '?${area}'?: `, 'm').test(areas))).toEqual([])
})

/**
 * Some files are better small: a schema, a table, a worker's entry point. Lower this when there are fewer; never raise
 * it.
 */
const MAX_CRUMBS = 19
