/**
 * Whole workstations with a hundred thousand documents, each with its mirror in a thread of its own and on disk: how
 * long the first one of an office takes until the office has all of them, and how long a second one, which has none
 * yet, takes from its code until it has all of them, too.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { openDocumentsThread } from '../../src/main/shell/documents.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { type Bench, type Figure, lower } from './figure.ts'
import { serve } from './large-office.ts'

const WORKER = new URL('../../src/main/shell/documents-worker.ts', import.meta.url)
const DOCUMENTS = 100_000
const MAX_WAIT = 600_000

interface Workstation {
  readonly work: Workplace
  readonly membership: OfficeMembership
  readonly close: () => Promise<void>
}

export const officeJoin: Bench = {
  name: 'office-join',
  async run(): Promise<Figure[]> {
    const cluster = await openCluster({ isDurable: true })
    const service = await serve(DOCUMENTS)
    const workstations: Workstation[] = []
    try {
      const office = await openTestOffice(cluster.place)
      const first = await openWorkstation(service.url)
      workstations.push(first)
      first.work.parts.polling.start()
      await until(workstations, () => hasAll(first))
      const founding = await joining(workstations, first, office, async () => (await handedOver(office)) === DOCUMENTS)
      const second = await openWorkstation(service.url)
      workstations.push(second)
      second.work.parts.polling.start()
      const isTogether = () => second.membership.view()?.folders.every(({ how }) => how === 'together') === true
      const joined = await joining(workstations, second, office, async () => isTogether() && (await hasAll(second)))
      const against = `${DOCUMENTS} documents, on two disks, everything that the server writes flushed`
      return [
        lower(
          'office-join',
          joined,
          's',
          30,
          `from its code until it has them, and reads no more by itself; ${against}`
        ),
        lower('office-found', founding, 's', 120, `from its code until the office has them; ${against}`)
      ]
    } finally {
      for (const { close } of workstations) await close()
      await service.close()
      await cluster.close()
    }
  }
}

async function openWorkstation(serviceUrl: string): Promise<Workstation> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const thread = openDocumentsThread({
    worker: WORKER,
    folder,
    key: { key: new Uint8Array(32).fill(7), isNew: true },
    log: { warn: console.warn, error: console.error }
  })
  const work = await openWorkplace('empty', { practice: {} as Workplace['practice'], serviceUrl }, thread)
  const membership = openMembership(work)
  const close = async () => {
    await membership.close()
    await work.close()
    await thread.end()
    await rm(folder, { recursive: true, force: true })
  }
  return { work, membership, close }
}

/** Seconds until joining is over. */
async function joining(
  workstations: readonly Workstation[],
  { membership }: Workstation,
  office: TestOffice,
  isOver: () => Promise<boolean>
): Promise<number> {
  const code = await office.invite(`Workstation ${workstations.length}`)
  const began = performance.now()
  await Promise.all([membership.join(serverOf(office), code), until(workstations, isOver)])
  return (performance.now() - began) / 1_000
}

async function hasAll({ work: { accountId, parts, time } }: Workstation): Promise<boolean> {
  const { folders } = await parts.ask('counts', { accountId, queries: [], now: time.now, zone: 'UTC' })
  return Object.values(folders).reduce((sum, count) => sum + count, 0) === DOCUMENTS
}

async function handedOver(office: TestOffice): Promise<number> {
  const [row] = await office.sql<{ count: number }>('SELECT count(*)::integer AS count FROM office.mirror')
  return row?.count ?? 0
}

/** Lets time pass at real speed until it is so. */
async function until(workstations: readonly Workstation[], isSo: () => Promise<boolean>): Promise<void> {
  for (let last = performance.now(), end = last + MAX_WAIT, next = last; ; ) {
    await pause(20)
    const now = performance.now()
    if (now > end)
      throw new Error(`It never came about: ${JSON.stringify(workstations.map(({ membership }) => membership.view()))}`)
    await Promise.all(workstations.map(({ work }) => work.time.pass(now - last)))
    last = now
    if (now < next) continue
    if (await isSo()) return
    // Checking costs time, too.
    next = performance.now() + 250
  }
}
