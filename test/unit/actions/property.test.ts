/**
 * Whatever happens to the network and the clock, with crashes and people acting: each action reaches the service at
 * most once, unless a person asks for it again.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActionRequest, ActionView } from '../../../src/shared/contract/index.ts'
import type { DocumentResponse, UpdateSignerRequest } from '../../../src/shared/model/index.ts'
import type { Fault } from '../../fixtures/fault-proxy.ts'
import { cases } from '../../property-seed.ts'
import { correction, extension, type Office, openOffice } from './office.ts'

const MINUTE = 60_000

type Step =
  | { kind: 'start'; what: ActionRequest['kind']; on: number }
  | { kind: 'press again'; on: number }
  | { kind: 'fault'; fault: Fault; on: 'posts' | 'looks' | 'all' }
  | { kind: 'pass'; milliseconds: number }
  | { kind: 'jump'; milliseconds: number }
  | { kind: 'crash' | 'down' | 'up' | 'line' | 'check' | 'cancel' | 'wait' | 'someone else' | 'turn' }

const faults: Fault[] = ['pass', 'pass', 'lose-answer', 'swallow-answer', 'cut', 'hang', 'rubbish']
const refusals: Fault[] = [400, 401, 403, 404, 409, 429, 500, 503].map((status) => ({ status }))
const processedFaults: Fault[] = [500, 503, 408].map((status) => ({ status, isTaken: true }))
const what = fc.constantFrom<ActionRequest['kind']>('extend', 'correct', 'notary', 'remind')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('start' as const), what, on: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('press again' as const), on: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom(...faults, ...refusals, ...processedFaults),
      on: fc.constantFrom('posts' as const, 'posts' as const, 'looks' as const, 'all' as const)
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.integer({ min: 1, max: 3 * MINUTE }) })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      milliseconds: fc.integer({ min: -30 * MINUTE, max: 30 * MINUTE })
    })
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'crash' },
      { kind: 'down' },
      { kind: 'up' },
      { kind: 'line' },
      { kind: 'check' },
      { kind: 'cancel' },
      { kind: 'wait' },
      { kind: 'someone else' },
      { kind: 'turn' }
    )
  }
)

test('each action reaches the service at most once, and is reported as done only if it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const office = await openOffice()
      try {
        await live(office, steps)
      } finally {
        await office.close()
      }
    }),
    { numRuns: cases(10) }
  )
})

interface StartedAction {
  id: string
  reference: string
  request: ActionRequest
  /** Something that only this action's request carries. */
  mark: string
}

async function live(office: Office, steps: readonly Step[]): Promise<void> {
  const documents = (await Promise.all([office.send(1), office.send(1), office.send(2)])).map(([first]) => first)
  await office.parts.mirror.refresh(office.accountId)
  const started: StartedAction[] = []
  let isUp = true
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)
  const go = (one: StartedAction) => quietly(office.start(one.reference, one.request, one.id))
  const goUp = async () => {
    if (!isUp) await office.line.comeBack()
    isUp = true
  }

  for (const one of steps) {
    switch (one.kind) {
      case 'start': {
        const document = documents[one.on]
        const next = asking(one.what, started.length, document)
        started.push({ ...next, id: randomUUID(), reference: document?.Reference ?? '' })
        go(started[started.length - 1] as StartedAction)
        break
      }
      case 'press again': {
        const repeated = started[one.on]
        // The same click, delivered twice: not a person asking again.
        if (repeated && office.actions.list(office.accountId).some(({ id }) => id === repeated.id)) go(repeated)
        break
      }
      case 'fault':
        office.line.setFault(one.fault, (method) => one.on === 'all' || (one.on === 'posts') === (method === 'POST'))
        break
      case 'pass':
        await office.time.pass(one.milliseconds)
        break
      case 'jump':
        office.time.now += one.milliseconds
        break
      case 'crash':
        await office.startAgain()
        break
      case 'down':
        if (isUp) await office.line.goDown()
        isUp = false
        break
      case 'up':
        await goUp()
        break
      case 'line':
        office.actions.connectionChanged()
        break
      case 'check':
        for (const { id, state } of office.actions.list(office.accountId)) {
          if (state === 'uncertain') quietly(office.actions.check(id))
        }
        break
      case 'cancel': {
        const waiting = office.actions.list(office.accountId).find(({ state }) => state === 'waiting')
        if (waiting) office.actions.cancel(waiting.id)
        break
      }
      case 'wait':
        await new Promise((resume) => setTimeout(resume, 5))
        break
      case 'someone else':
        await office.direct('/Document/Extend', { DocumentReference: documents[0]?.Reference, ...otherDueDate() })
        break
      case 'turn':
        for (const document of documents) office.parts.mirror.turnSigners(document?.Reference ?? '')
        break
    }
    await new Promise((resume) => setImmediate(resume))
  }

  // A crash ends hanging requests; after that the connection works as long as anything is still in progress.
  office.line.setFault('pass')
  await goUp()
  await office.startAgain()
  await expect
    .poll(async () => {
      office.actions.connectionChanged()
      await office.time.pass(2 * MINUTE)
      return office.actions.list(office.accountId).filter(({ state }) => state === 'waiting' || state === 'running')
    })
    .toEqual([])
  for (const one of started) judge(office, one)
  const meant = documents.map((document) => document?.Signers?.[0]?.SignerReference)
  for (const { body } of office.taken('UpdateSigner')) {
    for (const { SignerReference } of (body as UpdateSignerRequest).Signers) expect(meant).toContain(SignerReference)
  }
  // Reminders of one signer look alike, so they are counted together.
  const reminders = office.actions.list(office.accountId).filter(({ request }) => request.kind === 'remind')
  expect(office.taken('SendReminder').length).toBeLessThanOrEqual(reminders.length)
  expect(office.taken('SendReminder').length).toBeGreaterThanOrEqual(
    reminders.filter(({ state }) => state === 'done').length
  )
}

function judge(office: Office, { id, mark, request }: StartedAction): void {
  if (request.kind === 'remind') return
  const arrived = office.practice.recorded().filter(({ body }) => JSON.stringify(body).includes(mark)).length
  expect(arrived).toBeLessThanOrEqual(1)
  const view: ActionView | undefined = office.actions.list(office.accountId).find((action) => action.id === id)
  if (!view) expect(arrived).toBe(0)
  if (view?.state === 'done') expect(arrived).toBe(1)
  if (view?.state === 'cancelled') expect(arrived).toBe(0)
  if (view?.state === 'refused' && view.error?.message.includes('wasn’t done')) expect(arrived).toBe(0)
}

function asking(
  kind: ActionRequest['kind'],
  number: number,
  document: DocumentResponse | undefined
): Pick<StartedAction, 'request' | 'mark'> {
  switch (kind) {
    case 'extend': {
      const request = extension(100 + number, 0)
      return { request, mark: request.dueDate.slice(0, 16) }
    }
    case 'correct': {
      const mark = `corrected-${number}@example.com`
      return { request: correction(document, { Email: mark }), mark }
    }
    case 'notary':
      return { request: { kind, notaryReference: `notary-${number}.`, send: false }, mark: `notary-${number}.` }
    case 'remind': {
      const signerReference = document?.Signers?.[0]?.SignerReference ?? ''
      return { request: { kind, signerReference, signerName: '' }, mark: `none-${number}` }
    }
  }
}

function otherDueDate() {
  return { DueDate: extension(50, 0).dueDate, GMT: '0' }
}
