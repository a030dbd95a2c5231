/** A thousand packages through the outbox, four at a time, to a service that takes 50 ms, against a bare loop of `fetch`. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounts } from '../../src/main/core/accounts/accounts.ts'
import { openClients } from '../../src/main/core/accounts/clients.ts'
import { openServiceFacts } from '../../src/main/core/accounts/service-facts.ts'
import { openDrafts } from '../../src/main/core/drafts/drafts.ts'
import { systemTime } from '../../src/main/core/lib/time.ts'
import { Outbox } from '../../src/main/core/outbox/outbox.ts'
import { connectEncrypted } from '../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { migrate } from '../../src/main/core/storage/migrations.ts'
import { toFormDirectRequest } from '../../src/shared/composition/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { type Bench, type Figure, median, rounded } from './figure.ts'
import { openSlowService, type SlowService } from './slow-service.ts'

const PACKAGES = 1000
const CONCURRENCY = 4
const PAIRS = 3

export const outbox: Bench = {
  name: 'outbox',
  async run(): Promise<Figure[]> {
    const service = await openSlowService(50)
    try {
      const ratios: number[] = []
      await bareLoop(service, 100)
      await throughTheOutbox(service, 100)
      for (let pair = 0; pair < PAIRS; pair++) {
        const bare = await bareLoop(service, PACKAGES)
        ratios.push(bare / (await throughTheOutbox(service, PACKAGES)))
      }
      const spread = `${rounded(Math.min(...ratios))} to ${rounded(Math.max(...ratios))}`
      const against = `fetch alone, ${CONCURRENCY} at a time, ${PACKAGES} packages, ${PAIRS} pairs: ${spread}`
      return [
        {
          name: 'outbox-throughput',
          value: rounded(median(ratios)),
          unit: 'ratio',
          limit: 0.9,
          better: 'higher',
          against
        }
      ]
    } finally {
      await service.close()
    }
  }
}

function packageOf(index: number) {
  return forms({ items: [form({ Name: `Package ${index}`, signers: [signer(), signer({ key: 's2' })] })] })
}

/** Milliseconds that sending takes if nothing is stored. */
async function bareLoop(service: SlowService, count: number): Promise<number> {
  const began = performance.now()
  let next = 0
  const sendLoop = async () => {
    while (next < count) {
      const index = next++
      const answer = await fetch(`${service.url}/FormDirect/SendForms2`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(toFormDirectRequest(packageOf(index), () => `cs-${index}`))
      })
      await answer.json()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, sendLoop))
  await check(service, count)
  return performance.now() - began
}

/** Milliseconds from the first package that may be sent until all are, with each step on disk. */
async function throughTheOutbox(service: SlowService, count: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const db = connectEncrypted(join(folder, 'bench.db'), Buffer.alloc(32, 7))
  migrate(db)
  const accounts = openAccounts({ db, secrets: memoryKeychain().accounts, newId: randomUUID, time: systemTime })
  const clients = openClients({
    accounts,
    facts: openServiceFacts({ db, time: systemTime, changed: () => undefined }),
    fetch,
    time: systemTime
  })
  const box = new Outbox({
    db,
    drafts: openDrafts({ db, time: Date, newId: randomUUID, changed: () => undefined }),
    clientOf: clients.of,
    readAllFolders: async () => ({ documents: [], isComplete: true, missingFolders: [] }),
    takeSent: async () => undefined,
    arrived: () => undefined,
    noted: () => undefined,
    changed: { sends: () => undefined, outbox: () => undefined, batch: () => undefined, draft: () => undefined },
    newId: randomUUID,
    time: systemTime
  })
  try {
    const { id: accountId } = await accounts.add({
      kind: 'service',
      name: 'Bench',
      baseUrl: service.url,
      authentication: { scheme: 'none' }
    })
    box.configure(accountId, { concurrency: CONCURRENCY, undoSeconds: 0 })
    box.pause(accountId)
    box.start()
    const rows = Array.from({ length: count }, (_, row) => ({ row: row + 1, cells: [], composition: packageOf(row) }))
    await box.addBatch({ accountId, name: 'Bench', columns: [], rows, leftOut: [] })
    const began = performance.now()
    box.resume(accountId)
    while (box.state(accountId).counts.sent < count) await new Promise((resume) => setTimeout(resume, 20))
    const took = performance.now() - began
    await check(service, count)
    return took
  } finally {
    await box.stop(1000)
    db.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function check(service: SlowService, count: number): Promise<void> {
  const taken = await service.taken()
  if (taken !== count) throw new Error(`${count} packages were sent, and ${taken} arrived.`)
}
