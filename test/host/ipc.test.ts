// Messages between the application and its page, through the preload's isolated world.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { eventually, startFixture } from './fixture/start.ts'

interface Api {
  echo(value: unknown): Promise<{ value: never; from: string; origin: string }>
  fail(): Promise<never>
  shout(text: string): void
  onAnswer(listen: (text: string, n: bigint) => void): () => void
  double(n: number): number
  versions: Record<string, string>
}

declare global {
  interface Window {
    api: Api
    heard: unknown[]
  }
}

let app: Launched

beforeAll(async () => {
  app = await startFixture()
})

afterAll(() => app.close())

describe('a message', () => {
  it('keeps the types of structured clone in both directions', async () => {
    const same = await app.window.evaluate(async () => {
      const shared = { n: 1 }
      const sent = {
        date: new Date(86_400_000),
        bytes: new Uint8Array([0, 255]),
        map: new Map<unknown, unknown>([['a', 2n]]),
        set: new Set([1, 'x']),
        odd: [undefined, null, Number.NaN, -0, Number.POSITIVE_INFINITY],
        pattern: /x+/gi,
        error: new RangeError('far'),
        twice: [shared, shared]
      }
      const { value } = await window.api.echo(sent)
      const got = value as typeof sent
      return {
        date: got.date instanceof Date && got.date.getTime() === 86_400_000,
        bytes: got.bytes instanceof Uint8Array && got.bytes[1] === 255,
        map: got.map instanceof Map && got.map.get('a') === 2n,
        set: got.set instanceof Set && got.set.has('x'),
        odd: got.odd.every((each, index) => Object.is(each, sent.odd[index])),
        pattern: got.pattern instanceof RegExp && got.pattern.flags === 'gi',
        error: got.error instanceof Error && got.error.message === 'far',
        twice: got.twice.length === 2 && got.twice[0]?.n === 1
      }
    })
    expect(Object.entries(same).filter(([, ok]) => !ok)).toEqual([])
  })

  it('comes from a frame with the same address as in Electron', async () => {
    const { from, origin } = await app.window.evaluate(async () => {
      const { from, origin } = await window.api.echo(1)
      return { from, origin }
    })
    expect({ from, origin }).toEqual({ from: 'app://fixture/page.html', origin: 'app://fixture' })
  })

  it('that fails is rejected with Electron’s message', async () => {
    const message = await app.window.evaluate(() => window.api.fail().catch((error: Error) => error.message))
    expect(message).toBe("Error invoking remote method 'fail': TypeError: no good")
  })

  it('that can’t be cloned is rejected', async () => {
    const message = await app.window.evaluate(() => {
      try {
        return window.api.echo({ element: document.body }).catch((error: Error) => error.message)
      } catch (error) {
        return (error as Error).message
      }
    })
    expect(message).toContain('could not be cloned')
  })

  it('sent one way is answered one way, until the page stops listening', async () => {
    await app.window.evaluate(() => {
      window.heard = []
      const stop = window.api.onAnswer((text, n) => {
        window.heard.push([text, String(n)])
        stop()
      })
      window.api.shout('hello')
      window.api.shout('again')
    })
    await eventually(() => app.window.evaluate(() => window.heard.length))
    await app.window.evaluate(() => window.api.echo(0))
    expect(await app.window.evaluate(() => window.heard)).toEqual([['hello!', '7']])
  })

  it('reaches the page again after a reload', async () => {
    await app.window.reload()
    expect(await app.window.evaluate(() => window.api.double(4))).toBe(8)
    expect(await app.window.evaluate(async () => (await window.api.echo('back')).value)).toBe('back')
  })

  it('whose page has gone has no sender frame', async () => {
    await app.evaluate(({ ipcMain }) => {
      ipcMain.removeHandler('echo')
      ipcMain.handle('echo', async (event) => {
        await new Promise((resolve) => event.sender.once('did-finish-load', () => resolve(undefined)))
        globalThis.fixture.records.push({ after: event.senderFrame })
      })
    })
    await app.window.evaluate(() => void window.api.echo(1))
    await app.window.reload()
    const [record] = await eventually(() => app.evaluate(() => globalThis.fixture.records))
    expect(record).toEqual({ after: null })
  })
})

describe('the page', () => {
  it('sees only what the preload exposes, frozen', async () => {
    const exposed = await app.window.evaluate(() => ({
      strangers: ['require', 'process', 'ipcRenderer', 'module', 'electron'].filter((name) => name in window),
      host: Object.getOwnPropertyNames(window).filter((name) => /host/i.test(name)),
      frozen: Object.isFrozen(window.api) && Object.isFrozen(window.api.versions),
      own: window.api.double.constructor === Function,
      electron: window.api.versions.electron
    }))
    expect(exposed).toEqual({ strangers: [], host: [], frozen: true, own: true, electron: '45.4.1-host' })
  })

  it('is under the policy set by its own scheme’s response', async () => {
    expect(await app.window.evaluate(() => document.body.dataset)).toEqual({ own: 'ran' })
  })

  it('is served from the application’s scheme, including subrequests', async () => {
    const answer = await app.window.evaluate(async () =>
      (await fetch('/echo', { method: 'POST', body: 'text' })).json()
    )
    expect(answer).toEqual({ url: 'app://fixture/echo', method: 'POST', body: 'text' })
    expect(await app.addressOf(app.window)).toBe('app://fixture/page.html')
  })
})
