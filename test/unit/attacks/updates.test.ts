/** Attacks by an update feed or someone in between: the rows of docs/attacks.md. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { UpdateHindrance } from '../../../src/shared/contract/updates.ts'
import { updates } from '../../e2e/attacks/tables/updates.ts'
import { packageFor } from '../../fixtures/update-feed.ts'
import { office, READY, withDpkg } from '../updates/feed-office.ts'
import { attempts } from './attempts.ts'

type Office = Awaited<ReturnType<typeof office>>

const DESCRIPTION = 'latest-linux.yml'
const SIGNATURE = `${DESCRIPTION}.sig`
const PACKAGE = packageFor('1.1.0')
const unsigned = /isn’t signed/
const otherFile = /isn’t the file/
const elsewhere = /redirects to another address/

/**
 * Checks that the update is refused with a reason, nothing of it is stored, and a correct one afterwards is accepted.
 */
async function expectRefused(reason: RegExp, wrong: (office: Office) => void, made?: Office): Promise<void> {
  const { updates, feed, publish, storedFiles, ...others } = made ?? (await office())
  publish()
  wrong({ updates, feed, publish, storedFiles, ...others })
  await updates.check()
  expect(updates.view().problem?.message).toMatch(reason)
  expect(updates.view().update).toEqual({ state: 'none' })
  expect(storedFiles()).toEqual([])
  feed.misbehave(undefined)
  publish()
  await updates.check()
  expect(updates.view()).toMatchObject({ update: READY })
}

const put = (name: string, content: Buffer | string) => (made: Office) =>
  void made.feed.files.set(name, Buffer.from(content))

/** Answers requests for a file with `send`. */
const sends =
  (file: string, send: (answer: ServerResponse) => void) =>
  ({ feed }: Office) =>
    feed.misbehave((name, answer) => {
      if (name === file) send(answer)
      return name === file
    })

/** Checks that a file that doesn’t end is refused long before 100 MiB of it were read. */
async function expectCutShort(file: string, reason: RegExp): Promise<void> {
  let sent = 0
  await expectRefused(
    reason,
    sends(file, (answer) => {
      answer.writeHead(200)
      const more = () => {
        if (sent >= 100 * 1024 ** 2) return void answer.end()
        sent += 1024 ** 2
        if (!answer.destroyed) answer.write(Buffer.alloc(1024 ** 2), more)
      }
      more()
    })
  )
  expect(sent).toBeLessThan(50 * 1024 ** 2)
}

const leadsTo = (place: string) => (made: Office) =>
  made.feed.misbehave((_name, answer) => {
    answer.writeHead(302, { Location: place }).end()
    return true
  })

/** A feed at an address that this computer can't serve: all requests to it and to its redirects go to a local feed. */
async function officeOf(feed: string) {
  const requests: { url: string; init: RequestInit }[] = []
  const made: Office = await office({
    through: (url, init) => {
      requests.push({ url, init })
      return fetch(`${made.feed.address}/${new URL(url).pathname.split('/').at(-1)}`, init)
    }
  })
  made.organisation.policy = { key: made.feed.key, channel: 'latest', feed }
  made.updates.policyChanged()
  return { made, requests }
}

async function expectWaits(during: UpdateHindrance): Promise<void> {
  const { updates, publish, busyWith, feed, time } = await office()
  publish()
  busyWith(during)
  await updates.check()
  await time.pass(60_000)
  expect(updates.view().update).toEqual({ state: 'waiting', for: during, newer: '1.1.0' })
  expect(feed.requestedPaths).not.toContain(`/updates/${PACKAGE}`)
}

/** Returns an office with an update that is ready. */
async function ready() {
  const installed = withDpkg()
  const made = await office()
  made.publish()
  await made.updates.check()
  expect(made.updates.view()).toMatchObject({ update: READY })
  return { ...made, dpkg: installed }
}

attempts(updates, {
  'have a release taken without a signature': () =>
    expectRefused(/A file is missing from/, ({ feed }) => void feed.files.delete(SIGNATURE)),
  'have a release taken with an empty signature': () => expectRefused(unsigned, put(SIGNATURE, '')),
  'have a release taken with a signature of zeros': () =>
    expectRefused(unsigned, put(SIGNATURE, Buffer.alloc(64).toString('base64'))),
  'have a release taken that another publisher signed': () =>
    expectRefused(unsigned, ({ publish }) => publish({ signedBy: generateKeyPairSync('ed25519').privateKey })),
  'change a description that was signed': () =>
    expectRefused(unsigned, ({ feed }) => {
      const text = feed.files.get(DESCRIPTION)?.toString() ?? ''
      feed.files.set(
        DESCRIPTION,
        Buffer.from(text.replace(/releaseDate: .*/, "releaseDate: '2031-01-01T00:00:00.000Z'"))
      )
    }),
  'have a description read that never ends': () =>
    expectCutShort(DESCRIPTION, /description of the update can’t be read/),
  'have a version taken that is none': () =>
    expectRefused(/description of the update can’t be read/, ({ publish }) => publish({ version: '1.2.0+x' })),

  'put another file in the place of the package': () =>
    expectRefused(otherFile, put(PACKAGE, Buffer.alloc(200_000, 'x'))),
  'send a package without end until the disk is full': () => expectCutShort(PACKAGE, otherFile),
  'have a part of the package taken for all of it': () =>
    expectRefused(/Only part of the update/, put(PACKAGE, Buffer.alloc(100_000, '1.1.0 '))),
  'break the line in the middle of the package': () =>
    expectRefused(
      /Only part of the update/,
      sends(PACKAGE, (answer) => {
        answer.writeHead(200, { 'Content-Length': 200_000 })
        answer.write(Buffer.alloc(50_000, '1.1.0 '), () => answer.destroy())
      })
    ),
  'have the package of another computer taken': () =>
    expectRefused(/no package/, ({ publish }) => publish({ names: ['countersign-1.1.0-linux-arm64.deb'] })),
  'lead out of the feed’s folder by a name': () =>
    expectRefused(/no package/, ({ publish }) => publish({ names: [`../../../etc/${PACKAGE}`] })),
  'lead to another server by a name': () =>
    expectRefused(/no package/, ({ publish }) => publish({ names: [`http://127.0.0.1:9/${PACKAGE}`] })),
  'change the package on the disk once it was checked': async () => {
    const { updates, dpkg, folder, storedFiles, log } = await ready()
    writeFileSync(join(folder, 'cache', 'pending', storedFiles()[0] ?? ''), 'something else')
    expect(await updates.installAtEnd('restart')).toBe(false)
    expect(dpkg()).toBe('')
    expect(log).toContain('An update could not be installed.')
  },

  'lead to another server': () => expectRefused(elsewhere, leadsTo(`http://127.0.0.2:9/${DESCRIPTION}`)),
  'lead to the same server without encryption': async () => {
    const { made, requests } = await officeOf('https://updates.office.example/countersign')
    await expectRefused(elsewhere, leadsTo(`http://updates.office.example/countersign/${SIGNATURE}`), made)
    expect(requests.every(({ url }) => url.startsWith('https:'))).toBe(true)
  },
  'lead in circles': async () => {
    const made = await office()
    await expectRefused(elsewhere, leadsTo(`/updates/${SIGNATURE}`), made)
    expect(made.feed.requestedPaths.filter((path) => path.endsWith(SIGNATURE)).length).toBeLessThan(10)
  },
  'pass for the storage of GitHub’s releases': async () => {
    const { made, requests } = await officeOf('https://github.com/office/countersign')
    for (const place of [
      'http://objects.githubusercontent.com/x',
      'https://objects.githubusercontent.com:8443/x',
      'https://objects.githubusercontent.com.evil.example/x',
      'https://evilgithubusercontent.com/x',
      'https://evil.example/objects.githubusercontent.com/x'
    ]) {
      leadsTo(`${place}/${SIGNATURE}`)(made)
      await made.updates.check()
      expect(made.updates.view().problem?.message).toMatch(elsewhere)
    }
    expect(new Set(requests.map(({ url }) => new URL(url).origin))).toEqual(new Set(['https://github.com']))
    // GitHub's own redirects are followed.
    made.publish()
    leadsTo(`https://objects.githubusercontent.com/${SIGNATURE}`)(made)
    await made.updates.check()
    expect(requests.at(-1)?.url).toMatch(/^https:\/\/objects\.githubusercontent\.com\//)
  },
  'be waited for without end': async () => {
    const { updates, feed, time } = await office()
    feed.misbehave(() => true)
    void updates.check()
    await expect.poll(() => feed.requestedPaths).toHaveLength(1)
    await time.pass(60_000)
    await expect.poll(() => updates.view()).toMatchObject({ update: { state: 'none' }, problem: { code: 'refused' } })
  },
  'tell one computer from another': async () => {
    const { made, requests } = await officeOf('https://updates.office.example/countersign')
    made.publish()
    await made.updates.check()
    expect(requests).toHaveLength(3)
    for (const { url, init } of requests) {
      expect(init).toEqual({
        method: 'GET',
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        signal: expect.any(AbortSignal)
      })
      expect(new URL(url).search).toBe('')
    }
  },

  'have an older version taken': async () => {
    for (const version of ['0.9.0', '1.0.0', '1.0.0-beta.3']) {
      const { updates, publish, storedFiles, feed } = await office({ channel: 'beta' })
      publish({ version, channel: 'beta' })
      await updates.check()
      expect(updates.view()).toMatchObject({ update: { state: 'none' }, checkedAt: expect.any(Number) })
      expect(updates.view().problem).toBeUndefined()
      expect([storedFiles(), feed.requestedPaths.some((path) => path.endsWith('.deb'))]).toEqual([[], false])
    }
  },
  'bring back a release older than one that it offered': async () => {
    const { updates, publish, start, busyWith } = await office()
    publish({ version: '1.2.0', releaseDate: '2026-11-21T10:00:00.000Z' })
    busyWith('sending')
    await updates.check()
    updates.stop()
    busyWith(undefined)
    publish({ version: '1.1.0', releaseDate: '2026-11-20T10:00:00.000Z' })
    // The same applies after a restart.
    const restarted = start()
    await restarted.check()
    expect(restarted.view().problem?.message).toMatch(/older version than it did before/)
    expect(restarted.view().update).toEqual({ state: 'none' })
  },
  'have a test version taken where only finished ones belong': () =>
    expectRefused(/test version/, ({ publish }) =>
      publish({ version: '1.2.0-beta.1', names: [packageFor('1.2.0-beta.1')] })
    ),

  'be downloaded while someone signs at the counter': () => expectWaits('counter'),
  'be downloaded while a package is sent': () => expectWaits('sending'),
  'be downloaded while files are': () => expectWaits('downloads'),
  'be offered while a package is sent that it came before': async () => {
    const { updates, publish, feed, busyWith } = await office()
    publish()
    feed.misbehave((name) => {
      if (name === PACKAGE) busyWith('sending')
      return false
    })
    await updates.check()
    expect(updates.view().update).toMatchObject({ state: 'waiting', for: 'sending' })
  },
  'be installed while a package is sent': async () => {
    const { updates, busyWith } = await ready()
    busyWith('sending')
    expect(() => updates.checkMayInstall()).toThrow(expect.objectContaining({ message: 'busy' }))
  },
  'be installed in the end while a package is sent': async () => {
    const { updates, busyWith, dpkg } = await ready()
    busyWith('sending')
    expect(await updates.installAtEnd('restart')).toBe(false)
    expect(dpkg()).toBe('')
  },
  'be installed where nobody asked and a password is needed': async () => {
    const { updates, dpkg } = await ready()
    expect(await updates.installAtEnd('quit')).toBe(false)
    expect(dpkg()).toBe('')
  },
  'be taken from a feed that the policy no longer names': async () => {
    const { feed: other } = await office()
    const instead = [null, { feed: other.address, key: other.key }]
    for (const policy of instead) {
      for (const at of [DESCRIPTION, PACKAGE, 'waiting']) {
        const { updates, publish, feed, organisation, time, busyWith } = await office()
        publish()
        const withdraw = () => {
          organisation.policy = policy
          updates.policyChanged()
        }
        if (at === 'waiting') busyWith('sending')
        feed.misbehave((name) => {
          if (name === at) withdraw()
          return false
        })
        await updates.check()
        if (at === 'waiting') withdraw()
        busyWith(undefined)
        await time.pass(60_000)
        expect(updates.view().update.state).toBe(policy === null ? 'off' : 'none')
        expect(await updates.installAtEnd('restart')).toBe(false)
        if (at !== PACKAGE) expect(feed.requestedPaths).not.toContain(`/updates/${PACKAGE}`)
      }
    }
  }
})
