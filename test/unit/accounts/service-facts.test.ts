import { describe, expect, it, onTestFinished } from 'vitest'
import { MAX_FACTS_AGE, openServiceFacts } from '../../../src/main/core/accounts/service-facts.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import type { AccountInfo } from '../../../src/shared/model/index.ts'

function openMemoryDatabase() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  return db
}

function opened(db = openMemoryDatabase()) {
  const announced: string[] = []
  let now = 1_000_000
  let requestCount = 0
  let answer: () => Promise<AccountInfo | undefined> = async () => ({ DateFormat: 'dd/MM/yyyy', DocumentLeft: 7 })
  const waits: { delay: number; end: () => void }[] = []
  const time = {
    now: () => now,
    after(delay: number, end: () => void) {
      waits.push({ delay, end })
      return () => undefined
    }
  }
  const facts = openServiceFacts({ db, time, changed: (id) => announced.push(id) })
  const client = {
    getAccountInfo: () => {
      requestCount++
      return answer()
    }
  }
  return {
    facts,
    client,
    announced,
    requestCount: () => requestCount,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    answers: (next: typeof answer) => {
      answer = next
    },
    waits,
    dateFormat: () => facts.dateFormat('a', client),
    fresh: (id = 'a', maxAge = MAX_FACTS_AGE) => facts.ensureFresh(id, client, maxAge)
  }
}

describe('what a service reports about an account', () => {
  it('is requested once a day, in one call for all who want it', async () => {
    const { facts, fresh, requestCount, pass, announced } = opened()
    const [one, other] = await Promise.all([fresh(), fresh()])
    expect(one.info).toEqual({ DateFormat: 'dd/MM/yyyy', DocumentLeft: 7 })
    expect(other).toEqual(one)
    pass(MAX_FACTS_AGE - 1)
    await fresh()
    expect(requestCount()).toBe(1)
    expect(announced).toEqual(['a'])
    pass(1)
    await fresh()
    expect(requestCount()).toBe(2)
    expect(facts.of('b')).toEqual({})
  })

  it('is requested again immediately after a send, otherwise after minutes', async () => {
    const { facts, client, requestCount, pass } = opened()
    for (const _ of [1, 2]) await facts.limits('a', client)
    expect(requestCount()).toBe(1)
    facts.markLimitsOutdated('a')
    for (const _ of [1, 2]) await facts.limits('a', client)
    expect(requestCount()).toBe(2)
    pass(600_000)
    await facts.limits('a', client)
    expect(requestCount()).toBe(3)
  })

  it('is requested again after a send, even if a request from before is still unanswered', async () => {
    const { facts, client, answers } = opened()
    const before = Promise.withResolvers<AccountInfo>()
    answers(() => before.promise)
    const first = facts.limits('a', client)
    facts.markLimitsOutdated('a')
    answers(async () => ({ DocumentLeft: 6 }))
    const second = facts.limits('a', client)
    before.resolve({ DocumentLeft: 7 })
    await first
    expect((await second).info?.DocumentLeft).toBe(6)
    expect(facts.of('a').info?.DocumentLeft).toBe(6)
  })

  it('is requested again after a send until the service has answered', async () => {
    const { facts, client, answers } = opened()
    await facts.limits('a', client)
    facts.markLimitsOutdated('a')
    answers(async () => {
      throw new Error('down')
    })
    await facts.limits('a', client)
    answers(async () => ({ DocumentLeft: 6 }))
    expect((await facts.limits('a', client)).info?.DocumentLeft).toBe(6)
  })

  it('is requested sooner by a caller who needs it newer', async () => {
    const { fresh, requestCount, pass } = opened()
    await fresh()
    pass(60_000)
    await fresh('a', 30_000)
    expect(requestCount()).toBe(2)
  })

  it('is kept if the service can’t be reached, which isn’t tried on every read', async () => {
    const { facts, fresh, requestCount, pass, answers } = opened()
    await fresh()
    pass(MAX_FACTS_AGE)
    answers(async () => {
      throw new Error('down')
    })
    expect((await fresh()).info?.DateFormat).toBe('dd/MM/yyyy')
    await fresh()
    expect(requestCount()).toBe(2)
    expect(facts.of('a').info?.DocumentLeft).toBe(7)
  })

  it('may be nothing, and the send operation it lacks is remembered into the next run', async () => {
    const db = openMemoryDatabase()
    const { facts, fresh, answers } = opened(db)
    answers(async () => undefined)
    facts.note('a', { formsBy: 'SendForms' })
    expect((await fresh()).info).toBeUndefined()
    expect(opened(db).facts.of('a').formsBy).toBe('SendForms')
    facts.forget('a')
    expect(opened(db).facts.of('a')).toEqual({})
  })

  it('isn’t stored for a service that was replaced during the request', async () => {
    const at = opened()
    let say: (info: AccountInfo) => void = () => undefined
    at.answers(() => new Promise((answer) => (say = answer)))
    const before = at.fresh()
    at.facts.forget('a')
    at.answers(async () => ({ DateFormat: 'MM/dd/yyyy' }))
    expect((await at.fresh()).info?.DateFormat).toBe('MM/dd/yyyy')
    say({ DateFormat: 'dd/MM/yyyy' })
    expect((await before).info?.DateFormat).toBe('MM/dd/yyyy')
    expect(at.requestCount()).toBe(2)
  })

  it('delays a folder only before the first answer, and not for long', async () => {
    const at = opened()
    let say: (info: AccountInfo) => void = () => undefined
    at.answers(() => new Promise((answer) => (say = answer)))
    const first = at.dateFormat()
    expect(at.waits.map(({ delay }) => delay)).toEqual([5000])
    at.waits[0]?.end()
    expect(await first).toBeUndefined()
    say({ DateFormat: 'dd/MM/yyyy' })
    expect(await at.dateFormat()).toBe('dd/MM/yyyy')
    at.pass(MAX_FACTS_AGE)
    const waited = at.waits.length
    // Yesterday's answer is used while the service is asked again.
    expect(await at.dateFormat()).toBe('dd/MM/yyyy')
    expect(at.requestCount()).toBe(2)
    expect(at.waits).toHaveLength(waited)
    say({ DateFormat: 'MM/dd/yyyy' })
    await at.fresh()
    expect(await at.dateFormat()).toBe('MM/dd/yyyy')
  })

  it('holds for this run if it can’t be written, and fails nothing', () => {
    const db = openMemoryDatabase()
    const { facts } = opened(db)
    db.pragma('query_only = true')
    expect(() => facts.note('a', { formsBy: 'SendForms' })).toThrow()
    facts.learn('a', { formsBy: 'SendForms' })
    expect(facts.of('a').formsBy).toBe('SendForms')
  })
})
