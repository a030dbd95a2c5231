/** An office on its own PostgreSQL server, with one signing service, for workstations that share an Outbox. */
import type { OfficePlace } from '../../src/main/core/office/connection.ts'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { openTestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import type { Clerk } from './clerk.ts'

export interface SharedOffice {
  service: PracticeOffice
  /** Connects the service at a new workstation's first screen, and joins the office under a name. */
  seat: (clerk: Clerk, name: string) => Promise<void>
  /** The address of the office's server, and a code to join it under a name. */
  place: OfficePlace
  invite: (name: string) => Promise<string>
  /** Returns how many packages are waiting there. */
  waiting: () => Promise<number>
  /** Ends a pause, when no workstation is there to do it. */
  resume: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens the office.
 * @param data what the service has
 */
export async function openSharedOffice(data: 'demo' | 'empty'): Promise<SharedOffice> {
  const service = await openPracticeOffice({ data, auth: { scheme: 'bearer', token: 'made-up-token-1' } })
  const cluster = await openCluster()
  const close = async () => {
    await service.close()
    await cluster.close()
  }
  try {
    const { administrator, invite, sql } = await openTestOffice(cluster.place)
    return {
      service,
      invite,
      place: administrator,
      waiting: async () => (await sql("SELECT id FROM office.send WHERE state = 'ready'")).length,
      async resume() {
        await sql('UPDATE office.outbox SET paused_by = NULL, paused_at = NULL')
      },
      async seat(clerk, name) {
        await clerk.connectTo(service.url)
        await clerk.joinOffice(administrator, await invite(name))
      },
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
