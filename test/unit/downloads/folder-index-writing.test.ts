/** When a folder's index is written, and when a file counts as an index. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFolderIndexes } from '../../../src/main/core/downloads/folder-index.ts'

/** Returns the indexes of one folder. `whileWritten` is called as its rows are read. */
function aFolder() {
  const path = mkdtempSync(join(tmpdir(), 'countersign-index-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const now = { isDue: false, writings: 0, whileWritten: () => {} }
  const indexes = openFolderIndexes({
    table: {
      filesIn() {
        now.writings += 1
        now.whileWritten()
        return []
      }
    } as never,
    folders: {
      pathOf: () => path,
      withDueIndex: () => (now.isDue ? ['folder'] : []),
      markIndexDue: () => {
        now.isDue = true
      },
      markIndexWritten: () => {
        now.isDue = false
      }
    } as never,
    accountName: () => 'Office',
    time: { zone: () => 'Pacific/Auckland' }
  })
  return { path, indexes, now }
}

test('an index stays due until it is complete, so that the next start writes it after an interruption', async () => {
  const { path, indexes, now } = aFolder()
  let wasDue: boolean | undefined
  now.whileWritten = () => {
    wasDue = now.isDue
  }
  indexes.fileAdded('folder')
  indexes.writeDueIndexes()
  await indexes.whenIdle()
  expect(wasDue).toBe(true)
  expect(now.isDue).toBe(false)
  expect(readdirSync(path)).toEqual(['index.csv'])
})

test('a file added during writing makes the index due again, and repeated requests write it only once', async () => {
  const { indexes, now } = aFolder()
  indexes.fileAdded('folder')
  now.whileWritten = () => {
    now.whileWritten = () => {}
    indexes.fileAdded('folder')
  }
  indexes.writeDueIndexes()
  indexes.writeDueIndexes()
  indexes.writeDueIndexes()
  await indexes.whenIdle()
  expect(now).toMatchObject({ isDue: false, writings: 2 })
})

test('an index requested by a person that can’t be written isn’t retried later', async () => {
  const { path, indexes, now } = aFolder()
  rmSync(path, { recursive: true })
  await expect(indexes.write('folder')).rejects.toMatchObject({ code: 'away' })
  expect(now.isDue).toBe(false)
})
