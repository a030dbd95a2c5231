/** Who can sign at the counter, and what a session with one of them could be made of. */
import type { CounterEntry, CounterOffer } from '../../../shared/contract/index.ts'
import { fullName } from '../../../shared/model/index.ts'
import { canSignLater, isFaceToFace, mayNeedCamera, personOf } from '../documents/progress.ts'
import { fail } from '../lib/failure.ts'
import type { CounterDeps } from './deps.ts'

type QueueEffects = Pick<
  CounterDeps,
  'accountId' | 'waitingHere' | 'appointments' | 'refresh' | 'documentOf' | 'settings' | 'staff' | 'pin'
>

export function openQueue(effects: QueueEffects) {
  /** Today's appointments first, then next due first. */
  async function queue(accountId = effects.accountId()): Promise<CounterEntry[]> {
    const entries = await effects.waitingHere(accountId)
    const placed = entries.map((entry) => ({ ...entry, isToday: isToday(accountId, entry) }))
    return placed.sort((one, other) => Number(other.isToday) - Number(one.isToday))
  }

  const isToday = (accountId: string, { documentReference, signer }: CounterEntry) =>
    effects.appointments.isToday(accountId, documentReference, signer)

  /** Those of the same document who can sign later, as entries of their own. */
  async function laterOf(accountId: string, first: CounterEntry): Promise<CounterEntry[]> {
    const mirrored = await effects.documentOf(accountId, first.documentReference)
    if (!mirrored) return []
    const { document } = mirrored
    return (document.Signers ?? []).flatMap((signer, index): CounterEntry[] => {
      if (!canSignLater(document, index)) return []
      const entry = {
        ...first,
        signer: index,
        signerName: fullName(signer),
        person: personOf(document, index),
        faceToFace: isFaceToFace(signer),
        mayNeedCamera: mayNeedCamera(document, index)
      }
      return [{ ...entry, isToday: isToday(accountId, entry) }]
    })
  }

  return {
    queue: (): Promise<CounterEntry[]> => queue(),

    /** Pins an appointment of today, or unpins it. */
    pinEntry({
      documentReference,
      signer,
      isToday
    }: Pick<CounterEntry, 'documentReference' | 'signer' | 'isToday'>): void {
      effects.appointments.set(effects.accountId(), documentReference, signer, isToday)
    },

    /**
     * Reads the documents from the service first.
     * @throws AppFailure `not-signable` where they can't sign here now, and the service's failures.
     */
    async offer(documentReference: string, signer: number): Promise<CounterOffer> {
      const accountId = effects.accountId()
      await effects.refresh(accountId)
      const entries = (await queue(accountId)).filter(({ withoutLink }) => !withoutLink)
      const isDocument = (entry: CounterEntry) => entry.documentReference === documentReference
      const first =
        entries.find((entry) => isDocument(entry) && entry.signer === signer) ??
        fail('not-signable', 'This person can’t sign here now: they have signed, or it is somebody else’s turn.')
      const now = entries.filter((entry) => isDocument(entry) && entry.signer !== signer)
      const later = await laterOf(accountId, first)
      const others = [
        ...now.map((entry) => ({ ...entry, isTheirTurn: true })),
        ...later.map((entry) => ({ ...entry, isTheirTurn: false }))
      ]
      return {
        first,
        alsoOfPerson: entries.filter((entry) => entry.person === first.person && !isDocument(entry)),
        others: others.sort((one, other) => one.signer - other.signer),
        evidence: effects.settings().evidence,
        staff: effects.staff(),
        hasPin: (await effects.pin.state()).isSet
      }
    }
  }
}
