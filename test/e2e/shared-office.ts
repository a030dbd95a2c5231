/** An office on a PostgreSQL server of its own, and one signing service, for workstations that share an Outbox. */
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { openTestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'
import type { Clerk } from './clerk.ts'

interface SharedOffice {
  service: PracticeOffice
  /** Connects the service at a new workstation's first screen, and has it join under a name. */
  seat: (clerk: Clerk, name: string) => Promise<void>
  close: () => Promise<void>
}

/** @param data what the service has. */
export async function openSharedOffice(data: 'demo' | 'empty'): Promise<SharedOffice> {
  const service = await openPracticeOffice({ data, auth: { scheme: 'bearer', token: 'made-up-token-1' } })
  const cluster = await openCluster()
  const close = async () => {
    await service.close()
    await cluster.close()
  }
  try {
    const { administrator, invite } = await openTestOffice(cluster.place)
    return {
      service,
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
