/** The made-up office's day: overview, activity, notifications, employers, drop folders. */
import { byId, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

type Handled = HandlersOf<'overview' | 'activity' | 'notifications' | 'employers' | 'forms' | 'dropFolders' | 'hints'>

export function fakeDay(office: FakeOffice): Handled {
  const { state, emit } = office
  return {
    'overview.get': () => state.overview,
    'activity.list': ({ reference, kinds, isOwn, search = '', ...page }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const fitting = state.changes.filter(
        (one) =>
          (reference === undefined || one.reference === reference) &&
          (kinds === undefined || kinds.includes(one.kind)) &&
          (isOwn === undefined || one.isOwn === isOwn) &&
          words.every((word) => `${one.documentName} ${one.signer ?? ''}`.toLowerCase().includes(word))
      )
      return { changes: pageOf(fitting, page), total: fitting.length }
    },
    'activity.away': () => state.away,
    'activity.seen': () => {
      state.away = { total: 0, byKind: {}, changes: [] }
      emit('activity.changed', null)
      return null as never
    },
    'notifications.get': () => state.notifications,
    'notifications.set': (preferences) => {
      state.notifications = preferences
      return preferences
    },
    'employers.list': () => state.employers,
    'employers.save': ({ records }) => {
      const saved = new Map(state.employers.records.map((one) => [`${one.kind} ${one.Reference}`, one]))
      for (const record of records) saved.set(`${record.kind} ${record.Reference}`, record)
      state.employers = { records: [...saved.values()], from: 'service', at: state.now() }
      emit('employers.changed', null)
      return state.employers
    },
    'forms.known': () => state.knownForms,
    'forms.recentTemplates': () =>
      state.knownForms
        .filter(({ kind, usedAt }) => kind === 'form-filler' && usedAt !== undefined)
        .sort((one, two) => (two.usedAt ?? 0) - (one.usedAt ?? 0))
        .map(({ Reference }) => Reference),
    'dropFolders.list': () => state.dropFolders,
    'dropFolders.add': () => {
      const folder = {
        id: office.newId('folder'),
        accountId: office.chosen().id,
        label: 'Scans',
        place: '/office/Scans',
        state: 'paused' as const,
        sends: false,
        taken: 0,
        failed: 0
      }
      state.dropFolders = [...state.dropFolders, folder]
      return folder
    },
    'dropFolders.change': ({ id, sends, presetId, paused }) => {
      const { presetId: before, ...folder } = byId(state.dropFolders, id)
      const preset = presetId === undefined ? before : (presetId ?? undefined)
      const next = {
        ...folder,
        ...(sends !== undefined && { sends }),
        ...(paused !== undefined && { state: paused ? ('paused' as const) : ('watching' as const) }),
        ...(preset !== undefined && { presetId: preset })
      }
      state.dropFolders = state.dropFolders.map((one) => (one.id === id ? next : one))
      emit('dropFolders.changed', { id })
      return next
    },
    'dropFolders.remove': ({ id }) => {
      byId(state.dropFolders, id)
      state.dropFolders = state.dropFolders.filter((one) => one.id !== id)
      return null as never
    },
    'dropFolders.files': ({ id, ...page }) => {
      const files = state.droppedFiles.filter(({ folderId }) => folderId === id)
      return { files: pageOf(files, page), total: files.length }
    },
    'dropFolders.reveal': () => null as never,
    'dropFolders.refused': (page) => {
      const { files, open } = state.refused
      return { files: pageOf(files, page), total: files.length, open }
    },
    'dropFolders.dismissRefused': ({ folderId }) => {
      const { files, open, total } = state.refused
      state.refused = {
        files: files.map((file) => (file.folderId === folderId ? { ...file, isDismissed: true } : file)),
        open: open.filter((one) => one.folderId !== folderId),
        total
      }
      emit('dropFolders.changed', { id: folderId })
      return null as never
    },
    'hints.get': () => state.hints,
    'hints.set': ({ listening }) => {
      state.hints = listening ? { address: 'http://127.0.0.1:47811/hint/9f3c' } : {}
      return state.hints
    }
  }
}
