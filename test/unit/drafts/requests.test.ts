import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Accounts, openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import type { FileKind } from '../../../src/main/ipc/dialogs.ts'
import { draftHandlers } from '../../../src/main/ipc/drafts.ts'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
let accounts: Accounts
let folder: string
let handlers: ReturnType<typeof draftHandlers>
/** What the person chooses in the dialogs; `dialogs` has what the dialogs were opened with. */
let choice: { open: string[]; save: string | undefined }
let dialogs: { title: string; suggested?: string; kinds: readonly FileKind[] }[]

beforeEach(() => {
  office = openOffice()
  accounts = openAccounts({ db: office.db, secrets: memoryKeychain().accounts, newId: randomUUID, time: systemTime })
  accounts.choose('a')
  folder = temporaryFolder()
  choice = { open: [], save: undefined }
  dialogs = []
  handlers = draftHandlers({
    ...office,
    accounts,
    chooseFiles: async (title, kinds) => {
      dialogs.push({ title, kinds })
      return choice.open
    },
    chooseSaveFile: async (title, suggested, kinds) => {
      dialogs.push({ title, suggested, kinds })
      return choice.save
    }
  })
})

const asking = { from: 'office' as const, stillAsking: () => true }
const everything = { search: '', trashed: false, offset: 0, limit: 50 }
const list = () => handlers['drafts.list'](everything, asking)
const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'no failure',
    (error: unknown) => asAppError(error).code
  )

describe('requests about drafts', () => {
  test('save, list, trash and restore', async () => {
    const saved = await handlers['drafts.save']({ composition: forms() }, asking)
    expect(await handlers['drafts.get']({ id: saved.id }, asking)).toEqual({ ...saved, composition: forms() })
    expect(await handlers['drafts.remove']({ id: saved.id }, asking)).toBeUndefined()
    expect(await list()).toEqual({ rows: [], total: 0, counts: { drafts: 0, trashed: 1 } })
    expect(await handlers['drafts.restore']({ id: saved.id }, asking)).toEqual(saved)
    await handlers['drafts.remove']({ id: saved.id }, asking)
    expect(await handlers['drafts.emptyTrash'](undefined, asking)).toEqual({ erased: 1 })
  })

  test('remember in which account a package was last begun, not where one was continued', async () => {
    const [real, other] = await Promise.all(
      ['Real', 'Other'].map((name) =>
        accounts.add({ kind: 'service', name, baseUrl: 'https://sign.example.com', authentication: { scheme: 'none' } })
      )
    )
    const saveIn = async (id: string, draft?: string) => {
      accounts.choose(id)
      return (await handlers['drafts.save']({ ...(draft && { id: draft }), composition: forms() }, asking)).id
    }
    const draft = await saveIn(real?.id ?? '')
    await saveIn(other?.id ?? '')
    expect(accounts.forNewPackages()).toBe(other?.id)
    await saveIn(real?.id ?? '', draft)
    expect(accounts.forNewPackages()).toBe(other?.id)
  })

  test('revert a draft to an earlier version', async () => {
    const { id } = await handlers['drafts.save']({ composition: forms() }, asking)
    office.drafts.keepVersion(id, 'send')
    await handlers['drafts.save']({ id, composition: templates() }, asking)
    const [version] = await handlers['drafts.history']({ id }, asking)
    const named = { id, version: version?.id ?? '' }
    expect(await handlers['drafts.version'](named, asking)).toEqual({ composition: forms() })
    expect(await handlers['drafts.restoreVersion'](named, asking)).toMatchObject({ id, composition: forms() })
    expect((await handlers['drafts.duplicate']({ id }, asking)).id).not.toBe(id)
  })

  test('don’t affect accounts other than the chosen one', async () => {
    const { id } = office.drafts.save('b', forms())
    const preset = office.presets.save('b', 'Theirs', forms())
    const answers = [
      handlers['drafts.get']({ id }, asking),
      handlers['drafts.save']({ id, composition: templates() }, asking),
      handlers['drafts.remove']({ id }, asking),
      handlers['drafts.restore']({ id }, asking),
      handlers['drafts.erase']({ id }, asking),
      handlers['drafts.duplicate']({ id }, asking),
      handlers['drafts.history']({ id }, asking),
      handlers['drafts.version']({ id, version: 'v' }, asking),
      handlers['drafts.restoreVersion']({ id, version: 'v' }, asking),
      handlers['drafts.export']({ ids: [id] }, asking),
      handlers['presets.get']({ id: preset.id }, asking),
      handlers['presets.save']({ id: preset.id, name: 'Ours', composition: forms() }, asking),
      handlers['presets.rename']({ id: preset.id, name: 'Ours' }, asking),
      handlers['presets.remove']({ id: preset.id }, asking),
      handlers['presets.export']({ ids: [preset.id] }, asking)
    ]
    for (const answer of answers) expect(await codeOf(answer)).toBe('gone')
    expect(dialogs).toEqual([])
    expect(office.drafts.get(id).composition).toEqual(forms())
    expect(office.presets.get(preset.id).name).toBe('Theirs')
  })
})

describe('requests about files', () => {
  test('export drafts to the chosen file, under a suitable suggested name', async () => {
    const { id } = await handlers['drafts.save']({ composition: forms() }, asking)
    choice.save = join(folder, 'mine.countersign')
    expect(await handlers['drafts.export']({ ids: [id] }, asking)).toEqual({ label: 'mine.countersign' })
    expect(dialogs).toEqual([
      {
        title: 'Export drafts',
        suggested: 'Tax file declaration.countersign',
        kinds: [{ name: 'Countersign file', extensions: ['countersign'] }]
      }
    ])
    expect(existsSync(choice.save)).toBe(true)
  })

  test('do nothing if the dialog is cancelled', async () => {
    const { id } = await handlers['drafts.save']({ composition: forms() }, asking)
    expect(await handlers['drafts.export']({ ids: [id] }, asking)).toBeNull()
    expect(await handlers['exchange.import'](undefined, asking)).toBeNull()
    expect((await list()).total).toBe(1)
  })

  test('import exported files into the chosen account, and never return a path', async () => {
    const preset = await handlers['presets.save']({ name: 'Usual', composition: templates() }, asking)
    choice.save = join(folder, 'usual.countersign')
    await handlers['presets.export']({ ids: [preset.id] }, asking)
    expect(dialogs[0]?.suggested).toBe('Usual.countersign')
    accounts.choose('b')
    writeFileSync(join(folder, 'bad.countersign'), 'no')
    choice.open = [choice.save, join(folder, 'bad.countersign')]
    const imported = await handlers['exchange.import'](undefined, asking)
    expect(imported).toMatchObject({ presets: [{ name: 'Usual' }], refused: [{ file: 'bad.countersign' }] })
    expect(JSON.stringify(imported)).not.toContain(folder)
    expect(await handlers['presets.list'](undefined, asking)).toEqual(imported?.presets)
  })
})

test('requests about people and values return those of the chosen account', async () => {
  const composition = forms({ items: [form({ signers: [signer({ SignerType: 'Guardian' })] })] })
  office.people.note('a', composition)
  office.remembered.note('a', composition)
  const mere = { text: 'mere', limit: 10 }
  expect(await handlers['people.find'](mere, asking)).toMatchObject({ people: [{ Email: 'mere.tamati@example.com' }] })
  expect(await handlers['remembered.values']({ field: 'SignerType' }, asking)).toEqual(['Guardian'])
  expect(await handlers['remembered.forms'](undefined, asking)).toHaveLength(1)
  accounts.choose('b')
  expect(await handlers['people.find'](mere, asking)).toEqual({ people: [] })
  expect(await handlers['remembered.values']({ field: 'SignerType' }, asking)).toEqual([])
  accounts.choose('a')
  const page = { search: '', offset: 0, limit: 9 }
  expect(await handlers['people.list'](page, asking)).toMatchObject({ rows: [{ times: 1 }], total: 1 })
  const { FirstName, LastName, Email } = signer()
  await handlers['people.forget']({ FirstName, LastName, Email }, asking)
  expect(await handlers['people.find'](mere, asking)).toEqual({ people: [] })
})
