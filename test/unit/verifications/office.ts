/**
 * An office whose service answers verifications as the test says: over real HTTP, a real database and a real audit
 * trail.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { DocumentQuery, type DownloadRule, type RuleTask } from '../../../src/shared/contract/index.ts'
import { aDocument, openDownloadOffice } from '../../fixtures/download-office.ts'
import { openPdfServer } from '../../fixtures/pdf-server.ts'

/** Time passes a hundred times faster, so that batched or delayed work is done immediately. */
function quickly(delay: number, task: () => void): () => void {
  const timer = setTimeout(task, delay / 100)
  return () => clearTimeout(timer)
}

export const signature = (isValid?: boolean) => ({
  ...(isValid !== undefined && { isValid }),
  SignatureTime: '2026-11-20T03:15:00Z',
  User: 'Mere Tamati',
  Signer: { FirstName: 'Mere', LastName: 'Tamati', Email: 'mere@example.com' }
})

export const VALID = { Signatures: [signature(true), signature(true), signature(true)] }
export const NOT_VALID = { Signatures: [signature(true), signature(false), signature(true)] }

const PROGRESS = { Status: '0 of 1 Signed', LastSignedDate: '' }
export const open = (reference: string, members = {}) => aDocument(reference, { ...PROGRESS, ...members })

export async function anOffice() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-verifications-'))
  const server = await openPdfServer()
  server.validate = (_reference, _response, answer) => answer(VALID)
  const mirror = documentsInMemory()
  const run = () =>
    openDownloadOffice({ folder, baseUrl: server.url, mirror, after: quickly, elapsed: () => performance.now() * 100 })
  let office = await run()
  onTestFinished(async () => {
    office.kill()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    server,
    get office() {
      return office
    },
    get verifications() {
      return office.verifications
    },
    verify: (reference: string) => office.verifications.verify(office.accountId, reference),
    ofDocument: (reference: string) => office.verifications.ofDocument(office.accountId, reference),
    answer(found: object) {
      server.validate = (_reference, _response, answer) => answer(found)
    },

    /** Starts the queues as the application does. */
    begin() {
      office.downloads.startFetching()
      office.verificationQueue.start()
    },
    /** Adds a rule that verifies each lease. */
    async addRule({ alsoNow = false, types = ['verification'] as RuleTask[] } = {}): Promise<DownloadRule> {
      const query = DocumentQuery.parse({ search: 'lease' })
      const view = office.views.save(office.accountId, { name: 'Leases', query, tell: false })
      const choice = { types, pattern: '{document}', writesIndex: false }
      return office.downloads.rules.add(office.accountId, {
        viewId: view.id,
        folderId: office.folderId,
        ...choice,
        alsoNow
      })
    },
    rule: (): DownloadRule => office.downloads.rules.list(office.accountId)[0] as DownloadRule,

    /** Kills the application and restarts it. */
    async startAgain() {
      office.kill()
      office = await run()
      return office
    }
  }
}
