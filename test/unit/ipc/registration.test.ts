import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { ServiceError } from '../../../src/main/core/service/errors.ts'
import { KeychainError } from '../../../src/main/core/storage/keychain.ts'
import { namedAccount, type RequestHandlers, type Role, registerHandlers } from '../../../src/main/ipc/registration.ts'
import {
  handedOverRequestNames,
  personRequestNames,
  type RequestName,
  type Result,
  requestNames,
  requests
} from '../../../src/shared/contract/index.ts'

interface Sender {
  role: Role | undefined
}

/** The registered application, with a page that makes requests. */
function application(
  some: Partial<RequestHandlers> = {},
  authorise: (name: RequestName, input: unknown) => void = () => undefined
) {
  const none = Object.fromEntries(requestNames.map((name) => [name, async () => null])) as unknown as RequestHandlers
  const channels = new Map<string, (event: Sender, ...args: unknown[]) => Promise<unknown>>()
  const log = { error: vi.fn() }
  let handedBack = Promise.withResolvers<void>()
  let isHandedOver = false
  registerHandlers<Sender>({
    handle: (channel, listener) => channels.set(channel, listener),
    roleOf: (sender) => sender.role,
    isAway: () => isHandedOver,
    whenHandedBack: () => handedBack.promise,
    authorise,
    handlers: { ...none, ...some },
    log
  })
  const ask = (name: RequestName, args: unknown[], sender: Sender = { role: 'office' }) =>
    channels.get(name)?.(sender, ...args) as Promise<Result<unknown>>
  const handOver = () => {
    isHandedOver = true
  }
  const handBack = () => {
    isHandedOver = false
    handedBack.resolve()
    handedBack = Promise.withResolvers()
  }
  return { ask, channels, log, handOver, handBack }
}

const logged = ({ log }: ReturnType<typeof application>) => JSON.stringify(log.error.mock.calls)

describe('a request', () => {
  test('is answered as data', async () => {
    const { ask } = application({ 'hints.get': async () => ({ address: 'Documents' }) })
    expect(await ask('hints.get', [undefined])).toEqual({ ok: true, value: { address: 'Documents' } })
    expect(await ask('hints.get', [])).toEqual({ ok: true, value: { address: 'Documents' } })
  })

  test('is answered with null if its handler returns nothing', async () => {
    const { ask } = application({ 'drafts.remove': async () => undefined })
    expect(await ask('drafts.remove', [{ id: 'a' }])).toEqual({ ok: true, value: null })
  })

  test('reaches its handler decoded, as the schema transforms it', async () => {
    const add = vi.fn(async () => null as never)
    const { ask } = application({ 'accounts.add': add })
    await ask('accounts.add', [{ kind: 'practice', name: '  Training  ' }])
    expect(add).toHaveBeenCalledWith({ kind: 'practice', name: 'Training' }, expect.anything())
  })

  test('of a foreign page is refused before anything is read', async () => {
    const remove = vi.fn(async () => undefined)
    const app = application({ 'drafts.remove': remove })
    const answer = await app.ask('drafts.remove', [{ id: 'a' }], { role: undefined })
    expect(answer).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
    expect(remove).not.toHaveBeenCalled()
  })

  test('of the signing person’s page is answered only if it is about signing', async () => {
    const handled: string[] = []
    const each = requestNames.map((name) => [name, async () => void handled.push(name)] as const)
    const app = application(Object.fromEntries(each) as unknown as RequestHandlers)
    const answers: string[] = []
    for (const name of requestNames) {
      const answer = await app.ask(name, [undefined], { role: 'person' })
      if (!answer.ok && answer.error.code === 'not-allowed') answers.push(name)
    }
    expect(answers.toSorted()).toEqual(
      requestNames.filter((name) => !(personRequestNames as readonly string[]).includes(name)).toSorted()
    )
    expect(handled.filter((name) => !name.startsWith('counter.') && name !== 'settings.get')).toEqual([])
    expect(personRequestNames.filter((name) => /queue|offer|start$|configure|Pin$|pin$|audit/.test(name))).toEqual([])
  })

  test('tells its handler which page made it', async () => {
    const senders: string[] = []
    const app = application({
      'counter.state': async (_input, { from }) => {
        senders.push(from)
        return null
      }
    })
    await app.ask('counter.state', [], { role: 'office' })
    await app.ask('counter.state', [], { role: 'person' })
    expect(senders).toEqual(['office', 'person'])
  })

  test('isn’t answered if the page has gone meanwhile', async () => {
    const sender: Sender = { role: 'office' }
    const { ask } = application({
      'presets.list': async () => {
        sender.role = undefined
        return []
      }
    })
    expect(await ask('presets.list', [], sender)).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
  })

  test('can check whether its page is still there', async () => {
    const sender: Sender = { role: 'office' }
    const stillAskingNow: boolean[] = []
    const { ask } = application({
      'downloads.chooseFolder': async (_input, { stillAsking }) => {
        stillAskingNow.push(stillAsking())
        sender.role = undefined
        stillAskingNow.push(stillAsking())
        return null
      }
    })
    await ask('downloads.chooseFolder', [], sender)
    expect(stillAskingNow).toEqual([true, false])
  })
})

describe('while the person has the office’s window', () => {
  const someTurns = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }

  test('only the person’s requests are answered; others wait until staff have it back', async () => {
    const handled: RequestName[] = []
    const each = requestNames.map((name) => [name, async () => void handled.push(name)] as const)
    const app = application(Object.fromEntries(each) as unknown as RequestHandlers)
    app.handOver()
    const answered: string[] = []
    const answers = requestNames.map(async (name) => {
      await app.ask(name, [undefined])
      answered.push(name)
    })
    await someTurns()
    expect(answered.toSorted()).toEqual([...handedOverRequestNames].toSorted())
    expect(handled.filter((name) => !(handedOverRequestNames as readonly string[]).includes(name))).toEqual([])
    expect(handedOverRequestNames.filter((name) => /queue|offer|configure|audit|list/i.test(name))).toEqual([])
    app.handBack()
    await Promise.all(answers)
    expect(answered.toSorted()).toEqual([...requestNames].toSorted())
  })

  test('a waiting request of a page that has gone since is not handled', async () => {
    const remove = vi.fn(async () => undefined)
    const app = application({ 'drafts.remove': remove })
    const sender: Sender = { role: 'office' }
    app.handOver()
    const answer = app.ask('drafts.remove', [{ id: 'a' }], sender)
    sender.role = undefined
    app.handBack()
    expect(await answer).toMatchObject({ ok: false, error: { code: 'not-allowed' } })
    expect(remove).not.toHaveBeenCalled()
  })

  test('waiting requests keep waiting if the next person gets the window immediately', async () => {
    const app = application({ 'presets.list': async () => [] })
    app.handOver()
    let isAnswered = false
    const answer = app.ask('presets.list', []).then(() => {
      isAnswered = true
    })
    app.handBack()
    app.handOver()
    await someTurns()
    expect(isAnswered).toBe(false)
    app.handBack()
    await answer
  })

  test('a file dialog that staff left open has no effect', async () => {
    const stillAskingNow: boolean[] = []
    const app = application({
      'downloads.chooseFolder': async (_input, { stillAsking }) => {
        app.handOver()
        stillAskingNow.push(stillAsking())
        return null
      }
    })
    await app.ask('downloads.chooseFolder', [])
    expect(stillAskingNow).toEqual([false])
  })

  test('the second display’s page is answered as usual', async () => {
    const app = application()
    app.handOver()
    expect(await app.ask('counter.state', [], { role: 'person' })).toEqual({ ok: true, value: null })
  })
})

describe('a request that names an account', () => {
  test('is handled for that account, and other requests aren’t affected', async () => {
    const accountIds: (string | undefined)[] = []
    const app = application({
      'drafts.get': async () => {
        await Promise.resolve()
        accountIds.push(namedAccount.getStore())
        return null as never
      }
    })
    await Promise.all([app.ask('drafts.get', [{ id: 'a' }, 'office']), app.ask('drafts.get', [{ id: 'a' }])])
    expect(accountIds.toSorted()).toEqual(['office', undefined])
  })

  test('is refused from the page of the person signing', async () => {
    const { ask } = application()
    expect(await ask('counter.state', [undefined, 'office'], { role: 'person' })).toMatchObject({ ok: false })
    expect(await ask('counter.state', [undefined, 'office'])).toMatchObject({ ok: true })
  })
})

describe('input that doesn’t match the contract is refused before it reaches a handler', () => {
  test.each<[string, RequestName, unknown[]]>([
    ['missing input', 'drafts.get', []],
    ['null', 'drafts.get', [null]],
    ['a text instead of an object', 'drafts.get', ['draft-1']],
    ['an extra member', 'drafts.get', [{ id: 'a', path: '/etc/passwd' }]],
    ['an account that isn’t an id', 'drafts.get', [{ id: 'a' }, { id: 'b' }]],
    ['a third argument', 'drafts.get', [{ id: 'a' }, 'office', 'more']],
    ['something where nothing is due', 'accounts.list', [{ all: true }]],
    ['an id that is empty', 'drafts.get', [{ id: '' }]],
    ['an id that is a list', 'drafts.get', [{ id: ['a'] }]],
    ['an id that is endless', 'drafts.get', [{ id: 'a'.repeat(100_000) }]],
    ['a number that is none', 'counter.show', [{ id: 'a', bounds: { x: Number.NaN, y: 0, width: 1, height: 1 } }]],
    [
      'an infinite number',
      'counter.show',
      [{ id: 'a', bounds: { x: 0, y: 0, width: Number.POSITIVE_INFINITY, height: 1 } }]
    ],
    ['a prototype instead of a member', 'drafts.get', [JSON.parse('{"__proto__":{"id":"a"}}')]],
    ['a theme that doesn’t exist', 'settings.set', [{ theme: 'pink' }]],
    ['more rows than may be asked for', 'documents.list', [{ folder: 'InBox', search: '', offset: 0, limit: 1e9 }]]
  ])('%s', async (_what, name, args) => {
    const handler = vi.fn(async () => null as never)
    const { ask } = application({ [name]: handler })
    expect(await ask(name, args)).toMatchObject({ ok: false, error: { code: 'bad-input' } })
    expect(handler).not.toHaveBeenCalled()
  })

  test('and a text that is too long or blank is reported at its field', async () => {
    const { ask } = application()
    const save = (name: string) => ask('appointments.add', [{ name, at: 0, minutes: 30 }])
    expect(await save('x'.repeat(300))).toMatchObject({
      error: { fields: [{ field: 'name', message: 'Use at most 200 characters.' }] }
    })
    expect(await save('')).toMatchObject({ error: { fields: [{ field: 'name', message: 'This can’t be blank.' }] } })
  })

  test('and its content is not logged', async () => {
    const app = application()
    await app.ask('accounts.add', [{ kind: 'service', name: 'Office', baseUrl: '', authentication: 'Bearer s3cret' }])
    expect(logged(app)).toContain('accounts.add')
    expect(logged(app)).not.toContain('s3cret')
  })
})

describe('a request that fails', () => {
  test('returns the handler’s error', async () => {
    const { ask } = application({ 'drafts.get': async () => fail('gone', 'This draft isn’t there any more.') })
    expect(await ask('drafts.get', [{ id: 'a' }])).toEqual({
      ok: false,
      error: { code: 'gone', message: 'This draft isn’t there any more.' }
    })
  })

  test('passes on any error that carries one of the contract', async () => {
    const thrown = Object.assign(new Error('inner'), { appError: { code: 'busy', message: 'Someone is signing.' } })
    const { ask } = application({ 'counter.state': () => Promise.reject(thrown) })
    expect(await ask('counter.state', [])).toEqual({ ok: false, error: thrown.appError })
  })

  test('explains the service’s errors in plain words, with the details that matter', async () => {
    const thrown = new ServiceError({
      code: 'invalid',
      operation: 'FormDirect/SendForms2',
      mayHaveArrived: false,
      status: 400,
      fields: [{ field: 'Forms[0].Name', message: 'Required' }],
      serviceMessage: 'Name is required'
    })
    const { ask } = application({ 'sends.start': () => Promise.reject(thrown) })
    expect(await ask('sends.start', [{ draftId: 'a' }])).toEqual({
      ok: false,
      error: {
        code: 'invalid',
        message: 'The signing service didn’t accept the details.',
        mayHaveArrived: false,
        fields: [{ field: 'Forms[0].Name', message: 'Required' }],
        serviceMessage: 'Name is required'
      }
    })
  })

  test.each([
    [new KeychainError('locked', 'detail'), 'keychain'],
    [Object.assign(new Error('ENOSPC: /home/ana/x'), { code: 'ENOSPC', syscall: 'write' }), 'no-space'],
    [Object.assign(new Error('EACCES: /home/ana/x'), { code: 'EACCES', syscall: 'open' }), 'not-writable'],
    [new TypeError('Cannot read ana@example.com of undefined'), 'internal'],
    [z.string().safeParse(1).error, 'internal'],
    [{ appError: { code: 'no such code', message: 'x' } }, 'internal'],
    [{ appError: { code: 'busy' } }, 'internal'],
    ['a text', 'internal'],
    [undefined, 'internal'],
    [null, 'internal']
  ])('%s becomes "%s", without its text', async (thrown, code) => {
    const app = application({ 'presets.list': () => Promise.reject(thrown) })
    const answer = await app.ask('presets.list', [])
    expect(answer).toMatchObject({ ok: false, error: { code } })
    expect(JSON.stringify(answer)).not.toMatch(/ana|\/home|Cannot read|at .*:\d+/)
    expect(logged(app)).not.toMatch(/ana|\/home|Cannot read/)
  })

  test('doesn’t throw, even if its handler throws synchronously', async () => {
    const { ask } = application({
      'presets.list': () => {
        throw new Error('at once')
      }
    })
    expect(await ask('presets.list', [])).toMatchObject({ ok: false, error: { code: 'internal' } })
  })
})

describe('registration', () => {
  test('gives each request of the contract one channel, and creates no other', () => {
    expect([...application().channels.keys()]).toEqual([...requestNames])
    expect(Object.keys(requests).sort()).toEqual([...requestNames].sort())
  })

  test.each([...requestNames])('refuses to start without a handler for %s', (name) => {
    expect(() => application({ [name]: undefined } as never)).toThrow(name)
  })
})
