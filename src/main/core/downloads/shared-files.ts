/**
 * Files that rules save into a folder shared by several workstations of an office. Each file is made by one
 * workstation: the one that has claimed it at the office's server. The others record it as saved. If that one stops
 * midway, another makes the file, or finds it complete.
 */
import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { OneAtATime, workedOff } from '../jobs/lanes.ts'
import { codeOf } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { type Time, within } from '../lib/time.ts'
import type { Once } from '../office/once.ts'
import { outlasting } from '../office/sends.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { filed, fileErrorOf } from '../storage/file-error.ts'
import type { Download, KeptDownload } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { CAREFULLY } from './file-check.ts'
import { MARK } from './leftovers.ts'
import type { Waits } from './queue.ts'
import { insistInside, rootOf } from './target-folder.ts'

/**
 * How long a claim on a file lasts, how often it is renewed while the file arrives, and how long naming the file may
 * take, in milliseconds.
 */
const CLAIM = 150_000
const RENEWING = 40_000
const NAMING = 20_000
/** When to retry a file that another workstation has, and one that waits for the server (whose return is reported). */
const AGAIN = 60_000
const AWAY_AGAIN = 10 * 60_000
/** How long freeing a claim waits for the office's server to hear of it. */
const PATIENCE = 3_000
const TELLING_AGAIN = 60_000
/** How much the server is told again after it was restored; a backup is hardly older. */
const TOLD_AGAIN = 30 * 24 * 60 * 60_000
/** PostgreSQL's error code if another workstation has it. */
const NOT_ITS = '42501'

/** In a shared folder: what identifies it to all who share it, and a mark of each workstation that saves there. */
const MARKS = '.countersign-office'
const NAME = 'folder'
const SIGN = /^[0-9a-f]{8}$/

/** Describes a file to the workstations that didn't make it; its name is as in `KeptDownload`. */
const Made = z.object({
  // Must be inside the folder, whatever another workstation says.
  fileName: z
    .string()
    .max(1000)
    .refine((name) => !/[\\\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u.test(name)),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/)
})
type Made = z.output<typeof Made>

/** A file that this workstation makes. */
export interface Making {
  /** A file that may have been made earlier: look for it first. */
  readonly earlier: Made | undefined
  /** Call it before the file gets its name. If this throws, the file must not get one. */
  naming: (made: Made) => Promise<void>
}

/** A file that another workstation has saved. */
export interface SavedElsewhere extends Made {
  desk: string
  sharedFolder: string
}

export interface SharedFilesDeps {
  once: Once
  table: DownloadsTable
  newId: () => string
  /** Lets an account's waiting downloads go: all of them, or those that wait because of such an error. */
  hurry: (accountId: string, code?: ErrorCode) => void
  /** Whether a missing folder may be created: only the default one that no one chose. */
  isUsualFolder: (path: string) => boolean
  /** What identifies this workstation in folders: eight hexadecimal digits. */
  sign?: string | undefined
  time: Time
}

type Place = Exclude<ReturnType<Once['of']>, undefined | 'away'>

export class SharedFiles {
  readonly #deps: SharedFilesDeps
  readonly #lanes = new Map<string, OneAtATime<void>>()
  #isOver = false

  constructor(deps: SharedFilesDeps) {
    this.#deps = deps
    const { once, table, time, hurry } = deps
    once.listen({
      back: (accountId) => {
        this.soon(accountId)
        hurry(accountId)
      },
      // Another workstation may have finished one.
      rung: (accountId) => hurry(accountId, 'busy'),
      restored: (accountId) => void table.tellAgain(accountId, time.now() - TOLD_AGAIN),
      leaves: (accountId) => this.#told(accountId)
    })
  }

  /**
   * Has one workstation make a file: this one, by `make`, or another that makes it now or has made it. Undefined if
   * that was too long ago to know the file's name.
   * @param folder absolute. @param make is given nothing if no other workstation is involved.
   * @throws FileError if the folder can't be used; what `make` throws.
   */
  async one(
    download: Download,
    folder: string,
    make: (making?: Making) => Promise<KeptDownload>
  ): Promise<KeptDownload | SavedElsewhere | Waits | undefined> {
    const { once } = this.#deps
    const { accountId, ruleId, isAskedFor } = download
    if (ruleId === undefined || isAskedFor || !once.of(accountId)) return await make()
    const { mark, others } = await this.#marksOf(folder)
    // Another file has the place of the folder's id, so no one can tell who shares the folder.
    if (mark === undefined) return await make()
    const place = once.of(accountId)
    const claim = place && place !== 'away' && (await this.#claim(place, mark, download).catch(() => undefined))
    // If no other workstation saves here, there is no one to wait for.
    if (claim === undefined || claim === false)
      return others > 0 ? { why: AWAY, ms: AWAY_AGAIN } : { ...(await make()), sharedFolder: mark }
    if (!(claim instanceof Claimed)) return claim.isLost ? undefined : claim.answer
    try {
      return { ...(await make(claim)), sharedFolder: mark }
    } catch (error) {
      await claim.free()
      if (error instanceof NotItsOwn) {
        const { holder } = error
        return { why: holder === undefined ? AWAY : busyAt(holder), ms: AGAIN }
      }
      throw error
    } finally {
      claim.end()
    }
  }

  /** Tells the office soon about saved files of this account. */
  soon(accountId: string): void {
    void this.#told(accountId)
  }

  /** Tells the office what it hasn't heard yet, once, if it is connected; then nothing more. */
  async close(): Promise<void> {
    await workedOff(this.#lanes.values(), () => {
      this.#isOver = true
    })
  }

  /** Claims a file. Returns the answer to give if it isn't this workstation's. */
  async #claim(
    place: Place,
    mark: string,
    download: Download
  ): Promise<Claimed | { isLost: boolean; answer: SavedElsewhere | Waits }> {
    const about = aboutOf(download, mark)
    const wanted = { accountId: place.accountId, about: [about], id: download.id, ms: CLAIM }
    const claim = await place.tasks.claim('file', wanted)
    if (claim.isTaken) return new Claimed(place, wanted, claim, this.#deps.time)
    const [by] = claim.by
    if (by?.state !== 'done') return { isLost: false, answer: { why: busyAt(by?.holder ?? ''), ms: AGAIN } }
    const made = Made.safeParse(by.content).data
    const { holder: desk } = by
    const its = { fileName: '', bytes: 0, sha256: '', ...made, desk, sharedFolder: mark }
    return { isLost: made === undefined, answer: its }
  }

  /** Tells the office about saved files. Never rejects. */
  async #told(accountId: string): Promise<void> {
    const { once, table, time } = this.#deps
    const place = once.of(accountId)
    if (this.#isOver || !place || place === 'away') return
    const lane: OneAtATime<void> = getOrMake(this.#lanes, accountId, () => {
      const rested = () => {
        if (!this.#isOver && table.untold(accountId).length > 0) lane.later(TELLING_AGAIN)
      }
      return new OneAtATime(time, () => this.#tell(accountId), rested)
    })
    await lane.fresh().catch(() => undefined)
  }

  async #tell(accountId: string): Promise<void> {
    const { once, table, time } = this.#deps
    for (let untold = table.untold(accountId); untold.length > 0; untold = table.untold(accountId)) {
      for (const download of untold) {
        const place = once.of(accountId)
        if (this.#isOver || !place || place === 'away') return
        const { id, sharedFolder = '', fileName, bytes, sha256, finishedAt = time.now() } = download
        const task = { accountId: place.accountId, about: aboutOf(download, sharedFolder), id, epoch: 0 }
        const how = { ago: time.now() - finishedAt, content: { fileName, bytes, sha256 } }
        await place.tasks.end('file', task, 'done', how).catch((error: unknown) => {
          // Another workstation is making it at the moment, and will find the same.
          if (codeOf(error) !== NOT_ITS) throw error
        })
        table.told(id)
      }
    }
  }

  /**
   * Returns what identifies a folder to all workstations that share it, and how many others save there. The id is in
   * the folder itself: the same folder may have another path elsewhere, and the same path may be another folder.
   */
  async #marksOf(folder: string): Promise<{ mark: string | undefined; others: number }> {
    const { newId, isUsualFolder, sign = MARK } = this.#deps
    if (isUsualFolder(folder)) await filed(() => files.mkdir(folder, { recursive: true }))
    const root = await rootOf(files, folder)
    const place = join(folder, MARKS)
    await files.mkdir(place).catch(unlessThere)
    await insistInside(files, root, place)
    const there = await filed(() => files.readdir(place))
    if (!there.includes(sign)) await writtenOnce(join(place, sign), '')
    if (!there.includes(NAME)) await writtenOnce(join(place, NAME), newId())
    const mark = z.uuid().safeParse(await beginningOf(join(place, NAME))).data
    // If two workstations leave their marks at the same moment, at least one sees the other's.
    const others = (await filed(() => files.readdir(place))).filter((name) => SIGN.test(name) && name !== sign)
    return { mark, others: others.length }
  }
}

/** A file that this workstation has claimed, while it arrives. */
class Claimed implements Making {
  readonly earlier: Made | undefined
  readonly #place: Place
  readonly #wanted: { accountId: string; about: string[]; id: string; ms: number }
  readonly #epoch: number
  readonly #time: Time
  #content: Made | undefined
  #mayName: () => boolean
  #holder: string | undefined
  #cancel = () => {}

  constructor(
    place: Place,
    wanted: { accountId: string; about: string[]; id: string; ms: number },
    claim: { epochs: ReadonlyMap<string, number>; until: number; content?: unknown },
    time: Time
  ) {
    this.#place = place
    this.#wanted = wanted
    this.#time = time
    this.#epoch = [...claim.epochs.values()][0] ?? 0
    this.#mayName = outlasting(time, claim.until, NAMING)
    this.earlier = Made.safeParse(claim.content).data
    this.#renewLater()
  }

  /**
   * Tells the office what the file is, so that the workstation that takes over if this workstation ends now can check whether it is
   * there. @throws NotItsOwn
   */
  async naming(made: Made): Promise<void> {
    this.#content = made
    const isHeard = await this.#renew()
    if (!isHeard || this.#holder !== undefined || !this.#mayName()) throw new NotItsOwn(this.#holder)
  }

  /**
   * Frees the claim of a file that isn't made, or not known to be, so that another may make it. Never rejects; if the
   * office can't be told, the claim expires.
   */
  async free(): Promise<void> {
    this.end()
    const { accountId, about, id } = this.#wanted
    const task = { accountId, about: about[0] ?? '', id, epoch: this.#epoch }
    const told = this.#place.tasks.end('file', task, 'free', { content: this.#content }).catch(() => undefined)
    await within(PATIENCE, told, this.#time)
  }

  end(): void {
    this.#cancel()
    this.#cancel = () => {}
  }

  /** Keeps a claim alive, so that no other workstation starts a file that arrives slowly. */
  #renewLater(): void {
    this.#cancel = this.#time.after(RENEWING, () => {
      const cancelled = this.#cancel
      void this.#renew().then(() => {
        if (this.#cancel === cancelled) this.#renewLater()
      })
    })
  }

  /** Renews the claim; returns whether the office's server heard of it. */
  async #renew(): Promise<boolean> {
    const wanted = { ...this.#wanted, content: this.#content }
    const claim = await this.#place.tasks.claim('file', wanted).catch(() => undefined)
    if (claim?.isTaken) this.#mayName = outlasting(this.#time, claim.until, NAMING)
    else if (claim) this.#holder = claim.by[0]?.holder ?? ''
    return claim !== undefined
  }
}

/** Thrown when another workstation has the file by now, or may; `holder` names it, if known. */
class NotItsOwn extends Error {
  readonly holder: string | undefined
  constructor(holder: string | undefined) {
    super('This file is another workstation’s by now.') // @wc-ignore
    this.holder = holder
  }
}

/** Returns the same text at each workstation for the same folder, document, type and pattern. */
function aboutOf({ documentReference, type, pattern }: Download, mark: string): string {
  return JSON.stringify([mark, documentReference, type, pattern])
}

/** @throws FileError */
function unlessThere(error: unknown): void {
  const trouble = fileErrorOf(error)
  if (trouble?.code !== 'exists') throw trouble ?? error
}

/** Others may be writing the same file; one of them wins. @throws FileError */
async function writtenOnce(path: string, content: string): Promise<void> {
  await writeAtomically(path, content, { mode: 0o644 }).catch(unlessThere)
}

/** Reads enough of a file for our own content; a longer one isn't ours. @throws FileError */
async function beginningOf(path: string): Promise<string> {
  return await filed(async () => {
    const file = await files.open(path, CAREFULLY)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64)).finally(() => file.close())
    return buffer.toString('utf8', 0, bytesRead)
  })
}

const AWAY: AppError = {
  code: 'offline',
  message: 'Other workstations save into this folder, too, and the office’s server isn’t available just now.',
  mayHaveArrived: false
}

function busyAt(holder: string): AppError {
  if (holder === '') return { code: 'busy', message: 'Another workstation is saving this file.', mayHaveArrived: false }
  return { code: 'busy', message: `${holder} is saving this file.`, mayHaveArrived: false }
}
