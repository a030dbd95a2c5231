/**
 * Settings from the system's own management: what Group Policy or Intune writes to the Windows registry, and what a
 * configuration profile sets on macOS (decision 58). They are read only from where administrators alone can write:
 * below `HKEY_LOCAL_MACHINE`, or in root's file. If there are any, they are the whole policy.
 */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { shortened } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import { type ManagedPolicy, policyOf } from './managed-settings.ts'
import { type PolicyFile, type PolicyLocation, policyLocation, readPolicyFile, unusable } from './policy-file.ts'
import { MAX_POLICY_BYTES, type PolicyReading, readPolicy } from './reading.ts'

/** Where a system keeps them; tests pass their own `registry` or `convert`. */
export type ManagedSource =
  | { readonly kind: 'registry'; readonly path: string; readonly registry?: () => Registry }
  | {
      readonly kind: 'profile'
      readonly path: string
      readonly owners: PolicyLocation['owners']
      readonly convert?: Convert
    }

/** The functions used of the Windows registry, with its own names and numbers. */
export interface Registry {
  /** @returns null if the key doesn't exist. @throws if it can't be opened. */
  openKey(hive: number, key: string, options: number, access: number): object | null
  enumKeyNames(key: object): string[]
  enumValueNames(key: object): string[]
  queryValue(key: object, name: string): (Uint8Array & { type: number }) | null
  closeKey(key: object): void
}

/**
 * Converts a property list, in either format, to JSON. @throws if it isn't one, or contains what JSON can't express.
 */
export type Convert = (plist: Uint8Array) => Promise<string>

export type ManagedReading =
  | Exclude<PolicyFile, { state: 'read' }>
  | { readonly state: 'read'; readonly bytes: Uint8Array; readonly lines: ManagedPolicy['lines'] }

export const POLICY_KEY = 'SOFTWARE\\Policies\\Countersign'
/** The application's bundle identifier on macOS. */
export const BUNDLE = 'app.countersign.desktop'
const HKEY_LOCAL_MACHINE = 0x80000002
/** KEY_READ and KEY_WOW64_64KEY. */
const READ = 0x20019 | 0x100
const REG_SZ = 1
const REG_DWORD = 4
const REG_MULTI_SZ = 7
/** Far more than a policy has. */
const MAX_VALUES = 500
/** The maximum length of an unknown setting's name in a message, in characters. */
const MAX_NAME_LENGTH = 60
/** How often values that are being written are read, and the delay between reads in milliseconds. */
const TRIES = 4
const RETRY_DELAY = 250
/** How long plutil may take, in milliseconds. */
const PLUTIL_TIMEOUT = 10_000

/**
 * Returns where this start finds managed settings; undefined if the system has none, or the start was given another
 * policy file.
 * @param file the policy file of this start.
 * @param home the user's home folder.
 */
export function managedSourceAtStart(
  platform: NodeJS.Platform,
  file: PolicyLocation,
  home: string
): ManagedSource | undefined {
  if (file.path !== policyLocation(platform, home).path) return undefined
  if (platform === 'win32') return { kind: 'registry', path: `HKEY_LOCAL_MACHINE\\${POLICY_KEY}` }
  if (platform !== 'darwin') return undefined
  return { kind: 'profile', path: `/Library/Managed Preferences/${BUNDLE}.plist`, owners: [0] }
}

/**
 * Reads the managed settings. Never rejects.
 * @param known the text that was read last. Any other text must be read twice in a row, because values are written one
 * by one.
 */
export async function readManaged(
  source: ManagedSource | undefined,
  time: Pick<Time, 'after'>,
  known?: string
): Promise<ManagedReading> {
  if (!source) return { state: 'missing' }
  if (source.kind === 'profile') return readProfile(source, time)
  let before: string | undefined = known
  for (let attempt = 1; ; attempt++) {
    const read = readRegistry(source)
    if (read.state !== 'read' && read !== EMPTY_KEY) return read
    const text = read.state === 'read' ? new TextDecoder().decode(read.bytes) : ''
    if (text === before) return read
    if (attempt === TRIES) return unusable('The settings were being written while they were read.')
    before = text
    await new Promise<void>((resolve) => void time.after(RETRY_DELAY, resolve))
  }
}

/**
 * Reads a policy from wherever it was found, or returns what is wrong with it; for managed settings, with the setting.
 */
export function readFoundPolicy(found: Exclude<PolicyFile | ManagedReading, { state: 'missing' }>): PolicyReading {
  if (found.state === 'unusable') return { ok: false, problems: [found.problem] }
  const read = readPolicy(found.bytes)
  if (read.ok || !('lines' in found)) return read
  const problems = read.problems.map(({ message, line = 0 }) => {
    const setting = found.lines[line - 1]
    return { message, ...(setting !== undefined && { setting }) }
  })
  return { ok: false, problems }
}

/**
 * Group Policy leaves an empty key behind when settings are no longer configured, and for a moment while it replaces
 * them.
 */
const EMPTY_KEY: ManagedReading = { state: 'missing' }

const UNREADABLE = 'The settings couldn’t be read.'
const TOO_LARGE = 'The settings are larger than 1 MB.'

function readRegistry({ registry = windowsRegistry }: ManagedSource & { kind: 'registry' }): ManagedReading {
  try {
    const system = registry()
    const key = system.openKey(HKEY_LOCAL_MACHINE, POLICY_KEY, 0, READ)
    if (!key) return { state: 'missing' }
    try {
      return readValues(system, key)
    } finally {
      system.closeKey(key)
    }
  } catch {
    return unusable(UNREADABLE)
  }
}

function readValues(system: Registry, key: object): ManagedReading {
  const [subkey] = system.enumKeyNames(key)
  if (subkey !== undefined) return unusableSetting('This is a registry key. Settings must be values.', subkey)
  const names = system.enumValueNames(key)
  if (names.length === 0) return EMPTY_KEY
  if (names.length > MAX_VALUES) return unusable(TOO_LARGE)
  const values = new Map<string, unknown>()
  let size = 0
  for (const name of names) {
    const data = system.queryValue(key, name)
    if (!data) return unusable(UNREADABLE)
    size += data.length
    if (size > 2 * MAX_POLICY_BYTES) return unusable(TOO_LARGE)
    const value = decodeValue(data)
    if (value === undefined)
      return unusableSetting('Settings are values of the type REG_SZ, REG_MULTI_SZ or REG_DWORD.', name)
    values.set(name, value)
  }
  return readingOf(values)
}

/**
 * Decodes a registry value: UTF-16 with a terminator, several of these with a final terminator, or 32 bits in
 * little-endian order.
 */
function decodeValue(data: Uint8Array & { type: number }): string | number | undefined {
  if (data.type === REG_DWORD) {
    return data.length === 4 ? new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true) : undefined
  }
  if (data.type !== REG_SZ && data.type !== REG_MULTI_SZ) return undefined
  try {
    const text = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(data).replace(/\0+$/, '')
    return data.type === REG_SZ ? text : text.replaceAll('\0', '\n')
  } catch {
    return undefined
  }
}

/** The entries that macOS adds about the profile of a setting. */
const PROFILE_METADATA = /^Payload[A-Z][A-Za-z]*$/

async function readProfile(
  source: ManagedSource & { kind: 'profile' },
  time: Pick<Time, 'after'>
): Promise<ManagedReading> {
  const file = await readPolicyFile(source, time)
  if (file.state !== 'read') return file
  try {
    const found: unknown = JSON.parse(await (source.convert ?? convertWithPlutil)(file.bytes))
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return unusable(UNREADABLE)
    const settings = Object.entries(found).filter(([name]) => !PROFILE_METADATA.test(name))
    return settings.length === 0 ? { state: 'missing' } : readingOf(new Map(settings))
  } catch {
    return unusable(UNREADABLE)
  }
}

function readingOf(settings: ReadonlyMap<string, unknown>): ManagedReading {
  const policy = policyOf(settings)
  if ('message' in policy) return unusableSetting(policy.message, policy.setting)
  return { state: 'read', bytes: new TextEncoder().encode(policy.text), lines: policy.lines }
}

function unusableSetting(message: string, setting: string): ManagedReading {
  return { state: 'unusable', problem: { message, setting: shortened(setting, MAX_NAME_LENGTH) } }
}

/**
 * Loads native-reg's binary directly. Its own lookup follows an environment variable, which could lead to anyone's
 * library.
 */
function windowsRegistry(): Registry {
  return createRequire(import.meta.url)(`native-reg/prebuilds/win32-${process.arch}/node.napi.node`)
}

/**
 * Runs plutil by its absolute path, because anyone may own a folder on the PATH. The content is passed in, so that
 * plutil opens no file itself.
 */
function convertWithPlutil(plist: Uint8Array): Promise<string> {
  const args = ['-convert', 'json', '-o', '-', '--', '-']
  return new Promise((resolve, reject) => {
    const limits = { timeout: PLUTIL_TIMEOUT, maxBuffer: 4 * MAX_POLICY_BYTES }
    const child = execFile('/usr/bin/plutil', args, limits, (error, out) => (error ? reject(error) : resolve(out)))
    // If it exits before reading everything, its exit code says so.
    child.stdin?.once('error', () => undefined)
    child.stdin?.end(plist)
  })
}
