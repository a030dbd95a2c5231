/**
 * The newest entry of the audit trail as the keychain knows it. The trail alone can't show that its end was cut off, or that
 * all of it was written again; beside this it can.
 */
import { z } from 'zod'
import { defined } from '../lib/objects.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import type { Meta } from '../storage/meta.ts'
import type { AuditTable } from './audit-table.ts'

const Place = z.object({ seq: z.int().min(0), hash: z.string().max(64) })
/** Entries that were not on the disk: how many, and the times of the first and the last in milliseconds since 1970 UTC. */
const Unwritten = z.object({ count: z.int().min(1), from: z.int(), until: z.int() })
export type Unwritten = z.infer<typeof Unwritten>
const Kept = Place.extend({
  /** An entry that was known once and wasn't there any more: told from then on, however the trail goes on. */
  lost: Place.optional(),
  /** What there was no room for as this was written: lost, if that run ended without it. */
  unwritten: Unwritten.optional()
})
type Kept = z.infer<typeof Kept>

/** Something was known, and what it was can't be said any more: no entry fits it. */
const SOMETHING = { seq: 0, hash: '' }
/** Noted beside the trail once the keychain has an entry: from then on none is a sign. */
const MARK = 'audit-anchored'

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
    return table.hashOf(seq) === hash ? undefined : { seq, hash }
  }

  async function catchUp(): Promise<void> {
    const kept = await read()
    if (isFirst && kept?.unwritten) deps.lostBefore(kept.unwritten)
    isFirst = false
    const newest = table.newest()
    const unwritten = deps.unwritten()
    const isKnown = kept?.seq === newest?.seq && kept?.hash === newest?.hash
    if (!newest || (isKnown && kept?.unwritten?.count === unwritten?.count)) return
    const lost = lostFrom(kept)
    await slot.set(JSON.stringify({ ...newest, ...defined({ lost, unwritten }) } satisfies Kept))
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

    /** Reads what is known, for `isCutOff` to be asked afterwards. @throws KeychainError */
    async known(): Promise<{ isCutOff: () => boolean }> {
      const kept = await read()
      return { isCutOff: () => lostFrom(kept) !== undefined }
    }
  }
}

function decoded(text: string): Kept | undefined {
  try {
    return Kept.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
