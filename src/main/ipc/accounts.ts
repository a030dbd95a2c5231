/**
 * Requests about accounts and about what is known of the chosen one's service. Secrets come in here, but never go out.
 */
import type {
  AccountLimits,
  AccountPermissions,
  AccountRights,
  AccountView,
  ConnectionView
} from '../../shared/contract/index.ts'
import { isUsual, type PracticeDay } from '../../shared/contract/practice-day.ts'
import type { AccountInfo } from '../../shared/model/index.ts'
import type { Account } from '../core/accounts/account.ts'
import type { AccountChanges } from '../core/accounts/accounts.ts'
import type { BrowserSignIn, TypedChange } from '../core/accounts/browser-sign-in.ts'
import type { ChosenCertificate, ClientCertificates } from '../core/accounts/client-certificates.ts'
import type { CredentialsChange, CredentialsInput } from '../core/accounts/credentials.ts'
import type { Tokens } from '../core/accounts/oauth-tokens.ts'
import type { Rights } from '../core/accounts/rights.ts'
import type { AuditNote, NoteInAudit } from '../core/audit/audit.ts'
import type { PdfPreviews } from '../core/downloads/pdf-preview.ts'
import { PRACTICE_PRESET } from '../core/drafts/practice-preset.ts'
import { withCheckingMessages, withConnectingMessages } from '../core/errors/connecting.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import type { OwnAuthorities } from '../core/service/own-authorities.ts'
import { chosenId, shownIds } from './covered-accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface AccountParts extends Pick<Parts, 'accounts' | 'clients' | 'facts' | 'lists' | 'presets' | 'polling'> {
  /** The practice service: `start` makes sure that it runs; calls reject with AppFailure if it can't. */
  practice: {
    start: () => Promise<void>
    day: () => PracticeDay
    setDay: (day: PracticeDay) => Promise<void>
    mailbox: () => Promise<string>
  }
  browserSignIn: BrowserSignIn
  openInBrowser: (url: string, accountId: string) => Promise<void>
  certificates: ClientCertificates
  /** Makes one anonymous request to a service, over a separate connection. */
  requestOnce: (url: string) => Promise<void>
  /** What accounts may do beyond the reference. */
  rights: Rights
  /** Which of the organisation's certificate authorities vouches for a service. */
  authorities: Pick<OwnAuthorities, 'voucherFor'>
  /** The origin of the signed document that was viewed last. */
  signedPreviews: Pick<PdfPreviews, 'signedFrom' | 'forgetSigned'>
  /** Removes an account while none of its downloads is running. */
  withDownloadsStopped: (id: string, remove: () => Promise<void>) => Promise<void>
  /** Records changes of where documents and secrets go in the audit trail. */
  note: NoteInAudit
  /** Ends what belongs to the previously chosen account. */
  leaveAccount: () => Promise<void>
  changed: () => void
}

export function accountHandlers(parts: AccountParts): HandlersOf<'accounts' | 'templates' | 'recipients'> {
  const { accounts, browserSignIn, certificates, clients, facts, lists, practice, rights, polling } = parts

  async function view(account: Account, forNewPackages = accounts.forNewPackages()): Promise<AccountView> {
    const { id, name, kind, scheme, colour, dataTypeSpelling } = account
    const mark = accounts.marks().get(id) ?? ''
    const { formsBy, info } = facts.of(id)
    const { signedDocuments, signedFrom } = rights.of(id)
    const certificate = certificates.of(id, account.baseUrl)
    const secret = await accounts.secretFacts(id)
    return {
      id,
      name,
      kind,
      scheme,
      colour,
      mark,
      dataTypeSpelling,
      ...(account.mark && { hasOwnMark: true as const }),
      baseUrl: account.baseUrl ?? '',
      folders: [...account.folders],
      chosen: accounts.chosen()?.id === id,
      shown: accounts.shownIds().includes(id),
      ...(forNewPackages === id && { beginsPackages: true as const }),
      limits: limitsOf(info),
      savesSigned: signedDocuments,
      signedFrom,
      ...(certificate && { certificate: { subject: certificate.subject, issuer: certificate.issuer } }),
      ...(formsBy && { formsBy }),
      ...(kind === 'practice' && !isUsual(practice.day()) && { day: practice.day() }),
      hasSecret: secret.state !== 'missing',
      ...(secret.isEnrolled && { isEnrolled: true as const }),
      ...(clients.isSignedOut(id) && { waitsForSignIn: true as const })
    }
  }

  /** Changes of practice accounts affect no real documents or secrets. */
  function note(what: AuditNote['what'], { kind, name: account }: Account, detail: Record<string, string> = {}): void {
    if (kind === 'service') parts.note({ what, detail: { account, ...detail } })
  }

  /** The latest request wins, however long the practice office takes to start for an earlier one. */
  let choices = 0
  async function choose(id: string, showsAll: boolean): Promise<AccountView> {
    const choice = ++choices
    const chosen = accounts.get(id)
    if (accounts.chosen()?.id !== id) await parts.leaveAccount()
    const shown = showsAll ? accounts.list() : [chosen]
    if (shown.some(({ kind }) => kind === 'practice')) await practice.start()
    if (choice !== choices) return view(accounts.get(id))
    accounts.choose(id)
    accounts.showAll(showsAll)
    for (const one of shown) polling.soon(one.id)
    parts.changed()
    return view(accounts.get(id))
  }

  /** Discards what was learned about an account's service when the service or user changes. */
  function forgetService(id: string, isSameService: boolean): void {
    facts.forget(id)
    lists.forget(id)
    rights.forget(id, isSameService)
    if (!isSameService) parts.signedPreviews.forgetSigned(id)
  }

  async function update(
    id: string,
    changes: AccountChanges,
    certificate?: ChosenCertificate | null
  ): Promise<AccountView> {
    const isRefused = polling.connectionOf(id).state === 'refused' || clients.isSignedOut(id)
    const before = accounts.get(id)
    if (certificate)
      certificates.checkChoice(accounts.normaliseAddress(changes.baseUrl ?? before.baseUrl ?? ''), certificate, id)
    const replacesSignIn = changes.authentication !== undefined && !clients.isSignedOut(id)
    const endSignIn = replacesSignIn ? await clients.prepareRevocation(id) : undefined
    const account = await accounts
      .update(id, changes, isRefused ? 'refused' : 'not refused')
      .catch((error: unknown) => {
        // One that was opened meanwhile may have the new credentials, which weren't kept.
        clients.forget(id)
        throw error
      })
    // Revokes the replaced sign-in without waiting; it would soon expire anyway.
    void endSignIn?.()
    if (certificate !== undefined) certificates.store(id, account.baseUrl, certificate)
    const secrets = {
      hasNewSecrets: changes.authentication !== undefined,
      hasOtherCertificate: certificate !== undefined
    }
    note('account-changed', account, describeChanges(before, account, secrets))
    clients.forget(id)
    const isSameService = account.baseUrl === before.baseUrl
    if (!isSameService || changes.authentication) forgetService(id, isSameService)
    polling.accountChanged(id, isSameService ? 'the same service' : 'another service')
    parts.changed()
    return view(account)
  }

  /** The typed credentials, with the tokens of the sign-in that they name. */
  function asTyped(authentication: TypedChange): { signIn?: string | undefined; typed: CredentialsChange } {
    return { signIn: authentication.signIn, typed: browserSignIn.withTokens(authentication) }
  }

  return {
    'accounts.list': () => {
      const forNewPackages = accounts.forNewPackages()
      return Promise.all(accounts.list().map((account) => view(account, forNewPackages)))
    },

    'accounts.add': async (input) => {
      if (input.kind === 'practice') await practice.start()
      const { signIn, typed } = input.kind === 'service' ? asTyped(input.authentication) : {}
      const authentication = typed as CredentialsInput
      const { certificate } = input.kind === 'service' ? input : {}
      if (certificate && input.kind === 'service')
        certificates.checkChoice(accounts.normaliseAddress(input.baseUrl), certificate)
      const account = await accounts.add(input.kind === 'service' ? { ...input, authentication } : input)
      if (certificate) certificates.store(account.id, account.baseUrl, certificate)
      browserSignIn.discard(signIn)
      note('account-added', account, { address: account.baseUrl ?? '' })
      if (account.kind === 'practice') parts.presets.save(account.id, PRACTICE_PRESET.name, PRACTICE_PRESET.composition)
      return choose(account.id, false)
    },

    'accounts.update': async ({ id, authentication, certificate, ...changes }) => {
      const { signIn, typed } = authentication ? asTyped(authentication) : {}
      const account = await update(id, { ...changes, ...(typed && { authentication: typed }) }, certificate)
      browserSignIn.discard(signIn)
      return account
    },

    'accounts.signIn': async ({ authentication }) => ({ signIn: await browserSignIn.begin(authentication) }),
    'accounts.signInAgain': async ({ id }) => {
      const { baseUrl } = accounts.get(id)
      const number = accounts.credentialsRevision(id)
      const kept = await accounts.credentialsOf(id)
      if (kept.scheme !== 'oauth' || kept.grant !== 'code')
        fail('not-allowed', 'This account doesn’t sign in with a browser.')
      const authentication = await browserSignIn.signIn(kept)
      // Signing in takes minutes: credentials entered meanwhile take precedence, and tokens mustn't go to another
      // service.
      const isUnchanged = () =>
        accounts.list().some((account) => account.id === id && account.baseUrl === baseUrl) &&
        accounts.credentialsRevision(id) === number
      const isWanted = isUnchanged()
      try {
        if (!isWanted) fail('cancelled', 'Sign-in was cancelled.')
        return await update(id, { authentication })
      } catch (error) {
        const isStored = isWanted && !isUnchanged()
        if (!isStored) void browserSignIn.abandon(authentication)
        throw error
      }
    },
    'accounts.cancelSignIn': async () => browserSignIn.cancel(),

    'accounts.mark': async ({ id, ...appearance }) => {
      const account = accounts.mark(id, appearance)
      parts.changed()
      return view(account)
    },
    'accounts.order': async ({ ids }) => {
      accounts.reorder(ids)
      parts.changed()
    },
    'accounts.choose': ({ id }) => choose(id, false),
    'accounts.showAll': async () => void (await choose(chosenId(accounts), true)),
    'accounts.workIn': ({ id }) => choose(id, accounts.shownIds().length > 1),

    'accounts.remove': async ({ id }) => {
      const wasChosen = accounts.chosen()?.id === id
      const account = accounts.get(id)
      const hadCertificate = certificates.of(id, account.baseUrl) !== undefined
      const endSignIn = await clients.prepareRevocation(id)
      await parts.withDownloadsStopped(id, () => accounts.remove(id))
      note('account-removed', account, { address: account.baseUrl ?? '' })
      if (wasChosen) await parts.leaveAccount()
      clients.forget(id)
      // Another account of this service would go on showing it.
      if (hadCertificate) certificates.store(id, account.baseUrl, null)
      forgetService(id, false)
      // If its documents can't be erased, the next start erases them. All else is done, as nobody could ask again.
      const [erasing] = await Promise.allSettled([polling.accountRemoved(id)])
      const next = accounts.chosen()
      if (wasChosen && next) polling.soon(next.id)
      parts.changed()
      const isEnded = await endSignIn()
      if (erasing.status === 'rejected') throw erasing.reason
      return { signIn: isEnded ? 'ended' : 'still valid' }
    },

    'accounts.certificates': async ({ baseUrl }) => {
      const address = accounts.normaliseAddress(baseUrl)
      return [...(await certificates.listOffered(address, () => parts.requestOnce(address)))]
    },
    'accounts.try': async ({ authentication, certificate, ...tried }) => {
      const { signIn, typed } = authentication ? asTyped(authentication) : {}
      const storeTokens = (tokens: Tokens) => browserSignIn.storeRenewed(signIn, tokens)
      if (certificate) certificates.checkChoice(accounts.normaliseAddress(tried.baseUrl), certificate, tried.id)
      const attempt = () => clients.test({ ...tried, authentication: typed, storeTokens })
      return withConnectingMessages(certificates.withCertificate(tried.baseUrl, certificate, attempt), typed?.scheme)
    },
    'accounts.check': async ({ id }) => {
      const folders = await withCheckingMessages(polling.check(id), accounts.get(id).scheme)
      const { info } = await clients.of(id).then((client) => facts.limits(id, client))
      const minutes = Math.round((clients.clockAhead(id) ?? 0) / 60_000)
      const vouchedBy = parts.authorities.voucherFor(accounts.get(id).baseUrl ?? '')
      return {
        folders,
        may: permissionsOf(info, rights.of(id)),
        ...(vouchedBy && { vouchedBy }),
        ...(Math.abs(minutes) >= CLOCK_OFF && { clockAheadMinutes: minutes })
      }
    },

    'accounts.refreshLimits': async () => {
      const id = chosenId(accounts)
      await facts.limits(id, await clients.of(id))
    },
    'accounts.openMailbox': async ({ id }) => {
      if (accounts.get(id).kind !== 'practice') fail('not-allowed', 'Only the practice office has a mailbox.')
      await parts.openInBrowser(await practice.mailbox(), id)
    },

    'accounts.setPracticeDay': async ({ id, day }) => {
      if (accounts.get(id).kind !== 'practice') fail('not-allowed', 'Only the practice office can simulate problems.')
      await practice.setDay(day)
      for (const { id: one, kind } of accounts.list()) {
        if (kind !== 'practice') continue
        forgetService(one, true)
        polling.accountChanged(one, 'the same service')
      }
      parts.changed()
      const limits = clients.of(id).then((client) => facts.limits(id, client))
      limits.catch(() => undefined)
      return view(accounts.get(id))
    },
    'accounts.connection': async () => combinedConnection(accounts.chosen() ? shownIds(accounts) : [], polling),
    'accounts.rights': async () => rights.of(accounts.chosen() ? chosenId(accounts) : ''),
    'accounts.allowSigned': async ({ id, allow }) => {
      const { signedFrom } = rights.of(id)
      const from = allow ? parts.signedPreviews.signedFrom(id) : undefined
      rights.learn(id, {
        signedDocuments: allow ? 'yes' : 'no',
        // Once revoked, permission isn't restored by viewing another document.
        signedFrom: allow ? [...new Set([...signedFrom, ...(from ? [from] : [])])] : []
      })
      const account = accounts.get(id)
      note('account-changed', account, {
        changed: `signed documents ${allow ? 'may' : 'may not'} be saved`,
        origin: from ?? ''
      })
      parts.changed()
      return view(account)
    },

    'templates.list': (demand) => lists.templates(chosenId(accounts), demand),
    'recipients.list': (demand) => lists.recipients(chosenId(accounts), demand)
  }
}

/**
 * Minutes of clock difference that are reported. Services accept signatures that are a few minutes old, so this warns
 * in time.
 */
const CLOCK_OFF = 2

/** `MaxDueDate` and `DefaultDueDate` may be days or a date; only days apply to every package. */
function limitsOf(info: AccountInfo | undefined): AccountLimits {
  return defined({
    documentsLeft: info?.DocumentLeft,
    maxDueDays: daysIn(info?.MaxDueDate),
    defaultDueDays: daysIn(info?.DefaultDueDate),
    faceToFace: info?.EnabledFaceToFaceSigning,
    dateFormat: info?.DateFormat
  })
}

function daysIn(value: AccountInfo['MaxDueDate']): number | undefined {
  const days = Number(value)
  return Number.isInteger(days) && days > 0 ? days : undefined
}

/** Combines the accounts' connections: refused if any account is, but offline only if all are. */
export function combinedConnection(
  ids: readonly string[],
  { connectionOf }: Pick<Parts['polling'], 'connectionOf'>
): ConnectionView {
  const all = ids.map((accountId) => ({ accountId, connection: connectionOf(accountId) }))
  const inState = (state: ConnectionView['state']) => all.filter(({ connection }) => connection.state === state)
  const refused = inState('refused')
  if (refused[0]) {
    const notAccepted = refused.map(({ accountId, connection: { error } }) => ({ accountId, ...defined({ error }) }))
    return { ...refused[0].connection, notAccepted }
  }
  const offline = inState('offline')
  const [first] = offline.length === all.length ? offline : [...inState('online'), ...inState('unknown')]
  // With no accounts, there is no state.
  return first?.connection ?? { state: 'unknown', since: 0 }
}

/** Requests about employers and the forms known to the office. */
export function directoryHandlers({
  accounts,
  employers,
  forms
}: Pick<Parts, 'accounts' | 'employers' | 'forms'>): HandlersOf<'employers' | 'forms'> {
  return {
    'employers.list': (demand) => employers.list(chosenId(accounts), demand),
    'employers.save': ({ records }) => employers.save(chosenId(accounts), records),
    'forms.known': () => forms.list(chosenId(accounts)),
    'forms.recentTemplates': async () => forms.recentTemplates(chosenId(accounts))
  }
}

/** Describes an account's change for the audit trail; for secrets, only that they changed. */
function describeChanges(
  before: Account,
  after: Account,
  { hasNewSecrets, hasOtherCertificate }: { hasNewSecrets: boolean; hasOtherCertificate: boolean }
): Record<string, string> {
  const changed = [
    before.name !== after.name && 'name',
    before.baseUrl !== after.baseUrl && 'address',
    hasNewSecrets && 'sign-in',
    hasOtherCertificate && 'client certificate',
    before.folders.join('\n') !== after.folders.join('\n') && 'folders',
    before.dataTypeSpelling !== after.dataTypeSpelling && 'spelling of data types'
  ]
  return {
    changed: changed.filter(Boolean).join(', ') || 'nothing',
    ...(before.name !== after.name && { before: before.name }),
    address: before.baseUrl === after.baseUrl ? '' : `${before.baseUrl} → ${after.baseUrl}`
  }
}

/** What is known about the sign-in's permissions. */
function permissionsOf(
  info: AccountInfo | undefined,
  { reminders, readsEmployers }: AccountRights
): AccountPermissions {
  const toBoolean = (right: AccountRights['reminders']) => (right === 'unknown' ? undefined : right === 'yes')
  return defined({
    administrate: info?.IsAdmin,
    faceToFace: info?.EnabledFaceToFaceSigning,
    video: info?.EnabledVideoConfirmation,
    remind: toBoolean(reminders),
    readEmployers: toBoolean(readsEmployers)
  })
}
