import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { saveFile } from '../../../src/main/core/downloads/target.ts'
import { FolderCache } from '../../../src/main/core/downloads/target-folder.ts'
import type { FolderFiles } from '../../../src/main/core/storage/files.ts'

let folder: string
let now: number
let reads: number
let folderCache: FolderCache

const files: FolderFiles = {
  ...nodeFiles,
  readdir: (path) => {
    reads++
    return nodeFiles.readdir(path)
  }
}
const keep = (name: string, content: string) =>
  saveFile(folder, ['2026', 'Kauri Law', name], content, { files, folderCache })
const place = () => join(folder, '2026', 'Kauri Law')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-seen-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  now = 0
  reads = 0
  folderCache = new FolderCache({ elapsed: () => now })
})

test('saving many files to one folder doesn’t read the folder more often', async () => {
  await keep('First.pdf', 'first')
  const forOne = reads
  for (let file = 0; file < 50; file++) await keep(`Lease ${file}.pdf`, `content ${file}`)
  expect(reads).toBe(forOne)
  expect(readdirSync(place())).toHaveLength(51)
  now += 10_000
  await keep('Later.pdf', 'later')
  expect(reads).toBeGreaterThan(forOne)
})

test('a file that appeared in the meantime isn’t overwritten', async () => {
  await keep('First.pdf', 'first')
  writeFileSync(join(place(), 'Lease.pdf'), 'someone else’s')
  expect(await keep('Lease.pdf', 'ours')).toMatchObject({ path: ['2026', 'Kauri Law', 'Lease (2).pdf'] })
  expect(readFileSync(join(place(), 'Lease.pdf'), 'utf8')).toBe('someone else’s')
})

test('the name of a file that was deleted in the meantime can be used again', async () => {
  await keep('Lease.pdf', 'one')
  unlinkSync(join(place(), 'Lease.pdf'))
  expect(await keep('Lease.pdf', 'two')).toMatchObject({ path: ['2026', 'Kauri Law', 'Lease.pdf'], wasThere: false })
})

test('a name that differs only in case counts as in use', async () => {
  await keep('Lease.pdf', 'one')
  expect(await keep('LEASE.pdf', 'two')).toMatchObject({ path: ['2026', 'Kauri Law', 'LEASE (2).pdf'] })
  expect(await keep('LEASE.pdf', 'one')).toMatchObject({ wasThere: true })
})

test('a folder that was deleted in the meantime is created again', async () => {
  await keep('Lease.pdf', 'one')
  rmSync(join(folder, '2026'), { recursive: true })
  expect(await keep('Next.pdf', 'two')).toMatchObject({ path: ['2026', 'Kauri Law', 'Next.pdf'] })
})

test('nothing is written through a parent folder that was just replaced by a link', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'countersign-outside-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  mkdirSync(join(outside, 'Kauri Law'))
  await keep('Lease.pdf', 'one')
  renameSync(join(folder, '2026'), join(folder, 'moved'))
  symlinkSync(outside, join(folder, '2026'))
  const looked: string[][] = []
  function* content() {
    looked.push(readdirSync(join(outside, 'Kauri Law')))
    yield Buffer.from('two')
  }
  const path = ['2026', 'Kauri Law', 'Will.pdf']
  await expect(saveFile(folder, path, content(), { files, folderCache })).rejects.toMatchObject({ code: 'outside' })
  expect([looked, readdirSync(join(outside, 'Kauri Law'))]).toEqual([[], []])
})
