/** An office whose downloads are tested from outside: over real HTTP, a real database and real folders. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { DownloadChoice, DownloadState } from '../../../src/shared/contract/index.ts'
import { type DownloadOfficeOptions, openDownloadOffice } from '../../fixtures/download-office.ts'
import { openPdfServer, type PdfServer, pdfOf, sendPdf } from '../../fixtures/pdf-server.ts'

export const CHOICE: DownloadChoice = { types: ['pdf'], pattern: '{document}', writesIndex: false }

export async function anOffice(options: Partial<DownloadOfficeOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-downloads-'))
  const server = await openPdfServer()
  let office = await openDownloadOffice({ folder, baseUrl: server.url, ...options })
  onTestFinished(async () => {
    office.kill()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    server,
    folder,
    get office() {
      return office
    },
    files: () => readdirSync(office.files).sort(),
    read: (name: string) => readFileSync(join(office.files, name)),
    list: (states?: DownloadState[]) =>
      office.downloads.list([office.accountId], { states, offset: 0, limit: 500 }).items,
    counts: () => office.downloads.summary(office.accountId).counts,
    add: (references: string[], choice = CHOICE) =>
      office.downloads.add(office.accountId, { references }, { ...choice, folderId: office.folderId }),
    /** Kills the application and starts it again. */
    async startAgain() {
      office.kill()
      office = await openDownloadOffice({ folder, baseUrl: server.url, ...options })
      return office
    }
  }
}

export const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `R${String(index + 1).padStart(3, '0')}`)

export async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(5)
}

/** Makes the server send the first part of an answer, and the rest only once the returned function is called. */
export function stalling(server: PdfServer, isMeant: (reference: string) => boolean = () => true): () => void {
  const gate = Promise.withResolvers<void>()
  server.answer = async (reference, response) => {
    if (!isMeant(reference)) return sendPdf(reference, response)
    const pdf = pdfOf(reference)
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': pdf.length })
    response.write(pdf.subarray(0, 1000))
    await gate.promise
    response.end(pdf.subarray(1000))
  }
  return gate.resolve
}
