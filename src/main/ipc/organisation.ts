/**
 * Enforces the organisation's settings: every request that could change them is checked before its handler runs. One
 * table covers them all, so that it is easy to verify.
 */
import type { DecodedInput, RequestName } from '../../shared/contract/index.ts'
import type { Lockable, OrganisationsOAuth, SharedFileView } from '../../shared/contract/policy.ts'
import type { AuthScheme } from '../../shared/contract/views.ts'
import type { Account } from '../core/accounts/account.ts'
import type { Accounts } from '../core/accounts/accounts.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import { folded } from '../core/lib/text-folding.ts'
import type { Organisation } from '../core/organisation/organisation.ts'
import type { HandlersOf } from './registration.ts'

interface LockDeps {
  organisation: Pick<Organisation, 'policy' | 'isLocked' | 'allowsSignIn' | 'hasAccount' | 'hasColour' | 'oauthOf'>
  accounts: Pick<Accounts, 'list'>
  /** The current download settings, which are the default for each download. */
  downloads: () => { folder: { id: string }; pattern: string }
  /** The quiet hours in effect. */
  quiet: () => unknown
}

type ChangedSetting = Lockable | false | undefined
/** Returns the lockable settings that a request would change; the request is refused if one is locked. */
type Locks = { [Name in RequestName]?: (input: DecodedInput<Name>, deps: LockDeps) => readonly ChangedSetting[] }

type Counter = DecodedInput<'counter.configure'>
const COUNTER: readonly (readonly [member: keyof Counter, setting: Lockable])[] = [
  ['idle', 'counter.idle'],
  ['lockAfter', 'counter.lockAfter'],
  ['evidence', 'counter.checklist'],
  ['fullScreen', 'counter.fullScreen'],
  ['useOtherDisplay', 'counter.secondDisplay'],
  ['mayGiveFiles', 'counter.files'],
  ['mayKeepPages', 'counter.printAndSave'],
  ['allowedOrigins', 'signingOrigins']
]

const LOCKS: Locks = {
  'accounts.add': (input, { organisation, accounts }) =>
    input.kind === 'practice'
      ? ['practiceOffice']
      : [
          'otherAccounts',
          ...locksForAdding({ name: input.name, scheme: input.authentication.scheme }, { organisation, accounts })
        ],
  'accounts.update': ({ id, name, baseUrl, authentication }, { organisation, accounts }) => {
    const account = accounts.list().find((one) => one.id === id)
    return [
      authentication && !organisation.allowsSignIn(authentication.scheme) && 'signInMethods',
      account && changesManagedAccount(account, { name, baseUrl, authentication }, organisation) && 'accounts',
      account && usesOtherService(account, baseUrl) && 'otherAccounts'
    ]
  },
  'accounts.mark': ({ id, colour }, { organisation }) => [
    colour !== undefined && organisation.hasColour(id) && 'accounts'
  ],
  'accounts.signIn': (_input, { organisation }) => [!organisation.allowsSignIn('oauth') && 'signInMethods'],
  'accounts.remove': ({ id }, { organisation }) => [organisation.hasAccount(id) && 'accounts'],
  'accounts.try': ({ id, baseUrl, authentication }, { organisation, accounts }) => {
    const account = accounts.list().find((one) => one.id === id)
    return [
      (!account || usesOtherService(account, baseUrl)) && 'otherAccounts',
      authentication && !organisation.allowsSignIn(authentication.scheme) && 'signInMethods',
      account && changesManagedAccount(account, { baseUrl, authentication }, organisation) && 'accounts'
    ]
  },
  'accounts.certificates': ({ baseUrl }, { accounts }) => [
    accounts.list().every((account) => usesOtherService(account, baseUrl)) && 'otherAccounts'
  ],
  'counter.configure': (changes) => COUNTER.map(([member, setting]) => changes[member] !== undefined && setting),
  'dropFolders.add': () => ['dropFolders'],
  'dropFolders.change': ({ sends, paused }) => [(sends !== undefined || paused !== undefined) && 'dropFolders'],
  'dropFolders.remove': () => ['dropFolders'],
  'downloads.configure': ({ folderId, pattern }, deps) => changedDownloads(folderId, pattern, deps),
  'downloads.chooseFolder': () => ['downloads.folder'],
  'downloads.add': ({ folderId, pattern }, deps) => changedDownloads(folderId, pattern, deps),
  'downloads.addRule': ({ folderId, pattern }, deps) => changedDownloads(folderId, pattern, deps),
  'downloads.changeRule': ({ folderId, pattern }, deps) => changedDownloads(folderId, pattern, deps),
  'downloads.relocate': () => ['downloads.folder'],
  'settings.set': ({ startAtLogin }) => [startAtLogin !== undefined && 'startAtLogin'],
  'storage.remove': () => ['removal'],
  'support.keepCrashReports': () => ['crashReports'],
  'storage.scheduleBackups': ({ plan, folderId }) => [(plan !== undefined || folderId !== undefined) && 'backups'],
  'retention.set': (changes) =>
    (Object.keys(changes) as (keyof typeof changes)[]).map((name) => `retention.${name}` as const),
  'notifications.set': ({ quiet }, deps) => [JSON.stringify(quiet) !== JSON.stringify(deps.quiet()) && 'quietHours']
}

/**
 * Creates the check that runs before handlers. It throws `not-allowed` for changes to a locked setting, and `invalid`
 * for a new PIN shorter than the organisation requires.
 */
export function policyCheckOf(deps: LockDeps): (name: RequestName, input: unknown) => void {
  const { organisation } = deps
  return (name, input) => {
    const changes = LOCKS[name] as ((input: unknown, deps: LockDeps) => readonly ChangedSetting[]) | undefined
    for (const setting of changes?.(input, deps) ?? []) if (setting && organisation.isLocked(setting)) refuse()
    if (CHOOSE_PIN.has(name)) requirePinLength(input as { pin?: string }, organisation.policy.counter?.pinDigits ?? 0)
  }
}

/** What may prevent an account from being added, in whatever way. */
function locksForAdding(
  { name, scheme }: { name: string; scheme: AuthScheme },
  { organisation, accounts }: Pick<LockDeps, 'organisation' | 'accounts'>
): ChangedSetting[] {
  const isManaged = accounts.list().some((one) => organisation.hasAccount(one.id) && folded(one.name) === folded(name))
  return [!organisation.allowsSignIn(scheme) && 'signInMethods', isManaged && 'accounts']
}

/** @throws AppFailure `not-allowed` if this account may not be added by an enrolment file. */
export function mayEnrol(
  account: { name: string; scheme: AuthScheme },
  deps: Pick<LockDeps, 'organisation' | 'accounts'>
): void {
  const { organisation } = deps
  const byFile = organisation.policy.otherAccounts === 'enrolled' ? [] : (['otherAccounts'] as const)
  for (const one of [...byFile, ...locksForAdding(account, deps)]) if (one && organisation.isLocked(one)) refuse()
}

/** @throws AppFailure `not-allowed` if an existing account may not get its secret from an enrolment file. */
export function mayComplete(
  { id, scheme }: { id: string; scheme: AuthScheme },
  { organisation }: Pick<LockDeps, 'organisation'>
): void {
  // The policy may set the OAuth details, which an enrolment file doesn't know.
  if (organisation.oauthOf(id) || !organisation.allowsSignIn(scheme)) refuse()
}

const CHOOSE_PIN: ReadonlySet<RequestName> = new Set(['counter.setPin', 'counter.addStaff', 'counter.changeStaff'])

function requirePinLength({ pin }: { pin?: string }, digits: number): void {
  if (pin === undefined || pin.length >= digits) return
  const message = `Your organisation wants PINs of at least ${digits} digits.`
  fail('invalid', message, { fields: [{ field: 'pin', message }] })
}

function refuse(): never {
  fail('not-allowed', 'This is set by your organisation.', { next: 'Ask your administrator to change it.' })
}

/** Whether one of the organisation's accounts would be renamed, redirected, or sign in differently. */
function changesManagedAccount(
  account: Account,
  {
    name,
    baseUrl,
    authentication
  }: Pick<DecodedInput<'accounts.try'>, 'baseUrl' | 'authentication'> & { name?: string },
  organisation: LockDeps['organisation']
): boolean {
  if (!organisation.hasAccount(account.id)) return false
  const scheme = authentication?.scheme
  return (
    (name !== undefined && name !== account.name) ||
    usesOtherService(account, baseUrl) ||
    (scheme !== undefined && scheme !== account.scheme) ||
    (authentication?.scheme === 'oauth' && changesSignIn(authentication, organisation.oauthOf(account.id)))
  )
}

const OAUTH = ['grant', 'clientId', 'issuer', 'authorizeUrl', 'tokenUrl', 'revokeUrl', 'scope'] as const

function changesSignIn(typed: OrganisationsOAuth, policy: OrganisationsOAuth | undefined): boolean {
  return policy !== undefined && OAUTH.some((member) => typed[member] !== policy[member])
}

/** An account with another service counts as another account, whatever its name was. */
function usesOtherService(account: Account, baseUrl: string): boolean {
  return baseUrl.replace(/\/+$/, '') !== account.baseUrl
}

function changedDownloads(folderId: string | undefined, pattern: string | undefined, deps: LockDeps): ChangedSetting[] {
  const current = deps.downloads()
  return [
    folderId !== undefined && folderId !== current.folder.id && 'downloads.folder',
    pattern !== undefined && pattern.trim() !== current.pattern && 'downloads.names'
  ]
}

/** Requests about what the organisation has set. */
export function policyHandlers(
  organisation: Pick<Organisation, 'view'>,
  shared: () => SharedFileView | undefined = () => undefined
): HandlersOf<'policy'> {
  return { 'policy.get': async () => ({ ...organisation.view(), ...defined({ shared: shared() }) }) }
}
