/**
 * Plans what a settings file would change on this computer, and carries it out (decision 54). Nothing is redirected or
 * removed: existing accounts keep their address and sign-in method, and existing views and presets their content.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Composition } from '../../../shared/composition/index.ts'
import type { DocumentQuery, NotificationPreferences } from '../../../shared/contract/index.ts'
import type { ChosenSettings, SettingsChange } from '../../../shared/contract/settings-file.ts'
import type { Account } from '../accounts/account.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { CounterSettingsKeeper } from '../counter/counter-settings.ts'
import type { Views } from '../documents/views.ts'
import { withUniqueKeys } from '../drafts/importing.ts'
import type { Presets } from '../drafts/presets.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import type { SettingsStore } from '../storage/settings.ts'
import { type FileAccount, type FileView, hasName, type SettingsFile } from './settings-file.ts'

export interface SettingsFileDeps {
  accounts: Accounts
  views: Pick<Views, 'list' | 'save'>
  presets: Pick<Presets, 'list' | 'get' | 'save'>
  settings: Pick<SettingsStore, 'read' | 'change'>
  notifications: { read: () => NotificationPreferences; set: (wanted: NotificationPreferences) => unknown }
  counter: Pick<CounterSettingsKeeper, 'read' | 'configure' | 'differences'>
  downloads: { settings: () => DownloadChoice; configure: (choice: DownloadChoice) => unknown }
  /** Whether the counter's settings may be changed now: no PIN is set, or an administrator has unlocked them. */
  isCounterOpen: () => Promise<boolean>
  /** @throws AppFailure if the organisation has set what the request would change. */
  lock: Lock
  newId: () => string
  note: NoteInAudit
  /** Called when an account's requests to its service change. */
  accountChanged: (id: string) => void
  /** Called when anything may differ from what is shown. */
  changed: () => void
}

type DownloadChoice = NonNullable<SettingsFile['downloads']>
type Lock = (
  name: 'accounts.add' | 'accounts.mark' | 'counter.configure' | 'downloads.configure' | 'notifications.set',
  input: object
) => void

interface Plan extends Pick<ChosenSettings, 'changes' | 'left' | 'withoutSecret'> {
  added: { name: string }[]
  /** In order of execution, each with what it changes. */
  steps: { changes: readonly SettingsChange[]; carryOut: () => unknown }[]
}

function addStep(plan: Plan, changes: readonly SettingsChange[], carryOut: () => unknown): void {
  plan.changes.push(...changes)
  plan.steps.push({ changes, carryOut })
}

/** Returns what importing would do now. */
export async function planOf(file: SettingsFile, deps: SettingsFileDeps): Promise<Plan> {
  const plan: Plan = { changes: [], left: [], withoutSecret: [], added: [], steps: [] }
  for (const account of file.accounts) planAccount(account, deps, plan)
  planOrder(file, deps, plan)
  planViews(file, deps, plan)
  planPresets(file, deps, plan)
  planAppearance(file, deps, plan)
  planNotifications(file, deps, plan)
  planDownloads(file, deps, plan)
  await planCounter(file, deps, plan)
  return plan
}

const SET_BY_ORGANISATION = 'Set by your organisation.'
const ACCOUNT_DIFFERS = 'The account with this name here has a different address or sign-in method.'
const PRACTICE = 'The practice office here has this name.'

/** The file's account as it exists here; undefined if missing or different. */
function matchingAccount(
  { address, signIn }: FileAccount,
  existing: Account | undefined,
  { accounts }: SettingsFileDeps
): Account | undefined {
  const fits =
    existing?.kind === 'service' && existing.scheme === signIn && existing.baseUrl === addressOf(accounts, address)
  return fits ? existing : undefined
}

function addressOf(accounts: Accounts, typed: string): string | undefined {
  let address: string | undefined
  failureInWords(() => {
    address = accounts.normaliseAddress(typed)
  })
  return address
}

/** Returns why something isn't possible, in words; undefined if it is. */
function failureInWords(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error
    return error.appError.code === 'not-allowed' ? SET_BY_ORGANISATION : error.appError.message
  }
}

const find = ({ accounts }: SettingsFileDeps, name: string) => accounts.list().find(hasName(name))

function planAccount(account: FileAccount, deps: SettingsFileDeps, plan: Plan): void {
  const what = `Account “${account.name}”`
  const existing = find(deps, account.name)
  const why = existing ? conflictWith(account, existing, deps) : problemAdding(account, deps)
  if (why !== undefined) plan.left.push({ what, why })
  else if (existing) planChanges(account, existing, deps, plan)
  else {
    if (account.signIn !== 'none') plan.withoutSecret.push(account.name)
    plan.added.push(account)
    const change = { what, to: deps.accounts.normaliseAddress(account.address) }
    addStep(plan, [change], () => addAccount(account, deps))
  }
}

/** An existing account's data and secret are never redirected to another service. */
function conflictWith(account: FileAccount, existing: Account, deps: SettingsFileDeps): string | undefined {
  if (existing.kind === 'practice') return PRACTICE
  return matchingAccount(account, existing, deps) ? undefined : ACCOUNT_DIFFERS
}

function problemAdding(
  { name, address, signIn }: FileAccount,
  { accounts, lock }: SettingsFileDeps
): string | undefined {
  const authentication = { scheme: signIn }
  return (
    failureInWords(() => accounts.normaliseAddress(address)) ??
    failureInWords(() => lock('accounts.add', { kind: 'service', name, authentication }))
  )
}

/** Adds the account without a secret first: if the rest fails, it is entered as if it had been lost. */
async function addAccount(account: FileAccount, { accounts, note, accountChanged }: SettingsFileDeps): Promise<void> {
  const { name, address, signIn, signInPage, colour, mark, ...serviceOptions } = account
  // A policy or an enrolment file may have added it meanwhile, with another address.
  if (accounts.list().some(hasName(name))) failChanged()
  await accounts.manage({ name, baseUrl: address, scheme: signIn, ...(colour && { colour }) })
  const added = accounts.list().find(hasName(name))
  if (!added) return
  note({ what: 'account-added', detail: { account: name, address: added.baseUrl ?? '', how: 'settings file' } })
  const authentication = signInPage && ({ scheme: 'oauth', grant: 'code', ...signInPage } as const)
  await accounts.update(added.id, { ...serviceOptions, ...(authentication && { authentication }) })
  // If another account has the mark, one is derived from the name.
  if (mark !== undefined) failureInWords(() => accounts.mark(added.id, { mark }))
  accountChanged(added.id)
}

function planChanges(
  { folders, dataTypeSpelling, jsonByQuery, colour, mark }: FileAccount,
  existing: Account,
  deps: SettingsFileDeps,
  plan: Plan
): void {
  const { accounts, lock, accountChanged, note } = deps
  const { id, name } = existing
  const serviceOptions = { folders, dataTypeSpelling, jsonByQuery }
  const current = {
    folders: [...existing.folders],
    dataTypeSpelling: existing.dataTypeSpelling,
    jsonByQuery: existing.jsonByQuery
  }
  if (!isDeepStrictEqual(serviceOptions, current)) {
    const change = isDeepStrictEqual(folders, current.folders)
      ? { what: `How “${name}” makes requests to its service` }
      : { what: `Folders of “${name}”`, from: current.folders.join(', '), to: folders.join(', ') }
    addStep(plan, [change], async () => {
      await accounts.update(id, serviceOptions)
      note({ what: 'account-changed', detail: { account: name, changed: 'folders', how: 'settings file' } })
      accountChanged(id)
    })
  }
  const isOtherColour = colour !== undefined && colour !== existing.colour
  const appearance = { ...(isOtherColour && { colour }), ...(mark !== undefined && mark !== existing.mark && { mark }) }
  if (Object.keys(appearance).length === 0) return
  const what = `Mark and colour of “${name}”`
  const isTaken = accounts
    .list()
    .some((one) => one.id !== id && one.mark !== '' && hasName(one.mark)({ name: mark ?? '' }))
  const why =
    failureInWords(() => lock('accounts.mark', { id, ...appearance })) ??
    (isTaken ? 'Another account here has this mark.' : undefined)
  if (why !== undefined) {
    plan.left.push({ what, why })
    return
  }
  addStep(plan, [{ what }], () => accounts.mark(id, appearance))
}

/** Reorders only accounts that exist here or will be added; others follow. */
function planOrder({ accounts: desired }: SettingsFile, deps: SettingsFileDeps, plan: Plan): void {
  const existing = deps.accounts.list().filter(({ name }) => desired.some(hasName(name)))
  const order = desired.filter(({ name }) => existing.some(hasName(name)))
  if (existing.every(({ name }, index) => hasName(name)(order[index] ?? { name: '' }))) return
  const change = { what: 'Order of accounts', to: order.map(({ name }) => name).join(', ') }
  addStep(plan, [change], () => deps.accounts.reorder(desired.flatMap(({ name }) => find(deps, name)?.id ?? [])))
}

/**
 * Whether the file's items for this account belong to the account of that name here, once its accounts are imported.
 */
function belongsHere({ accounts }: SettingsFile, name: string, deps: SettingsFileDeps, plan: Plan): boolean {
  const account = accounts.find(hasName(name))
  if (!account) return false
  return plan.added.includes(account) || matchingAccount(account, find(deps, name), deps) !== undefined
}

const NO_ACCOUNT = 'Its account isn’t on this computer.'
const NAME_TAKEN = 'There’s already one with this name here.'

/** Converts a query from the file, whose accounts are names, to ids. */
export function toLocalQuery(
  { accounts: names, ...query }: FileView['query'],
  accounts: readonly Account[]
): DocumentQuery {
  const ids = names?.flatMap((name) => accounts.find(hasName(name))?.id ?? []) ?? []
  return ids.length > 0 ? { ...query, accounts: ids } : query
}

function planViews(file: SettingsFile, deps: SettingsFileDeps, plan: Plan): void {
  const { views } = deps
  for (const { account, name, tell, query } of file.views) {
    const localQuery = () => toLocalQuery(query, deps.accounts.list())
    planOwned(file, deps, plan, {
      account,
      name,
      what: `View “${name}” of “${account}”`,
      list: views.list,
      isAlike: (there) => isDeepStrictEqual(defined(there.query), defined(localQuery())),
      save: (owner) => void views.save(owner, { name, tell, query: localQuery() })
    })
  }
}

function planPresets(file: SettingsFile, deps: SettingsFileDeps, plan: Plan): void {
  const { presets, newId } = deps
  for (const { account, name, composition } of file.presets) {
    planOwned(file, deps, plan, {
      account,
      name,
      what: `Preset “${name}” of “${account}”`,
      list: presets.list,
      isAlike: ({ id }) => isAlike(presets, id, composition),
      save: (owner) => void presets.save(owner, name, withUniqueKeys(composition, newId))
    })
  }
}

/** A named item that belongs to one of the file's accounts. */
interface Owned<There> {
  account: string
  name: string
  what: string
  list: (accountId: string) => readonly There[]
  isAlike: (there: There) => boolean
  save: (accountId: string) => void
}

/** Adds the item if its name is free, and skips it if the name has other content. */
function planOwned<There extends { readonly name: string }>(
  file: SettingsFile,
  deps: SettingsFileDeps,
  plan: Plan,
  { account, name, what, list, isAlike, save }: Owned<There>
): void {
  if (!belongsHere(file, account, deps, plan)) return void plan.left.push({ what, why: NO_ACCOUNT })
  const id = find(deps, account)?.id
  const existing = id === undefined ? undefined : list(id).find(hasName(name))
  if (existing) {
    if (!isAlike(existing)) plan.left.push({ what, why: NAME_TAKEN })
    return
  }
  addStep(plan, [{ what }], () => {
    const owner = find(deps, account)
    if (owner) save(owner.id)
  })
}

/** Whether a preset here equals the file's of that name. Ignores keys, which only identify parts. */
function isAlike(presets: SettingsFileDeps['presets'], id: string, desired: Composition): boolean {
  const content = (composition: Composition): unknown =>
    JSON.parse(JSON.stringify(composition, (member, value) => (member === 'key' ? undefined : value)))
  let existing: Composition | undefined
  // A preset that this version can't read counts as different.
  failureInWords(() => {
    existing = presets.get(id).composition
  })
  return existing !== undefined && isDeepStrictEqual(content(existing), content(desired))
}

const THEMES = { system: 'match system', light: 'light', dark: 'dark' } as const
const percent = (zoom: number) => `${Math.round(zoom * 100)}%`

function planAppearance({ appearance = {} }: SettingsFile, { settings }: SettingsFileDeps, plan: Plan): void {
  const now = settings.read()
  const { theme = now.theme, zoom = now.zoom, countryCode, documentColumns } = appearance
  const lines: SettingsChange[] = []
  if (theme !== now.theme) lines.push({ what: 'Theme', from: THEMES[now.theme], to: THEMES[theme] })
  if (zoom !== now.zoom) lines.push({ what: 'Zoom', from: percent(now.zoom), to: percent(zoom) })
  if (countryCode !== undefined && countryCode !== now.countryCode)
    lines.push({
      what: 'Country of mobile numbers',
      ...(now.countryCode && { from: `+${now.countryCode}` }),
      to: `+${countryCode}`
    })
  if (documentColumns && !isDeepStrictEqual(documentColumns, now.documentColumns))
    lines.push({ what: 'Columns of documents' })
  if (lines.length === 0) return
  addStep(plan, lines, () => settings.change(defined(appearance)))
}

const hours = (quiet: NotificationPreferences['quiet']) => (quiet ? `${quiet.from} to ${quiet.to}` : 'none')

function planNotifications(
  { notifications: inFile }: SettingsFile,
  { notifications, lock }: SettingsFileDeps,
  plan: Plan
): void {
  if (!inFile) return
  const now = notifications.read()
  const desired = { ...inFile, kinds: { ...now.kinds, ...defined(inFile.kinds) } }
  const isLocked = failureInWords(() => lock('notifications.set', desired)) !== undefined
  const next = isLocked ? { ...desired, quiet: now.quiet } : desired
  if (isLocked) plan.left.push({ what: 'Quiet hours', why: SET_BY_ORGANISATION })
  const { quiet, ...others } = next
  const { quiet: quietNow, ...othersNow } = now
  const lines: SettingsChange[] = []
  if (!isDeepStrictEqual(quiet, quietNow)) lines.push({ what: 'Quiet hours', from: hours(quietNow), to: hours(quiet) })
  if (!isDeepStrictEqual(others, othersNow)) lines.push({ what: 'What you’re notified about' })
  if (lines.length > 0) addStep(plan, lines, () => notifications.set(next))
}

function planDownloads(
  { downloads: desired = {} }: SettingsFile,
  { downloads, lock }: SettingsFileDeps,
  plan: Plan
): void {
  const now = downloads.settings()
  const choice: DownloadChoice = {}
  const lines: SettingsChange[] = []
  const planSetting = <Name extends keyof DownloadChoice>(name: Name, line: SettingsChange) => {
    const value = desired[name]
    if (value === undefined || isDeepStrictEqual(value, now[name])) return
    const change = { [name]: value }
    const why = failureInWords(() => lock('downloads.configure', change))
    if (why !== undefined) {
      plan.left.push({ what: line.what, why })
      return
    }
    Object.assign(choice, change)
    lines.push(line)
  }
  planSetting('pattern', { what: 'Names of downloaded files', from: now.pattern ?? '', to: desired.pattern ?? '' })
  planSetting('types', { what: 'Identity data format' })
  planSetting('writesIndex', { what: 'List of files in each download folder' })
  planSetting('concurrency', {
    what: 'Parallel downloads',
    from: String(now.concurrency),
    to: String(desired.concurrency)
  })
  if (lines.length > 0) addStep(plan, lines, () => downloads.configure(choice))
}

const COUNTER_LOCKED = 'The counter’s settings are locked. Unlock them under Counter, then choose the file again.'

async function planCounter(
  { counter: desired = {} }: SettingsFile,
  { counter, lock, isCounterOpen }: SettingsFileDeps,
  plan: Plan
): Promise<void> {
  const differences = counter.differences(desired)
  if (differences.length === 0) return
  const isOpen = await isCounterOpen()
  const choice: typeof desired = {}
  const lines: SettingsChange[] = []
  for (const { name, what: setting, from, to } of differences) {
    const what = `Counter: ${setting}`
    const change = { [name]: desired[name as keyof typeof desired] }
    const why = failureInWords(() => lock('counter.configure', change)) ?? (isOpen ? undefined : COUNTER_LOCKED)
    if (why !== undefined) {
      plan.left.push({ what, why })
      continue
    }
    Object.assign(choice, change)
    lines.push({ what, from, to })
  }
  if (lines.length > 0) addStep(plan, lines, () => counter.configure(choice))
}

/**
 * Carries out the plan as shown, step by step; if a step fails, earlier ones remain in effect. The audit trail has first
 * what is to be changed, in case this never ends, and then what was changed. @throws what a step throws.
 */
export async function applyPlan(plan: Plan, { note, changed }: SettingsFileDeps): Promise<void> {
  const done: SettingsChange[] = []
  if (plan.steps.length > 0) note({ what: 'settings-import-begun', detail: { planned: inWords(plan.changes) } })
  try {
    for (const { changes, carryOut } of plan.steps) {
      await carryOut()
      done.push(...changes)
    }
  } finally {
    const left = plan.left.length + plan.changes.length - done.length
    if (done.length > 0) note({ what: 'settings-imported', detail: { changed: inWords(done), left: String(left) } })
    changed()
  }
}

/** @throws AppFailure `busy` */
export function failChanged(): never {
  fail('busy', 'Settings here have changed since the file was read.', { next: 'Choose it again.' })
}

/** Maximum length of the changes in the audit trail, in characters. */
const MAX_CHANGES_LENGTH = 1000

const inWords = (changes: readonly SettingsChange[]) =>
  shortened(changes.map(({ what }) => what).join('; '), MAX_CHANGES_LENGTH)
