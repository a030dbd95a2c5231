/**
 * Applies what a policy requires on this computer: accounts and watched folders. What isn't possible yet is tried again,
 * folders soon, accounts at the next start.
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { OrganisationsOAuth } from '../../../shared/contract/policy.ts'
import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { CounterPolicy } from '../counter/counter-settings.ts'
import type { DropFolders } from '../drop-folders/drop-folders.ts'
import { AppFailure } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import { readAllowedOrigin } from '../policy/allowed-origins.ts'
import type { Organisation, OrganisationDeps } from './organisation.ts'
import type { Policy } from './schema.ts'

interface ApplyDeps {
  organisation: Organisation
  accounts: Pick<Accounts, 'list' | 'manage'>
  log: OrganisationDeps['log']
}

/**
 * Creates missing accounts, without their secrets, and updates the addresses of the others. Never rejects.
 * @returns the ids of those that now have another service: nothing known of the one before holds for it.
 */
export async function applyAccounts({ organisation, accounts, log }: ApplyDeps): Promise<string[]> {
  const { accounts: desired = [] } = organisation.policy
  const addresses = new Map(accounts.list().map(({ id, baseUrl }) => [id, baseUrl]))
  const ids: string[] = []
  const signIns = new Map<string, OrganisationsOAuth>()
  const colouredIds: string[] = []
  for (const { name, address, signIn, oauth, colour } of desired) {
    try {
      await accounts.manage({ name, baseUrl: address, scheme: signIn, colour })
    } catch (error) {
      // The account is in use at the moment, or its name is taken.
      log.warn('An account could not be made as the organisation’s policy says.', { code: codeIn(error) })
    }
    const existing = serviceNamed(accounts, name)
    if (existing) ids.push(existing.id)
    if (existing && oauth) signIns.set(existing.id, oauth)
    if (existing && colour !== undefined) colouredIds.push(existing.id)
  }
  organisation.setAccounts(ids, signIns, colouredIds)
  return accounts
    .list()
    .flatMap(({ id, baseUrl }) => (ids.includes(id) && isMoved(addresses.get(id), baseUrl) ? id : []))
}

function isMoved(before: string | null | undefined, now: string | null): boolean {
  return before !== undefined && before !== now
}

/** Shows the policy's default account. Only for the start: later, people stay in the account that they work in. */
export function chooseDefaultAccount(
  { policy: { defaultAccount } }: Organisation,
  accounts: Pick<Accounts, 'list' | 'choose'>
): void {
  const found = defaultAccount === undefined ? undefined : serviceNamed(accounts, defaultAccount)
  if (found) accounts.choose(found.id)
}

function serviceNamed(accounts: Pick<Accounts, 'list'>, name: string): Account | undefined {
  return accounts.list().find((account) => account.kind === 'service' && folded(account.name) === folded(name))
}

interface DropFolderDeps extends Omit<ApplyDeps, 'accounts'> {
  accounts: Pick<Accounts, 'list'>
  dropFolders: Pick<DropFolders, 'list' | 'add' | 'change'>
  home: string
  time: Pick<Time, 'after'>
}

/** How long to wait before trying again to watch a folder, such as one on a network drive that isn't connected yet. */
const FOLDER_RETRY_INTERVAL = 60_000

/** Watches exactly the folders that the policy names, if it names any. */
export function openDropFolderPolicy(deps: DropFolderDeps) {
  let applying: Promise<void> = Promise.resolve()
  let cancelRetry: (() => void) | undefined
  let isStopped = false
  let logged = ''

  async function applyNow(): Promise<void> {
    cancelRetry?.()
    const failures = await applyDropFolders(deps)
    if (failures.length > 0 && !isStopped) cancelRetry = deps.time.after(FOLDER_RETRY_INTERVAL, () => void apply())
    const codes = failures.join(', ')
    if (codes !== logged && codes !== '')
      deps.log.warn('Folders that the organisation’s policy names can’t be watched.', { codes })
    logged = codes
  }

  /** Applies the policy in force. Never rejects. */
  function apply(): Promise<void> {
    // One after another: finding a folder can take long, and an earlier policy must not have the last word.
    applying = applying.then(applyNow)
    return applying
  }

  return {
    apply,
    stop(): void {
      isStopped = true
      cancelRetry?.()
    }
  }
}

/** Never rejects. @returns the codes of what failed. */
async function applyDropFolders({ organisation, accounts, dropFolders, home }: DropFolderDeps): Promise<string[]> {
  const { dropFolders: desired } = organisation.policy
  if (!desired) return []
  const all = accounts.list().flatMap(({ id }) => dropFolders.list(id))
  const kept = new Set<string>()
  const failures: string[] = []
  for (const { folder, account, send = false } of desired) {
    try {
      const path = expandHome(folder, home)
      const place = await realpath(path)
      const owner = accounts.list().find(({ name }) => folded(name) === folded(account))
      if (!owner) continue
      const existing = all.find((one) => one.place === place && one.accountId === owner.id)
      const { id } = existing ?? (await dropFolders.add(owner.id, path, 'paused'))
      kept.add(id)
      dropFolders.change(id, { sends: send, paused: false })
    } catch (error) {
      failures.push(codeIn(error))
    }
  }
  for (const { id, state } of all) {
    if (kept.has(id) || state === 'paused') continue
    try {
      dropFolders.change(id, { paused: true })
    } catch (error) {
      failures.push(codeIn(error))
    }
  }
  return failures
}

/** Converts the policy's counter settings to the counter's own names. */
export function counterSettingsOf({ counter = {}, signingOrigins }: Policy): CounterPolicy {
  const { idle, lockAfter, checklist, fullScreen, secondDisplay, files, printAndSave, identity } = counter
  return defined({
    idle,
    lockAfter,
    fullScreen,
    useOtherDisplay: secondDisplay,
    mayGiveFiles: files,
    mayKeepPages: printAndSave,
    identityKept: identity,
    // The same line has the same id in each run, because a session refers to what staff have checked by it.
    evidence: checklist?.map(({ text, required = false }) => ({
      id: `policy: ${text}`.slice(0, 200),
      text,
      isRequired: required
    })),
    allowedOrigins: signingOrigins?.flatMap((typed) => {
      const read = readAllowedOrigin(typed)
      return read.ok ? [read.origin] : []
    })
  })
}

export function backupPlanOf({ backups }: Policy, home: string) {
  return backups && { ...defined(backups), folder: expandHome(backups.folder, home) }
}

/** Resolves a path of the policy on this computer. */
export function expandHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, ...path.slice(2).split('/')) : path
}

function codeIn(error: unknown): string {
  return error instanceof AppFailure ? error.appError.code : 'other'
}
