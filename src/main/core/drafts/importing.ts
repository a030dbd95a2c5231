/**
 * Stores drafts and presets of an imported file all together or not at all, even if the application exits in between.
 * Writing thousands of them doesn't block anything else.
 */

import type { Composition } from '../../../shared/composition/index.ts'
import type { ImportResult } from '../../../shared/contract/index.ts'
import { inSlices } from '../lib/slices.ts'
import { Statements } from '../storage/statements.ts'
import type { DraftDeps } from './draft-rows.ts'
import type { Drafts } from './drafts.ts'
import type { Presets } from './presets.ts'

export interface ImportDeps extends DraftDeps {
  drafts: Drafts
  presets: Presets
}

export interface ImportEntries {
  drafts: Iterable<Composition>
  presets: Iterable<{ name: string; composition: Composition }>
}

export type Stored = Pick<ImportResult, 'drafts' | 'presets'>

export function openImport({ db, drafts, presets, time, newId }: ImportDeps) {
  const statements = new Statements(db)
  const addArrival = statements.run<[id: string]>('INSERT INTO arrivals (id) VALUES (?)')
  const removeArrival = statements.run<[id: string]>('DELETE FROM arrivals WHERE id = ?')
  const eraseDraft = statements.run<[id: string]>('DELETE FROM drafts WHERE id = ?')
  const erasePreset = statements.run<[id: string]>('DELETE FROM presets WHERE id = ?')
  const pendingArrivals = statements.values<[], string>('SELECT id FROM arrivals')

  const reveal = db.transaction((ids: readonly string[], alongside: () => void) => {
    for (const id of ids) removeArrival(id)
    alongside()
  })

  function* eraseEntries(ids: readonly string[]): Generator<void, void> {
    for (const id of ids) {
      eraseDraft(id)
      erasePreset(id)
      removeArrival(id)
      yield
    }
  }

  function* write(accountId: string, entries: ImportEntries, ids: string[]): Generator<void, Stored> {
    const stored: Stored = { drafts: [], presets: [] }
    const now = time.now()
    let index = 0
    for (const composition of entries.drafts) {
      // Lists show the newest first, so later entries get earlier times, which keeps the file's order.
      const draft = drafts.insertImported(accountId, withUniqueKeys(composition, newId), now - index++)
      addArrival(draft.id)
      ids.push(draft.id)
      stored.drafts.push(draft)
      yield
    }
    for (const { name, composition } of entries.presets) {
      const preset = presets.insertImported(accountId, name, withUniqueKeys(composition, newId))
      addArrival(preset.id)
      ids.push(preset.id)
      stored.presets.push(preset)
      yield
    }
    return stored
  }

  return {
    /** Removes what an interrupted import left behind. Call it once, at startup. */
    removeInterrupted(): void {
      db.transaction(() => [...eraseEntries(pendingArrivals())])()
    },

    /**
     * Writes all entries, hidden until the last one is stored: a single long transaction would block every save
     * meanwhile.
     * @param alongside runs in the same transaction that makes them visible.
     * @throws what writing throws; then none of them is left.
     */
    async store(
      accountId: string,
      entries: ImportEntries,
      alongside: (stored: Stored) => void = () => undefined
    ): Promise<Stored> {
      const ids: string[] = []
      try {
        const stored = await inSlices(write(accountId, entries, ids), (turn) => db.transaction(turn)())
        reveal(ids, () => alongside(stored))
        return stored
      } catch (error) {
        // What can't be erased either stays hidden, and goes at the next start.
        await inSlices(eraseEntries(ids), (turn) => db.transaction(turn)()).catch(() => undefined)
        throw error
      }
    }
  }
}

/** Other keys could be mistaken for part of the path to a control, whose members are joined by dots. */
const PLAIN = /^[A-Za-z0-9][\w-]*$/

/**
 * Returns the composition with a new key wherever one is odd or a duplicate. Keys tell the parts of a package apart
 * while it is composed; those of a file can be anything.
 */
export function withUniqueKeys(composition: Composition, newKey: () => string): Composition {
  const taken = new Set<string>()
  function withUniqueKey<Part extends { key: string }>(part: Part): Part {
    const key = PLAIN.test(part.key) && !taken.has(part.key) ? part.key : newKey()
    taken.add(key)
    return { ...part, key }
  }
  return {
    ...composition,
    items: composition.items.map((item) => ({
      ...withUniqueKey(item),
      signers: item.signers.map((signer) => ({
        ...withUniqueKey(signer),
        ShareUsers: signer.ShareUsers.map(withUniqueKey),
        IDData: signer.IDData.map(withUniqueKey)
      })),
      fields: item.fields.map(withUniqueKey)
    })),
    ListItems: composition.ListItems.map(withUniqueKey)
  }
}
