/** Reading the folders of all accounts into the mirror, over a real connection to a practice office. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PACE } from '../../../../src/main/core/documents/polling/account-state.ts'
import { openPolling } from '../../../../src/main/core/documents/polling/polling.ts'
import { increasingClock } from '../../../../src/main/core/lib/time.ts'
import { forms } from '../../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace('demo')
})
afterEach(() => work.close())

/** The shortest time between two rounds that both count; the second is for when a folder has suddenly shrunk. */
const APART = 5000
const APART_WHEN_DOUBTFUL = 30_000

const get = (reference: string) => work.ask('get', { accountId: work.accountId, reference })
const references = () => Object.keys(work.practice.state.documents)
const all = async () => (await Promise.all(references().map(get))).filter((one) => one !== undefined)
const refresh = () => work.polling.refresh(work.accountId)
const nothing = async () => ({ references: [], marks: [], matchKeys: [] })
const readAll = () => work.polling.readAllFolders(work.accountId, nothing)
const lookedAt = (folder: string) =>
  work.ask('lookedAt', { accountId: work.accountId, folders: [folder] }).then((readAt) => readAt[folder])
const gets = (folder = '') =>
  work.line.requests.filter((request) => request.includes(`GetActiveDocuments/${folder}`)).length
/** Waits until pending changes are announced, and discards them. */
async function quiet() {
  await work.time.pass(1000)
  work.changes.length = 0
}

describe('the local copy of the folders', () => {
  test('is complete after a read, and gives the time at which it was true', async () => {
    await refresh()
    expect(await all()).toHaveLength(references().length)
    expect(await lookedAt('Signed')).toBeLessThanOrEqual(work.time.now)
  })

  test('the first read of a folder requests the logs, which date its documents; later reads don’t', async () => {
    const folderReads = () => work.line.requests.filter((request) => request.includes('GetActiveDocuments'))
    await work.polling.refresh(work.accountId)
    expect(folderReads().every((request) => request.includes('DocumentLog=true'))).toBe(true)
    const first = folderReads().length
    await work.polling.refresh(work.accountId)
    expect(folderReads().length).toBeGreaterThan(first)
    expect(
      folderReads()
        .slice(first)
        .some((request) => request.includes('DocumentLog=true'))
    ).toBe(false)
  })

  test('an answer equal to the last one changes and announces nothing', async () => {
    await refresh()
    await quiet()
    await refresh()
    await work.time.pass(1000)
    expect(work.changes).toEqual([])
  })

  test('survives going offline, and reports that it did', async () => {
    await refresh()
    const before = (await all()).length
    await work.line.close()
    await expect(refresh()).rejects.toThrow()
    expect(await all()).toHaveLength(before)
    expect(work.polling.troubleOf(work.accountId, 'Progress').problem?.code).toBe('refused')
    expect(work.polling.connectionOf(work.accountId)).toMatchObject({ state: 'offline' })
  })

  test('an unreadable page removes nothing', async () => {
    await refresh()
    const before = await lookedAt('InBox')
    work.line.setFault('rubbish')
    await expect(refresh()).rejects.toMatchObject({ code: 'not-json' })
    expect((await all()).every(({ goneAt }) => goneAt === undefined)).toBe(true)
    expect(await lookedAt('InBox')).toBe(before)
  })

  test('a document that left all folders is marked gone, not deleted, and returns when shown again', async () => {
    await refresh()
    const { documents } = work.practice.state
    const [reference = ''] = references()
    const removed = documents[reference]
    delete documents[reference]
    await work.time.pass(APART)
    await refresh()
    // It may have been moving from one folder to another.
    expect((await get(reference))?.goneAt).toBeUndefined()
    await work.time.pass(APART)
    await refresh()
    expect((await get(reference))?.goneAt).toBeGreaterThan(0)

    if (removed) documents[reference] = removed
    await refresh()
    expect((await get(reference))?.goneAt).toBeUndefined()
  })

  test('a folder that is suddenly empty makes no document gone after two reads', async () => {
    await refresh()
    const { state } = work.practice
    const before = { ...state.documents }
    const [reference = ''] = Object.keys(before)
    state.documents = {}
    for (let round = 0; round < 2; round++) {
      await work.time.pass(APART_WHEN_DOUBTFUL)
      await refresh()
      expect((await get(reference))?.goneAt).toBeUndefined()
    }
    await work.time.pass(APART_WHEN_DOUBTFUL)
    await refresh()
    expect((await get(reference))?.goneAt).toBeGreaterThan(0)
  })

  test('a moment in which the service shows nothing makes no document gone, however often reads are requested', async () => {
    await refresh()
    const { state } = work.practice
    const [reference = '', ...others] = Object.keys(state.documents)
    await work.time.pass(APART)
    const before = { ...state.documents }
    state.documents = {}
    for (let round = 0; round < 6; round++) {
      await refresh()
      await work.time.pass(500)
    }
    state.documents = before
    for (const one of [reference, ...others]) expect((await get(one))?.goneAt).toBeUndefined()
  })

  test('gives times of the wall clock, even after it was an hour ahead and corrected', async () => {
    work.time.now += 3_600_000
    await refresh()
    work.time.now -= 3_600_000
    const [reference = ''] = references()
    const record = work.practice.state.documents[reference]
    if (record) record.name = 'Deed, amended'
    await refresh()
    const now = work.time.now
    expect(await lookedAt('InBox')).toBeLessThanOrEqual(now)
    expect(await get(reference)).toMatchObject({ document: { Name: 'Deed, amended' } })
    expect((await get(reference))?.changedAt).toBeLessThanOrEqual(now)
  })

  test('an unavailable service is announced once, however often it is polled', async () => {
    await refresh()
    work.line.setFault('rubbish')
    await refresh().catch(() => undefined)
    await quiet()
    await refresh().catch(() => undefined)
    await work.time.pass(1000)
    expect(work.changes).toEqual([])
  })

  test('a read requested after an event is never answered by one that began earlier', async () => {
    const before = refresh()
    const { id } = await work.send(forms())
    await refresh()
    const [sent] = work.outbox.get(id).documents
    expect(await get(sent?.reference ?? '')).toBeDefined()
    await before
  })

  test('a log is outdated once its document has changed, and is read again with it', async () => {
    await readAll()
    const [reference = ''] = references()
    const isOld = async () => (await get(reference))?.logsAreOld
    expect(await isOld()).toBe(false)
    const record = work.practice.state.documents[reference]
    if (!record) throw new Error('the practice office lost the document')
    record.name = `${record.name} (amended)`
    await refresh()
    expect(await isOld()).toBe(true)
    await readAll()
    expect(await isOld()).toBe(false)
  })

  test('is announced at most four times a second', async () => {
    await refresh()
    await quiet()
    const record = Object.values(work.practice.state.documents)[0]
    if (!record) throw new Error('the practice office has no document')
    for (let turn = 0; turn < 5; turn++) {
      record.name = `Deed ${turn}`
      await refresh()
    }
    expect(work.changes).toEqual([work.accountId])
    await work.time.pass(250)
    expect(work.changes).toEqual([work.accountId, work.accountId])
  })
})

describe('the folders of an account', () => {
  const rename = (folders: string[]) => work.accounts.update(work.accountId, { folders })

  test('are those the account lists', async () => {
    await rename(['Progress'])
    await refresh()
    expect([gets('Progress'), gets()]).toEqual([1, 1])
  })

  test('if changed, are passed to the worker before the next read, however often that fails', async () => {
    const questions: string[] = []
    let failures = 0
    const polling = openPolling({
      ask: async (name, ask) => {
        questions.push(name)
        if (name === 'foldersChanged' && failures-- > 0) throw new Error('the disk is full')
        return name === 'foldersChanged' ? (null as never) : work.ask(name, ask)
      },
      dateFormatOf: async () => undefined,
      accounts: () => work.accounts.list(),
      shown: () => [work.accountId],
      clientOf: work.clients.of,
      moment: increasingClock(work.clock),
      time: { ...work.time.run({ random: () => 0 }), after: () => () => undefined },
      changed: () => undefined,
      accountRead: () => undefined,
      connectionChanged: () => undefined
    })
    await polling.refresh(work.accountId)
    questions.length = 0
    failures = 2
    polling.accountChanged(work.accountId, 'another service')
    await expect(polling.refresh(work.accountId)).rejects.toThrow()
    await expect(polling.check(work.accountId)).rejects.toThrow()
    await polling.refresh(work.accountId)
    await polling.refresh(work.accountId)
    expect(questions.slice(0, 3)).toEqual(['foldersChanged', 'foldersChanged', 'foldersChanged'])
    expect(questions.indexOf('take')).toBeGreaterThan(questions.lastIndexOf('foldersChanged'))
    expect(questions.filter((name) => name === 'foldersChanged')).toHaveLength(3)
    polling.stop()
  })

  test('being read when the application quits don’t touch the closed database', async () => {
    const reads: string[] = []
    let isClosed = false
    const fromDatabase = <Value>(value: () => Value): Value => {
      if (isClosed) reads.push('looked at the accounts')
      return value()
    }
    const requested = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<never>()
    const polling = openPolling({
      ask: work.ask,
      dateFormatOf: async () => undefined,
      accounts: () => fromDatabase(work.accounts.list),
      shown: () => fromDatabase(() => [work.accountId]),
      clientOf() {
        requested.resolve()
        return answered.promise
      },
      moment: increasingClock(work.clock),
      time: work.time.run({ random: () => 0 }),
      changed: () => undefined,
      accountRead: () => undefined,
      connectionChanged: () => undefined
    })
    polling.setSharedPolling({
      mayRead: () => true,
      paceOf: () => undefined,
      requestRead: async () => undefined,
      awaitRead: async () => true,
      roundStarted: () => undefined,
      roundEnded: async () => fromDatabase(() => undefined),
      accountChanged: () => undefined
    })
    polling.start()
    await requested.promise
    polling.stop()
    isClosed = true
    answered.reject(new Error('The connection was cut.'))
    await new Promise((resume) => setImmediate(resume))
    await work.time.pass(60_000)
    expect(reads).toEqual([])
  })

  test.each([
    ['with a refusal', () => undefined],
    ['as not found', () => work.line.setFault({ status: 404 }, (_method, path) => path.includes('Archive'))]
  ])('unknown to the service, answered %s, don’t affect the others or retain documents', async (_words, answered) => {
    await refresh()
    await rename(['InBox', 'Progress', 'Signed', 'Archive'])
    answered()
    const [reference = ''] = references()
    delete work.practice.state.documents[reference]
    const before = await lookedAt('InBox')
    // Once may be a slip: a folder counts as empty only if it was unknown twice.
    for (let round = 0; round < 2; round++) {
      await work.time.pass(APART)
      await refresh()
      expect((await get(reference))?.goneAt).toBeUndefined()
    }
    await work.time.pass(APART)
    await refresh()
    expect(await lookedAt('InBox')).toBeGreaterThan(before ?? 0)
    expect((await get(reference))?.goneAt).toBeGreaterThan(0)
    expect(work.polling.troubleOf(work.accountId, 'Archive').problem).toBeDefined()
    expect(work.polling.troubleOf(work.accountId, 'InBox')).toEqual({})
    expect(work.polling.isRead(work.accountId)).toBe(true)
    expect(work.polling.connectionOf(work.accountId).state).toBe('online')
    expect(await readAll()).toMatchObject({ isComplete: false, missingFolders: ['Archive'] })
  })

  test('read before but unknown now, make nothing gone', async () => {
    await refresh()
    work.line.setFault({ status: 404 }, (_method, path) => path.includes('Progress'))
    const [reference = ''] = references()
    delete work.practice.state.documents[reference]
    for (let round = 0; round < 4; round++) {
      await work.time.pass(APART)
      await refresh()
    }
    expect((await get(reference))?.goneAt).toBeUndefined()
  })
})

describe('automatic polling', () => {
  const begin = () => work.polling.start()
  /** Waits until that many reads of the first folder have been answered. */
  async function looked(times: number) {
    await expect.poll(() => gets('InBox'), { timeout: 20_000 }).toBe(times)
    await expect.poll(() => gets(), { timeout: 20_000 }).toBe(3 * times)
    // Their answers are taken over too, and the next round is planned.
    await expect.poll(() => work.rounds.length, { timeout: 20_000 }).toBe(times)
  }

  test('reads the folders immediately, and every few seconds while someone is looking', async () => {
    begin()
    await looked(1)
    await work.time.pass(PACE.shown)
    await looked(2)
  })

  test('isn’t slowed by a failing folder, which is left alone until its own time', async () => {
    const fails = (_method: string, path: string) => path.includes('Signed')
    work.line.setFault({ status: 413 }, fails)
    begin()
    await looked(1)
    const answered = async (times: number) => {
      await work.time.pass(PACE.shown)
      await expect.poll(() => gets('InBox')).toBe(times)
      await new Promise((resume) => setTimeout(resume, 50))
    }
    for (const times of [2, 3]) await answered(times)
    expect(gets('Signed')).toBe(1)
    await answered(4)
    expect(gets('Signed')).toBe(2)
    for (const times of [5, 6, 7, 8, 9]) await answered(times)
    expect(gets('Signed')).toBe(2)
    work.line.setFault('pass')
    work.polling.soon()
    await expect.poll(() => gets('Signed')).toBe(3)
    await expect.poll(() => work.polling.troubleOf(work.accountId, 'Signed')).toEqual({})
  })

  test('reads minutes apart while nobody is looking, and immediately when the window returns', async () => {
    work.polling.setShown(false)
    begin()
    await looked(1)
    await work.time.pass(PACE.shown * 3)
    expect(gets('InBox')).toBe(1)
    work.polling.setShown(true)
    await looked(2)
  })

  test('reads immediately when there is reason to', async () => {
    begin()
    await looked(1)
    work.polling.soon()
    await looked(2)
    work.polling.soon(work.accountId)
    await looked(3)
  })

  test('requests only one folder while offline, and all once online again', async () => {
    begin()
    await looked(1)
    await work.line.goDown()
    await work.time.pass(PACE.shown)
    const state = () => work.polling.connectionOf(work.accountId).state
    await expect.poll(state, { timeout: 20_000 }).toBe('offline')
    const troubled = () =>
      ['InBox', 'Progress', 'Signed'].map((folder) => work.polling.troubleOf(work.accountId, folder))
    await expect.poll(() => troubled().every(({ problem }) => problem), { timeout: 20_000 }).toBe(true)
    await new Promise((resume) => setTimeout(resume, 50))
    await work.line.comeBack()
    const before = work.line.requests.length
    await work.time.pass(PACE.probeShown)
    await expect.poll(state, { timeout: 20_000 }).toBe('online')
    await expect.poll(() => work.line.requests.length, { timeout: 20_000 }).toBe(before + 4)
    expect(work.line.requests.at(before)).toContain('InBox')
  }, 60_000)

  test('reads immediately when another request can’t connect, so that going offline and online is noticed', async () => {
    begin()
    await looked(1)
    await work.line.goDown()
    const client = await work.clients.of(work.accountId)
    const state = () => work.polling.connectionOf(work.accountId).state
    expect(state()).toBe('online')
    await expect(client.getIDVerification('d-1')).rejects.toThrow()
    await expect.poll(state, { timeout: 20_000 }).toBe('offline')
    await work.line.comeBack()
    // The round that failed may still be ending; only then is the next one due.
    const afterProbe = () => work.time.pass(PACE.probeShown).then(state)
    await expect.poll(afterProbe, { timeout: 20_000 }).toBe('online')
  }, 60_000)

  test('reads other accounts, too, and keeps what is known of them', async () => {
    const other = await work.accounts.add({
      kind: 'service',
      name: 'Other office',
      baseUrl: work.line.url,
      authentication: { scheme: 'none' }
    })
    begin()
    await looked(2)
    const [reference = ''] = references()
    await expect.poll(() => work.ask('get', { accountId: other.id, reference })).toBeDefined()
    expect(work.polling.connectionOf(other.id).state).toBe('online')
  })

  test('no longer reads a removed account, and keeps nothing of it', async () => {
    begin()
    const removing = work.polling.accountRemoved(work.accountId)
    await work.accounts.remove(work.accountId)
    await removing
    const before = gets()
    await work.time.pass(PACE.hidden * 3)
    expect(gets()).toBe(before)
    expect(await get(references()[0] ?? '')).toBeUndefined()
  })
})
