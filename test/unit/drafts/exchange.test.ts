import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { suggestedName } from '../../../src/main/core/drafts/exchange.ts'
import { exchangeFile, MAX_FILE_BYTES, readExchangeFile } from '../../../src/main/core/drafts/exchange-file.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { anyComposition, anyCompositionAtAll } from './any-composition.ts'
import { type Office, onDisk, openOffice } from './office.ts'

let office: Office
let folder: string
beforeEach(() => {
  office = openOffice()
  folder = temporaryFolder()
})

const inFolder = (name: string) => join(folder, name)
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'))
const fileText = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({
    format: 'countersign',
    version: 1,
    madeBy: 'Countersign 0.1.0',
    drafts: [forms()],
    presets: [],
    ...changes
  })

/** Returns the message for a file that can't be imported. */
async function refusalOf(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? bytesOf(content) : content
  const failed: unknown = await readExchangeFile(bytes).then(
    () => undefined,
    (error: unknown) => error
  )
  expect(failed).toMatchObject({ name: 'AppFailure' })
  return (failed as { appError: { message: string } }).appError.message
}

async function importText(text: string, name = 'sent.countersign') {
  writeFileSync(inFolder(name), text)
  return office.exchange.importFiles('a', [inFolder(name)])
}

describe('exporting and importing', () => {
  test('preserves any drafts and presets', async () => {
    const anyPreset = fc.record({
      name: fc.string({ minLength: 1, maxLength: 50 }).filter((name) => name === name.trim()),
      composition: anyComposition
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyComposition, { maxLength: 3 }),
        fc.array(anyPreset, { maxLength: 3 }),
        async (drafts, presets) => {
          fc.pre(drafts.length + presets.length > 0)
          const bytes = Buffer.concat([...exchangeFile('Countersign 0.1.0', { drafts, presets })])
          expect(await readExchangeFile(bytes)).toEqual({ drafts, presets })
        }
      ),
      { numRuns: 100 }
    )
  })

  test('copies drafts through a file into the chosen account, in order, as new ones', async () => {
    const compositions = [
      forms({ items: [form({ Name: 'First' })] }),
      templates(),
      forms({ due: '2026-12-04T17:00', gmt: '780', zone: 'Pacific/Auckland' })
    ]
    const ids = compositions.map((composition) => office.drafts.save('a', composition).id)
    expect(await office.exchange.exportDrafts(inFolder('three.countersign'), ids)).toEqual({
      label: 'three.countersign'
    })
    const imported = await office.exchange.importFiles('b', [inFolder('three.countersign')])
    expect(imported.refused).toEqual([])
    expect(imported.drafts.map(({ id }) => office.drafts.get(id).composition)).toEqual(compositions)
    expect(imported.drafts.every(({ id, accountId }) => accountId === 'b' && !ids.includes(id))).toBe(true)
    expect(office.drafts.list(['b']).rows).toEqual(imported.drafts)
    expect(office.drafts.list(['b'], { search: 'tenancy' }).total).toBe(1)
  })

  test('copies presets with their names, adding a number to a name already in use', async () => {
    const { id } = office.presets.save('a', 'Usual tenancy', templates())
    await office.exchange.exportPresets(inFolder('usual.countersign'), [id])
    const imported = await office.exchange.importFiles('a', [inFolder('usual.countersign')])
    expect(imported.presets.map(({ name }) => name)).toEqual(['Usual tenancy (2)'])
    expect(office.presets.get(imported.presets[0]?.id ?? '').composition).toEqual(templates())
  })

  test('leaves out a draft’s history and state', async () => {
    const { id } = office.drafts.save('a', forms({ items: [form({ Name: 'Secret past' })] }))
    office.drafts.keepVersion(id, 'send')
    office.drafts.save('a', forms(), id)
    office.drafts.remove(id)
    await office.exchange.exportDrafts(inFolder('one.countersign'), [id])
    expect(readFileSync(inFolder('one.countersign'), 'utf8')).not.toMatch(/Secret past|trash|accountId/)
    const { drafts } = await office.exchange.importFiles('a', [inFolder('one.countersign')])
    expect(drafts[0]?.trashedAt).toBeUndefined()
    expect(office.drafts.history(drafts[0]?.id ?? '')).toEqual([])
  })

  test('replaces duplicate and invalid keys, and changes nothing else', async () => {
    const twice = forms({
      items: [
        form({ signers: [signer({ key: 'x' }), signer({ key: 'x' })] }),
        form({ key: 'a.b' }),
        form({ key: '__proto__' })
      ]
    })
    const { drafts } = await importText(fileText({ drafts: [twice] }))
    const { items } = office.drafts.get(drafts[0]?.id ?? '').composition
    const keys = items.flatMap((item) => [item.key, ...item.signers.map(({ key }) => key)])
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.every((key) => /^[\w-]+$/.test(key) && key !== '__proto__')).toBe(true)
    expect(keys.slice(0, 2)).toEqual(['f1', 'x'])
    const keyless = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (name, one) => (name === 'key' ? undefined : one)))
    expect(keyless(items)).toEqual(keyless(twice.items))
  })

  test('makes the keys of any composition unique', async () => {
    await fc.assert(
      fc.asyncProperty(anyCompositionAtAll, async (composition) => {
        const { drafts } = await importText(fileText({ drafts: [composition] }))
        const text = JSON.stringify(office.drafts.get(drafts[0]?.id ?? '').composition)
        const keys = Array.from(text.matchAll(/[{,]"key":("(?:[^"\\]|\\.)*")/g), ([, key]) => key)
        expect(new Set(keys).size).toBe(keys.length)
      }),
      { numRuns: 50 }
    )
  })

  test('accepts a draft of an earlier version, without a time zone', async () => {
    const { zone: _zone, ...old } = forms()
    const { drafts } = await importText(fileText({ drafts: [old] }))
    expect(office.drafts.get(drafts[0]?.id ?? '').composition).toEqual(forms())
  })

  test('ignores a byte order mark and surrounding blanks', async () => {
    expect((await importText(`\ufeff \r\n${JSON.stringify(JSON.parse(fileText()), null, 2)}\n\n`)).drafts).toHaveLength(
      1
    )
  })

  test('treats XML with an entity bomb as plain text', async () => {
    const XMLData = '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY c "&a;&a;&a;">]><b>&c;</b>'
    const { drafts } = await importText(fileText({ drafts: [forms({ items: [form({ XMLData })] })] }))
    expect(office.drafts.get(drafts[0]?.id ?? '').composition.items[0]?.XMLData).toBe(XMLData)
  })

  test('announces one change per file, when everything is imported', async () => {
    office.changes.length = 0
    await importText(fileText({ drafts: Array.from({ length: 30 }, () => forms()) }))
    expect(office.changes).toHaveLength(1)
  })
})

describe('writing an export file', () => {
  const one = () => [office.drafts.save('a', forms()).id]

  test('fully replaces an existing file that the person agreed to replace', async () => {
    writeFileSync(inFolder('old.countersign'), 'x'.repeat(100_000))
    await office.exchange.exportDrafts(inFolder('old.countersign'), one())
    expect(JSON.parse(readFileSync(inFolder('old.countersign'), 'utf8'))).toMatchObject({
      format: 'countersign',
      version: 1
    })
  })

  test('adds a missing extension without replacing an existing file', async () => {
    writeFileSync(inFolder('Tenancy v1.2.countersign'), 'in the way')
    const { label } = await office.exchange.exportDrafts(inFolder('Tenancy v1.2'), one())
    expect(label).toBe('Tenancy v1.2 (2).countersign')
    expect(readFileSync(inFolder('Tenancy v1.2.countersign'), 'utf8')).toBe('in the way')
  })

  test('leaves nothing behind if a draft or the folder doesn’t exist', async () => {
    await expect(
      office.exchange.exportDrafts(inFolder('a.countersign'), [...one(), 'never there'])
    ).rejects.toMatchObject({
      appError: { code: 'gone' }
    })
    await expect(office.exchange.exportDrafts(inFolder('no folder/a.countersign'), one())).rejects.toMatchObject({
      code: 'not-writable'
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('refuses to write a file too large to import, and keeps the existing one', async () => {
    const { id } = office.drafts.save('a', forms({ items: [form({ XMLData: 'x'.repeat(4_900_000) })] }))
    writeFileSync(inFolder('old.countersign'), 'old')
    const save = office.exchange.exportDrafts(inFolder('old.countersign'), Array(11).fill(id))
    await expect(save).rejects.toMatchObject({ appError: { code: 'too-large' } })
    expect(readFileSync(inFolder('old.countersign'), 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['old.countersign'])
  })

  test('suggests a name that every system accepts', () => {
    expect(suggestedName(['Lease: 12/34 High St?'], 'drafts')).toBe('Lease_ 12_34 High St_.countersign')
    expect(suggestedName(['a', 'b'], 'presets')).toBe('2 presets.countersign')
    expect(suggestedName(['...'], 'presets')).toBe('presets.countersign')
  })
})

describe('a file that can’t be imported', () => {
  test('because it is cut off anywhere is reported as incomplete', async () => {
    const text = fileText({
      drafts: [forms({ items: [form({ Name: 'Māia "\\" {[' })] })],
      presets: [{ name: 'P', composition: templates() }]
    })
    const bytes = bytesOf(text)
    for (let length = 1; length < bytes.length; length++) {
      expect(await refusalOf(bytes.subarray(0, length))).toContain('incomplete')
    }
    expect((await readExchangeFile(bytes)).drafts).toHaveLength(1)
  })

  test('because any byte was changed is refused with a message, or still read', async () => {
    const bytes = bytesOf(fileText({ drafts: [], presets: [{ name: 'P', composition: templates({ items: [] }) }] }))
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of [0x00, 0x22, 0x5c, 0x7b, 0x5d, 0xff]) {
        const damaged = bytes.slice()
        damaged[at] = byte
        const outcome: unknown = await readExchangeFile(damaged).catch((error: unknown) => error)
        expect(outcome instanceof Error ? outcome.name : 'read').toMatch(/^(AppFailure|read)$/)
      }
    }
  })

  test('because it has arbitrary bytes is refused with a message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json().map(bytesOf)), async (bytes) => {
        expect((await refusalOf(bytes)).length).toBeGreaterThan(10)
      }),
      { numRuns: 300 }
    )
  })

  test.each([
    ['empty', '', 'empty'],
    ['only blank', ' \n\t', 'empty'],
    ['not JSON', 'PK\u0003\u0004', 'isn’t a Countersign file'],
    ['a list', '[]', 'isn’t a Countersign file'],
    ['another program’s', '{"name":"something","version":1}', 'isn’t a Countersign file'],
    ['without a format', JSON.stringify({ version: 1, drafts: [] }), 'isn’t a Countersign file'],
    ['followed by other content', `${fileText()}{}`, 'damaged'],
    ['without a version', fileText({ version: undefined }), 'damaged'],
    ['with an odd version', fileText({ version: '1' }), 'damaged'],
    ['from a newer version', fileText({ version: 2 }), 'newer version of Countersign (2)'],
    [
      'from a newer version with unknown parts',
      fileText({ version: 3, drafts: [{ what: 1 }], more: {} }),
      'newer version of Countersign (3)'
    ],
    ['with a list that isn’t one', fileText({ drafts: { 0: forms() } }), 'damaged'],
    ['with an unknown part', fileText({ letters: [] }), 'doesn’t know (“letters”)'],
    ['without drafts or presets', fileText({ drafts: [] }), 'no drafts or presets'],
    ['with the same part twice', fileText().replace('"presets":[]', '"drafts":[]'), 'damaged'],
    ['with too many drafts', fileText({ drafts: Array(10_001).fill(0) }), 'more than 10000']
  ])('is refused with its own message: %s', async (_, text, words) => {
    expect(await refusalOf(text)).toContain(words)
  })

  test.each([
    [
      'Draft 2 (“Tax file declaration”) can’t be used: form 1, signer 1, Email is missing.',
      [forms(), forms({ items: [form({ signers: [{ ...signer(), Email: undefined as never }] })] })]
    ],
    [
      'Draft 1 (“Residential tenancy”) can’t be used: template 1, Reference isn’t of the right kind.',
      [templates({ items: [template({ Reference: 7 as never })] })]
    ],
    [
      'Draft 1 (“N”) can’t be used: form 1, Reference is too long.',
      [forms({ items: [form({ Name: 'N', Reference: 'x'.repeat(10_001) })] })]
    ],
    [
      'Draft 1 can’t be used: drop-down item 1 has a part that Countersign doesn’t know (“extra”).',
      [{ ...forms({ items: [] }), ListItems: [{ key: 'l', ClientField: '', Item: '', Value: '', extra: 1 }] }]
    ],
    [
      'Draft 1 can’t be used: kind has a value that Countersign doesn’t know.',
      [{ ...forms({ items: [] }), kind: 'letter' }]
    ],
    [
      'Draft 1 can’t be used: it has a part that Countersign doesn’t know (“state”).',
      [{ ...forms({ items: [] }), state: 'sent' }]
    ],
    ['Draft 1 can’t be used: it isn’t of the right kind.', [null]]
  ])('is refused with the entry and its faulty part: %s', async (words, drafts) => {
    expect(await refusalOf(fileText({ drafts }))).toBe(`${words} Nothing was imported.`)
  })

  test('is refused with the name of a faulty preset', async () => {
    const presets = [
      { name: 'Usual', composition: { ...forms(), embedded: 'yes' } },
      { name: '', composition: forms() }
    ]
    expect(await refusalOf(fileText({ presets }))).toContain(
      'Preset 1 (“Usual”) can’t be used: embedded isn’t of the right kind.'
    )
    expect(await refusalOf(fileText({ presets: presets.slice(1) }))).toContain('Preset 1 can’t be used: name is blank.')
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'because of a member called %s has no effect on the application',
    async (name) => {
      const sly = fileText().replace('"kind"', `"${name}":{"polluted":true},"kind"`)
      expect(await refusalOf(sly)).toMatch(/doesn’t know|can’t be used/)
      const atTop = fileText().replace('"format"', `"${name}":{"polluted":true},"format"`)
      expect(await refusalOf(atTop)).toContain('doesn’t know')
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    }
  )

  test('because of its size is refused unread', async () => {
    const { refused } = await (async () => {
      writeFileSync(inFolder('huge.countersign'), Buffer.alloc(MAX_FILE_BYTES + 1, 0x20))
      return office.exchange.importFiles('a', [inFolder('huge.countersign')])
    })()
    expect(refused).toEqual([
      { file: 'huge.countersign', message: 'This file is larger than 50 MB. Export fewer at a time.' }
    ])
  })

  test('because of deeply nested brackets is refused', async () => {
    expect(await refusalOf(`{"drafts":${'['.repeat(2_000_000)}`)).toContain('incomplete')
    expect(
      await refusalOf(`{"format":"countersign","version":1,"drafts":[${'['.repeat(500_000)}${']'.repeat(500_000)}]}`)
    ).toContain('Draft 1 can’t be used')
  })

  test('doesn’t keep others from being imported, but isn’t imported even partly', async () => {
    writeFileSync(inFolder('good.countersign'), fileText())
    writeFileSync(inFolder('half.countersign'), fileText({ drafts: [forms(), { ...forms(), kind: 'letter' }] }))
    writeFileSync(inFolder('last.countersign'), fileText({ presets: [{ name: 'P', composition: templates() }] }))
    await mkdir(inFolder('folder.countersign'))
    const paths = ['good', 'half', 'missing', 'folder', 'last'].map((name) => inFolder(`${name}.countersign`))
    const imported = await office.exchange.importFiles('a', paths)
    expect(imported.drafts).toHaveLength(2)
    expect(imported.presets).toHaveLength(1)
    expect(imported.refused).toEqual([
      { file: 'half.countersign', message: expect.stringContaining('Draft 2') },
      { file: 'missing.countersign', message: 'This file is no longer there.' },
      { file: 'folder.countersign', message: 'This is a folder. Choose a file.' }
    ])
    expect(office.drafts.list(['a']).total).toBe(2)
  })
})

describe('an import', () => {
  const many = fileText({
    drafts: Array.from({ length: 2000 }, () => forms()),
    presets: [{ name: 'P', composition: templates() }]
  })

  test('interrupted by a full disk leaves nothing of the file, and existing drafts stay', async () => {
    const full = openOffice(onDisk())
    full.drafts.save('a', forms({ items: [form({ Name: 'Before' })] }))
    const large = JSON.stringify({
      format: 'countersign',
      version: 1,
      drafts: Array.from({ length: 60 }, () => forms({ items: [form({ XMLData: 'x'.repeat(20_000) })] }))
    })
    writeFileSync(inFolder('large.countersign'), large)
    full.db.pragma(`max_page_count = ${Number(full.db.pragma('page_count', { simple: true })) + 150}`)
    const { drafts, refused } = await full.exchange.importFiles('a', [inFolder('large.countersign')])
    expect(drafts).toEqual([])
    expect(refused).toEqual([{ file: 'large.countersign', message: expect.stringContaining('disk is full') }])
    expect(full.drafts.list(['a']).rows.map(({ title }) => title)).toEqual(['Before'])
    expect(full.db.prepare('SELECT count(*) FROM drafts').pluck().get()).toBe(1)
  })

  test('shows no drafts until all are there', async () => {
    writeFileSync(inFolder('many.countersign'), many)
    let isDone = false
    const importing = office.exchange.importFiles('a', [inFolder('many.countersign')]).finally(() => {
      isDone = true
    })
    const codes = new Set<number>()
    while (!isDone) {
      if (Number(office.db.prepare('SELECT count(*) FROM arrivals').pluck().get()) > 0) {
        codes.add(
          office.drafts.list(['a']).total +
            office.drafts.list(['a'], { search: 'mere' }).total +
            office.presets.list('a').length
        )
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([...codes]).toEqual([0])
    expect((await importing).drafts).toHaveLength(2000)
    expect(office.drafts.list(['a']).total).toBe(2000)
  })

  test('interrupted by the end of the application is undone at the next start', async () => {
    const path = inFolder('office.db')
    const first = openOffice(onDisk(path))
    writeFileSync(inFolder('many.countersign'), many)
    const importing = first.exchange.importFiles('a', [inFolder('many.countersign')])
    await untilSomeArrived(first)
    first.db.close()
    expect((await importing).refused).toHaveLength(1)
    const reopened = openOffice(onDisk(path))
    reopened.exchange.removeInterrupted()
    for (const table of ['arrivals', 'drafts', 'presets', 'draft_words']) {
      expect(reopened.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0)
    }
  })
})

async function untilSomeArrived({ db }: Pick<Office, 'db'>): Promise<void> {
  while (db.prepare('SELECT 1 FROM arrivals').get() === undefined) await new Promise((resolve) => setImmediate(resolve))
}

test('a file without read permission is reported so', async () => {
  writeFileSync(inFolder('locked.countersign'), fileText())
  await chmod(inFolder('locked.countersign'), 0)
  const { drafts, refused } = await office.exchange.importFiles('a', [inFolder('locked.countersign')])
  // When the tests run as root, the file is readable.
  if (drafts.length === 0)
    expect(refused).toEqual([
      {
        file: 'locked.countersign',
        message: 'You don’t have permission to read this file. Ask for access, or choose another file.'
      }
    ])
  expect(existsSync(inFolder('locked.countersign'))).toBe(true)
})
