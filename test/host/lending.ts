// Chromiums that one application after the other runs in, where a process starts many: to start one is a third of a start. Each has it for
// itself, asks for it by the switches that it would start it with, and leaves nothing there: its sessions are contexts that end with its line.
import type { ChildProcess } from 'node:child_process'
import { type Chromium, startChromium } from './chromium.ts'

/** So many have it, one after the other. */
const MOST_USES = 20

interface Kept {
  readonly chromium: Chromium
  readonly args: string
  uses: number
}

const idle: Kept[] = []

/** To be called as an application is started, with HOST_BORROWS=1 in its environment. */
export function lendTo(application: ChildProcess): void {
  let kept: Kept | undefined
  application.on('message', async (message: { wanted?: readonly string[] } | null) => {
    if (!Array.isArray(message?.wanted)) return
    const answer = await lend(message.wanted).then(
      (lent) => ({ lent }),
      (error: Error) => ({ why: error.message })
    )
    if (application.connected) application.send(answer)
  })

  async function lend(wanted: readonly string[]): Promise<string> {
    kept = taken(wanted)
    kept.uses++
    return await kept.chromium.endpoint()
  }

  application.once('exit', (code) => {
    if (!kept) return
    const isGood = code === 0 && kept.chromium.isRunning() && kept.uses < MOST_USES
    if (isGood) idle.push(kept)
    else void kept.chromium.end()
  })
}

function taken(wanted: readonly string[]): Kept {
  const args = wanted.join('\n')
  const at = idle.findIndex((one) => one.args === args && one.chromium.isRunning())
  const [known] = at < 0 ? [] : idle.splice(at, 1)
  return known ?? { chromium: startChromium(wanted), args, uses: 0 }
}

/** In the application: where the Chromium is that it has now; undefined where nobody lends one. */
export async function borrowed(wanted: readonly string[]): Promise<string | undefined> {
  if (process.env.HOST_BORROWS !== '1' || !process.send) return undefined
  process.channel?.ref()
  const lent = await new Promise<string>((resolve, reject) => {
    const hear = (message: { lent?: string; why?: string } | null) => {
      const { lent: endpoint, why } = message ?? {}
      if (endpoint === undefined && why === undefined) return
      process.off('message', hear)
      if (endpoint === undefined) reject(new Error(why))
      else resolve(endpoint)
    }
    process.on('message', hear)
    process.send?.({ wanted })
  })
  process.channel?.unref()
  return lent
}
