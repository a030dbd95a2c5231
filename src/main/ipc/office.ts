/** Requests about this workstation's office. The code comes in, but never goes out. */
import { X509Certificate } from 'node:crypto'
import { basename } from 'node:path'
import type { NoteInAudit } from '../core/audit/audit.ts'
import { fail } from '../core/lib/failure.ts'
import type { OfficeMembership } from '../core/office/membership.ts'
import { readChosen } from '../core/storage/chosen-file.ts'
import type { Dialogs } from './dialogs.ts'
import type { HandlersOf } from './registration.ts'

interface OfficeParts extends Pick<Dialogs, 'chooseFiles'> {
  membership: Pick<OfficeMembership, 'view' | 'checkNow' | 'join' | 'leave'>
  newId: () => string
  note: NoteInAudit
  /** @throws AppFailure `not-allowed` if a PIN is set and no administrator has unlocked the office's settings. */
  mustBeOpen: () => Promise<void>
}

const KIND = { name: 'Certificates', extensions: ['pem', 'crt', 'cer'] as [string, ...string[]] }
/** Maximum size of a list of authorities, in bytes. */
const MAX_LIST_BYTES = 1_000_000

export function officeHandlers({
  membership,
  chooseFiles,
  newId,
  note,
  mustBeOpen
}: OfficeParts): HandlersOf<'office'> {
  let chosen: { id: string; pem: string } | undefined

  return {
    'office.get': async () => membership.view() ?? null,
    'office.checkNow': () => membership.checkNow(),
    'office.chooseAuthority': async (_nothing, { stillAsking }) => {
      const [path] = await chooseFiles('Choose the authority’s certificate', [KIND], stillAsking)
      if (path === undefined) return null
      chosen = { id: newId(), pem: certificatesIn((await readChosen(path, MAX_LIST_BYTES)).toString()) }
      return { id: chosen.id, label: basename(path) }
    },
    'office.join': async ({ authority, code, ...server }) => {
      await mustBeOpen()
      const ca = authority === undefined ? undefined : chosen?.id === authority ? chosen.pem : gone()
      const view = await membership.join({ ...server, ca }, code)
      chosen = undefined
      note({ what: 'office-joined', detail: { server: view.server, ...(view.name && { name: view.name }) } })
      return view
    },
    'office.leave': async ({ without }) => {
      await mustBeOpen()
      const before = membership.view()
      await membership.leave({ without })
      if (before)
        note({ what: 'office-left', detail: { server: before.server, ...(without && { how: 'without the server' }) } })
    }
  }
}

function gone(): never {
  fail('gone', 'This certificate is no longer open.', { next: 'Choose it again.' })
}

/** Extracts a file's certificates. @returns only certificates, never other content such as a private key. */
function certificatesIn(text: string): string {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const one of found) new X509Certificate(one)
  } catch {
    found.length = 0
  }
  return found.length > 0
    ? found.join('\n')
    : fail('bad-file', 'There is no certificate in this file.', { next: 'Choose a certificate as PEM text.' })
}
