/** Hints from other software, over real HTTP on this machine. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hints, openHints } from '../../../../src/main/core/documents/polling/hints.ts'
import { connectInMemory } from '../../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../../src/main/core/storage/migrations.ts'
import { testTime } from '../../../fixtures/own-time.ts'

let db: ReturnType<typeof connectInMemory>
let hints: Hints
let woken = 0
let time = testTime()

const open = () => openHints({ db, random: randomBytes, wake: () => woken++, time: time.run() })

beforeEach(() => {
  woken = 0
  time = testTime()
  db = connectInMemory()
  migrate(db)
  hints = open()
})
afterEach(async () => {
  await hints.stop()
  db.close()
})

async function listening(): Promise<string> {
  const { address = '' } = await hints.set(true)
  return address
}

/** Sends a request as another program does. Returns its status, or undefined if the connection was cut. */
function ask(address: string, { method = 'POST', body = '', headers = {} } = {}): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(address, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}

describe('a hint', () => {
  test.each(['GET', 'POST', 'PUT', 'HEAD'])(
    'by %s starts a read of the folders, and the answer is empty',
    async (method) => {
      expect(await ask(await listening(), { method, body: method === 'POST' ? '{"any":"thing"}' : '' })).toBe(204)
      expect(woken).toBe(1)
    }
  )

  test('may carry a query', async () => {
    expect(await ask(`${await listening()}?reference=doc-1`)).toBe(204)
  })

  test('is acted on at most once a second, and the last one is not lost', async () => {
    const address = await listening()
    for (let hint = 0; hint < 20; hint++) expect(await ask(address)).toBe(204)
    expect(woken).toBe(1)
    await time.pass(1000)
    expect(woken).toBe(2)
    await time.pass(10_000)
    expect(woken).toBe(2)
  })

  test('to another path is rejected', async () => {
    const address = await listening()
    const wrong = address.slice(0, -1) + (address.endsWith('A') ? 'B' : 'A')
    expect(await ask(wrong)).toBe(404)
    expect(await ask(new URL('/', address).href)).toBe(404)
    expect(woken).toBe(0)
  })

  test('under a host name other than this machine’s is rejected, as a web page might send it', async () => {
    const address = await listening()
    expect(await ask(address, { headers: { host: 'evil.example.com' } })).toBe(421)
    expect(woken).toBe(0)
    expect(await ask(address, { headers: { host: `localhost:${new URL(address).port}` } })).toBe(204)
  })

  test('gets through although other clients hold all connections open', async () => {
    const address = await listening()
    const silent = Array.from({ length: 8 }, () => connect(Number(new URL(address).port), '127.0.0.1'))
    for (const one of silent) {
      one.on('error', () => undefined)
      one.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ')
    }
    await Promise.all(silent.map((one) => (one.connecting ? once(one, 'connect') : undefined)))
    await expect.poll(() => ask(address), { timeout: 15_000, interval: 200 }).toBe(204)
    for (const one of silent) one.destroy()
  }, 20_000)

  test('with a huge body is cut off', async () => {
    expect(await ask(await listening(), { body: 'x'.repeat(3_000_000) })).toBeUndefined()
    expect(woken).toBe(0)
  })
})

describe('the address', () => {
  test('is local to this machine and can’t be guessed', async () => {
    const { hostname, pathname } = new URL(await listening())
    expect(hostname).toBe('127.0.0.1')
    expect(pathname).toMatch(/^\/hint\/[\w-]{32}$/)
  })

  test('exists only while hints are switched on', async () => {
    await hints.start()
    expect(hints.view()).toEqual({})
    const address = await listening()
    expect(await hints.set(false)).toEqual({})
    expect(await ask(address)).toBeUndefined()
  })

  test('is the same after a restart', async () => {
    const address = await listening()
    await hints.stop()
    hints = open()
    await hints.start()
    expect(hints.view()).toEqual({ address })
  })

  test('changes if its port was taken meanwhile, and this is reported', async () => {
    const address = await listening()
    await hints.stop()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(Number(new URL(address).port), '127.0.0.1', resolve))
    hints = open()
    await hints.start()
    const now = hints.view()
    expect(now.address).toBeDefined()
    expect(now.address).not.toBe(address)
    expect(now.problem?.next).toContain('new address')
    expect(await ask(now.address ?? '')).toBe(204)
    await new Promise((resolve) => other.close(resolve))
  })

  test('if changed, is reported again after each restart until someone has seen it', async () => {
    const address = await listening()
    await hints.stop()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(Number(new URL(address).port), '127.0.0.1', resolve))
    for (let start = 0; start < 3; start++) {
      hints = open()
      await hints.start()
      if (start < 2) await hints.stop()
    }
    expect(hints.view().problem?.next).toContain('new address')
    expect(hints.view().problem?.next).toContain('new address')
    await hints.stop()
    hints = open()
    await hints.start()
    expect(hints.view().problem).toBeUndefined()
    await new Promise((resolve) => other.close(resolve))
  })

  test('is a single one, however quickly hints are switched on and off', async () => {
    const all = await Promise.all([true, false, true, true].map((on) => hints.set(on)))
    expect(all.at(-1)).toEqual(hints.view())
    expect(await ask(hints.view().address ?? '')).toBe(204)
    expect(woken).toBe(1)
  })
})
