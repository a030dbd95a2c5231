/**
 * Presets and views that an organisation provides to all its computers, in a settings file named by its policy
 * (decision 57). They are stored in the database, so that the last readable ones stay in effect if the file is missing
 * or broken.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type AppError, saidBy } from '../../../shared/contract/errors.ts'
import type { SharedFileView } from '../../../shared/contract/policy.ts'
import type { Account } from '../accounts/account.ts'
import type { Views } from '../documents/views.ts'
import { withKeysOfTheirOwn } from '../drafts/arriving.ts'
import type { Presets } from '../drafts/presets.ts'
import { sharedId } from '../lib/shared-id.ts'
import { nextTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { readChosen } from '../storage/chosen-file.ts'
import type { keptIn } from '../storage/meta.ts'
import { queryHere } from './importing.ts'
import { isCalled, MOST_BYTES, readSettingsFile, type SettingsFile } from './settings-file.ts'

const KEY = 'shared-file'
/** Hash of the file and accounts last applied, and when, in milliseconds since 1970 UTC. */
const Kept = z.object({ mark: z.string(), since: z.number() })
/** Milliseconds between checks of the file. */
const AGAIN = 15 * 60_000

export interface SharedFileDeps {
  /** Path of the policy's file; undefined if there is none. */
  path: () => string | undefined
  accounts: { list: () => readonly Account[] }
  views: Pick<Views, 'share'>
  presets: Pick<Presets, 'share' | 'shareOnly'>
  kept: ReturnType<typeof keptIn>
  time: Pick<Time, 'now' | 'after'>
  newId: () => string
  describe: (error: unknown) => AppError
  log: { warn: (message: string, detail?: Record<string, unknown>) => void }
  /** Called when `view` has changed. */
  changed: () => void
}

export class SharedFile {
  readonly #deps: SharedFileDeps
  #problem: string | undefined
  /** The accounts it was last applied to, with ids and names. */
  #names: string | undefined
  #looking: Promise<void> = Promise.resolve()
  #cancel: (() => void) | undefined

  constructor(deps: SharedFileDeps) {
    this.#deps = deps
  }

  /** Undefined if the policy names no file. */
  view(): SharedFileView | undefined {
    if (this.#deps.path() === undefined) return undefined
    const since = this.#kept()?.since
    return { ...(this.#problem !== undefined && { problem: this.#problem }), ...(since !== undefined && { since }) }
  }

  /** Reads the file now, and every quarter of an hour from then on. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#lookOnce())
    return this.#looking
  }

  /** Applies the file to accounts that were added or renamed. */
  accountsChanged(): void {
    if (this.#deps.path() !== undefined && this.#names !== this.#namesNow()) void this.look()
  }

  stop(): void {
    this.#cancel?.()
  }

  #namesNow(): string {
    return JSON.stringify(this.#deps.accounts.list().map(({ id, name }) => [id, name]))
  }

  #kept() {
    return this.#deps.kept.read(KEY, Kept)
  }

  async #lookOnce(): Promise<void> {
    const { path, time, describe, log, changed } = this.#deps
    const before = JSON.stringify(this.view())
    this.#cancel?.()
    const file = path()
    try {
      if (file === undefined) await this.#take(undefined)
      else {
        this.#cancel = time.after(AGAIN, () => void this.look())
        await this.#take(await readChosen(file, MOST_BYTES))
      }
      this.#problem = undefined
    } catch (error) {
      const said = describe(error)
      this.#problem = saidBy(said)
      log.warn('The organisation’s presets and views could not be read.', { code: said.code })
    }
    if (JSON.stringify(this.view()) !== before) changed()
  }

  /** @param bytes of the file; undefined if there is none any more. */
  async #take(bytes: Uint8Array | undefined): Promise<void> {
    const { accounts, kept, time } = this.#deps
    const all = accounts.list()
    this.#names = this.#namesNow()
    const mark = bytes && createHash('sha256').update(bytes).update(this.#names).digest('hex')
    const last = this.#kept()
    if (last?.mark === mark) return
    const file = bytes && (await readSettingsFile(bytes))
    for (const account of all) await this.#share(account, file)
    if (mark === undefined) kept.erase(KEY)
    // Written last: if the application ends in between, everything is applied again.
    else kept.write(KEY, { mark, since: time.now() })
  }

  async #share({ id: accountId, name }: Account, file: SettingsFile | undefined): Promise<void> {
    const { accounts, views, presets, newId } = this.#deps
    const isIts = (one: { account: string }) => isCalled(one.account)({ name })
    const shared = new Map((file?.views ?? []).filter(isIts).map((view) => [sharedId(accountId, view.name), view]))
    views.share(
      accountId,
      [...shared].map(([id, view]) => ({
        ...{ id, name: view.name, tell: view.tell },
        query: queryHere(view.query, accounts.list())
      }))
    )
    const ids = new Set<string>()
    for (const preset of (file?.presets ?? []).filter(isIts)) {
      const id = sharedId(accountId, preset.name)
      ids.add(id)
      presets.share(accountId, id, preset.name, withKeysOfTheirOwn(preset.composition, newId))
      await nextTurn()
    }
    presets.shareOnly(accountId, ids)
  }
}
