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
      .describe('code: each person signs in with the browser. client: Countersign does, by the client’s secret.'),
    clientId: z.string().min(1).max(1000).describe('The client ID that Countersign has at the sign-in service.'),
    issuer: oauthAddress.describe('The address of the sign-in service, from which the others are found.'),
    authorizeUrl: oauthAddress.describe('The sign-in page, where there is no “issuer”.'),
    tokenUrl: oauthAddress.describe('The address for tokens, where there is no “issuer”.'),
    revokeUrl: oauthAddress.describe('Where sign-ins are ended, where there is no “issuer”.'),
    scope: z.string().min(1).max(1000).optional().describe('As your provider gave it.')
  })
  .describe('How the account signs in by OAuth 2. A client secret is entered on each computer.')

const account = z
  .strictObject({
    name: name.describe('What the account is called, in the window and in the audit trail.'),
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
    folder: folder.describe('The whole path, or one that starts with ~/ for the user’s home folder.'),
    account: name.describe('The name of the account, of those in “accounts”, that sends what is dropped there.'),
    send: z.boolean().optional().describe('Whether files without problems are sent without being looked at.')
  })
  .describe('A folder in which other software drops files.')

const backups = z
  .strictObject({
    folder: folder.describe('The whole path, or one that starts with ~/ for the user’s home folder. It must exist.'),
    when: BackupPlan.shape.when.describe('When one is made.'),
    at: BackupPlan.shape.at.unwrap().optional().describe('The time of day, such as 18:00.'),
    weekday: BackupPlan.shape.weekday.unwrap().optional().describe('Of weekly ones: 1 for Monday to 7 for Sunday.'),
    keep: BackupPlan.shape.keep.unwrap().optional().describe('How many are kept.'),
    secrets: z.boolean().optional().describe('Whether the accounts’ keys and passwords go in.')
  })
  .describe('Backups that are made by themselves. Their passphrase is entered on each computer.')

const checklistItem = z.strictObject({
  text: z.string().trim().min(1).max(200).describe('What staff look at.'),
  required: z.boolean().optional().describe('Whether nobody can go on without it.')
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
      .describe('Minutes until Countersign locks itself while nobody uses the computer; 0 for never.'),
    checklist: z
      .array(checklistItem)
      .max(50)
      .optional()
      .describe('What staff look at before they hand the screen over.'),
    fullScreen: z.boolean().optional().describe('Whether the window fills the screen while someone signs.'),
    secondDisplay: z.boolean().optional().describe('Whether people sign on the second display, where there is one.'),
    files: z.boolean().optional().describe('Whether signers may give files to signing pages.'),
    printAndSave: z.boolean().optional().describe('Whether staff may print and save signing pages.'),
    identity: z
      .enum(IDENTITY_KEPT)
      .optional()
      .describe(
        'What is kept of a passport or identity card that was compared. compared: only that it was. number-end: the last four characters of its number, too. number-and-expiry: its number and expiry date.'
      ),
    pinDigits: z.int().min(4).max(12).optional().describe('How many digits a new PIN has at least.')
  })
  .describe('The counter.')

export const Policy = z
  .strictObject({
    $schema: z.string().max(1000).optional().describe('For editors; Countersign doesn’t read it.'),
    accounts: z
      .array(account)
      .max(50)
      .optional()
      .describe('Accounts that each computer has, and nobody can change or remove.'),
    defaultAccount: name
      .optional()
      .describe('The account that is shown when Countersign starts, of those in “accounts”.'),
    otherAccounts: z
      .union([z.boolean(), z.literal('enrolled')])
      .optional()
      .describe('Whether people may connect accounts of their own; "enrolled": by an enrolment file alone.'),
    signInMethods: z.array(signIn).min(1).optional().describe('The ways in which accounts may sign in.'),
    practiceOffice: z.boolean().optional().describe('Whether the practice office is offered.'),
    plainHttpHosts: z
      .array(z.string().min(1).max(253))
      .max(20)
      .optional()
      .describe('Hosts whose service may be reached by http, without encryption.'),
    certificateAuthorities: z
      .array(z.string().min(1).max(20_000))
      .max(20)
      .optional()
      .describe(
        'Certificate authorities of your own that services may be trusted by, beside those of the system: each a certificate as PEM text.'
      ),
    proxy: z
      .strictObject({
        server: z
          .string()
          .regex(/^[A-Za-z0-9.-]+:[0-9]{1,5}$/)
          .optional()
          .describe('Host and port, such as proxy.office.example:8080.'),
        except: z.array(z.string().min(1).max(300)).max(100).optional().describe('Hosts that are reached without it.'),
        script: z.string().min(1).max(2000).optional().describe('The address of a proxy script (PAC).')
      })
      .optional()
      .describe(
        'The proxy that services and signing pages are reached through; {} for none. The system’s where this is left out.'
      ),
    signingOrigins: z
      .array(z.string().min(1).max(300))
      .max(50)
      .optional()
      .describe(
        'Addresses that signing pages may open beside the service’s own, such as https://login.example.govt.nz.'
      ),
    sharedFile: folder
      .optional()
      .describe(
        'A settings file whose presets and views every computer has: the whole path, or one that starts with ~/.'
      ),
    dropFolders: z.array(dropFolder).max(50).optional().describe('The folders that are watched; no others are.'),
    downloads: z
      .strictObject({
        folder: folder.optional().describe('Where downloads go: the whole path, or one that starts with ~/.'),
        names: z.string().min(1).max(500).optional().describe('The pattern by which downloaded files are named.')
      })
      .optional()
      .describe('Identity data and signed documents on the disk.'),
    backups: backups.optional(),
    recovery: z
      .strictObject({
        publicKey: z.string().min(1).max(5000).describe('An RSA public key of at least 3072 bits, in PEM.')
      })
      .optional()
      .describe('A recovery key of each computer’s data that only the holder of the private key can read.'),
    removal: z.boolean().optional().describe('Whether people may remove everything from their computer.'),
    startAtLogin: z
      .boolean()
      .optional()
      .describe('Whether Countersign starts, out of the way, when someone signs in to the computer.'),
    quietHours: NotificationPreferences.shape.quiet
      .optional()
      .describe('When the desktop shows no notifications, such as {"from": "18:00", "to": "08:00"}; null for never.'),
    systemLog: z
      .boolean()
      .optional()
      .describe(
        'Whether the system’s log also has when Countersign started and ended, and what isn’t as it should be.'
      ),
    retention: z
      .strictObject(retentionDays)
      .partial()
      .optional()
      .describe('Days until things are purged from each computer; null to keep them.'),
    counter: counterPolicy.optional(),
    updates: z
      .strictObject({
        feed: z
          .string()
          .min(1)
          .max(2000)
          .describe(
            'Where updates lie: a folder of a web server, or a repository such as https://github.com/office/countersign.'
          ),
        key: z
          .string()
          .min(1)
          .max(100)
          .describe('The public key that updates are signed with: the 32 bytes of Ed25519, in base64.'),
        channel: z.enum(['latest', 'beta']).optional().describe('Finished versions alone, or test versions, too.')
      })
      .nullable()
      .optional()
      .describe('Where Countersign gets its updates from; null for an organisation that installs them itself.')
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
