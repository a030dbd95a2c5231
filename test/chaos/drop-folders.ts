/**
 * Drops files in drop folders while the process that takes them is killed at random moments, and the folders vanish now
 * and then, as a network drive does. In the end each file must have become exactly one thing: its drafts, its batch, or
 * a report of why not.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { form, forms } from '../fixtures/compositions.ts'
import { ACCOUNT, openDropFolderOffice, requestFile, sheetFile } from '../fixtures/drop-folder-office.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, type Tally } from './tally.ts'

const PROGRAM = new URL('./taking-until-killed.ts', import.meta.url)
const FILES_A_ROUND = 25
const MAX_FILES = 500
/** Longest time without progress at the end, in milliseconds: a busy machine takes long for hundreds of files. */
const TIMEOUT = 120_000

interface Dropped {
  folder: 'Drafts' | 'Sends'
  content: string
  name: string
  /** The titles of the drafts or packages that it becomes; none if it can't be used. */
  titles: string[]
}

/** Each round is one life of the process, in which about 25 files are dropped. */
export async function dropFoldersChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const chance = chanceOf(seed)
  const dropped: Dropped[] = []
  const tally = emptyTally()
  try {
    await openFolders(root)
    const total = Math.min(MAX_FILES, rounds * FILES_A_ROUND)
    for (let round = 1; round <= rounds; round++) {
      await oneLife(root, chance, dropped, Math.round((total * round) / rounds))
      tally.rounds++
      if (round % 10 === 0) say(`${round} rounds`)
    }
    await restTaken(root)
    for (const { kind, words } of await faultsIn(root, dropped)) {
      tally[kind]++
      say(`${kind}: ${words}`)
    }
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** One folder makes drafts of everything, the other sends files without errors. */
async function openFolders(root: string): Promise<void> {
  const office = openDropFolderOffice({ folder: root })
  for (const name of ['Drafts', 'Sends']) {
    await mkdir(join(root, name))
    const { id } = await office.dropFolders.add(ACCOUNT, join(root, name))
    if (name === 'Sends') office.dropFolders.change(id, { sends: true })
  }
  await office.dropFolders.stop(1000)
  office.kill()
}

async function oneLife(root: string, chance: Chance, dropped: Dropped[], upTo: number): Promise<void> {
  const process = begin(root)
  const life = { isOver: false }
  const end = pause(400 + chance.below(2800)).then(async () => {
    life.isOver = true
    await killed(process)
  })
  while (dropped.length < upTo) {
    dropped.push(await drop(root, chance, dropped.length + 1))
    if (!life.isOver) await pause(chance.below(60))
    if (!life.isOver && chance.below(20) === 0) await blink(join(root, chance.oneOf(['Drafts', 'Sends'])), chance)
  }
  await end
}

function begin(root: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM.pathname, root], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function drop(root: string, chance: Chance, number: number): Promise<Dropped> {
  const folder = chance.oneOf(['Drafts', 'Sends'] as const)
  const { ending, content, titles } = aFile(chance, `File ${number} `)
  const preferred = chance.below(8) === 0 ? `weekly.${ending}` : `file ${number}.${ending}`
  // Overwriting a file that wasn't taken yet would be the user's own loss.
  const name = existsSync(join(root, folder, preferred)) ? `file ${number}.${ending}` : preferred
  const path = join(root, folder, name)
  const half = Math.floor(content.length / 2)
  switch (chance.oneOf(['at once', 'slowly', 'by another name'] as const)) {
    case 'at once':
      await writeFile(path, content)
      break
    case 'slowly':
      await writeFile(path, content.slice(0, half))
      await pause(chance.below(40))
      await writeFile(path, content.slice(half), { flag: 'a' })
      break
    case 'by another name':
      await writeFile(`${path}.part`, content)
      await rename(`${path}.part`, path)
  }
  return { folder, content, name, titles }
}

/** Content that no other file has, since the final check tells files apart by it. */
function aFile(chance: Chance, title: string): { ending: string; content: string; titles: string[] } {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `${title}row ${index + 1}`)
  switch (chance.oneOf(['request', 'bad request', 'sheet', 'large sheet', 'bad sheet', 'drafts'] as const)) {
    case 'request':
      return { ending: 'json', content: requestFile(title), titles: [title.trim()] }
    case 'bad request':
      return { ending: 'json', content: requestFile(title, { Colour: 'red' }), titles: [] }
    case 'sheet':
      return { ending: 'csv', content: sheetFile(rows(3)), titles: rows(3) }
    case 'large sheet':
      return { ending: 'csv', content: sheetFile(rows(60)), titles: rows(60) }
    case 'bad sheet':
      return { ending: 'csv', content: `Colour,Size\n${title},12\n`, titles: [] }
    case 'drafts': {
      const drafts = rows(5).map((Name) => forms({ items: [form({ Name })] }))
      return {
        ending: 'countersign',
        content: JSON.stringify({ format: 'countersign', version: 1, drafts }),
        titles: rows(5)
      }
    }
  }
}

/** As when a network drive is gone for a moment. */
async function blink(place: string, chance: Chance): Promise<void> {
  await rename(place, `${place} away`)
  await pause(chance.below(150))
  // Fails if the process created a folder of that name meanwhile, which it must not.
  await rename(`${place} away`, place)
}

/** Lets the process run until nothing is left to be taken. */
async function restTaken(root: string): Promise<void> {
  const child = begin(root)
  try {
    let before = ''
    for (let until = performance.now() + TIMEOUT; performance.now() < until; ) {
      const left = await Promise.all(
        ['Drafts', 'Sends'].flatMap((name) => ['', '.countersign'].map((sub) => filesIn(join(root, name, sub))))
      )
      if (left.flat().length === 0) break
      const now = left.flat().sort().join()
      if (now !== before) until = performance.now() + TIMEOUT
      before = now
      await pause(100)
    }
    // The last step is recorded after the file was moved.
    await pause(500)
  } finally {
    await killed(child)
  }
}

async function faultsIn(root: string, dropped: readonly Dropped[]): Promise<Fault[]> {
  const office = openDropFolderOffice({ folder: root })
  try {
    const made = countedBy([...office.titles(), ...sentTitles(office)])
    const places = new Map<string, string[]>()
    for (const folder of ['Drafts', 'Sends']) {
      for (const sub of ['', '.countersign', 'done', 'failed']) {
        for (const name of await filesIn(join(root, folder, sub))) {
          if (name.endsWith('.report.txt')) continue
          const content = await readFile(join(root, folder, sub, name), 'utf8')
          places.set(content, [...(places.get(content) ?? []), join(folder, sub, name)])
        }
      }
    }
    const droppedTitles = new Set(dropped.flatMap(({ titles }) => titles))
    const strangers = [...made.keys()].filter((title) => !droppedTitles.has(title))
    return [
      ...dropped.flatMap((one) => faultsOf(one, made, places.get(one.content) ?? [], root)),
      ...strangers.map((title): Fault => ({ kind: 'wrong', words: `"${title}" was made of nothing` }))
    ]
  } finally {
    office.kill()
  }
}

function faultsOf(
  { name, folder, titles }: Dropped,
  made: ReadonlyMap<string, number>,
  places: readonly string[],
  root: string
): Fault[] {
  const counts = titles.map((title) => made.get(title) ?? 0)
  const expected = join(folder, titles.length > 0 ? 'done' : 'failed')
  const [place] = places
  const fault = (kind: Fault['kind'], words: string): Fault => ({ kind, words: `${folder}/${name} ${words}` })
  return [
    ...(titles.length > 0 && counts.every((count) => count === 0) ? [fault('lost', 'became nothing')] : []),
    ...(counts.some((count) => count > 1) ? [fault('doubled', 'became the same twice')] : []),
    ...(counts.some((count) => count === 0) && counts.some((count) => count > 0)
      ? [fault('partial', `became ${counts.filter((count) => count > 0).length} of ${titles.length}`)]
      : []),
    ...(place === undefined ? [fault('lost', 'is nowhere')] : []),
    ...(places.length > 1 ? [fault('doubled', `lies in ${places.join(' and ')}`)] : []),
    ...(place !== undefined && !place.startsWith(expected) ? [fault('wrong', `lies in ${place}`)] : []),
    ...(place !== undefined && !existsSync(join(root, `${place}.report.txt`)) ? [fault('wrong', 'has no report')] : [])
  ]
}

function sentTitles({ outbox }: ReturnType<typeof openDropFolderOffice>): string[] {
  const titles: string[] = []
  for (;;) {
    const { rows, total } = outbox.list([ACCOUNT], { show: 'all', offset: titles.length, limit: 200 })
    titles.push(...rows.map(({ title }) => title))
    if (rows.length === 0 || titles.length >= total) return titles
  }
}

function countedBy(titles: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1)
  return counts
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
