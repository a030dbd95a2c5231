/** Requests about enrolment files. Secrets go from keychain to file and from file to keychain; codes come in, and never go out. */
import { basename } from 'node:path'
import type { AuthScheme } from '../../shared/contract/index.ts'
import { ENROLMENT_ENDING, type Enrolment, enrolmentFile, OpenEnrolment } from '../core/accounts/enrolment.ts'
import type { AuditNote, NoteInAudit } from '../core/audit/audit.ts'
import { DAY, dayAt } from '../core/lib/calendar.ts'
import { folded } from '../core/lib/text-folding.ts'
import { safeFileName } from '../core/storage/safe-name.ts'
import { type Dialogs, saveAs } from './dialogs.ts'
import { inConnectingWords } from './errors.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface EnrolmentParts extends Pick<Parts, 'accounts' | 'clients' | 'time'>, Dialogs {
  newId: () => string
  /** `Countersign 1.0.0`, for the file. */
  madeBy: string
  note: NoteInAudit
  /** @throws AppFailure where the organisation allows no such account here. */
  mayAdd: (account: { name: string; scheme: AuthScheme }) => void
  /** Whether an account is there because the organisation's policy names it. */
  isManaged: (id: string) => boolean
  /** Other credentials are kept of an account that was there. */
  signsInOtherwise: (id: string) => void
  changed: () => void
}

const KIND = { name: 'Enrolment files of Countersign', extensions: [ENROLMENT_ENDING] as [string] }

export function enrolmentHandlers(parts: EnrolmentParts): HandlersOf<'enrolment'> {
  const { accounts, clients, time } = parts
  const opened = new OpenEnrolment()

  function note(what: AuditNote['what'], account: string, detail: Record<string, string>): void {
    parts.note({ what, detail: { account, ...detail } })
  }

  /** The account of the policy that waits for its secret; undefined where a new one is made. */
  async function waiting({ account, credentials }: Enrolment): Promise<string | undefined> {
    const named = accounts.list().find(({ name }) => folded(name) === folded(account.name))
    const fits = named?.scheme === credentials.scheme && named.baseUrl === account.baseUrl && parts.isManaged(named.id)
    return named && fits && (await accounts.secretState(named.id)) === 'missing' ? named.id : undefined
  }

  return {
    'enrolment.prepare': async ({ id, code, days }, { stillAsking }) => {
      const account = accounts.get(id)
      const credentials = await accounts.credentialsToShare(id)
      const now = time.now()
      const validUntil = now + days * DAY
      const content = enrolmentFile(account, credentials, { code, validUntil, madeAt: now, madeBy: parts.madeBy })
      const pieces: Buffer[] = []
      for await (const piece of content) pieces.push(piece)
      const suggested = safeFileName(account.name, { extension: ENROLMENT_ENDING })
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
      const there = await waiting(enrolment)
      if (there === undefined) {
        accounts.refuseTaken(name)
        parts.mayAdd({ name, scheme })
      }
      await inConnectingWords(clients.try({ baseUrl, authentication: credentials, folders }), scheme)
      const { id } = await accounts.enrol(account, credentials, there)
      await opened.leave()
      const how = 'enrolment file'
      if (there === undefined) note('account-added', name, { address: baseUrl, how })
      else {
        note('account-changed', name, { changed: 'key, token or password', how })
        parts.signsInOtherwise(id)
      }
      parts.changed()
      return { id, name }
    },
    'enrolment.leave': () => opened.leave()
  }
}
