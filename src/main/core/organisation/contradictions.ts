/**
 * Settings of a policy that are valid on their own, but contradict each other, or that can't be used: a schema can't say
 * that.
 */
import { isAbsolute, win32 } from 'node:path'
import type { FieldMessage } from '../../../shared/contract/errors.ts'
import type { OrganisationsOAuth } from '../../../shared/contract/policy.ts'
import { readCredentials, readTypedAddress } from '../accounts/credentials.ts'
import { escrowKeyOf } from '../backup/recovery-keys.ts'
import { parsePattern } from '../downloads/name-pattern.ts'
import { AppFailure } from '../lib/failure.ts'
import { folded } from '../lib/text-folding.ts'
import { readAllowedOrigin } from '../policy/allowed-origins.ts'
import { authorityIn } from '../service/own-authorities.ts'
import { isOnGitHub } from '../updates/feed.ts'
import type { Path } from './json-positions.ts'
import type { Policy } from './schema.ts'

export interface Contradiction {
  path: Path
  message: string
}

/** Checks the OAuth 2 settings with the rules for what a person types. */
function oauthProblem(oauth: OrganisationsOAuth): { member?: string; message: string } | undefined {
  const { issuer, authorizeUrl, tokenUrl, revokeUrl } = oauth
  if (issuer !== undefined && (authorizeUrl ?? tokenUrl ?? revokeUrl) !== undefined)
    return { member: 'issuer', message: 'Write either “issuer” or the other addresses.' }
  try {
    readCredentials({ scheme: 'oauth', ...oauth, secret: 'entered on each computer' })
    return undefined
  } catch (error) {
    const [field] = fieldMessagesOf(error)
    const member = field?.field.replace('authentication.', '')
    return { ...(member && member in oauth && { member }), message: field?.message ?? 'This can’t be used.' }
  }
}

function fieldMessagesOf(error: unknown): readonly FieldMessage[] {
  if (error instanceof AppFailure) return error.appError.fields ?? []
  throw error
}

type Report = (message: string, ...path: Path) => void

/** Finds settings that are valid on their own, but contradict each other or can't be used. */
export function contradictionsIn(policy: Policy): Contradiction[] {
  const found: Contradiction[] = []
  const report: Report = (message, ...path) => void found.push({ path, message })
  contradictionsInAccounts(policy, report)
  contradictionsInNetwork(policy, report)
  contradictionsInFolders(policy, report)
  if (policy.recovery && !isEscrowKey(policy.recovery.publicKey)) {
    report(
      'Write an RSA public key of at least 3072 bits, in PEM, with \\n for its line ends.',
      'recovery',
      'publicKey'
    )
  }
  if (policy.quietHours && policy.quietHours.from === policy.quietHours.to) {
    report('Quiet hours start and end at the same time. For none, write null.', 'quietHours')
  }
  if (policy.updates) contradictionsInUpdates(policy.updates, policy.plainHttpHosts, report)
  const checks = policy.counter?.checklist ?? []
  for (const [index, { text }] of checks.entries()) {
    if (checks.findIndex((one) => folded(one.text) === folded(text)) < index) {
      report(`“${text}” is in the checklist twice.`, 'counter', 'checklist', index, 'text')
    }
  }
  return found
}

function hasAccount({ accounts = [] }: Policy, name: string): boolean {
  return accounts.some((account) => folded(account.name) === folded(name))
}

function contradictionsInAccounts(policy: Policy, report: Report): void {
  const { accounts = [], signInMethods, plainHttpHosts = [] } = policy
  for (const [index, { name, address, signIn, oauth }] of accounts.entries()) {
    if (accounts.findIndex((one) => folded(one.name) === folded(name)) < index) {
      report(`Two accounts are called “${name}”.`, 'accounts', index, 'name')
    }
    const read = readTypedAddress(address, plainHttpHosts)
    if (!read.ok) report(read.message, 'accounts', index, 'address')
    if (signInMethods && !signInMethods.includes(signIn)) {
      report(`“${name}” signs in by “${signIn}”, which “signInMethods” doesn’t allow.`, 'accounts', index, 'signIn')
    }
    if (oauth && signIn !== 'oauth')
      report(`“${name}” signs in by “${signIn}”, and has “oauth”.`, 'accounts', index, 'oauth')
    const invalid = oauth && oauthProblem(oauth)
    if (invalid) report(invalid.message, 'accounts', index, 'oauth', ...(invalid.member ? [invalid.member] : []))
  }
  if (policy.defaultAccount !== undefined && !hasAccount(policy, policy.defaultAccount)) {
    report(`“${policy.defaultAccount}” isn’t among the accounts.`, 'defaultAccount')
  }
  if (policy.otherAccounts === false && policy.practiceOffice === false && accounts.length === 0) {
    report('With no accounts and no practice office, nobody could use Countersign.', 'otherAccounts')
  }
}

/** In what says how services are reached, and which pages may be loaded. */
function contradictionsInNetwork(policy: Policy, report: Report): void {
  for (const [index, host] of (policy.plainHttpHosts ?? []).entries()) {
    // The parser accepts an asterisk as part of a name, but no host has one.
    if (host.includes('*') || URL.parse(`http://${host}/`)?.hostname !== host) {
      report('Write a host by its name alone, in lower case, such as sign.office.example.', 'plainHttpHosts', index)
    }
  }
  const { server, except, script } = policy.proxy ?? {}
  if (server !== undefined && script !== undefined) report(TWO_PROXIES, 'proxy', 'script')
  if (server === undefined && except !== undefined) report(NO_PROXY, 'proxy', 'except')
  if (script !== undefined && !/^https?:$/.test(URL.parse(script)?.protocol ?? '')) {
    report('Write the whole address of the script, starting with https:// or http://.', 'proxy', 'script')
  }
  for (const [index, text] of (policy.certificateAuthorities ?? []).entries()) {
    if (!authorityIn(text)) report(NO_AUTHORITY, 'certificateAuthorities', index)
  }
  for (const [index, origin] of (policy.signingOrigins ?? []).entries()) {
    const read = readAllowedOrigin(origin)
    if (!read.ok) report(read.message, 'signingOrigins', index)
  }
}

function contradictionsInFolders(policy: Policy, report: Report): void {
  const folders = policy.dropFolders ?? []
  for (const [index, { folder, account }] of folders.entries()) {
    if (!isAbsolutePath(folder)) report(NOT_ABSOLUTE, 'dropFolders', index, 'folder')
    if (folders.findIndex((one) => one.folder === folder) < index) {
      report('This folder is in the list twice.', 'dropFolders', index, 'folder')
    }
    if (!hasAccount(policy, account)) report(`“${account}” isn’t among the accounts.`, 'dropFolders', index, 'account')
  }
  const { folder, names } = policy.downloads ?? {}
  if (folder !== undefined && !isAbsolutePath(folder)) report(NOT_ABSOLUTE, 'downloads', 'folder')
  const pattern = names === undefined ? undefined : parsePattern(names)
  if (pattern && !pattern.ok) report(pattern.problem, 'downloads', 'names')
  if (policy.sharedFile !== undefined && !isAbsolutePath(policy.sharedFile)) report(NOT_ABSOLUTE_FILE, 'sharedFile')
  if (policy.backups && !isAbsolutePath(policy.backups.folder)) report(NOT_ABSOLUTE, 'backups', 'folder')
}

function isEscrowKey(pem: string): boolean {
  try {
    escrowKeyOf(pem)
    return true
  } catch {
    return false
  }
}

const TWO_PROXIES = 'Name the proxy by “server” or by “script”, not by both.'
const NO_PROXY = 'Exceptions need a “server”.'
const NO_AUTHORITY =
  'This isn’t one certificate of a certificate authority, as text that starts with -----BEGIN CERTIFICATE-----.'

function contradictionsInUpdates(
  { feed, key, channel }: NonNullable<Policy['updates']>,
  plainHttpHosts: readonly string[] | undefined,
  report: Report
): void {
  const read = readTypedAddress(feed, plainHttpHosts)
  if (!read.ok) report(read.message, 'updates', 'feed')
  else if (channel === 'beta' && isOnGitHub(new URL(read.value))) {
    report('A repository’s newest release is never a test version. Use a folder of a web server.', 'updates', 'channel')
  }
  if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) {
    report('The key must be the 32 bytes of an Ed25519 public key, in base64.', 'updates', 'key')
  }
}

const NOT_ABSOLUTE_FILE = 'Write the full path of the file, or start it with ~/ for the user’s home folder.'
const NOT_ABSOLUTE = 'Write the full path of the folder, or start it with ~/ for the user’s home folder.'

/** Accepts the paths of any system, because a policy is often written on another computer. */
function isAbsolutePath(path: string): boolean {
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) return false
  return path.startsWith('~/') || isAbsolute(path) || (win32.isAbsolute(path) && /^(?:[A-Za-z]:|\\\\)/.test(path))
}
