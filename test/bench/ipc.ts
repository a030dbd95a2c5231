/**
 * A request through the typed contract (sender checked, input decoded, handled, answered as data) against the same payload through
 * Electron's own `ipcMain.handle` alone, in turns on the same host.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildApp } from '../e2e/attacks/attacked-app.ts'
import { type Bench, lower, median, rounded } from './figure.ts'
import type { Turns } from './ipc-app.ts'

const root = resolve(import.meta.dirname, '../..')

export const ipc: Bench = {
  name: 'ipc',
  async run() {
    const took = await measured()
    return Object.entries(took).map(([name, { ours, bare }]) => {
      const ratio = median(ours.map((each, turn) => each / (bare[turn] as number)))
      const against = `${name} by \`ipcMain.handle\` alone, ${rounded(median(bare))} ms, median of ${bare.length} turns`
      return lower(`ipc-${name.replace('.', '-')}`, ratio, 'ratio', 1.3, against)
    })
  }
}

async function measured(): Promise<Record<string, Turns>> {
  const data = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const built = await buildApp({ main: 'test/bench/ipc-app.ts', preload: 'test/bench/ipc-preload.ts' })
  try {
    const args = [built.preload, join(root, 'test/e2e/attacks/page'), `--user-data-dir=${data}`]
    const host = ['--import', join(root, 'test/host/register.ts')]
    const application = fork(built.main, args, { cwd: root, execArgv: host })
    const took = await new Promise<Record<string, Turns>>((done, failed) => {
      application.once('message', (message) => done(message as Record<string, Turns>))
      application.once('exit', () => failed(new Error('The application ended before it had measured.')))
    })
    if (application.exitCode === null) await new Promise((ended) => application.once('exit', ended))
    return took
  } finally {
    built.remove()
    await rm(data, { recursive: true, force: true })
  }
}
