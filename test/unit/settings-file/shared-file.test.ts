/**
 * An organisation's presets and views: read from the file that its policy names, stored, marked, and read-only here.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SharedFile } from '../../../src/main/core/settings-file/shared-file.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { refusal } from '../backup/computers.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { EMPTY, HARBOUR, openWorkstation } from './workstations.ts'

const MINUTE = 60_000
const tenancy = (Name: string) => forms({ items: [form({ Name, signers: [signer()] })] })

async function office() {
  const own = await openWorkstation()
  const { id } = await own.accounts.add({
    kind: 'service',
    name: 'Harbour',
    baseUrl: HARBOUR.address,
    authentication: { scheme: 'none' }
  })
  const time = testTime(Date.UTC(2026, 10, 24, 12))
  const named = { path: join(temporaryFolder(), 'Office.countersign-settings') as string | undefined }
  const announced = { changed: 0 }
  let ids = 0
  const shared = new SharedFile({
    accounts: own.accounts,
    views: own.views,
    presets: own.presets,
    path: () => named.path,
    meta: openJsonMeta(own.db),
    time: time.run(),
    newId: () => `key-${++ids}`,
    log: { warn: () => undefined },
    changed: () => void announced.changed++
  })
  return {
    ...own,
    id,
    named,
    shared,
    time,
    announced,
    put: (content: unknown) => writeFileSync(named.path ?? '', JSON.stringify(content)),
    names: () => [...own.views.list(id), ...own.presets.list(id)].map(({ name }) => name)
  }
}

const VIEW = { account: 'harbour', name: 'Due this week', query: { dueWithinDays: 7 }, tell: true }
const PRESET = { account: 'Harbour', name: 'Tenancy', composition: tenancy('Tenancy agreement') }
const FILE = { ...EMPTY, views: [VIEW, { ...VIEW, account: 'Nobody’s' }], presets: [PRESET] }

test('the organisation’s presets and views are marked and shown with a person’s own; the next version replaces them', async () => {
  const { put, shared, views, presets, id, time, names, announced } = await office()
  views.save(id, { name: 'Mine', query: { sort: { by: 'due', descending: false } } as never, tell: false })
  put(FILE)
  await shared.check()
  expect(views.list(id)).toMatchObject([{ name: 'Mine' }, { name: 'Due this week', tell: true, isOrganisations: true }])
  const [preset] = presets.list(id)
  expect(preset).toMatchObject({ name: 'Tenancy', title: 'Tenancy agreement', isOrganisations: true })
  expect(shared.view()).toEqual({ since: expect.any(Number) })
  expect(announced.changed).toBe(1)

  put({ ...FILE, views: [], presets: [{ ...PRESET, composition: tenancy('Lease') }] })
  await time.pass(16 * MINUTE)
  await shared.check()
  expect(names()).toEqual(['Mine', 'Tenancy'])
  // References by id stay valid.
  expect(presets.list(id)).toMatchObject([{ id: preset?.id, title: 'Lease' }])
})

test('nobody can change, rename or remove one, but a person’s own may have the same name', async () => {
  const { put, shared, views, presets, id } = await office()
  put(FILE)
  await shared.check()
  const [view] = views.list(id)
  const [preset] = presets.list(id)
  if (!view || !preset) return expect.unreachable()
  const tries = [
    () => views.save(id, { ...view, name: 'Mine' }),
    () => views.remove(id, view.id),
    () => presets.save(id, 'Tenancy', tenancy('Mine'), preset.id),
    () => presets.rename(preset.id, 'Mine'),
    () => presets.remove(preset.id)
  ]
  for (const one of tries)
    expect(await refusal((async () => one())())).toMatchObject({
      code: 'not-allowed',
      message: 'This comes from your organisation.'
    })
  expect(presets.save(id, 'Tenancy', tenancy('Mine'))).toMatchObject({ name: 'Tenancy (2)' })
  expect(presets.list(id).map(({ isOrganisations }) => isOrganisations)).toEqual([true, undefined])
})

test.each<[string, (path: string) => void, RegExp]>([
  ['is missing', (path) => rmSync(path), /no longer there/],
  ['is broken', (path) => writeFileSync(path, '{"format":"countersign-settings","version":1'), /ends in the middle/],
  ['has an unknown part', (path) => writeFileSync(path, JSON.stringify({ ...FILE, more: 1 })), /doesn’t know/],
  ['is too large', (path) => writeFileSync(path, Buffer.alloc(6 * 1024 * 1024)), /larger than 5 MB/]
])('a file that %s is reported, and the last good contents are kept', async (_, spoil, words) => {
  const { put, shared, named, names, announced } = await office()
  put(FILE)
  await shared.check()
  spoil(named.path ?? '')
  await shared.check()
  expect(shared.view()).toEqual({ problem: expect.stringMatching(words), since: expect.any(Number) })
  expect(names()).toEqual(['Due this week', 'Tenancy'])
  expect(announced.changed).toBe(2)
  put(FILE)
  await shared.check()
  expect(shared.view()).toEqual({ since: expect.any(Number) })
})

test('an account added or renamed later gets its own; without the policy all are removed', async () => {
  const { put, shared, accounts, views, id, named, names } = await office()
  put(FILE)
  await shared.check()
  await accounts.update(id, { name: 'Quay' })
  shared.accountsChanged()
  await shared.check()
  expect(names()).toEqual([])
  await accounts.update(id, { name: 'Harbour' })
  shared.accountsChanged()
  await shared.check()
  expect(views.list(id)).toHaveLength(1)
  named.path = undefined
  await shared.check()
  expect(names()).toEqual([])
  expect(shared.view()).toBeUndefined()
})
