/**
 * Readings of identity checks: what the service sent, in memory only, for as long as someone looks at it. None of it is
 * stored anywhere; only the fact that it was fetched is.
 */
import type {
  IdentityClearing,
  IdentityPicture,
  IdentityPictureName,
  IdentityReading
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import { type ReadRecord, readRecord, type ShownPicture, wipeRecord } from './record.ts'

/** Milliseconds without use after which a reading is wiped. */
export const IDLE = 5 * 60_000
const MAX_READINGS = 4
const MAX_RECORDS = 100

export interface ReadingsDeps {
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'getIDVerification'>>
  /** The document's name; undefined if it isn't known. */
  nameOf: (accountId: string, reference: string) => Promise<string | undefined>
  note: NoteInAudit
  newId: () => string
  time: Pick<Time, 'now' | 'after'>
  /** A reading was wiped without a request. */
  cleared: (reading: string, why: IdentityClearing) => void
  /** See `IDLE`. */
  idle?: number
}

interface OpenReading {
  id: string
  accountId: string
  reference: string
  documentName: string
  records: ReadRecord[]
  usedAt: number
  stop: () => void
}

export type Readings = ReturnType<typeof openReadings>

export function openReadings({ time, idle = IDLE, ...deps }: ReadingsDeps) {
  const readings = new Map<string, OpenReading>()
  /** Requests in flight, so that none of their data arrives after everything was wiped. */
  const fetching = new Map<AbortController, string>()

  function wipe(reading: OpenReading): void {
    reading.stop()
    readings.delete(reading.id)
    for (const record of reading.records) wipeRecord(record)
    reading.records.length = 0
  }

  function clear(reading: OpenReading, why: IdentityClearing): void {
    wipe(reading)
    deps.cleared(reading.id, why)
  }

  function touch(reading: OpenReading): void {
    reading.stop()
    reading.usedAt = time.now()
    reading.stop = time.after(idle, () => clear(reading, 'idle'))
  }

  function useReading(id: string): OpenReading {
    const reading =
      readings.get(id) ??
      fail('gone', 'This identity check was cleared from memory.', { next: 'Show it again to go on.' })
    touch(reading)
    return reading
  }

  function shownPicture(
    id: string,
    record: number,
    name: IdentityPictureName
  ): { of: OpenReading; picture: ShownPicture } {
    const of = useReading(id)
    const picture = of.records[record]?.pictures.get(name) ?? fail('gone', 'There is no such picture in this check.')
    return { of, picture }
  }

  function makeRoom(): void {
    const oldest = [...readings.values()].sort((one, other) => one.usedAt - other.usedAt)
    for (const reading of oldest.slice(0, Math.max(0, oldest.length - MAX_READINGS + 1))) clear(reading, 'others')
  }

  return {
    /**
     * Fetches the records of a document (operation 9 as `json`) and keeps them.
     * @throws ServiceError; AppFailure `cancelled` if everything was wiped meanwhile.
     */
    async read(accountId: string, reference: string): Promise<IdentityReading> {
      const abort = new AbortController()
      fetching.set(abort, accountId)
      const records: ReadRecord[] = []
      try {
        const documentName = (await deps.nameOf(accountId, reference)) ?? reference
        const client = await deps.clientOf(accountId)
        const { items, problems } = await client.getIDVerification(reference, { signal: abort.signal })
        const leftOut = problems.length + Math.max(0, items.length - MAX_RECORDS)
        for (const item of items.slice(0, MAX_RECORDS)) records.push(await readRecord(item))
        if (abort.signal.aborted) fail('cancelled', 'This was cleared before it could be shown.')
        deps.note({
          what: 'identity-data-fetched',
          documentReference: reference,
          documentName,
          detail: { as: 'records', records: String(items.length + problems.length) }
        })
        makeRoom()
        const id = deps.newId()
        const reading = { id, accountId, reference, documentName, records, usedAt: time.now(), stop: () => {} }
        readings.set(id, reading)
        touch(reading)
        const views = records.map(({ view }) => view)
        return { id, reference, documentName, readAt: time.now(), records: views, leftOut, clearsAfter: idle }
      } catch (error) {
        for (const record of records) wipeRecord(record)
        throw error
      } finally {
        fetching.delete(abort)
      }
    },

    /** @throws AppFailure `gone`. */
    picture(id: string, record: number, name: IdentityPictureName): IdentityPicture {
      const { type, bytes } = shownPicture(id, record, name).picture
      return { type, bytes }
    },

    /** Returns a picture's document and type. @throws AppFailure `gone`. */
    about(id: string, record: number, name: IdentityPictureName) {
      const { of, picture } = shownPicture(id, record, name)
      return { reference: of.reference, documentName: of.documentName, type: picture.type }
    },

    /**
     * Returns a copy of a picture's bytes, to be written and wiped: the reading may be wiped meanwhile. @throws
     * AppFailure `gone`.
     */
    copyOf: (id: string, record: number, name: IdentityPictureName): Uint8Array =>
      shownPicture(id, record, name).picture.bytes.slice(),

    /** Counts as use of a reading. @throws AppFailure `gone`. */
    keepAlive(id: string): void {
      useReading(id)
    },

    close(id: string): void {
      const reading = readings.get(id)
      if (reading) wipe(reading)
    },

    /** Wipes all readings, and aborts requests in flight. */
    clearAll(why: IdentityClearing): void {
      for (const abort of fetching.keys()) abort.abort()
      for (const reading of [...readings.values()]) clear(reading, why)
    },

    /** Wipes and aborts everything that doesn't belong to these accounts. */
    clearOthers(shown: readonly string[]): void {
      for (const [abort, of] of fetching) if (!shown.includes(of)) abort.abort()
      for (const reading of [...readings.values()]) if (!shown.includes(reading.accountId)) clear(reading, 'account')
    },

    /** How many readings are in memory. */
    count: () => readings.size
  }
}
