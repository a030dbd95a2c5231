import { expect, onTestFinished, test } from 'vitest'
import { openFetchedLists } from '../../../src/main/core/accounts/fetched-lists.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { clientOf } from '../../contract/client-factory.ts'
import { serve } from '../../contract/hand-written-service.ts'

/** The lists of an office whose service gives this answer until it is taken down. */
async function lists(answer: unknown) {
  const state = { now: 1000, down: false, answer, onRequest: () => undefined as unknown }
  const service = await serve((_asked, response) => {
    response.writeHead(state.down ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(state.answer))
    state.onRequest()
  })
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const opened = openFetchedLists({
    db,
    clientOf: async () => clientOf(service.url),
    time: { now: () => state.now }
  })
  return { ...opened, state }
}

const ONE = { Name: 'Tenancy', Reference: 'tpl-1' }

test('unreadable entries are counted, and the others are available, also offline', async () => {
  const office = await lists([ONE, { Name: 'No reference' }, 'no template'])
  const read = { items: [{ Reference: 'tpl-1' }], fetchedAt: 1000, unreadable: 2 }
  expect(await office.templates('a', { refresh: true })).toMatchObject(read)
  office.state.down = true
  expect(await office.templates('a', { refresh: true })).toMatchObject({ ...read, problem: { code: 'server' } })
})

test('a completely readable list reports nothing unreadable', async () => {
  const office = await lists([ONE])
  expect(await office.templates('a', { refresh: true })).not.toHaveProperty('unreadable')
})

test('a list fetched while the clock was ahead is fetched again once that is set back', async () => {
  const office = await lists([ONE])
  office.state.now = 365 * 86_400_000
  await office.templates('a', { refresh: false })
  office.state.answer = []
  office.state.now = 1000
  expect((await office.templates('a', { refresh: false })).items).toEqual([])
})

test('lists of one service never appear for another, not even one still being fetched', async () => {
  const office = await lists([ONE])
  await office.templates('a', { refresh: false })
  office.forget('a')
  office.state.answer = []
  expect((await office.templates('a', { refresh: false })).items).toEqual([])
  office.state.answer = [ONE]
  office.state.onRequest = () => {
    office.state.onRequest = () => undefined
    office.state.answer = []
    office.forget('a')
  }
  expect((await office.templates('a', { refresh: true })).items).toEqual([])
  expect((await office.templates('a', { refresh: false })).items).toEqual([])
})

test('an answer that comes late doesn’t replace the list of a later request', async () => {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const late = Promise.withResolvers<void>()
  const answers = [late.promise.then(() => []), Promise.resolve([ONE])]
  const service = await serve(async (_asked, response) => {
    const answer = await answers.shift()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const { templates } = openFetchedLists({ db, clientOf: async () => clientOf(service.url), time: { now: () => 1000 } })
  const first = templates('a', { refresh: false })
  await expect.poll(() => service.requests).toHaveLength(1)
  const second = await templates('a', { refresh: true })
  late.resolve()
  expect(await first).toEqual(second)
  expect((await templates('a', { refresh: false })).items).toMatchObject([{ Reference: 'tpl-1' }])
})

test('a request that fails late shows the list of a later request', async () => {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const late = Promise.withResolvers<void>()
  const answers = [late.promise.then(() => 403), Promise.resolve(200)]
  const service = await serve(async (_asked, response) => {
    response
      .writeHead((await answers.shift()) ?? 500, { 'content-type': 'application/json' })
      .end(JSON.stringify([ONE]))
  })
  const { templates } = openFetchedLists({ db, clientOf: async () => clientOf(service.url), time: { now: () => 1000 } })
  const first = templates('a', { refresh: false })
  await expect.poll(() => service.requests).toHaveLength(1)
  const second = await templates('a', { refresh: true })
  expect(second.items).toHaveLength(1)
  late.resolve()
  expect(await first).toEqual(second)
})
