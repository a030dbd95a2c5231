/**
 * Opens office mode for trying out: two workstations side by side, joined to an office on a PostgreSQL server of its
 * own, with one practice service. Everything is deleted once both are closed. Run with `npm start -- --office`, with
 * its own keychain.
 */
import { clerkAt } from '../test/e2e/clerk.ts'
import { type Launched, launch } from '../test/e2e/launch.ts'
import { openSharedOffice } from '../test/e2e/shared-office.ts'

const NAMES = ['Counter 1', 'Counter 2']

const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
process.env.HOST_HEADED = hasDisplay ? '1' : '0'
if (!hasDisplay) console.log('There is no display here, so the workstations can’t be seen.')

const stopped = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve())

const workstations: Launched[] = []
const office = await openSharedOffice('demo')
try {
  for (const name of NAMES) {
    const app = await launch()
    workstations.push(app)
    const clerk = clerkAt(app)
    await clerk.arrive()
    await office.seat(clerk, name)
    console.log(`“${name}” has joined.`)
  }
  console.log('Send at one and look at the other. Close both, or press Ctrl+C, to end.')
  await Promise.race([stopped.promise, Promise.all(workstations.map(({ ended }) => ended))])
} finally {
  for (const app of workstations) await app.close().catch(() => app.kill())
  await office.close()
}
process.exit()
