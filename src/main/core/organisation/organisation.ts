/**
 * The organisation's settings for this computer (decision 41). The policy file is followed as a whole or not at all. If
 * it can't be used or is missing, the last usable one still applies, which is kept in the encrypted database. If there
 * never was a usable one, everything that a policy could lock is locked. If the system's own management has settings
 * (decision 58), those are the policy instead of the file.
 */
import { watch } from 'chokidar'
import { z } from 'zod'
import {
  LOCKABLE,
  type Lockable,
  type OrganisationsOAuth,
  type PolicyProblem,
  type PolicyView
} from '../../../shared/contract/policy.ts'
import type { AuthScheme } from '../../../shared/contract/views.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { shortened } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import { type ManagedReading, type ManagedSource, readFoundPolicy, readManaged } from './managed.ts'
import { type PolicyFile, type PolicyLocation, readPolicyFile } from './policy-file.ts'

import { readPolicy } from './reading.ts'
import type { Policy } from './schema.ts'

const KEY = 'organisation-policy'
const Kept = z.object({ text: z.string(), since: z.number() })
/** The settings that the audit trail was told last, by name, with their values as JSON. */
const NOTED = 'organisation-policy-noted'
const Noted = z.record(z.string(), z.string())
/** The maximum length of a value in the audit trail. */
const MAX_VALUE_LENGTH = 400
/** How long to wait for a file that is being replaced, in milliseconds. */
const DEBOUNCE = 500
/** How often a registry is checked, in milliseconds, because it doesn't report changes. */
const POLL_INTERVAL = 600_000

export interface OrganisationDeps {
  db: Db
  place: PolicyLocation
  /** Where managed settings are, on a system that has them. */
  managed?: ManagedSource | undefined
  time: Pick<Time, 'now' | 'after'>
  log: Record<'info' | 'warn', (message: string, detail?: Record<string, unknown>) => void>
  /** Watches a file for changes; returns a function to stop. Tests pass their own. */
  listen?: (path: string, onChange: () => void) => () => void
}

interface CurrentPolicy {
  state: PolicyView['state']
  /** Undefined if there is a policy but never was a usable one. */
  policy: Policy | undefined
  problems: readonly PolicyProblem[]
  since?: number
  isManaged?: true
  unusedFile?: string
}

export class Organisation {
  readonly #deps: OrganisationDeps
  readonly #meta: ReturnType<typeof openJsonMeta>
  #current: CurrentPolicy = { state: 'none', policy: {}, problems: [] }
  #text: string | undefined
  #checking: Promise<void> = Promise.resolve()
  #beforeChange: () => () => Promise<void> = () => async () => undefined
  #accountIds: readonly string[] = []
  #oauth: ReadonlyMap<string, OrganisationsOAuth> = new Map()
  #colouredIds: readonly string[] = []

  private constructor(deps: OrganisationDeps) {
    this.#deps = deps
    this.#meta = openJsonMeta(deps.db)
  }

  /** Reads the policy, before anything asks for it. Never rejects. */
  static async open(deps: OrganisationDeps): Promise<Organisation> {
    const opened = new Organisation(deps)
    opened.#current = await opened.#read()
    return opened
  }

  /** The policy in force. What it doesn't name isn't set. */
  get policy(): Policy {
    return this.#current.policy ?? {}
  }

  /** False if there is a policy but never was a usable one, so that its content is unknown. */
  get isKnown(): boolean {
    return this.#current.policy !== undefined
  }

  isLocked(setting: Lockable): boolean {
    return this.#current.policy === undefined || isSet(this.#current.policy, setting)
  }

  readonly allowsSignIn = (scheme: AuthScheme): boolean => this.policy.signInMethods?.includes(scheme) ?? true

  readonly plainHttpHosts = (): readonly string[] => this.policy.plainHttpHosts ?? []

  /** Whether an account is the organisation's. While the policy is unknown, any may be. */
  hasAccount(id: string): boolean {
    return this.#current.policy === undefined || this.#accountIds.includes(id)
  }

  hasColour(id: string): boolean {
    return this.#current.policy === undefined || this.#colouredIds.includes(id)
  }

  /**
   * Stores which accounts belong to the policy, how they sign in by OAuth 2 if it says so, and which have a colour from
   * it.
   */
  setAccounts(
    ids: readonly string[],
    oauth: ReadonlyMap<string, OrganisationsOAuth> = new Map(),
    colouredIds: readonly string[] = []
  ): void {
    this.#accountIds = ids
    this.#oauth = oauth
    this.#colouredIds = colouredIds
  }

  /** How an account signs in by OAuth 2, if the policy says so. */
  readonly oauthOf = (accountId: string): OrganisationsOAuth | undefined => this.#oauth.get(accountId)

  /** Records in the audit trail what has changed since the last record. */
  auditChanges(note: NoteInAudit): void {
    if (!this.isKnown) return
    const before = this.#meta.read(NOTED, Noted) ?? {}
    const after = valuesIn(this.policy)
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const changed = names.filter((name) => before[name] !== after[name])
    if (changed.length === 0) return
    const describe = (values: Partial<Record<string, string>>) =>
      changed.map((name) => `${name} ${shortened(values[name] ?? '–', MAX_VALUE_LENGTH)}`).join(', ')
    const detail = { changed: changed.join(', '), was: describe(before), to: describe(after) }
    note({ what: 'policy-changed', detail }, undefined, () => this.#meta.write(NOTED, after))
  }

  view(): PolicyView {
    const { state, problems, since, isManaged, unusedFile } = this.#current
    const { place, managed } = this.#deps
    const { signInMethods, counter, otherAccounts } = this.policy
    return {
      state,
      problems,
      accountIds: this.#accountIds,
      ...(isManaged && managed ? { place: managed.path, isManaged } : { place: place.path }),
      ...(unusedFile !== undefined && { unusedFile }),
      colouredIds: this.#colouredIds,
      locked: LOCKABLE.filter((setting) => this.isLocked(setting)),
      ...(this.#oauth.size > 0 && { oauth: Object.fromEntries(this.#oauth) }),
      ...(otherAccounts === 'enrolled' && { enrolsOnly: true }),
      ...(signInMethods && { signInMethods }),
      ...(counter?.pinDigits !== undefined && { pinDigits: counter.pinDigits }),
      ...(since !== undefined && { since })
    }
  }

  /**
   * Reads the policy again whenever it changes, until the returned function is called.
   * @param beforeChange called before another policy takes effect; the function it returns is called afterwards.
   */
  follow(beforeChange: () => () => Promise<void>): () => void {
    this.#beforeChange = beforeChange
    const { listen = watchFile, place, managed, time } = this.#deps
    let cancel: (() => void) | undefined
    const onChange = () => {
      cancel?.()
      cancel = time.after(DEBOUNCE, () => void this.check())
    }
    const paths = managed?.kind === 'profile' ? [place.path, managed.path] : [place.path]
    const stops = paths.map((path) => listen(path, onChange))
    if (managed?.kind === 'registry') stops.push(this.#poll())
    return () => {
      cancel?.()
      for (const stop of stops) stop()
    }
  }

  /** Checks regularly. Returns a function to stop. */
  #poll(): () => void {
    let cancel: (() => void) | undefined
    const wait = () => {
      cancel = this.#deps.time.after(POLL_INTERVAL, () => void this.check().then(() => cancel && wait()))
    }
    wait()
    return () => {
      cancel?.()
      cancel = undefined
    }
  }

  /** Reads the policy now. Never rejects. */
  check(): Promise<void> {
    // A failure, here or in a follower, must not stop later checks.
    this.#checking = this.#checking
      .then(() => this.#checkOnce())
      .catch(() => this.#deps.log.warn('What follows of the organisation’s policy could not be done.'))
    return this.#checking
  }

  async #checkOnce(): Promise<void> {
    const next = await this.#read()
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return
    let changed: () => Promise<void>
    try {
      changed = this.#beforeChange()
    } finally {
      this.#current = next
    }
    await changed()
  }

  async #read(): Promise<CurrentPolicy> {
    const { place, managed, time } = this.#deps
    const settings = await readManaged(managed, time, this.#lastText())
    const file = await readPolicyFile(place, time)
    if (settings.state === 'missing') return this.#evaluate(file)
    return {
      ...this.#evaluate(settings),
      isManaged: true,
      ...(file.state !== 'missing' && { unusedFile: place.path })
    }
  }

  #evaluate(found: PolicyFile | ManagedReading): CurrentPolicy {
    const { log, time } = this.#deps
    if (found.state === 'missing') return this.#withoutFile()
    const read = readFoundPolicy(found)
    if (!read.ok) {
      for (const one of read.problems) log.warn('The organisation’s policy can’t be used.', logDetailOf(one))
      return { state: 'broken', problems: read.problems, ...this.#lastGood() }
    }
    if (read.text !== this.#lastText()) {
      try {
        this.#meta.write(KEY, { text: read.text, since: time.now() })
      } catch {
        log.warn('The organisation’s policy holds, but could not be kept for a time when its file can’t be used.')
      }
      log.info('The organisation’s policy is another than before.', { settings: namesIn(read.policy) })
    }
    this.#text = read.text
    return { state: 'followed', policy: read.policy, problems: [] }
  }

  /** A missing file doesn't end a policy: an administrator withdraws it with one that sets nothing. */
  #withoutFile(): CurrentPolicy {
    const kept = this.#kept()
    if (!kept) return { state: 'none', policy: {}, problems: [] }
    const last = this.#lastGood()
    if (last.policy && Object.keys(last.policy).every((name) => name === '$schema')) {
      return { state: 'none', policy: {}, problems: [] }
    }
    this.#deps.log.warn('The organisation’s policy file is gone; what it had set still holds.')
    return { state: 'missing', problems: [], ...last }
  }

  #lastText(): string | undefined {
    return this.#text ?? this.#kept()?.text
  }

  #kept() {
    return this.#meta.read(KEY, Kept)
  }

  /**
   * A policy that a later version of the application can no longer read locks everything, like one that was never
   * usable.
   */
  #lastGood(): Pick<CurrentPolicy, 'policy' | 'since'> {
    const kept = this.#kept()
    const read = kept && readPolicy(new TextEncoder().encode(kept.text))
    return read?.ok ? { policy: read.policy, since: kept?.since ?? 0 } : { policy: undefined }
  }
}

/** For the log: leaves out quotations from the message, because they may repeat what the file says about accounts. */
function logDetailOf({ message, line, column, setting }: PolicyProblem): Record<string, unknown> {
  const where = setting === undefined ? { line: line ?? null, column: column ?? null } : { setting }
  return { ...where, problem: message.replace(/“[^”]*”/g, '“…”') }
}

function namesIn(policy: Policy): string[] {
  return LOCKABLE.filter((setting) => isSet(policy, setting))
}

const ALLOWED_BY_DEFAULT: ReadonlySet<Lockable> = new Set(['otherAccounts', 'practiceOffice', 'removal'])

/** Returns what is set, by the names of lockable settings. */
function valuesIn(policy: Policy): Record<string, string> {
  const members = Object.entries(policy).flatMap(([group, value]): [string, unknown][] =>
    GROUPS.has(group) && isRecord(value)
      ? Object.entries(value).map(([member, inner]) => [`${group}.${member}`, inner])
      : [[group, value]]
  )
  return Object.fromEntries(
    members
      .filter(([name, value]) => name !== '$schema' && value !== undefined)
      .map(([name, value]) => [name, JSON.stringify(value)])
  )
}

const GROUPS = new Set<string>(LOCKABLE.flatMap((setting) => setting.split('.').slice(0, -1)))

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSet(policy: Policy, setting: Lockable): boolean {
  const [group = '', member] = setting.split('.')
  const value: unknown = policy[group as keyof Policy]
  const found = member === undefined ? value : (value as Record<string, unknown> | undefined)?.[member]
  // Allowing what is allowed by default doesn't lock it.
  const isAllowed = ALLOWED_BY_DEFAULT.has(setting) && found === true
  return found !== undefined && !isAllowed
}

function watchFile(path: string, onChange: () => void): () => void {
  const watcher = watch(path, { ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true })
  watcher.on('all', onChange)
  // It may have changed since it was read.
  watcher.on('ready', onChange)
  watcher.on('error', () => undefined)
  return () => void watcher.close().catch(() => undefined)
}
