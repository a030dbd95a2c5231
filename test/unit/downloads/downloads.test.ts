import { readdir, readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Downloads, openDownloads } from '../../../src/main/core/downloads/downloads.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import type { DownloadView } from '../../../src/shared/contract/index.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 'x'), Buffer.from('\n%%EOF')])

let work: Workplace
let downloads: Downloads
let told: string[]
let folder: string
let answer: (response: ServerResponse) => void
let server: ReturnType<typeof createServer>
let accountId: string

beforeEach(async () => {
  work = await openWorkplace()
  server = createServer((_request, response) => answer(response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const account = await work.accounts.add({
    kind: 'service',
    name: 'Downloads',
    baseUrl: `http://127.0.0.1:${port}`,
    authentication: { scheme: 'none' }
  })
  accountId = account.id
  told = []
  folder = work.folder
  let next = 0
  downloads = openDownloads({
    db: work.db,
    clientOf: work.clients.of,
    folder: () => folder,
    describe: asAppError,
    clock: work.clock,
    newId: () => `d${++next}`,
    changed: (id) => told.push(id)
  })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await work.close()
})

async function ended(id: string): Promise<DownloadView> {
  for (;;) {
    const view = downloads.list(accountId).find((one) => one.id === id)
    if (view && view.state !== 'running') return view
    await new Promise((wait) => setTimeout(wait, 10))
  }
}
const files = async () => (await readdir(work.folder)).filter((name) => !name.startsWith('work.db'))

describe('identity data on its way to disk', () => {
  test('is there whole, byte for byte, under the document’s name', async () => {
    answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': PDF.length }).end(PDF)
    const view = await ended(downloads.start(accountId, 'REF', 'Lease: 12/3 “Kauri”.pdf', 'pdf').id)
    expect(view).toMatchObject({ state: 'done', bytes: PDF.length })
    expect(view.fileName).toMatch(/^Lease.+identity\.pdf$/)
    expect(PDF.equals(await readFile(join(work.folder, view.fileName ?? '')))).toBe(true)
    expect(told).toContain('d1')
  })

  test('never replaces a file that is there', async () => {
    answer = (response) => response.end(PDF)
    const first = await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)
    const second = await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)
    expect([first.fileName, second.fileName]).toEqual(['Lease - identity.pdf', 'Lease - identity (2).pdf'])
  })

  test('a line that breaks in the middle leaves no file, says so, and can begin anew', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': PDF.length })
      response.write(PDF.subarray(0, 100_000), () => response.destroy())
    }
    const broken = await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)
    expect(broken.state).toBe('failed')
    expect(broken.error?.message).toBeTruthy()
    expect(await files()).toEqual([])
    answer = (response) => response.end(PDF)
    expect(await ended(downloads.again(broken.id).id)).toMatchObject({ state: 'done' })
  })

  test('an error page is not saved as a PDF', async () => {
    answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
    expect(await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)).toMatchObject({
      state: 'failed',
      error: { code: 'not-a-pdf' }
    })
    expect(await files()).toEqual([])
  })

  test('can be cancelled', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': PDF.length })
      response.write(PDF.subarray(0, 1000))
    }
    const { id } = downloads.start(accountId, 'REF', 'Lease', 'pdf')
    while ((downloads.list(accountId)[0]?.bytes ?? 0) === 0) await new Promise((wait) => setTimeout(wait, 10))
    downloads.cancel(id)
    expect(await ended(id)).toMatchObject({ state: 'cancelled' })
    expect(await files()).toEqual([])
  })

  test('a folder that cannot be written is named as the trouble', async () => {
    folder = join(work.folder, 'work.db', 'not a folder')
    answer = (response) => response.end(PDF)
    expect(await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)).toMatchObject({
      state: 'failed',
      error: { code: 'not-writable' }
    })
  })

  test('a folder that is not there yet is made', async () => {
    folder = join(work.folder, 'Downloads')
    answer = (response) => response.end(PDF)
    expect(await ended(downloads.start(accountId, 'REF', 'Lease', 'pdf').id)).toMatchObject({ state: 'done' })
  })

  test('records come as JSON when that is asked for', async () => {
    answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"DocClass":"Passport","IsPassed":"True"}]')
    const { fileName = '' } = await ended(downloads.start(accountId, 'REF', 'Lease', 'json').id)
    expect(JSON.parse(await readFile(join(work.folder, fileName), 'utf8'))).toEqual([
      { DocClass: 'Passport', IsPassed: true }
    ])
  })

  test('what was running when the application ended is shown as failed, with a way to begin anew', () => {
    answer = () => undefined
    const { id } = downloads.start(accountId, 'REF', 'Lease', 'pdf')
    downloads.takeUpInterrupted()
    expect(downloads.list(accountId).find((one) => one.id === id)).toMatchObject({ state: 'failed' })
  })
})
