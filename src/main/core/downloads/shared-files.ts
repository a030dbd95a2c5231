/**
 * A file that a rule saves into a folder which several workstations of an office share is made by one of them: the one that has claimed it at
 * the office's server. The others note it as saved. Where the one is gone in the middle, another makes it, or finds that it is there.
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

/** How long a file is one workstation's, how often that is renewed while it comes, and how long giving it its name may take, in milliseconds. */
const CLAIM = 150_000
const RENEWING = 40_000
const NAMING = 20_000
/** When one that another has is looked at again, and one that waits for the server, which is heard to be back. */
const AGAIN = 60_000
const AWAY_AGAIN = 10 * 60_000
/** How long anyone who stops one waits for the office's server to hear that. */
const PATIENCE = 3_000
const TELLING_AGAIN = 60_000
/** Of the server's life before, so much is told once more; a backup is hardly older. */
const TOLD_AGAIN = 30 * 24 * 60 * 60_000
/** How PostgreSQL says that another has it. */
const NOT_ITS = '42501'

/** In a folder: by what all who share it know it, and a sign of each workstation that saves there. */
const MARKS = '.countersign-office'
const NAME = 'folder'
const SIGN = /^[0-9a-f]{8}$/

/** Which file it is, for those who didn't make it; its name is as of `KeptDownload`. */
const Made = z.object({
  // Inside of the folder, whatever another workstation says.
  fileName: z
    .string()
    .max(1000)
    .refine((name) => !/[\\\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u.test(name)),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/)
})
type Made = z.output<typeof Made>

/** How a file is made that is this workstation's. */
export interface Making {
  /** What may have been made of it before: it is to be looked for first. */
  readonly earlier: Made | undefined
  /** To be called before it has its name; what this throws keeps it from having one. */
  naming: (made: Made) => Promise<void>
}

/** One that another workstation has saved. */
export interface SavedElsewhere extends Made {
  desk: string
  sharedFolder: string
}

export interface SharedFilesDeps {
  once: Once
  table: DownloadsTable
  newId: () => string
  /** What waits, of an account, may go: all of it, or what waits because of such an error. */
  hurry: (accountId: string, code?: ErrorCode) => void
  /** Whether it may be made where it isn't there: the one that nobody chose. */
  isUsualFolder: (path: string) => boolean
  /** By which this workstation is known in folders: eight hexadecimal digits. */
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
      // Another may have come to the end of one.
      rung: (accountId) => hurry(accountId, 'busy'),
      restored: (accountId) => void table.tellAgain(accountId, time.now() - TOLD_AGAIN),
      leaves: (accountId) => this.#told(accountId)
    })
  }

  /**
   * Has one workstation make a file: this one, by `make`, or another, for which it waits or which has made it; undefined where that is too
   * long ago to say what it is called.
   * @param folder absolute. @param make is given nothing where nobody else is concerned.
   * @throws FileError where the folder can't be used; what `make` throws.
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
    // By what it would be known is something else's: nobody can say who shares it.
    if (mark === undefined) return await make()
    const place = once.of(accountId)
    const claim = place && place !== 'away' && (await this.#claim(place, mark, download).catch(() => undefined))
    // Where nobody else saves here, nobody is waited for.
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

  /** Files of this account are there of which the office is to hear. */
  soon(accountId: string): void {
    void this.#told(accountId)
  }

  /** Tells the office what it hasn't heard yet, once, where it is there; then nothing more. */
  async close(): Promise<void> {
    await workedOff(this.#lanes.values(), () => {
      this.#isOver = true
    })
  }

  /** The answer for one that isn't this workstation's. */
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

  /** Never rejects. */
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
          // Another makes it just now, and finds the same.
          if (codeOf(error) !== NOT_ITS) throw error
        })
        table.told(id)
      }
    }
  }

  /**
   * By what a folder is known to all workstations that share it, and how many others save there. It is in the folder itself: the same folder
   * may have another path elsewhere, and the same path be another folder.
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
    // Of two that sign at the same moment at least one sees the other.
    const others = (await filed(() => files.readdir(place))).filter((name) => SIGN.test(name) && name !== sign)
    return { mark, others: others.length }
  }
}

/** A file that is this workstation's, for as long as it comes. */
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

  /** One who takes it over after an end in this moment looks whether it is there. @throws NotItsOwn */
  async naming(made: Made): Promise<void> {
    this.#content = made
    const isHeard = await this.#renew()
    if (!isHeard || this.#holder !== undefined || !this.#mayName()) throw new NotItsOwn(this.#holder)
  }

  /** It isn't made, or not known to be: another may make it. Never rejects; where nobody hears of it, it runs out. */
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

  /** What comes slowly isn't begun by another meanwhile. */
  #renewLater(): void {
    this.#cancel = this.#time.after(RENEWING, () => {
      const cancelled = this.#cancel
      void this.#renew().then(() => {
        if (this.#cancel === cancelled) this.#renewLater()
      })
    })
  }

  /** Whether the office's server has heard of it. */
  async #renew(): Promise<boolean> {
    const wanted = { ...this.#wanted, content: this.#content }
    const claim = await this.#place.tasks.claim('file', wanted).catch(() => undefined)
    if (claim?.isTaken) this.#mayName = outlasting(this.#time, claim.until, NAMING)
    else if (claim) this.#holder = claim.by[0]?.holder ?? ''
    return claim !== undefined
  }
}

/** Another workstation has it by now, or may; `holder` is which one, where that is known. */
class NotItsOwn extends Error {
  readonly holder: string | undefined
  constructor(holder: string | undefined) {
    super('This file is another workstation’s by now.') // @wc-ignore
    this.holder = holder
  }
}

/** The same at each workstation where the folder, the document and what a rule makes of it are. */
function aboutOf({ documentReference, type, pattern }: Download, mark: string): string {
  return JSON.stringify([mark, documentReference, type, pattern])
}

/** @throws FileError */
function unlessThere(error: unknown): void {
  const trouble = fileErrorOf(error)
  if (trouble?.code !== 'exists') throw trouble ?? error
}

/** Others may be writing the same, of which one stays. @throws FileError */
async function writtenOnce(path: string, content: string): Promise<void> {
  await writeAtomically(path, content, { mode: 0o644 }).catch(unlessThere)
}

/** What is longer is nothing of ours. @throws FileError */
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
