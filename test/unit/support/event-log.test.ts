/** The log says what happened, and contains no personal data. */
import { expect, test } from 'vitest'
import { logLine } from '../../../src/main/core/policy/log-lines.ts'
import { EventLog } from '../../../src/main/core/support/event-log.ts'
import type { AppError, CounterSession, StoreTrouble } from '../../../src/shared/contract/index.ts'
import { sessionOf, turnOf } from '../../renderer/fakes/counter.ts'

const ACCOUNT = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const SESSION = '9b2d3c44-0d1c-4d0e-8f5a-6f0f5b1f7a10'
/** Personal data that must never appear in the log, each planted where the product has such data. */
const PLANTED = {
  person: 'Wiremu Ngata',
  email: 'wiremu.ngata@example.com',
  mobile: '+64 21 012 345',
  document: 'Deed of gift for the Ngata family',
  reference: 'doc-deed-77119',
  account: 'Harbour Conveyancing',
  token: 'eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl',
  answer: 'Nobody knows Wiremu by his licence',
  address: 'https://sign.example.com/tenants/harbour?key=k3y-4711',
  path: '/home/wiremu/Documents/Deed.pdf',
  folder: 'Ngata matters',
  staff: 'Grace Okafor'
}

function opened() {
  const lines: string[] = []
  const write = (message: string, detail?: Record<string, unknown>) => void lines.push(logLine(message, detail))
  const systemLines: string[] = []
  const writeToSystem = (message: string) => void systemLines.push(message)
  const events = new EventLog({
    log: { info: write, warn: write },
    system: { info: writeToSystem, warn: writeToSystem }
  })
  return { lines, systemLines, events }
}

const planted: AppError = {
  code: 'unauthorised',
  message: `Refused for ${PLANTED.person}, ${PLANTED.email}.`,
  next: `Look at ${PLANTED.path}.`,
  subject: PLANTED.document,
  serviceMessage: `${PLANTED.answer}: Bearer ${PLANTED.token} at ${PLANTED.address}`,
  fields: [{ field: 'Forms[0].Signers[0].Email', message: PLANTED.email }]
}
const session = (change: Partial<CounterSession> = {}): CounterSession =>
  sessionOf({
    id: SESSION,
    origin: PLANTED.address,
    turns: [
      turnOf({
        documentReference: PLANTED.reference,
        documentName: PLANTED.document,
        signerName: PLANTED.person,
        person: PLANTED.email,
        contact: PLANTED.mobile,
        outcome: { signed: 'declined', error: planted }
      })
    ],
    refused: [{ what: PLANTED.address, at: 1 }],
    error: planted,
    ...change
  })
const account = {
  id: ACCOUNT,
  kind: 'service' as const,
  scheme: 'bearer',
  name: PLANTED.account,
  baseUrl: PLANTED.address,
  folders: [PLANTED.folder]
}
const trouble: StoreTrouble = {
  kind: 'set-aside',
  store: 'documents',
  name: 'set-aside-2026-11-21T09-30-00Z',
  reason: 'damaged',
  at: 1
}

test('no log line contains anything of a person, a document, a secret or an address', () => {
  const { lines, systemLines, events } = opened()
  events.started({ version: '0.1.0', system: 'Linux 6.8.0 x64', electron: '45.4.1' })
  events.keychain({ state: 'available' })
  events.keychain({ state: 'unavailable', reason: 'failed', detail: `${PLANTED.path}: ${PLANTED.token}` })
  events.storage({ state: 'encrypted' })
  events.storage({ state: 'memory', because: 'no-space', hasData: true })
  events.troubles([trouble, { kind: 'in-memory', store: 'settings', reason: 'no-space' }])
  events.accounts([account])
  events.accounts([{ ...account, scheme: 'basic' }])
  events.connection(ACCOUNT, { state: 'refused', since: 1, error: planted })
  events.connection(ACCOUNT, { state: 'offline', since: 1, error: { ...planted, code: 'tls' } })
  events.connection(ACCOUNT, { state: 'online', since: 2 })
  events.session(session(), 1000)
  events.session(session({ phase: 'ended' }), 61_000)
  events.session(session({ wasInterrupted: true, isLocked: true }), 70_000)
  events.accounts([])
  events.ended()
  const log = lines.join('\n')
  expect(lines).toHaveLength(17)
  // The system's log has exactly the lines that a monitor acts on.
  expect(systemLines).toEqual([
    ...['Countersign started.', 'The keychain can’t be used.', 'The database is in memory only.'],
    ...['A file was set aside.', 'A file is in memory only.', 'An account can’t be used.', 'An account can’t be used.'],
    ...['An account is online.', 'A counter session was interrupted.', 'Countersign ended.']
  ])
  for (const [what, words] of Object.entries(PLANTED)) {
    for (const word of [words, ...words.split(/[\s/?]+/).filter((part) => part.length > 5)]) {
      expect(log.includes(word), `${what}: ${word}`).toBe(false)
    }
  }
})

test('an account is logged by id, with its state and reason, once for each change', () => {
  const { lines, events } = opened()
  events.connection(ACCOUNT, { state: 'unknown', since: 0 })
  events.connection(ACCOUNT, { state: 'online', since: 1 })
  events.connection(ACCOUNT, { state: 'online', since: 1 })
  events.connection(ACCOUNT, { state: 'refused', since: 2, error: planted })
  expect(lines).toEqual([
    `An account is online. {"account":"${ACCOUNT}","state":"online"}`,
    `An account can’t be used. {"account":"${ACCOUNT}","state":"refused","reason":"unauthorised"}`
  ])
})

test('the start and end of a counter session are logged once, by its id', () => {
  const { lines, events } = opened()
  events.session(null, 0)
  events.session(session({ phase: 'handover' }), 1000)
  events.session(session({ phase: 'open' }), 2000)
  events.session(session({ phase: 'ended' }), 91_000)
  events.session(session({ phase: 'ended' }), 92_000)
  events.session(null, 93_000)
  expect(lines).toEqual([
    `A counter session began. {"session":"${SESSION}","turns":1,"place":"here"}`,
    `A counter session ended. {"session":"${SESSION}","seconds":90,"outcomes":["declined"]}`
  ])
})

test('a set-aside folder is named, so that it can be found, once a run', () => {
  const { lines, events } = opened()
  events.troubles([trouble])
  events.troubles([trouble])
  expect(lines).toEqual([
    'A file was set aside. {"store":"documents","reason":"damaged","folder":"set-aside-2026-11-21T09-30-00Z"}'
  ])
})
