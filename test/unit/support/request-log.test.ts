/** The request log: which requests were made to services, and nothing of their content. */
import { expect, test } from 'vitest'
import {
  createAuthentication,
  createServiceClient,
  type Fetch,
  RETRY_LIMITS
} from '../../../src/main/core/service/index.ts'
import { TIME_LIMITS } from '../../../src/main/core/service/limits.ts'
import { MAX_REQUESTS, RequestLog } from '../../../src/main/core/support/request-log.ts'
import { json, serve } from '../../contract/hand-written-service.ts'

const ACCOUNT = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const DAY = 86_400_000

/** A log with clocks that the test moves. */
function opened() {
  let now = Date.UTC(2026, 10, 24, 9)
  let changeCount = 0
  const time = { now: () => now, elapsed: () => now, after: () => () => undefined, zone: () => 'Pacific/Auckland' }
  const log = new RequestLog({ time, changed: () => changeCount++ })
  return {
    log,
    changeCount: () => changeCount,
    pass: (milliseconds: number) => {
      now += milliseconds
    }
  }
}

function clientOf(url: string, log: RequestLog, accountId = ACCOUNT, over: Fetch = fetch) {
  const credentials = { scheme: 'bearer', token: () => 'planted-token-4711' } as const
  return createServiceClient({
    baseUrl: `${url}/planted-tenant`,
    authentication: createAuthentication(credentials, { clock: Date.now }),
    fetch: log.wrapFetch(over, accountId),
    clock: Date.now,
    random: () => 0.5
  })
}

test('a request is logged with its operation, status, size and account, without its address, headers or body', async () => {
  const service = await serve(json({ IsValid: true, Reason: 'planted words of an answer' }))
  const { log } = opened()
  await clientOf(service.url, log)
    .validateSignatures('planted-reference')
    .catch(() => undefined)
  await clientOf(service.url, log)
    .sendReminder({ DocumentReference: 'planted-reference' } as never)
    .catch(() => undefined)
  const { requests, total } = log.list(0, 10)
  expect(total).toBe(service.requests.length)
  expect(requests.at(-1)).toMatchObject({ accountId: ACCOUNT, status: 200 })
  expect(requests.at(-1)?.bytes).toBeGreaterThan(20)
  expect(requests.every(({ operation }) => /^[A-Z]\w+\/\w+$/.test(operation))).toBe(true)
  expect(`${JSON.stringify(requests)} ${Buffer.from(log.file('csv')).toString()}`).not.toMatch(/planted/)
})

test('a failed request is logged with its reason, and the caller gets the same error', async () => {
  const { log } = opened()
  const refused: Fetch = async () => {
    throw new Error('net::ERR_CONNECTION_REFUSED at https://planted.example')
  }
  await expect(log.wrapFetch(refused, ACCOUNT)('https://planted.example/', {}, 'Account/Info')).rejects.toThrow(
    'REFUSED'
  )
  const aborted = AbortSignal.abort()
  await expect(log.wrapFetch(refused, undefined)('https://planted.example/', { signal: aborted })).rejects.toThrow()
  expect(log.list(0, 10).requests).toMatchObject([
    { failed: 'cancelled', operation: '' },
    { failed: 'refused', operation: 'Account/Info', accountId: ACCOUNT }
  ])
  expect(JSON.stringify(log.list(0, 10))).not.toContain('planted')
})

test.each([
  ['no answer', (_asked, _response) => undefined],
  ['half an answer', (_asked, response) => void response.writeHead(200).write('{')]
] satisfies [string, Parameters<typeof serve>[0]][])(
  'a service that gives %s in time is logged as that',
  async (_, answer) => {
    const service = await serve(answer)
    const { log } = opened()
    const limits = { answer: 50, idle: 50, total: 1000 }
    const client = createServiceClient({
      baseUrl: service.url,
      authentication: createAuthentication({ scheme: 'none' }, { clock: Date.now }),
      fetch: log.wrapFetch(fetch, ACCOUNT),
      clock: Date.now,
      random: () => 0,
      limits: { times: { ...TIME_LIMITS, read: limits }, retry: { ...RETRY_LIMITS, attempts: 1 } }
    })
    await expect(client.validateSignatures('d')).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(() => log.list(0, 10).requests).toMatchObject([{ failed: 'timeout' }])
  }
)

test('an abandoned answer is logged with the bytes received so far', async () => {
  const { log, pass } = opened()
  const slow: Fetch = async () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1000)) }))
  const response = await log.wrapFetch(slow, ACCOUNT)('https://sign.example.com/', {}, 'Account/Info')
  const reader = response.body?.getReader()
  await reader?.read()
  pass(500)
  await reader?.cancel()
  const [request] = log.list(0, 1).requests
  expect(request).toMatchObject({ status: 200, milliseconds: 500 })
  expect(request?.bytes).toBeGreaterThanOrEqual(1000)
})

test('entries are kept for a day, and five thousand at most', async () => {
  const { log, pass } = opened()
  const answer = log.wrapFetch(async () => new Response(null, { status: 204 }), ACCOUNT)
  for (let made = 0; made < MAX_REQUESTS + 20; made++) await answer('https://sign.example.com/', {}, 'Account/Info')
  expect(log.list(0, 1).total).toBe(MAX_REQUESTS)
  pass(DAY - 1)
  await answer('https://sign.example.com/', {}, 'Document/Validation')
  expect(log.list(0, 2).requests[0]?.operation).toBe('Document/Validation')
  pass(2)
  expect(log.list(0, 10).total).toBe(1)
  pass(DAY)
  expect(log.list(0, 10)).toEqual({ requests: [], total: 0 })
})
