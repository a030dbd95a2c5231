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
import { type Time, within } from '../lib/time.ts'
import type { Organisation } from '../organisation/organisation.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { Holds } from './holds.ts'
import { type IdentityFiles, type IdentityFilesDeps, openIdentityFiles } from './identity-files.ts'
import { type Cutoffs, openPurging } from './purging.ts'

const KEY = 'retention'
const CLOCK_CHECK = 'retention-looks'
const LAST = 'retention-last'
const Own = z.strictObject(retentionDays).partial()
const ClockCheck = z.object({ at: z.number(), left: z.number() })
const Last = z.object({ at: z.number(), counts: z.partialRecord(z.enum(RETENTION_KINDS), z.number()) })

/**
 * How many days of use the clock must have been plausible before anything is purged: a wrong clock makes everything
 * look old.
 */
const DAYS_REQUIRED = 3
const MINUTE = 60_000
/**
 * The minimum time between two days of use, and the minimum gap that counts as a jump of the clock, in milliseconds.
 */
const DAY_GAP = 20 * 3_600_000
const CLOCK_JUMP = 14 * DAY
/** A margin in milliseconds, because a verification's audit entry is written a little after its answer. */
const VERIFICATION_MARGIN = 3_600_000

export interface RetentionDeps {
  db: Db
  ask: AskDocuments
  organisation: Pick<Organisation, 'policy' | 'isKnown'>
  holds: Pick<Holds, 'references' | 'count' | 'list' | 'of'>
  accountIds: () => readonly string[]
  /** Files of identity data on the disk. */
  files: Pick<IdentityFilesDeps, 'folders' | 'erased'>
  purgeCopies: (order: { cutoffs: Cutoffs; trashedBefore: number; holds: readonly HoldView[] }) => Promise<void>
  /**
   * Empties the trash of older drafts. Never called with less than the minimum of days.
   * @param counted to be called in each transaction that erases some, with how many.
   */
  purgeTrash: (days: number, counted: (erased: number) => void) => Promise<unknown>
  note: NoteInAudit
  /** Called when data of these kinds was erased. */
  purged: (kinds: readonly RetentionKind[]) => void
  /** Called with the error that stopped a purge. */
  onError: (error: unknown) => void
  time: Pick<Time, 'now' | 'after'>
}

export class Retention {
  readonly #deps: RetentionDeps
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #purging: ReturnType<typeof openPurging>
  readonly #files: IdentityFiles
  #running: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #isStopped = false

  constructor(deps: RetentionDeps) {
    this.#deps = deps
    this.#meta = openJsonMeta(deps.db)
    this.#purging = openPurging(deps.db)
    this.#files = openIdentityFiles({ db: deps.db, purging: this.#purging, ...deps.files })
  }

  view(): RetentionView {
    const last = this.#meta.read(LAST, Last)
    return { days: this.#days(), holds: this.#deps.holds.count(), ...(last && { last }) }
  }

  /**
   * Counts what will be erased of these kinds in the coming days, given the current holds; absent for a kind that is
   * never erased.
   */
  async countDue(kinds: readonly RetentionKind[]): Promise<RetentionDue['counts']> {
    const at = this.#deps.time.now() + DUE_DAYS * DAY
    const cutoffs = this.#cutoffs(at)
    // Fewer rows of downloads are erased if files go by their age.
    const isRequested = (kind: string) => kind === 'identityFiles' || kinds.includes(kind as RetentionKind)
    const requested = Object.fromEntries(Object.entries(cutoffs).filter(([kind]) => isRequested(kind)))
    const counts: RetentionDue['counts'] = await this.#purging.countDue(requested)
    const { identityFiles } = cutoffs
    if (kinds.includes('identityFiles') && identityFiles !== undefined)
      counts.identityFiles = await this.#files.countDue(identityFiles)
    const documents = this.#before('documents', at)
    if (!kinds.includes('documents') || documents === undefined) return counts
    return {
      ...counts,
      documents: await this.#deps.ask('purgeDue', { before: documents, held: this.#heldDocuments() })
    }
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
      was[name] = daysInWords(before[name])
      now[name] = daysInWords(after[name])
    }
    if (Object.keys(now).length === 0) return this.view()
    const detail = { changed: Object.keys(now).join(', '), was: listValues(was), to: listValues(now) }
    this.#deps.note({ what: 'retention-changed', detail }, 'now-or-never', () => this.#meta.write(KEY, after))
    return this.view()
  }

  /** Empties the trash of old drafts now, and purges after a minute, when startup is over, and then once a day. */
  start(): void {
    const { after } = this.#deps.time
    this.#enqueue(() => this.#emptyTrash())
    const runDaily = () => {
      void this.run()
      this.#cancel = after(DAY, runDaily)
    }
    this.#cancel = after(MINUTE, runDaily)
  }

  /**
   * Stops after the current step, or after `limit` milliseconds, as a network disk with files to erase may not answer at
   * all. Never rejects.
   */
  stop(limit: number): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    return within(limit, this.#running, this.#deps.time)
  }

  /** Runs a purge. Never rejects: an error is reported, and the purge is retried the next day. */
  run(): Promise<void> {
    return this.#enqueue(() => this.#run())
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(work).catch(this.#deps.onError)
    return this.#running
  }

  async #run(): Promise<void> {
    // First, finish a purge that was interrupted.
    this.#auditPurge()
    await this.#purging.tidy()
    await this.#emptyTrash()
    const now = this.#deps.time.now()
    if (this.#isNewDay(now)) await this.#purge(now)
    this.#auditPurge()
    const { untidy } = this.#purging.followUp()
    await this.#purging.tidy()
    if (untidy.length > 0) this.#deps.purged(untidy)
  }

  async #emptyTrash(): Promise<void> {
    await this.#deps.purgeTrash(this.#days().trash, (erased) => this.#count('trash', erased))
  }

  async #purge(now: number): Promise<void> {
    const { ask, holds } = this.#deps
    const cutoffs = this.#cutoffs(now)
    if (this.#isStopped) return
    await this.#purging.erase(cutoffs)
    await this.#files.erase(cutoffs, () => this.#isStopped)
    if (this.#isStopped) return
    this.#count(
      'documents',
      await ask('purge', { now, before: this.#before('documents', now), held: this.#heldDocuments() })
    )
    if (this.#isStopped) return
    const trashedBefore = this.#before('trash', now) ?? 0
    await this.#deps.purgeCopies({ cutoffs, trashedBefore, holds: holds.list(holds.count(), 0) })
  }

  /** Returns the moment before which everything is erased; undefined if nothing is. */
  #before(name: keyof RetentionDays, at: number): number | undefined {
    const keptDays = this.#days()[name]
    // A policy that can't be read might keep things longer.
    return keptDays === null || !this.#deps.organisation.isKnown ? undefined : at - keptDays * DAY
  }

  #cutoffs(at: number): Cutoffs {
    const cutoffs: Cutoffs = {}
    for (const kind of ['sends', 'downloads', 'identityFiles', 'identityNumbers', 'people', 'verifications'] as const) {
      const cutoff = this.#before(kind, at)
      if (cutoff !== undefined) cutoffs[kind] = kind === 'verifications' ? cutoff - VERIFICATION_MARGIN : cutoff
    }
    return cutoffs
  }

  #heldDocuments(): DocumentKey[] {
    const { accountIds, holds } = this.#deps
    return accountIds().flatMap((accountId) =>
      holds.references(accountId).map((reference) => ({ accountId, reference }))
    )
  }

  #count(kind: RetentionKind, erased: number): void {
    if (erased > 0 && this.#deps.db.open) this.#purging.count(kind, erased)
  }

  /** Whether a new day of use has begun, with a plausible clock on the days before. */
  #isNewDay(now: number): boolean {
    const lastCheck = this.#meta.read(CLOCK_CHECK, ClockCheck)
    const gap = lastCheck ? now - lastCheck.at : CLOCK_JUMP
    const isJump = gap < 0 || gap >= CLOCK_JUMP
    if (!isJump && gap < DAY_GAP) return false
    const left = isJump ? DAYS_REQUIRED : Math.max(0, (lastCheck?.left ?? DAYS_REQUIRED) - 1)
    this.#meta.write(CLOCK_CHECK, { at: now, left })
    return left === 0
  }

  /** Records in the audit trail what was purged, if anything was. */
  #auditPurge(): void {
    const { db, note, time } = this.#deps
    if (!db.open) return
    const { counts, verificationsBefore } = this.#purging.followUp()
    if (Object.keys(counts).length === 0) return
    const detail = {
      ...Object.fromEntries(Object.entries(counts).map(([kind, count]) => [`${kind}Purged`, String(count)])),
      ...(verificationsBefore !== undefined && { verificationsBefore: new Date(verificationsBefore).toISOString() })
    }
    note({ what: 'data-purged', detail }, 'now-or-never', () => {
      this.#meta.write(LAST, { at: time.now(), counts })
      this.#purging.resetCounts()
    })
  }

  #own(): RetentionDays {
    return ownDays(this.#meta)
  }

  #days(): RetentionDays {
    return daysKept(this.#meta, this.#deps.organisation)
  }
}

const ownDays = (meta: ReturnType<typeof openJsonMeta>): RetentionDays => ({
  ...KEPT_FOREVER,
  ...defined(meta.read(KEY, Own) ?? {})
})

/** Returns how many days each kind is kept, by the policy or else the office's own settings; null for ever. */
export function daysKept(
  meta: ReturnType<typeof openJsonMeta>,
  organisation: Pick<Organisation, 'policy'>
): RetentionDays {
  return { ...ownDays(meta), ...defined(organisation.policy.retention ?? {}) }
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
function daysInWords(days: number | null | undefined): string {
  return days === null || days === undefined ? '–' : String(days)
}

function listValues(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
