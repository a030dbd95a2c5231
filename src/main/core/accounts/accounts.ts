/**
 * The accounts of this workstation. Their records are in the database, their secrets in the keychain. No result
 * contains a secret, except those of `credentialsOf` (for the service client only) and of the functions for testing and
 * enrolment.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AuthScheme, USUAL_DATA_TYPE_SPELLING } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { AccountSecrets } from '../storage/keychain.ts'
import {
  type Account,
  type AccountRecord,
  accountRows,
  DEFAULT_FOLDERS,
  freeColour,
  marksOf,
  PRACTICE_COLOUR
} from './account.ts'
import {
  type AccountCredentials,
  type CredentialsChange,
  isSameLogin,
  keepsStoredCredentials,
  mergedCredentials,
  originOf,
  readAddress,
  readCredentials,
  readName,
  readService
} from './credentials.ts'
import type { Tokens } from './oauth-tokens.ts'
import { type SecretFacts, type SecretState, storedCredentials } from './stored-credentials.ts'

export interface AccountsDeps {
  readonly db: Db
  /** The keychain's, or an in-memory keychain's if the database is in memory: see `accountSecretsFor`. */
  readonly secrets: AccountSecrets
  readonly newId: () => string
  readonly time: Pick<Time, 'now'>
  /** Called when another account became the one for new packages, because a package was begun in it. */
  readonly composedElsewhere?: () => void
  /** What the organisation allows; by default, every sign-in scheme, and http to this computer only. */
  readonly organisation?: {
    readonly allowsSignIn: (scheme: AuthScheme) => boolean
    readonly plainHttpHosts: () => readonly string[]
  }
}

/** Address and credentials of the practice service in this run. */
export interface RunningPractice {
  readonly baseUrl: string
  readonly credentials: AccountCredentials
}

/** A service's address, and the credentials for it. */
type ServiceAccess = Readonly<Parameters<typeof readService>[0]>
type Optional<Shape> = { readonly [Name in keyof Shape]?: Shape[Name] | undefined }

export type AccountInput =
  | ({ readonly kind: 'practice'; readonly name: string } & Optional<Pick<Account, 'colour'>>)
  | ({ readonly kind: 'service'; readonly name: string } & ServiceAccess &
      Optional<Pick<Account, 'colour' | 'jsonByQuery' | 'dataTypeSpelling' | 'folders'>>)

/** An account as set by a policy. */
export type ManagedAccount = Pick<ServiceAccess, 'baseUrl'> &
  Pick<Account, 'name' | 'scheme'> &
  Optional<Pick<Account, 'colour'>>

/** Missing members stay unchanged. A practice account's address and credentials can't be changed. */
export type AccountChanges = Optional<
  Pick<Account, 'name' | 'jsonByQuery' | 'dataTypeSpelling' | 'folders'> &
    Pick<ServiceAccess, 'baseUrl'> & { authentication: CredentialsChange }
>

/** Whether the service accepted the account's credentials when last asked. */
export type CredentialVerdict = 'refused' | 'not refused'

/** An account as typed: a new one, or a change to an existing one. */
export interface AccountToTest {
  id?: string | undefined
  baseUrl: string
  authentication?: CredentialsChange | undefined
}

export type Accounts = ReturnType<typeof openAccounts>

/**
 * Opens the accounts. Calls throw (or reject with) AppFailure: `no-account`, `invalid` with the fields, `keychain`,
 * `busy`, `refused`; and KeychainError if the keychain can't be used.
 */
export function openAccounts({ db, secrets, newId, time, composedElsewhere, organisation }: AccountsDeps) {
  const rows = accountRows(db)
  const normaliseAddress = (typed: string) => readAddress(typed, organisation?.plainHttpHosts())
  let practice: RunningPractice | undefined
  const stored = storedCredentials(secrets)

  const accountOf = ({ position: _, ...kept }: AccountRecord): Account => {
    if (kept.kind === 'service') return kept
    return { ...kept, baseUrl: practice?.baseUrl ?? null, scheme: practice?.credentials.scheme ?? 'none' }
  }
  const rowOf = (id: string): AccountRecord => rows.get(id) ?? fail('no-account', 'This account no longer exists.')

  function forNewPackages(): string | undefined {
    const real = rows.all().filter(({ kind }) => kind === 'service')
    return (real.find(({ id }) => id === rows.composedId()) ?? real[0])?.id
  }

  /** Equal names couldn't be told apart in the list or the audit trail. */
  function refuseTakenName(name: string, except?: string): void {
    if (rows.all().some((row) => row.id !== except && folded(row.name) === folded(name))) {
      fail('invalid', NAME_TAKEN, { fields: [{ field: 'name', message: NAME_TAKEN }] })
    }
  }

  const add = db.transaction((row: AccountRecord): void => {
    rows.put({ ...row, position: rows.nextPosition() })
    if (rows.chosenId() === undefined) rows.choose(row.id)
  })
  /** Data learned about one service, and above all a user's statements about it, never carries over to another. */
  const change = db.transaction((row: AccountRecord, next: AccountRecord): void => {
    const isMoved = next.baseUrl !== row.baseUrl
    rows.put(isMoved ? { ...next, jsonByQuery: DEFAULTS.jsonByQuery } : next)
    if (isMoved) rows.eraseLearned(row.id)
  })
  function refuseWhileInUse(id: string): void {
    if (rows.hasPendingSends(id)) fail('busy', PENDING_SENDS)
    if (rows.hasHolds(id))
      fail('busy', HAS_HOLDS, { next: 'Release the holds first, in Settings under Data and security.' })
    if (rows.hasPendingActions(id)) fail('busy', PENDING_ACTIONS)
  }
  const erase = db.transaction((id: string): void => {
    // Checked again: a send may have been queued while the keychain was busy.
    refuseWhileInUse(id)
    rows.erase(id)
    const next = rows.all()[0]
    if (rows.chosenId() === id && next) rows.choose(next.id)
  })

  const reorder = db.transaction((ids: readonly string[]): void => {
    const all = rows.all()
    const named = new Set(ids)
    const first = [...named].flatMap((id) => all.find((row) => row.id === id) ?? [])
    const next = [...first, ...all.filter(({ id }) => !named.has(id))]
    for (const [position, row] of next.entries()) if (row.position !== position) rows.put({ ...row, position })
  })

  function shownAccounts(which: 'all' | 'chosen'): Account[] {
    const all = rows.all()
    const chosen = all.find(({ id }) => id === rows.chosenId()) ?? all[0]
    const others = which === 'all' ? all.filter((row) => row !== chosen) : []
    return chosen ? [chosen, ...others].map(accountOf) : []
  }

  /** Returns both `secretState` and `isEnrolled`. */
  const secretFacts = async (id: string): Promise<SecretFacts> => {
    const row = rowOf(id)
    return row.kind === 'practice' ? { state: 'kept', isEnrolled: false } : await stored.facts(row)
  }

  return {
    list: (): Account[] => rows.all().map(accountOf),
    /** Normalises an address. @throws AppFailure `invalid` with the field. */
    normaliseAddress,
    get: (id: string): Account => accountOf(rowOf(id)),

    /** The account that new compositions belong to. Undefined if there are none. */
    chosen: (): Account | undefined => shownAccounts('chosen')[0],

    /**
     * The accounts that the screens show, chosen one first: all of them if the user wants that, otherwise only that
     * one.
     */
    shownIds: (): string[] => shownAccounts(rows.showsAll() ? 'all' : 'chosen').map(({ id }) => id),
    showAll: rows.showAll,

    /**
     * The account that a new package begins in while all are shown: the one that a package was last begun in, but never
     * the practice office, where something real would go nowhere; otherwise the first. Undefined if there is only that.
     */
    forNewPackages,
    noteComposed(id: string): void {
      const before = forNewPackages()
      rows.noteComposed(id)
      if (forNewPackages() !== before) composedElsewhere?.()
    },

    /** What identifies each account besides its colour: one or two letters, by id. */
    marks: () => marksOf(rows.all()),

    /**
     * Sets an account's mark and colour; a blank mark derives from the name, and undefined leaves a member unchanged.
     * @throws AppFailure `invalid` if another account has this mark, or the practice office's colour would change.
     */
    mark(id: string, { mark, colour }: Optional<Pick<Account, 'mark' | 'colour'>>): Account {
      const row = rowOf(id)
      if (row.kind === 'practice' && colour !== undefined && colour !== row.colour) {
        fail('invalid', 'The practice office’s colour can’t be changed.')
      }
      if (mark && rows.all().some((one) => one.id !== id && folded(one.mark) === folded(mark))) {
        fail('invalid', MARK_TAKEN, { fields: [{ field: 'mark', message: MARK_TAKEN }] })
      }
      rows.put({ ...row, mark: mark ?? row.mark, colour: colour ?? row.colour })
      return accountOf(rowOf(id))
    },

    /** Reorders the accounts; those not named follow, and unknown ids are ignored. */
    reorder: (ids: readonly string[]): void => reorder(ids),

    choose(id: string): Account {
      rows.choose(rowOf(id).id)
      return accountOf(rowOf(id))
    },

    /**
     * Adds an account; the first one is chosen at once.
     * @param isEnrolled whether its credentials come from an enrolment file.
     */
    async add(input: AccountInput, isEnrolled = false): Promise<Account> {
      const id = newId()
      const name = readName(input.name)
      refuseTakenName(name)
      const service = input.kind === 'service' ? readService(input, organisation?.plainHttpHosts()) : undefined
      const taken = rows.all().map((row) => row.colour)
      const colour = input.colour ?? (service === undefined ? PRACTICE_COLOUR : freeColour(taken))
      const { jsonByQuery, dataTypeSpelling, folders } = {
        ...DEFAULTS,
        ...(input.kind === 'service' && defined(input))
      }
      add({
        ...DEFAULTS,
        id,
        name,
        kind: input.kind,
        colour,
        createdAt: time.now(),
        baseUrl: service?.baseUrl ?? null,
        scheme: service?.credentials.scheme ?? 'none',
        jsonByQuery,
        dataTypeSpelling,
        folders
      })
      // The record comes first: after a crash in between, the account asks for its secret again, whereas a secret
      // without an account could never be found.
      try {
        if (service) await stored.add(id, { ...service, isEnrolled })
      } catch (error) {
        erase(id)
        throw error
      }
      return accountOf(rowOf(id))
    },

    /**
     * Changes an account. While a send or a document action is in progress or uncertain, its address and credentials
     * can't be changed (`busy`): only the same service can tell whether it arrived, and it shows each user only their
     * own folders. A waiting document action also blocks a change of address, since it is meant for that service. Still
     * allowed: a new secret for the same key, and any credentials if the stored ones are lost or rejected, since
     * otherwise the outcome could never be checked. Changing what belongs to an enrolled key leaves it enrolled.
     * @param isEnrolled whether the credentials come from an enrolment file.
     */
    async update(
      id: string,
      changes: AccountChanges,
      verdict: CredentialVerdict = 'not refused',
      isEnrolled = false
    ): Promise<Account> {
      const before = rowOf(id)
      if (before.kind === 'practice' && (changes.baseUrl ?? changes.authentication) !== undefined) {
        fail('invalid', 'The practice office’s address and key can’t be changed.')
      }
      const name = changes.name === undefined ? before.name : readName(changes.name)
      if (name !== before.name) refuseTakenName(name, id)
      const baseUrl = changes.baseUrl === undefined ? before.baseUrl : normaliseAddress(changes.baseUrl)
      const current = changes.authentication && (await stored.read(before))
      const credentials = changes.authentication && mergedCredentials(changes.authentication, current?.credentials)
      const changesAccess = (row: AccountRecord): boolean =>
        baseUrl !== row.baseUrl ||
        (credentials !== undefined &&
          current?.credentials !== undefined &&
          verdict !== 'refused' &&
          !isSameLogin(current.credentials, credentials))
      const refuseWhileUnconfirmed = (row: AccountRecord): void => {
        if (baseUrl !== row.baseUrl && rows.hasPendingActions(id)) fail('busy', PENDING_ACTIONS_FOR_ADDRESS)
        if (!changesAccess(row)) return
        if (rows.hasUnconfirmedSends(id)) fail('busy', UNCONFIRMED_SENDS)
        if (rows.hasUnconfirmedActions(id)) fail('busy', UNCONFIRMED_ACTIONS)
      }
      refuseWhileUnconfirmed(before)
      // One service's credentials mustn't be sent to another address.
      if (
        keepsStoredCredentials(changes.authentication) &&
        before.scheme !== 'none' &&
        originOf(baseUrl) !== originOf(before.baseUrl)
      ) {
        fail('invalid', CREDENTIALS_NEEDED, { fields: [{ field: 'authentication', message: CREDENTIALS_NEEDED }] })
      }
      const staysEnrolled = keepsStoredCredentials(changes.authentication) && current?.isEnrolled === true
      const write = (): void => {
        // Checked again: while the keychain was busy, the account may have been changed or removed, or something may
        // have been sent.
        const row = rowOf(id)
        refuseWhileUnconfirmed(row)
        if (name !== row.name) refuseTakenName(name, id)
        change(row, {
          ...row,
          name,
          // Unless it was changed here, a policy may have changed it meanwhile.
          baseUrl: baseUrl === before.baseUrl ? row.baseUrl : baseUrl,
          scheme: credentials?.scheme ?? row.scheme,
          jsonByQuery: changes.jsonByQuery ?? row.jsonByQuery,
          dataTypeSpelling: changes.dataTypeSpelling ?? row.dataTypeSpelling,
          folders: changes.folders ?? row.folders
        })
      }
      if (credentials) {
        await stored.change(id, { credentials, baseUrl, isEnrolled: isEnrolled || staysEnrolled }, write)
      } else write()
      return accountOf(rowOf(id))
    },

    /**
     * Creates an account that the organisation sets, or redirects the one of that name. A user enters its secret; if
     * the sign-in scheme changes, the old secret is removed.
     * @throws AppFailure `invalid` if the practice office has the name; `busy` as `update`.
     */
    async manage(desired: ManagedAccount): Promise<void> {
      const baseUrl = normaliseAddress(desired.baseUrl)
      const name = readName(desired.name)
      const row = rows.all().find((one) => folded(one.name) === folded(name))
      if (!row) {
        const colour = desired.colour ?? freeColour(rows.all().map((one) => one.colour))
        const service = { kind: 'service', id: newId(), scheme: desired.scheme, createdAt: time.now() } as const
        add({ ...DEFAULTS, ...service, name, baseUrl, colour })
        return
      }
      if (row.kind === 'practice') refuseTakenName(name)
      const managed = { name, baseUrl, scheme: desired.scheme, colour: desired.colour ?? row.colour }
      const next = { ...row, ...managed }
      const changesAccess = next.baseUrl !== row.baseUrl || next.scheme !== row.scheme
      const refuseWhilePending = ({ id }: AccountRecord): void => {
        if (rows.hasPendingActions(id)) fail('busy', PENDING_ACTIONS_FOR_ADDRESS)
        if (rows.hasUnconfirmedSends(id)) fail('busy', UNCONFIRMED_SENDS)
      }
      if (changesAccess) refuseWhilePending(row)
      const write = (): void => {
        // Checked again, as in `update`.
        const current = rows.get(row.id)
        if (!current || isDeepStrictEqual(next, current)) return
        if (changesAccess) refuseWhilePending(current)
        change(current, { ...current, ...managed })
      }
      // A person may have entered the secret for this scheme meanwhile.
      const isSchemeSet = () => rows.get(row.id)?.scheme === next.scheme
      if (isSchemeSet()) write()
      else await stored.change(row.id, undefined, write, isSchemeSet)
    },

    /**
     * Removes the account, its secret, and all its data in the database: drafts, sends, documents, views, downloads.
     * Downloaded files stay. Refused (`busy`) while its outbox holds waiting sends, which would never go, or uncertain
     * ones: only this record can tell whether sending again would send twice.
     */
    async remove(id: string): Promise<void> {
      rowOf(id)
      refuseWhileInUse(id)
      // The secret is deleted first: if the keychain is locked, nothing is removed, and no secret is left behind.
      await stored.change(id, undefined, () => erase(id))
    },

    /** Called at each start, since the practice service's port changes; undefined when it stops. */
    setPracticeService(running: RunningPractice | undefined): void {
      practice = running
    },

    /**
     * Returns the credentials for testing an account: the stored ones if none were typed.
     * @throws AppFailure `invalid` if the address is another service's and none were typed.
     */
    async credentialsToTest({ id, baseUrl, authentication }: AccountToTest): Promise<AccountCredentials> {
      if (authentication && !keepsStoredCredentials(authentication)) return readCredentials(authentication)
      const row = id === undefined ? undefined : rowOf(id)
      if (row?.kind === 'service' && row.scheme === 'none') return { scheme: 'none' }
      if (!row || originOf(baseUrl) !== originOf(row.baseUrl)) return fail('invalid', CREDENTIALS_NEEDED)
      const kept = await this.credentialsOf(row.id)
      return authentication ? mergedCredentials(authentication, kept) : kept
    },

    /** For the service client only: mustn't be stored, logged or shown. */
    async credentialsOf(id: string): Promise<AccountCredentials> {
      const row = rowOf(id)
      if (row.kind === 'practice') {
        return (
          practice?.credentials ??
          fail('refused', 'The practice office isn’t running.', { next: 'Restart Countersign.' })
        )
      }
      if (organisation?.allowsSignIn(row.scheme) === false)
        fail('not-allowed', SIGN_IN_NOT_ALLOWED, { next: ASK_ADMINISTRATOR })
      if (row.scheme === 'none') return { scheme: 'none' }
      const { credentials } = await stored.read(row)
      return credentials ?? fail('keychain', SECRET_MISSING[row.scheme], { next: 'Enter it in Settings.' })
    },

    /**
     * Returns the ids of all accounts that open the same user's folders as this one, itself included, as far as their
     * credentials tell whose they are. Rejects with KeychainError.
     */
    async idsOfSameUser(id: string): Promise<string[]> {
      const row = rowOf(id)
      const others = rows.all().filter((other) => other.id !== id && other.baseUrl === row.baseUrl)
      // A keychain may ask each time it is read.
      const own = others.length > 0 ? (await stored.read(row)).credentials : undefined
      const ids = [id]
      if (!own) return ids
      for (const other of others) {
        const { credentials } = await stored.read(other)
        if (credentials && isSameLogin(own, credentials)) ids.push(other.id)
      }
      return ids
    },

    /**
     * Whether its secret came with an enrolment file: nobody here has seen it, and no file may contain it. False if there
     * is none, or the keychain can't be read just now.
     */
    isEnrolled: async (id: string): Promise<boolean> => (await secretFacts(id)).isEnrolled,

    /**
     * The secrets that may go into a backup, by account. Enrolled ones may not, since the person who knows the passphrase
     * hasn't seen them.
     */
    async secretsForBackup(): Promise<Record<string, string>> {
      const all: Record<string, string> = {}
      for (const row of rows.all()) {
        const { text, isEnrolled } = await stored.read(row)
        if (text !== null && !isEnrolled) all[row.id] = text
      }
      return all
    },

    /**
     * Returns an account's credentials for an enrolment file.
     * @throws AppFailure `not-allowed` if this computer may not share them; as `credentialsOf`.
     */
    async credentialsToShare(id: string): Promise<AccountCredentials> {
      const row = rowOf(id)
      if (row.kind === 'practice') fail('not-allowed', 'The practice office is this computer’s own.')
      const { isEnrolled } = await stored.read(row)
      if (isEnrolled) fail('not-allowed', ENROLLED, { next: 'Make one where the account was connected.' })
      const credentials = await this.credentialsOf(id)
      if (credentials.scheme !== 'oauth') return credentials
      if (credentials.grant === 'code')
        fail('not-allowed', 'This sign-in belongs to one person, so it can’t be shared.')
      const { tokens: _, ...rest } = credentials
      return rest
    },

    /**
     * Adds an account from an enrolment file, or completes an existing account that lacks its secret.
     * @param existingId the existing account's id.
     * @throws AppFailure as `add` and `update`.
     */
    async enrol(
      account: Pick<Account, 'name' | 'colour' | 'jsonByQuery' | 'dataTypeSpelling' | 'folders'> & { baseUrl: string },
      credentials: AccountCredentials,
      existingId: string | undefined
    ): Promise<Account> {
      return existingId === undefined
        ? this.add({ kind: 'service', ...account, authentication: credentials }, true)
        : this.update(existingId, { authentication: credentials }, 'refused', true)
    },

    /** Changes whenever new credentials are stored. */
    credentialsRevision: stored.revision,

    /**
     * Stores renewed tokens, unless the account was removed or its credentials have changed since.
     * @param revision of the sign-in that they renew.
     */
    async storeTokens(id: string, revision: number, tokens: Tokens): Promise<void> {
      await stored.renew(id, { revision, tokens }, () => rows.get(id))
    },

    /** Whether the account's credentials have to be entered again. */
    secretState: async (id: string): Promise<SecretState> => (await secretFacts(id)).state,
    secretFacts
  }
}

/** Defaults of a new account; `position` is replaced when it is added. */
const DEFAULTS = {
  mark: '',
  jsonByQuery: false,
  dataTypeSpelling: USUAL_DATA_TYPE_SPELLING,
  folders: DEFAULT_FOLDERS,
  position: 0
} as const
const SECRET_MISSING: Record<AuthScheme, string> = {
  none: 'This account’s sign-in isn’t on this computer.',
  'api-key': 'This account’s API key isn’t on this computer.',
  bearer: 'This account’s token isn’t on this computer.',
  basic: 'This account’s password isn’t on this computer.',
  headers: 'This account’s headers aren’t on this computer.',
  oauth: 'This account’s sign-in isn’t on this computer.'
}
const SIGN_IN_NOT_ALLOWED = 'Your organisation doesn’t allow this account’s sign-in method.'
const ASK_ADMINISTRATOR = 'Choose another in Settings → Accounts, or ask your administrator.'
const ENROLLED = 'This account came with an enrolment file itself, so it can’t be put into another.'
const MARK_TAKEN = 'Another account has this mark. Choose different letters.'
const NAME_TAKEN = 'Another account has this name. Choose a different one.'
const CREDENTIALS_NEEDED = 'This is another service’s address. Enter its key or token too.'
const HAS_HOLDS = 'Documents of this account are on hold.'
const PENDING_SENDS = 'This account still has packages in its Outbox. Send or cancel them first.'
const PENDING_ACTIONS =
  'This account still has unfinished changes to documents. Finish or cancel them in Activity first.'
const PENDING_ACTIONS_FOR_ADDRESS =
  'Unfinished changes to documents are meant for the current address. Finish or cancel them in Activity first.'
const UNCONFIRMED_ACTIONS =
  'Some changes to documents aren’t confirmed yet, so the address, key and token can’t be changed. See Activity.'
const UNCONFIRMED_SENDS =
  'Some packages aren’t confirmed yet, so the address, key and token can’t be changed. See the Outbox.'
