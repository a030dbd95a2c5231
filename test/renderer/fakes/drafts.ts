/** The made-up office's drafts with their history and trash, its presets, and what it imports from files. */
import { blankComposition, blankSigner, type Composition } from '../../../src/shared/composition/composition.ts'
import { signersInWords, titleOf } from '../../../src/shared/composition/names.ts'
import type {
  DraftSummary,
  DraftView,
  PresetSummary,
  PresetView,
  SendState
} from '../../../src/shared/contract/views.ts'
import type { FakeState } from '../fake-api.ts'
import { people } from '../people.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

const withTheOutbox: ReadonlySet<SendState> = new Set(['ready', 'sending', 'uncertain', 'sent'])

export function fakeDrafts({
  state,
  emit,
  chosen,
  isShown,
  newId
}: FakeOffice): HandlersOf<'drafts' | 'presets' | 'exchange' | 'outside'> {
  function put(draft: DraftView): DraftSummary {
    state.drafts = [...state.drafts.filter((one) => one.id !== draft.id), draft]
    emit('drafts.changed', { id: draft.id })
    return summaryOf(draft)
  }

  /** Actions only apply to drafts of an account the user sees. */
  function own(draft: DraftView): DraftView {
    if (!isShown(draft.accountId)) throw new Failure('gone')
    return draft
  }

  function officeOf(id: string | undefined): Pick<DraftView, 'office'> {
    const its = state.drafts.find((one) => one.id === id)?.office
    return its ? { office: its } : {}
  }

  /** As in the main process: a late save must neither bring back what was deleted nor change what is being sent. */
  function refuseUnchangeable(id: string): void {
    if (state.sends.some((send) => send.draftId === id && withTheOutbox.has(send.state))) throw new Failure('busy')
    if (own(byId(state.drafts, id)).trashedAt !== undefined) throw new Failure('gone')
  }

  function dismiss(id: string): void {
    state.outside = state.outside.filter((one) => one.id !== id)
    emit('outside.changed', null)
  }

  function putPreset(preset: PresetView): PresetSummary {
    state.presets = [...state.presets.filter((one) => one.id !== preset.id), preset]
    emit('presets.changed', null)
    return presetSummaryOf(preset)
  }

  return {
    'drafts.list': ({ search, trashed, ...page }) => {
      const mine = state.drafts.filter((draft) => isShown(draft.accountId))
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const fitting = mine
        .filter((draft) => (draft.trashedAt !== undefined) === trashed)
        .filter((draft) => words.every((word) => JSON.stringify(draft.composition).toLowerCase().includes(word)))
        .sort((one, two) => two.updatedAt - one.updatedAt)
      const inTrash = mine.filter((draft) => draft.trashedAt !== undefined).length
      return {
        rows: pageOf(fitting, page).map(summaryOf),
        total: fitting.length,
        counts: { drafts: mine.length - inTrash, trashed: inTrash }
      }
    },
    'drafts.get': ({ id, toSend }) => {
      const draft = own(byId(state.drafts, id))
      if (toSend && draft.office?.editingBy !== undefined) throw new Failure('busy')
      return draft
    },
    'drafts.save': ({ id, newId: proposedId, composition }) => {
      const complete = withZone(composition)
      const first = proposedId !== undefined && !state.drafts.some((one) => one.id === proposedId)
      const existingId = id ?? (first ? undefined : proposedId)
      if (existingId !== undefined) refuseUnchangeable(existingId)
      return put({
        id: existingId ?? proposedId ?? newId('draft'),
        accountId: chosen().id,
        kind: complete.kind,
        title: titleOf(complete),
        who: signersInWords(complete),
        updatedAt: state.now(),
        composition: complete,
        ...officeOf(existingId)
      })
    },
    'drafts.remove': ({ id }) => {
      put({ ...byId(state.drafts, id), trashedAt: state.now() })
      return null as never
    },
    'drafts.restore': ({ id }) => {
      const { trashedAt: _trashedAt, ...draft } = byId(state.drafts, id)
      return put(draft)
    },
    'drafts.erase': ({ id }) => {
      byId(state.drafts, id)
      state.drafts = state.drafts.filter((one) => one.id !== id)
      emit('drafts.changed', { id })
      return null as never
    },
    'drafts.emptyTrash': () => {
      const before = state.drafts.length
      state.drafts = state.drafts.filter((one) => one.trashedAt === undefined)
      emit('drafts.changed', { id: '' })
      return { erased: before - state.drafts.length }
    },
    'drafts.duplicate': ({ id }) => put({ ...byId(state.drafts, id), id: newId('draft'), updatedAt: state.now() }),
    'drafts.history': ({ id }) =>
      (state.versions[id] ?? []).map(({ composition, ...version }) => ({
        ...version,
        title: titleOf(composition),
        who: signersInWords(composition)
      })),
    'drafts.version': ({ id, version }) => ({ composition: byId(state.versions[id] ?? [], version).composition }),
    'drafts.restoreVersion': ({ id, version }) => {
      const draft = byId(state.drafts, id)
      const { composition } = byId(state.versions[id] ?? [], version)
      put({
        ...draft,
        composition,
        title: titleOf(composition),
        who: signersInWords(composition),
        updatedAt: state.now()
      })
      return byId(state.drafts, id)
    },
    'drafts.editorOpened': () => null as never,
    'drafts.editorClosed': () => null as never,
    'drafts.takeOver': ({ id }) => {
      const { office, ...draft } = byId(state.drafts, id)
      const { editingBy: _editingBy, ...its } = office ?? { isMine: false, canBeMine: true, versions: 0, edition: 0 }
      put({ ...draft, office: its })
      return byId(state.drafts, id)
    },
    'drafts.setOwner': ({ id, whose }) => {
      const { office, ...draft } = byId(state.drafts, id)
      if (office?.canBeMine === false) throw new Failure('conflict')
      const its = office ?? { canBeMine: true, versions: 0, edition: 0 }
      return put({ ...draft, office: { ...its, isMine: whose === 'mine' } })
    },
    'drafts.resolveConflicts': ({ id }) => {
      const { office, ...draft } = byId(state.drafts, id)
      if (office) put({ ...draft, office: { ...office, versions: 0 } })
      state.versions[id] = (state.versions[id] ?? []).map(({ isOpen: _isOpen, ...version }) => version)
      return null as never
    },
    'drafts.export': () => ({ label: 'Drafts.countersign' }),
    'presets.list': () => state.presets.map(presetSummaryOf),
    'presets.get': ({ id }) => byId(state.presets, id),
    'presets.save': ({ id, name, composition }) => {
      const complete = withZone(composition)
      return putPreset({
        id: id ?? newId('preset'),
        name,
        kind: complete.kind,
        title: titleOf(complete),
        updatedAt: state.now(),
        composition: complete
      })
    },
    'presets.rename': ({ id, name }) => putPreset({ ...byId(state.presets, id), name }),
    'presets.remove': ({ id }) => {
      byId(state.presets, id)
      state.presets = state.presets.filter((one) => one.id !== id)
      emit('presets.changed', null)
      return null as never
    },
    'presets.export': () => ({ label: 'Presets.countersign' }),
    'exchange.import': () => {
      if (!state.imported) throw new Failure('internal')
      return state.imported
    },
    'outside.list': () => state.outside,
    'outside.accept': ({ id }) => {
      const { what } = byId(state.outside, id)
      dismiss(id)
      if (what !== 'draft') return state.imported ?? { drafts: [], presets: [], refused: [] }
      const composition = blankComposition('form-direct', 'outside')
      const draft = { id: newId('draft'), accountId: chosen().id, kind: composition.kind, composition }
      const summary = put({ ...draft, title: titleOf(composition), who: '', updatedAt: state.now() })
      return { drafts: [summary], presets: [], refused: [] }
    },
    'outside.dismiss': ({ id }) => dismiss(id) as never
  }
}

function withZone(composition: Omit<Composition, 'zone'> & { zone?: string | undefined }): Composition {
  return { ...composition, zone: composition.zone ?? '' }
}

function summaryOf({ composition: _composition, ...summary }: DraftView): DraftSummary {
  return summary
}

function presetSummaryOf({ composition: _composition, ...summary }: PresetView): PresetSummary {
  return summary
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const subjects = [
  'Residential tenancy agreement',
  'Tax file declaration',
  'Deed of gift',
  'Superannuation choice',
  'Power of attorney',
  'Loan variation',
  'Statement of advice'
]

/** Returns a package of one form or template for one or two made-up people. */
function madeUpComposition(index: number, name = subjects[index % subjects.length] ?? ''): Composition {
  const kind = index % 3 === 1 ? 'form-direct' : 'form-filler'
  const composition = blankComposition(kind, `made-${index}`)
  const signers = [index, index + 3].slice(0, index % 4 === 0 ? 1 : 2).map((one) => {
    const [FirstName, LastName] = people[one % people.length] as (typeof people)[number]
    const Email = `${FirstName}.${LastName}@example.com`.toLowerCase()
    return { ...blankSigner(`person-${one}`), FirstName, LastName, Email }
  })
  composition.items = composition.items.map((item) => ({
    ...item,
    Name: name,
    Reference: `ref-${index % 7}`,
    FormType: '3',
    signers
  }))
  return composition
}

function madeUpDraft(index: number, updatedAt: number): DraftView {
  const composition = madeUpComposition(index)
  return {
    id: `made-${index + 1}`,
    accountId: 'practice',
    kind: composition.kind,
    title: titleOf(composition),
    who: signersInWords(composition),
    updatedAt,
    composition
  }
}

/** Returns drafts from several weeks, newest first. */
export function madeUpDrafts(count: number, now: number): DraftView[] {
  return Array.from({ length: count }, (_, index) => madeUpDraft(index, now - (index * 37 + 3) * MINUTE))
}

export function madeUpTrash(count: number, now: number): DraftView[] {
  return Array.from({ length: count }, (_, index) => ({
    ...madeUpDraft(20_000 + index, now - (index * 3 + 2) * DAY),
    trashedAt: now - (index * 3 + 1) * DAY
  }))
}

export function madeUpPresets(now: number): PresetView[] {
  return ['Tenancy, two tenants', 'New employee', 'Loan variation, branch', 'Adviser’s annual letter'].map(
    (name, index) => {
      const composition = madeUpComposition(index)
      return {
        id: `office-${index + 1}`,
        name,
        kind: composition.kind,
        title: titleOf(composition),
        updatedAt: now - index * 9 * DAY,
        composition
      }
    }
  )
}

/** Returns three versions of a draft, each with less content. */
export function madeUpVersions(draft: DraftView, now: number): FakeState['versions'][string] {
  const sent: Composition = {
    ...structuredClone(draft.composition),
    due: `${new Date(now + 14 * DAY).toISOString().slice(0, 10)}T17:00`,
    gmt: '780',
    zone: 'Pacific/Auckland'
  }
  const before = structuredClone(draft.composition)
  const first = before.items[0]
  if (first) {
    first.Name = 'Tenancy agreement'
    first.signers = first.signers.slice(0, 1).map((signer) => ({ ...signer, Email: 'mere@example.org' }))
  }
  const begun = structuredClone(before)
  if (begun.items[0]) begun.items[0].signers = [blankSigner('nobody')]
  return [
    { id: `${draft.id}-v3`, savedAt: now - 14 * MINUTE, reason: 'send', composition: sent },
    { id: `${draft.id}-v2`, savedAt: now - 26 * MINUTE, reason: 'change', composition: before },
    { id: `${draft.id}-v1`, savedAt: now - DAY, reason: 'restore', composition: begun }
  ]
}
