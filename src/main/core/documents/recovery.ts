/**
 * The documents' worker over its file, for as long as the application runs. Damage may lie where nobody reads at the start:
 * whenever it shows, the file is set aside and begun again, and what was asked is asked of the new one. Nothing is lost that
 * the service doesn't tell again.
 */
import { AppFailure } from '../lib/failure.ts'
import { faultOf, type MemoryReason } from '../storage/database-fault.ts'
import { type DocumentsPlace, type OpenedDocuments, openDocuments } from './mirror/database.ts'
import { type DocumentsWorker, openDocumentsWorker } from './worker.ts'

/** A disk that spoils one file after the other is left alone: then all is in memory. */
const MOST_SET_ASIDE = 2

/** What became of opening the file. */
export type DocumentsOpened = Pick<OpenedDocuments, 'state' | 'setAside'> & { because?: MemoryReason }

interface Standing extends Pick<OpenedDocuments, 'state'> {
  worker: DocumentsWorker
  /** Closes the file at once, whatever is under way. */
  leave: () => void
}

/** @param told told of each opening: at the first question, and after each damage. */
export function openRecoveringWorker(
  place: DocumentsPlace,
  told: (opened: DocumentsOpened) => void
): Pick<DocumentsWorker, 'ask' | 'close'> {
  let standing: Promise<Standing> | undefined
  let { key } = place
  let setAside = 0
  let isClosed = false

  async function open(isDamaged: boolean): Promise<Standing> {
    const hasFile = setAside <= MOST_SET_ASIDE
    const { db, ...opened } = await openDocuments({ ...place, key: hasFile ? key : undefined, isDamaged })
    // It fits from now on; the file must not be taken for a stranger's.
    if (key) key = { ...key, isNew: false }
    told(hasFile ? opened : { ...opened, because: 'disk-failed' })
    return { state: opened.state, worker: openDocumentsWorker({ db, time: place.time }), leave: () => db.close() }
  }

  /** Answers whether there is another worker by now, that may know better. */
  async function replaced(mine: Promise<Standing>, error: unknown): Promise<boolean> {
    if (isClosed) return false
    if (standing !== mine) return standing !== undefined
    const { worker, state, leave } = await mine
    const isDamaged = state === 'file' && faultOf(error).kind === 'file'
    const isReadable = await worker.ready().then(
      () => true,
      () => false
    )
    if (standing !== mine) return standing !== undefined
    if (!isDamaged && isReadable) return false
    leave()
    if (isDamaged) setAside++
    // What could not be read for another reason is tried again by anyone who asks next.
    standing = isDamaged ? open(true) : undefined
    return isDamaged
  }

  return {
    async ask(name, ask) {
      if (isClosed) throw new AppFailure({ code: 'storage', message: 'The list of documents is closed already.' })
      standing ??= open(false)
      const mine = standing
      try {
        return await (await mine).worker.ask(name, ask)
      } catch (error) {
        if (!(await replaced(mine, error)) || !standing) throw error
        return (await standing).worker.ask(name, ask)
      }
    },

    async close() {
      isClosed = true
      await (await standing)?.worker.close()
    }
  }
}
