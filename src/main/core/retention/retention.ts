/**
 * How long data is kept on this computer, and the daily purge: it erases only what the organisation's policy or the
 * office has set days for (decision 49). What was purged is in the audit trail, as numbers.
 */
import { z } from 'zod'
import {
  type DecodedInput,
  type DocumentKey,
  DUE_DAYS,
  type HoldView,
  RETENTION_KINDS,
  type RetentionDays,
  type RetentionDue,
  type RetentionKind,
  type RetentionView,
  retentionDays,
  TRASH_DAYS
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { DAY } from '../lib/calendar.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Organisation } from '../organisation/organisation.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { Holds } from './holds.ts'
import { type IdentityFiles, type IdentityFilesDeps, openIdentityFiles } from './identity-files.ts'
import { type Cutoffs, openPurging } from './purging.ts'

const KEY = 'retention'
const LOOKS = 'retention-looks'
const LAST = 'retention-last'
const Own = z.strictObject(retentionDays).partial()
const Looks = z.object({ at: z.number(), left: z.number() })
const Last = z.object({ at: z.number(), counts: z.partialRecord(z.enum(RETENTION_KINDS), z.number()) })

/**
 * How many days of use the clock must have been plausible before anything is purged: a wrong clock makes everything
 * look old.
 */
const LOOKS_FIRST = 3
const MINUTE = 60_000
/**
 * The minimum time between two days of use, and the minimum gap that counts as a jump of the clock, in milliseconds.
 */
const APART = 20 * 3_600_000
const JUMP = 14 * DAY
/** A margin in milliseconds, because a verification's audit entry is written a little after its answer. */
const MOMENT = 3_600_000

export interface RetentionDeps {
  db: Db
  ask: AskDocuments
  organisation: Pick<Organisation, 'policy' | 'isKnown'>
  holds: Pick<Holds, 'references' | 'count' | 'list' | 'of'>
  /** The ids of the accounts. */
  accountIds: () => readonly string[]
  /** Files of identity data on the disk. */
  files: Pick<IdentityFilesDeps, 'folders' | 'erased'>
  /** Purges the copies of the database, too. */
  purgeCopies: (order: { cutoffs: Cutoffs; trashedBefore: number; holds: readonly HoldView[] }) => Promise<void>
  /** Empties the trash of older drafts; returns how many. Never called with less than the minimum of days. */
  purgeTrash: (days: number) => Promise<number>
  note: NoteInAudit
  /** Called when data of these kinds was erased. */
  purged: (kinds: readonly RetentionKind[]) => void
  /** Called with the error that stopped a purge. */
  trouble: (error: unknown) => void
  time: Pick<Time, 'now' | 'after'>
}

export class Retention {
  readonly #deps: RetentionDeps
  readonly #kept: ReturnType<typeof keptIn>
  readonly #purging: ReturnType<typeof openPurging>
  readonly #files: IdentityFiles
  #running: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isStopped = false

  constructor(deps: RetentionDeps) {
    this.#deps = deps
    this.#kept = keptIn(deps.db)
    this.#purging = openPurging(deps.db)
    this.#files = openIdentityFiles({ db: deps.db, purging: this.#purging, ...deps.files })
  }

  view(): RetentionView {
    const last = this.#kept.read(LAST, Last)
    return { days: this.#days(), holds: this.#deps.holds.count(), ...(last && { last }) }
  }

  /**
   * Counts what will be erased of these kinds in the coming days, given the current holds; absent for a kind that is
   * never erased.
   */
  async due(kinds: readonly RetentionKind[]): Promise<RetentionDue['counts']> {
    const at = this.#deps.time.now() + DUE_DAYS * DAY
    const cutoffs = this.#cutoffs(at)
    // Fewer rows of downloads are erased if files go by their age.
    const isAsked = (kind: string) => kind === 'identityFiles' || kinds.includes(kind as RetentionKind)
    const asked = Object.fromEntries(Object.entries(cutoffs).filter(([kind]) => isAsked(kind)))
    const counts: RetentionDue['counts'] = await this.#purging.due(asked)
    const { identityFiles } = cutoffs
    if (kinds.includes('identityFiles') && identityFiles !== undefined)
      counts.identityFiles = await this.#files.due(identityFiles)
    const documents = this.#before('documents', at)
    if (!kinds.includes('documents') || documents === undefined) return counts
    return { ...counts, documents: await this.#deps.ask('purgeDue', { before: documents, held: this.#held() }) }
  }

  /** Returns when a document that left the folders at `goneAt` is erased; undefined if never, or if it is on hold. */
  erasedFrom(accountId: string, reference: string, goneAt: number): number | undefined {
    const { documents } = this.#days()
    if (documents === null || !this.#deps.organisation.isKnown) return undefined
    return this.#deps.holds.of(accountId, reference) ? undefined : goneAt + documents * DAY
  }

  /** Changes the office's own settings; the organisation's still take precedence. @throws SQLite's error. */
  set(change: DecodedInput<'retention.set'>): RetentionView {
    const before = this.#own()
    const after = { ...before, ...defined(change) }
    const was: Record<string, string> = {}
    const now: Record<string, string> = {}
    for (const name of Object.keys(after) as (keyof RetentionDays)[]) {
      if (after[name] === before[name]) continue
      was[name] = inWords(before[name])
      now[name] = inWords(after[name])
    }
    if (Object.keys(now).length === 0) return this.view()
    const detail = { changed: Object.keys(now).join(', '), was: listed(was), to: listed(now) }
    this.#deps.note({ what: 'retention-changed', detail }, 'now-or-never', () => this.#kept.write(KEY, after))
    return this.view()
  }

  /** Empties the trash of old drafts now, and purges after a minute, when startup is over, and then once a day. */
  start(): void {
    const { after } = this.#deps.time
    this.#next(() => this.#emptyTrash())
    const again = () => {
      void this.run()
      this.#cancel = after(DAY, again)
    }
    this.#cancel = after(MINUTE, again)
  }

  /** Stops after the current step. Never rejects. */
  stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    return this.#running
  }

  /** Runs a purge. Never rejects: an error is reported, and the purge is retried the next day. */
  run(): Promise<void> {
    return this.#next(() => this.#run())
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(work).catch(this.#deps.trouble)
    return this.#running
  }

  async #run(): Promise<void> {
    // First, finish a purge that was interrupted.
    this.#write()
    await this.#purging.tidy()
    await this.#emptyTrash()
    const now = this.#deps.time.now()
    if (this.#isDay(now)) await this.#purge(now)
    this.#write()
    const { untidy } = this.#purging.left()
    await this.#purging.tidy()
    if (untidy.length > 0) this.#deps.purged(untidy)
  }

  async #emptyTrash(): Promise<void> {
    this.#count('trash', await this.#deps.purgeTrash(this.#days().trash))
  }

  async #purge(now: number): Promise<void> {
    const { ask, holds } = this.#deps
    const cutoffs = this.#cutoffs(now)
    if (this.#isStopped) return
    await this.#purging.erase(cutoffs)
    await this.#files.erase(cutoffs, () => this.#isStopped)
    if (this.#isStopped) return
    this.#count('documents', await ask('purge', { now, before: this.#before('documents', now), held: this.#held() }))
    if (this.#isStopped) return
    const trashedBefore = this.#before('trash', now) ?? 0
    await this.#deps.purgeCopies({ cutoffs, trashedBefore, holds: holds.list(holds.count(), 0) })
  }

  /** Returns the moment before which everything is erased; undefined if nothing is. */
  #before(name: keyof RetentionDays, at: number): number | undefined {
    const kept = this.#days()[name]
    // A policy that can't be read might keep things longer.
    return kept === null || !this.#deps.organisation.isKnown ? undefined : at - kept * DAY
  }

  #cutoffs(at: number): Cutoffs {
    const cutoffs: Cutoffs = {}
    for (const kind of ['sends', 'downloads', 'identityFiles', 'identityNumbers', 'people', 'verifications'] as const) {
      const cutoff = this.#before(kind, at)
      if (cutoff !== undefined) cutoffs[kind] = kind === 'verifications' ? cutoff - MOMENT : cutoff
    }
    return cutoffs
  }

  #held(): DocumentKey[] {
    const { accountIds, holds } = this.#deps
    return accountIds().flatMap((accountId) =>
      holds.references(accountId).map((reference) => ({ accountId, reference }))
    )
  }

  #count(kind: RetentionKind, erased: number): void {
    if (erased > 0 && this.#deps.db.open) this.#purging.count(kind, erased)
  }

  /** Whether a new day of use has begun, with a plausible clock on the days before. */
  #isDay(now: number): boolean {
    const looks = this.#kept.read(LOOKS, Looks)
    const gap = looks ? now - looks.at : JUMP
    const isJump = gap < 0 || gap >= JUMP
    if (!isJump && gap < APART) return false
    const left = isJump ? LOOKS_FIRST : Math.max(0, (looks?.left ?? LOOKS_FIRST) - 1)
    this.#kept.write(LOOKS, { at: now, left })
    return left === 0
  }

  /** Records in the audit trail what was purged, if anything was. */
  #write(): void {
    const { db, note, time } = this.#deps
    if (!db.open) return
    const { counts, verificationsBefore } = this.#purging.left()
    if (Object.keys(counts).length === 0) return
    const detail = {
      ...Object.fromEntries(Object.entries(counts).map(([kind, count]) => [`${kind}Purged`, String(count)])),
      ...(verificationsBefore !== undefined && { verificationsBefore: new Date(verificationsBefore).toISOString() })
    }
    note({ what: 'data-purged', detail }, 'now-or-never', () => {
      this.#kept.write(LAST, { at: time.now(), counts })
      this.#purging.counted()
    })
  }

  #own(): RetentionDays {
    return ownDays(this.#kept)
  }

  #days(): RetentionDays {
    return daysKept(this.#kept, this.#deps.organisation)
  }
}

const ownDays = (kept: ReturnType<typeof keptIn>): RetentionDays => ({
  ...KEPT_FOREVER,
  ...defined(kept.read(KEY, Own) ?? {})
})

/** Returns how many days each kind is kept, by the policy or else the office's own settings; null for ever. */
export function daysKept(kept: ReturnType<typeof keptIn>, organisation: Pick<Organisation, 'policy'>): RetentionDays {
  return { ...ownDays(kept), ...defined(organisation.policy.retention ?? {}) }
}

const KEPT_FOREVER: RetentionDays = {
  documents: null,
  trash: TRASH_DAYS,
  sends: null,
  downloads: null,
  identityFiles: null,
  identityNumbers: null,
  verifications: null,
  people: null
}

/** Formats days for the audit trail, which is read in any language: a number, or a dash for ever. */
function inWords(days: number | null | undefined): string {
  return days === null || days === undefined ? '–' : String(days)
}

function listed(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
