/**
 * The schema of policy files: both the published schema and the check are made from it. It has only names that
 * something in the product obeys. Its limits are those of the screens, so that a policy can't set anything that a
 * person couldn't.
 */
import { z } from 'zod'
import { IDENTITY_KEPT } from '../../../shared/contract/counter-views.ts'
import { BackupPlan, NotificationPreferences, requests, retentionDays } from '../../../shared/contract/index.ts'
import { AUTH_SCHEMES } from '../../../shared/contract/views.ts'

const signIn = z.enum(AUTH_SCHEMES)
const counter = requests['counter.configure'].input.shape
const name = z.string().min(1).max(100)
const folder = z.string().min(1).max(1000)

const oauthAddress = z.string().min(1).max(2000).optional()
const oauth = z
  .strictObject({
    grant: z
      .enum(['code', 'client'])
      .describe('code: each person signs in with their browser. client: Countersign signs in with the client secret.'),
    clientId: z.string().min(1).max(1000).describe('Countersign’s client ID at the sign-in service.'),
    issuer: oauthAddress.describe('The address of the sign-in service, from which the other addresses are found.'),
    authorizeUrl: oauthAddress.describe('The address of the sign-in page, if there is no “issuer”.'),
    tokenUrl: oauthAddress.describe('The address for tokens, if there is no “issuer”.'),
    revokeUrl: oauthAddress.describe('The address for ending sign-ins, if there is no “issuer”.'),
    scope: z.string().min(1).max(1000).optional().describe('The scope, as your provider specifies it.')
  })
  .describe('How the account signs in by OAuth 2. A client secret is entered on each computer.')

const account = z
  .strictObject({
    name: name.describe('The account’s name in the window and in the audit trail.'),
    address: z.string().min(1).max(2000).describe('The address of the signing service, starting with https://.'),
    signIn: signIn.describe('How the account signs in. Its key, token or password is entered on each computer.'),
    oauth: oauth.optional(),
    colour: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/)
      .optional()
      .describe('The colour that marks the account, such as #1f7a7a.')
  })
  .describe('An account, without its secrets.')

const dropFolder = z
  .strictObject({
    folder: folder.describe('The full path, or one that starts with ~/ for the user’s home folder.'),
    account: name.describe('The name of the account in “accounts” that sends what is dropped there.'),
    send: z.boolean().optional().describe('Whether files without problems are sent without anyone checking them.')
  })
  .describe('A folder in which other software drops files.')

const backups = z
  .strictObject({
    folder: folder.describe('The full path, or one that starts with ~/ for the user’s home folder. It must exist.'),
    when: BackupPlan.shape.when.describe('When a backup is made.'),
    at: BackupPlan.shape.at.unwrap().optional().describe('The time of day, such as 18:00.'),
    weekday: BackupPlan.shape.weekday.unwrap().optional().describe('For weekly backups: 1 for Monday to 7 for Sunday.'),
    keep: BackupPlan.shape.keep.unwrap().optional().describe('How many backups are kept.'),
    secrets: z.boolean().optional().describe('Whether backups include the accounts’ keys and passwords.')
  })
  .describe('Automatic backups. Their passphrase is entered on each computer.')

const checklistItem = z.strictObject({
  text: z.string().trim().min(1).max(200).describe('What staff check.'),
  required: z.boolean().optional().describe('Whether staff must tick it before they go on.')
})

const counterPolicy = z
  .strictObject({
    idle: counter.idle
      .unwrap()
      .optional()
      .describe(
        'Seconds until an idle signer is warned, until the page is hidden, and until it closes: 5 to 3600 each.'
      ),
    lockAfter: counter.lockAfter
      .unwrap()
      .optional()
      .describe('Minutes after which Countersign locks itself if nobody uses the computer; 0 for never.'),
    checklist: z.array(checklistItem).max(50).optional().describe('What staff check before they hand over the screen.'),
    fullScreen: z.boolean().optional().describe('Whether the window fills the screen while someone signs.'),
    secondDisplay: z.boolean().optional().describe('Whether people sign on the second display, where there is one.'),
    files: z.boolean().optional().describe('Whether signers may upload files to signing pages.'),
    printAndSave: z.boolean().optional().describe('Whether staff may print and save signing pages.'),
    identity: z
      .enum(IDENTITY_KEPT)
      .optional()
      .describe(
        'What is recorded of a passport or identity card that was compared. compared: only that it was. number-end: also the last four characters of its number. number-and-expiry: its number and expiry date.'
      ),
    pinDigits: z.int().min(4).max(12).optional().describe('The minimum number of digits in a new PIN.')
  })
  .describe('Settings for the counter.')

export const Policy = z
  .strictObject({
    $schema: z.string().max(1000).optional().describe('For editors; Countersign doesn’t read it.'),
    accounts: z
      .array(account)
      .max(50)
      .optional()
      .describe('Accounts that each computer has, and that nobody can change or remove there.'),
    defaultAccount: name.optional().describe('The account in “accounts” that is shown when Countersign starts.'),
    otherAccounts: z
      .union([z.boolean(), z.literal('enrolled')])
      .optional()
      .describe('Whether people may connect accounts of their own; "enrolled": only with an enrolment file.'),
    signInMethods: z.array(signIn).min(1).optional().describe('The ways in which accounts may sign in.'),
    practiceOffice: z.boolean().optional().describe('Whether the practice office is offered.'),
    plainHttpHosts: z
      .array(z.string().min(1).max(253))
      .max(20)
      .optional()
      .describe('Hosts whose service may be reached over http, without encryption.'),
    certificateAuthorities: z
      .array(z.string().min(1).max(20_000))
      .max(20)
      .optional()
      .describe(
        'Your own certificate authorities, trusted for services and signing pages in addition to the system’s: each a certificate in PEM format.'
      ),
    proxy: z
      .strictObject({
        server: z
          .string()
          .regex(/^[A-Za-z0-9.-]+:[0-9]{1,5}$/)
          .optional()
          .describe('Host and port, such as proxy.office.example:8080.'),
        except: z
          .array(z.string().min(1).max(300))
          .max(100)
          .optional()
          .describe('Hosts that are reached without the proxy.'),
        script: z.string().min(1).max(2000).optional().describe('The address of a proxy script (PAC).')
      })
      .optional()
      .describe(
        'The proxy for services and signing pages; {} for none. If this is left out, the system’s proxy is used.'
      ),
    signingOrigins: z
      .array(z.string().min(1).max(300))
      .max(50)
      .optional()
      .describe(
        'Addresses that signing pages may open in addition to the service’s own, such as https://login.example.govt.nz.'
      ),
    sharedFile: folder
      .optional()
      .describe(
        'A settings file whose presets and views every computer has: its full path, or one that starts with ~/.'
      ),
    dropFolders: z
      .array(dropFolder)
      .max(50)
      .optional()
      .describe('The drop folders that are watched. Others are paused.'),
    downloads: z
      .strictObject({
        folder: folder.optional().describe('Where downloads are saved: the full path, or one that starts with ~/.'),
        names: z.string().min(1).max(500).optional().describe('The pattern for the names of downloaded files.')
      })
      .optional()
      .describe('How identity data and signed documents are saved to the disk.'),
    backups: backups.optional(),
    recovery: z
      .strictObject({
        publicKey: z.string().min(1).max(5000).describe('An RSA public key of at least 3072 bits, in PEM.')
      })
      .optional()
      .describe('A recovery key for each computer’s data, which only the holder of the private key can read.'),
    removal: z
      .boolean()
      .optional()
      .describe('Whether people may remove all of Countersign’s data from their computer.'),
    startAtLogin: z
      .boolean()
      .optional()
      .describe('Whether Countersign starts in the background when someone signs in to the computer.'),
    crashReports: z
      .boolean()
      .optional()
      .describe(
        'Whether reports of crashes are kept on the computer; they may hold names, documents or keys from memory.'
      ),
    quietHours: NotificationPreferences.shape.quiet
      .optional()
      .describe('When the desktop shows no notifications, such as {"from": "18:00", "to": "08:00"}; null for never.'),
    systemLog: z
      .boolean()
      .optional()
      .describe('Whether the system’s log also records when Countersign starts and ends, and any problems.'),
    retention: z
      .strictObject(retentionDays)
      .partial()
      .optional()
      .describe('Days until data is purged from each computer; null to keep it.'),
    counter: counterPolicy.optional(),
    updates: z
      .strictObject({
        feed: z
          .string()
          .min(1)
          .max(2000)
          .describe(
            'Where updates are published: a folder on a web server, or a repository such as https://github.com/office/countersign.'
          ),
        key: z
          .string()
          .min(1)
          .max(100)
          .describe(
            'The public key that updates’ signatures are checked with: the 32 bytes of an Ed25519 key, in base64.'
          ),
        channel: z
          .enum(['latest', 'beta'])
          .optional()
          .describe('latest: only finished versions. beta: also test versions.')
      })
      .nullable()
      .optional()
      .describe('Where Countersign gets its updates; null if the organisation installs them itself.')
  })
  .describe('What an organisation sets for Countersign on its computers.')

export type Policy = z.infer<typeof Policy>

/** Returns the schema as it is published, for editors and other programs. */
export function publishedSchema(): object {
  return {
    ...z.toJSONSchema(Policy, { io: 'input', reused: 'inline' }),
    $id: 'https://countersign.example/policy.schema.json',
    title: 'Countersign policy'
  }
}
