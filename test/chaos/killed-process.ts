/** A program of a test that says how far it is, and is killed in the middle of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a program may take to say something, in milliseconds. */
const TIMEOUT = 300_000

/** Bytes that `ulimit -f` counts by. */
const BLOCK = 512

/** @param mostFileBytes no file of it may become larger: its writes fail then, as they do on a disk that is full. */
export function begin(program: URL, args: readonly string[], mostFileBytes?: number) {
  const command = [program.pathname, ...args]
  const limit = `ulimit -f ${Math.floor((mostFileBytes ?? 0) / BLOCK)}; exec "$0" "$@"`
  const [path, given] =
    mostFileBytes === undefined
      ? ([process.execPath, command] as const)
      : (['/bin/sh', ['-c', limit, process.execPath, ...command]] as const)
  const child = spawn(path, given, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  async function said(word: string): Promise<void> {
    const until = performance.now() + TIMEOUT
    while (!output.includes(word)) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`The process never said “${word}”.`)
      await pause(5)
    }
  }
  return { child, said, output: () => output }
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
