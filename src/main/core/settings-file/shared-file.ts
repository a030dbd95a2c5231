/**
 * Presets and views that an organisation provides to all its computers, in a settings file named by its policy
 * (decision 57). They are stored in the database, so that the last readable ones stay in effect if the file is missing
 * or broken.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { errorText } from '../../../shared/contract/errors.ts'
import type { SharedFileView } from '../../../shared/contract/policy.ts'
import type { Account } from '../accounts/account.ts'
import type { Views } from '../documents/views.ts'
import { withUniqueKeys } from '../drafts/importing.ts'
import type { Presets } from '../drafts/presets.ts'
import { asAppError } from '../errors/app-error.ts'
import { sharedId } from '../lib/shared-id.ts'
import { nextTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { readChosen } from '../storage/chosen-file.ts'
import type { openJsonMeta } from '../storage/meta.ts'
import { toLocalQuery } from './importing.ts'
import { hasName, MAX_FILE_BYTES, readSettingsFile, type SettingsFile } from './settings-file.ts'

const KEY = 'shared-file'
/** Hash of the file and accounts last applied, and when, in milliseconds since 1970 UTC. */
const Kept = z.object({ mark: z.string(), since: z.number() })
/** Milliseconds between checks of the file. */
const CHECK_INTERVAL = 15 * 60_000

export interface SharedFileDeps {
  /** Path of the policy's file; undefined if there is none. */
  path: () => string | undefined
  accounts: { list: () => readonly Account[] }
  views: Pick<Views, 'share'>
  presets: Pick<Presets, 'putShared' | 'removeSharedExcept'>
  meta: ReturnType<typeof openJsonMeta>
  time: Pick<Time, 'now' | 'after'>
  newId: () => string
  log: { warn: (message: string, detail?: Record<string, unknown>) => void }
  changed: () => void
}

export class SharedFile {
  readonly #deps: SharedFileDeps
  #problem: string | undefined
  #appliedAccounts: string | undefined
  #checking: Promise<void> = Promise.resolve()
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
  check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#checkOnce())
    return this.#checking
  }

  /** Applies the file to accounts that were added or renamed. */
  accountsChanged(): void {
    if (this.#deps.path() !== undefined && this.#appliedAccounts !== this.#currentAccounts()) void this.check()
  }

  stop(): void {
    this.#cancel?.()
  }

  #currentAccounts(): string {
    return JSON.stringify(this.#deps.accounts.list().map(({ id, name }) => [id, name]))
  }

  #kept() {
    return this.#deps.meta.read(KEY, Kept)
  }

  async #checkOnce(): Promise<void> {
    const { path, time, log, changed } = this.#deps
    const before = JSON.stringify(this.view())
    this.#cancel?.()
    const file = path()
    try {
      if (file === undefined) await this.#apply(undefined)
      else {
        this.#cancel = time.after(CHECK_INTERVAL, () => void this.check())
        await this.#apply(await readChosen(file, MAX_FILE_BYTES))
      }
      this.#problem = undefined
    } catch (error) {
      const appError = asAppError(error)
      this.#problem = errorText(appError)
      log.warn('The organisation’s presets and views could not be read.', { code: appError.code })
    }
    if (JSON.stringify(this.view()) !== before) changed()
  }

  /** @param bytes of the file; undefined if there is none any more. */
  async #apply(bytes: Uint8Array | undefined): Promise<void> {
    const { accounts, meta, time } = this.#deps
    const all = accounts.list()
    this.#appliedAccounts = this.#currentAccounts()
    const mark = bytes && createHash('sha256').update(bytes).update(this.#appliedAccounts).digest('hex')
    const last = this.#kept()
    if (last?.mark === mark) return
    const file = bytes && (await readSettingsFile(bytes))
    for (const account of all) await this.#share(account, file)
    if (mark === undefined) meta.erase(KEY)
    // Written last: if the application ends in between, everything is applied again.
    else meta.write(KEY, { mark, since: time.now() })
  }

  async #share({ id: accountId, name }: Account, file: SettingsFile | undefined): Promise<void> {
    const { accounts, views, presets, newId } = this.#deps
    const isOfAccount = (one: { account: string }) => hasName(one.account)({ name })
    const shared = new Map(
      (file?.views ?? []).filter(isOfAccount).map((view) => [sharedId(accountId, view.name), view])
    )
    views.share(
      accountId,
      [...shared].map(([id, view]) => ({
        id,
        name: view.name,
        tell: view.tell,
        query: toLocalQuery(view.query, accounts.list())
      }))
    )
    const ids = new Set<string>()
    for (const preset of (file?.presets ?? []).filter(isOfAccount)) {
      const id = sharedId(accountId, preset.name)
      ids.add(id)
      presets.putShared(accountId, id, preset.name, withUniqueKeys(preset.composition, newId))
      await nextTurn()
    }
    presets.removeSharedExcept(accountId, ids)
  }
}
