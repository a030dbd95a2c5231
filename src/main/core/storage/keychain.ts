/**
 * The operating system's keychain, as the product may use it: a slot each for the database's key, the staff's PIN,
 * the end of the audit trail and the key of its exports, the passphrase of scheduled backups, the sign-ins to proxies, the place in an office, and one entry for each account. There is no call that reads an entry by a name of the
 * caller's choice, and no way of keeping a secret on disk without the keychain: where it isn't there, secrets live in
 * memory until the application ends.
 */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/** Why the keychain can't be used: no such service, shut (or waiting for its owner), it failed, or the secret is too big. */
export type KeychainTrouble = 'missing' | 'locked' | 'failed' | 'too-long'

/** A call to the keychain that did not succeed. It says nothing about whether an entry is there. */
export class KeychainError extends Error {
  override readonly name = 'KeychainError'
  readonly code: KeychainTrouble

  constructor(code: KeychainTrouble, detail: string) {
    super(detail)
    this.code = code
  }
}

/** One entry. Every call rejects with {@link KeychainError} when the keychain can't be used. */
export interface SecretSlot {
  /** The secret, or null: the keychain was open, answered, and holds no such entry. */
  get(): Promise<string | null>
  set(secret: string): Promise<void>
  /** Afterwards there is no such entry. No error when there was none before. */
  delete(): Promise<void>
}

/** One entry for each account, by the account's id. Errors as in {@link SecretSlot}. */
export interface AccountSecrets {
  get(accountId: string): Promise<string | null>
  set(accountId: string, secret: string): Promise<void>
  delete(accountId: string): Promise<void>
}

export interface Keychain {
  /** `in-memory`: everything is forgotten when the application ends. */
  readonly keeps: 'in-os' | 'in-memory'
  readonly databaseKey: SecretSlot
  /** What it was called while all data folders of a user had one key; undefined where that is the same entry. Never written any more. */
  readonly sharedDatabaseKey: Pick<SecretSlot, 'get'> | undefined
  /** The key that the database gets at the next start, until it is `databaseKey`. As `staffPin`. */
  readonly nextDatabaseKey: SecretSlot
  /** The staff's PIN, hashed. One for each data folder, as all else that the office sets; see {@link profileOf}. */
  readonly staffPin: SecretSlot
  /** Which entry of the audit trail is the newest, kept apart from the trail so that one cut off is noticed. As `staffPin`. */
  readonly auditAnchor: SecretSlot
  /** What exports of the audit trail are signed with. As `staffPin`. */
  readonly auditKey: SecretSlot
  /** The passphrase of backups that are made by themselves. As `staffPin`. */
  readonly backupPassphrase: SecretSlot
  /** What the office's proxies are signed in to with. As `staffPin`. */
  readonly proxies: SecretSlot
  /** What this workstation signs in to its office's server with, and the office's key. As `staffPin`. */
  readonly office: SecretSlot
  readonly accounts: AccountSecrets
}

/** What the look at start found. `detail` is for the log: it holds no secret and no path. */
export type KeychainState =
  | { readonly state: 'available' }
  | {
      readonly state: 'unavailable'
      readonly reason: 'missing' | 'locked' | 'failed'
      readonly detail: string
      /** It works, and the database's key in it isn't that of the database that is open. */
      readonly hasOtherKey?: true
    }

/** What is one for each data folder. */
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

/** How a place that keeps secrets looks from inside an adapter; never handed to callers. */
export interface SecretPlace {
  get(name: SecretName): Promise<string | null>
  set(name: SecretName, secret: string): Promise<void>
  delete(name: SecretName): Promise<void>
}

/**
 * What tells the entries of a data folder from those of another of the same user: '' for the usual folder, so that an
 * administrator finds them by plain names, and a digest of the path for others.
 */
export function profileOf(folder: string, usual: string): string {
  const path = resolve(folder)
  return path === resolve(usual) ? '' : createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/**
 * Narrows a place that could keep anything to the purposes the product has.
 * @param profile see {@link profileOf}
 */
export function keychainOver(place: SecretPlace, keeps: Keychain['keeps'], profile = ''): Keychain {
  const ofFolder = (name: FolderSecret) => slot(place, profile === '' ? name : `${name}:${profile}`)
  return {
    keeps,
    databaseKey: ofFolder('database-key'),
    sharedDatabaseKey: profile === '' ? undefined : slot(place, 'database-key'),
    nextDatabaseKey: ofFolder('next-database-key'),
    staffPin: ofFolder('staff-pin'),
    auditAnchor: ofFolder('audit-anchor'),
    auditKey: ofFolder('audit-key'),
    backupPassphrase: ofFolder('backup-passphrase'),
    proxies: ofFolder('proxies'),
    office: ofFolder('office'),
    accounts: {
      get: (accountId) => place.get(accountEntry(accountId)),
      set: (accountId, secret) => place.set(accountEntry(accountId), secret),
      delete: (accountId) => place.delete(accountEntry(accountId))
    }
  }
}

/** Used where the operating system's keychain isn't there: nothing reaches the disk. */
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
 * The keychain of a run whose database was opened without it: each entry refuses, and none passes for one that isn't there, until `look`
 * finds that the keychain works. From then on it is that keychain, but for the database's key, which is always that of the database that is open.
 * @param deps.look looks at the keychain as a start does.
 */
export function lateKeychain(deps: {
  databaseKey: string
  found: KeychainTrouble
  look: () => Promise<{ keychain: Keychain; status: KeychainState }>
}): { keychain: Keychain; look: () => Promise<KeychainState> } {
  let { found } = deps
  let back: Keychain | undefined
  const now = () => {
    if (!back) throw new KeychainError(found, 'The keychain could not be used as Countersign started.')
    return back
  }
  const late = (of: (keychain: Keychain) => SecretSlot): SecretSlot => ({
    get: async () => of(now()).get(),
    set: async (secret) => of(now()).set(secret),
    delete: async () => of(now()).delete()
  })
  const databaseKey = late((keychain) => keychain.databaseKey)
  return {
    keychain: {
      keeps: 'in-os',
      databaseKey: { ...databaseKey, get: async () => deps.databaseKey },
      get sharedDatabaseKey() {
        return back?.sharedDatabaseKey
      },
      nextDatabaseKey: late((keychain) => keychain.nextDatabaseKey),
      staffPin: late((keychain) => keychain.staffPin),
      auditAnchor: late((keychain) => keychain.auditAnchor),
      auditKey: late((keychain) => keychain.auditKey),
      backupPassphrase: late((keychain) => keychain.backupPassphrase),
      proxies: late((keychain) => keychain.proxies),
      office: late((keychain) => keychain.office),
      accounts: {
        get: async (accountId) => now().accounts.get(accountId),
        set: async (accountId, secret) => now().accounts.set(accountId, secret),
        delete: async (accountId) => now().accounts.delete(accountId)
      }
    },
    async look() {
      // Each look asks the keychain's owner, where it is locked; once it is back, its own calls say what becomes of it.
      if (back) return { state: 'available' }
      const { keychain, status } = await deps.look()
      if (status.state === 'unavailable') {
        found = status.reason
        return status
      }
      const there = await keychain.databaseKey.get()
      // The next start asks it for the key.
      if (there === null) await keychain.databaseKey.set(deps.databaseKey)
      // One that is there may be needed elsewhere, and is for a person to replace; but where a change of the key was stopped, the next start does it.
      else if (there !== deps.databaseKey && (await keychain.nextDatabaseKey.get()) !== deps.databaseKey) {
        found = 'failed'
        return {
          state: 'unavailable',
          reason: 'failed',
          detail: 'It has another key of the database.',
          hasOtherKey: true
        }
      }
      back = keychain
      return status
    }
  }
}

function slot(place: SecretPlace, name: SecretName): SecretSlot {
  return {
    get: () => place.get(name),
    set: (secret) => place.set(name, secret),
    delete: () => place.delete(name)
  }
}

function accountEntry(accountId: string): SecretName {
  // An id made elsewhere than here must not be able to name another purpose's entry.
  if (!/^[A-Za-z0-9-]{1,64}$/.test(accountId)) throw new TypeError('Not the id of an account.')
  return `account:${accountId}`
}
