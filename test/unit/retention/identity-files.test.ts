/** Old identity data files are deleted from disk if they are still as they were written, and no other files are. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { removeIntact } from '../../../src/main/core/downloads/file-check.ts'
import { DAY } from '../../../src/main/core/lib/calendar.ts'
import { openIdentityFiles } from '../../../src/main/core/retention/identity-files.ts'
import { openPurging } from '../../../src/main/core/retention/purging.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import { aDocument } from '../../fixtures/download-office.ts'
import { pdfOf } from '../../fixtures/pdf-server.ts'
import { anOffice, CHOICE, stalling, until } from '../downloads/office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { retentionOffice, TODAY } from './office.ts'

const OLD = TODAY - 100 * DAY
const POLICY = { identityFiles: 30 }

interface Saved {
  type?: string
  at?: number
  reference?: string
  wasThere?: 0 | 1
  /** The other workstation that saved it. */
  workstation?: string
}

type DownloadOffice = Awaited<ReturnType<typeof anOffice>>

/** An office with a folder of downloaded files. */
async function office(policy: Partial<Record<string, number>> = POLICY) {
  const made = await retentionOffice({ policy })
  const folder = temporaryFolder()
  made.folders.register(folder)
  /** Writes a file as a download leaves it. */
  function save(
    name: string,
    { type = 'pdf', at = OLD, reference = `D ${name}`, wasThere = 0, workstation }: Saved = {}
  ): string {
    const path = join(folder, ...name.split('/'))
    const content = `Identity of ${name}`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    made.db
      .prepare(
        `INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, state, queued_at,
           finished_at, file_name, was_there, bytes, sha256, workstation)
         VALUES (?, 'a', ?, ?, ?, 'f', '', 1, 'done', ?, ?, ?, ?, ?, ?, ?)`
      )
      .run(
        ...[`download ${name}`, reference, name, type, at, at, name, wasThere, content.length],
        createHash('sha256').update(content).digest('hex'),
        workstation ?? null
      )
    return path
  }
  const recordedFiles = () => made.db.prepare('SELECT file_name FROM downloads ORDER BY number').pluck().all()
  return { ...made, folder, save, recordedFiles }
}

test('old files are deleted with their records, counted in the trail, and the index is rewritten', async () => {
  const { save, use, recordedFiles, notes, purged, folders, found, copy, inCopy, retention } = await office()
  const paths = Array.from({ length: 120 }, (_, at) => save(`Person${at}.pdf`))
  const young = save('Young.pdf', { at: TODAY })
  await copy()
  expect(await retention.countDue(['identityFiles'])).toEqual({ identityFiles: 120 })
  await use(4)
  expect(paths.filter((path) => existsSync(path))).toEqual([])
  expect(existsSync(young)).toBe(true)
  expect(recordedFiles()).toEqual(['Young.pdf'])
  expect(notes.at(-1)).toEqual({ what: 'data-purged', detail: { identityFilesPurged: '120' } })
  expect(purged).toEqual(['identityFiles'])
  expect(folders.withDueIndex()).toEqual(['f'])
  expect(await inCopy('SELECT count(*) FROM downloads')).toBe(1)
  expect(found('Person7')).toBe(0)
})

test('no files are deleted unless days are set', async () => {
  const { save, use, recordedFiles } = await office({})
  const path = save('Ana.pdf')
  await use(10)
  expect(existsSync(path)).toBe(true)
  expect(recordedFiles()).toEqual(['Ana.pdf'])
})

test('files that aren’t identity data, were changed, or are on hold stay', async () => {
  const { save, use, recordedFiles, holds, folder, notes } = await office()
  const stays = [
    save('Signed.pdf', { type: 'signed' }),
    save('There before.pdf', { wasThere: 1 }),
    save('On hold.pdf', { reference: 'R1' })
  ]
  await holds.hold([{ accountId: 'a', reference: 'R1', name: 'Lease' }], 'A dispute')
  const changed = save('Changed.pdf')
  writeFileSync(changed, 'Identity of Chamged.pdf')
  const longer = save('Longer.pdf')
  writeFileSync(longer, 'Someone wrote more into it')
  const moved = save('Moved.pdf')
  renameSync(moved, join(folder, 'Kept by Mere.pdf'))
  const linked = save('Linked.pdf')
  renameSync(linked, join(folder, 'Elsewhere.pdf'))
  symlinkSync(join(folder, 'Elsewhere.pdf'), linked)
  const names = recordedFiles()
  await use(5)
  for (const path of [...stays, changed, longer, linked]) expect(existsSync(path), path).toBe(true)
  expect(existsSync(join(folder, 'Kept by Mere.pdf'))).toBe(true)
  expect(recordedFiles()).toEqual(names)
  expect(notes.map(({ what }) => what)).toEqual(['document-held'])
})

test('files put on hold during the purge stay, on disk and in the list', async () => {
  const { save, db, folders, holds, recordedFiles } = await office()
  save('First.pdf')
  const held = save('Held.pdf', { reference: 'R1' })
  rmSync(save('Moved away.pdf', { reference: 'R2' }))
  const path = save('Requested again.pdf')
  const changeMeanwhile = () => {
    const hold = (reference: string) => holds.hold([{ accountId: 'a', reference, name: 'Lease' }], 'A dispute')
    void hold('R1')
    void hold('R2')
    db.prepare(`UPDATE downloads SET state = 'waiting' WHERE file_name = 'Requested again.pdf'`).run()
  }
  const files = openIdentityFiles({
    db,
    purging: openPurging(db),
    erased: () => {},
    folders: {
      ...folders,
      fileOf(folderId, fileName) {
        // All of them are chosen by now.
        if (fileName === 'First.pdf') changeMeanwhile()
        return folders.fileOf(folderId, fileName)
      }
    }
  })
  await files.erase({ identityFiles: TODAY, downloads: TODAY }, () => false)
  expect([held, path].map((path) => existsSync(path))).toEqual([true, true])
  expect(recordedFiles()).toEqual(['Held.pdf', 'Moved away.pdf', 'Requested again.pdf'])
})

test('a link among the folders doesn’t let anything outside be deleted', async () => {
  const { save, use, folder } = await office()
  const path = save('Mere/Passport.pdf')
  const elsewhere = temporaryFolder()
  renameSync(path, join(elsewhere, 'Passport.pdf'))
  rmSync(join(folder, 'Mere'), { recursive: true })
  symlinkSync(elsewhere, join(folder, 'Mere'))
  await use(4)
  expect(readdirSync(elsewhere)).toEqual(['Passport.pdf'])
})

test('a file written to while it is being read stays', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'Ana.pdf')
  writeFileSync(path, 'as it was')
  const sha256 = createHash('sha256').update('as it was').digest('hex')
  const expected = {
    bytes: 9,
    // Read once the whole file has been read.
    get sha256() {
      writeFileSync(path, 'as it is ')
      return sha256
    }
  }
  const removing = () => expect.unreachable('It is about to be removed.')
  expect(await removeIntact(path, expected, { folder, removing })).toBe('altered')
  expect(existsSync(path)).toBe(true)
})

test('empty folders named after people are deleted, but never the chosen folder', async () => {
  const { save, use, folder } = await office()
  save('2026/Mere Tamati/Passport.pdf')
  save('2026/Ana Example/Passport.pdf')
  writeFileSync(join(folder, '2026', 'Ana Example', 'Notes.txt'), 'of the office')
  await use(4)
  expect(readdirSync(folder)).toEqual(['2026'])
  expect(readdirSync(join(folder, '2026'))).toEqual(['Ana Example'])
})

test('a missing folder is retried, and its files’ records stay until then', async () => {
  const { save, use, folder, recordedFiles } = await office({ identityFiles: 30, downloads: 30 })
  const path = save('Ana.pdf')
  renameSync(folder, `${folder}-away`)
  await use(4)
  expect(recordedFiles()).toEqual(['Ana.pdf'])
  renameSync(`${folder}-away`, folder)
  await use(1)
  expect(existsSync(path)).toBe(false)
  expect(recordedFiles()).toEqual([])
})

test('the list of downloads keeps a file’s record until the file is gone, or isn’t ours to delete', async () => {
  const { save, use, recordedFiles, notes } = await office({ identityFiles: 90, downloads: 30 })
  save('Later.pdf', { at: TODAY - 40 * DAY })
  const changed = save('Changed.pdf')
  writeFileSync(changed, 'no longer what it was')
  save('Signed.pdf', { type: 'signed' })
  await use(4)
  expect(existsSync(changed)).toBe(true)
  expect(recordedFiles()).toEqual(['Later.pdf'])
  expect(notes.at(-1)).toMatchObject({ detail: { downloadsPurged: '2' } })
})

test('a file saved by another workstation isn’t deleted here', async () => {
  const { save, use, recordedFiles } = await office({ identityFiles: 30, downloads: 150 })
  const path = save('Ana.pdf', { workstation: 'Counter 2' })
  await use(4)
  expect(recordedFiles()).toEqual(['Ana.pdf'])
  await use(60)
  expect(recordedFiles()).toEqual([])
  expect(existsSync(path)).toBe(true)
})

test('a crash between deleting a file and its record is completed, and counted', async () => {
  const { save, use, recordedFiles, notes, db } = await office()
  const [gone, there] = [save('Gone.pdf'), save('There.pdf', { at: TODAY })]
  openJsonMeta(db).write('retention-file-going', 'download Gone.pdf')
  rmSync(gone)
  await use(4)
  expect(recordedFiles()).toEqual(['There.pdf'])
  expect(existsSync(there)).toBe(true)
  expect(notes.at(-1)).toMatchObject({ detail: { identityFilesPurged: '1' } })
})

describe('a downloaded file', () => {
  /** Deletes all identity files, regardless of their age. */
  async function eraseAll({ office: { db, downloads } }: DownloadOffice) {
    const files = openIdentityFiles({ db, folders: downloads.folders, purging: openPurging(db), erased: () => {} })
    await files.erase({ identityFiles: Number.MAX_SAFE_INTEGER }, () => false)
  }

  async function fetchAgain(at: DownloadOffice) {
    const { accountId, downloads, whenIdle } = at.office
    await downloads.retry(accountId, [at.list().find((one) => one.documentReference === 'R1')?.id ?? ''])
    await whenIdle()
  }

  /** Fetches R1, kills the application when its file is in its place but not recorded, and fetches it once more. */
  async function killBeforeRecording(before: (folder: string) => void = () => {}) {
    // Files are recorded together, after those in progress or a delay, which here never end.
    const at = await anOffice({ after: () => () => undefined })
    const { answer } = at.server
    const gate = Promise.withResolvers<void>()
    at.server.answer = async (reference, ...rest) => {
      if (reference === 'R2') await gate.promise
      await answer(reference, ...rest)
    }
    before(at.office.files)
    for (const isKilled of [false, true]) {
      if (isKilled) await at.startAgain()
      await at.office.showDocuments([aDocument('R1'), aDocument('R2')])
      at.office.downloads.startFetching()
      if (isKilled) continue
      await at.add(['R1', 'R2'])
      const hasArrived = () => at.list(['running']).some(({ bytes }) => bytes === pdfOf('R1').length)
      await until(() => hasArrived() && `${at.files()}` === 'Lease R1.identity.pdf')
      expect(at.counts()).toMatchObject({ done: 0 })
    }
    gate.resolve()
    await until(() => at.counts().done === 2)
    return at
  }

  test('is deleted even if it was downloaded again', async () => {
    const at = await anOffice()
    await at.office.showDocuments([aDocument('R1')])
    at.office.downloads.startFetching()
    await at.add(['R1'])
    await at.office.whenIdle()
    await fetchAgain(at)
    expect(at.list()).toHaveLength(1)
    await eraseAll(at)
    expect(at.files()).toEqual([])
  })

  test.each(['its file is', 'its record is'])(
    'leaves its folder’s list even if killed once %s deleted',
    async (what) => {
      const at = await anOffice()
      await at.office.showDocuments([aDocument('R1')])
      at.office.downloads.startFetching()
      await at.add(['R1'], { ...CHOICE, writesIndex: true })
      await until(() => at.files().includes('index.csv'))
      await at.office.whenIdle()
      if (what === 'its record is') await eraseAll(at)
      else {
        openJsonMeta(at.office.db).write('retention-file-going', at.list()[0]?.id)
        rmSync(join(at.office.files, 'Lease R1.identity.pdf'))
        await at.startAgain()
        await eraseAll(at)
      }
      await at.startAgain()
      at.office.downloads.startFetching()
      await expect.poll(() => at.read('index.csv').toString()).not.toContain('Mere Tamati')
    }
  )

  test('stays if it is being downloaded again', async () => {
    // Files are recorded together, after those in progress or a delay, which here never end.
    const at = await anOffice({ after: () => () => undefined })
    const { accountId, downloads, whenIdle, showDocuments } = at.office
    await showDocuments([aDocument('R1'), aDocument('R2')])
    downloads.startFetching()
    await at.add(['R1'])
    await whenIdle()
    const goOn = stalling(at.server, (reference) => reference === 'R2')
    await at.add(['R2'])
    await downloads.retry(accountId, [at.list(['done'])[0]?.id ?? ''])
    const isUnfinished = (name: string) => name.endsWith('.part')
    // R2’s; R1 has its name by then.
    const isOneLeft = () => at.files().filter(isUnfinished).length === 1
    await until(() => isOneLeft() && at.list(['running']).some(({ bytes }) => bytes === pdfOf('R1').length))
    await eraseAll(at)
    goOn()
    await whenIdle()
    expect(
      at
        .list(['done'])
        .map(({ documentReference }) => documentReference)
        .sort()
    ).toEqual(['R1', 'R2'])
    expect(at.files()).toEqual(['Lease R1.identity.pdf', 'Lease R2.identity.pdf'])
  })

  test('is deleted even if the application was killed before recording it', async () => {
    const at = await killBeforeRecording()
    await eraseAll(at)
    expect(at.files()).toEqual([])
  })

  test('stays, even after a crash and another download, if someone else put it there', async () => {
    const at = await killBeforeRecording((folder) => writeFileSync(join(folder, 'Lease R1.identity.pdf'), pdfOf('R1')))
    await fetchAgain(at)
    await eraseAll(at)
    expect(at.files()).toEqual(['Lease R1.identity.pdf'])
  })
})
