/** Computers with managed settings: a Windows registry, key by key, and the file of a macOS profile. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Convert,
  type ManagedSource,
  POLICY_KEY,
  type Registry,
  readFoundPolicy,
  readManaged
} from '../../../src/main/core/organisation/managed.ts'
import { temporaryFolder } from '../storage/folders.ts'

/** Windows' value types, from [MS-RRP] and winnt.h. */
export const TYPES = { none: 0, text: 1, expandable: 2, bytes: 3, number: 4, texts: 7, long: 11 }
export type Value = Uint8Array & { type: number }

export function registryValue(type: number, bytes: Uint8Array): Value {
  return Object.assign(new Uint8Array(bytes), { type })
}
export const text = (value: string) => registryValue(TYPES.text, Buffer.from(`${value}\0`, 'utf16le'))
/** A multi-string: each line a terminated string, with a terminator after the last. */
export const texts = (value: string) =>
  registryValue(TYPES.texts, Buffer.from(`${value.split('\n').join('\0')}\0\0`, 'utf16le'))
export function number(value: number): Value {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return registryValue(TYPES.number, bytes)
}

const HIVES = new Map([
  [0x80000001, 'HKCU'],
  [0x80000002, 'HKLM']
])
export const KEY = `HKLM\\${POLICY_KEY}`

/** Returns a registry with these keys, each with its values by name. @param onRead called before a value is read */
export function registryOf(
  keys: Record<string, Record<string, Value>>,
  onRead: () => void = () => undefined
): Registry {
  const open = new Set<object>()
  const pathOf = (key: object) => {
    if (!open.has(key)) throw new Error('This key is closed.')
    return (key as { path: string }).path
  }
  return {
    openKey(hive, key, options, access) {
      // KEY_READ in the 64-bit view.
      if (options !== 0 || access !== 0x20119) throw new Error('Access is denied.')
      const path = `${HIVES.get(hive)}\\${key}`
      if (!keys[path]) return null
      const opened = { path }
      open.add(opened)
      return opened
    },
    enumKeyNames: (key) =>
      Object.keys(keys).flatMap((path) =>
        path.startsWith(`${pathOf(key)}\\`) ? [path.slice(pathOf(key).length + 1)] : []
      ),
    enumValueNames: (key) => Object.keys(keys[pathOf(key)] ?? {}),
    queryValue(key, name) {
      onRead()
      return keys[pathOf(key)]?.[name] ?? null
    },
    closeKey: (key) => void open.delete(key)
  }
}

/** A computer with these values in the policy's key. */
export function windowsWith(
  values: Record<string, Value>,
  more: Record<string, Record<string, Value>> = {}
): ManagedSource {
  return { kind: 'registry', path: KEY, registry: () => registryOf({ [KEY]: values, ...more }) }
}

type Mac = ManagedSource & { kind: 'profile' }

/** A Mac whose profile has these settings. `convert` stands in for plutil, which this computer lacks. */
export function macWith(settings: unknown, convert: Convert = async (plist) => Buffer.from(plist).toString()): Mac {
  const path = join(temporaryFolder(), 'app.countersign.desktop.plist')
  writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings), { mode: 0o644 })
  return { kind: 'profile', path, owners: [process.getuid?.() ?? 0], convert }
}

/** Delays end at once. */
const time = {
  after(_delay: number, task: () => void) {
    setImmediate(task)
    return () => undefined
  }
}

/** Returns what such a computer's policy says, or what is wrong with it. */
export async function policyOn(place: ManagedSource | undefined) {
  const found = await readManaged(place, time)
  if (found.state === 'missing') return 'missing'
  const read = readFoundPolicy(found)
  return read.ok ? read.policy : read.problems
}
