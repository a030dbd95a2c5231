/** A test program that reports its progress and is killed part-way. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a program may take to say something, in milliseconds. */
const TIMEOUT = 300_000

/** The unit of `ulimit -f`, in bytes. */
const BLOCK = 512

/**
 * Starts a program.
 * @param maxFileBytes the largest size of its files: beyond that its writes fail, as on a full disk.
 */
export function begin(program: URL, args: readonly string[], maxFileBytes?: number) {
  const command = [program.pathname, ...args]
  const limit = `ulimit -f ${Math.floor((maxFileBytes ?? 0) / BLOCK)}; exec "$0" "$@"`
  const [path, childArgs] =
    maxFileBytes === undefined
      ? ([process.execPath, command] as const)
      : (['/bin/sh', ['-c', limit, process.execPath, ...command]] as const)
  const child = spawn(path, childArgs, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  async function printed(word: string): Promise<void> {
    const until = performance.now() + TIMEOUT
    while (!output.includes(word)) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`The process never said “${word}”.`)
      await pause(5)
    }
  }
  return { child, printed, output: () => output }
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
