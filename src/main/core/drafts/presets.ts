/** Named compositions to start others from. They belong to an account, because templates and references do. */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Composition, Composition as CompositionShape, titleOf } from '../../../shared/composition/index.ts'
import type { PresetSummary, PresetView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { Rows, value } from '../lib/rows.ts'
import { isShared, refuseShared } from '../lib/shared-id.ts'
import type { SharedKind } from '../office/shared-kind.ts'
import { TableStatements } from '../storage/statements.ts'
import { compositionOf, type DraftDeps } from './draft-rows.ts'

const PRESETS = new Rows<Omit<PresetSummary, 'isOrganisations' | 'office'>>({
  id: value(),
  name: value(),
  kind: value(),
  title: value(),
  updatedAt: value()
})
const GONE = 'This preset is no longer there.'
/** A preset as the office's workstations share it. */
const Shared = z.object({ name: z.string(), composition: CompositionShape, updatedAt: z.int() })

export type Presets = ReturnType<typeof openPresets>

export function openPresets({ db, time, newId, changed }: DraftDeps & { changed: () => void }) {
  const presets = new TableStatements(db, 'presets', PRESETS)
  const all = presets.all<[accountId: string]>(
    'WHERE account_id = ? AND NOT EXISTS (SELECT 1 FROM arrivals WHERE arrivals.id = presets.id)'
  )
  const one = presets.one<[id: string]>('WHERE id = ?')
  const readBody = presets.value<[id: string], string>('SELECT body FROM presets WHERE id = ?')
  const readAccount = presets.value<[id: string], string>('SELECT account_id FROM presets WHERE id = ?')
  const namesOfOthers = presets.values<[accountId: string, id: string], string>(
    'SELECT name FROM presets WHERE account_id = ? AND id <> ?'
  )
  const own = presets.values<[accountId: string], string>(
    `SELECT id FROM presets WHERE account_id = ? AND id NOT LIKE 'shared-%'`
  )
  const write = presets.run<[preset: object]>(
    `INSERT INTO presets (id, account_id, name, kind, title, created_at, updated_at, body)
     VALUES (@id, @accountId, @name, @kind, @title, @now, @now, @body)
     ON CONFLICT (id) DO UPDATE SET name = @name, kind = @kind, title = @title, updated_at = @now, body = @body`
  )
  const rename = presets.run<[name: string, id: string]>('UPDATE presets SET name = ? WHERE id = ?')
  const erase = presets.run<[id: string]>('DELETE FROM presets WHERE id = ?')

  const marked = (preset: PresetSummary): PresetSummary =>
    isShared(preset) ? { ...preset, isOrganisations: true } : preset
  const summary = (id: string): PresetSummary => marked(one(id) ?? fail('gone', GONE))
  const accountOf = (id: string): string => readAccount(id) ?? fail('gone', GONE)

  function put(accountId: string, name: string, composition: Composition, id: string): PresetSummary {
    putAs(accountId, freeName(name, namesOfOthers(accountId, id)), composition, id)
    return summary(id)
  }

  function putAs(accountId: string, name: string, composition: Composition, id: string, now = time.now()): void {
    const { kind } = composition
    write({ id, accountId, name, kind, title: titleOf(composition), now, body: JSON.stringify(composition) })
  }

  /** The storage of presets for the office's sync. */
  const shared: SharedKind<z.output<typeof Shared>> = {
    kind: 'preset',
    // A single one can be megabytes.
    page: 20,
    localIds: own,
    ownerOf: readAccount,
    content(id) {
      const preset = one(id)
      const read = CompositionShape.safeParse(parsedJson(readBody(id) ?? ''))
      return preset && read.success
        ? { name: preset.name, composition: read.data, updatedAt: preset.updatedAt }
        : undefined
    },
    read: (content) => Shared.safeParse(content).data,
    write(accountId, { name, composition, updatedAt }, id, local = id) {
      // If two have the same name, every workstation numbers the same one.
      const other = all(accountId).find((preset) => preset.id !== local && isSameName(preset.name, name))
      const isOthers = other !== undefined && !isShared(other) && other.id > local
      if (isOthers) rename(freeName(name, [name, ...namesOfOthers(accountId, other.id)]), other.id)
      const mine = other && !isOthers ? freeName(name, namesOfOthers(accountId, local)) : name
      putAs(accountId, mine, composition, local, updatedAt)
      return local
    },
    erase: (id) => void erase(id),
    findIdentical(accountId, { name, composition }) {
      const same = all(accountId).find((preset) => preset.name === name && !isShared(preset))
      return same && isDeepStrictEqual(shared.content(same.id)?.composition, composition) ? same.id : undefined
    },
    addCopy(accountId, { name, composition }, conflictLabel) {
      put(accountId, conflictLabel === undefined ? name : `${name} (${conflictLabel})`, composition, newId())
    }
  }

  return {
    shared,

    /** By name. */
    list: (accountId: string): PresetSummary[] => all(accountId).map(marked).sort(byName),

    /** @throws AppFailure `gone`; `storage` if this version can't read it. */
    get(id: string): PresetView {
      return { ...summary(id), composition: compositionOf(readBody(id) ?? fail('gone', GONE), 'preset') }
    },

    /** Returns the account that it belongs to. @throws AppFailure `gone`. */
    accountOf,

    /**
     * Saves a preset. Without an id it creates one. If its name is taken, it gets a number, so that no two look the
     * same in a list.
     * @throws AppFailure `gone` if it was removed, or belongs to another account; `not-allowed` if it is the
     * organisation's.
     */
    save(accountId: string, name: string, composition: Composition, known?: string): PresetSummary {
      if (known !== undefined) refuseShared(known)
      if (known !== undefined && accountOf(known) !== accountId) fail('gone', GONE)
      const saved = put(accountId, name, composition, known ?? newId())
      changed()
      return saved
    },

    /** Stores an organisation's preset as its file has it; its id is made by `sharedId`. Notifies no one yet. */
    putShared: (accountId: string, id: string, name: string, composition: Composition): PresetSummary =>
      put(accountId, name, composition, id),

    /** Removes all of the organisation's presets but these. */
    removeSharedExcept(accountId: string, ids: ReadonlySet<string>): void {
      for (const preset of all(accountId)) if (isShared(preset) && !ids.has(preset.id)) erase(preset.id)
      changed()
    },

    /** Inserts a preset from a file, without notifying anyone yet. See exchange.ts. */
    insertImported: (accountId: string, name: string, composition: Composition): PresetSummary =>
      put(accountId, name, composition, newId()),

    /** @throws AppFailure `gone`; `not-allowed` if it is the organisation's. */
    rename(id: string, name: string): PresetSummary {
      refuseShared(id)
      rename(freeName(name, namesOfOthers(accountOf(id), id)), id)
      changed()
      return summary(id)
    },

    /** @throws AppFailure `gone`; `not-allowed` if it is the organisation's. */
    remove(id: string): void {
      refuseShared(id)
      if (erase(id) === 0) fail('gone', GONE)
      changed()
    }
  }
}

/** Returns a free name: `Tenancy (2)` if `Tenancy` is taken. */
function freeName(name: string, taken: readonly string[]): string {
  const known = new Set(taken.map((one) => one.toLowerCase()))
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? name : `${name} (${number})`
    if (!known.has(wanted.toLowerCase())) return wanted
  }
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

const collator = new Intl.Collator('en', { numeric: true })

function byName(one: PresetSummary, other: PresetSummary): number {
  return collator.compare(one.name, other.name)
}
