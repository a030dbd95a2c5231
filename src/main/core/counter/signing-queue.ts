/** Who can sign at the counter, who of them has an appointment today, and what a session with one of them could be made of. */
import type { CounterEntry, CounterOffer } from '../../../shared/contract/index.ts'
import { fullName } from '../../../shared/model/index.ts'
import { canSignLater, isFaceToFace, mayNeedCamera, personOf } from '../documents/progress.ts'
import { dayAt } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'
import type { Appointments, CounterDeps } from './deps.ts'

type QueueDeps = Pick<
  CounterDeps,
  'accountId' | 'waitingHere' | 'appointments' | 'refresh' | 'documentOf' | 'settings' | 'staff' | 'pin'
>

export class SigningQueue {
  readonly #deps: QueueDeps

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  /** Today's appointments first, then next due first. */
  async entries(accountId = this.#deps.accountId()): Promise<CounterEntry[]> {
    const entries = await this.#deps.waitingHere(accountId)
    const marked = entries.map((entry) => ({ ...entry, isToday: this.#isToday(accountId, entry) }))
    return marked.sort((one, other) => Number(other.isToday) - Number(one.isToday))
  }

  /** Pins an appointment of today, or unpins it. */
  pin({ documentReference, signer, isToday }: Pick<CounterEntry, 'documentReference' | 'signer' | 'isToday'>): void {
    this.#deps.appointments.set(this.#deps.accountId(), documentReference, signer, isToday)
  }

  /**
   * Reads the documents from the service first.
   * @throws AppFailure `not-signable` if they can't sign here now, and the service's failures.
   */
  async offer(documentReference: string, signer: number): Promise<CounterOffer> {
    const accountId = this.#deps.accountId()
    await this.#deps.refresh(accountId)
    const entries = (await this.entries(accountId)).filter(({ withoutLink }) => !withoutLink)
    const isDocument = (entry: CounterEntry) => entry.documentReference === documentReference
    const first =
      entries.find((entry) => isDocument(entry) && entry.signer === signer) ??
      fail('not-signable', 'This person can’t sign now. They’ve already signed, or it’s someone else’s turn.')
    const now = entries.filter((entry) => isDocument(entry) && entry.signer !== signer)
    const later = await this.#laterOf(accountId, first)
    const others = [
      ...now.map((entry) => ({ ...entry, isTheirTurn: true })),
      ...later.map((entry) => ({ ...entry, isTheirTurn: false }))
    ]
    return {
      first,
      alsoOfPerson: entries.filter((entry) => entry.person === first.person && !isDocument(entry)),
      others: others.sort((one, other) => one.signer - other.signer),
      evidence: this.#deps.settings().evidence,
      staff: this.#deps.staff(),
      hasPin: (await this.#deps.pin.state()).isSet
    }
  }

  /** Those of the same document who can sign later, as entries of their own. */
  async #laterOf(accountId: string, first: CounterEntry): Promise<CounterEntry[]> {
    const mirrored = await this.#deps.documentOf(accountId, first.documentReference)
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
      return [{ ...entry, isToday: this.#isToday(accountId, entry) }]
    })
  }

  #isToday(accountId: string, { documentReference, signer }: CounterEntry): boolean {
    return this.#deps.appointments.isToday(accountId, documentReference, signer)
  }
}

/** Entries of the queue that staff pinned to today, gone at midnight by the office's clocks. */
export function openAppointments({ db, time }: { db: Db; time: Time }): Appointments {
  const statements = new Statements(db)
  const find = statements.value<[accountId: string, reference: string, signer: number, day: string], 1>(
    `SELECT 1 FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ? AND day = ?`
  )
  const put = statements.run<[accountId: string, reference: string, signer: number, day: string]>(
    `INSERT INTO counter_appointments (account_id, document_reference, signer, day) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET day = excluded.day`
  )
  const take = statements.run<[accountId: string, reference: string, signer: number]>(
    'DELETE FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ?'
  )
  const takeOld = statements.run<[day: string]>('DELETE FROM counter_appointments WHERE day <> ?')
  const today = () => dayAt(time.now(), time.zone())

  const change = db.transaction((accountId: string, documentReference: string, signer: number, isToday: boolean) => {
    const day = today()
    takeOld(day)
    if (isToday) put(accountId, documentReference, signer, day)
    else take(accountId, documentReference, signer)
  })

  return {
    isToday: (...entry) => find(...entry, today()) !== undefined,
    set: (...entry) => change.immediate(...entry)
  }
}
