/**
 * Keeps the audit trail's newest entry in the keychain. The trail itself can't show that its end was cut off or that it
 * was rewritten entirely; compared with the keychain it can. Both also count the application's runs, which
 * distinguishes a database restored from an older copy from one that was cut off. The keychain also stores how far the
 * trail has been verified.
 */
import { z } from 'zod'
import type { AuditCheck } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import type { Meta } from '../storage/meta.ts'
import type { AuditTable } from './audit-table.ts'

const TrailPosition = z.object({ seq: z.int().min(0), hash: z.string().max(64) })
/** Entries that weren't on disk: their number, and the times of the first and last in milliseconds since 1970 UTC. */
const Unwritten = z.object({ count: z.int().min(1), from: z.int(), until: z.int() })
export type Unwritten = z.infer<typeof Unwritten>
const MISSING_REASONS = ['cut', 'older-copy', 'replaced', 'forgotten'] as const
const AnchorState = TrailPosition.extend({
  /** An entry that was known but went missing, and why: reported from then on, however the trail continues. */
  lost: TrailPosition.extend({ why: z.enum(MISSING_REASONS).optional() }).optional(),
  /** How far the trail was verified. */
  checked: TrailPosition.optional(),
  /** Number of the application's runs. */
  runs: z.int().min(0).optional(),
  /** Entries that couldn't be written at this time; lost if that run ended without writing them. */
  unwritten: Unwritten.optional(),
  /** The number of the newest receipt made on this computer, which a restored trail may not have. */
  receipt: z.string().max(100).optional()
})
const AfterRestore = z.strictObject({ receipt: z.string().max(100) })
type AnchorState = z.infer<typeof AnchorState>
export type MissingReason = NonNullable<AuditCheck['missing']>
/** An entry of the trail, by its number and hash. */
export type TrailPosition = z.infer<typeof TrailPosition>

/** Something was known, but not what: matches no entry. */
const UNKNOWN_ENTRY = { seq: 0, hash: '' }
/** Meta key set once the keychain has an entry: from then on, a missing one is suspicious. */
const ANCHORED_KEY = 'audit-anchored'
/** Meta key for the number of runs, as the database knows it. */
const RUNS_KEY = 'audit-runs'

export interface AnchorDeps {
  slot: SecretSlot
  table: AuditTable
  meta: Meta
  /** Entries of this run that couldn't be written yet. */
  unwritten: () => Unwritten | undefined
  /** Reports entries that an earlier run ended without writing. @param after the hash of the newest entry then. */
  reportLost: (unwritten: Unwritten, after: string) => void
  /** Reports a failed write, which is retried with the next entry. */
  onError: (error: unknown) => void
}

export function openAnchor({ slot, table, meta, onError, ...deps }: AnchorDeps) {
  let running: Promise<void> | undefined
  let isBehind = false
  let isFirst = true
  /** The database's count when this run began: if lower than the keychain's, the database is an older copy. */
  const runsBefore = Number(meta.read(RUNS_KEY) ?? 0)
  const wasEmpty = table.newest() === undefined
  let runs: number | undefined
  /** How far this run has verified the trail. */
  let checked: TrailPosition | undefined
  /** The number of the newest receipt of this run. */
  let receipt: string | undefined

  /** What the keychain knows; `kept` is undefined if it knows nothing of the trail and never did. */
  async function read(): Promise<{ kept: AnchorState | undefined; receipt: string | undefined }> {
    // Read first: the mark is written after the keychain's entry, which may be stored in the meantime.
    const isMarked = meta.read(ANCHORED_KEY) !== undefined
    const text = await slot.get()
    const kept = decode(AnchorState, text)
    const restored = decode(AfterRestore, text)
    const isKnown = isMarked || (text !== null && !restored)
    return { kept: kept ?? (isKnown ? UNKNOWN_ENTRY : undefined), receipt: receipt ?? (kept ?? restored)?.receipt }
  }

  /** An entry that was known but isn't in the trail now. */
  function lostEntry(kept: AnchorState | undefined): AnchorState['lost'] {
    if (!kept || kept.lost) return kept?.lost
    const { seq, hash } = kept
    return table.hashOf(seq) === hash ? undefined : { seq, hash, why: whyMissing(kept) }
  }

  function whyMissing(kept: AnchorState): MissingReason {
    if (kept.hash === UNKNOWN_ENTRY.hash) return 'forgotten'
    // What this run itself recorded was there while it ran.
    if (runs !== undefined && kept.runs === runs) return 'cut'
    if (wasEmpty && runsBefore === 0) return 'replaced'
    return runsBefore < (kept.runs ?? 0) ? 'older-copy' : 'cut'
  }

  /** Counts this run, in the database first: if the keychain's count is higher, the database is an older copy. */
  function countRun(kept: AnchorState | undefined): number | undefined {
    const next = Math.max(runsBefore, kept?.runs ?? 0) + 1
    try {
      if (runs === undefined) meta.write(RUNS_KEY, String(next))
      runs ??= next
    } catch (error) {
      // On a full disk, the keychain must still learn which entries couldn't be written.
      onError(error)
    }
    return runs ?? kept?.runs
  }

  async function catchUp(): Promise<void> {
    const { kept, receipt: newestReceipt } = await read()
    if (isFirst && kept?.unwritten) deps.reportLost(kept.unwritten, kept.hash)
    isFirst = false
    const newest = table.newest()
    const unwritten = deps.unwritten()
    if (!newest) return
    const lost = lostEntry(kept)
    const known = { lost, unwritten, checked: checked ?? kept?.checked, receipt: newestReceipt, runs: countRun(kept) }
    const next = { ...newest, ...defined(known) }
    if (isSame(kept, next)) return
    await slot.set(JSON.stringify(next satisfies AnchorState))
    if (meta.read(ANCHORED_KEY) === undefined) meta.write(ANCHORED_KEY, 'yes')
  }

  async function catchUpAll(): Promise<void> {
    try {
      while (isBehind) {
        isBehind = false
        await catchUp().catch(onError)
      }
    } finally {
      // In the same step as the last check of `isBehind`, so that later changes start over.
      running = undefined
    }
  }

  return {
    /** Call after appending an entry. Returns at once; calls in quick succession cause one keychain update. */
    requestUpdate(): void {
      isBehind = true
      running ??= catchUpAll()
    },

    /** Resolves once the keychain is up to date, or has failed. */
    async whenIdle(): Promise<void> {
      while (running) await running
    },

    /** Records that the trail is verified up to here. Returns at once, as `requestUpdate`. */
    recordChecked(place: TrailPosition): void {
      checked = place
      isBehind = true
      running ??= catchUpAll()
    },

    /** Records the number of a receipt; the keychain gets it with the next update. */
    recordReceipt(number: string): void {
      receipt = number
    },

    /** Returns the number of the newest receipt made on this computer; undefined if unknown. @throws KeychainError */
    newestReceipt: async (): Promise<string | undefined> => receipt ?? (await read()).receipt,

    /**
     * Reads what is known; call `missing` afterwards. `checked` is where a check may start: the trail was verified up
     * to there, and that entry is unchanged.
     * @throws KeychainError
     */
    async readKnown(): Promise<{ missing: () => MissingReason | undefined; checked: TrailPosition | undefined }> {
      const { kept } = await read()
      const found = checked ?? kept?.checked
      return {
        missing() {
          const lost = lostEntry(kept)
          return lost && (lost.why ?? 'cut')
        },
        checked: found && table.hashOf(found.seq) === found.hash ? found : undefined
      }
    }
  }
}

/**
 * Accepts the current trail after a restore, for later runs to be compared with. The number of the newest receipt stays
 * known.
 * @param remember called with the number of entries in the previous trail, if known, before that is forgotten.
 * @throws KeychainError
 */
export async function forgetAnchor(slot: SecretSlot, meta: Meta, remember: (entries: number) => void): Promise<void> {
  const text = await slot.get()
  const kept = decode(AnchorState, text)
  if (kept) remember(kept.seq)
  // Done first: without its mark the trail counts as new, even if deleting the entry fails.
  meta.erase(ANCHORED_KEY)
  const receipt = (kept ?? decode(AfterRestore, text))?.receipt
  await (receipt === undefined ? slot.delete() : slot.set(JSON.stringify({ receipt })))
}

function isSame(one: AnchorState | undefined, other: AnchorState): boolean {
  return one !== undefined && JSON.stringify(AnchorState.parse(one)) === JSON.stringify(AnchorState.parse(other))
}

function decode<Schema extends z.ZodType>(schema: Schema, text: string | null): z.output<Schema> | undefined {
  return text === null ? undefined : schema.safeParse(parsedJson(text)).data
}
