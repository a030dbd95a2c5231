/** Whatever the line, the clock and the power do: no mark arrives twice, no send is lost, and no state says what isn't so. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SendView } from '../../../src/shared/contract/index.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import type { Fault } from '../../fixtures/fault-proxy.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const MINUTE = 60_000

type Step =
  | { kind: 'send' | 'take back' | 'let go' | 'crash' | 'line' | 'resume' | 'retry' | 'wait' }
  | { kind: 'batch'; rows: number }
  | { kind: 'fault'; fault: Fault; on: 'sends' | 'looks' | 'all' }
  | { kind: 'pass'; milliseconds: number }
  | { kind: 'jump'; milliseconds: number }

const faults: Fault[] = ['lose-answer', 'swallow-answer', 'cut', 'hang', 'rubbish']
const refusals: Fault[] = [400, 402, 429, 500, 503].map((status) => ({ status }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step>({ kind: 'send' }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.oneof(fc.constant<Fault>('pass'), fc.constantFrom(...faults), fc.constantFrom(...refusals)),
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
      { kind: 'resume' },
      { kind: 'retry' }
    )
  }
)

test('no mark arrives twice, no send is lost, and no state says what isn’t so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const work = await openWorkplace()
      try {
        const names = new Set<string>()
        for (const one of steps) {
          await take(work, one, names)
          check(work, names)
        }
        await settle(work)
        check(work, names)
        const { ready, sending, uncertain } = work.parts.outbox.state(work.accountId).counts
        expect({ ready, sending, uncertain }).toEqual({ ready: 0, sending: 0, uncertain: 0 })
      } finally {
        await work.close()
      }
    }),
    { numRuns: 40, endOnFailure: true }
  )
}, 300_000)

const all = (work: Workplace, show: 'all' | 'waiting' | 'attention' = 'all') =>
  work.parts.outbox.list(work.accountId, { show, offset: 0, limit: 500 }).rows

async function take(work: Workplace, one: Step, names: Set<string>): Promise<void> {
  const { outbox, drafts } = work.parts
  const named = (name: string) => {
    names.add(name)
    return forms({ items: [form({ Name: name })] })
  }
  const [waiting] = all(work, 'waiting').filter(({ state }) => state === 'ready')
  switch (one.kind) {
    case 'send':
      outbox.start(drafts.save(work.accountId, named(`Package ${names.size}`)).id)
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
    case 'let go':
      if (waiting) outbox.now(waiting.id)
      break
    case 'take back':
      if (waiting) outbox.takeBack(waiting.id)
      break
    case 'retry': {
      const failed = all(work, 'attention').find(({ state }) => state === 'refused' || state === 'not-sent')
      if (failed) outbox.retry(failed.id)
      break
    }
    case 'line':
      outbox.lineChanged()
      break
    case 'resume':
      outbox.resume(work.accountId)
      break
    case 'crash':
      work.startAgain()
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
      work.line.fault(one.fault, (method) => one.on === 'all' || (method === 'POST') === (one.on === 'sends'))
  }
}

/** The names of what the service took, each as often as it took it. */
const taken = (work: Workplace) =>
  work.taken('SendForms2').map(({ body }) => (body as { Forms: { Name: string }[] }).Forms[0]?.Name ?? '')

function check(work: Workplace, names: ReadonlySet<string>): void {
  const arrived = taken(work)
  expect(new Set(arrived).size, 'each arrived once at most').toBe(arrived.length)
  const sends = all(work)
  const drafts = work.parts.drafts.list(work.accountId).rows
  for (const name of names) {
    const mine = sends.filter(({ title }) => title === name)
    const isDraft = drafts.some(({ title }) => title === name)
    expect(mine.length > 0 || isDraft, `${name} is somewhere`).toBe(true)
    for (const send of mine) expect(isTrue(send, arrived.includes(name)), `${name} is ${send.state}`).toBe(true)
  }
}

function isTrue({ state }: SendView, hasArrived: boolean): boolean {
  if (state === 'sent') return hasArrived
  return state === 'sending' || state === 'uncertain' || !hasArrived
}

/** The line is good from now on, and a person lets everything go that was held up: in the end all is known. */
async function settle(work: Workplace): Promise<void> {
  work.line.fault('pass')
  work.startAgain()
  work.parts.outbox.resume(work.accountId)
  for (let round = 0; round < 60; round++) {
    const { ready, sending, uncertain } = work.parts.outbox.state(work.accountId).counts
    if (ready + sending + uncertain === 0) return
    await work.time.pass(30_000)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
