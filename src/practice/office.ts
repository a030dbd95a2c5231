/** A practice office as a whole: its state (seeded, or as it was left, and kept), the service on it, and a port of this machine. */

import { open, readFile, rename } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { AuthScheme } from './authentication.ts'
import type { Conditions } from './dialects.ts'
import { type SeedName, seed } from './seed.ts'
import { createPracticeService, type PracticeService, type PracticeServiceOptions } from './service.ts'
import { newKey, type RandomBytes, systemClock, systemRandom } from './sources.ts'
import { type PracticeState, readState, type SentPackage } from './state.ts'

export interface OfficeOptions extends Omit<PracticeServiceOptions, 'state' | 'changed' | 'added' | 'mailboxKey'> {
  /** Whether it has a page that lists all invitations: see `mailbox`. */
  hasMailbox?: boolean
  /** In place of those that the office was kept with. */
  conditions?: Conditions
  /** How many documents the plan has left, in place of what the office was kept with. */
  documentsLeft?: number
  /** 0 or absent for a free port. */
  port?: number
  /** What a new office has: people and documents to try everything with, nothing, or that many documents. */
  data?: SeedName
  /** Keeps the office in this file, and takes up what is in it. */
  stateFile?: string
  /** Keeps the office where the caller wants it instead, and takes up what is there. */
  keptIn?: ReturnType<typeof stateFile>
}

export type PracticeOffice = Awaited<ReturnType<typeof openPracticeOffice>>

/** Opens a practice office. Rejects where the port is taken or the file can't be reached. */
export async function openPracticeOffice(options: OfficeOptions = {}) {
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const file = options.keptIn ?? (options.stateFile === undefined ? undefined : stateFile(options.stateFile))
  const text = await file?.load()
  const left = text === undefined ? undefined : readState(text)
  const setAside = text !== undefined && !left ? await file?.setAside() : undefined
  const state: PracticeState = left ?? seed(options.data ?? 'demo', clock, random)
  if (options.conditions) state.conditions = options.conditions
  if (options.documentsLeft !== undefined) state.account.documentsLeft = options.documentsLeft
  const keeping = file && keep(state, file)
  const changed = () => keeping?.changed()
  const added = async (sent: SentPackage) => keeping?.add(sent)
  const mailboxKey = options.hasMailbox ? newKey(random) : undefined
  const mailbox = mailboxKey === undefined ? {} : { mailboxKey }
  const service = createPracticeService({ ...options, ...mailbox, state, clock, random, changed, added })
  // What is added needs something to be added to. Where it can't be saved, it is tried again with the first change.
  if (!left) {
    keeping?.changed()
    await keeping?.flush().catch(() => {})
  }
  const listening = await listen(service, options.port)
  /** With the base path, without a slash at the end. */
  const url = listening.url + (options.basePath ? `/${options.basePath.split('/').filter(Boolean).join('/')}` : '')
  return {
    url,
    /** The page with every invitation that waits. Secret. */
    ...(mailboxKey !== undefined && { mailbox: `${url}/mailbox/${mailboxKey}` }),
    service,
    /** Where the file of an office that couldn't be read was put, so that a new one could begin. */
    ...(setAside !== undefined && { setAside }),
    /** Stops listening and saves. */
    async close(): Promise<void> {
      await listening.close()
      await keeping?.flush()
    }
  }
}

function newApiKey(random: RandomBytes) {
  return { key: newKey(random).slice(0, 20), secret: newKey(random), referer: 'https://office.example.com/' }
}

/** Credentials of a scheme for an office that has none yet. */
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

/** How often time passes for documents when nobody asks for them, so that NotifyUrl hears of an expiry. */
const ROUND = 15_000

/**
 * Serves a practice service to this machine only: HTTP on 127.0.0.1.
 * @param port 0 for a free one
 * @throws if the port is taken (`EADDRINUSE`) or not allowed
 */
export async function listen(service: PracticeService, port = 0) {
  const server = createAdaptorServer({
    fetch: (request) => (isLocal(request) ? service.fetch(request) : new Response(null, { status: 421 })),
    // Otherwise Node's own Request and Response are replaced for the whole process.
    overrideGlobalObjects: false
  })
  // Node's five seconds end a connection that a busy computer is about to use again, and the request on it is lost.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const rounds = setInterval(() => service.settle(), ROUND)
  rounds.unref()
  const address = server.address() as AddressInfo
  return {
    /** Where it listens, without a slash at the end: `http://127.0.0.1:4100`. */
    url: `http://127.0.0.1:${address.port}`,
    /** Stops listening, ends open connections, and resolves when the port is free again. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        clearInterval(rounds)
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
  }
}

/** A page of the web whose name was made to point at this machine asks under that name: it gets nothing. */
function isLocal(request: Request): boolean {
  const { hostname } = new URL(request.url)
  return hostname === '127.0.0.1' || hostname === 'localhost' || hostname === '[::1]'
}

/** Where a practice office is kept between two runs. */
interface Persistence {
  /** What was saved last, with a line for each that was added since; undefined if nothing was. */
  load(): Promise<string | undefined>
  /** Replaces what is kept, and what was added to it, wholly or not at all. */
  save(text: string): Promise<void>
  /** Keeps a line beside what was saved; resolves when it is on the disk. Where it is left out, each change waits for a save. */
  add?(line: string): Promise<void>
}

/**
 * Saves a state a moment after it changed, one save at a time, and never loses the last change. What someone is about to
 * be told of is added at once, beside the last save: an office with a thousand packages is megabytes, one package is not.
 * @param delay milliseconds in which further changes join the same save
 */
export function keep(state: unknown, persistence: Persistence, delay = 200) {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let dirty = false
  let saving: Promise<void> = Promise.resolve()

  const save = () => {
    clearTimeout(waiting)
    waiting = undefined
    if (!dirty) return saving
    dirty = false
    saving = saving
      .catch(() => {})
      .then(() => persistence.save(JSON.stringify(state)))
      .catch((error) => {
        // Tried again with the next change, and reported by flush.
        dirty = true
        throw error
      })
    return saving
  }
  return {
    changed(): void {
      dirty = true
      waiting ??= setTimeout(() => save().catch(() => {}), delay)
    },
    /** Resolves when it is on the disk, where the place can do that. Never rejects: the next save has it too. */
    add: async (line: unknown): Promise<void> => {
      await persistence.add?.(JSON.stringify(line)).catch(() => {})
    },
    /** Saves what isn't saved yet. Rejects where the last save failed. */
    flush: save
  }
}

/** Keeps a practice office in a file: replaced whole or not at all, and never overwritten when it can't be read. */
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
      const beside = `${path}.${process.pid}.new`
      // The keys of signing pages are in it: nobody else's to read.
      const file = await open(beside, 'w', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(beside, path)
    },
    async setAside() {
      const aside = `${path}.unreadable-${Date.now()}`
      await rename(path, aside)
      return aside
    }
  }
}
