/**
 * Countersign's status for monitoring software: a run writes it once a minute and on changes, and `countersign
 * --status` prints it as one line. Only ids, codes and counts.
 */
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { type Throttled, type Time, throttled } from '../lib/time.ts'

const STATUS_FILE = 'status.json'
/** Milliseconds between writes without changes; `MIN_INTERVAL`: minimum between writes with many changes. */
const HEARTBEAT = 60_000
const MIN_INTERVAL = 5000
/** A run that hasn't written for this long, in milliseconds, counts as hanging. */
const HANGING_AFTER = 5 * HEARTBEAT
/** Maximum length of our own file, in characters, with room to spare. */
const MAX_FILE_LENGTH = 256 * 1024

const code = z.string().regex(/^[a-z0-9-]{1,40}$/)
const time = z.iso.datetime()

const Facts = z.strictObject({
  version: z.string().max(40).describe('The version of Countersign.'),
  keychain: z
    .enum(['available', 'missing', 'locked', 'failed'])
    .describe('The state of the keychain when Countersign started.'),
  database: z
    .enum(['encrypted', 'memory', 'locked'])
    .describe(
      '“memory”: what is entered is lost when Countersign ends; “reason” says why. “locked”: Countersign asks for the recovery key, and nothing else is known.'
    ),
  reason: code.optional(),
  troubles: z
    .array(z.strictObject({ store: code, kind: code, reason: code }))
    .describe('Files that were set aside or can’t be written, until someone marks them as settled.'),
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
    .describe(
      'Whether each account’s service can be reached. Names are left out; Settings → Support shows which account has which id.'
    ),
  sends: z
    .strictObject({
      waiting: z.int().min(0).describe('Packages in the Outbox that haven’t been sent.'),
      uncertain: z.int().min(0).describe('Packages for which it isn’t known yet whether the service has them.')
    })
    .describe('The Outbox of all accounts.'),
  lastBackup: time.nullable().describe('When the last backup was made on this computer; null for never.'),
  policy: z.enum(['none', 'followed', 'broken', 'missing']).describe('The state of the organisation’s policy.'),
  policyFrom: z
    .enum(['file', 'managed', 'managed-not-file'])
    .optional()
    .describe(
      '“managed”: from the system’s device management; “managed-not-file”: the same, and there is also a policy file, which isn’t used.'
    )
})
export type StatusFacts = z.output<typeof Facts>
/** While the data are locked, little is known. */
const KnownFacts = Facts.partial()
type KnownFacts = z.output<typeof KnownFacts>

const StatusContent = z.strictObject({
  facts: KnownFacts,
  at: time,
  /** Id of the main process; missing once it has ended. */
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

/** In monitoring convention: the exit code is the index. */
const HEALTHS: readonly Health[] = ['ok', 'warning', 'critical', 'unknown']
/** If there are several problems, the first of these counts. */
const BY_SEVERITY: readonly Health[] = ['critical', 'warning', 'unknown', 'ok']

const Line = z
  .strictObject({
    health: z.enum(HEALTHS).describe('The exit code says the same: 0, 1, 2 or 3.'),
    problems: z.array(z.enum(Object.keys(PROBLEMS) as [Problem, ...Problem[]])).describe('Why it isn’t “ok”.'),
    running: z.boolean().describe('Whether Countersign is running.'),
    at: time.nullable().describe('When Countersign last recorded what follows; null if it never did.'),
    ...KnownFacts.shape
  })
  .describe('What `countersign --status` prints, in one line.')

export function publishedStatusSchema(): object {
  return {
    ...z.toJSONSchema(Line, { reused: 'inline' }),
    $id: 'https://countersign.example/status.schema.json',
    title: 'Countersign status'
  }
}

export interface StatusSystem {
  now: number
  /** Whether a process with this id is running. */
  isRunning(pid: number): boolean
}

/** Returns the line and exit code. Never throws, and opens only the status file. */
export function statusLine(folder: string, { now, isRunning }: StatusSystem): { line: string; exitCode: number } {
  const read = readStatus(folder)
  if (typeof read === 'string') return lineOf({ problems: [read], running: false, at: null })
  const { at, pid, facts } = read
  const running = pid !== undefined && isRunning(pid)
  const problems = problemsOf(facts, running)
  if (running && now - Date.parse(at) > HANGING_AFTER) problems.unshift('no-answer')
  if (pid !== undefined && !running) problems.unshift('ended-unexpectedly')
  return lineOf({ problems, running, at, ...facts })
}

function lineOf(line: Omit<z.output<typeof Line>, 'health'>): { line: string; exitCode: number } {
  const healths = line.problems.map((problem): Health => PROBLEMS[problem])
  const health = BY_SEVERITY.find((one) => healths.includes(one)) ?? 'ok'
  return { line: JSON.stringify({ health, ...line }), exitCode: HEALTHS.indexOf(health) }
}

function problemsOf({ keychain, database, policy, ...facts }: KnownFacts, running: boolean) {
  const { troubles = [], accounts = [], sends } = facts
  const problems: Problem[] = []
  const addIf = (problem: Problem, isThere: boolean) => void (isThere && problems.push(problem))
  addIf('keychain-unavailable', keychain !== undefined && keychain !== 'available')
  addIf('database-in-memory', database === 'memory')
  addIf('data-locked', database === 'locked')
  addIf('file-trouble', troubles.length > 0)
  // Connections of a run that has ended say nothing about now.
  addIf('account-refused', running && accounts.some(({ state }) => state === 'refused'))
  addIf('account-offline', running && accounts.some(({ state }) => state === 'offline'))
  addIf('sends-uncertain', (sends?.uncertain ?? 0) > 0)
  addIf('policy-unusable', policy === 'broken' || policy === 'missing')
  return problems
}

function readStatus(folder: string): z.output<typeof StatusContent> | 'never-started' | 'unreadable' {
  let text: string
  try {
    text = readFileSync(join(folder, STATUS_FILE), 'utf8')
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'never-started' : 'unreadable'
  }
  // Only prints data of the expected shape: another of the user's programs may have written the file.
  const read = text.length > MAX_FILE_LENGTH ? undefined : StatusContent.safeParse(parsedJson(text)).data
  return read ?? 'unreadable'
}

export interface StatusFileDeps {
  /** The data folder. */
  folder: string
  pid: number
  facts: () => KnownFacts
  time: Pick<Time, 'now' | 'after'>
}

/** Keeps the status file up to date while the application runs. If the disk is full, the file stays as it was. */
export class StatusFile {
  readonly #deps: StatusFileDeps
  readonly #throttled: Throttled
  #writing: Promise<void> = Promise.resolve()
  #cancel: (() => void) | undefined
  #last: KnownFacts | undefined

  constructor(deps: StatusFileDeps) {
    this.#deps = deps
    this.#throttled = throttled(deps.time, MIN_INTERVAL, () => this.#write(deps.pid))
    this.#beat()
  }

  /** Call when the facts may have changed. */
  readonly changed = (): void => this.#throttled.request()

  /** Writes the run's final facts. Must be called while they are still available. */
  async end(): Promise<void> {
    this.#stop()
    this.#write(undefined)
    await this.#writing
  }

  /** Stops, because another instance in this run takes over. */
  async handOver(): Promise<void> {
    this.#stop()
    await this.#writing
  }

  /** Resolves once all changes so far are written. Never rejects. */
  async whenWritten(): Promise<void> {
    await this.#writing
  }

  #stop(): void {
    this.#cancel?.()
    this.#throttled.stop()
  }

  #beat(): void {
    this.#throttled.request()
    this.#cancel = this.#deps.time.after(HEARTBEAT, () => this.#beat())
  }

  #write(pid: number | undefined): void {
    const { facts, folder, time } = this.#deps
    this.#last = this.#readFacts(facts) ?? this.#last
    if (!this.#last) return
    const written = { facts: this.#last, at: new Date(time.now()).toISOString(), ...(pid !== undefined && { pid }) }
    const path = join(folder, STATUS_FILE)
    // Renamed into place, so readers never see a partial file. Not flushed: it is rewritten within a minute, or by the
    // start after a power failure.
    const write = () =>
      writeFile(`${path}.new`, JSON.stringify(written), { mode: 0o600 }).then(() => rename(`${path}.new`, path))
    this.#writing = this.#writing.then(write).catch(() => undefined)
  }

  /** If the database can't be read now, there are no new facts. */
  #readFacts(facts: () => KnownFacts): KnownFacts | undefined {
    try {
      return facts()
    } catch {
      return undefined
    }
  }
}
