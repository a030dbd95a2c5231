import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { removeLeftovers } from '../../../src/main/core/downloads/leftovers.ts'
import { relativePath } from '../../../src/main/core/downloads/name-pattern.ts'
import { saveFile } from '../../../src/main/core/downloads/target.ts'
import { nameKey } from '../../../src/main/core/storage/same-name.ts'
import { contentsOf, temporaryFolder } from '../storage/folders.ts'
import { diskThat, diskWithoutLinks, diskWithRoomFor, systemError } from './disks.ts'
import { anyParts, parts, pattern } from './names.ts'

let folder: string
let outside: string
beforeEach(() => {
  const base = temporaryFolder()
  folder = join(base, 'chosen')
  outside = join(base, 'outside')
  fs.mkdirSync(folder)
  fs.mkdirSync(outside)
})

async function* chunks(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}
const all = () =>
  Object.fromEntries(Object.entries(contentsOf(folder)).map(([path, bytes]) => [path, bytes.toString('utf8')]))
const put = (path: string, text: string) => {
  fs.mkdirSync(join(folder, path, '..'), { recursive: true })
  fs.writeFileSync(join(folder, path), text)
}

describe('a saved file', () => {
  test('is complete in its folders, with its SHA-256 and length, and nothing else beside it', async () => {
    const saved = await saveFile(folder, ['Kauri Law', '2026', 'Lease.pdf'], chunks('one ', 'two ', 'Grüße'))
    const sha256 = createHash('sha256').update('one two Grüße').digest('hex')
    expect(saved).toEqual({ path: ['Kauri Law', '2026', 'Lease.pdf'], bytes: 15, sha256, wasThere: false })
    expect(all()).toEqual({ 'Kauri Law/2026/Lease.pdf': 'one two Grüße' })
  })

  test('can be text', async () => {
    const saved = await saveFile(folder, ['Lease.json'], '["é"]\n')
    expect(saved).toMatchObject({ bytes: 7, sha256: createHash('sha256').update('["é"]\n').digest('hex') })
  })

  test('doesn’t appear under its name, or elsewhere, before it is complete', async () => {
    const namesMeanwhile: string[] = []
    async function* watched() {
      yield Buffer.from('half')
      namesMeanwhile.push(...Object.keys(all()))
      yield Buffer.from('whole')
    }
    await saveFile(folder, ['a', 'Lease.pdf'], watched())
    expect(namesMeanwhile).toEqual([expect.stringMatching(/^a\/\.countersign-[0-9a-f]{16}\.part$/)])
  })

  test.runIf(process.platform !== 'win32')('and its folders are accessible only to the user', async () => {
    await saveFile(folder, ['Ana Example', 'Lease.pdf'], 'x')
    expect(fs.statSync(join(folder, 'Ana Example')).mode & 0o777).toBe(0o700)
    expect(fs.statSync(join(folder, 'Ana Example', 'Lease.pdf')).mode & 0o777).toBe(0o600)
  })

  test('never leaves its folder, for any path', async () => {
    const { path } = await saveFile(folder, ['..', '../..', 'a/b.pdf'], 'x')
    expect(path).toEqual(['document', '_', 'a_b.pdf'])
    expect(Object.keys(all())).toEqual(['document/_/a_b.pdf'])
  })
})

describe('when the name is in use', () => {
  test('by the same content, nothing is written', async () => {
    const first = await saveFile(folder, ['Lease.pdf'], 'content')
    const before = fs.statSync(join(folder, 'Lease.pdf'))
    const second = await saveFile(folder, ['Lease.pdf'], chunks('con', 'tent'))
    expect(second).toEqual({ ...first, wasThere: true })
    expect(all()).toEqual({ 'Lease.pdf': 'content' })
    expect(fs.statSync(join(folder, 'Lease.pdf')).ino).toBe(before.ino)
  })

  test('by other content, the file is numbered, and recognised under that name', async () => {
    put('Lease.pdf', 'other 1')
    put('Lease (2).pdf', 'other 2')
    put('Lease (4).pdf', 'content')
    expect(await saveFile(folder, ['Lease.pdf'], 'content')).toMatchObject({ path: ['Lease (4).pdf'], wasThere: true })
    expect(await saveFile(folder, ['Lease.pdf'], 'third')).toMatchObject({ path: ['Lease (3).pdf'], wasThere: false })
    expect(await saveFile(folder, ['Lease.pdf'], 'fifth')).toMatchObject({ path: ['Lease (5).pdf'], wasThere: false })
    expect(all()).toMatchObject({ 'Lease.pdf': 'other 1', 'Lease (2).pdf': 'other 2', 'Lease (3).pdf': 'third' })
  })

  test('by content of the same length, the file is numbered', async () => {
    put('Lease.pdf', 'content')
    expect(await saveFile(folder, ['Lease.pdf'], 'CONTENT')).toMatchObject({ path: ['Lease (2).pdf'] })
  })

  test('by another document’s file, the same content is saved again', async () => {
    put('a/Lease.pdf', 'content')
    const belongsToOther = (path: readonly string[]) => path.join('/') === 'a/Lease.pdf'
    expect(await saveFile(folder, ['a', 'Lease.pdf'], 'content', { belongsToOther })).toMatchObject({
      path: ['a', 'Lease (2).pdf'],
      wasThere: false
    })
  })

  test('by a folder or a link, the file is numbered', async () => {
    fs.mkdirSync(join(folder, 'Lease.pdf'))
    fs.writeFileSync(join(outside, 'x'), 'content')
    fs.symlinkSync(join(outside, 'x'), join(folder, 'Lease (2).pdf'))
    fs.symlinkSync(join(outside, 'nothing'), join(folder, 'Lease (3).pdf'))
    expect(await saveFile(folder, ['Lease.pdf'], 'content')).toMatchObject({ path: ['Lease (4).pdf'], wasThere: false })
    expect(fs.readdirSync(outside)).toEqual(['x'])
  })

  test('because someone else just created it, the file is numbered', async () => {
    const link = async (from: string, to: string) => {
      if (to.endsWith('Lease.pdf')) fs.writeFileSync(to, 'theirs')
      await nodeFiles.link(from, to)
    }
    const saved = await saveFile(folder, ['Lease.pdf'], 'ours', { files: { ...nodeFiles, link } })
    expect(saved.path).toEqual(['Lease (2).pdf'])
    expect(all()).toEqual({ 'Lease.pdf': 'theirs', 'Lease (2).pdf': 'ours' })
  })

  test('in different case, or with a separate accent, it counts as the same name', async () => {
    put('KAURI law/Lease E\u0301tude.PDF', 'other')
    const path = ['Kauri Law', 'lease étude.pdf']
    expect(await saveFile(folder, path, 'content')).toMatchObject({ path: ['KAURI law', 'lease étude (2).pdf'] })
    expect(await saveFile(folder, path, 'other')).toMatchObject({
      path: ['KAURI law', 'Lease E\u0301tude.PDF'],
      wasThere: true
    })
    expect(fs.readdirSync(folder)).toEqual(['KAURI law'])
  })

  test('by a file where a folder is needed, the folder is numbered, and reused', async () => {
    put('Kauri Law', 'a file')
    for (const name of ['a.pdf', 'b.pdf']) {
      expect((await saveFile(folder, ['Kauri Law', name], 'x')).path).toEqual(['Kauri Law (2)', name])
    }
  })
})

describe('saving several files under one name simultaneously', () => {
  const at = (contents: string[], names = ['Lease.pdf'], files = diskThat(() => undefined)) =>
    Promise.all(
      contents.map((text, index) => saveFile(folder, ['A', names[index % names.length] ?? ''], text, { files }))
    )

  test('results in one file if their content is the same', async () => {
    const saved = await at(['x', 'x', 'x', 'x', 'x', 'x'])
    expect(saved.filter(({ wasThere }) => !wasThere)).toHaveLength(1)
    expect(all()).toEqual({ 'A/Lease.pdf': 'x' })
  })

  test.each([
    ['with hard links', undefined],
    ['without hard links', diskWithoutLinks]
  ] as const)('results in one file each if they differ, on a disk %s', async (_, files) => {
    const saved = await at(['0', '1', '2', '3', '4', '5'], ['Lease.pdf'], files)
    const contents = all()
    expect(saved.map(({ path }) => contents[path.join('/')])).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(Object.keys(contents)).toHaveLength(6)
  })

  test('never results in names or folders that differ only in case', async () => {
    const names = [
      ['LEASE', 'x.pdf'],
      ['lease', 'X.pdf'],
      ['Lease', 'x.PDF']
    ]
    await Promise.all(names.map((path, index) => saveFile(folder, path, `${index}`)))
    expect(Object.values(all()).toSorted()).toEqual(['0', '1', '2'])
    const keys = Object.keys(all()).map(nameKey)
    expect(new Set(keys).size).toBe(3)
    expect(fs.readdirSync(folder)).toHaveLength(1)
  })
})

describe('a failed save leaves nothing behind', () => {
  test('when the disk fills up halfway', async () => {
    const saving = saveFile(folder, ['a', 'Lease.pdf'], chunks('12345', '67890'), { files: diskWithRoomFor(7) })
    await expect(saving).rejects.toMatchObject({ name: 'FileError', code: 'no-space' })
    expect(all()).toEqual({})
  })

  test('when the folder becomes read-only halfway or at the end', async () => {
    let pieces = 0
    const files = diskThat(() => {
      if (++pieces === 2) throw systemError('EROFS')
    })
    await expect(saveFile(folder, ['Lease.pdf'], chunks('1', '2'), { files })).rejects.toMatchObject({
      code: 'not-writable'
    })
    const refusing = () => Promise.reject(systemError('EROFS'))
    const last = diskThat(() => undefined, { link: refusing })
    const open: typeof last.open = (path, flags, mode) =>
      flags === 'wx' && path.endsWith('.pdf') ? refusing() : last.open(path, flags, mode)
    await expect(saveFile(folder, ['Lease.pdf'], 'x', { files: { ...last, open } })).rejects.toMatchObject({
      code: 'not-writable'
    })
    expect(all()).toEqual({})
  })

  test('when the drive is removed halfway, which is reported as a missing folder', async () => {
    const pulled = () => {
      fs.rmSync(folder, { recursive: true })
      throw systemError('EIO')
    }
    const saving = saveFile(folder, ['Lease.pdf'], chunks('1', '2'), { files: diskThat(pulled) })
    await expect(saving).rejects.toMatchObject({ code: 'away' })
    expect(fs.existsSync(folder)).toBe(false)
  })

  test('when the source fails, whose error is passed on', async () => {
    const broken = new Error('the line is gone')
    async function* breaking() {
      yield Buffer.from('half')
      throw broken
    }
    await expect(saveFile(folder, ['Lease.pdf'], breaking())).rejects.toBe(broken)
    expect(all()).toEqual({})
  })

  test('when the folder is missing, which isn’t recreated, and whose content isn’t requested', async () => {
    const away = join(folder, 'stick')
    let reads = 0
    async function* content() {
      reads += 1
      yield Buffer.from('x')
    }
    await expect(saveFile(away, ['Lease.pdf'], content())).rejects.toMatchObject({ code: 'away' })
    expect([fs.existsSync(away), reads]).toEqual([false, 0])
    await saveFile(away, ['Lease.pdf'], 'x', { makesFolder: true })
    expect(all()).toEqual({ 'stick/Lease.pdf': 'x' })
  })

  test('when the folder is a file', async () => {
    put('file', 'x')
    await expect(saveFile(join(folder, 'file'), ['Lease.pdf'], 'x')).rejects.toMatchObject({ code: 'not-writable' })
  })

  test('and its message names no file or person', async () => {
    const files = diskThat(() => {
      throw systemError('EROFS')
    })
    const error = await saveFile(folder, ['Ana Example.pdf'], 'x', { files }).catch((thrown: unknown) => thrown)
    expect(`${error} ${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('Ana')
  })
})

describe('a link among the folders', () => {
  test('that leads outside is never followed', async () => {
    fs.symlinkSync(outside, join(folder, 'Kauri Law'))
    for (const path of [
      ['Kauri Law', 'Lease.pdf'],
      ['kauri law', '2026', 'Lease.pdf']
    ]) {
      await expect(saveFile(folder, path, 'x')).rejects.toMatchObject({ code: 'outside' })
    }
    expect(fs.readdirSync(outside)).toEqual([])
  })

  test('to a sibling folder whose name starts with the folder’s isn’t followed', async () => {
    const sibling = `${folder}-2`
    fs.mkdirSync(sibling)
    fs.symlinkSync(sibling, join(folder, 'a'))
    await expect(saveFile(folder, ['a', 'Lease.pdf'], 'x')).rejects.toMatchObject({ code: 'outside' })
    expect(fs.readdirSync(sibling)).toEqual([])
  })

  test('that stays inside is followed, and the chosen folder can itself be a link', async () => {
    fs.mkdirSync(join(folder, 'real'))
    fs.symlinkSync(join(folder, 'real'), join(folder, 'a'))
    fs.symlinkSync(folder, join(outside, 'chosen'))
    const { path } = await saveFile(join(outside, 'chosen'), ['a', 'Lease.pdf'], 'x')
    expect(path).toEqual(['a', 'Lease.pdf'])
    expect(fs.readdirSync(join(folder, 'real'))).toEqual(['Lease.pdf'])
  })

  test('created during the save isn’t followed', async () => {
    async function* content() {
      yield Buffer.from('x')
      fs.renameSync(join(folder, 'a'), join(folder, 'moved'))
      fs.symlinkSync(outside, join(folder, 'a'))
    }
    await expect(saveFile(folder, ['a', 'Lease.pdf'], content())).rejects.toMatchObject({ code: 'outside' })
    expect(contentsOf(outside)).toEqual({})
  })
})

describe('leftovers of a killed write', () => {
  const path = ['Kauri Law', 'Lease.pdf']

  test('never have a final name, and are removed at the next start', async () => {
    const script = fileURLToPath(new URL('keeping-slowly.ts', import.meta.url))
    const child = spawn(process.execPath, [script, folder, ...path], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
    expect(fs.readdirSync(join(folder, 'Kauri Law'))).toEqual([expect.stringMatching(/\.part$/)])
    expect(await removeLeftovers(folder, [path, ['Kauri Law', 'Other.pdf'], ['Not found', 'x.pdf']])).toBe(1)
    expect(all()).toEqual({})
  })

  test('are distinguished from other workstations’ current writes in the same folder', async () => {
    const now = Date.now()
    const old = new Date(now - 25 * 3_600_000)
    put('Kauri Law/.countersign-0123456789abcdef.part', 'another’s, now')
    put('Kauri Law/.countersign-0123456700000000.part', 'another’s, yesterday')
    put('.countersign-abcdefab00000000.part', 'ours')
    put('Kauri Law/.countersign-abcdefab00000000.part.txt', 'no such file')
    put('Kauri Law/Lease.pdf', 'a file')
    put('Kauri Law/empty.pdf', '')
    fs.utimesSync(join(folder, 'Kauri Law/.countersign-0123456700000000.part'), old, old)
    expect(await removeLeftovers(folder, [['kauri law', 'Lease.pdf']], { mark: 'abcdefab', now })).toBe(2)
    expect(Object.keys(all()).toSorted()).toEqual([
      'Kauri Law/.countersign-0123456789abcdef.part',
      'Kauri Law/.countersign-abcdefab00000000.part.txt',
      'Kauri Law/Lease.pdf',
      'Kauri Law/empty.pdf'
    ])
  })

  test('include an empty file under the final name, on a disk without hard links', async () => {
    put('Kauri Law/Lease.pdf', 'whole')
    put('Kauri Law/lease (2).pdf', '')
    put('Kauri Law/Other.pdf', '')
    expect(await removeLeftovers(folder, [path], { mark: 'abcdefab' })).toBe(0)
    put('Kauri Law/.countersign-abcdefab00000000.part', 'whole')
    expect(await removeLeftovers(folder, [path], { mark: 'abcdefab' })).toBe(2)
    expect(all()).toEqual({ 'Kauri Law/Lease.pdf': 'whole', 'Kauri Law/Other.pdf': '' })
  })

  test('are not searched for outside the folder or in a missing one', async () => {
    fs.writeFileSync(join(outside, '.countersign-0123456700000000.part'), 'x')
    fs.symlinkSync(outside, join(folder, 'Kauri Law'))
    expect(await removeLeftovers(folder, [path], { mark: '01234567' })).toBe(0)
    expect(fs.readdirSync(outside)).toHaveLength(1)
    expect(await removeLeftovers(join(folder, 'away'), [path])).toBe(0)
  })
})

test('documents with any names get separate files, with names that differ by more than case', async () => {
  const patterns = [
    '{document}.pdf',
    '{matter}/{signer}',
    '{account}/{document} – {signers}',
    '{reference}/{type}/{due}'
  ]
  const documents = fc.array(anyParts, { minLength: 2, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...patterns), documents, fc.boolean(), async (text, several, isSameContent) => {
      const root = fs.mkdtempSync(join(folder, 'x'))
      const saved = await Promise.all(
        several.map((names, index) =>
          saveFile(root, relativePath(pattern(text), names), isSameContent ? 'same' : `content ${index}`, {
            belongsToOther: () => isSameContent
          })
        )
      )
      const contents = contentsOf(root)
      const where = saved.map(({ path }) => path.join('/'))
      expect(new Set(where.map(nameKey)).size).toBe(several.length)
      expect(Object.keys(contents).toSorted()).toEqual(where.toSorted())
      if (!isSameContent) {
        expect(where.map((path) => contents[path]?.toString())).toEqual(several.map((_, index) => `content ${index}`))
      }
    }),
    { numRuns: 150 }
  )
  expect(relativePath(pattern('{document}'), parts())).toEqual(['Deed of lease.identity.pdf'])
})
