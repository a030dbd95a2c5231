/** Gathers what changed, so that a batch that goes tells the screens of many sends at once, and at most ten times a second. */
import type { ChangeListeners, OutboxEffects } from './effects.ts'

/** The shortest time between two tellings, in milliseconds. */
const PAUSE = 100

export interface Changes {
  send(id: string, batchId: string | undefined): void
  outbox(): void
  batch(id: string): void
  draft(id: string | undefined): void
  /** Tells nobody any more. */
  stop(): void
}

export function openChanges({
  changed,
  elapsed,
  schedule
}: Pick<OutboxEffects, 'changed' | 'elapsed' | 'schedule'>): Changes {
  const sends = new Set<string>()
  const batches = new Set<string>()
  const drafts = new Set<string>()
  let outbox = false
  let toldAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  let isStopped = false

  function soon(): void {
    if (cancel || isStopped) return
    cancel = schedule(tell, Math.max(0, toldAt + PAUSE - elapsed()))
  }

  function tell(): void {
    cancel = undefined
    toldAt = elapsed()
    const told = { sends: [...sends], batches: [...batches], drafts: [...drafts], outbox }
    sends.clear()
    batches.clear()
    drafts.clear()
    outbox = false
    tellAll(changed, told)
  }

  return {
    send(id, batchId) {
      sends.add(id)
      if (batchId !== undefined) batches.add(batchId)
      outbox = true
      soon()
    },
    outbox() {
      outbox = true
      soon()
    },
    batch(id) {
      batches.add(id)
      soon()
    },
    draft(id) {
      if (id === undefined) return
      drafts.add(id)
      soon()
    },
    stop() {
      isStopped = true
      cancel?.()
    }
  }
}

function tellAll(
  changed: ChangeListeners,
  told: { sends: string[]; batches: string[]; drafts: string[]; outbox: boolean }
): void {
  if (told.sends.length > 0) changed.sends(told.sends)
  if (told.outbox) changed.outbox()
  for (const id of told.batches) changed.batch(id)
  for (const id of told.drafts) changed.draft(id)
}
