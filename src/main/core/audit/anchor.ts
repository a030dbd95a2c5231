/**
 * The newest entry of the audit trail as the keychain knows it. The trail alone can't show that its end was cut off, or that
 * all of it was written again; beside this it can. Both also count the runs of the application, which tells a database that
 * was put back from an older copy from one whose end was cut off; and the keychain knows up to where the trail was checked.
 */
import { z } from 'zod'
import type { AuditCheck } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import type { Meta } from '../storage/meta.ts'
import type { AuditTable } from './audit-table.ts'

const Place = z.object({ seq: z.int().min(0), hash: z.string().max(64) })
/** Entries that were not on the disk: how many, and the times of the first and the last in milliseconds since 1970 UTC. */
const Unwritten = z.object({ count: z.int().min(1), from: z.int(), until: z.int() })
export type Unwritten = z.infer<typeof Unwritten>
const MISSING = ['cut', 'older-copy', 'replaced', 'forgotten'] as const
const Kept = Place.extend({
  /** An entry that was known once and wasn't there any more: told from then on, however the trail goes on; and by what sign. */
  lost: Place.extend({ why: z.enum(MISSING).optional() }).optional(),
  /** Up to where the trail was found whole. */
  checked: Place.optional(),
  /** How many runs of the application there were. */
  runs: z.int().min(0).optional(),
  /** What there was no room for as this was written: lost, if that run ended without it. */
  unwritten: Unwritten.optional()
})
type Kept = z.infer<typeof Kept>
export type Missing = NonNullable<AuditCheck['missing']>
/** An entry of the trail by its number and its hash. */
export type Place = z.infer<typeof Place>

/** Something was known, and what it was can't be said any more: no entry fits it. */
const SOMETHING = { seq: 0, hash: '' }
/** Noted beside the trail once the keychain has an entry: from then on none is a sign. */
const MARK = 'audit-anchored'
/** How many runs there were, as the database knows it. */
const RUNS = 'audit-runs'

export interface AnchorDeps {
  slot: SecretSlot
  table: AuditTable
  meta: Meta
  /** What waits to be written in this run. */
  unwritten: () => Unwritten | undefined
  /** An earlier run ended while these were not written. */
  lostBefore: (unwritten: Unwritten) => void
  /** It could not be written. It is tried again with the next entry. */
  trouble: (error: unknown) => void
}

export function openAnchor({ slot, table, meta, trouble, ...deps }: AnchorDeps) {
  let running: Promise<void> | undefined
  let isBehind = false
  let isFirst = true
  /** What the database knew as this run began: fewer runs than the keychain knows is an older copy. */
  const runsBefore = Number(meta.read(RUNS) ?? 0)
  const wasEmpty = table.newest() === undefined
  let runs: number | undefined
  /** Up to where this run found the trail whole. */
  let checked: Place | undefined

  /** What the keychain knows; undefined if it knows nothing, and never did. */
  async function read(): Promise<Kept | undefined> {
    // Asked first: the mark comes after the entry in the keychain, which may come while that is being read.
    const isMarked = meta.read(MARK) !== undefined
    const text = await slot.get()
    const kept = text === null ? undefined : decoded(text)
    return kept ?? (isMarked || text !== null ? SOMETHING : undefined)
  }

  /** What was known once, and isn't in the trail now. */
  function lostFrom(kept: Kept | undefined): Kept['lost'] {
    if (!kept || kept.lost) return kept?.lost
    const { seq, hash } = kept
    return table.hashOf(seq) === hash ? undefined : { seq, hash, why: whyMissing(kept) }
  }

  function whyMissing(kept: Kept): Missing {
    if (kept.hash === SOMETHING.hash) return 'forgotten'
    // What this run knew itself was there while it ran.
    if (runs !== undefined && kept.runs === runs) return 'cut'
    if (wasEmpty && runsBefore === 0) return 'replaced'
    return runsBefore < (kept.runs ?? 0) ? 'older-copy' : 'cut'
  }

  /** Counts this run, in the database first: where the keychain has counted more, the database is an older copy. */
  function countRun(kept: Kept | undefined): number | undefined {
    const next = Math.max(runsBefore, kept?.runs ?? 0) + 1
    try {
      if (runs === undefined) meta.write(RUNS, String(next))
      runs ??= next
    } catch (error) {
      // A full disk must not keep the keychain from knowing what there was no room for.
      trouble(error)
    }
    return runs ?? kept?.runs
  }

  async function catchUp(): Promise<void> {
    const kept = await read()
    if (isFirst && kept?.unwritten) deps.lostBefore(kept.unwritten)
    isFirst = false
    const newest = table.newest()
    const unwritten = deps.unwritten()
    if (!newest) return
    const lost = lostFrom(kept)
    const next = { ...newest, ...defined({ lost, unwritten, checked: checked ?? kept?.checked, runs: countRun(kept) }) }
    if (isSame(kept, next)) return
    await slot.set(JSON.stringify(next satisfies Kept))
    if (meta.read(MARK) === undefined) meta.write(MARK, 'yes')
  }

  async function follow(): Promise<void> {
    try {
      while (isBehind) {
        isBehind = false
        await catchUp().catch(trouble)
      }
    } finally {
      // In the same step as the last look: what moves after it begins again.
      running = undefined
    }
  }

  return {
    /** There is a newer entry. Answers at once; many of them one after the other make one change of the keychain. */
    moved(): void {
      isBehind = true
      running ??= follow()
    },

    /** Resolves when the keychain has what it was told, or has failed. */
    async settled(): Promise<void> {
      while (running) await running
    },

    /** The trail was found whole up to here. Answers at once, as `moved`. */
    checkedUpTo(place: Place): void {
      checked = place
      isBehind = true
      running ??= follow()
    },

    /**
     * Reads what is known, for `missing` to be asked afterwards. `checked` is where a check may begin: up to there the trail was
     * found whole, and that entry is still as it was.
     * @throws KeychainError
     */
    async known(): Promise<{ missing: () => Missing | undefined; checked: Place | undefined }> {
      const kept = await read()
      const found = checked ?? kept?.checked
      return {
        missing() {
          const lost = lostFrom(kept)
          return lost && (lost.why ?? 'cut')
        },
        checked: found && table.hashOf(found.seq) === found.hash ? found : undefined
      }
    }
  }
}

/**
 * After a restore: the trail that is there now is the one that the next runs are compared with.
 * @returns how many entries the trail had that was here; undefined if that isn't known.
 * @throws KeychainError
 */
export async function forgetAnchor(slot: SecretSlot, meta: Meta): Promise<number | undefined> {
  const text = await slot.get()
  // First: without its mark a trail is a new one, whatever becomes of the entry.
  meta.erase(MARK)
  await slot.delete()
  return text === null ? undefined : decoded(text)?.seq
}

function isSame(one: Kept | undefined, other: Kept): boolean {
  return one !== undefined && JSON.stringify(Kept.parse(one)) === JSON.stringify(Kept.parse(other))
}

function decoded(text: string): Kept | undefined {
  try {
    return Kept.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
