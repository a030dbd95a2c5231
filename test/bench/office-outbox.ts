/**
 * Packages that five workstations of an office send together, to a service that takes 50 ms, against one workstation
 * outside any office that sends as many at a time. Each is a thread of its own, with a whole outbox and everything
 * flushed to disk.
 */
import { on } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { type Bench, type Figure, rounded } from './figure.ts'
import { openSlowService, type SlowService } from './slow-service.ts'

const WORKSTATIONS = 5
const PACKAGES = 1_000
/** The most that can be set. */
const CONCURRENCY = 4
const DELAY = 50
/** Nothing that is measured takes longer, in milliseconds. */
const MAX_WAIT = 300_000

export const officeOutbox: Bench = {
  name: 'office-outbox',
  async run(): Promise<Figure[]> {
    const service = await openSlowService(DELAY)
    try {
      const alone = await sentAlone(service)
      const together = await sentTogether(service)
      const against = `${rounded(together)} of ${WORKSTATIONS} workstations, ${rounded(alone)} packages a second of one in no office, ${CONCURRENCY} at a time in all`
      const value = rounded(together / alone)
      return [{ name: 'office-outbox', value, unit: 'ratio', limit: 0.9, better: 'higher', against }]
    } finally {
      await service.close()
    }
  }
}

/** What a sender does next; it posts each step's kind back once that is done. */
type Step =
  /** Puts this many packages into its Outbox, which is paused. */
  | { kind: 'put'; url: string; count: number; first: number }
  | { kind: 'join'; server: ReturnType<typeof serverOf>; code: string }
  /** Waits until it knows of this many waiting packages, and of the pause. */
  | { kind: 'know'; count: number }
  /** Resumes the Outbox, if `resumes`, and waits until it knows that this many were sent. */
  | { kind: 'send'; count: number; resumes: boolean }
  | { kind: 'close' }

async function openSender(service: SlowService, count: number, first = 0) {
  const worker = new Worker(new URL(import.meta.url), { workerData: 'office-outbox' })
  const does = (step: Step) =>
    new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve()).once('error', reject)
      worker.postMessage(step)
    })
  await does({ kind: 'put', url: service.url, count, first })
  return {
    does,
    async close() {
      await does({ kind: 'close' })
      await worker.terminate()
    }
  }
}

/** Packages per second until each sender knows that all were sent. */
async function rateOf(senders: readonly Awaited<ReturnType<typeof openSender>>[], service: SlowService) {
  const began = performance.now()
  await Promise.all(senders.map(({ does }, index) => does({ kind: 'send', count: PACKAGES, resumes: index === 0 })))
  const seconds = (performance.now() - began) / 1_000
  const taken = await service.taken()
  if (taken !== PACKAGES) throw new Error(`${PACKAGES} packages were sent, and ${taken} arrived.`)
  return PACKAGES / seconds
}

async function sentAlone(service: SlowService): Promise<number> {
  const sender = await openSender(service, PACKAGES)
  try {
    return await rateOf([sender], service)
  } finally {
    await sender.close()
  }
}

async function sentTogether(service: SlowService): Promise<number> {
  const cluster = await openCluster({ isDurable: true })
  const senders: Awaited<ReturnType<typeof openSender>>[] = []
  try {
    const office = await openTestOffice(cluster.place)
    const count = PACKAGES / WORKSTATIONS
    for (let index = 0; index < WORKSTATIONS; index++) {
      const sender = await openSender(service, count, index * count)
      senders.push(sender)
      await sender.does({ kind: 'join', server: serverOf(office), code: await office.invite(`Workstation ${index}`) })
    }
    await Promise.all(senders.map(({ does }) => does({ kind: 'know', count: PACKAGES })))
    return await rateOf(senders, service)
  } finally {
    for (const sender of senders) await sender.close()
    await cluster.close()
  }
}

/** A sender's own thread. */
async function send(port: NonNullable<typeof parentPort>): Promise<void> {
  let work: Workplace | undefined
  let membership: ReturnType<typeof openMembership> | undefined
  for await (const [step] of on(port, 'message') as AsyncIterable<[Step]>) {
    if (step.kind === 'put') {
      work = await openWorkplace('empty', { practice: {} as Workplace['practice'], serviceUrl: step.url })
      await put(work, step)
    } else if (work) {
      const { parts, accountId } = work
      const { outbox } = parts
      const view = () => outbox.state(accountId)
      if (step.kind === 'join') {
        membership = openMembership(work)
        await membership.join(step.server, step.code)
      } else if (step.kind === 'know') {
        await timePasses(work, () => view().counts.ready === step.count && view().pause?.by === 'person')
      } else if (step.kind === 'send') {
        if (step.resumes && membership) await outbox.shared.pause(accountId, false)
        else if (step.resumes) outbox.resume(accountId)
        await timePasses(work, () => view().counts.sent === step.count)
      } else {
        await membership?.close()
        await work.close()
      }
    }
    port.postMessage(step.kind)
  }
}

async function put({ parts: { db, outbox }, accountId }: Workplace, { count, first }: Step & { kind: 'put' }) {
  db.pragma('synchronous = FULL')
  outbox.configure(accountId, { concurrency: CONCURRENCY, undoSeconds: 0 })
  outbox.pause(accountId)
  const rows = Array.from({ length: count }, (_, row) => {
    const composition = forms({ items: [form({ Name: `Package ${first + row}`, signers: [signer()] })] })
    return { row: row + 1, cells: [], composition }
  })
  await outbox.addBatch({ accountId, name: 'Bench', columns: [], rows, leftOut: [] })
}

/** Lets time pass at real speed. */
async function timePasses({ time }: Workplace, isOver: () => boolean): Promise<void> {
  for (let last = performance.now(), end = last + MAX_WAIT; !isOver(); ) {
    await pause(5)
    const now = performance.now()
    if (now > end) throw new Error('Not all were sent.')
    await time.pass(now - last)
    last = now
  }
}

if (!isMainThread && parentPort && workerData === 'office-outbox') await send(parentPort)
