/**
 * Whatever happens to the network, the clock and the power: no package arrives twice, no send is lost, and no state
 * is wrong.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SendView } from '../../../src/shared/contract/index.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import type { Fault } from '../../fixtures/fault-proxy.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { cases } from '../../property-seed.ts'

const MINUTE = 60_000

/** One of two packages that differ only in their form data. */
interface Twin {
  id: string
  inside: string
}

type Step =
  | {
      kind:
        | 'send'
        | 'twins'
        | 'take back'
        | 'let go'
        | 'crash'
        | 'line'
        | 'pause'
        | 'resume'
        | 'wake'
        | 'retry'
        | 'wait'
    }
  | { kind: 'decide' | 'cancel' }
  | { kind: 'batch'; rows: number }
  | { kind: 'fault'; fault: Mishap; on: 'sends' | 'looks' | 'all' }
  | { kind: 'pass'; milliseconds: number }
  | { kind: 'jump'; milliseconds: number }

/** "taken and …": the service accepted the send, but its answer says otherwise. */
type Mishap = Fault | 'taken and 406' | 'taken and 500' | 'taken and empty' | 'taken once, then 409'
const faults: Mishap[] = ['lose-answer', 'swallow-answer', 'cut', 'hang', 'rubbish']
const odd: Mishap[] = ['taken and 406', 'taken and 500', 'taken and empty', 'taken once, then 409']
const refusals: Mishap[] = [200, 400, 402, 406, 408, 429, 500, 503, 511].map((status) => ({ status }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step>({ kind: 'send' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.oneof(
        fc.constant<Mishap>('pass'),
        fc.constantFrom(...faults),
        fc.constantFrom(...odd),
        fc.constantFrom(...refusals)
      ),
      on: fc.constant('sends' as const)
    })
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'fault', fault: 'rubbish', on: 'looks' }) },
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 3 * MINUTE }).map((milliseconds) => ({ kind: 'pass' as const, milliseconds }))
  },
  { weight: 4, arbitrary: fc.constant<Step>({ kind: 'wait' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'crash' }) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: -40 * MINUTE, max: 40 * MINUTE })
      .map((milliseconds) => ({ kind: 'jump' as const, milliseconds }))
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }).map((rows) => ({ kind: 'batch' as const, rows })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'let go' },
      { kind: 'take back' },
      { kind: 'line' },
      { kind: 'pause' },
      { kind: 'resume' },
      { kind: 'wake' },
      { kind: 'retry' },
      { kind: 'cancel' }
    )
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'twins' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'decide' }) }
)

test('no package arrives twice, no send is lost, and no state is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const work = await openWorkplace()
      try {
        const names = new Set<string>()
        const twins: Twin[] = []
        for (const one of steps) {
          await take(work, one, names, twins)
          check(work, names, twins)
        }
        await finish(work, twins)
        check(work, names, twins)
        const { ready, sending, uncertain } = work.parts.outbox.state(work.accountId).counts
        expect({ ready, sending, uncertain }).toEqual({ ready: 0, sending: 0, uncertain: 0 })
      } finally {
        await work.close()
      }
    }),
    { numRuns: cases(12), endOnFailure: true }
  )
}, 300_000)

const all = (work: Workplace, show: 'all' | 'waiting' | 'attention' = 'all') =>
  work.parts.outbox.list([work.accountId], { show, offset: 0, limit: 500 }).rows

async function take(work: Workplace, one: Step, names: Set<string>, twins: Twin[]): Promise<void> {
  const { outbox, drafts } = work.parts
  const named = (name: string) => {
    names.add(name)
    return forms({ items: [form({ Name: name })] })
  }
  const [waiting] = all(work, 'waiting').filter(({ state }) => state === 'ready')
  switch (one.kind) {
    case 'send':
      outbox.enqueue(drafts.save(work.accountId, named(`Package ${names.size}`)).id)
      break
    case 'batch': {
      const rows = Array.from({ length: one.rows }, (_, index) => ({
        row: index + 1,
        cells: [],
        composition: named(`Package ${names.size}`)
      }))
      await outbox.addBatch({ accountId: work.accountId, name: 'Batch', columns: [], rows, leftOut: [] })
      break
    }
    case 'twins': {
      // The same client reference and everything else equal; only the form data tells them apart.
      const twin = () => {
        const inside = `<twin>${twins.length}</twin>`
        const { id } = outbox.enqueue(
          drafts.save(
            work.accountId,
            forms({ items: [form({ Name: 'Twin', ClientReference: 'MATTER-7', XMLData: inside })] })
          ).id
        )
        twins.push({ id, inside })
      }
      twin()
      twin()
      break
    }
    case 'decide': {
      const send = all(work, 'attention').find(({ ambiguity }) => ambiguity)
      if (send) await decide(work, send, twins)
      break
    }
    case 'cancel': {
      const [batch] = outbox.batches.list(work.accountId)
      if (batch) await outbox.batches.cancel(batch.id)
      break
    }
    case 'pause':
      outbox.pause(work.accountId)
      break
    case 'wake':
      outbox.resumed()
      break
    case 'let go':
      if (waiting) outbox.sendNow(waiting.id)
      break
    case 'take back':
      if (waiting && !twins.some(({ id }) => id === waiting.id)) outbox.undo(waiting.id)
      break
    case 'retry': {
      const failed = all(work, 'attention').find(({ state }) => state === 'refused' || state === 'not-sent')
      if (failed) outbox.retry(failed.id)
      break
    }
    case 'line':
      outbox.connectionChanged()
      break
    case 'resume':
      outbox.resume(work.accountId)
      break
    case 'crash':
      work.restart()
      break
    case 'jump':
      work.time.now += one.milliseconds
      break
    case 'pass':
      await work.time.pass(one.milliseconds)
      break
    case 'wait':
      await new Promise((resume) => setTimeout(resume, 15))
      break
    case 'fault':
      misbehave(work, one)
  }
}

function misbehave(work: Workplace, { fault, on }: Extract<Step, { kind: 'fault' }>): void {
  const isMeant = (method: string) => on === 'all' || (method === 'POST') === (on === 'sends')
  if (typeof fault === 'object' || !fault.startsWith('taken')) {
    work.line.setFault(fault as Fault, isMeant)
    return
  }
  let count = 0
  const answers = { 'taken and 406': 406, 'taken and 500': 500, 'taken and empty': 200 } as Record<string, number>
  work.line.setFaultBy((method) => {
    if (!isMeant(method)) return 'pass'
    if (fault === 'taken once, then 409') return count++ === 0 ? 'lose-answer' : { status: 409 }
    return { status: answers[fault] ?? 500, isTaken: true as const }
  })
}

/** A person who examines the documents, and so always decides correctly. */
async function decide(work: Workplace, send: SendView, twins: readonly Twin[]): Promise<void> {
  const own = twins.find(({ id }) => id === send.id)?.inside
  const mine =
    send.ambiguity?.found.filter(({ reference }) => own !== undefined && own === insideOf(work, reference)) ?? []
  const documents = mine.map(({ reference }) => reference)
  await work.parts.outbox.resolveAmbiguity(
    send.id,
    documents.length > 0 ? { arrived: true, documents } : { arrived: false }
  )
}

/** What the service accepted, by name or (for twins) form data, once per request. */
const taken = (work: Workplace) =>
  work.receivedRequests('SendForms2').map(({ body }) => {
    const [first] = (body as { Forms: { Name: string; XMLData?: string }[] }).Forms
    return first?.XMLData?.startsWith('<twin>') ? first.XMLData : (first?.Name ?? '')
  })

/** The form data of a document. The service creates packages in the order of the requests. */
function insideOf(work: Workplace, reference: string): string | undefined {
  const { documents, packages } = work.practice.state
  const index = Object.keys(packages).indexOf(documents[reference]?.packageReference ?? '')
  return taken(work)[index]
}

function check(work: Workplace, names: ReadonlySet<string>, twins: readonly Twin[]): void {
  const arrived = taken(work)
  expect(new Set(arrived).size, 'each arrived once at most').toBe(arrived.length)
  const sends = all(work)
  const drafts = work.parts.drafts.list([work.accountId]).rows
  for (const name of names) {
    const mine = sends.filter(({ title }) => title === name)
    const isDraft = drafts.some(({ title }) => title === name)
    expect(mine.length > 0 || isDraft, `${name} is somewhere`).toBe(true)
    for (const send of mine) expect(isTrue(send, arrived.includes(name)), `${name} is ${send.state}`).toBe(true)
  }
  for (const { id, inside } of twins) {
    const send = work.parts.outbox.get(id)
    expect(isTrue(send, arrived.includes(inside)), `${inside} is ${send.state}`).toBe(true)
  }
}

function isTrue({ state }: SendView, hasArrived: boolean): boolean {
  if (state === 'sent') return hasArrived
  return state === 'sending' || state === 'uncertain' || !hasArrived
}

/** Restores the network and lets a person release everything held up: in the end every result is known. */
async function finish(work: Workplace, twins: readonly Twin[]): Promise<void> {
  work.line.setFault('pass')
  work.restart()
  work.parts.outbox.resume(work.accountId)
  for (let round = 0; round < 60; round++) {
    const { ready, sending, uncertain } = work.parts.outbox.state(work.accountId).counts
    if (ready + sending + uncertain === 0) return
    for (const send of all(work, 'attention')) if (send.ambiguity) await decide(work, send, twins)
    await work.time.pass(30_000)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
