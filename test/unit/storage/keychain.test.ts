import { fork, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import keytar from 'keytar'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import {
  type KeytarApi,
  openKeychainCalls,
  openKeytarKeychain
} from '../../../src/main/core/storage/keytar-keychain.ts'
import { openKeyring } from '../../fixtures/keyring.ts'
import { contentsOf, temporaryFolder } from './folders.ts'
import type { CallResult, Calls } from './stopping-keychain.ts'

const linux = process.platform === 'linux'
const SERVICE = 'Countersign'

/** This machine's keychain. The tests run inside a private session with a keychain of its own. */
async function realKeychain() {
  const { keychain, status } = await openKeytarKeychain(async () => keytar, { timeoutMs: 10_000 })
  const help = 'No keychain answers. On Linux run the tests inside a session with a Secret Service (`npm test` does).'
  expect(status, help).toEqual({ state: 'available' })
  return keychain
}

/** keytar on a keychain in a state that a machine can't be brought into at will. */
function keytarThat(behaves: Partial<KeytarApi>): () => Promise<KeytarApi> {
  const entries = new Map<string, string>()
  return async () => ({
    getPassword: async (_, name) => entries.get(name) ?? null,
    setPassword: async (_, name, secret) => void entries.set(name, secret),
    deletePassword: async (_, name) => entries.delete(name),
    ...behaves
  })
}

const refuses = (message: string) => () => Promise.reject(new Error(message))
const neverAnswers = () => new Promise<never>(() => undefined)

describe('the operating system’s keychain', () => {
  test('keeps an account’s secret until it is deleted', async () => {
    const { accounts, keeps } = await realKeychain()
    const id = randomUUID()
    onTestFinished(() => void keytar.deletePassword(SERVICE, `account:${id}`))
    expect(keeps).toBe('in-os')
    expect(await accounts.get(id)).toBeNull()
    await accounts.set(id, 'first')
    await accounts.set(id, 'Grüße, 漢字 and "quotes"')
    expect(await accounts.get(id)).toBe('Grüße, 漢字 and "quotes"')
    expect(await keytar.getPassword(SERVICE, `account:${id}`)).toBe('Grüße, 漢字 and "quotes"')
    await accounts.delete(id)
    expect(await accounts.get(id)).toBeNull()
    await accounts.delete(id)
  })

  test('keeps the key of the database, which opens it in the next run', async () => {
    const folder = temporaryFolder()
    onTestFinished(() => void keytar.deletePassword(SERVICE, 'database-key'))
    const open = async () =>
      openDatabase({ folder, keychain: await realKeychain(), random: randomBytes, clock: Date.now })
    const first = await open()
    expect(first.state).toBe('encrypted')
    first.db.exec(`INSERT INTO meta VALUES ('kept', 'until the next run')`)
    first.db.close()
    expect(await keytar.getPassword(SERVICE, 'database-key')).toMatch(/^[0-9a-f]{64}$/)
    const second = await open()
    expect(second.db.prepare('SELECT value FROM meta').pluck().get()).toBe('until the next run')
    second.db.close()
  })

  test('keeps no trace of the trial entry', async () => {
    await realKeychain()
    expect(await keytar.getPassword(SERVICE, `probe-${process.pid}`)).toBeNull()
  })

  test('offers no way to name an entry other than an account’s', async () => {
    const { accounts } = await realKeychain()
    for (const id of ['', '../database-key', 'a:b', 'x'.repeat(65)]) {
      expect(() => accounts.get(id)).toThrow(TypeError)
    }
  })
})

describe.runIf(linux)('a keychain that was usable and is now locked', () => {
  test('is reported as locked, no key is considered lost, and the database stays untouched', {
    timeout: 60_000
  }, async () => {
    const folder = temporaryFolder()
    for (const name of ['data', 'run', 'app']) mkdirSync(join(folder, name), { mode: 0o700 })
    const script = fileURLToPath(new URL('locked-keychain.ts', import.meta.url))
    const child = spawn('dbus-run-session', ['--', process.execPath, script, join(folder, 'app')], {
      env: { PATH: process.env.PATH, XDG_DATA_HOME: join(folder, 'data'), XDG_RUNTIME_DIR: join(folder, 'run') },
      stdio: ['ignore', 'pipe', 'ignore']
    })
    expect(JSON.parse(await text(child.stdout))).toEqual({
      before: 'available',
      opened: 'encrypted',
      keyWhileLocked: 'locked',
      databaseWhileLocked: { state: 'memory', because: 'keychain-locked', setAside: false },
      atTheNextStart: { state: 'unavailable', reason: 'locked', keeps: 'in-memory' }
    })
    expect(Object.keys(contentsOf(join(folder, 'app')))).toEqual(['countersign.db'])
  })
})

describe.runIf(linux)('a Secret Service that comes and goes within a run', () => {
  /** A Secret Service, not started yet, and processes that use it. */
  async function ownKeyring() {
    const keyring = await openKeyring(temporaryFolder())
    onTestFinished(() => keyring.close())

    function run() {
      const child = fork(fileURLToPath(new URL('stopping-keychain.ts', import.meta.url)), { env: keyring.env })
      // Without waiting for a call that never returns.
      const kill = () => void child.kill('SIGKILL')
      onTestFinished(kill)
      /** Resolves as the given number of writes has begun. */
      const whenWriting = (count: number) =>
        new Promise<void>((resolve) =>
          child.on('message', (message) => message === 'writing' && --count === 0 && resolve())
        )
      async function ask(...calls: Calls): Promise<CallResult[]> {
        child.send(calls)
        for (;;) {
          const [message] = (await once(child, 'message')) as [CallResult[] | 'writing']
          if (message !== 'writing') return message
        }
      }
      return { ask, kill, whenWriting }
    }
    return { keyring, run }
  }

  const values = (...list: unknown[]) => list.map((value) => ({ value }))
  const stopped = {
    error: {
      code: 'keychain',
      message: 'This computer’s keychain stopped while Countersign was running.',
      next: 'If it doesn’t start again by itself, start it. Then restart Countersign.'
    }
  }

  test('is used once it is there, without a restart, if it was absent at the start', async () => {
    const { keyring, run } = await ownKeyring()
    const { ask } = run()
    expect(await ask(['open'], ['recheck'])).toEqual(values('unavailable', 'unavailable'))
    await keyring.start()
    expect(await ask(['recheck'])).toEqual(values('available'))
    expect(await ask(['set', 'a', 'first'], ['set', 'b', 'other'])).toEqual(values(null, null))
    expect(await ask(['open'])).toEqual(values('available'))
    expect(await ask(['get', 'a'], ['get', 'b'], ['databaseKey'])).toEqual(values('first', 'other', 'key'))
  })

  test('ends the calls under way as it stops, and says until the restart what to do', async () => {
    const { keyring, run } = await ownKeyring()
    await keyring.start()
    const first = run()
    expect(await first.ask(['open'])).toEqual(values('available'))
    expect(await first.ask(['set', 'a', 'first'], ['set', 'b', 'other'])).toEqual(values(null, null))
    keyring.suspend()
    const underWay = first.ask(['set', 'a', 'second'], ['get', 'b'], ['delete', 'b'], ['databaseKey'])
    await keyring.stop()
    expect(await underWay).toEqual([stopped, stopped, stopped, stopped])
    expect(await first.ask(['get', 'a'])).toEqual([stopped])
    expect(await first.ask(['set', 'a', 'third'])).toEqual([stopped])
    // libsecret keeps the connection and the session of the service that stopped, which a new one doesn't know.
    await keyring.start()
    expect(await first.ask(['get', 'a'])).toEqual([stopped])
    expect(await first.ask(['set', 'a', 'third'])).toEqual([stopped])
    expect(await first.ask(['delete', 'b'])).toEqual([stopped])
    first.kill()
    const next = run()
    expect(await next.ask(['open'])).toEqual(values('available'))
    expect(await next.ask(['get', 'a'], ['get', 'b'])).toEqual(values('first', 'other'))
  })

  test('survives being locked again and again during calls, and answers once it is unlocked', {
    tags: ['full']
  }, async () => {
    const { keyring, run } = await ownKeyring()
    await keyring.start()
    const { ask } = run()
    expect(await ask(['open'])).toEqual(values('available'))
    expect(await ask(['set', 'a', 'first'])).toEqual(values(null))
    await ask(['workOn', 'b'])
    for (let times = 0; times < 40; times++) {
      await keyring.lock()
      await pause(100 + (times % 7) * 20)
      await keyring.unlock()
      await pause(50)
    }
    expect(await ask(['get', 'a'])).toEqual(values('first'))
  })

  test('has a whole secret after it was killed during a write: the last that it took, or the one under way', async () => {
    const { keyring, run } = await ownKeyring()
    await keyring.start()
    const first = run()
    expect(await first.ask(['open'])).toEqual(values('available'))
    const writing = first.ask(['setMany', 'a'])
    await first.whenWriting(5)
    await keyring.stop()
    const [result] = await writing
    const count = result && 'value' in result ? Number(result.value) : Number.NaN
    first.kill()
    await keyring.start()
    const next = run()
    expect(await next.ask(['open'])).toEqual(values('available'))
    const secrets = [count - 1, count].map((number) => (number < 0 ? null : String(number).repeat(500)))
    expect(values(...secrets)).toContainEqual((await next.ask(['get', 'a']))[0])
  })
})

describe('without a usable keychain, secrets are kept in memory and the reason is reported', () => {
  test.runIf(linux)('because no Secret Service can be reached', async () => {
    const script = `
      import keytar from 'keytar'
      import { openKeytarKeychain } from './src/main/core/storage/keytar-keychain.ts'
      const { keychain, status } = await openKeytarKeychain(async () => keytar)
      console.log(JSON.stringify({ keeps: keychain.keeps, ...status }))`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      env: { PATH: process.env.PATH, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/at/all' },
      stdio: ['ignore', 'pipe', 'ignore']
    })
    const answer = await text(child.stdout)
    expect(JSON.parse(answer)).toMatchObject({ keeps: 'in-memory', state: 'unavailable', reason: 'missing' })
    expect(answer).not.toContain('nowhere')
  })

  test.each([
    ['its native part can’t be loaded', 'missing', async () => refuses('libsecret-1.so.0: cannot open')()],
    [
      'nothing provides one',
      'missing',
      keytarThat({ setPassword: refuses('The name org.freedesktop.secrets was not provided by any .service files') })
    ],
    [
      'there is no bus',
      'missing',
      keytarThat({ setPassword: refuses('Cannot autolaunch D-Bus without X11 $DISPLAY') })
    ],
    [
      'it is locked on Linux',
      'locked',
      keytarThat({ setPassword: refuses('Cannot create an item in a locked collection') })
    ],
    ['it is locked on macOS', 'locked', keytarThat({ setPassword: refuses('User interaction is not allowed.') })],
    ['its owner said no', 'locked', keytarThat({ setPassword: refuses('Prompt was dismissed') })],
    [
      'nobody is logged on to Windows',
      'locked',
      keytarThat({
        setPassword: refuses(
          'A specified logon session does not exist. It may already have been terminated. No such logon session'
        )
      })
    ],
    ['it fails', 'failed', keytarThat({ setPassword: refuses('Something else') })],
    ['it forgets what it was given', 'failed', keytarThat({ getPassword: async () => null })],
    ['it never answers', 'locked', keytarThat({ setPassword: neverAnswers })],
    ['it never answers when it is read', 'locked', keytarThat({ getPassword: neverAnswers })]
  ])('because %s', async (_, reason, load) => {
    const { keychain, status } = await openKeytarKeychain(load, { timeoutMs: 50 })
    expect(keychain.keeps).toBe('in-memory')
    expect(status).toMatchObject({ state: 'unavailable', reason })
  })

  test('and the detail in the log contains no path', async () => {
    const load = keytarThat({ setPassword: refuses('Could not connect to "/home/ana/.cache/bus"') })
    const { status } = await openKeytarKeychain(load)
    expect(JSON.stringify(status)).not.toContain('ana')
  })

  test('and secrets in memory can be used like stored ones', async () => {
    const { accounts, databaseKey, keeps } = memoryKeychain()
    expect(keeps).toBe('in-memory')
    await accounts.set('a', 'secret')
    await databaseKey.set('key')
    expect([await accounts.get('a'), await accounts.get('b'), await databaseKey.get()]).toEqual(['secret', null, 'key'])
    await accounts.delete('a')
    expect(await accounts.get('a')).toBeNull()
  })
})

describe('a usable keychain', () => {
  test('that answers “nothing” because it was locked meanwhile is not believed', async () => {
    let locked = false
    const entries = new Map<string, string>()
    const { keychain } = await openKeytarKeychain(
      keytarThat({
        getPassword: async (_, name) => (locked ? null : (entries.get(name) ?? null)),
        setPassword: async (_, name, secret) => {
          if (locked) throw new Error('Cannot create an item in a locked collection')
          entries.set(name, secret)
        },
        deletePassword: async (_, name) => !locked && entries.delete(name)
      })
    )
    await keychain.databaseKey.set('key')
    locked = true
    await expect(keychain.databaseKey.get()).rejects.toMatchObject({ name: 'KeychainError', code: 'locked' })
    await expect(keychain.databaseKey.delete()).rejects.toMatchObject({ code: 'locked' })
    locked = false
    expect(await keychain.databaseKey.get()).toBe('key')
  })

  test('loses its trial entry even if the answer comes too late', async () => {
    const entries = new Map<string, string>()
    const deleted = Promise.withResolvers<void>()
    const { status } = await openKeytarKeychain(
      keytarThat({
        setPassword: async (_, name, secret) => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          entries.set(name, secret)
        },
        deletePassword: async (_, name) => {
          deleted.resolve()
          return entries.delete(name)
        }
      }),
      { timeoutMs: 10 }
    )
    expect(status).toMatchObject({ reason: 'locked' })
    await deleted.promise
    expect(entries.size).toBe(0)
  })

  test('that never answers blocks one thread, and no abandoned call is made later', async () => {
    const startedCalls: string[] = []
    const answers: PromiseWithResolvers<void>[] = []
    let isStuck = false
    const calls = openKeychainCalls()
    const { keychain } = await openKeytarKeychain(
      keytarThat({
        setPassword: async (_, name) => {
          if (!isStuck) return
          startedCalls.push(name)
          const answer = Promise.withResolvers<void>()
          answers.push(answer)
          await answer.promise
        },
        getPassword: async () => 'Countersign looks whether this keychain can be used.'
      }),
      { timeoutMs: 50, calls }
    )
    isStuck = true
    const writes = ['a', 'b', 'c', 'd'].map((name) => keychain.accounts.set(name, 'secret'))
    for (const one of writes) await expect(one).rejects.toMatchObject({ code: 'locked' })
    expect(startedCalls).toHaveLength(1)
    expect(calls.underWay).toBe(1)
    for (const { resolve } of answers) resolve()
    isStuck = false
    await keychain.accounts.set('e', 'secret')
    expect(calls.underWay).toBe(0)
    expect(startedCalls).toHaveLength(1)
  })

  test('is asked for one thing at a time, also by several keychains of one process', async () => {
    const calls = openKeychainCalls()
    const entries = new Map<string, string>()
    const atOnce: number[] = []
    let running = 0
    async function oneByOne<Value>(answer: () => Value): Promise<Value> {
      atOnce.push(++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running--
      return answer()
    }
    const load = keytarThat({
      getPassword: (_, name) => oneByOne(() => entries.get(name) ?? null),
      setPassword: (_, name, secret) => oneByOne(() => void entries.set(name, secret)),
      deletePassword: (_, name) => oneByOne(() => entries.delete(name))
    })
    const opened = await Promise.all([openKeytarKeychain(load, { calls }), openKeytarKeychain(load, { calls })])
    await Promise.all(opened.flatMap(({ keychain }) => [keychain.databaseKey.get(), keychain.staffPin.set('pin')]))
    expect(new Set(atOnce)).toEqual(new Set([1]))
  })

  test('answers two simultaneous requests for missing entries', async () => {
    const { keychain } = await openKeytarKeychain(keytarThat({}))
    expect(await Promise.all([keychain.accounts.get('a'), keychain.accounts.get('b')])).toEqual([null, null])
  })

  test('on Windows refuses a secret that is too long in our own words, and stores the longest that fits', async () => {
    const { keychain } = await openKeytarKeychain(keytarThat({}), { platform: 'win32' })
    await expect(keychain.accounts.set('a', 'ä'.repeat(1281))).rejects.toMatchObject({ code: 'too-long' })
    await keychain.accounts.set('a', 'ä'.repeat(1280))
    expect(await keychain.accounts.get('a')).toHaveLength(1280)
  })
})
