/**
 * The made-up office's downloads: a queue that stands still until the test moves it, a simple naming pattern, rules,
 * and a check whose findings the test sets in `state.downloadCheck`.
 */
import type {
  CheckedDownload,
  DocumentPage,
  DocumentQuery,
  DownloadCheck,
  DownloadFolder,
  DownloadRule,
  DownloadSettings,
  DownloadState,
  DownloadSummary,
  DownloadView
} from '../../../src/shared/contract/index.ts'
import { FILE_ENDINGS } from '../../../src/shared/file-endings.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

type Handled = HandlersOf<'downloads'>

/** Active downloads first, then finished ones, newest first. */
const order: readonly DownloadState[] = ['running', 'waiting']
const PLACEHOLDER =
  /^\{(account|document|package|matter|reference|clientReference|signer|signers|type|date|longDate|due|yyyy|mm|dd)\}$/

export const usualDownloads: DownloadSettings = {
  types: ['pdf'],
  pattern: '{yyyy}/{document} – {signer} – {date}',
  writesIndex: true,
  folder: { id: 'folder-1', label: 'Downloads' },
  isFolderChosen: true,
  concurrency: 3
}

/** Returns a download in the form of the check's findings. */
export function checkedOf({
  id,
  documentReference,
  documentName,
  type,
  folder,
  fileName
}: DownloadView): CheckedDownload {
  return { id, documentReference, documentName, type, folder, ...(fileName !== undefined && { fileName }) }
}

function summaryOf({ state }: Pick<FakeOffice, 'state'>): DownloadSummary {
  const count = (kind: DownloadState) => state.downloads.filter((one) => one.state === kind).length
  const moving = state.downloads.filter((one) => one.state === 'running')
  return {
    counts: {
      waiting: count('waiting'),
      running: count('running'),
      done: count('done'),
      failed: count('failed'),
      cancelled: count('cancelled')
    },
    isPaused: false,
    bytes: moving.reduce((sum, one) => sum + one.bytes, 0),
    ...(moving.length > 0 && { total: moving.reduce((sum, one) => sum + (one.total ?? one.bytes), 0) }),
    ...state.downloadSummary
  }
}

/** @param find returns the documents matching a query. */
export function fakeDownloads(office: FakeOffice, find: (query: DocumentQuery) => { reference: string }[]): Handled {
  const { state, emit } = office
  const changed = (id: string | null = null) => emit('downloads.changed', { id })
  const nothing = null as never

  function folderOf(id: string): DownloadFolder {
    return byId(state.downloadFolders, id)
  }
  function put(download: DownloadView): DownloadView {
    state.downloads = [download, ...state.downloads.filter((one) => one.id !== download.id)]
    changed(download.id)
    return download
  }
  /** Changes each matching download. */
  function updateWhere(isMeant: (one: DownloadView) => boolean, next: (one: DownloadView) => DownloadView): null {
    state.downloads = state.downloads.map((one) => (isMeant(one) ? next(one) : one))
    changed()
    return null
  }
  function requeued({
    error: _error,
    finishedAt: _finishedAt,
    sha256: _sha256,
    wasThere: _wasThere,
    ...one
  }: DownloadView) {
    return { ...one, state: 'waiting', bytes: 0, queuedAt: state.now() } satisfies DownloadView
  }
  function cancelled(one: DownloadView): DownloadView {
    return { ...one, state: 'cancelled', finishedAt: state.now() }
  }
  function findDocument(reference: string): DocumentPage {
    const found = state.documents.find((one) => one.reference === reference)
    if (!found) throw new Failure('not-found')
    return found
  }
  function begin(document: DocumentPage, type: DownloadView['type'], folder: string): DownloadView {
    return put({
      id: office.newId('download'),
      accountId: document.accountId,
      documentReference: document.reference,
      documentName: document.name,
      type,
      state: 'waiting',
      folder,
      bytes: 0,
      queuedAt: state.now()
    })
  }
  function unfinishedDownload(reference: string, type: DownloadView['type']): DownloadView | undefined {
    return state.downloads.find(
      (one) => one.documentReference === reference && one.type === type && order.includes(one.state)
    )
  }

  return {
    'downloads.start': ({ reference, type }) =>
      unfinishedDownload(reference, type) ?? begin(findDocument(reference), type, state.downloadSettings.folder.label),
    'downloads.add': ({ what, folderId, types }) => {
      const { label } = folderOf(folderId)
      const references =
        'query' in what ? find(what.query as DocumentQuery).map((one) => one.reference) : what.references
      const documents = references.map(findDocument)
      const meant = documents.filter((one) =>
        types.some((type) => (type === 'signed' ? one.status.family === 'complete' : hasIdentity(one)))
      )
      let added = 0
      let alreadyQueued = 0
      for (const document of meant) {
        for (const type of types) {
          if (unfinishedDownload(document.reference, type)) alreadyQueued++
          else {
            begin(document, type, label)
            added++
          }
        }
      }
      return { added, alreadyQueued, leftOut: documents.length - meant.length }
    },
    'downloads.list': ({ states, reference, offset, limit }) => {
      const items = state.downloads
        .filter((one) => (states?.includes(one.state) ?? true) && (!reference || one.documentReference === reference))
        .sort((one, two) => placeOf(one) - placeOf(two) || (two.finishedAt ?? 0) - (one.finishedAt ?? 0))
      return { items: pageOf(items, { offset, limit }), total: items.length }
    },
    'downloads.summary': () => summaryOf(office),
    'downloads.pause': () => {
      updateWhere(
        (one) => one.state === 'running',
        (one) => ({ ...one, state: 'waiting', bytes: 0 })
      )
      state.downloadSummary = { ...state.downloadSummary, isPaused: true }
      changed()
      return summaryOf(office)
    },
    'downloads.resume': () => {
      state.downloadSummary = { ...state.downloadSummary, isPaused: false }
      changed()
      return summaryOf(office)
    },
    'downloads.cancel': ({ id }) => {
      put(cancelled(byId(state.downloads, id)))
      return nothing
    },
    'downloads.cancelAll': () => updateWhere((one) => order.includes(one.state), cancelled) as never,
    'downloads.relocate': ({ to }) => {
      const folder = state.downloadFolders.find((one) => one.id === to)
      const waiting = state.downloads.filter((one) => one.state === 'waiting')
      state.downloads = state.downloads.map((one) =>
        one.state === 'waiting' && folder ? { ...one, folder: folder.label } : one
      )
      const { problem: _problem, folder: _folder, ...rest } = state.downloadSummary
      state.downloadSummary = rest
      changed()
      return { moved: waiting.length }
    },
    'downloads.retry': ({ ids }) => updateWhere((one) => ids.includes(one.id), requeued) as never,
    'downloads.retryFailed': () => updateWhere((one) => one.state === 'failed', requeued) as never,
    'downloads.clear': () => {
      state.downloads = state.downloads.filter((one) => one.state !== 'failed' && one.state !== 'cancelled')
      changed()
      return nothing
    },
    'downloads.reveal': () => nothing,
    'downloads.settings': () => state.downloadSettings,
    'downloads.configure': ({ folderId, types, pattern, writesIndex, concurrency }) => {
      state.downloadSettings = {
        types: types ?? state.downloadSettings.types,
        pattern: pattern ?? state.downloadSettings.pattern,
        writesIndex: writesIndex ?? state.downloadSettings.writesIndex,
        concurrency: concurrency ?? state.downloadSettings.concurrency,
        folder: folderId === undefined ? state.downloadSettings.folder : folderOf(folderId),
        isFolderChosen: state.downloadSettings.isFolderChosen || folderId !== undefined
      }
      changed()
      return state.downloadSettings
    },
    'downloads.chooseFolder': () => {
      const folder = { id: office.newId('chosen-folder'), label: 'Signed papers' }
      state.downloadFolders = [...state.downloadFolders, folder]
      return folder
    },
    'downloads.preview': ({ pattern, type, references }) => {
      const unknown = pattern.match(/\{[^}]*\}?/g)?.find((one) => !PLACEHOLDER.test(one))
      const documents = references ? references.map(findDocument) : state.documents.filter(hasIdentity).slice(0, 5)
      const problem =
        pattern.trim() === ''
          ? 'Choose how the files are named.'
          : unknown && `“${unknown}” is not one of the parts that a name can have.`
      if (problem) return { examples: [], problem }
      return {
        examples: documents.map((one) => ({ documentName: one.name, fileName: nameOf(pattern, one, type) }))
      }
    },
    'downloads.rules': () => state.downloadRules,
    'downloads.addRule': ({ viewId, folderId, types, pattern, writesIndex }) => {
      const rule: DownloadRule = {
        id: office.newId('rule'),
        ...(viewId !== undefined && { viewId, viewName: byId(state.views, viewId).name }),
        folder: folderOf(folderId),
        types,
        pattern,
        writesIndex,
        isOn: true,
        fetched: 0
      }
      state.downloadRules = [...state.downloadRules, rule]
      changed()
      return rule
    },
    'downloads.changeRule': ({ id, folderId, types, pattern, writesIndex, isOn }) => {
      const before = byId(state.downloadRules, id)
      const rule: DownloadRule = {
        ...before,
        types: types ?? before.types,
        pattern: pattern ?? before.pattern,
        writesIndex: writesIndex ?? before.writesIndex,
        isOn: isOn ?? before.isOn,
        folder: folderId === undefined ? before.folder : folderOf(folderId)
      }
      state.downloadRules = state.downloadRules.map((one) => (one.id === id ? rule : one))
      changed()
      return rule
    },
    'downloads.removeRule': ({ id }) => {
      byId(state.downloadRules, id)
      state.downloadRules = state.downloadRules.filter((one) => one.id !== id)
      changed()
      return nothing
    },
    'downloads.verifyAgain': ({ id }) => {
      byId(state.downloadRules, id)
      changed()
      return nothing
    },
    'downloads.check': (): DownloadCheck => ({
      checkedAt: state.now(),
      intact: state.downloads.filter((one) => one.state === 'done').length,
      missing: [],
      altered: [],
      unreadable: [],
      ...state.downloadCheck
    }),
    'downloads.writeIndex': ({ folderId }) => {
      folderOf(folderId)
      return { fileName: 'index.csv', rows: state.downloads.filter((one) => one.state === 'done').length }
    }
  }
}

function placeOf({ state }: DownloadView): number {
  const place = order.indexOf(state)
  return place < 0 ? order.length : place
}

function hasIdentity(document: DocumentPage): boolean {
  return document.idVerificationRequested || document.identity !== 'none'
}

function nameOf(pattern: string, document: DocumentPage, type: DownloadView['type']): string {
  const values: Record<string, string> = {
    account: 'Practice office',
    document: document.name,
    signer: document.signers[0]?.name ?? '',
    signers: document.signers.map(({ name }) => name).join(', '),
    matter: document.matterNumber ?? 'No matter',
    reference: document.reference,
    date: '2025-11-26',
    longDate: '26 November 2025',
    yyyy: '2025',
    mm: '11',
    dd: '26',
    type
  }
  return `${pattern.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '')}${FILE_ENDINGS[type]}`
}
