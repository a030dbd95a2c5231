// A real feed on 127.0.0.1 and the updater of a deb: each wrong update is refused, the right one waits until nothing is under way.
import { generateKeyPairSync } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FeedPlace } from '../../../src/main/core/updates/feed.ts'
import { PackageUpdater } from '../../../src/main/core/updates/package-updater.ts'
import { Updates, type UpdatesDeps } from '../../../src/main/core/updates/updates.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import type { UpdateHindrance } from '../../../src/shared/contract/updates.ts'
import { ownTime } from '../../fixtures/own-time.ts'
import { openUpdateFeed, type Published, packageFor } from '../../fixtures/update-feed.ts'
import { database } from '../counter-settings/office.ts'
import { temporaryFolder } from '../storage/folders.ts'

const READY = { state: 'ready', newer: '1.1.0', atQuit: false }

async function office({ version = '1.0.0', channel = 'latest' as FeedPlace['channel'] } = {}) {
  const feed = await openUpdateFeed()
  onTestFinished(feed.close)
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'app-update.yml'),
    'provider: generic\nurl: http://127.0.0.1:1/\nupdaterCacheDirName: cache\n'
  )
  const time = ownTime()
  const log: string[] = []
  const said = {
    policy: { feed: feed.address, key: feed.key, channel } as ReturnType<UpdatesDeps['policy']>
  }
  let hindrance: UpdateHindrance | undefined
  const db = database()
  const installed: string[] = []
  const happened = new EventEmitter()

  function start() {
    const run = time.run()
    const updates = new Updates({
      ...{ db, time: run },
      log: { info: (message) => void log.push(message), warn: (message) => void log.push(message) },
      policy: () => said.policy,
      hindrance: () => hindrance,
      updater: async (place) =>
        new PackageUpdater({
          ...{ place, time: run, fetch: (url, init) => fetch(url, init) },
          target: { platform: 'linux', arch: 'x64', kind: 'deb' },
          app: {
            ...{ version, name: 'Countersign', isPackaged: true, userDataPath: folder, baseCachePath: folder },
            appUpdateConfigPath: join(folder, 'app-update.yml'),
            whenReady: async () => undefined,
            relaunch: () => void installed.push('started again'),
            quit: () => undefined,
            onQuit: () => undefined
          }
        }),
      describe: asAppError,
      builtAt: undefined,
      changed: () => void happened.emit('changed')
    })
    onTestFinished(() => updates.stop())
    return updates
  }

  const cache = join(folder, 'cache', 'pending')
  return {
    ...{ feed, time, said, log, start, installed, folder },
    updates: start(),
    busyWith(what: UpdateHindrance | undefined) {
      hindrance = what
    },
    publish: (release: Partial<Published> = {}) => feed.publish({ version: '1.1.0', ...release }),
    /** Waits until something is ready. */
    async isReady(updates: Updates) {
      while (updates.view().update.state !== 'ready') await once(happened, 'changed')
    },
    /** What lies on the disk of any update. */
    kept: () => (existsSync(cache) ? readdirSync(cache).filter((name) => name !== 'update-info.json') : [])
  }
}

/** A `dpkg` that says what it was asked to install. */
function withDpkg(exitCode = 0): () => string {
  const folder = temporaryFolder()
  const said = join(folder, 'said')
  for (const name of ['dpkg', 'apt-get', 'pkexec']) {
    const script = `#!/bin/sh\necho "${name} $@" >> ${said}\n[ ${name} = pkexec ] && shift && exec "$@"\nexit ${exitCode}\n`
    writeFileSync(join(folder, name), script, { mode: 0o755 })
  }
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => (existsSync(said) ? readFileSync(said, 'utf8') : '')
}

describe('the right update', () => {
  test('is brought, checked, and ready', async () => {
    const { updates, publish, kept, feed } = await office()
    publish()
    await updates.check()
    expect(updates.view()).toMatchObject({ update: READY })
    expect(kept()).toEqual([packageFor('1.1.0')])
    // Nothing is asked for but what is named, and nothing tells computers apart.
    expect(feed.asked).toEqual(
      ['latest-linux.yml.sig', 'latest-linux.yml', packageFor('1.1.0')].map((name) => `/updates/${name}`)
    )
  })

  test.each(['sending', 'counter', 'downloads'] as const)(
    'is not even asked for during %s, and is ready once that has ended',
    async (what) => {
      const { updates, publish, kept, feed, busyWith, time, isReady } = await office()
      publish()
      busyWith(what)
      await updates.check()
      await time.pass(60_000)
      expect(updates.view().update).toEqual({ state: 'waiting', for: what, newer: '1.1.0' })
      expect(kept()).toEqual([])
      expect(feed.asked).not.toContain(`/updates/${packageFor('1.1.0')}`)

      busyWith(undefined)
      await time.pass(10_000)
      await isReady(updates)
      expect(updates.view().update).toEqual(READY)
      expect(kept()).toEqual([packageFor('1.1.0')])
    }
  )

  test('that was on its way as a send began is offered once the send has ended', async () => {
    const { updates, publish, feed, busyWith, time, isReady } = await office()
    publish()
    feed.misbehave((name) => {
      if (name.endsWith('.deb')) busyWith('sending')
      return false
    })
    await updates.check()
    expect(updates.view().update).toMatchObject({ state: 'waiting', for: 'sending' })
    busyWith(undefined)
    await time.pass(10_000)
    await isReady(updates)
    expect(updates.view().update).toEqual(READY)
  })

  test('is looked for by itself', async () => {
    const { updates, publish, time, isReady } = await office()
    publish()
    updates.start()
    await time.pass(3 * 60_000)
    await isReady(updates)
    expect(updates.view().update).toEqual(READY)
  })

  test('is installed only as a person asks for it, where a password is needed', async () => {
    const { updates, publish, installed } = await office()
    const said = withDpkg()
    publish()
    await updates.check()
    expect(await updates.installAtEnd('quit')).toBe(false)
    expect(said()).toBe('')
    expect(await updates.installAtEnd('restart')).toBe(true)
    expect(said()).toMatch(/^dpkg -i .*countersign-1\.1\.0-linux-amd64\.deb$/m)
    expect(installed).toEqual(['started again'])
  })

  test('isn’t installed while a send is under way', async () => {
    const { updates, publish, busyWith } = await office()
    const said = withDpkg()
    publish()
    await updates.check()
    busyWith('sending')
    expect(() => updates.checkMayInstall()).toThrow(expect.objectContaining({ message: 'busy' }))
    expect(await updates.installAtEnd('restart')).toBe(false)
    expect(said()).toBe('')
  })

  test('isn’t installed once its file was changed on the disk', async () => {
    const { updates, publish, folder, kept, log } = await office()
    const said = withDpkg()
    publish()
    await updates.check()
    writeFileSync(join(folder, 'cache', 'pending', kept()[0] ?? ''), 'something else')
    expect(await updates.installAtEnd('restart')).toBe(false)
    expect(said()).toBe('')
    expect(log).toContain('An update could not be installed.')
  })

  test('that can’t be installed leaves this version running', async () => {
    const { updates, publish, installed } = await office()
    withDpkg(1)
    publish()
    await updates.check()
    expect(await updates.installAtEnd('restart')).toBe(false)
    expect(installed).toEqual([])
  })
})

type Office = Awaited<ReturnType<typeof office>>
const REFUSED: readonly (readonly [what: string, said: RegExp, wrong: (office: Office) => void])[] = [
  [
    'another hash',
    /isn’t the file/,
    ({ feed }) => void feed.files.set(packageFor('1.1.0'), Buffer.alloc(200_000, 'x'))
  ],
  [
    'more bytes than were signed',
    /isn’t the file/,
    ({ feed }) => void feed.files.set(packageFor('1.1.0'), Buffer.alloc(300_000, '1.1.0 '))
  ],
  [
    'less bytes than were signed',
    /only in part/,
    ({ feed }) => void feed.files.set(packageFor('1.1.0'), Buffer.alloc(100_000, '1.1.0 '))
  ],
  [
    'a line that is cut in the middle',
    /only in part/,
    ({ feed }) =>
      feed.misbehave((name, answer) => {
        if (!name.endsWith('.deb')) return false
        answer.writeHead(200, { 'Content-Length': 200_000 })
        answer.write(Buffer.alloc(50_000, '1.1.0 '), () => answer.destroy())
        return true
      })
  ],
  ['no signature', /doesn’t have/, ({ feed }) => void feed.files.delete('latest-linux.yml.sig')],
  ['an empty signature', /isn’t signed/, ({ feed }) => void feed.files.set('latest-linux.yml.sig', Buffer.alloc(0))],
  [
    'a signature of zeros',
    /isn’t signed/,
    ({ feed }) => void feed.files.set('latest-linux.yml.sig', Buffer.from(Buffer.alloc(64).toString('base64')))
  ],
  [
    'another publisher’s signature',
    /isn’t signed/,
    ({ publish }) => publish({ signedBy: generateKeyPairSync('ed25519').privateKey })
  ],
  [
    'a description that was changed after it was signed',
    /isn’t signed/,
    ({ feed }) => {
      const text = feed.files.get('latest-linux.yml')?.toString() ?? ''
      feed.files.set('latest-linux.yml', Buffer.from(text.replace('1.1.0', '9.9.9')))
    }
  ],
  [
    'a description of 10 MB',
    /can’t be read/,
    ({ feed }) => void feed.files.set('latest-linux.yml', Buffer.alloc(10_000_000, 'a'))
  ],
  ['a test version', /test version/, ({ publish }) => publish({ version: '1.2.0-beta.1' })],
  ['a version that is none', /can’t be read/, ({ publish }) => publish({ version: '1.2.0/../../x' })],
  [
    'a package for another computer',
    /no package/,
    ({ publish }) => publish({ names: ['countersign-1.1.0-linux-arm64.deb'] })
  ],
  [
    'a name that leads out of its folder',
    /no package/,
    ({ publish }) => publish({ names: ['../../../etc/countersign-1.1.0-linux-amd64.deb'] })
  ],
  [
    'a package at another address',
    /no package/,
    ({ publish }) => publish({ names: ['http://127.0.0.1:9/countersign-1.1.0-linux-amd64.deb'] })
  ],
  [
    'a redirect to another server',
    /leads somewhere else/,
    ({ feed }) =>
      feed.misbehave((_name, answer) => {
        answer.writeHead(302, { Location: 'http://127.0.0.2:9/latest-linux.yml' }).end()
        return true
      })
  ],
  [
    'redirects without an end',
    /leads somewhere else/,
    ({ feed }) =>
      feed.misbehave((_name, answer) => {
        answer.writeHead(302, { Location: '/updates/latest-linux.yml' }).end()
        return true
      })
  ],
  ['nobody there', /couldn’t be reached/, ({ feed }) => void feed.close()]
]

test.each(REFUSED)('refused: %s', async (_what, said, wrong) => {
  const made = await office()
  made.publish()
  wrong(made)
  await made.updates.check()
  const { update, problem } = made.updates.view()
  expect(problem?.message).toMatch(said)
  expect(update).toEqual({ state: 'none' })
  expect(made.kept()).toEqual([])
  // What was wrong is no reason to take nothing afterwards.
  made.feed.misbehave(undefined)
  if (_what === 'nobody there') return
  made.publish()
  await made.updates.check()
  expect(made.updates.view()).toMatchObject({ update: READY })
  expect(made.updates.view().problem).toBeUndefined()
})

test.each(['0.9.0', '1.0.0', '1.0.0-beta.3'])('a version that isn’t newer isn’t taken: %s', async (version) => {
  const { updates, publish, kept, feed } = await office({ channel: 'beta' })
  publish({ version, channel: 'beta' })
  await updates.check()
  expect(updates.view()).toMatchObject({ update: { state: 'none' }, checkedAt: expect.any(Number) })
  expect(updates.view().problem).toBeUndefined()
  expect([kept(), feed.asked.some((path) => path.endsWith('.deb'))]).toEqual([[], false])
})

test('a feed that goes back to an older release than it had is refused, also after a restart', async () => {
  const { updates, publish, start, busyWith } = await office()
  publish({ version: '1.2.0', releaseDate: '2026-11-21T10:00:00.000Z' })
  busyWith('sending')
  await updates.check()
  updates.stop()
  busyWith(undefined)
  publish({ version: '1.1.0', releaseDate: '2026-11-20T10:00:00.000Z' })
  const again = start()
  await again.check()
  expect(again.view().problem?.message).toMatch(/older version than it did before/)
  expect(again.view().update).toEqual({ state: 'none' })
})

test('test versions come where they are wanted', async () => {
  const { updates, publish } = await office({ channel: 'beta' })
  publish({ version: '1.1.0-beta.2', channel: 'beta', names: [packageFor('1.1.0-beta.2')] })
  await updates.check()
  expect(updates.view().update).toMatchObject({ state: 'ready', newer: '1.1.0-beta.2' })
})

test('without a feed nothing is asked, and a feed that the policy names later is', async () => {
  const { updates, publish, said, feed, time, isReady } = await office()
  publish()
  const policy = said.policy
  for (const [none, why] of [
    [undefined, 'not-set'],
    [null, 'organisation']
  ] as const) {
    said.policy = none
    updates.policyChanged()
    expect(updates.view().update).toEqual({ state: 'off', why })
    await updates.check()
  }
  expect(feed.asked).toEqual([])
  updates.start()
  said.policy = policy
  updates.policyChanged()
  await time.pass(3 * 60_000)
  await isReady(updates)
  expect(updates.view().update).toEqual(READY)
  said.policy = undefined
  updates.policyChanged()
  expect(updates.view().update).toEqual({ state: 'off', why: 'not-set' })
  expect(await updates.installAtEnd('restart')).toBe(false)
})
