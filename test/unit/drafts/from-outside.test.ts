/** What a link or an opened file may request, why it is refused, and that nothing is saved before a person agrees. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { compositionOfLink, readDraftLink } from '../../../src/main/core/drafts/draft-link.ts'
import { requestsIn } from '../../../src/main/core/drafts/from-outside.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { Composition } from '../../../src/shared/composition/composition.ts'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

/** Returns a link with these parameters. */
const linkTo = (parts: Record<string, string>) => `countersign://draft?${new URLSearchParams(parts)}`

async function bring(...args: string[]) {
  await office.outside.enqueue(requestsIn(args, temporaryFolder()))
  return office.outside.list()
}

function toldOf(link: string): string {
  try {
    readDraftLink(link)
  } catch (error) {
    return asAppError(error).message
  }
  return 'It was read.'
}

const storedCount = () =>
  office.db.prepare('SELECT (SELECT count(*) FROM drafts) + (SELECT count(*) FROM presets)').pluck().get()
const sent = () => office.db.prepare('SELECT count(*) FROM sends').pluck().get()

describe('start arguments', () => {
  test('may be links and files, and others are ignored', () => {
    const folder = '/home/mere'
    const file = pathToFileURL('/home/mere/a b.countersign').href
    const args = ['.', '--user-data-dir=/x.countersign', 'countersign://draft?kind=form', 'Sent.COUNTERSIGN', file]
    expect(requestsIn(args, folder)).toEqual([
      { link: 'countersign://draft?kind=form' },
      { path: join(folder, 'Sent.COUNTERSIGN') },
      { path: '/home/mere/a b.countersign' }
    ])
    for (const other of [
      'a.countersign-backup',
      'https://a.example/x.countersign.html',
      'countersign',
      '',
      'file:///%'
    ])
      expect(requestsIn([other], folder)).toEqual([])
    expect(requestsIn(['file://server/share/a.countersign'], folder)).toEqual([])
  })
})

describe('a link', () => {
  test('makes the draft that it describes once a person agrees, and sends nothing', async () => {
    const [pending] = await bring(
      linkTo({
        kind: 'form',
        name: 'Deed of gift',
        reference: 'deed-1',
        clientReference: '26/0042',
        'signer1.firstName': 'Mere',
        'signer1.lastName': 'Tāmati',
        'signer1.email': 'mere@example.com',
        'signer2.firstName': 'Wiremu'
      })
    )
    expect(pending).toMatchObject({
      what: 'draft',
      name: 'Deed of gift',
      signers: [
        { name: 'Mere Tāmati', details: ['mere@example.com'] },
        { name: 'Wiremu', details: [] }
      ]
    })
    expect(storedCount()).toBe(0)
    const { drafts } = await office.outside.accept(pending?.id ?? '', 'b')
    const { accountId, composition } = office.drafts.get(drafts[0]?.id ?? '')
    expect(accountId).toBe('b')
    expect(composition).toMatchObject({
      kind: 'form-direct',
      items: [
        {
          Name: 'Deed of gift',
          Reference: 'deed-1',
          ClientReference: '26/0042',
          signers: [{ FirstName: 'Mere', LastName: 'Tāmati', Email: 'mere@example.com' }, { FirstName: 'Wiremu' }]
        }
      ]
    })
    expect(office.outside.list()).toEqual([])
    expect(sent()).toBe(0)
  })

  test('starts from a preset of the account, which keeps what the link doesn’t set', async () => {
    const preset = forms({
      NotifyUrl: 'https://office.example/notify',
      items: [form({ signers: [signer({ SignerType: 'Client' })] })]
    })
    office.presets.save('a', 'Engagement', preset)
    const [pending] = await bring(linkTo({ preset: 'engagement', 'signer1.email': 'ana@example.com' }))
    await expect(office.outside.accept(pending?.id ?? '', 'b')).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(office.outside.list()).toHaveLength(1)
    const { drafts } = await office.outside.accept(pending?.id ?? '', 'a')
    const { composition } = office.drafts.get(drafts[0]?.id ?? '')
    expect(composition.NotifyUrl).toBe('https://office.example/notify')
    expect(composition.items[0]?.signers[0]).toMatchObject({ SignerType: 'Client', Email: 'ana@example.com' })
  })

  test('that names someone else gets nothing personal of the preset’s signer', async () => {
    const own = { MiddleName: 'Anne', MobileCountry: '64', MobileNumber: '0211234567', ClientReference: 'C-7' }
    office.presets.save('a', 'Engagement', forms({ items: [form({ signers: [signer(own)] })] }))
    async function signerOf(parts: Record<string, string>) {
      const [pending] = await bring(linkTo({ preset: 'engagement', ...parts }))
      const { drafts } = await office.outside.accept(pending?.id ?? '', 'a')
      return office.drafts.get(drafts[0]?.id ?? '').composition.items[0]?.signers[0]
    }
    expect(await signerOf({ 'signer1.firstName': 'Ana', 'signer1.mobileNumber': '022' })).toMatchObject({
      ...{ FirstName: 'Ana', MiddleName: '', MobileCountry: '64', MobileNumber: '022', ClientReference: '' }
    })
    expect(await signerOf({ 'signer1.firstName': 'mere' })).toMatchObject(own)
  })

  test('that was declined leaves nothing', async () => {
    const [pending] = await bring(linkTo({ kind: 'template', reference: 't-1' }))
    office.outside.dismiss(pending?.id ?? '')
    expect([office.outside.list(), storedCount()]).toEqual([[], 0])
    await expect(office.outside.accept(pending?.id ?? '', 'a')).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('is shown once if repeated, and at most ten are shown', async () => {
    const links = Array.from({ length: 40 }, (_, index) => linkTo({ kind: 'form', name: `${index % 20}` }))
    for (const link of links) await office.outside.enqueue([{ link }])
    expect(office.outside.list().map((pending) => pending.what === 'draft' && pending.name)).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index))
    )
  })

  test.each([
    ['countersign://send?kind=form', 'something other than a draft'],
    ['countersign://draft/send?kind=form', 'something other than a draft'],
    ['countersign:draft?kind=form', 'something other than a draft'],
    ['countersign://me:pw@draft?kind=form', 'can read'],
    ['countersign://draft:1?kind=form', 'can read'],
    ['countersign://draft?kind=form#x', 'can read'],
    ['countersign://dra ft', 'can read'],
    ['countersign://draft', 'either a preset or a kind'],
    ['countersign://draft?kind=form&preset=a', 'either a preset or a kind'],
    ['countersign://draft?kind=letter', '“kind” in this link has a value'],
    ['countersign://draft?kind=form&kind=template', '“kind” twice'],
    ['countersign://draft?kind=form&send=1', 'can’t set (“send”)'],
    ['countersign://draft?kind=form&NotifyUrl=https://evil.example', 'can’t set (“NotifyUrl”)'],
    ['countersign://draft?kind=form&ReturnUrl=https://evil.example', 'can’t set (“ReturnUrl”)'],
    ['countersign://draft?kind=form&signer1.ShareUsers=x', 'can’t set'],
    ['countersign://draft?kind=form&__proto__=x', 'can’t set'],
    ['countersign://draft?kind=form&signers=x', 'can’t set (“signers”)'],
    ['countersign://draft?kind=form&signer1.__proto__=x', 'can’t set'],
    ['countersign://draft?kind=form&signer0.email=x', 'can’t set'],
    ['countersign://draft?kind=form&signer2.email=x', 'leaves out a signer'],
    ['countersign://draft?kind=form&name=a%00b', 'hidden characters in “name”'],
    ['countersign://draft?kind=form&name=%E2%80%AEgpj.exe', 'hidden characters in “name”'],
    ['countersign://draft?kind=form&signer1.email=a%E2%80%8B@b.example', 'hidden characters in “email”'],
    [`countersign://draft?kind=form&name=${'a'.repeat(501)}`, '“name” in this link is too long'],
    [`countersign://draft?kind=form&name=${'a'.repeat(8000)}`, 'This link is too long.'],
    [
      `countersign://draft?kind=form&${Array.from({ length: 21 }, (_, i) => `signer${i + 1}.email=x`).join('&')}`,
      'too many signers'
    ]
  ])('is refused entirely: %.70s', async (link, reason) => {
    expect(toldOf(link)).toContain(reason)
    expect(await bring(link)).toMatchObject([
      { what: 'refused', error: { code: 'invalid', next: 'No draft was made.' } }
    ])
    expect(storedCount()).toBe(0)
  })

  test('with any content is refused with a message, or makes a valid composition', () => {
    const names = ['kind', 'preset', 'name', 'reference', 'signer1.email', 'signer2.firstName', 'signer1', 'x']
    const parts = fc.array(
      fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom('form', 'template'), fc.string({ unit: 'binary' })))
    )
    fc.assert(
      fc.property(parts, fc.boolean(), (parts, isTemplate) => {
        const link = `countersign://draft?${new URLSearchParams(parts)}`
        let read: ReturnType<typeof readDraftLink>
        try {
          read = readDraftLink(link)
        } catch (error) {
          expect(asAppError(error)).toMatchObject({ code: 'invalid', message: expect.stringMatching(/[.]$/) })
          return
        }
        expect(Composition.safeParse(compositionOfLink(read, isTemplate ? templates() : undefined)).success).toBe(true)
      }),
      { numRuns: 300 }
    )
  })
})

describe('an opened file', () => {
  const content = (drafts: unknown[]) =>
    JSON.stringify({
      format: 'countersign',
      version: 1,
      madeBy: 'x',
      drafts,
      presets: [{ name: 'Usual', composition: templates() }]
    })

  test('is shown with its contents, and imported as additions once a person agrees', async () => {
    office.presets.save('a', 'Usual', forms())
    const path = join(temporaryFolder(), 'sent.countersign')
    writeFileSync(path, content([forms(), forms()]))
    const [pending] = await bring(path)
    expect(pending).toEqual({ id: expect.any(String), what: 'file', file: 'sent.countersign', drafts: 2, presets: 1 })
    expect(storedCount()).toBe(1)
    const imported = await office.outside.accept(pending?.id ?? '', 'a')
    expect(imported.presets.map(({ name }) => name)).toEqual(['Usual (2)'])
    expect([storedCount(), sent()]).toEqual([4, 0])
  })

  test('is imported once, however often the person agrees meanwhile', async () => {
    const path = join(temporaryFolder(), 'sent.countersign')
    writeFileSync(path, content([forms(), forms()]))
    const [pending] = await bring(path)
    const accept = () => office.outside.accept(pending?.id ?? '', 'a')
    const [first, second] = await Promise.all([accept(), accept()])
    expect(second).toEqual(first)
    expect(storedCount()).toBe(3)
  })

  test('that changed before the person agreed is refused, and nothing is saved', async () => {
    const path = join(temporaryFolder(), 'sent.countersign')
    writeFileSync(path, content([forms()]))
    const [pending] = await bring(path)
    writeFileSync(path, content([forms(), forms()]))
    expect(await office.outside.accept(pending?.id ?? '', 'a')).toEqual({
      drafts: [],
      presets: [],
      refused: [{ file: 'sent.countersign', message: expect.stringContaining('changed after you were shown') }]
    })
    expect(storedCount()).toBe(0)
    // Opened again, it is shown as it is now.
    expect(await bring(path)).toMatchObject([{ what: 'file', drafts: 2 }])
  })

  test.each([
    ['gone', undefined, 'no longer there'],
    ['empty', '', 'empty'],
    ['from another program', '{"format":"other"}', 'isn’t a Countersign file'],
    ['incomplete', content([forms()]).slice(0, -9), 'incomplete'],
    ['malicious', content([{ ...forms(), __proto__: null, send: true }]), 'doesn’t know (“send”)']
  ])('that is %s is reported so, and nothing is saved', async (_what, text, reason) => {
    const path = join(temporaryFolder(), 'sent.countersign')
    if (text !== undefined) writeFileSync(path, text)
    const [pending] = await bring(path)
    expect(pending).toMatchObject({
      what: 'refused',
      file: 'sent.countersign',
      error: { message: expect.stringContaining(reason) }
    })
    expect(storedCount()).toBe(0)
  })
})
