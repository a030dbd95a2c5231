/**
 * Implements the keychain with keytar: probed before use, with timeouts, and consistent on every operating system: null
 * only if an entry doesn't exist, an error for everything else.
 */
import { openResourcePool, type ResourcePool } from '../lib/resource-pool.ts'
import type { Keychain, KeychainState, SecretName } from './keychain.ts'
import { KeychainError, keychainOver, memoryKeychain } from './keychain.ts'

const SERVICE = 'Countersign'
// Includes the process id, so that two instances probing at once don't delete each other's entry.
const PROBE_ENTRY = `probe-${process.pid}`
const PROBE_VALUE = 'Countersign looks whether this keychain can be used.'
const WINDOWS_BLOB_BYTES = 2560

/**
 * The parts of keytar that are used. `findCredentials` is deliberately missing: with a locked keyring, it crashes the
 * process (it dereferences a secret that libsecret didn't return).
 */
export interface KeytarApi {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

export interface KeytarOptions {
  /** Timeout of a call, in milliseconds. A keychain that prompts its owner answers late. */
  readonly timeoutMs?: number
  readonly platform?: NodeJS.Platform
  /** Profile of the data folder, see `profileOf`; default: the usual folder. */
  readonly profile?: string
  /** For all keychains of the process. */
  readonly calls?: KeychainCalls
}

/** The turns of a process's calls. */
export interface KeychainCalls {
  readonly turns: ResourcePool<'the only one'>
  /** Calls in progress: one may never return, and a normal exit would wait for it. */
  underWay: number
}

/** Creates the turns, which all keychains of the process have to share: see `callRunner`. */
export function openKeychainCalls(): KeychainCalls {
  return { turns: openResourcePool(['the only one'], tooLate), underWay: 0 }
}

const tooLate = () => new KeychainError('locked', 'The keychain gave no answer in time.')

export interface OpenedKeychain {
  /** keytar's, or {@link memoryKeychain} if that can't be used. */
  readonly keychain: Keychain
  readonly status: KeychainState
}

/**
 * Probes the keychain with an entry of its own (written, read, deleted) and returns the keychain for this run. Never
 * rejects.
 *
 * @param load imports keytar; if the native module can't be loaded (on Linux: no libsecret), the keychain is missing.
 */
export async function openKeytarKeychain(
  load: () => Promise<KeytarApi>,
  options: KeytarOptions = {}
): Promise<OpenedKeychain> {
  const runCall = callRunner(options.timeoutMs ?? 30_000, options.calls)
  try {
    const keytar = await loadKeytar(load)
    await probeKeychain(keytar, runCall)
    return { keychain: keytarKeychain(keytar, runCall, options), status: { state: 'available' } }
  } catch (error) {
    const { code, message } = asKeychainError(error)
    const reason = code === 'locked' || code === 'missing' ? code : 'failed'
    return { keychain: memoryKeychain(), status: { state: 'unavailable', reason, detail: message } }
  }
}

function keytarKeychain(keytar: KeytarApi, run: CallRunner, options: KeytarOptions): Keychain {
  const platform = options.platform ?? process.platform
  const runCall = noticingStop(run)
  const probe = coalesced(() => probeKeychain(keytar, runCall))

  async function get(name: SecretName): Promise<string | null> {
    const secret = await runCall(() => keytar.getPassword(SERVICE, name))
    if (secret !== null) return secret
    // libsecret returns "nothing" for a locked keyring whose prompt was dismissed. Only a keychain that accepts a write
    // right now can be trusted; otherwise a lock would look like a lost key.
    await probe()
    return await runCall(() => keytar.getPassword(SERVICE, name))
  }

  async function set(name: SecretName, secret: string): Promise<void> {
    // Windows' own error ("the stub received bad data") wouldn't explain anything.
    if (platform === 'win32' && Buffer.byteLength(secret) > WINDOWS_BLOB_BYTES) {
      throw new KeychainError('too-long', `Windows keeps at most ${WINDOWS_BLOB_BYTES} bytes in one entry.`)
    }
    await runCall(() => keytar.setPassword(SERVICE, name, secret))
  }

  async function remove(name: SecretName): Promise<void> {
    if (await runCall(() => keytar.deletePassword(SERVICE, name))) return
    if ((await get(name)) !== null) throw new KeychainError('failed', 'The keychain did not delete the entry.')
  }

  return keychainOver({ get, set, delete: remove }, 'in-os', options.profile)
}

async function loadKeytar(load: () => Promise<KeytarApi>): Promise<KeytarApi> {
  try {
    return await load()
  } catch {
    // The loader's own message contains paths of this machine.
    throw new KeychainError('missing', 'The part that talks to the keychain can\u2019t be loaded on this system.')
  }
}

async function probeKeychain(keytar: KeytarApi, runCall: CallRunner): Promise<void> {
  let written: Promise<void> | undefined
  try {
    await runCall(() => {
      written = keytar.setPassword(SERVICE, PROBE_ENTRY, PROBE_VALUE)
      return written
    })
  } catch (error) {
    // A prompt answered after the timeout would still store the entry, which mustn't stay behind.
    written?.then(() => runCall(() => keytar.deletePassword(SERVICE, PROBE_ENTRY))).catch(() => undefined)
    throw error
  }
  const read = await runCall(() => keytar.getPassword(SERVICE, PROBE_ENTRY))
  await runCall(() => keytar.deletePassword(SERVICE, PROBE_ENTRY))
  if (read !== PROBE_VALUE) throw new KeychainError('failed', 'The keychain did not give back what it was given.')
}

/** Concurrent probes would read and delete each other's entry, so later callers wait for the running one. */
function coalesced(probe: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= probe().finally(() => {
      running = undefined
    })
    return running
  }
}

/**
 * Names the trouble if a keychain that was there is missing. libsecret keeps its connection to the service that stopped,
 * and that service's session, for as long as the process lives (its `SecretService` is created in the context of a call
 * that is over, so it never hears of another owner of the bus name). If the service returns, only a restart reaches it.
 */
function noticingStop(runCall: CallRunner): CallRunner {
  return async (call) => {
    try {
      return await runCall(call)
    } catch (error) {
      if (error instanceof KeychainError && error.code === 'missing') throw new KeychainError('stopped', error.message)
      throw error
    }
  }
}

type CallRunner = <Value>(call: () => Promise<Value>) => Promise<Value>

/**
 * Runs calls with a timeout and one at a time; a call whose turn comes too late is never made. Rejects with a
 * KeychainError only.
 *
 * keytar makes each call on its own thread. While a keyring is locked, two calls ask for it to be unlocked, and
 * gnome-keyring 42 doesn't survive two such requests at once ("perform_next_unlock: assertion failed"): the keyring of
 * everything on the desktop ends, and a call that waits for its prompt never returns. Also, a call that waits for its
 * owner occupies one of Node's four threads, which files and DNS lookups need too.
 */
function callRunner(timeoutMs: number, calls = openKeychainCalls()): CallRunner {
  return async (call) => {
    const timeout = Promise.withResolvers<never>()
    const abort = new AbortController()
    const timer = setTimeout(() => {
      abort.abort()
      timeout.reject(tooLate())
    }, timeoutMs)
    const inTurn = async () => {
      const turn = await calls.turns.acquire(abort.signal)
      calls.underWay++
      try {
        return await call()
      } finally {
        calls.underWay--
        calls.turns.release(turn)
      }
    }
    try {
      return await Promise.race([inTurn(), timeout.promise])
    } catch (error) {
      throw asKeychainError(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** keytar passes on the system's message only, so the decision relies on its text. */
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
  /org\.freedesktop\.|D-Bus|dbus|autolaunch|could not connect|not provided by any|no keychain|does not exist at path|disconnected from message bus|session wrapping the secret/i
