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

describe('a file that was kept', () => {
  test('is intact where every byte is what it was', async () => {
    expect(await checkFile(path, expected, { folder })).toBe('intact')
  })

  test('may be empty', async () => {
    fs.writeFileSync(path, '')
    expect(await checkFile(path, { bytes: 0, sha256: createHash('sha256').digest('hex') })).toBe('intact')
  })

  test.each([0, 262_143, 262_144, content.length - 1])('is altered where the byte at %i is another', async (at) => {
    const altered = Buffer.from(content)
    altered[at] = (altered[at] ?? 0) ^ 1
    fs.writeFileSync(path, altered)
    expect(await checkFile(path, expected)).toBe('altered')
  })

  test('is altered where it is longer, shorter, a folder, or a link to the same', async () => {
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

  test('is missing where nothing has its name, but can’t be read where its whole folder is away', async () => {
    fs.unlinkSync(path)
    expect(await checkFile(path, expected, { folder })).toBe('missing')
    expect(await checkFile(join(folder, 'no', 'Lease.pdf'), expected, { folder })).toBe('missing')
    expect(await checkFile(join(folder, 'stick', 'Lease.pdf'), expected, { folder: join(folder, 'stick') })).toBe(
      'unreadable'
    )
  })

  test('can’t be read where the system refuses it', async () => {
    expect(await checkFile(join(folder, 'x'.repeat(300)), expected)).toBe('unreadable')
  })
})

test('a check that is called off ends at once, with the reason', async () => {
  const before = new AbortController()
  before.abort(new Error('before'))
  await expect(checkFile(path, expected, { signal: before.signal })).rejects.toThrow('before')
  const during = new AbortController()
  const checked = checkFile(path, expected, { signal: during.signal })
  during.abort(new Error('during'))
  await expect(checked).rejects.toThrow('during')
})
