/**
 * Files that rules save into a folder shared by several workstations of an office. Each file is made by one
 * workstation: the one that has claimed it at the office's server. The others record it as saved. If that one stops
 * midway, another makes the file, or finds it complete.
 */
import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { drain, SerialTask } from '../jobs/lanes.ts'
import { DAY } from '../lib/calendar.ts'
import { codeOf } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { claimValidityCheck, type Time, within } from '../lib/time.ts'
import type { ExclusiveTasks } from '../office/exclusive-tasks.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { fileErrorOf, withFileErrors } from '../storage/file-error.ts'
import type { Download, SavedDownload } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { SAFE_READ_FLAGS } from './file-check.ts'
import { WORKSTATION_MARK } from './leftovers.ts'
import type { Deferral } from './queue.ts'
import { assertInside, rootOf } from './target-folder.ts'

/**
 * How long a claim on a file lasts, how often it is renewed while the file arrives, and how long naming the file may
 * take, in milliseconds.
 */
const CLAIM_DURATION = 150_000
const RENEW_INTERVAL = 40_000
const NAMING_TIME = 20_000
/** When to retry a file that another workstation has, and one that waits for the server (whose return is reported). */
const BUSY_RETRY = 60_000
const AWAY_RETRY = 10 * 60_000
/** How long freeing a claim waits for the office's server to hear of it. */
const RELEASE_TIMEOUT = 3_000
const REPORT_RETRY = 60_000
/** How much the server is told again after it was restored; a backup is hardly older. */
const REREPORT_PERIOD = 30 * DAY
/** PostgreSQL's error code if another workstation has it. */
const HELD_BY_OTHER = '42501'

/** In a shared folder: what identifies it to all who share it, and a mark of each workstation that saves there. */
const MARKS_FOLDER = '.countersign-office'
const FOLDER_ID_FILE = 'folder'
const MARK_PATTERN = /^[0-9a-f]{8}$/

/** Describes a file to the workstations that didn't make it; its name is as in `SavedDownload`. */
const MadeFile = z.object({
  // Must be inside the folder, whatever another workstation says.
  fileName: z
    .string()
    .max(1000)
    .refine((name) => !/[\\\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u.test(name)),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/)
})
type MadeFile = z.output<typeof MadeFile>

/** A file that this workstation makes. */
export interface FileClaim {
  /** A file that may have been made earlier: look for it first. */
  readonly earlier: MadeFile | undefined
  /** Call it before the file gets its name. If this throws, the file must not get one. */
  beforeNaming: (made: MadeFile) => Promise<void>
}

export interface SavedByOther extends MadeFile {
  workstation: string
  sharedFolder: string
}

export interface SharedFilesDeps {
  exclusiveTasks: ExclusiveTasks
  table: DownloadsTable
  newId: () => string
  /** Lets an account's waiting downloads go: all of them, or those that wait because of such an error. */
  retryNow: (accountId: string, code?: ErrorCode) => void
  /** Whether a missing folder may be created: only the default one that no one chose. */
  isDefaultFolder: (path: string) => boolean
  /** What identifies this workstation in folders: eight hexadecimal digits. */
  sign?: string | undefined
  time: Time
}

type OfficeAccess = Exclude<ReturnType<ExclusiveTasks['of']>, undefined | 'away'>

export class SharedFiles {
  readonly #deps: SharedFilesDeps
  readonly #lanes = new Map<string, SerialTask<void>>()
  #isClosed = false

  constructor(deps: SharedFilesDeps) {
    this.#deps = deps
    const { exclusiveTasks, table, time, retryNow } = deps
    exclusiveTasks.listen({
      available: (accountId) => {
        this.reportSoon(accountId)
        retryNow(accountId)
      },
      // Another workstation may have finished one.
      notified: (accountId) => retryNow(accountId, 'busy'),
      restored: (accountId) => void table.markUnreportedSince(accountId, time.now() - REREPORT_PERIOD),
      beforeLeaving: (accountId) => this.#reportSaved(accountId)
    })
  }

  /**
   * Has one workstation make a file: this one, by `make`, or another that makes it now or has made it. Undefined if
   * that was too long ago to know the file's name.
   * @param folder absolute. @param make is given nothing if no other workstation is involved.
   * @throws FileError if the folder can't be used; what `make` throws.
   */
  async makeOnce(
    download: Download,
    folder: string,
    make: (making?: FileClaim) => Promise<SavedDownload>
  ): Promise<SavedDownload | SavedByOther | Deferral | undefined> {
    const { exclusiveTasks } = this.#deps
    const { accountId, ruleId, isRequested } = download
    if (ruleId === undefined || isRequested || !exclusiveTasks.of(accountId)) return await make()
    const { sharedFolder, others } = await this.#marksOf(folder)
    // Another file has the place of the folder's id, so no one can tell who shares the folder.
    if (sharedFolder === undefined) return await make()
    const access = exclusiveTasks.of(accountId)
    const claim =
      access && access !== 'away' && (await this.#claim(access, sharedFolder, download).catch(() => undefined))
    // If no other workstation saves here, there is no one to wait for.
    if (claim === undefined || claim === false)
      return others > 0 ? { why: OFFICE_UNAVAILABLE, ms: AWAY_RETRY } : { ...(await make()), sharedFolder }
    if (!(claim instanceof HeldClaim)) return claim.isLost ? undefined : claim.answer
    try {
      return { ...(await make(claim)), sharedFolder }
    } catch (error) {
      await claim.release()
      if (error instanceof ClaimLostError) {
        const { holder } = error
        return { why: holder === undefined ? OFFICE_UNAVAILABLE : busyAt(holder), ms: BUSY_RETRY }
      }
      throw error
    } finally {
      claim.end()
    }
  }

  reportSoon(accountId: string): void {
    void this.#reportSaved(accountId)
  }

  /** Tells the office what it hasn't heard yet, once, if it is connected; then nothing more. */
  async close(): Promise<void> {
    await drain(this.#lanes.values(), () => {
      this.#isClosed = true
    })
  }

  /** Claims a file. Returns the answer to give if it isn't this workstation's. */
  async #claim(
    access: OfficeAccess,
    sharedFolder: string,
    download: Download
  ): Promise<HeldClaim | { isLost: boolean; answer: SavedByOther | Deferral }> {
    const about = aboutOf(download, sharedFolder)
    const request = { accountId: access.accountId, about: [about], id: download.id, ms: CLAIM_DURATION }
    const claim = await access.tasks.claim('file', request)
    if (claim.isGranted) return new HeldClaim(access, request, claim, this.#deps.time)
    const [by] = claim.by
    if (by?.state !== 'done') return { isLost: false, answer: { why: busyAt(by?.holder ?? ''), ms: BUSY_RETRY } }
    const made = MadeFile.safeParse(by.content).data
    const { holder: workstation } = by
    const saved = { fileName: '', bytes: 0, sha256: '', ...made, workstation, sharedFolder }
    return { isLost: made === undefined, answer: saved }
  }

  /** Tells the office about saved files. Never rejects. */
  async #reportSaved(accountId: string): Promise<void> {
    const { exclusiveTasks, table, time } = this.#deps
    const access = exclusiveTasks.of(accountId)
    if (this.#isClosed || !access || access === 'away') return
    const lane: SerialTask<void> = getOrMake(this.#lanes, accountId, () => {
      const scheduleRetry = () => {
        if (!this.#isClosed && table.unreported(accountId).length > 0) lane.schedule(REPORT_RETRY)
      }
      return new SerialTask(time, () => this.#pushReports(accountId), scheduleRetry)
    })
    await lane.runFresh().catch(() => undefined)
  }

  async #pushReports(accountId: string): Promise<void> {
    const { exclusiveTasks, table, time } = this.#deps
    for (
      let unreported = table.unreported(accountId);
      unreported.length > 0;
      unreported = table.unreported(accountId)
    ) {
      for (const download of unreported) {
        const access = exclusiveTasks.of(accountId)
        if (this.#isClosed || !access || access === 'away') return
        const { id, sharedFolder = '', fileName, bytes, sha256, finishedAt = time.now() } = download
        const task = { accountId: access.accountId, about: aboutOf(download, sharedFolder), id, epoch: 0 }
        const how = { ago: time.now() - finishedAt, content: { fileName, bytes, sha256 } }
        await access.tasks.finish('file', task, 'done', how).catch((error: unknown) => {
          // Another workstation is making it at the moment, and will find the same.
          if (codeOf(error) !== HELD_BY_OTHER) throw error
        })
        table.markReported(id)
      }
    }
  }

  /**
   * Returns what identifies a folder to all workstations that share it, and how many others save there. The id is in
   * the folder itself: the same folder may have another path elsewhere, and the same path may be another folder.
   */
  async #marksOf(folder: string): Promise<{ sharedFolder: string | undefined; others: number }> {
    const { newId, isDefaultFolder, sign = WORKSTATION_MARK } = this.#deps
    if (isDefaultFolder(folder)) await withFileErrors(() => files.mkdir(folder, { recursive: true }))
    const root = await rootOf(files, folder)
    const marksFolder = join(folder, MARKS_FOLDER)
    await files.mkdir(marksFolder).catch(ignoreIfExists)
    await assertInside(files, root, marksFolder)
    const there = await withFileErrors(() => files.readdir(marksFolder))
    if (!there.includes(sign)) await writeIfMissing(join(marksFolder, sign), '')
    if (!there.includes(FOLDER_ID_FILE)) await writeIfMissing(join(marksFolder, FOLDER_ID_FILE), newId())
    const sharedFolder = z.uuid().safeParse(await readStart(join(marksFolder, FOLDER_ID_FILE))).data
    // If two workstations leave their marks at the same moment, at least one sees the other's.
    const others = (await withFileErrors(() => files.readdir(marksFolder))).filter(
      (name) => MARK_PATTERN.test(name) && name !== sign
    )
    return { sharedFolder, others: others.length }
  }
}

/** A file that this workstation has claimed, while it arrives. */
class HeldClaim implements FileClaim {
  readonly earlier: MadeFile | undefined
  readonly #access: OfficeAccess
  readonly #request: { accountId: string; about: string[]; id: string; ms: number }
  readonly #epoch: number
  readonly #time: Time
  #content: MadeFile | undefined
  #mayName: () => boolean
  #holder: string | undefined
  #cancel = () => {}

  constructor(
    access: OfficeAccess,
    request: { accountId: string; about: string[]; id: string; ms: number },
    claim: { epochs: ReadonlyMap<string, number>; until: number; content?: unknown },
    time: Time
  ) {
    this.#access = access
    this.#request = request
    this.#time = time
    this.#epoch = [...claim.epochs.values()][0] ?? 0
    this.#mayName = claimValidityCheck(time, claim.until, NAMING_TIME)
    this.earlier = MadeFile.safeParse(claim.content).data
    this.#renewLater()
  }

  /**
   * Tells the office what the file is, so that the workstation that takes over if this workstation ends now can check whether it is
   * there. @throws ClaimLostError
   */
  async beforeNaming(made: MadeFile): Promise<void> {
    this.#content = made
    const isServerReached = await this.#renew()
    if (!isServerReached || this.#holder !== undefined || !this.#mayName()) throw new ClaimLostError(this.#holder)
  }

  /**
   * Frees the claim of a file that isn't made, or not known to be, so that another may make it. Never rejects; if the
   * office can't be told, the claim expires.
   */
  async release(): Promise<void> {
    this.end()
    const { accountId, about, id } = this.#request
    const task = { accountId, about: about[0] ?? '', id, epoch: this.#epoch }
    const released = this.#access.tasks.finish('file', task, 'free', { content: this.#content }).catch(() => undefined)
    await within(RELEASE_TIMEOUT, released, this.#time)
  }

  end(): void {
    this.#cancel()
    this.#cancel = () => {}
  }

  /** Keeps a claim alive, so that no other workstation starts a file that arrives slowly. */
  #renewLater(): void {
    this.#cancel = this.#time.after(RENEW_INTERVAL, () => {
      const cancelled = this.#cancel
      void this.#renew().then(() => {
        if (this.#cancel === cancelled) this.#renewLater()
      })
    })
  }

  /** Renews the claim; returns whether the office's server heard of it. */
  async #renew(): Promise<boolean> {
    const request = { ...this.#request, content: this.#content }
    const claim = await this.#access.tasks.claim('file', request).catch(() => undefined)
    if (claim?.isGranted) this.#mayName = claimValidityCheck(this.#time, claim.until, NAMING_TIME)
    else if (claim) this.#holder = claim.by[0]?.holder ?? ''
    return claim !== undefined
  }
}

/** Thrown when another workstation has the file by now, or may; `holder` names it, if known. */
class ClaimLostError extends Error {
  readonly holder: string | undefined
  constructor(holder: string | undefined) {
    super('This file is another workstation’s by now.') // @wc-ignore
    this.holder = holder
  }
}

/** Returns the same text at each workstation for the same folder, document, type and pattern. */
function aboutOf({ documentReference, type, pattern }: Download, sharedFolder: string): string {
  return JSON.stringify([sharedFolder, documentReference, type, pattern])
}

/** @throws FileError */
function ignoreIfExists(error: unknown): void {
  const trouble = fileErrorOf(error)
  if (trouble?.code !== 'exists') throw trouble ?? error
}

/** Others may be writing the same file; one of them wins. @throws FileError */
async function writeIfMissing(path: string, content: string): Promise<void> {
  await writeAtomically(path, content, { mode: 0o644 }).catch(ignoreIfExists)
}

/** Reads enough of a file for our own content; a longer one isn't ours. @throws FileError */
async function readStart(path: string): Promise<string> {
  return await withFileErrors(async () => {
    const file = await files.open(path, SAFE_READ_FLAGS)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64)).finally(() => file.close())
    return buffer.toString('utf8', 0, bytesRead)
  })
}

const OFFICE_UNAVAILABLE: AppError = {
  code: 'offline',
  message: 'Other workstations save into this folder, too, and the office’s server isn’t available just now.',
  mayHaveArrived: false
}

function busyAt(holder: string): AppError {
  if (holder === '') return { code: 'busy', message: 'Another workstation is saving this file.', mayHaveArrived: false }
  return { code: 'busy', message: `${holder} is saving this file.`, mayHaveArrived: false }
}
