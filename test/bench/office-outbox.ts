/**
 * Packages that five workstations of an office send together, to a service that takes 50 ms, against one workstation that
 * is in no office and sends with as many lanes. All of them are in this one process, with whole outboxes, everything on their disks.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Desk } from '../../src/main/core/office/desk.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { openDesk, openTestOffice, serverOf } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { type Bench, type Figure, rounded } from './figure.ts'
import { openSlowService, type SlowService } from './slow-service.ts'

const STATIONS = 5
const PACKAGES = 500
/** As many as can be set. */
const LANES = 4
const DELAY = 50

export const officeOutbox: Bench = {
  name: 'office-outbox',
  async run(): Promise<Figure[]> {
    const service = await openSlowService(DELAY)
    try {
      const alone = await sentAlone(service)
      const together = await sentTogether(service)
      const against = `${rounded(together)} of ${STATIONS} workstations, ${rounded(alone)} packages a second of one in no office, ${LANES} lanes each`
      const value = rounded(together / alone)
      return [{ name: 'office-outbox', value, unit: 'ratio', limit: 0.9, better: 'higher', against }]
    } finally {
      await service.close()
    }
  }
}

/** With so many packages in its Outbox, which is paused. */
async function openSender(service: SlowService, { count, first = 0 }: { count: number; first?: number }) {
  const work = await openWorkplace('empty', { practice: {} as Workplace['practice'], serviceUrl: service.url })
  const { db, outbox } = work.parts
  db.pragma('synchronous = FULL')
  const { accountId } = work
  outbox.configure(accountId, { concurrency: LANES, undoSeconds: 0 })
  outbox.pause(accountId)
  const rows = Array.from({ length: count }, (_, row) => {
    const composition = forms({ items: [form({ Name: `Package ${first + row}`, signers: [signer()] })] })
    return { row: row + 1, cells: [], composition }
  })
  await outbox.addBatch({ accountId, name: 'Bench', columns: [], rows, leftOut: [] })
  return work
}

const sentAt = ({ parts: { outbox }, accountId }: Workplace) => outbox.state(accountId).counts.sent

/** Packages a second until each workstation knows of all that they were sent. */
async function rateOf(works: readonly Workplace[], service: SlowService, count: number, go: () => unknown) {
  const began = performance.now()
  await go()
  await timePasses(works, () => works.every((work) => sentAt(work) === count))
  const seconds = (performance.now() - began) / 1_000
  const taken = await service.taken()
  if (taken !== count) throw new Error(`${count} packages were sent, and ${taken} arrived.`)
  return count / seconds
}

/** As it does on the wall. */
async function timePasses(works: readonly Workplace[], isOver: () => boolean): Promise<void> {
  for (let last = performance.now(), end = last + 240_000; !isOver(); ) {
    await pause(20)
    const now = performance.now()
    if (now > end) throw new Error(`Not all were sent: ${works.map(sentAt).join(', ')}`)
    await Promise.all(works.map(({ time }) => time.pass(now - last)))
    last = now
  }
}

async function sentAlone(service: SlowService): Promise<number> {
  const work = await openSender(service, { count: PACKAGES })
  try {
    return await rateOf([work], service, PACKAGES, () => work.parts.outbox.resume(work.accountId))
  } finally {
    await work.close()
  }
}

async function sentTogether(service: SlowService): Promise<number> {
  const cluster = await openCluster({ isDurable: true })
  const works: Workplace[] = []
  const desks: Desk[] = []
  try {
    const office = await openTestOffice(cluster.place)
    const count = PACKAGES / STATIONS
    for (let index = 0; index < STATIONS; index++) {
      const work = await openSender(service, { count, first: index * count })
      works.push(work)
      const desk = openDesk(work)
      desks.push(desk)
      await desk.join(serverOf(office), await office.invite(`Workstation ${index}`))
    }
    const isReady = ({ parts: { outbox }, accountId }: Workplace) =>
      outbox.state(accountId).counts.ready === PACKAGES && outbox.state(accountId).pause?.by === 'person'
    await timePasses(works, () => works.every(isReady))
    const [{ accountId, parts }] = works as [Workplace, ...Workplace[]]
    return await rateOf(works, service, PACKAGES, () => parts.outbox.shared.pause(accountId, false))
  } finally {
    for (const desk of desks) await desk.close()
    for (const work of works) await work.close()
    await cluster.close()
  }
}
