/** The client of an account asks its service as the account says. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { openClients } from '../../../src/main/core/accounts/clients.ts'
import { openServiceFacts } from '../../../src/main/core/accounts/service-facts.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { json, serve } from '../../contract/hand-written-service.ts'

test('the data type of identity data is spelled as the account says, and otherwise as soon as that is changed', async () => {
  const service = await serve(json([{ DocId: '1' }]))
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const accounts = openAccounts({ db, secrets: memoryKeychain().accounts, newId: randomUUID, time: systemTime })
  const clients = openClients({
    accounts,
    facts: openServiceFacts({ db, time: systemTime, changed: () => undefined }),
    fetch,
    time: systemTime
  })
  const { id } = await accounts.add({
    kind: 'service',
    name: 'Office',
    baseUrl: service.url,
    authentication: { scheme: 'none' },
    dataTypeSpelling: 'upper'
  })
  await (await clients.of(id)).getIDVerification('d-1')
  await accounts.update(id, { dataTypeSpelling: 'lower' })
  clients.forget(id)
  await (await clients.of(id)).getIDVerification('d-1')
  expect(service.asked.map(({ url }) => url)).toEqual([
    '/Download/IDVerification/d-1/JSON',
    '/Download/IDVerification/d-1/json'
  ])
})
