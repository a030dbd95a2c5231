/** A program of a test that says how far it is, and is killed in the middle of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a program may take to say something, in milliseconds. */
const TIMEOUT = 300_000

export function begin(program: URL, args: readonly string[]) {
  const child = spawn(process.execPath, [program.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
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
  return { child, said }
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
