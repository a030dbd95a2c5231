/** Requests about drafts and presets, `.countersign` files, and suggestions while composing. */
import type { SavedFile } from '../../shared/contract/index.ts'
import { suggestedName } from '../core/drafts/exchange.ts'
import { FILE_EXTENSION } from '../core/drafts/exchange-file.ts'
import { fail } from '../core/lib/failure.ts'
import { chosenId, coveredRecord, shownIds } from './covered-accounts.ts'
import type { Dialogs, FileKind } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

type DraftParts = Dialogs &
  Pick<
    Parts,
    'accounts' | 'drafts' | 'sharedDrafts' | 'records' | 'presets' | 'exchange' | 'outside' | 'people' | 'remembered'
  >

const KINDS: readonly FileKind[] = [{ name: 'Countersign file', extensions: [FILE_EXTENSION] }]

export function draftHandlers(
  parts: DraftParts
): HandlersOf<'drafts' | 'presets' | 'exchange' | 'outside' | 'people' | 'remembered'> {
  const { accounts, drafts, sharedDrafts, records, presets, exchange, outside, people, remembered } = parts
  const { withSyncState } = sharedDrafts

  const ownDraft = coveredRecord(
    accounts,
    (id) => drafts.summary(id).accountId,
    () => fail('gone', 'This draft belongs to another account.')
  )
  const ownPreset = coveredRecord(accounts, presets.accountOf, () =>
    fail('gone', 'This preset belongs to another account.')
  )

  async function exportTo(
    what: 'drafts' | 'presets',
    names: readonly string[],
    stillAsking: () => boolean,
    save: (path: string) => Promise<SavedFile>
  ): Promise<SavedFile | null> {
    const path = await parts.chooseSaveFile(`Export ${what}`, suggestedName(names, what), KINDS, stillAsking)
    return path === undefined ? null : save(path)
  }

  return {
    'drafts.list': async (query) => {
      const found = drafts.list(shownIds(accounts), query)
      return { ...found, rows: found.rows.map(withSyncState) }
    },
    'drafts.get': async ({ id, toSend }) => {
      const draft = drafts.get(ownDraft(id))
      if (toSend) sharedDrafts.assertSendable(id)
      return withSyncState(draft)
    },
    'drafts.save': async ({ id, newId, composition, edition }) => {
      const accountId = chosenId(accounts)
      const draft = sharedDrafts.save(accountId, composition, id, newId, edition)
      if (id === undefined) accounts.noteComposed(accountId)
      return withSyncState(draft)
    },
    'drafts.remove': async ({ id }) => drafts.remove(ownDraft(id)),
    'drafts.restore': async ({ id }) => withSyncState(drafts.restore(ownDraft(id))),
    'drafts.erase': async ({ id }) => drafts.erase(ownDraft(id)),
    'drafts.emptyTrash': async () => ({ erased: await drafts.emptyTrash(shownIds(accounts)) }),
    'drafts.duplicate': async ({ id }) => withSyncState(drafts.duplicate(ownDraft(id))),
    'drafts.history': async ({ id }) => drafts.history(ownDraft(id)),
    'drafts.version': async ({ id, version }) => ({ composition: drafts.version(ownDraft(id), version) }),
    'drafts.restoreVersion': async ({ id, version }) => {
      const resolvesConflict = drafts.history(ownDraft(id)).some((one) => one.id === version && one.isOpen)
      const draft = drafts.restoreVersion(id, version)
      // If the office's server can't be reached, it stays undecided; the draft itself is already correct.
      if (resolvesConflict) await sharedDrafts.resolveConflicts(id).catch(() => undefined)
      return withSyncState(resolvesConflict ? drafts.get(id) : draft)
    },
    'drafts.editorOpened': async ({ id }) => sharedDrafts.editorOpened(ownDraft(id)),
    'drafts.takeOver': async ({ id }) => {
      await sharedDrafts.takeOver(ownDraft(id))
      return withSyncState(drafts.get(id))
    },
    'drafts.editorClosed': async ({ id }) => sharedDrafts.editorClosed(id),
    'drafts.setOwner': async ({ id, whose }) => withSyncState(await sharedDrafts.setOwner(ownDraft(id), whose)),
    'drafts.resolveConflicts': async ({ id }) => sharedDrafts.resolveConflicts(ownDraft(id)),
    'drafts.export': async ({ ids }, { stillAsking }) => {
      const titles = ids.map((id) => drafts.summary(ownDraft(id)).title)
      return exportTo('drafts', titles, stillAsking, (path) => exchange.exportDrafts(path, ids))
    },

    'presets.list': async () => {
      const accountId = chosenId(accounts)
      return records.withSyncState('preset', accountId, presets.list(accountId))
    },
    'presets.get': async ({ id }) => presets.get(ownPreset(id)),
    'presets.save': async ({ id, name, composition }) => presets.save(chosenId(accounts), name, composition, id),
    'presets.rename': async ({ id, name }) => presets.rename(ownPreset(id), name),
    'presets.remove': async ({ id }) => presets.remove(ownPreset(id)),
    'presets.export': async ({ ids }, { stillAsking }) => {
      const own = new Set(ids.map(ownPreset))
      const names = presets.list(chosenId(accounts)).flatMap(({ id, name }) => (own.has(id) ? [name] : []))
      return exportTo('presets', names, stillAsking, (path) => exchange.exportPresets(path, ids))
    },
    'exchange.import': async (_input, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const paths = await parts.chooseFiles('Import drafts and presets', KINDS, stillAsking, 'many')
      return paths.length === 0 ? null : exchange.importFiles(accountId, paths)
    },

    'outside.list': async () => outside.list(),
    'outside.accept': async ({ id }) => outside.accept(id, chosenId(accounts)),
    'outside.dismiss': async ({ id }) => outside.dismiss(id),

    'people.find': async ({ text, limit, isForgiving }) => people.find(chosenId(accounts), text, limit, isForgiving),
    'people.list': async (query) => people.list(chosenId(accounts), query),
    'people.change': async ({ was, now }) => people.change(chosenId(accounts), was, now),
    'people.merge': async ({ from, into }) => people.merge(chosenId(accounts), from, into),
    'people.forget': async (person) => people.forget(chosenId(accounts), person),
    'remembered.values': async ({ field }) => remembered.values(chosenId(accounts), field),
    'remembered.keepChoices': async ({ field, choices }) => remembered.keepChoices(chosenId(accounts), field, choices),
    'remembered.forms': async () => remembered.forms(chosenId(accounts))
  }
}
