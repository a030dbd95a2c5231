/**
 * Run as a program: downloads what is queued until it is killed or the queue is empty. Its waits are shorter than in
 * the application.
 */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { aDocument, openDownloadOffice } from '../fixtures/download-office.ts'

const HASTE = 50
const PAGE = 500

const [folder = '', baseUrl = '', names = '[]'] = process.argv.slice(2)
const added = JSON.parse(names) as { reference: string; name: string }[]
const office = await openDownloadOffice({
  folder,
  baseUrl,
  after: (delay, task) => {
    const timer = setTimeout(task, delay / HASTE)
    return () => clearTimeout(timer)
  }
})
const { downloads, accountId, folderId } = office
// Documents queued by earlier lives keep their names.
const { items } = downloads.list([accountId], { states: ['waiting'], offset: 0, limit: PAGE })
const queued = items.map(({ documentReference: reference, documentName: name }) => ({ reference, name }))
await office.showDocuments([...queued, ...added].map(({ reference, name }) => aDocument(reference, { Name: name })))
downloads.startFetching()
if (added.length > 0) {
  const choice = { types: ['pdf' as const], pattern: '{signer}/{document}/{document}', writesIndex: false, folderId }
  await downloads.add(accountId, { references: added.map(({ reference }) => reference) }, choice)
}
writeSync(1, 'added\n')
// A killed process wouldn't store it.
flushCompileCache()
await office.whenIdle()
writeSync(1, 'rested\n')
if (added.length === 0) process.exit(0)
