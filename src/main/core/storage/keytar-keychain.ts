/**
 * The keychain port over keytar: tried out before it is trusted, bounded in time, and with the same answer on every
 * operating system: null only for an entry that isn't there, an error for everything else.
 */
import { openLanes } from '../lib/lanes.ts'
import type { Keychain, KeychainState, SecretName } from './keychain.ts'
import { KeychainError, keychainOver, memoryKeychain } from './keychain.ts'

const SERVICE = 'Countersign'
// With the process's number, so that two of us trying at once don't delete each other's entry.
const PROBE_ENTRY = `probe-${process.pid}`
const PROBE_VALUE = 'Countersign looks whether this keychain can be used.'
const WINDOWS_BLOB_BYTES = 2560

/**
 * What is used of keytar. `findCredentials` is left out on purpose: with a locked keyring it ends the whole process
 * (it takes the text of a secret that libsecret did not hand out).
 */
export interface KeytarApi {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

export interface KeytarOptions {
  /** How long one call may take, in milliseconds. A keychain that asks its owner for a password answers late. */
  readonly timeoutMs?: number
  readonly platform?: NodeJS.Platform
  /** Of the data folder, see `profileOf`; the usual one where it is left out. */
  readonly profile?: string
  /** Counts the calls under way: one may never return, and a process that ends as others do would wait for it. */
  readonly calls?: { underWay: number }
}

export interface OpenedKeychain {
  /** keytar's, or {@link memoryKeychain} where that can't be used. */
  readonly keychain: Keychain
  readonly status: KeychainState
}

/**
 * Tries the keychain out with an entry of its own (written, read, deleted) and answers the keychain to use in this run.
 * Never rejects.
 *
 * @param load imports keytar; a native part that can't be loaded (on Linux: no libsecret) is a keychain that is missing.
 */
export async function openKeytarKeychain(
  load: () => Promise<KeytarApi>,
  options: KeytarOptions = {}
): Promise<OpenedKeychain> {
  const answered = answeredIn(options.timeoutMs ?? 30_000, options.calls)
  try {
    const keytar = await loaded(load)
    const probe = coalesced(() => tryOut(keytar, answered))
    await probe()
    return { keychain: keytarKeychain(keytar, probe, answered, options), status: { state: 'available' } }
  } catch (error) {
    const { code, message } = asKeychainError(error)
    const reason = code === 'too-long' ? 'failed' : code
    return { keychain: memoryKeychain(), status: { state: 'unavailable', reason, detail: message } }
  }
}

function keytarKeychain(
  keytar: KeytarApi,
  probe: () => Promise<void>,
  answered: Answered,
  options: KeytarOptions
): Keychain {
  const platform = options.platform ?? process.platform

  async function get(name: SecretName): Promise<string | null> {
    const secret = await answered(() => keytar.getPassword(SERVICE, name))
    if (secret !== null) return secret
    // libsecret answers "nothing" for a keyring that is locked and whose prompt was dismissed. Only a keychain
    // that takes a write just now can be believed; otherwise a lock would pass for a lost key.
    await probe()
    return await answered(() => keytar.getPassword(SERVICE, name))
  }

  async function set(name: SecretName, secret: string): Promise<void> {
    // Windows' own refusal ("the stub received bad data") would tell nobody what is wrong.
    if (platform === 'win32' && Buffer.byteLength(secret) > WINDOWS_BLOB_BYTES) {
      throw new KeychainError('too-long', `Windows keeps at most ${WINDOWS_BLOB_BYTES} bytes in one entry.`)
    }
    await answered(() => keytar.setPassword(SERVICE, name, secret))
  }

  async function remove(name: SecretName): Promise<void> {
    if (await answered(() => keytar.deletePassword(SERVICE, name))) return
    if ((await get(name)) !== null) throw new KeychainError('failed', 'The keychain did not delete the entry.')
  }

  return keychainOver({ get, set, delete: remove }, 'in-os', options.profile)
}

async function loaded(load: () => Promise<KeytarApi>): Promise<KeytarApi> {
  try {
    return await load()
  } catch {
    // The loader's own message names folders of this machine.
    throw new KeychainError('missing', 'The part that talks to the keychain can\u2019t be loaded on this system.')
  }
}

async function tryOut(keytar: KeytarApi, answered: Answered): Promise<void> {
  let written: Promise<void> | undefined
  try {
    await answered(() => {
      written = keytar.setPassword(SERVICE, PROBE_ENTRY, PROBE_VALUE)
      return written
    })
  } catch (error) {
    // A prompt answered after the time-out would still store the entry: it must not stay behind.
    written?.then(() => keytar.deletePassword(SERVICE, PROBE_ENTRY)).catch(() => undefined)
    throw error
  }
  const read = await answered(() => keytar.getPassword(SERVICE, PROBE_ENTRY))
  await answered(() => keytar.deletePassword(SERVICE, PROBE_ENTRY))
  if (read !== PROBE_VALUE) throw new KeychainError('failed', 'The keychain did not give back what it was given.')
}

/** Two probes at once would read and delete each other's entry: anyone who comes second waits for the first. */
function coalesced(probe: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= probe().finally(() => {
      running = undefined
    })
    return running
  }
}

type Answered = <Value>(call: () => Promise<Value>) => Promise<Value>

/**
 * Calls in time and two at a time: one whose turn doesn't come in time is never made. Rejects with a KeychainError alone.
 *
 * keytar makes each call on a thread of its own, and libsecret shares one connection and one session among all of them. Two at
 * once, as the keyring is locked or its service goes, answer each other's tasks: one of them then never returns, or the service
 * ends. With one at a time, though, a start after a kill sometimes showed no window (see docs/status.md). And of Node's four threads,
 * which files and names of hosts need too, calls that wait for their owner keep two at most.
 */
function answeredIn(timeoutMs: number, calls = { underWay: 0 }): Answered {
  const tooLate = () => new KeychainError('locked', `The keychain gave no answer within ${timeoutMs} ms.`)
  const turns = openLanes(['one', 'another'], tooLate)

  return async (call) => {
    const late = Promise.withResolvers<never>()
    const givenUp = new AbortController()
    const timer = setTimeout(() => {
      givenUp.abort()
      late.reject(tooLate())
    }, timeoutMs)
    const inTurn = async () => {
      const turn = await turns.take(givenUp.signal)
      calls.underWay++
      try {
        return await call()
      } finally {
        calls.underWay--
        turns.leave(turn)
      }
    }
    try {
      return await Promise.race([inTurn(), late.promise])
    } catch (error) {
      throw asKeychainError(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** keytar hands on the system's sentence and nothing else, so that sentence is all there is to judge by. */
function asKeychainError(error: unknown): KeychainError {
  if (error instanceof KeychainError) return error
  const text = error instanceof Error ? error.message : String(error)
  const detail = text.replaceAll(/[/\\][^\s"'”’]*/g, '…').slice(0, 200)
  if (LOCKED.test(text)) return new KeychainError('locked', detail)
  if (MISSING.test(text)) return new KeychainError('missing', detail)
  return new KeychainError('failed', detail)
}

const LOCKED =
  /\blocked\b|dismissed|interaction is not allowed|user cancell?ed|user name or passphrase|no such logon session/i
const MISSING =
  /org\.freedesktop\.|D-Bus|dbus|autolaunch|could not connect|not provided by any|no keychain|does not exist at path/i
