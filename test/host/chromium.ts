// Chromium as a process: started with the switches it is given, and ended and cleared away whatever becomes of who started it.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findChromium } from '../../scripts/system-packages.ts'

async function readEndpoint({ profile, isRunning, complaints }: Omit<Chromium, 'endpoint' | 'end'>): Promise<string> {
  for (;;) {
    try {
      const [port, path] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
      if (port && path) return `ws://127.0.0.1:${port}${path}`
    } catch {
      // not written yet
    }
    if (!isRunning()) throw new Error(complaints())
    await pause(10)
  }
}

/**
 * Chrome opens lines ahead to where it thinks that a page leads, before anybody is asked; Electron does not. And it has one policy
 * of calls for all pages, where Electron has one for each: the one that our application gives each of its pages.
 */
function preferences(profile: string): void {
  mkdirSync(join(profile, 'Default'))
  const set = { net: { network_prediction_options: 2 }, webrtc: { ip_handling_policy: 'disable_non_proxied_udp' } }
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(set))
}

/** Chromium as a process, whoever speaks with it. */
export interface Chromium {
  readonly child: ChildProcess
  /** For whatever is only there while it runs. */
  readonly profile: string
  isRunning(): boolean
  /** Settles once it has ended. */
  readonly ended: Promise<void>
  /** What is said where it doesn't start: with what it has complained of. */
  complaints(): string
  /** Where a client attaches: ws://127.0.0.1:…/devtools/browser/… */
  endpoint(): Promise<string>
  /** Ends it at once, and removes what it wrote. */
  end(): Promise<void>
}

/** Where Chromiums keep their files: by the process that started each. */
const PROFILE = 'countersign-chromium-'

/** Removes what Chromiums left whose process was ended by force, or ended while they still wrote. */
function clearAway(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, starter] = /^(\d+)-/.exec(name.startsWith(PROFILE) ? name.slice(PROFILE.length) : '') ?? []
    if (starter !== undefined && !isProcess(Number(starter))) removeAsFarAsItGoes(join(tmpdir(), name))
  }
}

function isProcess(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // Somebody else's is running.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Chromium may still be writing: whoever starts one after this process has ended removes the rest. */
function removeAsFarAsItGoes(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  } catch {
    // see above
  }
}

const alive = new Set<() => void>()
// Last resort: whoever started one and ends in any way takes it along (a killed one closes the pipe, with the same end).
process.once('exit', () => {
  for (const end of alive) end()
})

/** @param args its switches; where it keeps its files is chosen here. */
export function startChromium(args: readonly string[]): Chromium {
  const program = findChromium()
  if (!program) throw new Error('No Chromium on this machine: run `node scripts/system-packages.ts chromium`')
  clearAway()
  const profile = mkdtempSync(join(tmpdir(), `${PROFILE}${process.pid}-`))
  preferences(profile)
  const child = spawn(program, [...args, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe']
  })
  let complaints = ''
  child.stderr?.on('data', (chunk) => (complaints = (complaints + chunk).slice(-4000)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const atExit = () => {
    child.kill('SIGKILL')
    removeAsFarAsItGoes(profile)
  }
  alive.add(atExit)
  const its = {
    ...{ child, profile, ended },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    complaints: () => `Chromium (${program}) did not start:\n${complaints}`
  }
  return {
    ...its,
    endpoint: () => readEndpoint(its),
    async end() {
      child.kill('SIGKILL')
      await ended
      alive.delete(atExit)
      removeAsFarAsItGoes(profile)
    }
  }
}
