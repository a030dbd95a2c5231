/** Starts the application under attack and talks to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { requestNamesPlugin } from '../../../scripts/request-names.ts'
import { selfSigned } from '../../contract/self-signed.ts'
import type { Answer, Command, Facts, Report } from './control.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')

const TIMEOUT_MS = 30_000

/**
 * Switches that the packaged application isn't started with: they trust the encrypted servers' certificate by its key,
 * and have the browser send its own reports within a second instead of a minute.
 */
const OPEN_TO_ATTACK = [`--ignore-certificate-errors-spki-list=${keyOf(selfSigned.cert)}`, '--short-reporting-delay']

function keyOf(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

export class AttackedApp {
  readonly #process: ChildProcess
  readonly #tidy: () => void
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  /** Everything it has reported since `forget`. */
  reports: Report[] = []
  output = ''
  /** How long to wait for anything. */
  timeoutMs = TIMEOUT_MS
  /** Rejects the pending command if the application ends. */
  #gone = () => {}
  #lastId = 0

  private constructor(child: ChildProcess, tidy: () => void) {
    this.#process = child
    this.#tidy = tidy
    child.on('message', (message: Report | Answer) => {
      if (message.kind === 'answer') this.#waiting.get(message.id)?.(message)
      else this.reports.push(message)
    })
    child.once('disconnect', () => this.#gone())
    child.stdout?.on('data', (text) => (this.output += text))
    child.stderr?.on('data', (text) => (this.output += text))
  }

  /**
   * Starts the application on the Chromium host, or on Electron itself with COUNTERSIGN_E2E=electron, as in `launch`.
   * @param builtApp what to start; by default it is built for this start alone
   * @param timeoutMs how long to wait for anything once it has started
   */
  static async start(builtApp?: BuiltApp, timeoutMs = TIMEOUT_MS): Promise<AttackedApp> {
    const built = builtApp ?? (await buildAttackedApp())
    const data = mkdtempSync(join(tmpdir(), 'countersign-attacked-'))
    mkdirSync(join(data, 'downloads'))
    const args = [built.main, built.preload, join(here, 'page'), `--user-data-dir=${data}`, ...OPEN_TO_ATTACK]
    const child = spawn(...commandFor(args), { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    const app = new AttackedApp(child, () => {
      rmSync(data, { recursive: true, force: true })
      if (!builtApp) built.remove()
    })
    await app.until(() => app.reports.some(({ kind }) => kind === 'ready'), 'the application to show itself')
    app.timeoutMs = timeoutMs
    return app
  }

  /** Whether it is still running. */
  get isRunning(): boolean {
    return this.#process.connected
  }

  async say(command: Command): Promise<unknown> {
    if (!this.isRunning) throw new Error(`The application ended before “${command.do}”.\n${this.output}`)
    const id = ++this.#lastId
    let timer: NodeJS.Timeout | undefined
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, resolve)
      const inVain = () =>
        reject(new Error(`No answer to “${command.do}”.\n${JSON.stringify(this.reports)}\n${this.output}`))
      timer = setTimeout(inVain, 2 * this.timeoutMs)
      this.#gone = inVain
    })
    this.#process.send({ id, command })
    const { value, error } = await answer.finally(() => clearTimeout(timer))
    this.#waiting.delete(id)
    if (error) throw new Error(error)
    return value
  }

  async facts(): Promise<Facts> {
    return (await this.say({ do: 'facts' })) as Facts
  }

  /**
   * Forgets what was reported, asked and denied so far, and moves the clock on so that repeated reports aren't
   * suppressed.
   */
  async forget(): Promise<void> {
    await this.say({ do: 'forget' })
    this.reports = []
  }

  kinds(): string[] {
    return this.reports.map(({ kind }) => kind)
  }

  /** Waits until a page has been shown to the person this many times since `forget`. */
  untilOpened(times: number, what = 'the page to open'): Promise<void> {
    return this.until(() => this.kinds().filter((kind) => kind === 'open').length === times, what)
  }

  /** Waits until a condition is true, for `timeoutMs` at most. */
  async until(holds: () => boolean, what: string): Promise<void> {
    for (let waited = 0; !holds(); waited += 20) {
      if (this.#process.exitCode !== null) throw new Error(`The application ended.\n${this.output}`)
      if (waited > this.timeoutMs)
        throw new Error(`Waited in vain for ${what}.\n${JSON.stringify(this.reports)}\n${this.output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode === null) {
      // An application that doesn't answer ignores a polite signal too.
      await this.say({ do: 'quit' }).catch(() => this.#process.kill('SIGKILL'))
      await ended
    }
    this.#tidy()
  }
}

function commandFor(args: string[]): [command: string, args: string[]] {
  if (process.env.COUNTERSIGN_E2E !== 'electron') {
    return [process.execPath, ['--import', join(root, 'test/host/register.ts'), ...args]]
  }
  // Outside Electron, the package's export is the path of its program.
  const electron = createRequire(import.meta.url)('electron') as string
  return [electron, process.getuid?.() === 0 ? [...args, '--no-sandbox'] : args]
}

/** What `AttackedApp` starts: built once, started as often as needed. */
export interface BuiltApp {
  main: string
  preload: string
  remove(): void
}

/**
 * Builds the application under attack.
 * @param plugins further changes to its sources
 */
export function buildAttackedApp(plugins: Plugin[] = []): Promise<BuiltApp> {
  return buildApp({ main: 'test/e2e/attacks/app.ts', preload: 'src/preload/index.ts' }, plugins)
}

/** Builds an application from two files, each named from the repository's root. */
export async function buildApp(from: { main: string; preload: string }, plugins: Plugin[] = []): Promise<BuiltApp> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-attacks-'))
  // A sandboxed preload must be CommonJS in one piece.
  const built = async (source: string, as: { format: 'cjs' | 'es'; name: string }) => {
    await build({
      configFile: false,
      root,
      logLevel: 'silent',
      plugins: [requestNamesPlugin(), ...plugins],
      ssr: { noExternal: true },
      build: {
        outDir: folder,
        emptyOutDir: false,
        ssr: source,
        rollupOptions: { external: ['electron'], output: { format: as.format, entryFileNames: as.name } }
      }
    })
    return join(folder, as.name)
  }
  return {
    preload: await built(from.preload, { format: 'cjs', name: 'preload.cjs' }),
    main: await built(from.main, { format: 'es', name: 'app.mjs' }),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
