/**
 * Requests about enrolment files. Secrets go from keychain to file and from file to keychain; codes come in, but never
 * go out.
 */
import { basename } from 'node:path'
import type { AuthScheme } from '../../shared/contract/index.ts'
import { ENROLMENT_EXTENSION, type Enrolment, enrolmentFile, OpenEnrolment } from '../core/accounts/enrolment.ts'
import type { AuditNote, NoteInAudit } from '../core/audit/audit.ts'
import { withConnectingMessages } from '../core/errors/connecting.ts'
import { DAY, dayAt } from '../core/lib/calendar.ts'
import { fail } from '../core/lib/failure.ts'
import { folded } from '../core/lib/text-folding.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { type Dialogs, saveAs } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface EnrolmentParts extends Pick<Parts, 'accounts' | 'clients' | 'time'>, Dialogs {
  newId: () => string
  /** `Countersign 1.0.0`, for the file. */
  madeBy: string
  /** See `Sealing`. */
  sealingCost?: number
  note: NoteInAudit
  /** @throws AppFailure if the organisation doesn't allow adding this account. */
  mayAdd: (account: { name: string; scheme: AuthScheme }) => void
  /** @throws AppFailure if the organisation doesn't allow completing this existing account with the file's secret. */
  mayComplete: (account: { id: string; scheme: AuthScheme }) => void
  /** Called when an existing account got other credentials. */
  credentialsChanged: (id: string) => void
  changed: () => void
}

const KIND = { name: 'Enrolment files of Countersign', extensions: [ENROLMENT_EXTENSION] as [string] }

export function enrolmentHandlers(parts: EnrolmentParts): HandlersOf<'enrolment'> {
  const { accounts, clients, time } = parts
  const opened = new OpenEnrolment()

  function note(what: AuditNote['what'], account: string, detail: Record<string, string>): void {
    parts.note({ what, detail: { account, ...detail } })
  }

  /**
   * Returns the account that the file completes: one that exists without its secret, from a policy or a settings file.
   * Undefined if the account is new.
   * @throws AppFailure `invalid` if another account has its name, or it already has a secret; `keychain` if that can't
   * be determined; as `mayAdd` and `mayComplete`.
   */
  async function accountToComplete({
    account: { name, baseUrl },
    credentials
  }: Enrolment): Promise<string | undefined> {
    const existing = accounts.list().find((one) => folded(one.name) === folded(name))
    if (!existing) {
      parts.mayAdd({ name, scheme: credentials.scheme })
      return undefined
    }
    if (existing.kind === 'practice') fail('invalid', PRACTICE, { next: RENAME })
    if (existing.baseUrl !== baseUrl || existing.scheme !== credentials.scheme)
      fail('invalid', ACCOUNT_DIFFERS, { next: RENAME })
    parts.mayComplete(existing)
    const state = await accounts.secretState(existing.id)
    if (state === 'unknown') fail('keychain', KEYCHAIN, { next: 'Unlock it, then try again.' })
    if (state === 'kept') fail('invalid', CONNECTED, { next: REMOVE })
    return existing.id
  }

  return {
    'enrolment.prepare': async ({ id, code, days }, { stillAsking }) => {
      const account = accounts.get(id)
      const credentials = await accounts.credentialsToShare(id)
      const now = time.now()
      const validUntil = now + days * DAY
      const { madeBy, sealingCost: cost } = parts
      const content = enrolmentFile(account, credentials, { code, validUntil, madeAt: now, madeBy, cost })
      const pieces: Buffer[] = []
      for await (const piece of content) pieces.push(piece)
      const suggested = safeFileName(account.name, { extension: ENROLMENT_EXTENSION })
      const title = 'Save the enrolment file'
      const saved = await saveAs(parts, { title, suggested, kind: KIND, bytes: Buffer.concat(pieces) }, stillAsking)
      if (!saved) return null
      note('enrolment-prepared', account.name, {
        address: account.baseUrl ?? '',
        until: dayAt(validUntil, time.zone())
      })
      return { ...saved, validUntil }
    },
    'enrolment.choose': async (_nothing, { stillAsking }) => {
      const [path] = await parts.chooseFiles('Choose an enrolment file', [KIND], stillAsking)
      return path === undefined ? null : opened.open(path, parts.newId(), basename(path))
    },
    'enrolment.enrol': async ({ id: file, code }) => {
      const enrolment = await opened.read(file, code, time.now())
      const { account, credentials } = enrolment
      const { name, baseUrl, folders } = account
      const { scheme } = credentials
      const existing = await accountToComplete(enrolment)
      await withConnectingMessages(clients.test({ baseUrl, authentication: credentials, folders }), scheme)
      // The service may respond slowly: meanwhile the user may have left, and an account may have been added, redirected
      // or signed in.
      if ((await accountToComplete(enrolment)) !== existing) fail('busy', CHANGED, { next: 'Try again.' })
      opened.requireOpen(file)
      const { id } = await accounts.enrol(account, credentials, existing)
      await opened.close(file)
      const how = 'enrolment file'
      if (existing === undefined) note('account-added', name, { address: baseUrl, how })
      else {
        note('account-changed', name, { changed: 'key, token or password', how })
        parts.credentialsChanged(id)
      }
      parts.changed()
      return { id, name }
    },
    'enrolment.close': () => opened.close()
  }
}

const PRACTICE = 'The practice office here has the name of this account.'
const ACCOUNT_DIFFERS = 'The account with this name here has a different address or sign-in method.'
const RENAME = 'Rename that account, then try again.'
const CONNECTED = 'This account is connected here already.'
const REMOVE =
  'To connect it with this file, remove the account first. That also removes its drafts and documents from this computer.'
const KEYCHAIN = 'The keychain doesn’t say whether this account is connected here already.'
const CHANGED = 'Meanwhile, another account of this name was added here, or this one was changed.'
