/** An update waits for work that is really in progress: the parts are the application’s, at a real service. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { hindranceOf } from '../../../src/main/core/updates/updates.ts'
import { forms } from '../../fixtures/compositions.ts'
import { aDocument } from '../../fixtures/download-office.ts'
import { packageFor } from '../../fixtures/update-feed.ts'
import { openWorkplace } from '../../fixtures/workplace.ts'
import { extension } from '../actions/office.ts'
import { openOffice, PIN } from '../counter/office.ts'
import { anOffice, stalling } from '../downloads/office.ts'
import { office, READY } from './feed-office.ts'

/** Begins some work; resolves, once it is in progress, to what ends it. */
type Begin = (at: Workshop) => Promise<() => Promise<void>>
type Workshop = Awaited<ReturnType<typeof openWorkshop>>

/** A sending and acting workplace, a counter and downloads, none of which has anything to do yet. */
async function openWorkshop() {
  const work = await openWorkplace()
  onTestFinished(() => work.close())
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
  const counter = openOffice()
  const files = await anOffice()
  const { outbox, actions } = work
  return {
    work,
    counter,
    files,
    parts: { counter: counter.counter, outbox, actions, downloads: files.office.downloads }
  }
}

/** Makes the service’s answers to posts not arrive, until the returned function breaks their connections. */
function withoutAnswers({ work: { line } }: Workshop): () => Promise<void> {
  line.setFault('swallow-answer', (method) => method === 'POST')
  return async () => {
    line.setFault('pass')
    await line.goDown()
    await line.comeBack()
  }
}

async function send(at: Workshop) {
  const { drafts, outbox, accountId } = at.work
  const answer = withoutAnswers(at)
  const { id } = outbox.enqueue(drafts.save(accountId, forms()).id)
  outbox.sendNow(id)
  await expect.poll(() => outbox.get(id).state).toBe('sending')
  return async () => {
    await answer()
    await expect.poll(() => outbox.get(id).state).not.toBe('sending')
  }
}

async function action(at: Workshop) {
  const { actions, accountId, ask, polling } = at.work
  await at.work.send(forms({ embedded: true }))
  await polling.refresh(accountId)
  const [waiting] = await ask('waitingHere', { accountId })
  const answer = withoutAnswers(at)
  const id = randomUUID()
  const reference = waiting?.documentReference ?? ''
  const started = actions.start(accountId, { id, reference, request: extension() }).catch(() => undefined)
  await expect.poll(() => actions.list(accountId, reference)[0]?.state).toBe('running')
  return async () => {
    await answer()
    await started
  }
}

async function session({ counter }: Workshop) {
  const { id } = await counter.start(['will', 0])
  return async () => {
    await counter.opens()
    counter.signs('will', 0)
    counter.events().returned()
    await counter.settled()
    await counter.counter.unlock(id, PIN)
  }
}

async function download({ files }: Workshop) {
  const answer = stalling(files.server)
  await files.office.showDocuments([aDocument('R1')])
  await files.add(['R1'])
  files.office.downloads.startFetching()
  await expect.poll(() => files.counts().running).toBe(1)
  return async () => {
    answer()
    await files.office.whenIdle()
  }
}

const WORK: [string, 'counter' | 'sending' | 'downloads', Begin][] = [
  ['a counter session', 'counter', session],
  ['a send', 'sending', send],
  ['a document’s action', 'sending', action],
  ['a download', 'downloads', download]
]

test.each(WORK)('an update isn’t requested during %s, and is ready afterwards', async (_name, hindrance, begin) => {
  const at = await openWorkshop()
  const { updates, publish, feed, time, isReady } = await office({ parts: at.parts })
  publish()
  const end = await begin(at)
  await updates.check()
  expect(updates.view().update).toEqual({ state: 'waiting', for: hindrance, newer: '1.1.0' })
  await time.pass(10_000)
  expect(feed.requestedPaths).not.toContain(`/updates/${packageFor('1.1.0')}`)
  await end()
  await expect.poll(() => hindranceOf(at.parts)).toBeUndefined()
  await time.pass(10_000)
  await isReady(updates)
  expect(updates.view().update).toEqual(READY)
})

test.each(WORK)('a ready update isn’t installed during %s', async (_name, hindrance, begin) => {
  const at = await openWorkshop()
  const { updates, publish, installed } = await office({ parts: at.parts })
  publish()
  await updates.check()
  expect(updates.view().update).toEqual(READY)
  await begin(at)
  expect(hindranceOf(at.parts)).toBe(hindrance)
  expect(() => updates.checkMayInstall()).toThrow(
    expect.objectContaining({ appError: { code: 'busy', message: expect.any(String) } })
  )
  expect(await updates.installAtEnd('restart')).toBe(false)
  expect(installed).toEqual([])
})

test('an update waits while a batch is being stored, and names the counter before a send, a send before a download', async () => {
  const at = await openWorkshop()
  const { accountId, outbox } = at.work
  const rows = [{ row: 1, cells: ['one'], composition: forms() }]
  const adding = outbox.addBatch({ accountId, name: 'Batch', columns: ['Form'], rows, leftOut: [] })
  expect(hindranceOf(at.parts)).toBe('sending')
  const { id } = await adding
  await outbox.batches.cancel(id)
  expect(hindranceOf(at.parts)).toBeUndefined()
  await download(at)
  const sent = await send(at)
  expect(hindranceOf(at.parts)).toBe('sending')
  const ended = await session(at)
  expect(hindranceOf(at.parts)).toBe('counter')
  await ended()
  await sent()
  expect(hindranceOf(at.parts)).toBe('downloads')
})
