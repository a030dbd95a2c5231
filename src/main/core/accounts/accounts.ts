/**
 * The accounts of this workstation. Their records are in the database, their secrets in the keychain; nothing that this
 * part answers holds a secret, except `secretsOf`, which is for the client of the service alone.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AuthScheme, USUAL_DATA_TYPE_SPELLING } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import { inTurn } from '../lib/slices.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { AccountSecrets } from '../storage/keychain.ts'
import { KeychainError } from '../storage/keychain.ts'
import {
  type Account,
  type AccountRecord,
  accountRows,
  freeColour,
  marksOf,
  PRACTICE_COLOUR,
  USUAL_FOLDERS
} from './account.ts'
import {
  type AccountCredentials,
  type CredentialsChange,
  changedCredentials,
  decodeCredentials,
  encodeCredentials,
  isSameLogin,
  keepsSome,
  originOf,
  readAddress,
  readCredentials,
  readName,
  readService
} from './credentials.ts'
import type { Tokens } from './oauth-tokens.ts'

export interface AccountsDeps {
  readonly db: Db
  /** Those of the keychain when the database is on disk; a memory keychain's when it isn't: see `secretsBeside`. */
  readonly secrets: AccountSecrets
  readonly newId: () => string
  readonly time: Pick<Time, 'now'>
  /** What the organisation allows; without one, every way of signing in, and http to this computer alone. */
  readonly organisation?: {
    readonly allowsSignIn: (scheme: AuthScheme) => boolean
    readonly plainHttpHosts: () => readonly string[]
  }
}

/** Where the practice service listens in this run, and how it wants to be asked. */
export interface RunningPractice {
  readonly baseUrl: string
  readonly credentials: AccountCredentials
}

/** Where a service is, and how the account proves there who it is. */
type ServiceAccess = Readonly<Parameters<typeof readService>[0]>
type Optional<Shape> = { readonly [Name in keyof Shape]?: Shape[Name] | undefined }

export type AccountInput =
  | ({ readonly kind: 'practice'; readonly name: string } & Optional<Pick<Account, 'colour'>>)
  | ({ readonly kind: 'service'; readonly name: string } & ServiceAccess &
      Optional<Pick<Account, 'colour' | 'dataTypeSpelling'>>)

/** An account as a policy has it. */
export type ManagedAccount = Pick<ServiceAccess, 'baseUrl'> &
  Pick<Account, 'name' | 'scheme'> &
  Optional<Pick<Account, 'colour'>>

/** Members that are left out stay as they are. Address and credentials of a practice account can't be changed. */
export type AccountChanges = Optional<
  Pick<Account, 'name' | 'jsonByQuery' | 'dataTypeSpelling' | 'folders'> &
    Pick<ServiceAccess, 'baseUrl'> & { authentication: CredentialsChange }
>

/** Whether the service took an account's credentials when it was last asked. */
export type Admission = 'refused' | 'not refused'

/** `unknown`: the keychain could not be asked just now. */
export type SecretState = 'kept' | 'missing' | 'unknown'

/** An account as it is typed: a new one, or a change of one that is there. */
export interface TriedAccount {
  id?: string | undefined
  baseUrl: string
  authentication?: CredentialsChange | undefined
}

export type Accounts = ReturnType<typeof openAccounts>

/**
 * Calls throw (or reject with) AppFailure: `no-account`, `invalid` with the fields, `keychain`, `busy`, `refused`; and
 * KeychainError where the keychain can't be used.
 */
export function openAccounts({ db, secrets, newId, time, organisation }: AccountsDeps) {
  const rows = accountRows(db)
  const addressIn = (typed: string) => readAddress(typed, organisation?.plainHttpHosts())
  let practice: RunningPractice | undefined
  /** How often the credentials of each were changed in this run. */
  const signIns = new Map<string, number>()
  const signInNumber = (id: string): number => signIns.get(id) ?? 0
  /** What is written to the keychain for an account goes one after the other: new tokens come at any time. */
  // @wc-ignore
  const oneByOne = <Value>(id: string, work: () => Promise<Value>) => inTurn(`secret ${id}`, work)

  const accountOf = ({ position: _, ...kept }: AccountRecord): Account => {
    if (kept.kind === 'service') return kept
    return { ...kept, baseUrl: practice?.baseUrl ?? null, scheme: practice?.credentials.scheme ?? 'none' }
  }
  const rowOf = (id: string): AccountRecord => rows.get(id) ?? fail('no-account', 'This account no longer exists.')

  /** Two of one name couldn't be told apart in the list, nor in the audit trail. */
  function refuseTaken(name: string, except?: string): void {
    if (rows.all().some((row) => row.id !== except && folded(row.name) === folded(name))) {
      fail('invalid', NAME_TAKEN, { fields: [{ field: 'name', message: NAME_TAKEN }] })
    }
  }

  const add = db.transaction((row: AccountRecord): void => {
    rows.put({ ...row, position: rows.nextPosition() })
    if (rows.chosenId() === undefined) rows.choose(row.id)
  })
  /** Nothing that was learned of one service, a person's word about it least of all, is ever kept with another. */
  const change = db.transaction((row: AccountRecord, next: AccountRecord): void => {
    rows.put(next)
    if (next.baseUrl !== row.baseUrl) rows.eraseLearned(row.id)
  })
  function refuseHolding(id: string): void {
    if (rows.holdsSends(id)) fail('busy', HOLDS_SENDS)
    if (rows.hasHolds(id))
      fail('busy', HAS_HOLDS, { next: 'Release the holds first, in Settings under Data and security.' })
    if (rows.holdsActions(id)) fail('busy', HOLDS_ACTIONS)
  }
  const erase = db.transaction((id: string): void => {
    // Asked again: while the keychain was busy, Send may have been pressed.
    refuseHolding(id)
    rows.erase(id)
    const next = rows.all()[0]
    if (rows.chosenId() === id && next) rows.choose(next.id)
  })

  const inOrder = db.transaction((ids: readonly string[]): void => {
    const all = rows.all()
    const named = new Set(ids)
    const first = [...named].flatMap((id) => all.find((row) => row.id === id) ?? [])
    const next = [...first, ...all.filter(({ id }) => !named.has(id))]
    for (const [position, row] of next.entries()) if (row.position !== position) rows.put({ ...row, position })
  })

  function shown(which: 'all' | 'chosen'): Account[] {
    const all = rows.all()
    const chosen = all.find(({ id }) => id === rows.chosenId()) ?? all[0]
    const others = which === 'all' ? all.filter((row) => row !== chosen) : []
    return chosen ? [chosen, ...others].map(accountOf) : []
  }

  return {
    list: (): Account[] => rows.all().map(accountOf),
    /** An address as it is kept. @throws AppFailure `invalid` with the field. */
    addressIn,
    get: (id: string): Account => accountOf(rowOf(id)),

    /** The account that is worked in: what is composed belongs to it. Undefined when there is none at all. */
    chosen: (): Account | undefined => shown('chosen')[0],

    /** The accounts that the screens show, the chosen one first: all of them where a person wants that, or else it alone. */
    shownIds: (): string[] => shown(rows.showsAll() ? 'all' : 'chosen').map(({ id }) => id),
    showAll: rows.showAll,

    /** What each is told apart by, beside its colour: one or two letters, by its id. */
    marks: () => marksOf(rows.all()),

    /**
     * Gives an account the mark and the colour that a person chose; a blank mark is that of its name. What is undefined stays.
     * @throws AppFailure `invalid` where another was given the mark, or the practice office is to have another account's colour.
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

    /** Lists them in this order from now on; those that aren't named come after, and who is there no longer is left out. */
    order: (ids: readonly string[]): void => inOrder(ids),

    choose(id: string): Account {
      rows.choose(rowOf(id).id)
      return accountOf(rowOf(id))
    },

    /** The first account is chosen at once. */
    async add(input: AccountInput): Promise<Account> {
      const id = newId()
      const name = readName(input.name)
      refuseTaken(name)
      const kept = input.kind === 'service' ? readService(input, organisation?.plainHttpHosts()) : undefined
      const taken = rows.all().map((row) => row.colour)
      const colour = input.colour ?? (kept === undefined ? PRACTICE_COLOUR : freeColour(taken))
      add({
        ...AT_FIRST,
        ...{ id, name, kind: input.kind, colour, createdAt: time.now() },
        baseUrl: kept?.baseUrl ?? null,
        scheme: kept?.credentials.scheme ?? 'none',
        ...(input.kind === 'service' && input.dataTypeSpelling && { dataTypeSpelling: input.dataTypeSpelling })
      })
      // The record comes first: killed in between, there is an account without its secret, which is asked for again,
      // and never a secret that no account leads to.
      try {
        if (kept !== undefined) await keep(id, kept.credentials, kept.baseUrl)
      } catch (error) {
        erase(id)
        throw error
      }
      return accountOf(rowOf(id))
    },

    /**
     * Changes an account. Only the service that a package left for can tell whether it arrived, and it tells each user of
     * their own folders alone; so while a send, or a change to a document, is under way or uncertain, address and
     * credentials stay (`busy`). A change that waits was asked for of a document of that service: the address stays. Taken
     * all the same: a new secret of the same key, and any credentials where the kept ones are lost or the service refuses
     * them, as otherwise nobody could ever look.
     */
    async update(id: string, changes: AccountChanges, admission: Admission = 'not refused'): Promise<Account> {
      const before = rowOf(id)
      if (before.kind === 'practice' && (changes.baseUrl ?? changes.authentication) !== undefined) {
        fail('invalid', 'The practice office’s address and key can’t be changed.')
      }
      const name = changes.name === undefined ? before.name : readName(changes.name)
      if (name !== before.name) refuseTaken(name, id)
      const baseUrl = changes.baseUrl === undefined ? before.baseUrl : addressIn(changes.baseUrl)
      const kept = changes.authentication && (await keptBeside(before))
      const credentials = changes.authentication && changedCredentials(changes.authentication, kept?.credentials)
      const leadsElsewhere = (row: AccountRecord): boolean =>
        baseUrl !== row.baseUrl ||
        (credentials !== undefined &&
          kept?.credentials !== undefined &&
          admission !== 'refused' &&
          !isSameLogin(kept.credentials, credentials))
      const refuseWhileUnsettled = (row: AccountRecord): void => {
        if (baseUrl !== row.baseUrl && rows.holdsActions(id)) fail('busy', HOLDS_ACTIONS_FOR)
        if (!leadsElsewhere(row)) return
        if (rows.hasUnsettledSends(id)) fail('busy', UNSETTLED)
        if (rows.hasUnsettledActions(id)) fail('busy', UNSETTLED_ACTIONS)
      }
      refuseWhileUnsettled(before)
      // What proves who we are to one service is not for another address.
      if (
        keepsSome(changes.authentication) &&
        before.scheme !== 'none' &&
        originOf(baseUrl) !== originOf(before.baseUrl)
      ) {
        fail('invalid', CREDENTIALS_AGAIN, { fields: [{ field: 'authentication', message: CREDENTIALS_AGAIN }] })
      }
      if (credentials) await keep(id, credentials, baseUrl)
      // Asked again: while the keychain was busy the account may have been changed elsewhere, or removed, or something of
      // it may have left.
      const row = rows.get(id)
      if (row === undefined) {
        await secrets.delete(id)
        return fail('no-account', 'This account no longer exists.')
      }
      try {
        refuseWhileUnsettled(row)
        if (name !== row.name) refuseTaken(name, id)
        if (credentials) rows.setEnrolled(id, false)
        change(row, {
          ...row,
          name,
          baseUrl: changes.baseUrl === undefined ? row.baseUrl : baseUrl,
          scheme: credentials?.scheme ?? row.scheme,
          jsonByQuery: changes.jsonByQuery ?? row.jsonByQuery,
          dataTypeSpelling: changes.dataTypeSpelling ?? row.dataTypeSpelling,
          folders: changes.folders ?? row.folders
        })
      } catch (error) {
        if (kept) await putBack(id, kept.text)
        throw error
      }
      return accountOf(rowOf(id))
    },

    /**
     * Makes an account as the organisation wants it, or leads the one of its name there. Its secret is entered by a person, and
     * one that was for another way of signing in is removed.
     * @throws AppFailure `invalid` where the practice office has the name; `busy` as `update`.
     */
    async manage(wanted: ManagedAccount): Promise<void> {
      const baseUrl = addressIn(wanted.baseUrl)
      const name = readName(wanted.name)
      const row = rows.all().find((one) => folded(one.name) === folded(name))
      if (!row) {
        const colour = wanted.colour ?? freeColour(rows.all().map((one) => one.colour))
        const service = { kind: 'service', id: newId(), scheme: wanted.scheme, createdAt: time.now() } as const
        add({ ...AT_FIRST, ...service, ...{ name, baseUrl, colour } })
        return
      }
      if (row.kind === 'practice') refuseTaken(name)
      const managed = { name, baseUrl, scheme: wanted.scheme, colour: wanted.colour ?? row.colour }
      const next = { ...row, ...managed }
      const leadsElsewhere = next.baseUrl !== row.baseUrl || next.scheme !== row.scheme
      const refuseLeading = ({ id }: AccountRecord): void => {
        if (rows.holdsActions(id)) fail('busy', HOLDS_ACTIONS_FOR)
        if (rows.hasUnsettledSends(id)) fail('busy', UNSETTLED)
      }
      if (leadsElsewhere) refuseLeading(row)
      let before: string | null | undefined
      if (next.scheme !== row.scheme) {
        before = await oneByOne(row.id, async () => {
          const text = await secrets.get(row.id)
          await secrets.delete(row.id)
          return text
        })
        signIns.set(row.id, signInNumber(row.id) + 1)
      }
      // Asked again, as in `update`.
      const now = rows.get(row.id)
      if (!now || isDeepStrictEqual(next, now)) return
      try {
        if (leadsElsewhere) refuseLeading(now)
        change(now, { ...now, ...managed })
      } catch (error) {
        if (before !== undefined) await putBack(row.id, before)
        throw error
      }
    },

    /**
     * Removes the account, its secret, and everything kept of it in the database: drafts, sends, documents, looks,
     * downloads. Files that were downloaded stay. Refused (`busy`) while something waits in its outbox, which would
     * never go, or while it is unknown what became of a send: only this record can tell whether sending again would send
     * twice.
     */
    async remove(id: string): Promise<void> {
      rowOf(id)
      refuseHolding(id)
      const secret = await oneByOne(id, async () => {
        const before = await secrets.get(id)
        // Its secret goes first: where the keychain is shut, nothing is removed, and no secret stays behind.
        await secrets.delete(id)
        signIns.set(id, signInNumber(id) + 1)
        return before
      })
      try {
        erase(id)
      } catch (error) {
        await putBack(id, secret)
        throw error
      }
    },

    /** Told at each start, as the practice service listens on another port each time; undefined when it stops. */
    practiceRunsAt(running: RunningPractice | undefined): void {
      practice = running
    },

    /**
     * The credentials that an account would sign in with, for a trial of them; what is kept where none were typed.
     * @throws AppFailure `invalid` where the address is another service's and none were typed.
     */
    async credentialsFor({ id, baseUrl, authentication }: TriedAccount): Promise<AccountCredentials> {
      if (authentication && !keepsSome(authentication)) return readCredentials(authentication)
      const row = id === undefined ? undefined : rowOf(id)
      if (row?.kind === 'service' && row.scheme === 'none') return { scheme: 'none' }
      if (!row || originOf(baseUrl) !== originOf(row.baseUrl)) return fail('invalid', CREDENTIALS_AGAIN)
      const kept = await this.secretsOf(row.id)
      return authentication ? changedCredentials(authentication, kept) : kept
    },

    /** For the client of the service alone: it must not be kept, logged or shown. */
    async secretsOf(id: string): Promise<AccountCredentials> {
      const row = rowOf(id)
      if (row.kind === 'practice') {
        return (
          practice?.credentials ??
          fail('refused', 'The practice office isn’t running.', { next: 'Restart Countersign.' })
        )
      }
      if (organisation?.allowsSignIn(row.scheme) === false)
        fail('not-allowed', NOT_THIS_WAY, { next: ASK_ADMINISTRATOR })
      if (row.scheme === 'none') return { scheme: 'none' }
      const text = await secrets.get(id)
      const credentials = text === null ? undefined : decodeCredentials(text, row.baseUrl)
      return credentials ?? fail('keychain', NOT_HERE[row.scheme], { next: 'Enter it in Settings.' })
    },

    /** Whether its secret came with an enrolment file: nobody here has seen it, and no file has it. */
    isEnrolled: rows.isEnrolled,
    /** Whose secrets may go into a backup, which is under a passphrase of someone who hasn't seen those of the others. */
    idsForBackup: (): string[] => rows.all().flatMap(({ id }) => (rows.isEnrolled(id) ? [] : [id])),

    /**
     * The credentials of an account for an enrolment file.
     * @throws AppFailure `not-allowed` where they aren't this computer's to give; as `secretsOf`.
     */
    async credentialsToShare(id: string): Promise<AccountCredentials> {
      const { kind } = rowOf(id)
      if (kind === 'practice') fail('not-allowed', 'The practice office is this computer’s own.')
      if (rows.isEnrolled(id)) fail('not-allowed', ENROLLED, { next: 'Make one where the account was connected.' })
      const credentials = await this.secretsOf(id)
      if (credentials.scheme !== 'oauth') return credentials
      if (credentials.grant === 'code') fail('not-allowed', 'This sign-in is one person’s, so it isn’t shared.')
      const { tokens: _, ...rest } = credentials
      return rest
    },

    /**
     * Keeps an account of an enrolment file, or gives an account that waits for its secret what the file has.
     * @param there that account's id.
     * @throws AppFailure as `add` and `update`.
     */
    async enrol(
      account: Pick<Account, 'name' | 'colour' | 'jsonByQuery' | 'dataTypeSpelling' | 'folders'> & { baseUrl: string },
      credentials: AccountCredentials,
      there: string | undefined
    ): Promise<Account> {
      const { name, baseUrl, colour, jsonByQuery, dataTypeSpelling, folders } = account
      const { id } =
        there === undefined
          ? await this.add({ kind: 'service', name, baseUrl, colour, dataTypeSpelling, authentication: credentials })
          : await this.update(there, { authentication: credentials }, 'refused')
      if (there === undefined) await this.update(id, { jsonByQuery, folders })
      rows.setEnrolled(id, true)
      return accountOf(rowOf(id))
    },

    /** Another number as soon as other credentials are kept. */
    signInNumber,

    /**
     * Keeps new tokens of an account that goes on signing in by OAuth 2 as it did; nothing of one that was removed, or signs in
     * otherwise by now.
     * @param number of the sign-in that they renew.
     */
    async keepTokens(id: string, number: number, tokens: Tokens): Promise<void> {
      await oneByOne(id, async () => {
        const row = rows.get(id)
        if (!row || signInNumber(id) !== number) return
        const { credentials } = await keptBeside(row)
        if (credentials?.scheme === 'oauth') {
          await secrets.set(id, encodeCredentials({ ...credentials, tokens }, row.baseUrl))
        }
      })
    },

    /** Whether the account's credentials have to be entered again. */
    async secretState(id: string): Promise<SecretState> {
      const row = rowOf(id)
      if (row.kind === 'practice' || row.scheme === 'none') return 'kept'
      try {
        const text = await secrets.get(id)
        return text !== null && decodeCredentials(text, row.baseUrl) !== undefined ? 'kept' : 'missing'
      } catch (error) {
        if (error instanceof KeychainError) return 'unknown'
        throw error
      }
    }
  }

  /** What the keychain holds for an account; without `credentials` where it is lost or can't be read. */
  async function keptBeside(row: AccountRecord): Promise<{ text: string | null; credentials?: AccountCredentials }> {
    const text = await secrets.get(row.id)
    if (row.scheme === 'none') return { text, credentials: { scheme: 'none' } }
    const credentials = text === null ? undefined : decodeCredentials(text, row.baseUrl)
    return { text, ...(credentials && { credentials }) }
  }

  /** Should it not be possible, the credentials have to be entered again; nothing else is lost. */
  async function putBack(id: string, text: string | null): Promise<void> {
    const done = text === null ? secrets.delete(id) : secrets.set(id, text)
    await done.catch(() => undefined)
  }

  function keep(id: string, credentials: AccountCredentials, baseUrl: string | null): Promise<void> {
    return oneByOne(id, async () => {
      if (credentials.scheme === 'none') await secrets.delete(id)
      else await secrets.set(id, encodeCredentials(credentials, baseUrl))
      signIns.set(id, signInNumber(id) + 1)
    })
  }
}

/** What an account begins with; its place among the others is given as it is added. */
const AT_FIRST = {
  mark: '',
  jsonByQuery: false,
  dataTypeSpelling: USUAL_DATA_TYPE_SPELLING,
  folders: USUAL_FOLDERS,
  position: 0
} as const
/** What only the keychain has of an account, by how it signs in. */
const NOT_HERE: Record<AuthScheme, string> = {
  none: 'This account’s sign-in isn’t on this computer.',
  'api-key': 'This account’s API key isn’t on this computer.',
  bearer: 'This account’s token isn’t on this computer.',
  basic: 'This account’s password isn’t on this computer.',
  headers: 'This account’s headers aren’t on this computer.',
  oauth: 'This account’s sign-in isn’t on this computer.'
}
const NOT_THIS_WAY = 'Your organisation doesn’t allow this account’s sign-in method.'
const ASK_ADMINISTRATOR = 'Choose another in Settings → Accounts, or ask your administrator.'
const ENROLLED = 'This account came with an enrolment file itself, so it can’t be put into another.'
const MARK_TAKEN = 'Another account has this mark. Choose different letters.'
const NAME_TAKEN = 'Another account has this name. Choose a different one.'
const CREDENTIALS_AGAIN = 'This is another service’s address. Enter its key or token too.'
const HAS_HOLDS = 'Documents of this account are on hold.'
const HOLDS_SENDS = 'This account still has packages in its Outbox. Send or cancel them first.'
const HOLDS_ACTIONS = 'This account still has unfinished changes to documents. Finish or cancel them in Activity first.'
const HOLDS_ACTIONS_FOR =
  'Unfinished changes to documents are meant for the current address. Finish or cancel them in Activity first.'
const UNSETTLED_ACTIONS =
  'Some changes to documents aren’t confirmed yet, so the address, key and token can’t be changed. See Activity.'
const UNSETTLED = 'Some packages aren’t confirmed yet, so the address, key and token can’t be changed. See the Outbox.'
