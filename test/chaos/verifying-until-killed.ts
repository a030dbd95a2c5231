/**
 * Run as a program: verifies what is queued until it is killed or the queue is empty. Its waits are shorter than in the
 * application.
 */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { openDownloadOffice } from '../fixtures/download-office.ts'

const HASTE = 50

const [folder = '', baseUrl = '', references = '[]'] = process.argv.slice(2)
const added = JSON.parse(references) as string[]
const office = await openDownloadOffice({
  folder,
  baseUrl,
  elapsed: () => performance.now() * HASTE,
  after: (delay, task) => {
    const timer = setTimeout(task, delay / HASTE)
    return () => clearTimeout(timer)
  }
})
const { accountId, db, downloads, folderId, verificationQueue, views } = office
const rule = downloads.rules.list(accountId)[0] ?? (await aRule())
verificationQueue.start()
db.transaction(() => {
  for (const reference of added) verificationQueue.add({ accountId, reference, name: `Lease ${reference}` }, rule.id)
})()
verificationQueue.wake()
writeSync(1, 'added\n')
// A killed process wouldn't store it.
flushCompileCache()
while ((verificationQueue.ofRule(rule.id)?.waiting ?? 0) > 0) await new Promise((resume) => setTimeout(resume, 5))
writeSync(1, 'rested\n')
if (added.length === 0) process.exit(0)

function aRule() {
  const view = views.save(accountId, { name: 'Leases', query: DocumentQuery.parse({ search: 'lease' }), tell: false })
  const choice = { types: ['verification' as const], pattern: '{document}', writesIndex: false, alsoNow: false }
  return downloads.rules.add(accountId, { viewId: view.id, folderId, ...choice })
}
