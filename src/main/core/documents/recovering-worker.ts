/**
 * Runs the documents' worker over its file for as long as the application runs. Damage may be in places not read at
 * start-up: whenever it shows, the file is set aside, a new one is created, and the question is repeated there. The
 * service provides everything again, so nothing is lost.
 */
import { AppFailure } from '../lib/failure.ts'
import { faultOf, type MemoryReason } from '../storage/database-fault.ts'
import { type DocumentsPlace, type OpenedDocuments, openDocuments } from './mirror/database.ts'
import { type DocumentsWorker, openDocumentsWorker } from './worker.ts'

/** If more files than this get damaged, the disk is left alone and everything is kept in memory. */
const MAX_SET_ASIDE = 2

/** Result of opening the file. */
export type DocumentsOpened = Pick<OpenedDocuments, 'state' | 'setAside'> & { because?: MemoryReason }

interface OpenWorker extends Pick<OpenedDocuments, 'state'> {
  worker: DocumentsWorker
  /** Closes the file immediately, whatever is in progress. */
  closeNow: () => void
}

/**
 * Opens the worker at the first question.
 * @param onOpened called after each opening: the first, and after each damage.
 */
export function openRecoveringWorker(
  place: DocumentsPlace,
  onOpened: (opened: DocumentsOpened) => void
): Pick<DocumentsWorker, 'ask' | 'close'> {
  let current: Promise<OpenWorker> | undefined
  let { key } = place
  let setAsideCount = 0
  let isClosed = false

  async function open(isDamaged: boolean): Promise<OpenWorker> {
    const hasFile = setAsideCount <= MAX_SET_ASIDE
    const { db, ...opened } = await openDocuments({ ...place, key: hasFile ? key : undefined, isDamaged })
    // From now on the key fits the file, which must not be mistaken for one written with another key.
    if (key) key = { ...key, isNew: false }
    onOpened(hasFile ? opened : { ...opened, because: 'disk-failed' })
    return { state: opened.state, worker: openDocumentsWorker({ db, time: place.time }), closeNow: () => db.close() }
  }

  /** Returns whether there is a new worker to ask again. */
  async function recover(mine: Promise<OpenWorker>, error: unknown): Promise<boolean> {
    if (isClosed) return false
    if (current !== mine) return current !== undefined
    const { worker, state, closeNow } = await mine
    const isDamaged = state === 'file' && faultOf(error).kind === 'file'
    const isReadable = await worker.ready().then(
      () => true,
      () => false
    )
    if (current !== mine) return current !== undefined
    if (!isDamaged && isReadable) return false
    closeNow()
    if (isDamaged) setAsideCount++
    // If the file couldn't be read for another reason, the next question tries again.
    current = isDamaged ? open(true) : undefined
    return isDamaged
  }

  return {
    async ask(name, ask) {
      if (isClosed) throw new AppFailure({ code: 'storage', message: 'The list of documents is closed already.' })
      current ??= open(false)
      const mine = current
      try {
        return await (await mine).worker.ask(name, ask)
      } catch (error) {
        if (!(await recover(mine, error)) || !current) throw error
        return (await current).worker.ask(name, ask)
      }
    },

    async close() {
      isClosed = true
      await (await current)?.worker.close()
    }
  }
}
