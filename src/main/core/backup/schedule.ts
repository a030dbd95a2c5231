/**
 * Automatic backups: daily or weekly at a set time, or when the application ends. A failed one is retried until it
 * succeeds, and reported all the while. None starts during a counter session.
 */
import { realpath } from 'node:fs/promises'
import { basename, isAbsolute, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  type AppError,
  BackupPlan,
  type BackupsView,
  type DecodedInput,
  localErrorCodes,
  type StoreTrouble,
  serviceErrorCodes
} from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { dayAfter, dayAt, localTimeOf, momentOf, mondayOf } from '../lib/calendar.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import { withFileErrors } from '../storage/file-error.ts'
import type { Keychain } from '../storage/keychain.ts'
import type { openJsonMeta } from '../storage/meta.ts'
import { BACKUP_EXTENSION } from './backup.ts'
import type { Backups, BackupsDeps } from './backups.ts'

const KEY = 'backup-schedule'
const CODES = [...serviceErrorCodes, ...localErrorCodes] as const
/** Delay before a retry; `BUSY_DELAY`: delay while a counter session runs; in milliseconds. */
const RETRY_DELAY = 15 * 60_000
const BUSY_DELAY = 60_000
/** Maximum wait between checks, in milliseconds, so that a computer that slept soon notices what is due. */
const MAX_WAIT = 3_600_000
/** Maximum number of backups kept track of: several folders' worth. */
const MAX_KNOWN = 500

const ScheduleState = z.object({
  plan: BackupPlan.nullable().default(null),
  folder: z.string().optional(),
  /** Marks the names of temporary files, so that leftovers of a crash are recognised as ours. */
  mark: z.string().regex(/^[0-9a-f]{8}$/),
  /** Time of the newest backup under the current plan; missing until the first. */
  doneAt: z.number().optional(),
  /** Existing backups, also in earlier folders, oldest first. */
  made: z.array(z.object({ folder: z.string(), name: z.string() })).default([]),
  failed: z
    .object({
      since: z.number(),
      at: z.number(),
      code: z.enum(CODES),
      message: z.string(),
      next: z.string().optional()
    })
    .optional()
})
type ScheduleState = z.output<typeof ScheduleState>

export interface BackupScheduleDeps {
  ask: BackupsDeps['ask']
  backups: Pick<Backups, 'prepareOrder' | 'recordMade' | 'last'>
  /** The data folder. */
  folder: string
  storage: Pick<OpenedDatabase, 'state'>
  keychain: Pick<Keychain, 'backupPassphrase'>
  meta: ReturnType<typeof openJsonMeta>
  /** What the organisation has set, with its folder's path on this computer. */
  organisation: () => (Partial<BackupPlan> & { when: BackupPlan['when']; folder: string }) | undefined
  /** Whether someone is signing at the counter. */
  isBusy: () => boolean
  random: (bytes: number) => Uint8Array
  newId: () => string
  time: Pick<Time, 'now' | 'elapsed' | 'after' | 'zone'>
  changed: () => void
}

export class BackupSchedule {
  readonly #deps: BackupScheduleDeps
  readonly #offeredFolders = new Map<string, string>()
  #running: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #isOpen = false
  /** Cached: a keychain probes itself each time it is asked for a missing entry. */
  #hasPassphrase: boolean | undefined
  /** How often the plan, its folder or its passphrase was set in this run. */
  #settings = 0
  /** A failure that couldn't be stored, and when to retry, on the monotonic clock. */
  #unstored: { failed: ScheduleState['failed']; retryAt: number } | undefined

  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps
  }

  /** Makes backups when due, from now on. */
  start(): void {
    this.#isOpen = this.#deps.storage.state === 'encrypted'
    this.check()
  }

  close(): void {
    this.#isOpen = false
    this.#cancel?.()
  }

  /** Checks again; call when something may have made a backup due or possible. */
  readonly check = (): void => {
    this.#cancel?.()
    if (!this.#isOpen || this.#running) return
    const { now, after } = this.#deps.time
    const wait = this.#untilDue(now())
    if (wait === undefined) return
    if (wait <= 0 && !this.#deps.isBusy()) void this.#run().finally(this.check)
    else this.#cancel = after(wait <= 0 ? BUSY_DELAY : Math.min(wait, MAX_WAIT), this.check)
  }

  /** Makes the backup planned for the application's end. Never rejects. */
  async runOnQuit(): Promise<void> {
    this.close()
    if (this.#deps.storage.state !== 'encrypted') return
    await this.#running
    if (this.#plan()?.when === 'on-quit') await this.#run()
  }

  async view(): Promise<BackupsView> {
    const { keychain, backups, time, storage } = this.#deps
    const plan = this.#plan()
    const last = backups.last()
    const folder = this.#folder()
    const next = plan && plan.when !== 'on-quit' ? slotsAt(time.now(), plan, time.zone()).next : undefined
    if (this.#hasPassphrase === undefined && storage.state === 'encrypted') {
      const passphrase = await keychain.backupPassphrase.get().catch(() => undefined)
      // If it can't be read now, it is read again next time.
      if (passphrase !== undefined) this.#hasPassphrase ??= passphrase !== null
    }
    return {
      plan: plan ?? null,
      hasPassphrase: this.#hasPassphrase ?? false,
      isRunning: this.#running !== undefined,
      ...defined({ folder: folder === undefined ? undefined : basename(folder) || folder, last, next })
    }
  }

  existingBackups(): ScheduleState['made'] {
    return this.#read().made
  }

  /** The problem to report until a backup succeeds. */
  troubles(): StoreTrouble[] {
    const { failed } = this.#read()
    if (!failed || !this.#plan()) return []
    const { since, at: _, ...error } = failed
    return [{ kind: 'no-backup', store: 'backups', reason: error.code, since, error: defined(error) }]
  }

  /** Remembers a chosen folder until it is set. @throws AppFailure `invalid`; FileError. */
  async offerFolder(path: string): Promise<{ id: string; label: string }> {
    const [chosen, own] = await withFileErrors(() => Promise.all([realpath(path), realpath(this.#deps.folder)]))
    const relativePath = relative(own, chosen)
    if (relativePath === '' || !(relativePath.startsWith('..') || isAbsolute(relativePath))) {
      fail('invalid', 'Backups can’t be kept in Countersign’s own data folder.', {
        next: 'Choose a network share or another drive, so that backups survive if this computer doesn’t.'
      })
    }
    const id = this.#deps.newId()
    this.#offeredFolders.set(id, path)
    return { id, label: basename(path) || path }
  }

  /** Changes the plan. @throws AppFailure `gone`, `invalid`; KeychainError. */
  async set({ plan, folderId, passphrase }: DecodedInput<'storage.scheduleBackups'>): Promise<BackupsView> {
    const chosen = folderId === undefined ? undefined : this.#offeredFolders.get(folderId)
    if (folderId !== undefined && chosen === undefined)
      fail('gone', 'This folder isn’t known any more.', { next: 'Choose it again.' })
    const { backupPassphrase } = this.#deps.keychain
    if (plan && (chosen ?? this.#read().folder) === undefined) fail('invalid', 'Choose a folder for backups first.')
    if (plan && passphrase === undefined && (await backupPassphrase.get()) === null) {
      fail('invalid', NO_PASSPHRASE, { fields: [{ field: 'passphrase', message: NO_PASSPHRASE }] })
    }
    if (passphrase !== undefined) await backupPassphrase.set(passphrase)
    if (plan === null) await backupPassphrase.delete()
    this.#hasPassphrase = undefined
    this.#settings += 1
    // Read only now: a backup may have been made while the keychain was busy.
    const { failed: _failed, doneAt: _done, ...kept } = this.#read()
    this.#write({ ...kept, ...defined({ folder: chosen }), ...(plan !== undefined && { plan }) })
    this.check()
    return this.view()
  }

  /** Makes a backup now. @throws AppFailure with the reason if it failed. */
  async runNow(): Promise<BackupsView> {
    if (this.#running) fail('busy', 'A backup is being made already.')
    const error = await this.#run()
    // A timer that ended meanwhile found this backup running and set no other.
    this.check()
    if (error) throw new AppFailure(error)
    return this.view()
  }

  /**
   * Milliseconds until a backup is due or may be retried; undefined if none is ever due by time. After a time that is
   * still to come, from a clock that was ahead, nothing would be due until then.
   */
  #untilDue(now: number): number | undefined {
    const plan = this.#plan()
    if (!plan) return undefined
    if (this.#unstored) return this.#unstored.retryAt - this.#deps.time.elapsed()
    const { doneAt, failed } = this.#read()
    if (failed) return failed.at > now ? 0 : failed.at + RETRY_DELAY - now
    if (doneAt === undefined) return 0
    if (plan.when === 'on-quit') return undefined
    const { last, next } = slotsAt(now, plan, this.#deps.time.zone())
    return doneAt < last || doneAt >= next ? 0 : next - now
  }

  /** Runs a backup; returns the error if it failed. Never rejects. */
  async #run(): Promise<AppError | undefined> {
    let error: AppError | undefined
    const plan = this.#plan()
    const folder = this.#folder()
    const settings = this.#settings
    // If the plan or its passphrase was changed meanwhile, its first backup is still to be made.
    const isOfPlan = () =>
      this.#settings === settings && isDeepStrictEqual([this.#plan(), this.#folder()], [plan, folder])
    const run = this.#make(plan, folder, isOfPlan).catch((thrown: unknown) => {
      error = asAppError(thrown)
      if (isOfPlan()) this.#recordFailure(error)
    })
    this.#running = run
    this.#deps.changed()
    await run
    this.#running = undefined
    this.#deps.changed()
    return error
  }

  async #make(plan: BackupPlan | undefined, folder: string | undefined, isOfPlan: () => boolean): Promise<void> {
    const { ask, backups, keychain, random, time } = this.#deps
    if (!plan || folder === undefined) fail('not-allowed', 'No backups are planned.')
    const passphrase = await keychain.backupPassphrase.get()
    if (passphrase === null) fail('invalid', NO_PASSPHRASE, { next: 'Enter it in Settings, in Data and security.' })
    const state = this.#read()
    // The mark must be stored before any file is written with it.
    this.#write(state)
    const { mark, made } = state
    const at = time.now()
    const name = nameOf(at, time.zone(), Buffer.from(random(2)).toString('hex'))
    const inFolder = made.filter((one) => one.folder === folder)
    const older = inFolder.slice(0, Math.max(0, inFolder.length + 1 - plan.keep)).map((one) => one.name)
    const { removed } = await ask('plan', {
      ...(await backups.prepareOrder(plan.secrets)),
      into: folder,
      name,
      passphrase,
      mark,
      older
    })
    const { failed: _, ...current } = this.#read()
    const remaining = current.made.filter((one) => one.folder !== folder || !removed.includes(one.name))
    this.#write({
      ...current,
      ...(isOfPlan() && { doneAt: at }),
      made: [...remaining, { folder, name }].slice(-MAX_KNOWN)
    })
    backups.recordMade(name, plan.secrets)
  }

  #recordFailure({ code, message, next }: AppError): void {
    const at = this.#deps.time.now()
    const kept = this.#read()
    const since = Math.min(kept.failed?.since ?? at, at)
    const failed = { since, at, code, message, ...defined({ next }) }
    try {
      this.#write({ ...kept, failed })
    } catch {
      // The disk is full. It would be due at once again.
      this.#unstored = { failed, retryAt: this.#deps.time.elapsed() + RETRY_DELAY }
    }
  }

  #plan(): BackupPlan | undefined {
    const organisationPlan = this.#deps.organisation()
    if (!organisationPlan) return this.#read().plan ?? undefined
    const { folder: _, ...plan } = organisationPlan
    return BackupPlan.parse(plan)
  }

  #folder(): string | undefined {
    return this.#deps.organisation()?.folder ?? this.#read().folder
  }

  #read(): ScheduleState {
    const { meta, random } = this.#deps
    const stored = meta.read(KEY, ScheduleState) ?? {
      plan: null,
      made: [],
      mark: Buffer.from(random(4)).toString('hex')
    }
    return { ...stored, ...defined({ failed: this.#unstored?.failed }) }
  }

  #write(next: ScheduleState): void {
    this.#deps.meta.write(KEY, next)
    this.#unstored = undefined
    this.#deps.changed()
  }
}

const NO_PASSPHRASE = 'Scheduled backups need a passphrase.'

/**
 * Local time, so that users find a day's backup; the mark keeps two computers from using the same name in one folder.
 */
function nameOf(at: number, zone: string, mark: string): string {
  const { day, minute } = localTimeOf(at, zone)
  const clock = `${String(Math.floor(minute / 60)).padStart(2, '0')}${String(minute % 60).padStart(2, '0')}`
  return `Countersign ${day} ${clock} ${mark}.${BACKUP_EXTENSION}`
}

/** The latest moment at which a backup was due, and the next one. */
function slotsAt(now: number, plan: BackupPlan, zone: string): { last: number; next: number } {
  const step = plan.when === 'weekly' ? 7 : 1
  const slotOn = (day: string) => momentOf(day, plan.at, zone)
  const today = dayAt(now, zone)
  // Weekdays count from 1 for Monday.
  let day = plan.when === 'weekly' ? dayAfter(mondayOf(today), plan.weekday - 1) : today
  if (slotOn(day) > now) day = dayAfter(day, -step)
  return { last: slotOn(day), next: slotOn(dayAfter(day, step)) }
}
