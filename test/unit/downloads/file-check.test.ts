import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkFile } from '../../../src/main/core/downloads/file-check.ts'
import { temporaryFolder } from '../storage/folders.ts'

// Longer than one read.
const content = Buffer.alloc(700_000, 'countersign ')
const expected = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'Lease.pdf')
  fs.writeFileSync(path, content)
})

describe('checking a saved file', () => {
  test('finds it intact if every byte is unchanged', async () => {
    expect(await checkFile(path, expected, { folder })).toBe('intact')
  })

  test('accepts an empty file', async () => {
    fs.writeFileSync(path, '')
    expect(await checkFile(path, { bytes: 0, sha256: createHash('sha256').digest('hex') })).toBe('intact')
  })

  test.each([0, 262_143, 262_144, content.length - 1])('finds it altered if the byte at %i changed', async (at) => {
    const altered = Buffer.from(content)
    altered[at] = (altered[at] ?? 0) ^ 1
    fs.writeFileSync(path, altered)
    expect(await checkFile(path, expected)).toBe('altered')
  })

  test('finds it altered if it is longer, shorter, a folder, or a link', async () => {
    fs.writeFileSync(path, content.subarray(1))
    expect(await checkFile(path, expected)).toBe('altered')
    fs.writeFileSync(path, Buffer.concat([content, content]))
    expect(await checkFile(path, expected)).toBe('altered')
    fs.renameSync(path, join(folder, 'moved'))
    // Whatever length these claim to have.
    const asLong = () => ({ ...expected, bytes: fs.lstatSync(path).size })
    fs.symlinkSync(join(folder, 'moved'), path)
    expect(await checkFile(path, asLong())).toBe('altered')
    fs.unlinkSync(path)
    fs.mkdirSync(path)
    expect(await checkFile(path, asLong())).toBe('altered')
  })

  test('finds it missing if only the file is gone, and unreadable if its whole folder is gone', async () => {
    fs.unlinkSync(path)
    expect(await checkFile(path, expected, { folder })).toBe('missing')
    expect(await checkFile(join(folder, 'no', 'Lease.pdf'), expected, { folder })).toBe('missing')
    expect(await checkFile(join(folder, 'stick', 'Lease.pdf'), expected, { folder: join(folder, 'stick') })).toBe(
      'unreadable'
    )
  })

  test('finds it unreadable if the system refuses to read it', async () => {
    expect(await checkFile(join(folder, 'x'.repeat(300)), expected)).toBe('unreadable')
  })
})

test('a cancelled check ends immediately with the reason', async () => {
  const before = new AbortController()
  before.abort(new Error('before'))
  await expect(checkFile(path, expected, { signal: before.signal })).rejects.toThrow('before')
  const during = new AbortController()
  const checked = checkFile(path, expected, { signal: during.signal })
  during.abort(new Error('during'))
  await expect(checked).rejects.toThrow('during')
})
