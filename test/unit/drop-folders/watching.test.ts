import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listenToFolder } from '../../../src/main/core/drop-folders/watched-folder.ts'
import { ACCOUNT, requestFile } from '../../fixtures/drop-folder-office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { aPlace } from './place.ts'

describe('a file', () => {
  test('that grows is left alone until it has stopped growing', async () => {
    const at = await aPlace()
    const complete = requestFile('Lease')
    at.drop('slow.json', complete.slice(0, 20))
    await at.glance(1_000)
    appendFileSync(join(at.place, 'slow.json'), complete.slice(20, 60))
    await at.glance(1_500)
    appendFileSync(join(at.place, 'slow.json'), complete.slice(60))
    await at.glance(1_900)
    await at.office.dropFolders.checkNow(at.id)
    expect(at.names()).toEqual(['slow.json'])
    await at.check()
    expect(at.office.titles()).toEqual(['Lease'])
  })

  test.each(['a.json.part', 'a.json.tmp', 'a.crdownload', 'a.json~', '~$staff.xlsx', '.a.json', 'scan.pdf', 'a'])(
    'named %s is ignored',
    async (name) => {
      const at = await aPlace()
      at.drop(name, requestFile('A'))
      await at.check()
      expect(at.names()).toEqual([name])
      expect(at.files()).toEqual([])
    }
  )

  test('that is a link or a folder isn’t followed', async () => {
    const at = await aPlace()
    const outsideFile = join(at.folder, 'secret.json')
    writeFileSync(outsideFile, requestFile('Secret'))
    symlinkSync(outsideFile, join(at.place, 'link.json'))
    mkdirSync(join(at.place, 'folder.json'))
    await at.check()
    expect(at.office.titles()).toEqual([])
    expect(at.names()).toEqual(['link.json'])
    expect(readFileSync(outsideFile, 'utf8')).toBe(requestFile('Secret'))
  })

  test('isn’t processed if done is a link, as it couldn’t be moved there', async () => {
    const at = await aPlace()
    const outsideFolder = join(at.folder, 'Elsewhere')
    mkdirSync(outsideFolder)
    symlinkSync(outsideFolder, join(at.place, 'done'))
    at.drop('a.json', requestFile('A'))
    await at.check()
    await at.check()
    expect(at.names('../Elsewhere')).toEqual([])
    expect(at.names().filter((name) => name.endsWith('.json'))).toEqual(['a.json'])
    expect(at.office.titles()).toEqual([])
    expect(at.view().state).toBe('not-writable')
  })

  test('with the longest possible name is processed', async () => {
    const at = await aPlace()
    const name = `${'né'.repeat(83)}.json`
    at.drop(name, requestFile('A'))
    await at.check()
    expect([at.office.titles(), at.names(), at.claimed(), at.view().state]).toEqual([['A'], [], [], 'watching'])
    expect(at.names('done')).toHaveLength(2)
    expect(at.files()[0]?.name).toBe(name)
  })

  test('with two names in the folder counts as two files', async () => {
    const at = await aPlace()
    at.drop('one.json', requestFile('A'))
    linkSync(join(at.place, 'one.json'), join(at.place, 'two.json'))
    await at.check()
    expect(at.office.titles()).toEqual(['A', 'A'])
    expect(at.names('done').filter((name) => name.endsWith('.json'))).toEqual(['one.json', 'two.json'])
  })

  test('already in done is never overwritten', async () => {
    const at = await aPlace()
    mkdirSync(join(at.place, 'done'))
    writeFileSync(join(at.place, 'done', 'a.json'), 'theirs')
    writeFileSync(join(at.place, 'done', 'a (2).json.report.txt'), 'theirs too')
    at.drop('a.json', requestFile('A'))
    await at.check()
    expect(readFileSync(join(at.place, 'done', 'a.json'), 'utf8')).toBe('theirs')
    expect(readFileSync(join(at.place, 'done', 'a (2).json.report.txt'), 'utf8')).toBe('theirs too')
    expect(at.names('done')).toContain('a (3).json')
  })
})

describe('a folder', () => {
  test('that disappears is shown as missing, and continues when it is back', async () => {
    const at = await aPlace()
    at.drop('a.json', requestFile('A'))
    await at.office.dropFolders.checkNow(at.id)
    const away = join(at.folder, 'Unplugged')
    renameSync(at.place, away)
    await at.check()
    expect(at.view().state).toBe('missing')
    expect(at.office.titles()).toEqual([])
    renameSync(away, at.place)
    await at.check()
    expect(at.view().state).toBe('watching')
    expect(at.office.titles()).toEqual(['A'])
  })

  test('that is briefly replaced by an empty one has no file processed twice', async () => {
    let isBlinking = true
    const at = await aPlace({
      step: (name) => {
        if (name !== 'made' || !isBlinking) return
        isBlinking = false
        renameSync(at.place, join(at.folder, 'Away'))
        mkdirSync(at.place)
      }
    })
    at.drop('a.json', requestFile('A'))
    await at.check()
    await at.check()
    rmSync(at.place, { recursive: true })
    renameSync(join(at.folder, 'Away'), at.place)
    await at.check()
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
    expect(at.names()).toEqual([])
    expect(at.names('done')).toEqual(['a.json', 'a.json.report.txt'])
  })

  test('that isn’t writable keeps its files, which are processed once it is', async () => {
    const at = await aPlace()
    // A file in place of the folder stands for a share that can't be written: tests may run as a user who can write
    // anywhere.
    writeFileSync(join(at.place, 'done'), '')
    at.drop('a.json', requestFile('A'))
    await at.check()
    expect(at.view()).toMatchObject({ state: 'not-writable', taken: 0 })
    expect(at.names()).toContain('a.json')
    rmSync(join(at.place, 'done'))
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
    expect(at.view().state).toBe('watching')
    expect(at.names()).toEqual([])
  })

  test('that becomes read-only during processing has its file processed once, and moved later', async () => {
    const done = () => join(at.place, 'done')
    let isTurning = true
    const at = await aPlace({
      step: (name) => {
        if (name !== 'made' || !isTurning) return
        isTurning = false
        rmSync(done(), { recursive: true })
        writeFileSync(done(), '')
      }
    })
    at.drop('a.json', requestFile('A'))
    await at.check()
    expect(at.view()).toMatchObject({ state: 'not-writable', taken: 1 })
    at.startAgain()
    await at.check()
    expect([at.office.titles(), at.claimed(), at.view().state]).toEqual([['A'], ['a.json'], 'not-writable'])
    // Another file with the same name is a new one, and waits.
    at.drop('a.json', requestFile('B'))
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
    rmSync(done())
    await at.check()
    expect(at.view().state).toBe('watching')
    expect(at.office.titles().sort()).toEqual(['A', 'B'])
    expect(at.names()).toEqual([])
    expect(at.names('done').filter((name) => name.endsWith('.json'))).toEqual(['a (2).json', 'a.json'])
  })

  test('that is paused isn’t processed until it is resumed', async () => {
    const at = await aPlace()
    at.change({ paused: true })
    at.drop('a.json', requestFile('A'))
    await at.check()
    expect([at.view().state, at.names()]).toEqual(['paused', ['a.json']])
    at.change({ paused: false })
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
  })

  test('that is removed gets its claimed files back', async () => {
    const at = await aPlace()
    at.drop('a.json', requestFile('A'))
    at.change({ sends: true })
    await at.glance(31_000)
    await at.glance(0)
    expect([at.names(), at.claimed()]).toEqual([[], ['a.json']])
    at.office.dropFolders.remove(at.id)
    expect(at.office.dropFolders.list(ACCOUNT)).toEqual([])
    await expect.poll(() => [at.names(), at.claimed()]).toEqual([['a.json'], []])
    expect(await at.office.dropFolders.add(ACCOUNT, at.place)).toMatchObject({ id: at.id, sends: false })
    await at.check()
    expect(at.office.titles()).toEqual(['A'])
  })

  test('that is removed and added again doesn’t repeat what was processed', async () => {
    const at = await aPlace({ step: (name) => (name === 'made' ? new Promise<void>(() => undefined) : undefined) })
    at.drop('a.json', requestFile('A'))
    void at.check()
    await expect.poll(() => at.office.titles()).toEqual(['A'])
    at.startAgain({ step: () => undefined })
    at.office.dropFolders.remove(at.id)
    expect(await at.office.dropFolders.add(ACCOUNT, at.place)).toMatchObject({ id: at.id })
    await at.check()
    expect([at.office.titles(), at.claimed()]).toEqual([['A'], []])
  })

  test('is refused if it is the application’s own, already watched, or another’s done folder', async () => {
    const at = await aPlace()
    const refused = (path: string) => at.office.dropFolders.add(ACCOUNT, path).catch((error) => error.appError?.message)
    at.drop('a.json', requestFile('A'))
    await at.check()
    mkdirSync(join(at.office.own, 'inside'))
    symlinkSync(at.place, join(at.folder, 'by another name'))
    expect(await refused(at.office.own)).toContain('keeps its own data there')
    expect(await refused(join(at.office.own, 'inside'))).toContain('keeps its own data there')
    expect(await refused(join(at.folder, 'by another name'))).toContain('already watched')
    expect(await refused(join(at.place, 'done'))).toContain('Another drop folder')
    expect(await refused(join(at.place, '.countersign'))).toContain('Another drop folder')
    mkdirSync(join(at.folder, 'Above', 'done', 'inside'), { recursive: true })
    await at.office.dropFolders.add(ACCOUNT, join(at.folder, 'Above', 'done', 'inside'))
    expect(await refused(join(at.folder, 'Above'))).toContain('moved into another watched folder')
    expect(await refused(join(at.folder, 'nowhere'))).toContain('can’t be read')
    expect(await refused(join(at.place, 'done', 'a.json'))).toContain('isn’t a folder')
  })

  test('reports changes until nobody listens', async () => {
    const place = temporaryFolder()
    let happened = 0
    const stop = listenToFolder(place, () => happened++)
    await expect
      .poll(() => {
        writeFileSync(join(place, `${Math.random()}.json`), '{}')
        return happened
      })
      .toBeGreaterThan(0)
    stop()
  })

  test('is checked automatically when a file is dropped', async () => {
    const at = await aPlace({ schedule: undefined as never, elapsed: () => performance.now(), listen: listenToFolder })
    at.office.dropFolders.start()
    at.drop('a.json', requestFile('A'))
    await expect.poll(() => at.office.titles(), { timeout: 30_000 }).toEqual(['A'])
    await at.office.dropFolders.stop(5_000)
  })
})

test('a file locked by another program is processed later, without delaying others', async () => {
  let isHeld = true
  const at = await aPlace({
    step: (name) => {
      if (name !== 'read' || !isHeld) return
      isHeld = false
      throw Object.assign(new Error('Held.'), { code: 'EACCES', syscall: 'open' })
    }
  })
  at.drop('a held.json', requestFile('Held'))
  at.drop('open.json', requestFile('Open'))
  await at.check()
  expect([at.office.titles(), at.claimed(), at.view().state]).toEqual([['Open'], ['a held.json'], 'not-writable'])
  await at.check()
  expect(at.office.titles().sort()).toEqual(['Held', 'Open'])
  expect(at.view().state).toBe('watching')
})
