// Requests about this workstation's membership of an office: only with the settings unlocked, with the chosen
// certificate authority, and recorded in the audit trail.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { officeHandlers } from '../../../src/main/ipc/office.ts'
import type { OfficeMembershipView } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../storage/folders.ts'

const caller = { stillAsking: () => true } as never
const VIEW: OfficeMembershipView = {
  server: 'db.example:5432',
  name: 'Counter 1',
  state: 'connected',
  who: [],
  folders: [],
  isLeaving: false
}
const place = { host: 'db.example', port: 5432, database: 'countersign' }
const CODE = 'AAAA-BBBB'
const [ROOT = '', OTHER = ''] = rootCertificates

function open({ isOpen = true, path = undefined as string | undefined } = {}) {
  let view: OfficeMembershipView | undefined
  const joined: unknown[][] = []
  const checks: unknown[] = []
  const notes: AuditNote[] = []
  const handlers = officeHandlers({
    membership: {
      view: () => view,
      checkNow: async () => void checks.push(view),
      async join(...args) {
        joined.push(args)
        view = VIEW
        return VIEW
      },
      async leave() {
        view = undefined
      }
    },
    chooseFiles: async () => (path === undefined ? [] : [path]),
    newId: () => 'chosen',
    note: (note) => void notes.push(note),
    async mustBeOpen() {
      if (!isOpen)
        throw new AppFailure({ code: 'not-allowed', message: 'An administrator has to unlock settings first.' })
    }
  })
  return { handlers, joined, checks, notes }
}

function certificateFile(text: string): string {
  const path = join(temporaryFolder(), 'authority.pem')
  writeFileSync(path, text)
  return path
}

test('nobody can join or leave while settings are locked, and nothing is recorded', async () => {
  const { handlers, joined, notes } = open({ isOpen: false })
  await expect(handlers['office.join']({ ...place, code: CODE }, caller)).rejects.toMatchObject({
    appError: { code: 'not-allowed' }
  })
  await expect(handlers['office.leave']({ without: false }, caller)).rejects.toMatchObject({
    appError: { code: 'not-allowed' }
  })
  expect([joined, notes]).toEqual([[], []])
})

test('the server is contacted when a person looks, whether settings are locked or not', async () => {
  const { handlers, checks } = open({ isOpen: false })
  await handlers['office.checkNow'](undefined, caller)
  expect(checks).toHaveLength(1)
})

test('joining and leaving are recorded in the audit trail, without the code', async () => {
  const { handlers, notes } = open()
  expect(await handlers['office.get'](undefined, caller)).toBeNull()
  expect(await handlers['office.join']({ ...place, code: CODE }, caller)).toEqual(VIEW)
  expect(await handlers['office.get'](undefined, caller)).toEqual(VIEW)
  await handlers['office.leave']({ without: true }, caller)
  // Once it has left there is nothing to record.
  await handlers['office.leave']({ without: false }, caller)
  expect(notes).toEqual([
    { what: 'office-joined', detail: { server: VIEW.server, name: 'Counter 1' } },
    { what: 'office-left', detail: { server: VIEW.server, how: 'without the server' } }
  ])
  expect(JSON.stringify(notes)).not.toContain(CODE)
})

test('a chosen certificate authority is trusted once, and only the certificates in its file are used', async () => {
  const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'
  const path = certificateFile([ROOT, key, OTHER].join('\n'))
  const { handlers, joined } = open({ path })
  expect(await handlers['office.chooseAuthority'](undefined, caller)).toEqual({ id: 'chosen', label: 'authority.pem' })
  const request = { ...place, code: CODE, authority: 'chosen' }
  await handlers['office.join'](request, caller)
  expect(joined).toEqual([[{ ...place, ca: `${ROOT}\n${OTHER}` }, CODE]])
  await expect(handlers['office.join'](request, caller)).rejects.toMatchObject({ appError: { code: 'gone' } })
})

test.each([
  ['no certificate', 'nothing of it'],
  ['an invalid certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']
])('a file with %s is refused', async (_what, text) => {
  const { handlers } = open({ path: certificateFile(text) })
  await expect(handlers['office.chooseAuthority'](undefined, caller)).rejects.toMatchObject({
    appError: { code: 'bad-file' }
  })
})

test('a cancelled file dialog chooses nothing', async () => {
  expect(await open().handlers['office.chooseAuthority'](undefined, caller)).toBeNull()
})
