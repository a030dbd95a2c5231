/** Every request: its name, what it carries and what it answers. Inputs are decoded in the main process by these schemas; nothing else is let in. */
import { z } from 'zod'
import { appointmentRequests } from './appointments.ts'
import { backupRequests, MOST_PASSPHRASE, newPassphrase, recoveryRequests, removalRequests } from './backups.ts'
import { composingRequests } from './composing-requests.ts'
import { counterRequests } from './counter-requests.ts'
import { documentColumns } from './document-query.ts'
import { documentRequests } from './document-requests.ts'
import { downloadRequests, pdfRequests } from './downloads.ts'
import { identityRequests } from './identity.ts'
import { officeRequests } from './office.ts'
import { policyRequests } from './policy.ts'
import { practiceDay } from './practice-day.ts'
import { answers, byId, id, nothing, type Request } from './request.ts'
import { retentionRequests } from './retention.ts'
import { settingsFileRequests } from './settings-file.ts'
import { supportRequests } from './support.ts'
import { updateRequests } from './updates.ts'
import type {
  AccountMay,
  AccountRights,
  AccountView,
  BackupContents,
  ChosenBackup,
  ChosenEnrolment,
  ClientCertificate,
  ConnectionView,
  CopyView,
  Fetched,
  ProxyView,
  RecipientView,
  SavedFile,
  SettingsView,
  SystemStatus,
  TemplateView
} from './views.ts'
import { ACCOUNT_COLOURS, ACCOUNT_MARK, DATA_TYPE_SPELLINGS } from './views.ts'

const secret = z.string().min(1).max(10_000)

const apiKey = {
  key: secret,
  secret,
  /** The access URL registered for the key; sent as Referer. */
  referer: z.string().trim().min(1).max(2000),
  /** Send on behalf of this user's e-mail address. */
  sender: z.string().trim().max(320).optional()
}

const signInUrl = z.string().trim().min(1).max(2000)

/** What an office is known by at its sign-in service; never a token. */
const oauth = z.strictObject({
  scheme: z.literal('oauth'),
  /** code: a person signs in with the browser. client: by the client's own secret. */
  grant: z.enum(['code', 'client']),
  clientId: z.string().trim().min(1).max(1000),
  secret: secret.optional(),
  /** From it the other addresses are found. Absent: they are typed. */
  issuer: signInUrl.optional(),
  authorizeUrl: signInUrl.optional(),
  tokenUrl: signInUrl.optional(),
  revokeUrl: signInUrl.optional(),
  scope: z.string().trim().max(1000).optional(),
  apiKey: z.strictObject(apiKey).optional(),
  /** Which sign-in of `accounts.signIn` is meant; of a code always. */
  signIn: id.optional()
})

const authentication = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.literal('api-key'), ...apiKey }),
  /** Beside the token go the headers of a key, where the service wants both. */
  z.strictObject({ scheme: z.literal('bearer'), token: secret, apiKey: z.strictObject(apiKey).optional() }),
  z.strictObject({ scheme: z.literal('basic'), user: z.string().trim().min(1).max(320), password: secret }),
  /** Headers of the office's own, whose values are secrets. */
  z.strictObject({
    scheme: z.literal('headers'),
    headers: z
      .array(z.strictObject({ name: z.string().trim().min(1).max(100), value: secret }))
      .min(1)
      .max(10)
      .readonly()
  }),
  oauth
])

/** Of an account that is there: without the key, what is left out of the api-key's members stays as it is kept. */
const changedAuthentication = z.discriminatedUnion('scheme', [
  authentication.options[0],
  authentication.options[1].partial({ key: true, secret: true, referer: true }),
  authentication.options[2],
  authentication.options[3],
  authentication.options[4],
  authentication.options[5]
])

const name = z.string().trim().min(1).max(100)
const shownText = z.string().max(1000)
/** Of the system's store; null for none. What is left out stays. */
const certificate = z
  .strictObject({ fingerprint: z.string().min(1).max(200), subject: shownText, issuer: shownText })
  .nullable()
const serviceAccount = z.strictObject({
  name,
  certificate: certificate.optional(),
  baseUrl: z.string().trim().min(1).max(2000),
  authentication,
  dataTypeSpelling: z.enum(DATA_TYPE_SPELLINGS).optional()
})
const folders = z.array(z.string().trim().min(1).max(200)).min(1).max(20)
const NewAccount = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('practice'), name }),
  serviceAccount.extend({ kind: z.literal('service') })
])

const enrolmentCode = z.string().min(1).max(200)

export const requests = {
  'accounts.list': answers<AccountView[]>()(nothing),
  /** Changes a service account; without `authentication` its secrets stay as they are. */
  'accounts.update': answers<AccountView>()(
    serviceAccount.extend({
      id,
      authentication: changedAuthentication.optional(),
      /** The names of its folders, as they stand in the path of GetActiveDocuments. */
      folders: folders.optional()
    })
  ),
  /** Adds and chooses the account; a practice account starts the practice service. */
  'accounts.add': answers<AccountView>()(NewAccount),
  /** Gives an account its mark, blank for that of its name, and its colour; what is left out stays. */
  'accounts.mark': answers<AccountView>()(
    byId.extend({
      mark: z.string().trim().normalize('NFC').regex(ACCOUNT_MARK).optional(),
      colour: z.enum(ACCOUNT_COLOURS).optional()
    })
  ),
  /** Lists accounts in this order from now on; those that it doesn't name come after them, as they were. */
  'accounts.order': answers<null>()(z.strictObject({ ids: z.array(id).max(1000) })),
  /** Shows this account alone. */
  'accounts.choose': answers<AccountView>()(byId),
  /** Shows all accounts; the chosen one stays the one that is worked in. */
  'accounts.showAll': answers<null>()(nothing),
  /** Works in this account from now on, and shows as many accounts as before. */
  'accounts.workIn': answers<AccountView>()(byId),
  /** Removes the account with its secret and everything kept of it on this machine, and ends its sign-in at the service where it can. */
  'accounts.remove': answers<{ signIn: 'ended' | 'still valid' }>()(byId),
  /**
   * Lets a person sign in with the system's browser, by a code. Answers an id for `authentication.signIn` once they have, within
   * five minutes; a second one gives the first up (`cancelled`).
   */
  'accounts.signIn': answers<{ signIn: string }>()(z.strictObject({ authentication: oauth.omit({ signIn: true }) })),
  /** The same for an account that is there; it goes on with that at once. */
  'accounts.signInAgain': answers<AccountView>()(byId),
  /** Gives up waiting for the browser. */
  'accounts.cancelSignIn': answers<null>()(nothing),
  /**
   * Asks the service that an account would have for what its folders hold, before anything is kept; with the `id` of an
   * account that is there and no `authentication`, by what is kept of that.
   */
  'accounts.try': answers<{ documents: number; missing: string[] }>()(
    z.strictObject({
      id: id.optional(),
      baseUrl: serviceAccount.shape.baseUrl,
      authentication: changedAuthentication.optional(),
      certificate: certificate.optional(),
      folders: folders.optional()
    })
  ),
  /** The certificates of the system's store that a service could be shown; none where it asks for none. It learns nothing else. */
  'accounts.certificates': answers<(ClientCertificate & { fingerprint: string })[]>()(
    z.strictObject({ baseUrl: serviceAccount.shape.baseUrl })
  ),
  /** Asks the service something harmless, to learn whether address and credentials work. */
  'accounts.check': answers<{
    /** Each of the account's folders with the documents in it; null where the service has no such folder. */
    folders: { name: string; documents: number | null }[]
    may: AccountMay
    /** How far this computer's clock is ahead of the service's; negative: behind. Absent where it is right, or not known. */
    clockAheadMinutes?: number
    /** The organisation's own certificate authority that vouched for the service, where the system's didn't; until when, as milliseconds. */
    vouchedBy?: { name: string; validTo: number }
  }>()(byId),
  /** Asks again what the service says of the chosen account's limits, where that is some minutes old; `accounts.changed` tells. */
  'accounts.refreshLimits': answers<null>()(nothing),
  /** Opens the practice office's mailbox, with every invitation that waits, in the browser. Of another account: `not-allowed`. */
  'accounts.openMailbox': answers<null>()(byId),
  /** The practice office answers so from now on, until it is told otherwise or Countersign quits. Of another account: `not-allowed`. */
  'accounts.setPracticeDay': answers<AccountView>()(z.strictObject({ id, day: practiceDay })),
  'accounts.connection': answers<ConnectionView>()(nothing),
  /** What is known of what the service lets this account do. */
  'accounts.rights': answers<AccountRights>()(nothing),
  /**
   * Says whether signed documents of an account may be saved. To allow it, one must have been looked at since the
   * application was started, and from then on they may come from where that one came.
   */
  'accounts.allowSigned': answers<AccountView>()(byId.extend({ allow: z.boolean() })),

  /**
   * Writes an account with its secret into a file where the person says, under a code that the page made; null where they thought
   * better of it. The code is kept nowhere.
   */
  'enrolment.prepare': answers<(SavedFile & { validUntil: number }) | null>()(
    byId.extend({ code: enrolmentCode, days: z.number().int().min(1).max(90) })
  ),
  /** A person chooses an enrolment file; it is open until another is chosen or it is left. */
  'enrolment.choose': answers<ChosenEnrolment | null>()(nothing),
  /** Tries its account, and keeps it if it works. */
  'enrolment.enrol': answers<{ id: string; name: string }>()(byId.extend({ code: enrolmentCode })),
  'enrolment.leave': answers<null>()(nothing),

  'templates.list': answers<Fetched<TemplateView>>()(z.strictObject({ refresh: z.boolean() })),
  'recipients.list': answers<Fetched<RecipientView>>()(z.strictObject({ refresh: z.boolean() })),

  ...composingRequests,

  ...documentRequests,

  ...downloadRequests,
  ...pdfRequests,

  ...identityRequests,

  ...counterRequests,

  ...appointmentRequests,

  /**
   * Looks once more whether the database can be opened that is here, and starts the application again if so. Refused with `keychain`
   * where the keychain still has no key for it.
   */
  'storage.tryAgain': answers<null>()(nothing),
  /** The copies that may take the place of a database that can’t be opened, the newest first; none where it is open. */
  'storage.copies': answers<CopyView[]>()(nothing),
  /** Has one take the database’s place, which is set aside, and starts the application again. `bad-file`: the copy is damaged, too. */
  'storage.useCopy': answers<null>()(z.strictObject({ name: z.string().min(1).max(100) })),
  /** Sets the database aside whose key is lost, or that is of no use, and starts the application again with an empty one. */
  'storage.startEmpty': answers<null>()(nothing),
  /** A person has seen to what was set aside under this name: it is told no more. */
  'storage.settle': answers<null>()(z.strictObject({ name: z.string().min(1).max(100) })),
  /** Asks where it goes, and makes it; null where the person thought better of it. The passphrase is kept nowhere. */
  'storage.backUp': answers<{ name: string } | null>()(
    z.strictObject({ passphrase: newPassphrase, withSecrets: z.boolean() })
  ),
  /** Asks for a backup; it is open until another is chosen or it is left. */
  'storage.chooseBackup': answers<ChosenBackup | null>()(nothing),
  /** Writes it beside what is there and checks all of it. */
  'storage.checkBackup': answers<BackupContents>()(
    z.strictObject({ id, passphrase: z.string().min(1).max(MOST_PASSPHRASE) })
  ),
  /** Puts in place what was checked, and starts the application again. */
  'storage.restore': answers<null>()(byId),
  'storage.leaveBackup': answers<null>()(byId),
  ...backupRequests,
  ...recoveryRequests,
  ...removalRequests,
  ...supportRequests,
  ...officeRequests,
  ...policyRequests,
  ...updateRequests,
  ...retentionRequests,
  ...settingsFileRequests,

  'settings.get': answers<SettingsView>()(nothing),
  'settings.set': answers<SettingsView>()(
    z.strictObject({
      theme: z.enum(['system', 'light', 'dark']).optional(),
      zoom: z.number().min(0.5).max(3).optional(),
      /** null: as they are until a person changes them. */
      documentColumns: documentColumns.nullable().optional(),
      countryCode: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional(),
      startAtLogin: z.boolean().optional(),
      /** null: the news of this version were read or dismissed. */
      news: z.null().optional()
    })
  ),
  /** Where one is, for the next start: without what was searched for. */
  /** The proxy that waits for a sign-in; `proxy.changed` tells. */
  'system.proxy': answers<ProxyView | null>()(nothing),
  /** Signs in to it. `not-allowed` where none waits any more; `keychain` where it holds only until Countersign ends. */
  'system.signInToProxy': answers<null>()(
    z.strictObject({ user: z.string().trim().min(1).max(320), password: z.string().min(1).max(1000) })
  ),
  'system.keepPlace': answers<null>()(
    z.strictObject({
      place: z
        .string()
        .max(1000)
        .regex(/^#\/[\w\-.~%/?=&+]*$/)
    })
  ),
  'system.status': answers<SystemStatus>()(nothing),
  /** Shows the folder in which this computer's data are kept, in the system's own window. */
  'system.showData': answers<null>()(nothing),
  /** Puts text on the clipboard; what is personal is kept in no history of the clipboard and sent to no other computer. */
  'system.copy': answers<null>()(z.strictObject({ text: z.string().max(100_000), isPersonal: z.boolean().optional() })),
  /** Puts text on the clipboard that goes from there by itself, where it is still there: after so many milliseconds. */
  'system.copyBriefly': answers<{ clearsAfter: number }>()(z.strictObject({ text: z.string().min(1).max(2000) })),
  /** Answers `window.closing`: whether everything that was typed is kept. Where it isn't, the person is asked. */
  'system.readyToClose': answers<null>()(z.strictObject({ kept: z.boolean() }))
} satisfies Record<`${string}.${string}`, Request>

export type Requests = typeof requests
export type RequestName = keyof Requests
export const requestNames = Object.keys(requests) as readonly RequestName[]
export type Input<Name extends RequestName> = z.input<Requests[Name]['input']>
export type DecodedInput<Name extends RequestName> = z.output<Requests[Name]['input']>
export type Reply<Name extends RequestName> = Exclude<Requests[Name]['reply'], undefined>

/**
 * What the page on the second display may ask, where a person signs: to be shown their session and to act on it. Anything
 * else is the office's.
 */
export const personRequestNames = [
  'counter.state',
  'counter.begin',
  'counter.show',
  'counter.cover',
  'counter.resume',
  'counter.allowCamera',
  'counter.giveFile',
  'counter.finish',
  'counter.next',
  'counter.retry',
  'counter.zoom',
  'counter.adjust',
  'counter.touched',
  'counter.unlock',
  'counter.staff',
  'counter.receipt',
  'counter.idleScreen',
  'counter.idlePicture',
  'settings.get'
] as const satisfies readonly RequestName[]

/**
 * What the office's own window may ask while a person has it, or it is locked: what the person does and staff does with their
 * PIN, and what keeps what was typed before. Anything else waits until staff has the screen again, but for a second session,
 * which is refused.
 */
export const handedOverRequestNames = [
  ...personRequestNames,
  'counter.start',
  'counter.pin',
  'counter.setPin',
  'counter.resetPin',
  'counter.lock',
  'counter.unlockOffice',
  'drafts.save',
  'system.readyToClose'
] as const satisfies readonly RequestName[]
