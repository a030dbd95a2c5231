/**
 * Every request: name, input and reply. The main process decodes inputs with these schemas and lets nothing else in.
 */
import { z } from 'zod'
import { appointmentRequests } from './appointments.ts'
import { backupRequests, MAX_PASSPHRASE_LENGTH, newPassphrase, recoveryRequests, removalRequests } from './backups.ts'
import { composingRequests } from './composing-requests.ts'
import { counterRequests } from './counter-requests.ts'
import { documentColumns } from './document-query.ts'
import { documentRequests } from './document-requests.ts'
import { downloadRequests, pdfRequests } from './downloads.ts'
import { identityRequests } from './identity.ts'
import { officeRequests } from './office.ts'
import { policyRequests } from './policy.ts'
import { practiceDay } from './practice-day.ts'
import { answers, byId, id, noInput, type Request } from './request.ts'
import { retentionRequests } from './retention.ts'
import { settingsFileRequests } from './settings-file.ts'
import { supportRequests } from './support.ts'
import { updateRequests } from './updates.ts'
import type {
  AccountPermissions,
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
  /** Sends on behalf of the user with this e-mail address. */
  sender: z.string().trim().max(320).optional()
}

const signInUrl = z.string().trim().min(1).max(2000)

/** An office's registration at its sign-in service; never a token. */
const oauth = z.strictObject({
  scheme: z.literal('oauth'),
  /** code: a person signs in with the browser. client: the client signs in with its own secret. */
  grant: z.enum(['code', 'client']),
  clientId: z.string().trim().min(1).max(1000),
  secret: secret.optional(),
  /** The other addresses are discovered from it. If absent, they are entered by hand. */
  issuer: signInUrl.optional(),
  authorizeUrl: signInUrl.optional(),
  tokenUrl: signInUrl.optional(),
  revokeUrl: signInUrl.optional(),
  scope: z.string().trim().max(1000).optional(),
  apiKey: z.strictObject(apiKey).optional(),
  /** The `accounts.signIn` result to use; always set for the `code` grant. */
  signIn: id.optional()
})

const authentication = z.discriminatedUnion('scheme', [
  z.strictObject({ scheme: z.literal('none') }),
  z.strictObject({ scheme: z.literal('api-key'), ...apiKey }),
  /** An API key's headers are sent along with the token if the service requires both. */
  z.strictObject({ scheme: z.literal('bearer'), token: secret, apiKey: z.strictObject(apiKey).optional() }),
  z.strictObject({ scheme: z.literal('basic'), user: z.string().trim().min(1).max(320), password: secret }),
  /** Custom headers, whose values are secrets. */
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

/** The sign-in of an existing account: any part of the api-key scheme that is left out keeps its stored value. */
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
/** A certificate from the system's store; null for none. Unchanged if left out. */
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
  'accounts.list': answers<AccountView[]>()(noInput),
  /** Changes a service account. Without `authentication` its secrets stay as they are. */
  'accounts.update': answers<AccountView>()(
    serviceAccount.extend({
      id,
      authentication: changedAuthentication.optional(),
      /** The names of its folders, as used in the path of GetActiveDocuments. */
      folders: folders.optional()
    })
  ),
  /** Adds an account and makes it the current one. A practice account starts the practice service. */
  'accounts.add': answers<AccountView>()(NewAccount),
  /** Sets an account's mark and colour. A blank mark is derived from the name; what is left out stays unchanged. */
  'accounts.mark': answers<AccountView>()(
    byId.extend({
      mark: z.string().trim().normalize('NFC').regex(ACCOUNT_MARK).optional(),
      colour: z.enum(ACCOUNT_COLOURS).optional()
    })
  ),
  /** Sets the order of accounts. Accounts not listed follow in their present order. */
  'accounts.order': answers<null>()(z.strictObject({ ids: z.array(id).max(1000) })),
  /** Makes this the current account, and the only one shown. */
  'accounts.choose': answers<AccountView>()(byId),
  /** Shows all accounts. The current account stays the same. */
  'accounts.showAll': answers<null>()(noInput),
  /** Makes this the current account. Whether one or all accounts are shown stays the same. */
  'accounts.workIn': answers<AccountView>()(byId),
  /**
   * Removes the account with its secret and all its data on this computer, and ends its sign-in at the service if
   * possible.
   */
  'accounts.remove': answers<{ signIn: 'ended' | 'still valid' }>()(byId),
  /**
   * Has a person sign in with the system's browser (code grant). Once they have, returns an id for
   * `authentication.signIn`. Times out after five minutes; starting another sign-in cancels this one (`cancelled`).
   */
  'accounts.signIn': answers<{ signIn: string }>()(z.strictObject({ authentication: oauth.omit({ signIn: true }) })),
  /** The same for an existing account, which uses the new sign-in at once. */
  'accounts.signInAgain': answers<AccountView>()(byId),
  /** Stops waiting for the browser. */
  'accounts.cancelSignIn': answers<null>()(noInput),
  /**
   * Reads the folders of a service before its account is saved. With the `id` of an existing account and no
   * `authentication`, uses the stored credentials.
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
  /**
   * Lists the certificates of the system's store that the service would accept; empty if it asks for none. The service
   * learns nothing else.
   */
  'accounts.certificates': answers<(ClientCertificate & { fingerprint: string })[]>()(
    z.strictObject({ baseUrl: serviceAccount.shape.baseUrl })
  ),
  /** Makes a harmless call to the service to check address and credentials. */
  'accounts.check': answers<{
    /** Each of the account's folders with its number of documents; null if the service has no such folder. */
    folders: { name: string; documents: number | null }[]
    may: AccountPermissions
    /**
     * How far this computer's clock is ahead of the service's; negative if behind. Absent if it is right, or unknown.
     */
    clockAheadMinutes?: number
    /**
     * The organisation's own certificate authority that vouched for the service because the system's didn't; `validTo`
     * in milliseconds since 1970 UTC.
     */
    vouchedBy?: { name: string; validTo: number }
  }>()(byId),
  /**
   * Asks the service for the current account's limits again if they are some minutes old; `accounts.changed` reports
   * the result.
   */
  'accounts.refreshLimits': answers<null>()(noInput),
  /**
   * Opens the practice office's mailbox, with all pending invitations, in the browser. `not-allowed` for other
   * accounts.
   */
  'accounts.openMailbox': answers<null>()(byId),
  /**
   * Sets how the practice office answers until it is changed again or Countersign quits. `not-allowed` for other
   * accounts.
   */
  'accounts.setPracticeDay': answers<AccountView>()(z.strictObject({ id, day: practiceDay })),
  'accounts.connection': answers<ConnectionView>()(noInput),
  /** What the service is known to let this account do. */
  'accounts.rights': answers<AccountRights>()(noInput),
  /**
   * Sets whether an account's signed documents may be saved. To allow it, a person must have viewed one since the
   * application started; its origin is then allowed as a source.
   */
  'accounts.allowSigned': answers<AccountView>()(byId.extend({ allow: z.boolean() })),

  /**
   * Saves an account with its secret to a file the person chooses, encrypted with a code made by the page; null if they
   * cancel. The code isn't stored anywhere.
   */
  'enrolment.prepare': answers<(SavedFile & { validUntil: number }) | null>()(
    byId.extend({ code: enrolmentCode, days: z.number().int().min(1).max(90) })
  ),
  /** Lets a person choose an enrolment file. It stays open until another is chosen or `enrolment.close`. */
  'enrolment.choose': answers<ChosenEnrolment | null>()(noInput),
  /** Tries the file's account, and saves it if it works. */
  'enrolment.enrol': answers<{ id: string; name: string }>()(byId.extend({ code: enrolmentCode })),
  'enrolment.close': answers<null>()(noInput),

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
   * Checks again whether the existing database can be opened, and restarts the application if so. Fails with `keychain`
   * if the keychain still has no key for it.
   */
  'storage.tryAgain': answers<null>()(noInput),
  /** Lists the copies that can replace a database that can't be opened, newest first; empty if the database is open. */
  'storage.copies': answers<CopyView[]>()(noInput),
  /**
   * Restarts the application, which then sets the database aside and puts a copy in its place; nothing happens if the
   * user stays. `bad-file`: the copy is damaged, too.
   */
  'storage.useCopy': answers<null>()(z.strictObject({ name: z.string().min(1).max(100) })),
  /** Sets aside a database whose key is lost or that can't be used, and restarts the application with an empty one. */
  'storage.startEmpty': answers<null>()(noInput),
  /** Marks what was set aside under this name as dealt with: it is no longer reported. */
  'storage.dismiss': answers<null>()(z.strictObject({ name: z.string().min(1).max(100) })),
  /** Asks for a location and makes a backup there; null if the person cancels. The passphrase isn't stored anywhere. */
  'storage.backUp': answers<{ name: string } | null>()(
    z.strictObject({ passphrase: newPassphrase, withSecrets: z.boolean() })
  ),
  /** Lets a person choose a backup. It stays open until another is chosen or `storage.closeBackup`. */
  'storage.chooseBackup': answers<ChosenBackup | null>()(noInput),
  /** Unpacks the backup next to the present data and checks all of it. */
  'storage.checkBackup': answers<BackupContents>()(
    z.strictObject({ id, passphrase: z.string().min(1).max(MAX_PASSPHRASE_LENGTH) })
  ),
  /**
   * Restarts the application, which then replaces the present data with the checked backup; nothing happens if the user
   * stays.
   */
  'storage.restore': answers<null>()(byId),
  'storage.closeBackup': answers<null>()(byId),
  ...backupRequests,
  ...recoveryRequests,
  ...removalRequests,
  ...supportRequests,
  ...officeRequests,
  ...policyRequests,
  ...updateRequests,
  ...retentionRequests,
  ...settingsFileRequests,

  'settings.get': answers<SettingsView>()(noInput),
  'settings.set': answers<SettingsView>()(
    z.strictObject({
      theme: z.enum(['system', 'light', 'dark']).optional(),
      zoom: z.number().min(0.5).max(3).optional(),
      /** null: the default columns until a person changes them. */
      documentColumns: documentColumns.nullable().optional(),
      countryCode: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional(),
      startAtLogin: z.boolean().optional(),
      /** null: the news of this version was read or dismissed. */
      news: z.null().optional()
    })
  ),
  /** The proxy that is waiting for a sign-in; `proxy.changed` reports changes. */
  'system.proxy': answers<ProxyView | null>()(noInput),
  /**
   * Signs in to the proxy. `not-allowed` if none is waiting any more; `keychain` if the sign-in is only valid until
   * Countersign quits.
   */
  'system.signInToProxy': answers<null>()(
    z.strictObject({ user: z.string().trim().min(1).max(320), password: z.string().min(1).max(1000) })
  ),
  /** Stores the current location for the next start, without the search text. */
  'system.keepPlace': answers<null>()(
    z.strictObject({
      place: z
        .string()
        .max(1000)
        .regex(/^#\/[\w\-.~%/?=&+]*$/)
    })
  ),
  'system.status': answers<SystemStatus>()(noInput),
  /** Opens the folder with this computer's data in the system's file manager. */
  'system.showData': answers<null>()(noInput),
  /** Puts text on the clipboard. Personal text is kept out of clipboard history and isn't synced to other computers. */
  'system.copy': answers<null>()(z.strictObject({ text: z.string().max(100_000), isPersonal: z.boolean().optional() })),
  /** Puts text on the clipboard and removes it after `clearsAfter` milliseconds if it is still there. */
  'system.copyBriefly': answers<{ clearsAfter: number }>()(z.strictObject({ text: z.string().min(1).max(2000) })),
  /** Answers `window.closing`: whether everything typed has been stored. If not, the person is asked. */
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
