/** A page that asks for a file: the person is offered what staff opened and gives one file, and no copies remain. */
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MAX_FILE_BYTES, TurnFiles } from '../../../src/main/core/counter/turn-files.ts'
import { acceptedTypes } from '../../../src/main/shell/file-field.ts'
import { wantsStaff } from '../../../src/shared/wants-staff.ts'
import { openOffice, PIN, signer } from './office.ts'

let root: string
let theirs: string
let place: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'countersign-files-'))
  theirs = join(root, 'Parata, divorce')
  place = join(root, 'own', 'turn-files')
  await mkdir(theirs)
  for (const name of ['passport.pdf', 'bill.PDF', 'door.jpg', 'notes.txt'])
    await writeFile(join(theirs, name), `${name}!`)
})
afterEach(() => rm(root, { recursive: true }))

const names = (files: readonly { name: string }[] = []) => files.map(({ name }) => name)
const copies = async () => readdir(place, { recursive: true }).catch(() => [])

async function signing(asks: string[] | 'nothing' = [], more = {}) {
  const office = openOffice({ will: [signer('Ann Example', more)] })
  office.settings.mayGiveFiles = true
  office.filesPlace = place
  office.chosenFiles = { folder: theirs }
  const { id } = await office.start(['will', 0])
  const page = await office.opens()
  if (asks !== 'nothing') page.turn.events.asksForFile(asks)
  const staffOpens = async () => {
    await office.counter.unlock(id, PIN)
    return office.counter.staff(id, 'open-folder', 'office')
  }
  const fileOf = (name: string) => office.state().asksFile?.files?.find((one) => one.name === name)?.id ?? ''
  return { office, id, page, staffOpens, fileOf }
}

describe('files that staff opens', () => {
  const opened = async (accept: string[] = []) => {
    const files = new TurnFiles(place)
    await files.open({ folder: theirs })
    return names(files.offered(accept))
  }

  test('are offered by name if they are regular files', async () => {
    expect(await opened()).toEqual(['bill.PDF', 'door.jpg', 'notes.txt', 'passport.pdf'])
  })

  test('are not offered if they are links, folders, hidden, empty or too large', async () => {
    const secret = join(root, 'secret.txt')
    await writeFile(secret, 'secret')
    await symlink(secret, join(theirs, 'a link.pdf'))
    await symlink(root, join(theirs, 'a junction'), 'junction')
    await mkdir(join(theirs, 'within'))
    await writeFile(join(theirs, 'within', 'deep.pdf'), 'deep')
    for (const name of ['.hidden', '~$lock.docx', 'desktop.ini', 'Thumbs.db']) await writeFile(join(theirs, name), 'x')
    await writeFile(join(theirs, 'empty.pdf'), '')
    await writeFile(join(theirs, 'film.pdf'), '')
    await truncate(join(theirs, 'film.pdf'), MAX_FILE_BYTES + 1)
    expect(await opened()).toEqual(['bill.PDF', 'door.jpg', 'notes.txt', 'passport.pdf'])
    const files = new TurnFiles(place)
    await files.open({ files: [join(theirs, 'a link.pdf'), join(theirs, 'passport.pdf'), join(theirs, 'gone.pdf')] })
    expect(names(files.offered([]))).toEqual(['passport.pdf'])
  })

  test.each([
    [['.pdf'], ['bill.PDF', 'passport.pdf']],
    [['application/pdf'], ['bill.PDF', 'passport.pdf']],
    [['image/*'], ['door.jpg']],
    [['image/png', 'text/plain'], ['notes.txt']],
    [['*/*'], ['bill.PDF', 'door.jpg', 'notes.txt', 'passport.pdf']]
  ])('are filtered for a page that accepts %j to %j', async (accept, expected) => {
    expect(await opened(accept)).toEqual(expected)
  })
})

test('the valid parts of a page’s accept attribute are used, at most 50', () => {
  expect(acceptedTypes('.PDF, image/*,image/*, , ../../etc, .a b, <b>, application/vnd.ms-excel')).toEqual([
    '.pdf',
    'image/*',
    'application/vnd.ms-excel'
  ])
  expect(acceptedTypes(Array.from({ length: 5000 }, (_, at) => `.a${at}`).join()).length).toBe(50)
})

describe('a copy of a file', () => {
  const openedIn = async () => {
    const files = new TurnFiles(place)
    await files.open({ folder: theirs })
    const idOf = (name: string) => files.offered([]).find((one) => one.name === name)?.id ?? ''
    return { files, idOf }
  }

  test('has the file’s name and content, and nothing of its path', async () => {
    const { files, idOf } = await openedIn()
    const copy = await files.copy(idOf('passport.pdf'))
    expect([basename(copy), dirname(dirname(copy))]).toEqual(['passport.pdf', place])
    expect(await readFile(copy, 'utf8')).toBe('passport.pdf!')
    expect(copy).not.toContain('divorce')
  })

  const swaps: [what: string, swap: (path: string) => Promise<unknown>][] = [
    ['was changed', (path) => writeFile(path, 'something longer than before')],
    ['was touched', (path) => utimes(path, 1, 1)],
    [
      'was replaced by one of the same size',
      async (path) => {
        await rename(path, `${path}.before`)
        await writeFile(path, 'passport.pdf?')
      }
    ],
    [
      'became a link',
      async (path) => {
        await rename(path, `${path}.before`)
        await symlink(`${path}.before`, path)
      }
    ],
    [
      'became a folder',
      async (path) => {
        await rm(path)
        await mkdir(path)
      }
    ],
    ['was deleted', (path) => rm(path)]
  ]
  test.each(swaps)('isn’t made if the file %s after it was offered', async (_what, swap) => {
    const { files, idOf } = await openedIn()
    await swap(join(theirs, 'passport.pdf'))
    await expect(files.copy(idOf('passport.pdf'))).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    expect(await copies()).toEqual([])
  })

  test('isn’t made if the file changes during copying', async () => {
    const original = join(theirs, 'passport.pdf')
    await writeFile(original, Buffer.alloc(MAX_FILE_BYTES - 1, 'a'))
    const { files, idOf } = await openedIn()
    const copying = files.copy(idOf('passport.pdf'))
    // The test looks at the copy between two of its chunks, and writes to the original before the next chunk is copied.
    const soFar = () => readdirSync(place, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.pdf'))
    let copied = 0
    while (copied === 0) {
      await new Promise(setImmediate)
      const name = existsSync(place) ? soFar() : undefined
      copied = name === undefined ? 0 : statSync(join(place, name)).size
    }
    writeFileSync(original, 'b', { flag: 'r+' })
    utimesSync(original, 1, 1)
    expect(copied).toBeLessThan(MAX_FILE_BYTES - 1)
    await expect(copying).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    expect(await copies()).toEqual([])
  })

  test('isn’t made of a file that isn’t offered, or no longer offered', async () => {
    const { files, idOf } = await openedIn()
    const id = idOf('passport.pdf')
    await expect(files.copy('another')).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(await files.wipe()).toBe(true)
    await expect(files.copy(id)).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('is removed at the end, even if it was still being made', async () => {
    const { files, idOf } = await openedIn()
    await files.copy(idOf('door.jpg'))
    const late = files.copy(idOf('passport.pdf'))
    late.catch(() => {})
    expect(await files.wipe()).toBe(true)
    await expect(late).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    expect(await copies()).toEqual([])
  })

  test('that fails reports no path', async () => {
    const { files, idOf } = await openedIn()
    const id = idOf('passport.pdf')
    await rm(theirs, { recursive: true })
    const error = await files.copy(id).catch((thrown: unknown) => thrown)
    expect(JSON.stringify(error)).not.toMatch(/divorce|countersign-files/)
  })
})

describe('a page that asks for a file', () => {
  test('is refused without asking anyone if the setting is off', async () => {
    const { office, page } = await signing('nothing')
    office.settings.mayGiveFiles = false
    expect(page.turn.files()).toBe(false)
    page.turn.events.asksForFile([])
    expect(office.state()).toMatchObject({ phase: 'open' })
    expect(office.state().asksFile).toBeUndefined()
  })

  test('is covered until staff opens files, and gets the one that the person chooses', async () => {
    const { office, id, page, staffOpens, fileOf } = await signing(['.pdf'])
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'file', isLocked: false, asksFile: {} })
    expect(page.state).toBe('hidden')
    await staffOpens()
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'file', isLocked: false })
    expect(names(office.state().asksFile?.files)).toEqual(['bill.PDF', 'passport.pdf'])
    await office.counter.giveFile(id, fileOf('passport.pdf'))
    expect(page.given.map((path) => basename(path))).toEqual(['passport.pdf'])
    expect(office.state()).toMatchObject({ phase: 'open' })
    expect(office.state().asksFile).toBeUndefined()
    expect([page.state, await copies()]).toEqual([
      'shown',
      [expect.any(String), expect.stringContaining('passport.pdf')]
    ])
    expect(office.notesOf('files-opened')).toMatchObject([{ detail: { files: '4' } }])
    expect(office.notesOf('file-given')).toMatchObject([{ detail: { file: 'passport.pdf', bytes: '13' } }])
    expect(JSON.stringify([office.notes, office.state()])).not.toMatch(/divorce|countersign-files/)
    void office.counter.finish(id)
    await expect.poll(copies).toEqual([])
    await office.settled()
  })

  test('can ask again in the same turn for files already opened', async () => {
    const { office, id, page, staffOpens, fileOf } = await signing()
    await staffOpens()
    await office.counter.giveFile(id, fileOf('door.jpg'))
    page.turn.events.asksForFile(['.txt'])
    expect(names(office.state().asksFile?.files)).toEqual(['notes.txt'])
  })

  test('continues without a file if the person or staff chooses to', async () => {
    const { office, id, page } = await signing()
    await office.counter.resume(id)
    expect(office.state().asksFile).toBeUndefined()
    page.turn.events.asksForFile([])
    await office.counter.unlock(id, PIN)
    await office.counter.staff(id, 'continue', 'office')
    expect(office.state()).toMatchObject({ phase: 'open' })
    expect([office.state().asksFile, page.given]).toEqual([undefined, []])
  })

  test('gets no file that isn’t offered, and none after the screen was left', async () => {
    const { office, id, page, staffOpens, fileOf } = await signing(['.pdf'])
    await staffOpens()
    await expect(office.counter.giveFile(id, 'another')).rejects.toMatchObject({ appError: { code: 'gone' } })
    const file = fileOf('passport.pdf')
    office.counter.screenLeft('blur')
    await office.counter.giveFile(id, file)
    expect([page.given, office.state().cover]).toEqual([[], 'away'])
  })

  test('no longer asks once it loads another document', async () => {
    const { office, page } = await signing()
    page.turn.events.loading()
    expect(office.state()).toMatchObject({ phase: 'loading' })
    expect(office.state().asksFile).toBeUndefined()
  })

  describe('and for the camera', () => {
    const asking = async (first: 'camera' | 'file') => {
      const at = await signing('nothing', { VideoConfirmationEnabled: true })
      const asksForFile = () => at.page.turn.events.asksForFile([])
      if (first === 'file') asksForFile()
      const answers = at.office.asks()
      if (first === 'camera') asksForFile()
      /** Every question that is shown from now on, with what the page then waits for. */
      const shown: string[] = []
      at.office.deps.changed = () => {
        const { cover, asksFor, asksFile } = at.office.state()
        shown.push([cover ?? 'page', ...asksFor, ...(asksFile ? ['file'] : [])].join(' '))
      }
      const staffAllows = async () => {
        await at.office.counter.unlock(at.id, PIN)
        await at.office.counter.staff(at.id, 'allow-camera', 'office')
      }
      return { ...at, answers, shown, staffAllows }
    }

    test.each(['camera', 'file'] as const)('is asked for one after the other, if the %s was first', async (first) => {
      const { office, id, page, answers, shown, staffAllows, staffOpens, fileOf } = await asking(first)
      expect(office.state()).toMatchObject({ cover: 'camera', isLocked: true, asksFor: ['camera'], asksFile: {} })
      await staffAllows()
      await office.counter.allowCamera(id)
      expect([answers, page.state]).toEqual([[true], 'hidden'])
      expect(office.state()).toMatchObject({ cover: 'file', isLocked: false, asksFor: [], asksFile: {} })
      await staffOpens()
      await office.counter.giveFile(id, fileOf('door.jpg'))
      expect([page.given.length, page.state, office.state().asksFile]).toEqual([1, 'shown', undefined])
      expect(shown.filter((one, at) => one !== shown[at - 1])).toEqual([
        ...['camera camera file', 'staff camera file', 'consent camera file'],
        ...['file file', 'staff file', 'file file', 'page']
      ])
    })

    test('is asked for a file if the camera is refused', async () => {
      const { office, id, page, answers } = await asking('camera')
      await office.counter.resume(id)
      expect([answers, office.notesOf('camera-refused').length]).toEqual([[false], 1])
      expect(office.state()).toMatchObject({ cover: 'file', asksFor: [], asksFile: {} })
      await office.counter.resume(id)
      expect([page.state, office.state().asksFile]).toEqual(['shown', undefined])
    })

    test('is still asked for the camera after staff opened files', async () => {
      const { office, answers, staffOpens } = await asking('file')
      await staffOpens()
      expect(office.state()).toMatchObject({ cover: 'camera', isLocked: true, asksFor: ['camera'] })
      expect([answers, names(office.state().asksFile?.files).length]).toEqual([[], 4])
    })

    test('is still asked for the camera if it loads another document', async () => {
      const { office, page, answers } = await asking('file')
      page.turn.events.loading()
      expect(office.state()).toMatchObject({ cover: 'camera', asksFor: ['camera'] })
      expect([answers, office.state().asksFile]).toEqual([[], undefined])
    })
  })

  test('keeps the choice open if the chosen file can’t be used', async () => {
    const { office, id, page, staffOpens, fileOf } = await signing()
    await staffOpens()
    const file = fileOf('passport.pdf')
    await rm(join(theirs, 'passport.pdf'))
    await expect(office.counter.giveFile(id, file)).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    expect([office.state().cover, page.given]).toEqual(['file', []])
  })

  test('gets no file that can’t be recorded, and one it refuses is recorded as not taken', async () => {
    const { office, id, page, staffOpens, fileOf } = await signing(['.pdf'])
    await staffOpens()
    office.trailTrouble = new Error('The disk is full.')
    await expect(office.counter.giveFile(id, fileOf('passport.pdf'))).rejects.toThrow('The disk is full.')
    expect([page.given, office.state().cover]).toEqual([[], 'file'])
    office.trailTrouble = undefined
    page.refusesFiles = true
    await expect(office.counter.giveFile(id, fileOf('passport.pdf'))).rejects.toMatchObject({
      appError: { code: 'gone' }
    })
    expect(office.notesOf('file-given')).toHaveLength(1)
    expect(office.notesOf('file-not-taken')).toMatchObject([{ detail: { file: 'passport.pdf' } }])
  })

  test('is never covered for a file without its question', async () => {
    const { office, id, staffOpens, fileOf } = await signing(['.pdf'])
    const wrong: unknown[] = []
    office.deps.changed = () => {
      const { cover, asksFile } = office.state()
      if (cover === 'file' && !asksFile) wrong.push(cover)
    }
    await staffOpens()
    await office.counter.giveFile(id, fileOf('passport.pdf'))
    expect([office.state().phase, wrong]).toEqual(['open', []])
  })

  test('doesn’t report a folder as opened if the turn ends while it is read', async () => {
    const { office, id } = await signing()
    office.chosenFiles = { folder: theirs }
    await office.counter.unlock(id, PIN)
    const opening = office.counter.staff(id, 'open-folder', 'office')
    const refused = expect(opening).rejects.toMatchObject({ appError: { code: 'gone' } })
    // Give it time to start reading the folder.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    void office.counter.staff(id, 'end', 'office')
    await refused
    expect(office.notesOf('files-opened')).toEqual([])
    await office.settled()
  })

  test('isn’t offered files opened for an earlier page', async () => {
    const { office, id, staffOpens } = await signing()
    await staffOpens()
    office.events().failed({ code: 'server', message: 'It broke.' })
    await office.counter.retry(id)
    office.events().open()
    office.events().asksForFile([])
    expect(office.state().asksFile).toEqual({})
  })

  test('gets files only from staff, and only if the setting allows it', async () => {
    const { office, id } = await signing()
    await expect(office.counter.staff(id, 'open-folder', 'office')).rejects.toMatchObject({
      appError: { code: 'not-allowed' }
    })
    office.settings.mayGiveFiles = false
    await office.counter.unlock(id, PIN)
    await expect(office.counter.staff(id, 'open-files', 'office')).rejects.toMatchObject({
      appError: { code: 'not-allowed' }
    })
  })

  test('calls staff at the office screen until files have been opened', async () => {
    const { office } = await signing()
    const there = { ...office.state(), place: 'other-display' as const }
    expect(wantsStaff(there)).toBe(true)
    expect(wantsStaff({ ...there, asksFile: { files: [] } })).toBe(true)
    expect(wantsStaff({ ...there, asksFile: { files: [{ id: 'a', name: 'a.pdf', bytes: 1 }] } })).toBe(false)
  })
})
