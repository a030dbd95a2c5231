/**
 * An update feed: a folder on a web server, or a GitHub repository's releases. The newest release's description is
 * trusted only with the publisher's signature, and the file only if its length and hash match the description. Nothing
 * else in a feed's answers is used.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { open } from 'node:fs/promises'
import { z } from 'zod'
import { AppFailure, fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Fetch } from '../service/index.ts'

type UpdateChannel = 'latest' | 'beta'

export interface FeedConfig {
  /** As named in the organisation's policy. */
  feed: string
  /** The publisher's public key: the 32 bytes of Ed25519, in Base64. */
  key: string
  channel: UpdateChannel
}

export type PackageKind = 'nsis' | 'mac' | 'deb' | 'rpm'

/** The computer to be updated. */
interface Target {
  platform: NodeJS.Platform
  arch: string
  kind: PackageKind
}

export interface Release {
  version: string
  /** Publication time, in milliseconds since 1970 UTC. */
  releasedAt: number
  name: string
  /** Base64. */
  sha512: string
  /** In bytes. */
  size: number
  needsAdministrator: boolean
}

export interface FeedDeps {
  config: FeedConfig
  target: Target
  fetch: Fetch
  time: Pick<Time, 'after'>
  /** Parses a description's YAML. Only called with signed text. */
  parse: (text: string) => unknown
}

/** Maximum sizes, in bytes: far more than any description or package needs. */
const MAX_DESCRIPTION_BYTES = 256 * 1024
const MAX_PACKAGE_BYTES = 1024 ** 3
const MAX_HOPS = 5
/** Timeout for a feed that sends nothing, in milliseconds. */
const STALL = 60_000

/** A release as described by electron-builder. Other members are ignored. */
const Description = z.object({
  version: z.string().regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}(?:-beta\.\d{1,5})?$/),
  releaseDate: z.iso.datetime(),
  files: z
    .array(
      z.object({
        url: z.string().min(1).max(300),
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        size: z.int().min(1).max(MAX_PACKAGE_BYTES),
        isAdminRightsRequired: z.boolean().optional()
      })
    )
    .min(1)
    .max(50)
})

/** Returns the folder of a feed's files. A repository's newest release has its own address. */
function folderOf(feed: string): URL {
  const url = new URL(`${feed.replace(/\/+$/, '')}/`)
  if (!isOnGitHub(url)) return url
  return new URL(`${url.pathname.split('/').slice(1, 3).join('/')}/releases/latest/download/`, 'https://github.com/')
}

export function isOnGitHub(url: URL): boolean {
  return url.origin === 'https://github.com' && /^\/[\w.-]+\/[\w.-]+\/?$/.test(url.pathname)
}

/** Returns the package's file name for a computer: see `artifactName` in electron-builder.yml. */
function packageName(version: string, { platform, arch, kind }: Target): string {
  const system = { win32: 'windows', darwin: 'macos' }[platform as string] ?? 'linux'
  const ending = { nsis: 'exe', mac: 'zip', deb: 'deb', rpm: 'rpm' }[kind]
  const names: Partial<Record<PackageKind, Record<string, string>>> = {
    deb: { x64: 'amd64' },
    rpm: { x64: 'x86_64', arm64: 'aarch64' }
  }
  return `countersign-${version}-${system}-${names[kind]?.[arch] ?? arch}.${ending}`
}

/** Returns the description's file name for a computer, as electron-builder writes it. */
function descriptionName(channel: UpdateChannel, { platform, arch }: Target): string {
  if (platform === 'win32') return `${channel}.yml`
  if (platform === 'darwin') return `${channel}-mac.yml`
  return arch === 'x64' ? `${channel}-linux.yml` : `${channel}-linux-${arch}.yml`
}

export class Feed {
  readonly #deps: FeedDeps
  readonly #folder: URL

  constructor(deps: FeedDeps) {
    this.#deps = deps
    this.#folder = folderOf(deps.config.feed)
  }

  /**
   * Returns the newest release, with its signature verified.
   * @throws AppFailure: `bad-file` if it isn't signed by the publisher or has no package for this computer; `refused`
   * and `incomplete` for network errors; `unsafe-address` if the feed redirects elsewhere.
   */
  async newest(): Promise<Release> {
    const { channel } = this.#deps.config
    const name = descriptionName(channel, this.#deps.target)
    // Another release may be published between the two requests.
    const description = (await this.#readSigned(name)) ?? (await this.#readSigned(name))
    if (!description) {
      fail('bad-file', 'The update isn’t signed by its publisher, so it wasn’t downloaded.', {
        next: TELL_ADMINISTRATOR
      })
    }
    const read = Description.safeParse(this.#parsed(description))
    if (!read.success) fail('bad-file', 'The description of the update can’t be read.', { next: TELL_ADMINISTRATOR })
    const { version, releaseDate, files } = read.data
    if (channel === 'latest' && version.includes('-')) {
      fail('bad-file', 'The update feed offers a test version in a channel for finished versions.', {
        next: TELL_ADMINISTRATOR
      })
    }
    const fileName = packageName(version, this.#deps.target)
    const file = files.find(({ url }) => url === fileName)
    if (!file) fail('bad-file', 'The update feed has no package for this computer.', { next: TELL_ADMINISTRATOR })
    const { sha512, size, isAdminRightsRequired: needsAdministrator = false } = file
    return { version, releasedAt: Date.parse(releaseDate), name: fileName, sha512, size, needsAdministrator }
  }

  addressOf({ name }: Pick<Release, 'name'>): URL {
    return new URL(name, this.#folder)
  }

  /**
   * Downloads a release's package to a path. Once resolved, the file is what the publisher signed.
   * @throws AppFailure: `bad-file` for a different file, `incomplete` for a truncated one, `refused`; disk errors.
   */
  async download(release: Release, path: string, onProgress: (bytes: number) => void): Promise<void> {
    const file = await open(path, 'w', 0o600)
    const hash = createHash('sha512')
    let size = 0
    try {
      for await (const piece of this.#read(release.name)) {
        size += piece.length
        if (size > release.size) failWrongFile()
        hash.update(piece)
        await file.write(piece)
        onProgress(size)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (size < release.size) failIncomplete()
    if (hash.digest('base64') !== release.sha512) failWrongFile()
  }

  /** Returns a description; undefined if its signature isn't the publisher's. */
  async #readSigned(name: string): Promise<Uint8Array | undefined> {
    const signature = await this.#readSmall(`${name}.sig`)
    const description = await this.#readSmall(name)
    return this.#isSigned(description, signature) ? description : undefined
  }

  #isSigned(description: Uint8Array, signature: Uint8Array): boolean {
    const x = Buffer.from(this.#deps.config.key, 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const bytes = Buffer.from(Buffer.from(signature).toString('latin1').trim(), 'base64')
    return bytes.length === 64 && verify(null, description, key, bytes)
  }

  #parsed(description: Uint8Array): unknown {
    try {
      return this.#deps.parse(Buffer.from(description).toString('utf8'))
    } catch {
      return undefined
    }
  }

  async #readSmall(name: string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of this.#read(name)) {
      size += piece.length
      if (size > MAX_DESCRIPTION_BYTES)
        fail('bad-file', 'The description of the update can’t be read.', { next: TELL_ADMINISTRATOR })
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  /** Streams one of the feed's files. */
  async *#read(name: string): AsyncGenerator<Uint8Array> {
    const abort = new AbortController()
    let cancelStall: (() => void) | undefined
    const resetStall = () => {
      cancelStall?.()
      cancelStall = this.#deps.time.after(STALL, () => abort.abort())
    }
    try {
      resetStall()
      const response = await this.#fetch(new URL(name, this.#folder), abort.signal)
      const reader = response.body?.getReader()
      for (;;) {
        const next = await reader?.read()
        if (!next || next.done) return
        resetStall()
        yield next.value
      }
    } catch (error) {
      if (error instanceof AppFailure) throw error
      failIncomplete()
    } finally {
      cancelStall?.()
      abort.abort()
    }
  }

  async #fetch(from: URL, signal: AbortSignal): Promise<Response> {
    let url = from
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const response = await this.#deps
        .fetch(url.href, { method: 'GET', redirect: 'manual', credentials: 'omit', cache: 'no-store', signal })
        .catch(() => fail('refused', 'The update feed couldn’t be reached.', { next: LATER }))
      if (response.status === 200) return response
      await response.body?.cancel().catch(() => undefined)
      const location = response.headers.get('location')
      const target = response.status >= 300 && response.status < 400 && location ? URL.parse(location, url) : null
      if (!target && GONE.has(response.status))
        fail('refused', 'A file is missing from the update feed.', { next: TELL_ADMINISTRATOR })
      if (!target) fail('refused', 'The update feed couldn’t be read.', { next: LATER })
      if (!this.#mayLeadTo(target))
        fail('unsafe-address', 'The update feed redirects to another address.', { next: TELL_ADMINISTRATOR })
      url = target
    }
    return fail('unsafe-address', 'The update feed redirects to another address.', { next: TELL_ADMINISTRATOR })
  }

  /** Only GitHub hosts release files on another origin. */
  #mayLeadTo(target: URL): boolean {
    if (target.origin === this.#folder.origin) return true
    const isGitHubs =
      target.protocol === 'https:' && target.port === '' && /\.githubusercontent\.com$/.test(target.hostname)
    return this.#folder.origin === 'https://github.com' && isGitHubs
  }
}

/** Statuses that say that a file isn't there. */
const GONE: ReadonlySet<number> = new Set([404, 410])
const TELL_ADMINISTRATOR = 'Tell your administrator.'
const LATER = 'Countersign tries again automatically. If it continues, tell your administrator.'

function failWrongFile(): never {
  fail('bad-file', 'The update isn’t the file that its publisher signed, so it was deleted.', {
    next: TELL_ADMINISTRATOR
  })
}

function failIncomplete(): never {
  fail('incomplete', 'Only part of the update was downloaded.', { next: LATER })
}
