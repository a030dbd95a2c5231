/**
 * This workstation's place in an office: it joins by a code, is there while its server is, and leaves with what is its own. What it
 * needs to sign in is in the keychain alone. Where it belongs to no office, nothing of the database's driver is loaded.
 */
import type { PoolClient } from 'pg'
import { z } from 'zod'
import { OneAtATime } from '../jobs/lanes.ts'
import { AppFailure, codeOf, fail } from '../lib/failure.ts'
import { folded } from '../lib/text-folding.ts'
import { backoff, type Time } from '../lib/time.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import type { keptIn } from '../storage/meta.ts'
import type { OfficePlace } from './connection.ts'
import type { OfficeStore } from './sends.ts'

/** Where the office's server is. `ca`: the certificates of authorities that are trusted in place of the system's, as PEM. */
type OfficeServer = Omit<OfficePlace, 'user' | 'password' | 'ca'> & { readonly ca?: string | undefined }

/**
 * connecting: it hasn't answered yet. away: it doesn't. refused: it knows this workstation no more, or its certificate is not trusted.
 * older, newer: its schema is not this version's. other: it is another office's, as after its database was made once more.
 */
type DeskState = 'connecting' | 'connected' | 'away' | 'refused' | 'older' | 'newer' | 'other'

interface DeskView {
  server: string
  /** What this workstation is called in the office; absent until the server has said it once. */
  name?: string
  state: DeskState
  /** The workstations, this one among them, and when each was there last, in milliseconds since 1970 UTC. */
  who: { name: string; isMe: boolean; seenAt?: number }[]
}

/** As much of the outbox as it takes; see `SharedSends`. */
interface SharedOutbox {
  accounts: () => ReadonlyMap<string, string>
  share: (accountId: string, officeId: string) => void
  soon: (accountId: string) => void
  connect: (office: OfficeStore) => void
  disconnect: () => void
  takeAlong: (accountId: string) => Promise<void>
  leaveBehind: (accountId: string) => void
}

interface DeskDeps {
  shared: SharedOutbox
  /** The entry of the keychain for what it signs in with, and the office's key. */
  slot: SecretSlot
  kept: ReturnType<typeof keptIn>
  time: Time
  /** This workstation's accounts at services, which the office may have, too. */
  accounts: () => readonly { id: string; name: string; baseUrl: string }[]
  /** How many of an account's may be under way, and leave a minute, where the office doesn't say yet. */
  limitsOf: (accountId: string) => { concurrency: number; perMinute: number | null }
  changed: () => void
}

const KEPT = 'office'
const Kept = z.object({
  host: z.string(),
  port: z.int(),
  database: z.string(),
  ca: z.string().optional(),
  incarnation: z.string(),
  /** It has begun to leave: no account is shared any more. */
  isLeaving: z.boolean().default(false)
})
const Secrets = z.object({ user: z.string(), password: z.string(), key: z.string() })

/** How often it says that it is there, and how long it waits first where nobody answers, in milliseconds. */
const EVERY = 60_000
const FIRST_WAIT = 2_000
/** The steps of the server's schema that this version knows. */
const STEPS = 3
/** How PostgreSQL says that someone may not sign in, or has no right. */
const NOT_LET_IN: ReadonlySet<string> = new Set(['28P01', '28000', '42501'])

type Line = Awaited<ReturnType<typeof lineTo>>

export class Desk {
  readonly #deps: DeskDeps
  readonly #greeting: OneAtATime<void>
  #line: Line | undefined
  #view: DeskView | undefined
  #failures = 0
  #isClosed = false

  constructor(deps: DeskDeps) {
    this.#deps = deps
    this.#greeting = new OneAtATime(
      deps.time,
      () => this.#greet(),
      () => this.#rest()
    )
  }

  /** Goes to the office's server where this workstation has joined one. To be called at the start; never rejects. */
  open(): void {
    const office = this.#kept()
    if (!office) return
    this.#view = { server: nameOf(office), state: 'connecting', who: [] }
    this.#greeting.later(0)
  }

  /** Undefined where it belongs to no office. */
  view(): DeskView | undefined {
    return this.#view
  }

  /**
   * Joins by a code of the office's administrator. What waits in the outbox goes over.
   * @throws AppFailure `conflict` if it has joined one; `invalid` for a code that is none, is used up or too old; `offline` if the server
   *   can't be reached; `tls` if its certificate isn't trusted; KeychainError.
   */
  async join(server: OfficeServer, code: string): Promise<DeskView> {
    const { slot, kept } = this.#deps
    if (this.#kept()) fail('conflict', 'This workstation belongs to an office already.')
    const { joinOffice, meaningOf } = await import('./joining.ts')
    try {
      meaningOf(code, server.database)
    } catch {
      fail('invalid', 'This is not a whole join code.')
    }
    // The code holds once: a keychain that keeps nothing is found out before it is used.
    await slot.set('{}')
    const { ca, ...where } = server
    const joined = await joinOffice({ ...where, ...(ca !== undefined && { ca }) }, code).catch((error: unknown) => {
      throw joiningFailure(error)
    })
    const { user, password, key, incarnation } = joined
    await slot.set(JSON.stringify({ user, password, key: key.toString('base64url') }))
    kept.write(KEPT, { ...server, incarnation, isLeaving: false })
    this.open()
    await this.#greeting.now()
    return this.#view ?? fail('offline', AWAY)
  }

  /**
   * Leaves with what is this workstation's own; may be stopped anywhere and asked for once more.
   * @param without the server: what the office has stays there, and is sent from there.
   * @throws AppFailure `busy` while something is under way; `offline` while the server is away.
   */
  async leave({ without = false } = {}): Promise<void> {
    const { shared, slot, kept } = this.#deps
    const office = this.#kept()
    if (!office) return
    kept.write(KEPT, { ...office, isLeaving: true })
    for (const accountId of [...shared.accounts().keys()]) {
      if (without) shared.leaveBehind(accountId)
      else await shared.takeAlong(accountId)
    }
    await this.#hangUp()
    await slot.delete()
    kept.erase(KEPT)
    this.#view = undefined
    this.#deps.changed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#hangUp()
  }

  #kept(): z.output<typeof Kept> | undefined {
    return this.#deps.kept.read(KEPT, Kept)
  }

  async #hangUp(): Promise<void> {
    this.#greeting.cancel()
    this.#deps.shared.disconnect()
    const line = this.#line
    this.#line = undefined
    await line?.end()
  }

  /** Says that it is there, and finds out how the office is. */
  async #greet(): Promise<void> {
    const office = this.#kept()
    if (!office || !this.#view) return
    try {
      this.#line ??= await this.#dial(office)
      const line = this.#line
      const { incarnation, name, steps } = await line.hello()
      const state =
        incarnation !== office.incarnation ? 'other' : steps < STEPS ? 'older' : steps > STEPS ? 'newer' : 'connected'
      const who = state === 'connected' ? await line.who(this.#deps.time.now()) : []
      this.#failures = 0
      this.#is({ server: nameOf(office), name, state, who })
      if (state !== 'connected') return this.#deps.shared.disconnect()
      if (!office.isLeaving) await this.#share(line)
      this.#deps.shared.connect(line.store)
    } catch (error) {
      this.#failures++
      const isRefused = NOT_LET_IN.has(codeOf(error)) || isTls(error)
      this.#is({ ...this.#view, state: isRefused ? 'refused' : 'away' })
      // It is dialled afresh: the keychain may have been opened, or the server's address lead elsewhere.
      const line = this.#line
      this.#line = undefined
      await line?.end()
    }
  }

  async #dial(office: z.output<typeof Kept>): Promise<Line> {
    const secrets = Secrets.parse(JSON.parse((await this.#deps.slot.get()) ?? '{}'))
    const { host, port, database, ca } = office
    const { user, password, key } = secrets
    const place: OfficePlace = { host, port, database, user, password, ...(ca !== undefined && { ca }) }
    return await lineTo(place, Buffer.from(key, 'base64url'), this.#deps.time, (officeId) => this.#rung(officeId))
  }

  /** The bell says which account has something new; it was rung by nobody where the line broke. */
  #rung(officeId: string | undefined): void {
    const { shared } = this.#deps
    if (officeId === undefined && !this.#isClosed) this.#greeting.later(FIRST_WAIT * (1 + this.#deps.time.random()))
    for (const [accountId, its] of shared.accounts())
      if (officeId === undefined || its === officeId) shared.soon(accountId)
  }

  async #share({ store }: Line): Promise<void> {
    const { shared, accounts, limitsOf } = this.#deps
    for (const { id, name, baseUrl } of accounts()) {
      if (shared.accounts().has(id)) continue
      const { concurrency, perMinute } = limitsOf(id)
      const officeId = await store.account(`${new URL(baseUrl).href}\n${folded(name)}`, { concurrency, perMinute })
      // Two accounts of this workstation that look the same are not the office's: nobody could say which is which.
      if (![...shared.accounts().values()].includes(officeId)) shared.share(id, officeId)
    }
  }

  #rest(): void {
    if (this.#isClosed || !this.#view) return
    const { random } = this.#deps.time
    this.#greeting.later(this.#failures > 0 ? backoff(FIRST_WAIT, this.#failures, random) : EVERY * (1 - random() / 5))
  }

  #is(view: DeskView): void {
    this.#view = view
    this.#deps.changed()
  }
}

/** The line to the office's server, with the bell. @param rung with the office's id of an account, or without where the line broke. */
async function lineTo(place: OfficePlace, key: Buffer, time: Time, rung: (officeId: string | undefined) => void) {
  const [{ openPool }, { openOfficeSends }] = await Promise.all([import('./connection.ts'), import('./sends.ts')])
  const pool = openPool(place)
  let bell: PoolClient | undefined
  try {
    bell = await pool.connect()
    bell.on('notification', ({ payload }) => rung(payload))
    bell.on('error', () => rung(undefined))
    await bell.query('LISTEN countersign_sends')
  } catch (error) {
    bell?.release(true)
    await pool.end().catch(() => undefined)
    throw error
  }
  return {
    store: openOfficeSends({ pool, key, time }),
    async hello(): Promise<{ incarnation: string; name: string; steps: number }> {
      // By the bell's own connection: that it is there is what is to be known.
      const { rows } = await bell.query<{ incarnation: string; name: string; steps: number }>(
        'SELECT * FROM office.hello()'
      )
      return rows[0] ?? fail('offline', AWAY)
    },
    async who(now: number): Promise<DeskView['who']> {
      const { rows } = await pool.query<{ name: string; is_me: boolean; seen_ms: number | null }>(
        'SELECT * FROM office.who()'
      )
      return rows.map(({ name, is_me, seen_ms }) => ({
        ...{ name, isMe: is_me },
        ...(seen_ms !== null && { seenAt: Math.round(now - seen_ms) })
      }))
    },
    async end(): Promise<void> {
      bell.release(true)
      await pool.end().catch(() => undefined)
    }
  }
}

function joiningFailure(error: unknown): AppFailure {
  const code = codeOf(error)
  if (NOT_LET_IN.has(code) || code === '3D000') {
    return new AppFailure({ code: 'invalid', message: 'This join code is used up, too old, or of another office.' })
  }
  if (isTls(error))
    return new AppFailure({ code: 'tls', message: 'The certificate of the office’s server isn’t trusted.' })
  return new AppFailure({ code: 'offline', message: AWAY })
}

function isTls(error: unknown): boolean {
  return (
    /CERT|SSL|TLS|SELF_SIGNED|ISSUER/.test(codeOf(error)) ||
    /does not support SSL/.test(error instanceof Error ? error.message : '')
  )
}

const nameOf = ({ host, port }: OfficeServer) => `${host}:${port}`

const AWAY = 'The office’s server can’t be reached just now.'
