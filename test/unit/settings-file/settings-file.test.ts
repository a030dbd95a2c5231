/** Moving settings between computers by file: what the file contains, what it changes, and what it never touches. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DocumentQuery } from '../../../src/shared/contract/document-query.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { refusal } from '../backup/computers.ts'
import { EMPTY, fileOf, HARBOUR, openWorkstation, type Workstation } from './workstations.ts'

const TOKEN = 'planted-token-of-the-office'
const query = (more: object) => DocumentQuery.parse(more)

/** A computer with every setting that the file can contain. */
async function setUp(): Promise<Workstation> {
  const made = await openWorkstation()
  const { accounts, views, presets, settings, notifications, counter, downloadSettings } = made
  await accounts.add({ kind: 'practice', name: 'Practice office' })
  const harbour = await accounts.add({
    kind: 'service',
    name: 'Harbour',
    baseUrl: HARBOUR.address,
    colour: '#c2487a',
    authentication: { scheme: 'bearer', token: TOKEN }
  })
  const login = { clientId: 'countersign', issuer: 'https://login.example' }
  const quay = await accounts.add({
    kind: 'service',
    name: 'Quay Law',
    baseUrl: 'https://sign.quay.example',
    authentication: { scheme: 'oauth', grant: 'code', ...login, tokens: { refresh: TOKEN } } as never
  })
  await accounts.update(harbour.id, { folders: ['Eingang', 'Signed'], jsonByQuery: true })
  accounts.mark(harbour.id, { mark: 'HB' })
  accounts.reorder([quay.id, harbour.id])
  views.save(harbour.id, { name: 'Due', query: query({ dueWithinDays: 7 }), tell: true })
  views.save(quay.id, { name: 'Both', query: query({ accounts: [harbour.id, quay.id] }), tell: false })
  presets.save(harbour.id, 'Tenancy', forms({ items: [form({ Name: 'Tenancy agreement', signers: [signer()] })] }))
  settings.change({ theme: 'dark', zoom: 1.2, countryCode: '64', downloadFolder: '/home/grace/Private' })
  notifications.set({ ...notifications.read(), quiet: { from: '18:00', to: '08:00' }, sound: true })
  counter.configure({ staffName: 'Grace Hopper', idleText: 'Kia ora', lockAfter: 10, camera: 'Front camera' })
  counter.configure({ allowedOrigins: ['https://login.example.govt.nz'] })
  downloadSettings.change({ pattern: '{reference}', types: ['json'] })
  return made
}

test('a file from a version with fewer kinds of notification leaves the others unchanged', async () => {
  const from = await setUp()
  const to = await openWorkstation()
  from.notifications.set({
    ...from.notifications.read(),
    kinds: { ...from.notifications.read().kinds, signed: 'always' }
  })
  to.notifications.set({
    ...to.notifications.read(),
    kinds: { ...to.notifications.read().kinds, 'not-valid': 'never' }
  })
  await from.save()
  const content = JSON.parse(readFileSync(from.state.file, 'utf8'))
  delete content.notifications.kinds['not-valid']
  await to.import(fileOf(content))
  expect(to.notifications.read().kinds).toMatchObject({ signed: 'always', 'not-valid': 'never' })
})

test('a computer is set up like another, with each secret entered there', async () => {
  const from = await setUp()
  const to = await openWorkstation()
  await from.save()
  const chosen = await to.import(from.state.file)
  expect(chosen?.left).toEqual([])
  expect(chosen?.withoutSecret).toEqual(['Quay Law', 'Harbour'])
  const [quay, harbour] = to.accounts.list()
  expect(harbour).toMatchObject({
    name: 'Harbour',
    baseUrl: HARBOUR.address,
    scheme: 'bearer',
    colour: '#c2487a',
    mark: 'HB',
    folders: ['Eingang', 'Signed'],
    jsonByQuery: true
  })
  expect(await to.accounts.secretState(harbour?.id ?? '')).toBe('missing')
  // The way people sign in with the browser isn't secret; the sign-in itself is.
  expect(await to.accounts.credentialsOf(quay?.id ?? '')).toEqual({
    scheme: 'oauth',
    grant: 'code',
    clientId: 'countersign',
    issuer: 'https://login.example'
  })
  expect(to.views.list(harbour?.id ?? '')).toMatchObject([{ name: 'Due', tell: true, query: { dueWithinDays: 7 } }])
  expect(to.views.list(quay?.id ?? '')).toMatchObject([{ query: { accounts: [harbour?.id, quay?.id] } }])
  expect(to.presets.list(harbour?.id ?? '')).toMatchObject([{ name: 'Tenancy', title: 'Tenancy agreement' }])
  expect(to.settings.read()).toEqual({ theme: 'dark', zoom: 1.2, countryCode: '64' })
  expect(to.notifications.read()).toEqual(from.notifications.read())
  expect(to.counter.read()).toMatchObject({
    idleText: 'Kia ora',
    lockAfter: 10,
    allowedOrigins: ['https://login.example.govt.nz'],
    // Who works there, and with which camera, is specific to each computer.
    staffName: '',
    camera: ''
  })
  expect(to.downloadSettings.read()).toMatchObject({ pattern: '{reference}', types: ['json'] })
  expect(to.questions).toHaveLength(2)
  expect(from.notes.at(-1)?.what).toBe('settings-exported')
  const added = { address: HARBOUR.address, how: 'settings file' }
  expect(to.notes).toMatchObject([
    { what: 'settings-import-begun', detail: { planned: expect.stringContaining('Zoom') } },
    { what: 'account-added', detail: { account: 'Quay Law', how: 'settings file' } },
    { what: 'account-added', detail: { account: 'Harbour', ...added } },
    { what: 'settings-changed' },
    // Last, because only then is it known whether every step succeeded.
    { what: 'settings-imported', detail: { changed: expect.stringContaining('Zoom') } }
  ])
})

test('the file contains no secret, path, person’s name or practice office', async () => {
  const from = await setUp()
  await from.save()
  const text = readFileSync(from.state.file, 'utf8')
  for (const planted of [TOKEN, '/home/grace', 'Grace Hopper', 'Front camera', 'Practice office'])
    expect(text).not.toContain(planted)
  expect(JSON.parse(text)).toMatchObject(EMPTY)
})

test('if a step fails, the audit trail has only what was to be changed, and what was changed before it', async () => {
  const from = await setUp()
  const to = await openWorkstation()
  await from.save()
  to.views.save = () => {
    throw new Error('The disk is full.')
  }
  const chosen = await to.choose(from.state.file)
  await expect(to.apply(chosen?.id ?? '')).rejects.toThrow('The disk is full.')
  const left = String((chosen?.changes.length ?? 0) - 2)
  expect(to.notes.filter(({ what }) => what === 'settings-imported')).toEqual([
    { what: 'settings-imported', detail: { changed: 'Account “Quay Law”; Account “Harbour”', left } }
  ])

  // Nothing at all was imported here.
  const other = await openWorkstation()
  other.accounts.manage = () => Promise.reject(new Error('The disk is full.'))
  await expect(other.import(from.state.file)).rejects.toThrow('The disk is full.')
  // Only that it began.
  expect(other.notes.map(({ what }) => what)).toEqual(['settings-import-begun'])
})

test('an account that is added only in part, as its sign-in can’t be stored, is in the audit trail', async () => {
  const from = await setUp()
  await from.save()
  const to = await openWorkstation()
  to.accounts.update = () => Promise.reject(new Error('The keychain is locked.'))
  await expect(to.import(from.state.file)).rejects.toThrow('The keychain is locked.')
  expect(to.accounts.list().map(({ name }) => name)).toEqual(['Quay Law'])
  expect(to.notes).toMatchObject([
    { what: 'settings-import-begun' },
    { what: 'account-added', detail: { account: 'Quay Law', how: 'settings file' } }
  ])
})

test('an import that never ends, as Countersign is closed meanwhile, is in the audit trail', async () => {
  const from = await setUp()
  await from.save()
  const to = await openWorkstation()
  to.accounts.manage = () => new Promise(() => undefined)
  const chosen = await to.choose(from.state.file)
  void to.apply(chosen?.id ?? '')
  const planned = expect.stringContaining('Account “Quay Law”; Account “Harbour”')
  await expect.poll(() => to.notes).toEqual([{ what: 'settings-import-begun', detail: { planned } }])
})

test('what was shown is applied: importing again changes nothing, and later changes are shown first', async () => {
  const from = await setUp()
  const to = await openWorkstation()
  await from.save()
  const chosen = await to.choose(from.state.file)
  to.settings.change({ zoom: 1.5 })
  expect(await refusal(to.apply(chosen?.id ?? ''))).toMatchObject({ code: 'busy' })
  expect(to.accounts.list()).toEqual([])
  await to.import(from.state.file)
  expect(await to.choose()).toMatchObject({ changes: [], left: [], withoutSecret: [] })
  expect(await refusal(to.apply('another'))).toMatchObject({ code: 'gone' })
})

test('a file is applied once, and not at all once it was closed', async () => {
  const from = await setUp()
  const to = await openWorkstation()
  await from.save()
  const chosen = await to.choose(from.state.file)
  const closed = refusal(to.apply(chosen?.id ?? ''))
  await to.close()
  expect(await closed).toMatchObject({ code: 'gone' })
  expect(to.notes).toEqual([])
  const again = await to.choose()
  const twice = [to.apply(again?.id ?? ''), to.apply(again?.id ?? '')]
  const outcomes = await Promise.allSettled(twice)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(to.notes.filter(({ what }) => what === 'settings-imported')).toHaveLength(1)
})

test('nothing existing is redirected or removed', async () => {
  const to = await openWorkstation()
  const { id } = await to.accounts.add({
    kind: 'service',
    name: 'HARBOUR',
    baseUrl: 'https://mine.example',
    authentication: { scheme: 'bearer', token: TOKEN }
  })
  await to.accounts.add({ kind: 'practice', name: 'Quay' })
  to.views.save(id, { name: 'Due', query: query({ overdue: true }), tell: false })
  const views = [{ account: 'Harbour', name: 'Due', query: { dueWithinDays: 7 }, tell: true }]
  const chosen = await to.import(fileOf({ ...EMPTY, accounts: [HARBOUR, { ...HARBOUR, name: 'quay' }], views }))
  expect(chosen?.changes).toEqual([])
  expect(chosen?.left.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'Account “Harbour”: The account with this name here has a different address or sign-in method.',
    'Account “quay”: The practice office here has this name.',
    'View “Due” of “Harbour”: Its account isn’t on this computer.'
  ])
  expect(await to.accounts.credentialsOf(id)).toEqual({ scheme: 'bearer', token: TOKEN })

  const same = { ...HARBOUR, address: 'https://mine.example', folders: ['Eingang'] }
  const reimported = await to.import(fileOf({ ...EMPTY, accounts: [same], views }))
  expect(reimported?.changes).toEqual([
    { what: 'Folders of “HARBOUR”', from: 'InBox, Progress, Signed', to: 'Eingang' }
  ])
  expect(reimported?.left).toEqual([
    { what: 'View “Due” of “Harbour”', why: 'There’s already one with this name here.' }
  ])
  expect(to.accounts.get(id)).toMatchObject({ name: 'HARBOUR', folders: ['Eingang'] })
  expect(await to.accounts.credentialsOf(id)).toEqual({ scheme: 'bearer', token: TOKEN })
  expect(to.questions).toEqual([id])
})

describe('left unchanged and reported', () => {
  test('a preset with an existing name, unless it differs only in internal keys', async () => {
    const to = await openWorkstation()
    const authentication = { scheme: 'bearer', token: TOKEN } as const
    const { id } = await to.accounts.add({ kind: 'service', name: 'Harbour', baseUrl: HARBOUR.address, authentication })
    const ours = (key: string, signers: number) =>
      forms({
        items: [
          form({
            key,
            Name: 'Agreement',
            signers: Array.from({ length: signers }, (_, at) => signer({ key: `${key}-${at}` }))
          })
        ]
      })
    const { id: own } = to.presets.save(id, 'Tenancy', ours('a', 1))
    to.presets.save(id, 'Engagement', ours('a', 1))
    const presets = [
      { account: 'Harbour', name: 'TENANCY', composition: ours('b', 2) },
      { account: 'Harbour', name: 'Engagement', composition: ours('b', 1) },
      { account: 'Harbour', name: 'Lease', composition: ours('b', 1) }
    ]
    const account = { ...HARBOUR, folders: ['InBox', 'Progress', 'Signed'] }
    const chosen = await to.import(fileOf({ ...EMPTY, accounts: [account], presets }))
    expect(chosen).toMatchObject({
      changes: [{ what: 'Preset “Lease” of “Harbour”' }],
      left: [{ what: 'Preset “TENANCY” of “Harbour”', why: 'There’s already one with this name here.' }]
    })
    expect(to.presets.get(own).composition).toEqual(ours('a', 1))
    expect(to.presets.list(id).map(({ name }) => name)).toEqual(['Engagement', 'Lease', 'Tenancy'])
    expect(to.notes.at(-1)).toMatchObject({ what: 'settings-imported', detail: { left: '1' } })
  })

  test('what the organisation has set', async () => {
    const from = await setUp()
    await from.save()
    const to = await openWorkstation({
      otherAccounts: false,
      practiceOffice: true,
      quietHours: null,
      downloads: { names: '{document}' },
      counter: { lockAfter: 5 },
      signingOrigins: []
    })
    const chosen = await to.import(from.state.file)
    const why = 'Set by your organisation.'
    expect(chosen?.left.filter((one) => one.why === why).map(({ what }) => what)).toEqual([
      ...['Account “Quay Law”', 'Account “Harbour”', 'Quiet hours', 'Names of downloaded files'],
      ...['Counter: automatic lock', 'Counter: allowed addresses']
    ])
    expect(to.accounts.list()).toEqual([])
    expect(to.counter.read()).toMatchObject({ idleText: 'Kia ora', lockAfter: 5, allowedOrigins: [] })
    expect(to.notifications.read()).toMatchObject({ quiet: null, sound: true })
    expect(to.downloadSettings.read()).toMatchObject({ pattern: '{document}', types: ['json'] })
  })

  test('an account whose sign-in method or address isn’t allowed here', async () => {
    const to = await openWorkstation({ signInMethods: ['basic'] })
    const accounts = [HARBOUR, { ...HARBOUR, name: 'Plain', address: 'http://sign.example', signIn: 'basic' }]
    const chosen = await to.import(fileOf({ ...EMPTY, accounts }))
    expect(chosen?.left).toMatchObject([
      { why: 'Set by your organisation.' },
      { why: expect.stringContaining('https://') }
    ])
    expect(to.accounts.list()).toEqual([])
  })

  test('the counter’s settings while an administrator has locked them', async () => {
    const to = await openWorkstation()
    to.state.isCounterOpen = false
    const chosen = await to.import(fileOf({ ...EMPTY, counter: { mayGiveFiles: true }, appearance: { zoom: 1.2 } }))
    expect(chosen?.left).toMatchObject([
      { what: 'Counter: files for signing pages', why: expect.stringContaining('locked') }
    ])
    expect(to.counter.read().mayGiveFiles).toBe(false)
    expect(to.settings.read().zoom).toBe(1.2)
  })

  test('a mark used by another account', async () => {
    const to = await openWorkstation()
    const ids: string[] = []
    for (const name of ['Harbour', 'Quay']) {
      const authentication = { scheme: 'bearer', token: TOKEN } as const
      ids.push((await to.accounts.add({ kind: 'service', name, baseUrl: HARBOUR.address, authentication })).id)
    }
    to.accounts.mark(ids[1] ?? '', { mark: 'HB' })
    const own = { ...HARBOUR, folders: ['InBox', 'Progress', 'Signed'], mark: 'hb' }
    const chosen = await to.import(fileOf({ ...EMPTY, accounts: [own] }))
    expect(chosen?.left).toEqual([{ what: 'Mark and colour of “Harbour”', why: 'Another account here has this mark.' }])
  })
})

describe('refused completely, with a reason', () => {
  test.each<[string, unknown, string]>([
    ['a foreign file', { accounts: [] }, 'This isn’t a Countersign settings file.'],
    ['a file of drafts', { format: 'countersign', version: 1 }, 'This isn’t a Countersign settings file.'],
    ['no version', { ...EMPTY, version: 'one' }, 'damaged'],
    ['a later version', { ...EMPTY, version: 2 }, 'newer version'],
    ['an unknown part', { ...EMPTY, recovery: {} }, '“recovery”'],
    ['a secret', { ...EMPTY, accounts: [{ ...HARBOUR, token: TOKEN }] }, '“token”'],
    ['a wrong kind', { ...EMPTY, accounts: [{ ...HARBOUR, folders: 'InBox' }] }, '“accounts, 1, folders”'],
    ['no list', { ...EMPTY, views: { name: 'Due' } }, '“views”'],
    ['too many', { ...EMPTY, accounts: Array.from({ length: 51 }, () => HARBOUR) }, 'more than 50'],
    ['two of one name', { ...EMPTY, accounts: [HARBOUR, { ...HARBOUR, name: 'HARBOUR' }] }, 'are called “HARBOUR”'],
    ['the practice office’s colour', { ...EMPTY, accounts: [{ ...HARBOUR, colour: '#b7791f' }] }, 'colour'],
    ['a zoom of none', { ...EMPTY, appearance: { zoom: 0 } }, '“appearance, zoom”'],
    ['a path', { ...EMPTY, appearance: { downloadFolder: '/etc' } }, '“downloadFolder”'],
    ['a retention of a day', { ...EMPTY, retention: { documents: 30 } }, '“retention”'],
    ['half of it', JSON.stringify({ ...EMPTY, accounts: [HARBOUR] }).slice(0, -9), 'ends in the middle'],
    ['a name twice', `{"format":"countersign-settings","version":1,"version":1}`, 'damaged'],
    ['nothing', '', 'empty'],
    ['no JSON', 'PK\u0003\u0004', 'damaged']
  ])('%s', async (_, content, message) => {
    const to = await openWorkstation()
    expect(await refusal(to.choose(fileOf(content)))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(message)
    })
    expect(to.accounts.list()).toEqual([])
    expect(to.notes).toEqual([])
  })

  test('a file larger than 5 MB, of which no more is read', async () => {
    const to = await openWorkstation()
    const big = fileOf(`{"format":"countersign-settings","version":1,"madeBy":"${' '.repeat(50 * 1024 * 1024)}"}`)
    expect(await refusal(to.choose(big))).toMatchObject({
      code: 'too-large',
      message: 'This file is larger than 5 MB.'
    })
  })
})

test('an account that a policy adds while others are imported isn’t redirected', async () => {
  const here = await openWorkstation()
  const signInPage = { clientId: 'office', issuer: 'https://login.example.com' }
  const first = { ...HARBOUR, name: 'First', signIn: 'oauth', signInPage }
  const chosen = await here.choose(fileOf({ ...EMPTY, accounts: [first, HARBOUR] }))
  const { accounts: secrets } = here.keychain
  const { set } = secrets
  const elsewhere = 'https://sign.organisation.example'
  secrets.set = async (...entry) => {
    await set(...entry)
    await here.accounts.manage({ name: 'Harbour', baseUrl: elsewhere, scheme: 'bearer' })
  }
  const applied = refusal(here.apply(chosen?.id ?? ''))
  await applied.catch(() => undefined)
  expect(here.accounts.list().map(({ name, baseUrl }) => [name, baseUrl])).toEqual([
    ['First', HARBOUR.address],
    ['Harbour', elsewhere]
  ])
  expect(await applied).toMatchObject({ code: 'busy', message: 'Settings here have changed since the file was read.' })
})
