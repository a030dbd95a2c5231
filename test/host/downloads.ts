// Downloads started by pages: each is offered to the session's `will-download` before anything is kept, and one that is
// prevented or cancelled leaves nothing on disk.
import { mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type * as Electron from 'electron'
import type { Protocol } from './cdp.ts'
import { dialogs } from './dialog.ts'
import { chromium } from './host.ts'
import { ownerOfFrame } from './network.ts'
import { toApp } from './schemes.ts'
import type { Session } from './session.ts'
import { Emulated, notEmulated, preventable, refuseLater } from './strict.ts'

type DownloadStart = Protocol.Browser.downloadWillBeginPayload
type Progress = Protocol.Browser.downloadProgressPayload
type State = 'progressing' | 'completed' | 'cancelled' | 'interrupted'

type Offered = Pick<
  Electron.DownloadItem,
  | 'cancel'
  | 'canResume'
  | 'getFilename'
  | 'getReceivedBytes'
  | 'getSavePath'
  | 'getStartTime'
  | 'getState'
  | 'getTotalBytes'
  | 'getURL'
  | 'getURLChain'
  | 'hasUserGesture'
  | 'isPaused'
  | 'pause'
  | 'resume'
  | 'setSavePath'
  | 'setSaveDialogOptions'
>

export class DownloadItem extends Emulated implements Offered {
  readonly #info: DownloadStart
  readonly #cancel: () => void
  readonly #startTime = Date.now() / 1000
  #state: State = 'progressing'
  #path = ''
  #received = 0
  #total = 0

  constructor(info: DownloadStart, cancel: () => void) {
    super('DownloadItem', { emits: ['updated', 'done'] })
    this.#info = info
    this.#cancel = cancel
  }

  get savePath(): string {
    return this.#path
  }

  set savePath(path: string) {
    this.setSavePath(path)
  }

  setSavePath(path: string): void {
    this.#path = path
  }

  getSavePath(): string {
    return this.#path
  }

  setSaveDialogOptions(): void {}

  getURL(): string {
    return toApp(this.#info.url)
  }

  getURLChain(): string[] {
    return [this.getURL()]
  }

  getFilename(): string {
    return this.#info.suggestedFilename
  }

  getReceivedBytes(): number {
    return this.#received
  }

  getTotalBytes(): number {
    return this.#total
  }

  getStartTime(): number {
    return this.#startTime
  }

  getState(): State {
    return this.#state
  }

  getMimeType(): string {
    return notEmulated('DownloadItem.getMimeType')
  }

  hasUserGesture(): boolean {
    return true
  }

  isPaused(): boolean {
    return false
  }

  pause(): void {
    notEmulated('DownloadItem.pause')
  }

  resume(): void {
    notEmulated('DownloadItem.resume')
  }

  canResume(): boolean {
    return false
  }

  cancel(): void {
    if (this.#state !== 'progressing') return
    this.#cancel()
  }

  /** @internal */
  progress({ receivedBytes, totalBytes }: Progress): void {
    this.#received = receivedBytes
    this.#total = totalBytes
    this.emit('updated', {}, 'progressing')
  }

  /** @internal */
  finish(state: 'completed' | 'cancelled' | 'interrupted'): void {
    if (this.#state !== 'progressing') return
    this.#state = state
    this.emit('done', {}, state)
  }
}

/** The downloads of one session. */
export class Downloads {
  /** The folder for downloads whose listener sets no path; if undefined, the save dialog is asked. */
  folder: string | undefined
  readonly #session: Session
  readonly #items = new Map<string, DownloadItem>()

  constructor(session: Session) {
    this.#session = session
  }

  async watch(browserContextId: string): Promise<void> {
    const { root, folder } = chromium()
    const spool = mkdtempSync(join(folder, 'downloads-'))
    const cancel = (guid: string) => {
      root.sendAndForget('Browser.cancelDownload', { guid, browserContextId })
      return rm(join(spool, guid), { force: true })
    }
    root.on('Browser.downloadWillBegin', (info) => this.#begin(info, () => void cancel(info.guid)))
    root.on('Browser.downloadProgress', (progress) => void this.#follow(progress, join(spool, progress.guid)))
    await root.send('Browser.setDownloadBehavior', {
      behavior: 'allowAndName',
      browserContextId,
      downloadPath: spool,
      eventsEnabled: true
    })
  }

  #begin(info: DownloadStart, cancel: () => void): void {
    const contents = ownerOfFrame(info.frameId)
    if (contents?.session !== this.#session) return
    const item = new DownloadItem(info, () => {
      cancel()
      item.finish('cancelled')
    })
    const event = preventable({})
    this.#session.emit('will-download', event, item, contents)
    if (event.defaultPrevented || item.getState() === 'cancelled') {
      cancel()
      return
    }
    if (!item.getSavePath()) this.#choosePath(item)
    if (!item.getSavePath()) {
      item.cancel()
      return
    }
    this.#items.set(info.guid, item)
  }

  #choosePath(item: DownloadItem): void {
    if (this.folder) {
      item.setSavePath(join(this.folder, item.getFilename()))
      return
    }
    const answer = dialogs.takeSave()
    if (answer === undefined) {
      refuseLater('a save dialog that no test has answered')
      return
    }
    if (!answer.canceled) item.setSavePath(answer.filePath)
  }

  async #follow(progress: Progress, spooled: string): Promise<void> {
    const item = this.#items.get(progress.guid)
    if (!item) return
    item.progress(progress)
    if (progress.state === 'inProgress') return
    this.#items.delete(progress.guid)
    if (progress.state === 'canceled') return item.finish('interrupted')
    try {
      mkdirSync(dirname(item.getSavePath()), { recursive: true })
      await move(spooled, item.getSavePath())
      item.finish('completed')
    } catch {
      item.finish('interrupted')
    }
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, to)
    await rm(from)
  }
}
