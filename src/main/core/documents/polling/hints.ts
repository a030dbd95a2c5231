/**
 * Lets other software on this machine hint that something happened at the service (a NotifyUrl call that the office's
 * server passed on). The address stays the same across restarts if its port is available. A hint's content isn't read;
 * all it can cause is a read of the folders.
 */
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppError, HintView } from '../../../../shared/contract/index.ts'
import { inTurn } from '../../lib/slices.ts'
import { type Time, throttled } from '../../lib/time.ts'
import type { Db } from '../../storage/connection.ts'
import { openMeta } from '../../storage/meta.ts'

/** Minimum interval between reads of the folders, however many hints come, in milliseconds. */
const MIN_WAKE_INTERVAL = 1_000
const KEY = 'hints'
const TOKEN_BYTES = 24

export interface HintDeps {
  db: Db
  random: (bytes: number) => Buffer
  /** Reads the folders. */
  wake: () => void
  time: Time
}

interface Kept {
  isOn: boolean
  port: number
  token: string
  /** Whether the address has changed and nobody has been told yet. */
  isMoved?: boolean
}

export type Hints = ReturnType<typeof openHints>

export function openHints({ db, random, wake, time }: HintDeps) {
  const meta = openMeta(db)
  const throttledWake = throttled(time, MIN_WAKE_INTERVAL, wake)
  let listener: HintListener | undefined
  let problem: AppError | undefined

  function readState(): Kept {
    const text = meta.read(KEY)
    return text === undefined ? { isOn: false, port: 0, token: '' } : (JSON.parse(text) as Kept)
  }
  const writeState = (next: Kept) => meta.write(KEY, JSON.stringify(next))

  function view(): HintView {
    const { isMoved, ...known } = readState()
    if (isMoved) writeState(known)
    const { token } = known
    return {
      ...(listener && { address: `http://127.0.0.1:${listener.port}${hintPath(token)}` }),
      ...(problem && { problem })
    }
  }

  async function startListening(): Promise<void> {
    const { port, token: known, isMoved: wasMoved = false } = readState()
    const token = known || random(TOKEN_BYTES).toString('base64url')
    problem = undefined
    const before = port === 0 ? undefined : await tryListen(port, token)
    listener = before ?? (await tryListen(0, token))
    if (!listener) problem = NOT_POSSIBLE
    const isMoved = wasMoved || (listener !== undefined && port !== 0 && !before)
    if (listener && isMoved) problem = MOVED
    writeState({ isOn: true, port: listener?.port ?? port, token, ...(isMoved && { isMoved }) })
  }

  const tryListen = (port: number, token: string) =>
    listenForHints(port, token, throttledWake.request).catch(() => undefined)

  async function stopListening(): Promise<void> {
    const closing = listener?.close()
    listener = undefined
    problem = undefined
    await closing
  }

  /** One change at a time: two at once would listen twice. */
  const serially = <Value>(step: () => Promise<Value>) => inTurn(meta, step)

  return {
    /** Starts listening if an earlier run switched it on. */
    start: (): Promise<void> => serially(async () => (readState().isOn && !listener ? startListening() : undefined)),

    /**
     * Returns the address, and any problem, for a person to see. A changed address is reported until seen, even across
     * restarts. There is no address while not listening.
     */
    view,

    /** Starts or stops listening, now and after restarts. @throws what the database throws. */
    set: (isOn: boolean): Promise<HintView> =>
      serially(async () => {
        if (isOn && !listener) await startListening()
        if (!isOn) {
          const { port, token } = readState()
          writeState({ isOn: false, port, token })
          await stopListening()
        }
        return view()
      }),

    /** Stops listening for this run. */
    stop: (): Promise<void> =>
      serially(async () => {
        throttledWake.stop()
        await stopListening()
      })
  }
}

const NOT_POSSIBLE: AppError = {
  code: 'busy',
  message: 'Instant updates aren’t possible on this computer. Folders are still checked every few seconds.'
}
const MOVED: AppError = {
  code: 'busy',
  message: 'Another program uses the port of the previous address.',
  next: 'Give your other software the new address.'
}

const HOST = '127.0.0.1'
const NAMES: readonly string[] = [HOST, 'localhost']
/** Requests with a larger body than this, in bytes, are rejected. */
const MAX_BODY_BYTES = 1_000_000
const MAX_CONNECTIONS = 8
/** Time limit for a whole request, in milliseconds. */
const TIMEOUT = 5_000
/** Time limit for its headers: a few silent connections must not block hints. */
const HEADERS_TIMEOUT = 2_000
const CONNECTION_CHECK_INTERVAL = 1_000

interface HintListener {
  port: number
  close: () => Promise<void>
}

/**
 * Listens on this machine only, for any request to one unguessable address.
 * @param port 0 for any free one.
 * @throws the system's error if the port isn't available.
 */
async function listenForHints(port: number, token: string, onHint: () => void): Promise<HintListener> {
  const server = createServer({
    maxHeaderSize: 8192,
    requestTimeout: TIMEOUT,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: CONNECTION_CHECK_INTERVAL,
    keepAliveTimeout: 1
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('request', (request, response) => answer(request, response, token, onHint))
  server.listen(port, HOST)
  await once(server, 'listening')
  // A connection that breaks while being accepted doesn't matter.
  server.on('error', () => undefined)
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/** Returns the path of the only address that is answered. */
function hintPath(token: string): string {
  return `/hint/${token}`
}

function answer(request: IncomingMessage, response: ServerResponse, token: string, onHint: () => void): void {
  response.setHeader('connection', 'close')
  response.setHeader('cache-control', 'no-store')
  // Prevents DNS rebinding: a browser page whose name was redirected here sends its own name in Host.
  const status = isOurName(request.headers.host) ? (isSame(pathOf(request.url), hintPath(token)) ? 204 : 404) : 421
  if (status !== 204) {
    // Doesn't wait for the rest of the request.
    response.writeHead(status).end(() => request.destroy())
    return
  }
  let received = 0
  request.on('data', (piece: Buffer) => {
    received += piece.length
    if (received > MAX_BODY_BYTES) request.destroy()
  })
  request.on('error', () => undefined)
  request.on('end', () => {
    onHint()
    response.writeHead(status).end()
  })
}

function isOurName(host: string | undefined): boolean {
  return NAMES.includes((host ?? '').replace(/:\d{1,5}$/, '').toLowerCase())
}

function pathOf(target: string | undefined): string {
  return (target ?? '').split('?', 1)[0] ?? ''
}

/** Compares texts of equal length in constant time. */
function isSame(received: string, expected: string): boolean {
  const [one, other] = [Buffer.from(received), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function closeServer(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  return done
}
