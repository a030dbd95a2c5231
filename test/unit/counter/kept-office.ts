/**
 * A counter with the application's own stores, in a file. Its process can be ended at any step, also right before or
 * after a write, and restarted with what is in the file.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Appointments } from '../../../src/main/core/appointments/appointments.ts'
import { Audit } from '../../../src/main/core/audit/audit.ts'
import type { SigningViewEvents } from '../../../src/main/core/counter/deps.ts'
import { openCrashMarker } from '../../../src/main/core/counter/interrupted-session.ts'
import { connectEncrypted, KEY_BYTES } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import type { Office } from './office.ts'

const KEY = new Uint8Array(KEY_BYTES).fill(7)

/** Whether the process ends right before or right after its next write. */
type Strike = 'before' | 'after'
export type Run = ReturnType<KeptOffice['run']>

/** The disk of many computers, used one after the other. */
export class Disk {
  readonly folder = mkdtempSync(join(tmpdir(), 'countersign-any-order-'))
  #computers = 0

  constructor() {
    const db = connectEncrypted(this.#fresh, KEY)
    migrate(db)
    db.prepare(
      `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
       VALUES ('office', 'Office', 'service', 'https://service.example.com', 'none', '#123456', 0, '[]', 1, 0)`
    ).run()
    db.close()
  }

  get #fresh(): string {
    return join(this.folder, 'fresh.db')
  }

  /** Returns a computer that has had no session yet. */
  computer(office: Office): KeptOffice {
    const path = join(this.folder, `${++this.#computers}.db`)
    copyFileSync(this.#fresh, path)
    return new KeptOffice(office, path)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export class KeptOffice {
  readonly #office: Office
  readonly #path: string
  readonly #keychain = memoryKeychain()
  #runs = 0

  constructor(office: Office, path: string) {
    this.#office = office
    this.#path = path
  }

  /** Starts the application. What an ended run still does has no effect. */
  run() {
    const office = this.#office
    // One folder a run: in a test, a copy in progress outlives the process that makes it.
    office.filesPlace = `${this.#path}-turn-files-${++this.#runs}`
    const db = connectEncrypted(this.#path, KEY)
    // Only the process ends, not the computer, so what it has written stays written.
    db.pragma('synchronous = OFF')
    const time = office.time.run()
    const never = new Promise<never>(() => undefined)
    let isAlive = true
    let strike: Strike | undefined
    const onError = (error: unknown) => {
      if (isAlive) throw error
    }

    const audit = new Audit({
      db,
      time,
      onError,
      anchor: this.#keychain.auditAnchor,
      staff: () => 'Clerk',
      changed: () => undefined
    })
    const marker = openCrashMarker({ db, onError })

    function end(): void {
      isAlive = false
      time.end()
    }

    /** Does one write. If the process is due to end with it, the write is its last action or doesn't happen. */
    function written(write: () => void): void {
      if (isAlive && strike === 'before') end()
      if (!isAlive) return
      const isLast = strike === 'after'
      strike = undefined
      write()
      if (isLast) end()
    }

    const note: typeof office.deps.note = (record, when, along) =>
      written(() => {
        audit.note(record, when, along)
        office.notes.push(structuredClone(record))
      })
    const keep = (session: Parameters<typeof marker.save>[0]) => {
      marker.save(session)
      office.marker = structuredClone(session)
    }

    /** Ignores events of pages once the process has ended. */
    const heard = (events: SigningViewEvents): SigningViewEvents =>
      new Proxy(events, {
        get: (all, name) => (isAlive ? Reflect.get(all, name) : () => undefined)
      })

    const appointments = new Appointments({
      db,
      time,
      note,
      newId: office.deps.newId,
      accountId: office.deps.accountId,
      shownIds: () => [office.deps.accountId()],
      waitingHere: (account) => (isAlive ? office.deps.waitingHere(account) : never),
      documentOf: (account, reference) => (isAlive ? office.deps.documentOf(account, reference) : never),
      settings: () => ({ counterName: 'Counter 2', noShowAfter: 15 }),
      hasDisplay: () => true,
      changed: () => undefined
    })
    const counter = office.runs({
      ...office.deps,
      time,
      note,
      documentOf: (account, reference) => (isAlive ? office.deps.documentOf(account, reference) : never),
      refresh: (account) => (isAlive ? office.deps.refresh(account) : never),
      openView(turn) {
        if (!isAlive) throw new Error('There is no application any more.')
        const view = office.deps.openView({ ...turn, events: heard(turn.events) })
        return { ...view, giveFile: (path) => (isAlive ? view.giveFile(path) : never) }
      },
      crashMarker: { save: (session) => written(() => keep(session)), read: marker.read },
      place: {
        handOver: () => (isAlive ? office.deps.place.handOver() : never),
        enlarge: (factor) => isAlive && office.deps.place.enlarge(factor),
        giveBack: () => isAlive && office.deps.place.giveBack()
      },
      pin: { ...office.deps.pin, check: (pin, name) => (isAlive ? office.deps.pin.check(pin, name) : never) },
      changed(id) {
        if (!isAlive) return
        office.deps.changed(id)
        void appointments.sessionChanged(counter.state())
      }
    })

    return {
      appointments,
      audit,
      get isAlive() {
        return isAlive
      },
      strikes(when: Strike | undefined): void {
        strike = when
      },
      /** Ends the process abruptly, with its windows and pages. */
      killed(): void {
        end()
        db.close()
        for (const page of office.pages) page.state = 'destroyed'
        office.isTaken = false
        office.enlarged = 1
      },
      /** Ends the process at the end of the test. */
      closed(): void {
        end()
        db.close()
      },
      /** Returns the audit entries, oldest first. */
      async trail() {
        const { entries } = await audit.list('', 0, 10_000)
        return entries.toReversed()
      }
    }
  }
}
