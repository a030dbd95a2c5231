/** A key in a draft while ten thousand others are stored: how long saving it holds the main thread. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDrafts } from '../../src/main/core/drafts/drafts.ts'
import { connectEncrypted } from '../../src/main/core/storage/connection.ts'
import { migrate } from '../../src/main/core/storage/migrations.ts'
import type { Composition } from '../../src/shared/composition/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { type Bench, type Figure, median, quantile, rounded } from './figure.ts'

const STORED = 10_000
const KEYS = 300

export const drafts: Bench = {
  name: 'drafts',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
    const db = connectEncrypted(join(folder, 'bench.db'), Buffer.alloc(32, 7))
    try {
      migrate(db)
      db.prepare(
        `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
         VALUES ('office', 'Office', 'service', 'http://127.0.0.1', 'none', '#000', '[]', 0, 0)`
      ).run()
      return measure(openDrafts({ db, time: Date, newId: randomUUID, changed: () => undefined }), db)
    } finally {
      db.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

function measure(drafts: ReturnType<typeof openDrafts>, db: ReturnType<typeof connectEncrypted>): Figure[] {
  const alone = keysIn(drafts)
  db.transaction(() => {
    for (let index = 0; index < STORED; index++) drafts.save('office', draft(index))
  })()
  const among = keysIn(drafts)
  const lists = timesOf(50, () => {
    const page = drafts.list(['office'], { search: '', trashed: false, offset: 5000, limit: 100 })
    if (page.rows.length !== 100) throw new Error('The page is not full.')
  })
  const searches = timesOf(50, (index) => {
    const found = drafts.list(['office'], { search: `marama ${index + 100}`, trashed: false, offset: 0, limit: 100 })
    if (found.total === 0) throw new Error('The search found nothing.')
  })
  const stored = `${STORED.toLocaleString('en-GB')} drafts stored`
  return [
    figure('draft-key-held', quantile(among, 0.99), 5, `a key's save, 99th percentile, ${stored}`),
    figure('draft-key-flat', median(among) / median(alone), 2, 'the same save with no other draft stored', 'ratio'),
    figure('draft-page', quantile(lists, 0.99), 10, `a page of 100, 99th percentile, ${stored}`),
    figure('draft-search', quantile(searches, 0.99), 20, `a search of two words, 99th percentile, ${stored}`)
  ]
}

/** Milliseconds that each of `KEYS` keys held the thread. */
function keysIn(drafts: ReturnType<typeof openDrafts>): number[] {
  const { id } = drafts.save('office', draft(-1))
  const times = timesOf(KEYS, (key) => void drafts.save('office', draft(-1, 'x'.repeat(key)), id))
  if (titleIn(drafts.get(id).composition) !== `Package -1 ${'x'.repeat(KEYS - 1)}`) throw new Error('A key was lost.')
  return times
}

function timesOf(count: number, work: (index: number) => void): number[] {
  for (let index = 0; index < 20; index++) work(index)
  return Array.from({ length: count }, (_, index) => {
    const began = performance.now()
    work(index)
    return performance.now() - began
  })
}

function draft(index: number, typed = ''): Composition {
  const people = Array.from({ length: 3 }, (_, person) =>
    signer({
      key: `s${person}`,
      FirstName: 'Marama',
      LastName: `Ngata ${index}`,
      Email: `m${index}.${person}@example.com`
    })
  )
  return forms({ items: [form({ Name: `Package ${index} ${typed}`, signers: people })] })
}

function titleIn(composition: Composition): string | undefined {
  return composition.items[0]?.Name
}

function figure(name: string, value: number, limit: number, against: string, unit = 'ms'): Figure {
  return { name, value: rounded(value), unit, limit, better: 'lower', against }
}
