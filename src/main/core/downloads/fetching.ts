/** Fetches one file from the service to its place: complete under the name its pattern gives, or not there at all. */

import { dirname, join } from 'node:path'
import type { AccountRights } from '../../../shared/contract/index.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { defined, getOrMake } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import { flushFolder } from '../storage/atomic-file.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import { nameKey } from '../storage/same-name.ts'
import { buffered } from '../storage/write-buffer.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download, SavedDownload } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { removeLeftovers } from './leftovers.ts'
import { DEFAULT_PATTERN, type NameParts, parsePattern, relativePath } from './name-pattern.ts'
import { namePartsOf } from './name-values.ts'
import type { Deferral, FetchContext } from './queue.ts'
import type { FileClaim, SharedFiles } from './shared-files.ts'
import { findSavedFile, type SavedFile, saveFile } from './target.ts'
import { FolderCache } from './target-folder.ts'

export type FetchingClient = Pick<
  ServiceClient,
  'downloadIDVerificationPdf' | 'downloadIDVerificationJson' | 'downloadSignedDocument'
>

export interface FetchingDeps {
  table: DownloadsTable
  folders: DownloadFolders
  shared: SharedFiles
  ask: AskDocuments
  clientOf: (accountId: string) => Promise<FetchingClient>
  accountName: (accountId: string) => string
  rightsOf: (accountId: string) => Pick<AccountRights, 'signedDocuments' | 'signedFrom'>
  /** Whether a missing folder may be created: only the default one that no one chose. */
  isDefaultFolder: (path: string) => boolean
  time: Pick<Time, 'elapsed' | 'zone'>
}

/** How many files at the front of the queue may have been in progress when an earlier run ended. */
const MAX_IN_PROGRESS = 256

export function openFetching(deps: FetchingDeps) {
  const { table, folders, shared, ask, time } = deps
  /** Folders already cleared of leftovers from earlier runs. */
  const cleared = new Map<string, Promise<void>>()

  const folderCache = new FolderCache(time)
  /** Owners of files that are saved but not recorded yet, by folder and name. */
  const uncommitted = new Map<string, string>()

  function belongsToAnother(download: Download, fileName: string): boolean {
    const owner = uncommitted.get(`${download.folderId}\n${fileName}`)
    return owner === undefined ? table.belongsToAnother(download, fileName) : owner !== ownerOf(download)
  }

  async function partsOf(download: Download): Promise<NameParts> {
    const { accountId, documentReference: reference, name, type, queuedAt: fallbackDate } = download
    const mirrored = await ask('get', { accountId, reference })
    const account = deps.accountName(accountId)
    return namePartsOf({ account, reference, name, type, fallbackDate, zone: time.zone() }, mirrored)
  }

  const pathOf = async (download: Download) => pathFromPattern(download.pattern, await partsOf(download))

  async function clearLeftovers(folderId: string): Promise<void> {
    const lanes = table.lanes().filter((lane) => lane.folderId === folderId)
    const first = lanes.flatMap((lane) => table.heads(lane, MAX_IN_PROGRESS))
    await removeLeftovers(folders.pathOf(folderId), await Promise.all(first.map(pathOf)))
  }

  function clearOnce(folderId: string): Promise<void> {
    // Leftovers that can't be removed do no harm.
    return getOrMake(cleared, folderId, () => clearLeftovers(folderId).catch(() => undefined))
  }

  async function contentOf(
    client: FetchingClient,
    { accountId, documentReference, type }: Download,
    { signal, expect, received, arrived }: FetchContext
  ): Promise<{ content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>; cancel: () => Promise<void> }> {
    if (type === 'json') {
      const bytes = await client.downloadIDVerificationJson(documentReference, { signal })
      received(bytes.byteLength)
      arrived()
      return { content: [bytes], cancel: async () => void bytes.fill(0) }
    }
    const pdf =
      type === 'signed'
        ? await client.downloadSignedDocument(documentReference, {
            signal,
            allowedOrigins: deps.rightsOf(accountId).signedFrom
          })
        : await client.downloadIDVerificationPdf(documentReference, { signal })
    if (pdf.length !== undefined) expect(pdf.length)
    return { content: buffered(withProgress(pdf.bytes, { signal, received, arrived })), cancel: () => pdf.cancel() }
  }

  return {
    /**
     * Returns undefined if it is no longer queued. @throws errors of the service, the folder or the disk; nothing is
     * left behind then.
     */
    async fetchFile(download: Download, context: FetchContext): Promise<SavedDownload | Deferral | undefined> {
      const folder = folders.pathOf(download.folderId)
      await clearOnce(download.folderId)
      const nameParts = await partsOf(download)
      const path = pathFromPattern(download.pattern, nameParts)
      // In turn, so that of two files with the same name the second sees that the first one's is another document's.
      const key = `download ${download.folderId}/${path.map(nameKey).join('/')}`
      try {
        const made = await inTurnUnlessAborted(key, context.signal, () =>
          shared.makeOnce(download, folder, (claim) => fetchTo(folder, path, nameParts, download, context, claim))
        )
        if (!made) table.dequeue(download.id)
        if (!made || 'why' in made || 'wasThere' in made) return made
        const { workstation, ...its } = made
        // The other workstation may only have found it there.
        const isOwn = isSomeoneElses(download, made) === false
        return { ...its, ...(!isOwn && { workstation }), wasThere: false, ...recordedOf(nameParts) }
      } catch (error) {
        // If a USB stick was pulled out, unfinished files are still on it.
        if (fileErrorOf(error)?.code === 'away') cleared.delete(download.folderId)
        throw error
      }
    },

    /** Makes the names of saved files survive a power failure, by flushing each folder once for all of its files. */
    async flushNames(ended: readonly { download: Download; saved: SavedDownload }[]): Promise<void> {
      const places = ended.map(({ download, saved }) =>
        dirname(join(folders.pathOf(download.folderId), saved.fileName))
      )
      await Promise.all([...new Set(places)].map((place) => flushFolder(place)))
    },

    /** Call it once a file's owner is recorded. */
    committed: ({ folderId }: Download, fileName: string): void => void uncommitted.delete(`${folderId}\n${fileName}`)
  }

  async function fetchTo(
    folder: string,
    path: string[],
    nameParts: NameParts,
    download: Download,
    context: FetchContext,
    claim: FileClaim | undefined
  ): Promise<SavedDownload> {
    const belongsToOther = (found: readonly string[]) => belongsToAnother(download, found.join('/'))
    const { namingBytes: bytes, namingSha256: sha256 } = download
    const isNaming = bytes !== undefined && sha256 !== undefined
    const found = isNaming && (await findSavedFile(folder, path, { bytes, sha256 }, { belongsToOther }))
    if (found) return toSavedDownload(found, nameParts, download)
    const { earlier } = claim ?? {}
    const earlierFile =
      earlier && (await findSavedFile(folder, earlier.fileName.split('/'), earlier, { belongsToOther }))
    if (earlierFile) {
      const wasThere = isSomeoneElses(download, { ...earlierFile, fileName: earlierFile.path.join('/') }) ?? false
      return toSavedDownload({ ...earlierFile, wasThere }, nameParts, download)
    }
    const client = await deps.clientOf(download.accountId)
    context.signal.throwIfAborted()
    const { content, cancel } = await contentOf(client, download, context)
    try {
      const saved = await saveFile(folder, path, content, {
        belongsToOther,
        async beforeNaming(mine, named) {
          table.recordNaming(download.id, mine)
          await claim?.beforeNaming({ ...mine, fileName: named.join('/') })
        },
        makesFolder: deps.isDefaultFolder(folder),
        folderCache
      })
      const fileName = saved.path.join('/')
      const wasThere = saved.wasThere && (isSomeoneElses(download, { ...saved, fileName }) ?? true)
      return toSavedDownload({ ...saved, wasThere }, nameParts, download)
    } finally {
      // If the folder can't be used, none of the content has been read.
      await cancel().catch(() => undefined)
    }
  }

  /** Returns whether a file that was found wasn't written by this workstation; undefined if nothing is known of it. */
  function isSomeoneElses(
    { accountId, documentReference, type, folderId }: Download,
    { fileName, sha256 }: Pick<SavedDownload, 'fileName' | 'sha256'>
  ) {
    const known = table
      .ofDocument(accountId, documentReference)
      .filter((one) => one.type === type && one.folderId === folderId)
      .filter((one) => one.fileName === fileName && one.sha256 === sha256)
    return known.length === 0
      ? undefined
      : known.every(({ wasThere, workstation }) => wasThere || workstation !== undefined)
  }

  function toSavedDownload(
    { path, bytes, sha256, wasThere }: SavedFile,
    nameParts: NameParts,
    download: Download
  ): SavedDownload {
    const fileName = path.join('/')
    uncommitted.set(`${download.folderId}\n${fileName}`, ownerOf(download))
    return { fileName, bytes, sha256, wasThere, ...recordedOf(nameParts) }
  }
}

/** Works as `inTurn`, but a caller that is aborted while others have their turn doesn't wait for them. */
function inTurnUnlessAborted<Answer>(key: string, signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  inTurn(key, () => {
    signal.removeEventListener('abort', onAbort)
    signal.throwIfAborted()
    return work()
  }).then(resolve, reject)
  return promise
}

const ownerOf = ({ accountId, documentReference, type }: Download) => [accountId, documentReference, type].join('\n')

/** Returns what is recorded of a file's document as it was when the file was fetched. */
const recordedOf = ({ signers, clientReference }: NameParts) => ({ signers, ...defined({ clientReference }) })

/** Falls back to the default pattern: a stored pattern that can't be read any more must not lose a file. */
function pathFromPattern(pattern: string, parts: NameParts): string[] {
  const parsed = parsePattern(pattern)
  if (parsed.ok) return relativePath(parsed.pattern, parts)
  const usual = parsePattern(DEFAULT_PATTERN)
  return usual.ok ? relativePath(usual.pattern, parts) : [`identity.${parts.type}`]
}

async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  { signal, received, arrived }: Pick<FetchContext, 'signal' | 'received' | 'arrived'>
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    received(chunk.byteLength)
    yield chunk
  }
  arrived()
}
