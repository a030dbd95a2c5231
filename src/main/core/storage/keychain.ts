/**
 * The operating system's keychain as the product may use it: one slot each for the database key, the staff PIN, the
 * audit trail's anchor and export key, the passphrase of scheduled backups, proxy sign-ins, and the office membership,
 * plus one entry per account; all of them once per data folder. Callers can't read entries by arbitrary name, and secrets are never stored on disk
 * without the keychain: if it is missing, they stay in memory until the application ends.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/**
 * Why the keychain can't be used: there's no such service, it was there and stopped during this run, it is locked (or
 * waits for its owner), it failed, or the secret is too long.
 */
export type KeychainTrouble = 'missing' | 'stopped' | 'locked' | 'failed' | 'too-long'

/** A failed keychain call. It doesn't tell whether an entry exists. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError'
  readonly code: KeychainTrouble

  constructor(code: KeychainTrouble, detail: string) {
    super(detail)
    this.code = code
  }
}

/** One entry. Every call rejects with {@link KeychainError} if the keychain can't be used. */
export interface SecretSlot {
  /** The secret, or null if the keychain answered that there's no such entry. */
  get(): Promise<string | null>
  set(secret: string): Promise<void>
  /** Deletes the entry. No error if there was none. */
  delete(): Promise<void>
}

/**
 * One entry per account, by its id, and per data folder: a backup brings the same accounts into another folder. Errors as
 * in {@link SecretSlot}.
 */
export interface AccountSecrets {
  get(accountId: string): Promise<string | null>
  set(accountId: string, secret: string): Promise<void>
  delete(accountId: string): Promise<void>
}

export interface Keychain {
  /** `in-memory`: everything is lost when the application ends. */
  readonly keeps: 'in-os' | 'in-memory'
  /** Per data folder, as `staffPin`, so that removing one folder's entries never locks another's data. */
  readonly databaseKey: SecretSlot
  /** The database's new key from the next start on, until it becomes `databaseKey`. As `staffPin`. */
  readonly nextDatabaseKey: SecretSlot
  /** The staff's PIN, hashed. Per data folder, like everything the office sets; see {@link profileOf}. */
  readonly staffPin: SecretSlot
  /** The audit trail's newest entry, stored separately so that a truncated trail is noticed. As `staffPin`. */
  readonly auditAnchor: SecretSlot
  /** Signing key for exports of the audit trail. As `staffPin`. */
  readonly auditKey: SecretSlot
  /** Passphrase of automatic backups. As `staffPin`. */
  readonly backupPassphrase: SecretSlot
  /** Sign-ins to the office's proxies. As `staffPin`. */
  readonly proxies: SecretSlot
  /** This workstation's sign-in to its office's server, and the office's key. As `staffPin`. */
  readonly office: SecretSlot
  readonly accounts: AccountSecrets
}

/** Result of the check at start. `detail` is for the log: no secrets, no paths. */
export type KeychainState =
  | { readonly state: 'available' }
  | {
      readonly state: 'unavailable'
      readonly reason: 'missing' | 'locked' | 'failed'
      readonly detail: string
      /** The keychain works, but holds another key than the open database's. */
      readonly hasOtherKey?: true
    }

/** Secrets that exist once per data folder. */
type FolderSecret =
  | 'database-key'
  | 'next-database-key'
  | 'staff-pin'
  | 'audit-anchor'
  | 'audit-key'
  | 'backup-passphrase'
  | 'proxies'
  | 'office'

export type SecretName = FolderSecret | `${FolderSecret}:${string}` | `account:${string}`

/** A place that stores secrets, as adapters implement it; never passed to callers. */
export interface SecretStore {
  get(name: SecretName): Promise<string | null>
  set(name: SecretName, secret: string): Promise<void>
  delete(name: SecretName): Promise<void>
}

/**
 * Returns what distinguishes a data folder's entries from those of the same user's other folders: '' for the usual
 * folder, so that administrators find plain names, and a digest of the path for others.
 */
export function profileOf(folder: string, usual: string): string {
  const path = resolve(folder)
  return path === resolve(usual) ? '' : createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/** Restricts a place that could store anything to the product's purposes. @param profile see {@link profileOf} */
export function keychainOver(store: SecretStore, keeps: Keychain['keeps'], profile = ''): Keychain {
  const ofFolder = (name: FolderSecret) => slot(store, profile === '' ? name : `${name}:${profile}`)
  return {
    keeps,
    databaseKey: ofFolder('database-key'),
    nextDatabaseKey: ofFolder('next-database-key'),
    staffPin: ofFolder('staff-pin'),
    auditAnchor: ofFolder('audit-anchor'),
    auditKey: ofFolder('audit-key'),
    backupPassphrase: ofFolder('backup-passphrase'),
    proxies: ofFolder('proxies'),
    office: ofFolder('office'),
    accounts: {
      get: (accountId) => store.get(accountEntry(accountId, profile)),
      set: (accountId, secret) => store.set(accountEntry(accountId, profile), secret),
      delete: (accountId) => store.delete(accountEntry(accountId, profile))
    }
  }
}

/** Creates a substitute for a missing system keychain: nothing reaches the disk. */
export function memoryKeychain(): Keychain {
  const secrets = new Map<SecretName, string>()
  return keychainOver(
    {
      get: async (name) => secrets.get(name) ?? null,
      set: async (name, secret) => {
        secrets.set(name, secret)
      },
      delete: async (name) => {
        secrets.delete(name)
      }
    },
    'in-memory'
  )
}

/**
 * Creates the keychain for a run whose database was opened without it. Until `check` finds a working keychain, every
 * entry throws, so that none appears to be missing. From then on it is that keychain, except that the database's key is
 * always the open database's.
 * @param deps.look checks the keychain as a start does.
 */
export function deferredKeychain(deps: {
  databaseKey: string
  found: KeychainTrouble
  check: () => Promise<{ keychain: Keychain; status: KeychainState }>
}): { keychain: Keychain; check: () => Promise<KeychainState> } {
  let { found } = deps
  let recovered: Keychain | undefined
  const requireKeychain = () => {
    if (!recovered) throw new KeychainError(found, 'The keychain could not be used as Countersign started.')
    return recovered
  }
  const deferred = (of: (keychain: Keychain) => SecretSlot): SecretSlot => ({
    get: async () => of(requireKeychain()).get(),
    set: async (secret) => of(requireKeychain()).set(secret),
    delete: async () => of(requireKeychain()).delete()
  })
  const databaseKey = deferred((keychain) => keychain.databaseKey)
  return {
    keychain: {
      keeps: 'in-os',
      databaseKey: { ...databaseKey, get: async () => deps.databaseKey },
      nextDatabaseKey: deferred((keychain) => keychain.nextDatabaseKey),
      staffPin: deferred((keychain) => keychain.staffPin),
      auditAnchor: deferred((keychain) => keychain.auditAnchor),
      auditKey: deferred((keychain) => keychain.auditKey),
      backupPassphrase: deferred((keychain) => keychain.backupPassphrase),
      proxies: deferred((keychain) => keychain.proxies),
      office: deferred((keychain) => keychain.office),
      accounts: {
        get: async (accountId) => requireKeychain().accounts.get(accountId),
        set: async (accountId, secret) => requireKeychain().accounts.set(accountId, secret),
        delete: async (accountId) => requireKeychain().accounts.delete(accountId)
      }
    },
    async check() {
      // Each check may prompt the keychain's owner. Once it is back, its own calls report any problems.
      if (recovered) return { state: 'available' }
      const { keychain, status } = await deps.check()
      if (status.state === 'unavailable') {
        found = status.reason
        return status
      }
      const existing = await keychain.databaseKey.get()
      // The next start reads the key there.
      if (existing === null) await keychain.databaseKey.set(deps.databaseKey)
      // Another key may be needed elsewhere, so only a user may replace it. But if a key change was interrupted, the
      // next start completes it.
      else if (existing !== deps.databaseKey && (await keychain.nextDatabaseKey.get()) !== deps.databaseKey) {
        found = 'failed'
        return {
          state: 'unavailable',
          reason: 'failed',
          detail: 'It has another key of the database.',
          hasOtherKey: true
        }
      }
      recovered = keychain
      return status
    }
  }
}

function slot(store: SecretStore, name: SecretName): SecretSlot {
  return {
    get: () => store.get(name),
    set: (secret) => store.set(name, secret),
    delete: () => store.delete(name)
  }
}

function accountEntry(accountId: string, profile: string): SecretName {
  // A foreign id mustn't be able to address another purpose's entry.
  if (!/^[A-Za-z0-9-]{1,64}$/.test(accountId)) throw new TypeError('Not the id of an account.')
  return profile === '' ? `account:${accountId}` : `account:${accountId}:${profile}`
}
