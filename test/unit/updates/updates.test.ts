// A real feed on 127.0.0.1 and the updater of a deb: the right update waits until nothing is in progress. Wrong updates
// are tested in test/unit/attacks.
import { describe, expect, onTestFinished, test } from 'vitest'
import { openUpdateFeed, packageFor } from '../../fixtures/update-feed.ts'
import { office, READY, withDpkg } from './feed-office.ts'

describe('the right update', () => {
  test('is downloaded, verified and ready', async () => {
    const { updates, publish, storedFiles, feed } = await office()
    publish()
    await updates.check()
    expect(updates.view()).toMatchObject({ update: READY })
    expect(storedFiles()).toEqual([packageFor('1.1.0')])
    // Only the named files are requested, and nothing identifies the computer.
    expect(feed.requestedPaths).toEqual(
      ['latest-linux.yml.sig', 'latest-linux.yml', packageFor('1.1.0')].map((name) => `/updates/${name}`)
    )
  })

  test.each(['sending', 'counter', 'downloads'] as const)(
    'is not even requested during %s, and is ready once that has ended',
    async (what) => {
      const { updates, publish, storedFiles, feed, busyWith, time, isReady } = await office()
      publish()
      busyWith(what)
      await updates.check()
      await time.pass(60_000)
      expect(updates.view().update).toEqual({ state: 'waiting', for: what, newer: '1.1.0' })
      expect(storedFiles()).toEqual([])
      expect(feed.requestedPaths).not.toContain(`/updates/${packageFor('1.1.0')}`)

      busyWith(undefined)
      await time.pass(10_000)
      await isReady(updates)
      expect(updates.view().update).toEqual(READY)
      expect(storedFiles()).toEqual([packageFor('1.1.0')])
    }
  )

  test('whose download was under way when a send began is offered after the send', async () => {
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

  test.each([
    [404, 'A file is missing from the update feed.'],
    [503, 'The update feed couldn’t be read.']
  ])('whose feed answers %i is reported as such', async (status, message) => {
    const { updates } = await office({ through: async () => new Response('', { status }) })
    await updates.check()
    expect(updates.view().problem?.message).toBe(message)
  })

  test('that is published while an earlier one is read is taken, and no one is told that it isn’t signed', async () => {
    const { updates, publish, feed } = await office()
    publish()
    feed.misbehave((name) => {
      if (!name.endsWith('.sig')) publish({ version: '1.2.0', names: [packageFor('1.2.0')] })
      return false
    })
    await updates.check()
    expect(updates.view()).toMatchObject({ update: { state: 'ready', newer: '1.2.0' } })
    expect(updates.view().problem).toBeUndefined()
  })

  test('is found automatically', async () => {
    const { updates, publish, time, isReady } = await office()
    publish()
    updates.start()
    await time.pass(3 * 60_000)
    await isReady(updates)
    expect(updates.view().update).toEqual(READY)
  })

  test('that needs a password is installed only on a person’s request', async () => {
    const { updates, publish, installed } = await office()
    const dpkgCalls = withDpkg()
    publish()
    await updates.check()
    expect(await updates.installAtEnd('quit')).toBe(false)
    expect(dpkgCalls()).toBe('')
    expect(await updates.installAtEnd('restart')).toBe(true)
    expect(dpkgCalls()).toMatch(/^dpkg -i .*countersign-1\.1\.0-linux-amd64\.deb$/m)
    expect(installed).toEqual(['started again'])
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

test('test versions are offered on the beta channel', async () => {
  const { updates, publish } = await office({ channel: 'beta' })
  publish({ version: '1.1.0-beta.2', channel: 'beta', names: [packageFor('1.1.0-beta.2')] })
  await updates.check()
  expect(updates.view().update).toMatchObject({ state: 'ready', newer: '1.1.0-beta.2' })
})

test('without a feed nothing is requested, and a feed set by a later policy is used', async () => {
  const { updates, publish, organisation, feed, time, isReady } = await office()
  publish()
  const policy = organisation.policy
  for (const [none, why] of [
    [undefined, 'not-set'],
    [null, 'organisation']
  ] as const) {
    organisation.policy = none
    updates.policyChanged()
    expect(updates.view().update).toEqual({ state: 'off', why })
    await updates.check()
  }
  expect(feed.requestedPaths).toEqual([])
  updates.start()
  organisation.policy = policy
  updates.policyChanged()
  await time.pass(3 * 60_000)
  await isReady(updates)
  expect(updates.view().update).toEqual(READY)
  organisation.policy = undefined
  updates.policyChanged()
  expect(updates.view().update).toEqual({ state: 'off', why: 'not-set' })
  expect(await updates.installAtEnd('restart')).toBe(false)
})

test('a feed that the policy has replaced is never asked again, even if its first check was just beginning', async () => {
  const opening = Promise.withResolvers<void>()
  const { updates, publish, organisation, feed } = await office({ opening: () => opening.promise })
  const other = await openUpdateFeed()
  onTestFinished(other.close)
  publish()
  other.publish({ version: '1.2.0' })
  const begun = updates.check()
  organisation.policy = { feed: other.address, key: other.key }
  updates.policyChanged()
  opening.resolve()
  await begun
  await updates.check()
  expect(feed.requestedPaths).toEqual([])
  expect(updates.view().update).toMatchObject({ state: 'ready', newer: '1.2.0' })
})

test('a feed set while the one before is being asked is asked a minute later, not after hours', async () => {
  const opening = Promise.withResolvers<void>()
  const { updates, publish, organisation, time, isReady } = await office({ opening: () => opening.promise })
  const other = await openUpdateFeed()
  onTestFinished(other.close)
  publish()
  other.publish({ version: '1.2.0' })
  updates.start()
  const begun = updates.check()
  organisation.policy = { feed: other.address, key: other.key }
  updates.policyChanged()
  opening.resolve()
  await begun
  await time.pass(3 * 60_000)
  await expect.poll(() => other.requestedPaths).not.toEqual([])
  await isReady(updates)
  expect(updates.view().update).toMatchObject({ newer: '1.2.0' })
})

test.each(['during', 'after'] as const)(
  'an update that waits for the counter is ready once that ends, if %s a check that fails',
  async (when) => {
    const { updates, publish, feed, busyWith, time, isReady } = await office()
    publish()
    busyWith('counter')
    await updates.check()
    const answering = Promise.withResolvers<void>()
    feed.misbehave((name, answer) => {
      if (!name.endsWith('.sig')) return false
      void answering.promise.then(() => answer.writeHead(503).end())
      return true
    })
    const checking = updates.check()
    if (when === 'after') answering.resolve()
    if (when === 'after') await checking
    busyWith(undefined)
    await time.pass(10_000)
    answering.resolve()
    await checking
    await isReady(updates)
    expect(updates.view().update).toEqual(READY)
    expect(updates.view().problem).toBeUndefined()
  }
)

test('a feed set while the one before is slow is asked, even if its first check came during that', async () => {
  const opening = Promise.withResolvers<void>()
  const { updates, publish, organisation, time, isReady } = await office({ opening: () => opening.promise })
  const other = await openUpdateFeed()
  onTestFinished(other.close)
  publish()
  other.publish({ version: '1.2.0' })
  updates.start()
  const begun = updates.check()
  organisation.policy = { feed: other.address, key: other.key }
  updates.policyChanged()
  await time.pass(3 * 60_000)
  opening.resolve()
  await begun
  await time.pass(3 * 60_000)
  await expect.poll(() => other.requestedPaths).not.toEqual([])
  await isReady(updates)
  expect(updates.view().update).toMatchObject({ newer: '1.2.0' })
})
