// Lends Chromiums to one application after another, in a process that starts many: starting Chromium is a third of an
// application's start. An application has its Chromium to itself, and asks for it by the switches that it would start
// it with. It leaves nothing behind: its sessions are browser contexts that end with its connection.
import type { ChildProcess } from 'node:child_process'
import { type Chromium, startChromium } from './chromium.ts'

/** How many applications use one Chromium, one after another. */
const MAX_USES = 20

interface LentChromium {
  readonly chromium: Chromium
  readonly args: string
  uses: number
}

const idle: LentChromium[] = []

/**
 * Lends a Chromium to an application. Call this as the application is started, with HOST_BORROWS=1 in its environment.
 */
export function lendTo(application: ChildProcess): void {
  let current: LentChromium | undefined
  application.on('message', async (message: { switches?: readonly string[] } | null) => {
    if (!Array.isArray(message?.switches)) return
    const answer = await lend(message.switches).then(
      (lent) => ({ lent }),
      (error: Error) => ({ why: error.message })
    )
    if (application.connected) application.send(answer)
  })

  async function lend(switches: readonly string[]): Promise<string> {
    current = takeIdle(switches)
    current.uses++
    return await current.chromium.endpoint()
  }

  application.once('exit', (code) => {
    if (!current) return
    const isReusable = code === 0 && current.chromium.isRunning() && current.uses < MAX_USES
    if (isReusable) idle.push(current)
    else void current.chromium.end()
  })
}

function takeIdle(switches: readonly string[]): LentChromium {
  const args = switches.join('\n')
  const at = idle.findIndex((one) => one.args === args && one.chromium.isRunning())
  const [known] = at < 0 ? [] : idle.splice(at, 1)
  return known ?? { chromium: startChromium(switches), args, uses: 0 }
}

/**
 * In the application: returns the endpoint of the Chromium it is lent, or undefined if the parent process lends none.
 */
export async function borrowEndpoint(switches: readonly string[]): Promise<string | undefined> {
  if (process.env.HOST_BORROWS !== '1' || !process.send) return undefined
  process.channel?.ref()
  const lent = await new Promise<string>((resolve, reject) => {
    const onMessage = (message: { lent?: string; why?: string } | null) => {
      const { lent: endpoint, why } = message ?? {}
      if (endpoint === undefined && why === undefined) return
      process.off('message', onMessage)
      if (endpoint === undefined) reject(new Error(why))
      else resolve(endpoint)
    }
    process.on('message', onMessage)
    process.send?.({ switches })
  })
  process.channel?.unref()
  return lent
}
