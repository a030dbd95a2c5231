/** Anyone who can write to a drop folder may do so at any moment, slowly, and maliciously. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StepName } from '../../../src/main/core/drop-folders/journal.ts'
import { openBulkWorker } from '../../../src/main/shell/bulk.ts'
import { forms } from '../../fixtures/compositions.ts'
import { requestFile, sheetFile } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from './place.ts'

/** Runs `act` once, when a file reaches this step. */
function onceAt(target: StepName) {
  const then = { act: () => {} }
  const step = (name: StepName) => {
    if (name !== target) return
    const { act } = then
    then.act = () => {}
    act()
  }
  return { step, then }
}

describe('a writer that pauses', () => {
  const [first, rest] = [sheetFile(['One', 'Two']), sheetFile(['One', 'Two', 'Three', 'Four'])]
  const more = rest.slice(first.length)

  test.each([true, false])(
    'for some seconds between two halves has the whole file processed (sending: %s)',
    async (sends) => {
      const at = await aPlace()
      at.change({ sends })
      const file = openSync(join(at.place, 's.csv'), 'w')
      writeSync(file, first)
      // The second check claims it; the third comes before it has been unchanged for long enough since.
      for (const wait of [sends ? 31_000 : 3_000, 1_000, 500]) await at.glance(wait)
      expect(at.claimed()).toEqual(['s.csv'])
      writeSync(file, more)
      closeSync(file)
      for (let time = 0; time < 2; time++) await at.check()
      expect(at.office.titles().length + (at.office.batches()[0]?.total ?? 0)).toBe(4)
      expect(readFileSync(join(at.place, 'done', 's.csv'), 'utf8')).toBe(rest)
    }
  )

  test.each([true, false])(
    'until its file was moved away gets a failure report (after a restart: %s)',
    async (isRestarted) => {
      const at = await aPlace()
      at.change({ sends: true })
      const file = openSync(join(at.place, 's.csv'), 'w')
      onTestFinished(() => closeSync(file))
      writeSync(file, first)
      await at.check()
      expect(at.office.batches().map(({ total }) => total)).toEqual([2])
      writeSync(file, more)
      if (isRestarted) at.startAgain()
      await at.check()
      await at.check()
      expect(at.files()).toMatchObject([
        { name: 's.csv', outcome: 'failed', error: { message: expect.stringContaining('still being written') } },
        { name: 's.csv', outcome: 'batch', count: 2 }
      ])
      expect(at.report('s.csv', 'failed')).toContain('part of it may be missing')
      expect(readFileSync(join(at.place, 'failed', 's.csv'), 'utf8')).toBe(rest)
      expect(at.office.batches()).toHaveLength(1)
      expect(at.claimed()).toEqual([])
    }
  )
})

test.each(['not to send', 'removed', 'paused', 'of another preset'] as const)(
  'if a folder’s settings change while a file is read (%s), the file isn’t sent',
  async (what) => {
    const { step, then } = onceAt('read')
    const at = await aPlace({ step })
    at.change({ sends: true })
    const { id: presetId } = at.office.presets.save(at.view().accountId, 'P', forms())
    at.drop('a.json', requestFile('A'))
    then.act = () => {
      if (what === 'removed') at.office.dropFolders.remove(at.id)
      else if (what === 'paused') at.change({ paused: true })
      else at.change(what === 'not to send' ? { sends: false } : { presetId })
    }
    await at.check(31_000)
    expect(at.office.batches()).toEqual([])
    if (what === 'not to send') {
      await at.check()
      expect(at.office.titles()).toEqual(['A'])
    } else if (what !== 'of another preset') {
      if (what === 'paused') await at.check()
      await expect.poll(() => at.names()).toEqual(['a.json'])
      expect(at.office.titles()).toEqual([])
    }
  }
)

describe('replacing a subfolder with a link', () => {
  test.each<StepName>(['made', 'named', 'reported'])(
    '(done, at “%s”) doesn’t let files leave the folder',
    async (moment) => {
      const { step, then } = onceAt(moment)
      const at = await aPlace({ step })
      const otherFolder = join(at.folder, 'Elsewhere')
      mkdirSync(otherFolder)
      at.drop('a.json', requestFile('A'))
      then.act = () => {
        renameSync(join(at.place, 'done'), join(at.place, 'was done'))
        symlinkSync(otherFolder, join(at.place, 'done'))
      }
      await at.check()
      expect(readdirSync(otherFolder)).toEqual([])
      expect([at.claimed(), at.view().state]).toEqual([['a.json'], 'not-writable'])
      rmSync(join(at.place, 'done'))
      await at.check()
      expect(at.names('done')).toContain('a.json')
      expect(at.office.titles()).toEqual(['A'])
    }
  )

  test('doesn’t clean up outside, and current files of other workstations stay, too', async () => {
    const at = await aPlace()
    const part = '.countersign-0123456789abcdef.part'
    const old = '.countersign-fedcba9876543210.part'
    const otherFolder = join(at.folder, 'Elsewhere')
    for (const folder of [otherFolder, join(at.place, 'failed')]) {
      mkdirSync(folder)
      for (const name of [part, old]) writeFileSync(join(folder, name), 'half')
      utimesSync(join(folder, old), 1, 1)
      const now = at.time.now / 1000
      utimesSync(join(folder, part), now, now)
    }
    symlinkSync(otherFolder, join(at.place, 'done'))
    await at.check()
    expect(readdirSync(otherFolder).sort()).toEqual([part, old])
    expect(readdirSync(join(at.place, 'failed'))).toEqual([part])
  })

  test('(claimed files) prevents claiming', async () => {
    const at = await aPlace()
    const otherFolder = join(at.folder, 'Elsewhere')
    mkdirSync(otherFolder)
    symlinkSync(otherFolder, join(at.place, '.countersign'))
    at.drop('a.json', requestFile('A'))
    await at.check()
    expect([readdirSync(otherFolder), at.names().includes('a.json'), at.office.titles()]).toEqual([[], true, []])
    expect(at.view().state).toBe('not-writable')
  })
})

test('a thousand folders and links named like files don’t delay a file', async () => {
  const at = await aPlace()
  for (let number = 0; number < 1_000; number++) {
    mkdirSync(join(at.place, `a${number}.json`))
    symlinkSync('/nowhere', join(at.place, `b${number}.json`))
  }
  at.drop('z.json', requestFile('Z'))
  await at.check()
  expect(at.office.titles()).toEqual(['Z'])
})

test('two thousand files that keep changing don’t delay another', async () => {
  const at = await aPlace()
  const restless = Array.from({ length: 2_000 }, (_, index) => join(at.place, `a${index}.json`))
  for (const path of restless) writeFileSync(path, '{')
  at.drop('z.json', requestFile('Z'))
  for (let attempt = 1; attempt <= 40 && at.office.titles().length === 0; attempt++) {
    for (const path of restless) utimesSync(path, attempt, attempt)
    await at.glance(2_250)
  }
  expect(at.office.titles()).toEqual(['Z'])
})

describe('a request with excessive', () => {
  const base = JSON.parse(requestFile('A')).Forms[0] as Record<string, unknown>
  const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  const excess: [what: string, content: () => string][] = [
    ['brackets', () => `{"Forms":${'['.repeat(3e6)}${']'.repeat(3e6)}}`],
    ['unknown members', () => JSON.stringify({ Forms: [{ ...base, ...numbered(400_000) }] })],
    ['signers', () => JSON.stringify({ Forms: [{ ...base, Signers: Array(80_000).fill({ FirstName: 'M' }) }] })],
    ['forms', () => JSON.stringify({ Forms: Array(30_000).fill(base) })]
  ]
  test.each(excess.slice(0, 1))('%s fails without blocking the application', ofExcess)
  test.each(excess.slice(1))('%s fails without blocking the application', { tags: ['full'] }, ofExcess)
  async function ofExcess(_what: string, content: () => string): Promise<void> {
    const worker = openBulkWorker({
      worker: new URL('../../../src/main/shell/bulk-worker.ts', import.meta.url),
      log: { error: () => undefined }
    })
    const at = await aPlace({ worker: { ask: worker.ask, end: async () => undefined } })
    onTestFinished(() => worker.end())
    at.drop('a.json', content())
    await at.glance(31_000)
    await at.glance(31_000)
    const { worst, stop } = stalls()
    await at.glance(0)
    stop()
    expect(at.files()).toMatchObject([
      { outcome: 'failed', error: { code: expect.stringMatching(/invalid|bad-file/) } }
    ])
    // This used to block the thread for seconds.
    expect(worst()).toBeLessThan(500)
  }

  test('size is refused unread, while the largest allowed XML data is accepted', async () => {
    const at = await aPlace()
    const XMLData = `<a>${'<b/>'.repeat(1_249_990)}</a>`
    at.drop('large.json', JSON.stringify({ Forms: [{ ...base, XMLData }] }))
    at.drop('too large.json', ' '.repeat(6 * 1024 * 1024 + 1))
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
    expect(at.report('too large.json', 'failed')).toContain('larger than 6 MB')
  })
})

test('a file of 3 GB is moved to failed unread', async () => {
  const at = await aPlace()
  at.drop('huge.json', '')
  truncateSync(join(at.place, 'huge.json'), 3 * 1024 ** 3)
  await at.check()
  await at.check()
  expect(at.names('failed')).toEqual(['huge.json', 'huge.json.report.txt'])
  expect(at.report('huge.json', 'failed')).toContain('larger than 20 MB')
})

test('a file that vanishes before it is moved away can be dropped again', async () => {
  const { step, then } = onceAt('reported')
  const at = await aPlace({ step })
  then.act = () => {
    for (const name of readdirSync(join(at.place, '.countersign'))) rmSync(join(at.place, '.countersign', name))
  }
  at.drop('a.json', requestFile('A'))
  await at.check()
  at.drop('a.json', requestFile('A'))
  await at.check()
  expect(at.office.titles()).toEqual(['A', 'A'])
  expect([at.names(), at.claimed()]).toEqual([[], []])
  for (let time = 0; time < 4; time++) await at.check()
  expect(at.office.db.prepare(`SELECT count(*) FROM drop_folder_files WHERE state <> 'finished'`).pluck().get()).toBe(0)
})

/**
 * Measures the longest that this thread worked before anything else had a turn, in milliseconds of CPU time, so that a
 * busy machine adds none.
 */
function stalls() {
  const worked = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let worst = 0
  let last = worked()
  const timer = setInterval(() => {
    const now = worked()
    worst = Math.max(worst, now - last)
    last = now
  }, 1)
  return { worst: () => worst, stop: () => clearInterval(timer) }
}
