import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  isTemporaryName,
  TEMPORARY_NAME_LENGTH,
  writeAtomically,
  writeThenName
} from '../../../src/main/core/storage/atomic-file.ts'
import type { Files } from '../../../src/main/core/storage/files.ts'
import { temporaryFolder } from './folders.ts'

const systemError = (code: string) =>
  Object.assign(new Error(`${code}: /home/ana/Ana Example.pdf`), { code, syscall: 'x' })
const refusing = (code: string) => () => Promise.reject(systemError(code))

/** The real file system, with room for only this many bytes in total. */
function diskWithRoomFor(bytes: number): Files {
  let left = bytes
  return {
    ...files,
    open: async (path, flags, mode) => {
      const file = await files.open(path, flags, mode)
      return {
        write: (chunk, from, length) => {
          const fits = Math.min(left, length)
          left -= fits
          return fits === 0 ? Promise.reject(systemError('ENOSPC')) : file.write(chunk, from, fits)
        },
        sync: () => file.sync(),
        close: () => file.close()
      }
    }
  }
}

async function* chunks(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

describe('a file written atomically', () => {
  test('has all its content, and nothing else is left in the folder', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'letter.pdf')
    expect(await writeAtomically(path, chunks('one ', 'two ', 'three'))).toEqual({ path, bytes: 13 })
    expect(readFileSync(path, 'utf8')).toBe('one two three')
    expect(readdirSync(folder)).toEqual(['letter.pdf'])
  })

  test('can be text, bytes, or empty', async () => {
    const folder = temporaryFolder()
    await writeAtomically(join(folder, 'text'), 'Grüße')
    await writeAtomically(join(folder, 'bytes'), new Uint8Array([1, 2, 3]))
    await writeAtomically(join(folder, 'empty'), chunks())
    expect(readFileSync(join(folder, 'text'), 'utf8')).toBe('Grüße')
    expect([...readFileSync(join(folder, 'bytes'))]).toEqual([1, 2, 3])
    expect(readFileSync(join(folder, 'empty')).byteLength).toBe(0)
  })

  test.runIf(process.platform !== 'win32')('can be read only by its user', async () => {
    const { path } = await writeAtomically(join(temporaryFolder(), 'a'), 'x')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('isn’t visible under its name before it is complete', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'letter.pdf')
    const namesMeanwhile: string[][] = []
    async function* watched() {
      yield Buffer.from('half')
      namesMeanwhile.push(readdirSync(folder))
      yield Buffer.from('whole')
    }
    await writeAtomically(path, watched())
    expect(namesMeanwhile.flat()).toEqual([expect.stringMatching(/^\.countersign-.*\.part$/)])
  })
})

describe('a name that is taken', () => {
  test('is refused, and the existing file is kept', async () => {
    const path = join(temporaryFolder(), 'letter.pdf')
    writeFileSync(path, 'older')
    await expect(writeAtomically(path, 'newer')).rejects.toMatchObject({ name: 'FileError', code: 'exists' })
    expect(readFileSync(path, 'utf8')).toBe('older')
    expect(readdirSync(join(path, '..'))).toEqual(['letter.pdf'])
  })

  test('is replaced on request', async () => {
    const path = join(temporaryFolder(), 'letter.pdf')
    writeFileSync(path, 'older')
    await writeAtomically(path, 'newer', { ifExists: 'replace' })
    expect(readFileSync(path, 'utf8')).toBe('newer')
  })

  test('gets a number, a different one for each file, even for concurrent writes', async () => {
    const folder = temporaryFolder()
    const write = () => writeAtomically(join(folder, 'letter.pdf'), 'x', { ifExists: 'number' })
    const written = await Promise.all(Array.from({ length: 8 }, write))
    expect(new Set(written.map(({ path }) => path)).size).toBe(8)
    expect(readdirSync(folder)).toContain('letter (8).pdf')
    expect(readdirSync(folder)).toHaveLength(8)
  })

  test('is respected on a disk without links, too', async () => {
    const folder = temporaryFolder()
    const withoutLinks: Files = { ...files, link: refusing('EPERM') }
    const write = () =>
      writeAtomically(join(folder, 'letter.pdf'), 'content', { ifExists: 'number', files: withoutLinks })
    await Promise.all([write(), write(), write()])
    const names = readdirSync(folder).toSorted()
    expect(names).toEqual(['letter (2).pdf', 'letter (3).pdf', 'letter.pdf'])
    for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe('content')
  })
})

describe('a write that fails leaves nothing behind and says why', () => {
  test('when the disk fills up midway', async () => {
    const folder = temporaryFolder()
    const write = writeAtomically(join(folder, 'a'), chunks('12345', '67890'), { files: diskWithRoomFor(7) })
    await expect(write).rejects.toMatchObject({ code: 'no-space', systemCode: 'ENOSPC' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('but a disk that takes each chunk only in parts is no failure', async () => {
    const path = join(temporaryFolder(), 'a')
    await writeAtomically(path, chunks('12345', '67890'), { files: diskWithRoomFor(10) })
    expect(readFileSync(path, 'utf8')).toBe('1234567890')
  })

  test('when flushing fails', async () => {
    const folder = temporaryFolder()
    const open: Files['open'] = async (path, flags, mode) => {
      const handle = await files.open(path, flags, mode)
      handle.sync = refusing('EIO')
      return handle
    }
    const write = writeAtomically(join(folder, 'a'), 'x', { files: { ...files, open } })
    await expect(write).rejects.toMatchObject({ code: 'other', systemCode: 'EIO' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('when the folder is missing, or isn’t a folder', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const path of [join(folder, 'no', 'a'), join(folder, 'file', 'a')]) {
      await expect(writeAtomically(path, 'x')).rejects.toMatchObject({ code: 'not-writable' })
    }
  })

  test('when the folder isn’t writable', async () => {
    const write = writeAtomically(join(temporaryFolder(), 'a'), 'x', { files: { ...files, open: refusing('EACCES') } })
    await expect(write).rejects.toMatchObject({ code: 'not-writable' })
  })

  test('when the source of the content fails: its error is passed on unchanged', async () => {
    const folder = temporaryFolder()
    const broken = new Error('the line is gone')
    async function* breaking() {
      yield Buffer.from('half')
      throw broken
    }
    await expect(writeAtomically(join(folder, 'a'), breaking())).rejects.toBe(broken)
    expect(readdirSync(folder)).toEqual([])
  })

  test('and no message names a file or a person', async () => {
    const write = writeAtomically(join(temporaryFolder(), 'Ana Example.pdf'), 'x', {
      files: { ...files, open: refusing('EROFS') }
    })
    const error = await write.catch((thrown: unknown) => thrown)
    expect(`${error} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('Ana')
  })
})

test('a file that gets no name is deleted', async () => {
  const folder = temporaryFolder()
  const contents: string[] = []
  const { named, bytes } = await writeThenName(folder, 'content', async (passing) => {
    contents.push(readFileSync(passing, 'utf8'))
    return 'nothing'
  })
  expect({ named, bytes, seen: contents }).toEqual({ named: 'nothing', bytes: 7, seen: ['content'] })
  expect(readdirSync(folder)).toEqual([])
})

test('a write’s temporary file can be told from other files, and from another write’s', async () => {
  const folder = temporaryFolder()
  const namesMeanwhile: string[] = []
  async function* watched() {
    yield Buffer.from('half')
    namesMeanwhile.push(...readdirSync(folder))
  }
  await writeThenName(folder, watched(), async () => undefined, { mark: '01234567' })
  const [passing = ''] = namesMeanwhile
  expect(passing).toHaveLength(TEMPORARY_NAME_LENGTH)
  expect([isTemporaryName(passing), isTemporaryName(passing, '01234567')]).toEqual([true, true])
  expect(isTemporaryName(passing, 'abcdef01')).toBe(false)
  expect(['letter.part', `${passing}.txt`, '.countersign-0123.part'].filter((name) => isTemporaryName(name))).toEqual(
    []
  )
})
