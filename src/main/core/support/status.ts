/**
 * How Countersign stands, for a program that watches many computers: what a run writes down for it once a minute and whenever
 * something changes, and the one line that `countersign --status` makes of it. Ids, codes and counts alone.
 */
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { type Throttled, type Time, throttled } from '../lib/time.ts'

const STATUS_FILE = 'status.json'
/** Milliseconds between two times that it is written, where nothing changes and where much does. */
const HEARTBEAT = 60_000
const LEAST_BETWEEN = 5000
/** A run that has written nothing for so long, in milliseconds, doesn't work any more. */
const SILENT = 5 * HEARTBEAT
/** Of a file that is ours, with room to spare. */
const LARGEST = 256 * 1024

const code = z.string().regex(/^[a-z0-9-]{1,40}$/)
const time = z.iso.datetime()

const Facts = z.strictObject({
  version: z.string().max(40).describe('Of Countersign.'),
  keychain: z.enum(['available', 'missing', 'locked', 'failed']).describe('How the keychain answered at the start.'),
  database: z
    .enum(['encrypted', 'memory', 'locked'])
    .describe(
      '“memory”: what is entered is lost when Countersign ends; “reason” says why. “locked”: a person is asked for the recovery key, and nothing else is known.'
    ),
  reason: code.optional(),
  troubles: z
    .array(z.strictObject({ store: code, kind: code, reason: code }))
    .describe('Files that were set aside or can’t be written, until a person says that it is settled.'),
  accounts: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[\w-]{1,64}$/),
        kind: code,
        signIn: code,
        state: z.enum(['unknown', 'online', 'offline', 'refused']),
        reason: code.optional()
      })
    )
    .describe('How the service of each is reached. Names are left out; Settings → Support shows whose id it is.'),
  sends: z
    .strictObject({
      waiting: z.int().min(0).describe('Packages in the Outbox that haven’t been sent.'),
      uncertain: z.int().min(0).describe('Packages of which isn’t known yet whether the service has them.')
    })
    .describe('The Outbox of all accounts.'),
  lastBackup: time.nullable().describe('When the last backup was made on this computer; null for never.'),
  policy: z.enum(['none', 'followed', 'broken', 'missing']).describe('How the organisation’s policy was found.'),
  policyFrom: z
    .enum(['file', 'managed', 'managed-not-file'])
    .optional()
    .describe(
      '“managed”: the system’s own management gives it; “managed-not-file”: a policy file is there as well, and not used.'
    )
})
export type StatusFacts = z.output<typeof Facts>
/** While the data are locked little is known. */
const KnownFacts = Facts.partial()
type KnownFacts = z.output<typeof KnownFacts>

/** What a run writes down. */
const Written = z.strictObject({
  facts: KnownFacts,
  at: time,
  /** Of the main process; absent once it has ended. */
  pid: z.int().positive().optional()
})

const PROBLEMS = {
  'never-started': 'unknown',
  unreadable: 'unknown',
  'no-answer': 'critical',
  'ended-unexpectedly': 'warning',
  'keychain-unavailable': 'critical',
  'database-in-memory': 'critical',
  'data-locked': 'critical',
  'file-trouble': 'warning',
  'account-refused': 'warning',
  'account-offline': 'warning',
  'sends-uncertain': 'warning',
  'policy-unusable': 'warning'
} as const satisfies Record<string, Exclude<Health, 'ok'>>
type Problem = keyof typeof PROBLEMS
type Health = 'ok' | 'warning' | 'critical' | 'unknown'

/** As monitors have it: the exit code is the place in this list. */
const HEALTHS: readonly Health[] = ['ok', 'warning', 'critical', 'unknown']
/** Where several things are wrong, the first of these counts. */
const WORST: readonly Health[] = ['critical', 'warning', 'unknown', 'ok']

const Line = z
  .strictObject({
    health: z.enum(HEALTHS).describe('The exit code says the same: 0, 1, 2 or 3.'),
    problems: z.array(z.enum(Object.keys(PROBLEMS) as [Problem, ...Problem[]])).describe('Why it isn’t “ok”.'),
    running: z.boolean().describe('Whether Countersign runs.'),
    at: time.nullable().describe('When a run of Countersign last wrote down what follows; null where none did.'),
    ...KnownFacts.shape
  })
  .describe('What `countersign --status` prints, in one line.')

/** The schema of the line, as it is published. */
export function publishedStatusSchema(): object {
  return {
    ...z.toJSONSchema(Line, { reused: 'inline' }),
    $id: 'https://countersign.example/status.schema.json',
    title: 'Countersign status'
  }
}

export interface StatusSystem {
  now: number
  /** Whether a process of this number runs. */
  runs(pid: number): boolean
}

/** The line, and the code to exit with. Never throws, and opens nothing but that file. */
export function statusLine(folder: string, { now, runs }: StatusSystem): { line: string; exitCode: number } {
  const read = readWritten(folder)
  if (typeof read === 'string') return shown({ problems: [read], running: false, at: null })
  const { at, pid, facts } = read
  const running = pid !== undefined && runs(pid)
  const problems = problemsOf(facts, running)
  if (running && now - Date.parse(at) > SILENT) problems.unshift('no-answer')
  if (pid !== undefined && !running) problems.unshift('ended-unexpectedly')
  return shown({ problems, running, at, ...facts })
}

function shown(line: Omit<z.output<typeof Line>, 'health'>): { line: string; exitCode: number } {
  const healths = line.problems.map((problem): Health => PROBLEMS[problem])
  const health = WORST.find((one) => healths.includes(one)) ?? 'ok'
  return { line: JSON.stringify({ health, ...line }), exitCode: HEALTHS.indexOf(health) }
}

function problemsOf({ keychain, database, policy, ...facts }: KnownFacts, running: boolean) {
  const { troubles = [], accounts = [], sends } = facts
  const problems: Problem[] = []
  const note = (problem: Problem, isThere: boolean) => void (isThere && problems.push(problem))
  note('keychain-unavailable', keychain !== undefined && keychain !== 'available')
  note('database-in-memory', database === 'memory')
  note('data-locked', database === 'locked')
  note('file-trouble', troubles.length > 0)
  // How a service was reached by a run that is over says nothing of now.
  note('account-refused', running && accounts.some(({ state }) => state === 'refused'))
  note('account-offline', running && accounts.some(({ state }) => state === 'offline'))
  note('sends-uncertain', (sends?.uncertain ?? 0) > 0)
  note('policy-unusable', policy === 'broken' || policy === 'missing')
  return problems
}

function readWritten(folder: string): z.output<typeof Written> | 'never-started' | 'unreadable' {
  let text: string
  try {
    text = readFileSync(join(folder, STATUS_FILE), 'utf8')
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'never-started' : 'unreadable'
  }
  // It prints nothing that isn't of its shape: another program of the user's may have written it.
  const read = text.length > LARGEST ? undefined : Written.safeParse(parsedJson(text)).data
  return read ?? 'unreadable'
}

export interface StatusFileDeps {
  /** The data folder. */
  folder: string
  pid: number
  facts: () => KnownFacts
  time: Pick<Time, 'now' | 'after'>
}

/** Keeps the file as things are, for as long as the application runs. A disk that is full leaves it as it was. */
export class StatusFile {
  readonly #deps: StatusFileDeps
  readonly #throttled: Throttled
  #writing: Promise<void> = Promise.resolve()
  #cancel: (() => void) | undefined
  #last: KnownFacts | undefined

  constructor(deps: StatusFileDeps) {
    this.#deps = deps
    this.#throttled = throttled(deps.time, LEAST_BETWEEN, () => this.#write(deps.pid))
    this.#beat()
  }

  /** Something of it may have changed. */
  readonly changed = (): void => this.#throttled.ask()

  /** The last facts of the run, once it is over. To be called while they can still be asked for. */
  async end(): Promise<void> {
    this.#stop()
    this.#write(undefined)
    await this.#writing
  }

  /** Another one of this run goes on. */
  async handOver(): Promise<void> {
    this.#stop()
    await this.#writing
  }

  /** Resolves once what changed so far is written. Never rejects. */
  async settled(): Promise<void> {
    await this.#writing
  }

  #stop(): void {
    this.#cancel?.()
    this.#throttled.stop()
  }

  #beat(): void {
    this.#throttled.ask()
    this.#cancel = this.#deps.time.after(HEARTBEAT, () => this.#beat())
  }

  #write(pid: number | undefined): void {
    const { facts, folder, time } = this.#deps
    this.#last = this.#asked(facts) ?? this.#last
    if (!this.#last) return
    const written = { facts: this.#last, at: new Date(time.now()).toISOString(), ...(pid !== undefined && { pid }) }
    const path = join(folder, STATUS_FILE)
    // A reader finds it whole. It isn't flushed: the next minute has another, and a start after a power cut, too.
    const write = () =>
      writeFile(`${path}.new`, JSON.stringify(written), { mode: 0o600 }).then(() => rename(`${path}.new`, path))
    this.#writing = this.#writing.then(write).catch(() => undefined)
  }

  /** A database that can't be read just now says nothing new. */
  #asked(facts: () => KnownFacts): KnownFacts | undefined {
    try {
      return facts()
    } catch {
      return undefined
    }
  }
}
