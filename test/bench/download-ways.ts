/**
 * Two ways of getting PDFs from a service to the disk: a bare loop, and the queue. Both end with files that were
 * checked.
 */
import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkFile } from '../../src/main/core/downloads/file-check.ts'
import { aDocument, openDownloadOffice } from '../fixtures/download-office.ts'
import { lengthOf, sha256Of } from './pdf-service.ts'

/** `fetch` returns the web's type for the same thing. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0]

/** Downloads at a time. */
export const CONCURRENCY = 4

const addressOf = (url: string, reference: string) => `${url}/Download/IDVerification/${reference}/pdf`

/** Milliseconds that streaming takes if only the bytes are stored. */
export async function bareLoop(url: string, root: string, references: readonly string[]): Promise<number> {
  const folder = join(root, 'bare')
  await mkdir(folder)
  const left = [...references]
  const began = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let reference = left.shift(); reference !== undefined; reference = left.shift()) {
        const { body } = await fetch(addressOf(url, reference))
        if (!body) throw new Error('Nothing came.')
        await pipeline(Readable.fromWeb(body as NodeStream), createWriteStream(join(folder, `${reference}.pdf`)))
      }
    })
  )
  const took = performance.now() - began
  await insistOn(references, (reference) => join(folder, `${reference}.pdf`))
  await clear(folder)
  return took
}

/** Milliseconds from queueing the first until all are there, whole, and recorded as such. */
export async function throughTheQueue(url: string, root: string, references: readonly string[]): Promise<number> {
  const folder = join(root, 'queue')
  const office = await openDownloadOffice({ folder, baseUrl: url })
  try {
    await office.showDocuments(references.map((reference) => aDocument(reference, { Name: reference })))
    office.downloads.configure({ concurrency: CONCURRENCY })
    office.downloads.startFetching()
    const choice = { types: ['pdf' as const], pattern: '{document}', writesIndex: false, folderId: office.folderId }
    const began = performance.now()
    await office.downloads.add(office.accountId, { references: [...references] }, choice)
    await office.whenIdle()
    const took = performance.now() - began
    const { items } = office.downloads.list([office.accountId], { offset: 0, limit: 500 })
    if (items.length !== references.length) throw new Error(`${items.length} of ${references.length} came.`)
    for (const { sha256, documentReference } of items) {
      if (sha256 !== sha256Of(documentReference)) throw new Error(`${documentReference} was taken for another.`)
    }
    await insistOn(references, (reference) => join(office.files, `${reference}.identity.pdf`))
    return took
  } finally {
    office.kill()
    await clear(folder)
  }
}

/** @throws if one of the files isn't what it should be. */
async function insistOn(references: readonly string[], pathOf: (reference: string) => string): Promise<void> {
  for (const reference of references) {
    const expected = { bytes: lengthOf(reference), sha256: sha256Of(reference) }
    const state = await checkFile(pathOf(reference), expected)
    if (state !== 'intact') throw new Error(`${reference} is ${state}.`)
  }
}

/** Writes that one way left pending mustn't slow down the other. */
async function clear(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  if (process.platform !== 'win32') execFileSync('sync')
}
