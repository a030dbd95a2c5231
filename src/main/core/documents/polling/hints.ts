/**
 * Whether other software of this machine may hint that something happened at the service (a NotifyUrl call that the office's
 * server passed on), and at which address. The address stays the same over restarts where its port can be had.
 */
import type { AppError, HintView } from '../../../../shared/contract/index.ts'
import type { Time } from '../../lib/time.ts'
import type { Db } from '../../storage/connection.ts'
import { openMeta } from '../../storage/meta.ts'
import { type HintListener, hintPath, listenForHints } from './hint-listener.ts'
import { throttled } from './intervals.ts'

/** However many hints come, the folders are looked at no more often than this, in milliseconds. */
const WAKES_EVERY = 1_000
const KEY = 'hints'
const TOKEN_BYTES = 24

export interface HintDeps {
  db: Db
  random: (bytes: number) => Buffer
  /** Looks at the folders. */
  wake: () => void
  time: Time
}

interface Kept {
  isOn: boolean
  port: number
  token: string
  /** Whether the address is another than it was, and nobody has been told. */
  isMoved?: boolean
}

export type Hints = ReturnType<typeof openHints>

export function openHints({ db, random, wake, time }: HintDeps) {
  const meta = openMeta(db)
  const woken = throttled(time, WAKES_EVERY, wake)
  let listener: HintListener | undefined
  let problem: AppError | undefined
  /** One change at a time: two that were asked for at once would listen twice. */
  let busy: Promise<unknown> = Promise.resolve()

  function kept(): Kept {
    const text = meta.read(KEY)
    return text === undefined ? { isOn: false, port: 0, token: '' } : (JSON.parse(text) as Kept)
  }
  const keep = (next: Kept) => meta.write(KEY, JSON.stringify(next))

  function view(): HintView {
    const { isMoved, ...known } = kept()
    if (isMoved) keep(known)
    const { token } = known
    return {
      ...(listener && { address: `http://127.0.0.1:${listener.port}${hintPath(token)}` }),
      ...(problem && { problem })
    }
  }

  async function begin(): Promise<void> {
    const { port, token: known, isMoved: wasMoved = false } = kept()
    const token = known || random(TOKEN_BYTES).toString('base64url')
    problem = undefined
    const before = port === 0 ? undefined : await listening(port, token)
    listener = before ?? (await listening(0, token))
    if (!listener) problem = NOT_POSSIBLE
    const isMoved = wasMoved || (listener !== undefined && port !== 0 && !before)
    if (listener && isMoved) problem = MOVED
    keep({ isOn: true, port: listener?.port ?? port, token, ...(isMoved && { isMoved }) })
  }

  const listening = (port: number, token: string) => listenForHints(port, token, woken.ask).catch(() => undefined)

  async function end(): Promise<void> {
    const closing = listener?.close()
    listener = undefined
    problem = undefined
    await closing
  }

  function inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    const done = busy.then(step)
    busy = done.catch(() => undefined)
    return done
  }

  return {
    /** Listens where that was switched on in an earlier run. */
    start: (): Promise<void> => inTurn(async () => (kept().isOn && !listener ? begin() : undefined)),

    /**
     * Where to hint, and what is wrong, for a person to see: that the address moved is said until it was seen, also after
     * restarts. Without an address while nobody listens.
     */
    view,

    /** Begins or ends to listen, from now on and after a restart. @throws what the database throws. */
    set: (isOn: boolean): Promise<HintView> =>
      inTurn(async () => {
        if (isOn && !listener) await begin()
        if (!isOn) {
          const { port, token } = kept()
          keep({ isOn: false, port, token })
          await end()
        }
        return view()
      }),

    /** Ends to listen for this run. */
    stop: (): Promise<void> =>
      inTurn(async () => {
        woken.stop()
        await end()
      })
  }
}

const NOT_POSSIBLE: AppError = {
  code: 'busy',
  message: 'This computer lets Countersign listen for hints on no port. Folders are still read every few seconds.'
}
const MOVED: AppError = {
  code: 'busy',
  message: 'Another program uses the port of the earlier address.',
  next: 'Give your other software the new address.'
}
