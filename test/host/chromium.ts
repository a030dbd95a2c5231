// Chromium as a process: started with the given switches, and ended and cleaned up whatever happens to the process that
// started it.
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
 * Writes Chromium's preferences. Chrome opens connections ahead to where it expects a page to lead, before anyone is
 * asked; Electron doesn't. And Chrome has one WebRTC policy for all pages where Electron has one per page: this is the
 * one that our application sets for each of its pages.
 */
function writePreferences(profile: string): void {
  mkdirSync(join(profile, 'Default'))
  const set = { net: { network_prediction_options: 2 }, webrtc: { ip_handling_policy: 'disable_non_proxied_udp' } }
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(set))
}

/** A Chromium process, independent of its clients. */
export interface Chromium {
  readonly child: ChildProcess
  /** The profile folder, also for other files that only exist while Chromium runs. */
  readonly profile: string
  isRunning(): boolean
  /** Resolves once the process has ended. */
  readonly ended: Promise<void>
  /** Returns the error message for a failed start, with the end of what Chromium wrote to stderr. */
  complaints(): string
  /** Returns the address that a client attaches to: ws://127.0.0.1:…/devtools/browser/… */
  endpoint(): Promise<string>
  /** Kills the process at once and removes its files. */
  end(): Promise<void>
}

/** Prefix of the profile folders; the id of the process that started the Chromium follows. */
const PROFILE = 'countersign-chromium-'

/** Removes the files of Chromiums whose starting process was killed, or ended while they were still writing. */
function removeStaleProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, starter] = /^(\d+)-/.exec(name.startsWith(PROFILE) ? name.slice(PROFILE.length) : '') ?? []
    if (starter !== undefined && !isProcess(Number(starter))) removeIfPossible(join(tmpdir(), name))
  }
}

function isProcess(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch (error) {
    // The process is running, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Removes as much of a folder as possible. Chromium may still be writing; the next start after this process has ended
 * removes the rest.
 */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  } catch {
    // see above
  }
}

const exitHandlers = new Set<() => void>()
// Last resort: takes every Chromium along however this process exits. (If it is killed, the pipe closes, to the same
// effect.)
process.once('exit', () => {
  for (const end of exitHandlers) end()
})

/**
 * Starts Chromium with a new profile folder.
 * @param args its switches, without the profile folder
 */
export function startChromium(args: readonly string[]): Chromium {
  const program = findChromium()
  if (!program) throw new Error('No Chromium on this machine: run `node scripts/system-packages.ts chromium`')
  removeStaleProfiles()
  const profile = mkdtempSync(join(tmpdir(), `${PROFILE}${process.pid}-`))
  writePreferences(profile)
  const child = spawn(program, [...args, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe']
  })
  let stderrTail = ''
  child.stderr?.on('data', (chunk) => (stderrTail = (stderrTail + chunk).slice(-4000)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const atExit = () => {
    child.kill('SIGKILL')
    removeIfPossible(profile)
  }
  exitHandlers.add(atExit)
  const processParts = {
    child,
    profile,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    complaints: () => `Chromium (${program}) did not start:\n${stderrTail}`
  }
  return {
    ...processParts,
    endpoint: () => readEndpoint(processParts),
    async end() {
      child.kill('SIGKILL')
      await ended
      exitHandlers.delete(atExit)
      removeIfPossible(profile)
    }
  }
}
