import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aDocument } from '../../fixtures/download-office.ts'
import { anOffice, CHOICE, names, until } from './office.ts'

/** Returns an office with documents, and a second folder. */
async function withAnother(count: number) {
  const workstation = await anOffice()
  const { office } = workstation
  await office.showDocuments(names(count).map((name) => aDocument(name)))
  const other = join(workstation.folder, 'Elsewhere')
  mkdirSync(other)
  const isHeld = () =>
    office.downloads.summary(office.accountId).problem !== undefined && workstation.counts().running === 0
  const otherId = office.downloads.folders.register(other).id
  const relocate = () => office.downloads.relocate(office.accountId, office.folderId, otherId)
  return { ...workstation, office, other, isHeld, relocate }
}

/** Returns an office whose folder was moved away while files were queued for it. */
async function withoutItsFolder(count: number) {
  const workstation = await withAnother(count)
  const { office } = workstation
  renameSync(office.files, `${office.files} away`)
  office.downloads.startFetching()
  await workstation.add(names(count))
  await until(workstation.isHeld)
  return workstation
}

test('downloads waiting for a missing folder can be saved to another, each once', async () => {
  const { office, other, counts, relocate } = await withoutItsFolder(30)
  expect(office.downloads.summary(office.accountId).folder).toMatchObject({ id: office.folderId })
  expect(await relocate()).toBe(30)
  await office.whenIdle()
  expect(readdirSync(other)).toHaveLength(30)
  expect(counts()).toEqual({ waiting: 0, running: 0, done: 30, failed: 0, cancelled: 0 })
  expect(office.downloads.summary(office.accountId).problem).toBeUndefined()
})

test('a download already queued for the other folder isn’t queued twice', async () => {
  const { office, other, counts, isHeld, relocate } = await withoutItsFolder(3)
  const folderId = office.downloads.folders.register(other).id
  renameSync(other, `${other} away`)
  await office.downloads.add(office.accountId, { references: names(2) }, { ...CHOICE, folderId })
  await until(isHeld)
  renameSync(`${other} away`, other)
  expect(await relocate()).toBe(1)
  office.downloads.resume(office.accountId)
  await office.whenIdle()
  expect(readdirSync(other)).toHaveLength(3)
  expect(counts()).toMatchObject({ waiting: 0, done: 3 })
})

test('a file that is being fetched again stays in its folder', async () => {
  const { office, other, list, files, isHeld, relocate, ...workstation } = await withAnother(2)
  office.downloads.startFetching()
  await workstation.add(['R001'])
  await office.whenIdle()
  const [file] = list(['done'])
  renameSync(office.files, `${office.files} away`)
  await office.downloads.retry(office.accountId, [file?.id ?? ''])
  await workstation.add(['R002'])
  await until(isHeld)
  expect(await relocate()).toBe(1)
  renameSync(`${office.files} away`, office.files)
  office.downloads.resume(office.accountId)
  await office.whenIdle()
  expect(readdirSync(other)).toEqual(['Lease R002.identity.pdf'])
  expect(files()).toEqual(['Lease R001.identity.pdf'])
})

test('relocating to the same folder leaves the queue unchanged', async () => {
  const { office, files, ...workstation } = await withAnother(5)
  await office.downloads.pause(office.accountId)
  await workstation.add(names(5))
  expect(await office.downloads.relocate(office.accountId, office.folderId, office.folderId)).toBe(0)
  office.downloads.startFetching()
  office.downloads.resume(office.accountId)
  await office.whenIdle()
  expect(files()).toHaveLength(5)
})

test('a folder that nobody chose is refused', async () => {
  const { office } = await anOffice()
  const refused = office.downloads.relocate(office.accountId, office.folderId, 'nowhere')
  await expect(refused).rejects.toMatchObject({ appError: { code: 'gone' } })
})
