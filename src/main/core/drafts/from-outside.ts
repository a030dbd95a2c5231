/**
 * Requests from outside the application: a `countersign:` link, or a `.countersign` file that was opened. Each waits
 * until a person has seen its content and agreed. Until then nothing is stored, and nothing is ever sent.
 */
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImportResult, OutsideView } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { fail } from '../lib/failure.ts'
import { askedDraft, compositionOfLink, type DraftLink, readDraftLink } from './draft-link.ts'
import type { Drafts } from './drafts.ts'
import type { Exchange } from './exchange.ts'
import { FILE_EXTENSION } from './exchange-file.ts'
import type { Presets } from './presets.ts'

/** How many can wait, and how many one start can bring. More would be flooding the screen. */
const MAX_WAITING = 10

export type OutsideRequest = { link: string } | { path: string }

/**
 * Returns what a start, or a second instance, was asked to open. Other arguments are ignored.
 * @param args without the program.
 * @param folder the absolute folder that arguments are relative to.
 */
export function requestsIn(args: readonly string[], folder: string): OutsideRequest[] {
  return args.flatMap((argument): OutsideRequest[] => {
    // Switches belong to the browser or to us; none of them is a file.
    if (argument.startsWith('-')) return []
    if (/^countersign:/i.test(argument)) return [{ link: argument }]
    const path = /^file:/i.test(argument) ? localPath(argument) : resolve(folder, argument)
    return path?.toLowerCase().endsWith(`.${FILE_EXTENSION}`) ? [{ path }] : []
  })
}

/** Linux file managers pass a file's URL. One on another computer wasn't opened by a person here. */
function localPath(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !['', 'localhost'].includes(url.host)) return undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

export interface OutsideDeps {
  exchange: Pick<Exchange, 'inspect' | 'importFiles'>
  drafts: Pick<Drafts, 'save'>
  presets: Pick<Presets, 'list' | 'get'>
  newId: () => string
  changed: () => void
}

interface PendingRequest {
  request: OutsideRequest
  view: OutsideView
  link?: DraftLink
  /** The content of a file as it was shown. */
  sha256?: string
}

export class FromOutside {
  readonly #deps: OutsideDeps
  #pending: readonly PendingRequest[] = []
  /** Imports under way, by the request's id. */
  readonly #accepting = new Map<string, Promise<ImportResult>>()
  /** The chain of reads, one after the other. */
  #reading: Promise<void> = Promise.resolve()

  constructor(deps: OutsideDeps) {
    this.#deps = deps
  }

  /** Queues requests for a person's consent. Resolves once they can be shown. */
  enqueue(requests: readonly OutsideRequest[]): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      for (const one of requests.slice(0, MAX_WAITING)) await this.#enqueueOne(one)
    })
    return this.#reading
  }

  /** Oldest first. */
  list(): OutsideView[] {
    return this.#pending.map(({ view }) => view)
  }

  dismiss(id: string): void {
    this.#pending = this.#pending.filter(({ view }) => view.id !== id)
    this.#deps.changed()
  }

  /**
   * Makes the draft or imports the file, after a person agreed; once, however often that is asked meanwhile.
   * @throws AppFailure `gone` if the request no longer waits, or its preset doesn't exist; in the second case it goes
   * on waiting.
   */
  async accept(id: string, accountId: string): Promise<ImportResult> {
    const accepting = this.#accepting.get(id) ?? this.#accept(id, accountId)
    this.#accepting.set(id, accepting)
    try {
      return await accepting
    } finally {
      this.#accepting.delete(id)
    }
  }

  async #accept(id: string, accountId: string): Promise<ImportResult> {
    const found = this.#pending.find(({ view }) => view.id === id)
    if (!found || found.view.what === 'refused') return fail('gone', 'This has already been dealt with.')
    const { request, link, sha256 } = found
    const imported = link
      ? { drafts: [this.#draftOf(link, accountId)], presets: [], refused: [] }
      : await this.#deps.exchange.importFiles(accountId, 'path' in request ? [request.path] : [], sha256)
    this.dismiss(id)
    return imported
  }

  #draftOf(link: DraftLink, accountId: string) {
    const { drafts, presets } = this.#deps
    const { preset } = link
    if (preset === undefined) return drafts.save(accountId, compositionOfLink(link))
    const found = presets.list(accountId).find(({ name }) => name.toLowerCase() === preset.toLowerCase())
    if (!found)
      return fail('gone', `This account has no preset called “${preset}”.`, {
        next: 'Choose the account that has it, or save a preset under that name.'
      })
    return drafts.save(accountId, compositionOfLink(link, presets.get(found.id).composition))
  }

  async #enqueueOne(request: OutsideRequest): Promise<void> {
    const { newId, changed } = this.#deps
    const isSame = (one: PendingRequest) => JSON.stringify(one.request) === JSON.stringify(request)
    // Each request is asked about once, however often it is opened meanwhile.
    if (this.#pending.length >= MAX_WAITING || this.#pending.some(isSame)) return
    const id = newId()
    let pending: PendingRequest
    try {
      pending = { request, ...(await this.#inspect(id, request)) }
    } catch (error) {
      const file = 'path' in request && { file: basename(request.path) }
      pending = { request, view: { id, what: 'refused', ...file, error: asAppError(error) } }
    }
    this.#pending = [...this.#pending, pending]
    changed()
  }

  async #inspect(id: string, request: OutsideRequest): Promise<Omit<PendingRequest, 'request'>> {
    if ('path' in request) {
      const { sha256, ...found } = await this.#deps.exchange.inspect(request.path)
      return { sha256, view: { id, what: 'file', file: basename(request.path), ...found } }
    }
    const link = readDraftLink(request.link)
    return { link, view: { id, what: 'draft', ...askedDraft(link) } }
  }
}
