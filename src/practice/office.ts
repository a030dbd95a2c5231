/**
 * A complete practice office: its state (seeded or restored, and stored), the service on it, and a port of this
 * computer.
 */

import { open, readFile, rename } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { AuthScheme } from './authentication.ts'
import type { Conditions } from './dialects.ts'
import { type SeedName, seed } from './seed.ts'
import { createPracticeService, type PracticeService, type PracticeServiceOptions } from './service.ts'
import { newKey, type RandomBytes, systemClock, systemRandom } from './sources.ts'
import { type PracticeState, readState, type SentPackage } from './state.ts'

export interface OfficeOptions
  extends Omit<PracticeServiceOptions, 'state' | 'stateChanged' | 'packageSent' | 'mailboxKey'> {
  /** Whether it has a page that lists all invitations: see `mailbox`. */
  hasMailbox?: boolean
  /** Override the stored conditions. */
  conditions?: Conditions
  /** Overrides the stored number of documents left in the plan. */
  documentsLeft?: number
  /** 0 or missing for a free port. */
  port?: number
  /** Initial data of a new office: people and documents to try everything with, nothing, or that many documents. */
  data?: SeedName
  /** Stores the office in this file, and restores it from there. */
  stateFile?: string
  /** Stores and restores the office through the caller instead. */
  persistence?: ReturnType<typeof stateFile>
}

export type PracticeOffice = Awaited<ReturnType<typeof openPracticeOffice>>

/** Opens a practice office. Rejects if the port is taken or the file can't be accessed. */
export async function openPracticeOffice(options: OfficeOptions = {}) {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const file = options.persistence ?? (options.stateFile === undefined ? undefined : stateFile(options.stateFile))
  const text = await file?.load()
  const restored = text === undefined ? undefined : readState(text)
  const setAside = text !== undefined && !restored ? await file?.setAside() : undefined
  const state: PracticeState = restored ?? seed(options.data ?? 'demo', clock, random)
  if (options.conditions) state.conditions = options.conditions
  if (options.documentsLeft !== undefined) state.account.documentsLeft = options.documentsLeft
  const saver = file && openSaver(state, file)
  const stateChanged = () => saver?.scheduleSave()
  const packageSent = async (sent: SentPackage) => saver?.add(sent)
  const mailboxKey = options.hasMailbox ? newKey(random) : undefined
  const mailbox = mailboxKey === undefined ? {} : { mailboxKey }
  const service = createPracticeService({ ...options, ...mailbox, state, clock, random, stateChanged, packageSent })
  // `add` needs a saved state first. If it can't be saved now, that is retried with the first change.
  if (!restored) {
    saver?.scheduleSave()
    await saver?.flush().catch(() => {})
  }
  const listening = await listen(service, options.port)
  /** Includes the base path, without a trailing slash. */
  const url = listening.url + (options.basePath ? `/${options.basePath.split('/').filter(Boolean).join('/')}` : '')
  return {
    url,
    /** The page with every waiting invitation. Secret. */
    ...(mailboxKey !== undefined && { mailbox: `${url}/mailbox/${mailboxKey}` }),
    service,
    /** Where an unreadable office file was moved, so that a new office could start. */
    ...(setAside !== undefined && { setAside }),
    /** Stops listening and saves. */
    async close(): Promise<void> {
      await listening.close()
      await saver?.flush()
    }
  }
}

function newApiKey(random: RandomBytes) {
  return { key: newKey(random).slice(0, 20), secret: newKey(random), referer: 'https://office.example.com/' }
}

export function newCredentials(scheme: AuthScheme['scheme'], random: RandomBytes = systemRandom): AuthScheme {
  switch (scheme) {
    case 'none':
      return { scheme }
    case 'bearer':
      return { scheme, token: newKey(random) }
    case 'hmac':
      return { scheme, ...newApiKey(random) }
    case 'bearer-and-key':
      return { scheme, token: newKey(random), ...newApiKey(random) }
    case 'basic':
      return { scheme, user: 'office', password: newKey(random) }
    case 'headers':
      return { scheme, headers: { 'X-Gateway-Key': newKey(random) } }
    case 'oauth':
      return { scheme, clientId: newKey(random).slice(0, 20), secret: newKey(random), lifetimeSeconds: 3600 }
  }
}

/** How often time passes for documents without requests, so that NotifyUrl is told about expiries; in milliseconds. */
const TIME_INTERVAL_MS = 15_000

/**
 * Serves a practice service to this computer only: HTTP on 127.0.0.1.
 * @param port 0 for a free one
 * @throws if the port is taken (`EADDRINUSE`) or not allowed
 */
export async function listen(service: PracticeService, port = 0) {
  const server = createAdaptorServer({
    fetch: (request) => (isLocal(request) ? service.fetch(request) : new Response(null, { status: 421 })),
    // Otherwise, Node's own Request and Response would be replaced for the whole process.
    overrideGlobalObjects: false
  })
  // Node's default of five seconds may close a connection that a busy computer is about to reuse, losing the request on
  // it.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const interval = setInterval(() => service.passTime(), TIME_INTERVAL_MS)
  interval.unref()
  const address = server.address() as AddressInfo
  return {
    /** Its address without a trailing slash: `http://127.0.0.1:4100`. */
    url: `http://127.0.0.1:${address.port}`,
    /** Stops listening, closes open connections, and resolves once the port is free again. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        clearInterval(interval)
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
  }
}

/** Rejects requests under other host names: a web page may have pointed its name at this computer (DNS rebinding). */
function isLocal(request: Request): boolean {
  const { hostname } = new URL(request.url)
  return hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]'
}

/** Where a practice office is stored between runs. */
interface Persistence {
  /** The last saved state, followed by a line for each later addition; undefined if nothing was saved. */
  load(): Promise<string | undefined>
  /** Replaces the saved state and its additions atomically. */
  save(text: string): Promise<void>
  /** Appends a line to the saved state; resolves once it is on disk. If missing, each change waits for a save. */
  add?(line: string): Promise<void>
}

/**
 * Saves a state shortly after it changed, one save at a time, never losing the last change. What someone is about to be
 * told is appended to the last save at once: an office with a thousand packages has megabytes, but one package doesn't.
 * @param delay milliseconds during which further changes join the same save
 */
export function openSaver(state: unknown, persistence: Persistence, delay = 200) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dirty = false
  let saving: Promise<void> = Promise.resolve()

  const save = () => {
    clearTimeout(timer)
    timer = undefined
    if (!dirty) return saving
    dirty = false
    saving = saving
      .catch(() => {})
      .then(() => persistence.save(JSON.stringify(state)))
      .catch((error) => {
        // Retried with the next change, and reported by flush.
        dirty = true
        throw error
      })
    return saving
  }
  return {
    scheduleSave(): void {
      dirty = true
      timer ??= setTimeout(() => save().catch(() => {}), delay)
    },
    /** Resolves once it is on disk, if `persistence` supports that. Never rejects: the next save includes it, too. */
    add: async (line: unknown): Promise<void> => {
      await persistence.add?.(JSON.stringify(line)).catch(() => {})
    },
    /** Saves pending changes. Rejects if the last save failed. */
    flush: save
  }
}

/** Stores a practice office in a file: replaced atomically, and never overwritten if it is unreadable. */
function stateFile(path: string): Persistence & { setAside(): Promise<string> } {
  return {
    async load() {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async save(text) {
      const temporaryPath = `${path}.${process.pid}.new`
      // It contains keys of signing pages, so only the user may read it.
      const file = await open(temporaryPath, 'w', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporaryPath, path)
    },
    async setAside() {
      const asidePath = `${path}.unreadable-${Date.now()}`
      await rename(path, asidePath)
      return asidePath
    }
  }
}
