/** The support report is saved exactly as shown, and contains no personal data. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../src/main/core/service/errors.ts'
import { Settings } from '../../../src/main/core/storage/settings.ts'
import { type ReportFacts, reportOf } from '../../../src/main/core/support/report.ts'
import { runSelfTest, type SelfTestDeps } from '../../../src/main/core/support/self-test.ts'
import type { RequestContext } from '../../../src/main/ipc/registration.ts'
import { supportHandlers } from '../../../src/main/ipc/support.ts'
import type { SelfTestFinding } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../storage/folders.ts'

const ACCOUNT = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const NOW = Date.UTC(2026, 10, 24, 9)
const time = { now: () => NOW, zone: () => 'Pacific/Auckland' }

const facts = (change: Partial<ReportFacts> = {}): ReportFacts => ({
  run: { version: '0.1.0', system: 'Linux 6.8.0 x64', electron: '45.4.1' },
  status: { keychain: { state: 'available' }, storage: { state: 'encrypted' }, troubles: [] },
  policy: 'none, 0 settings locked',
  settings: Settings.parse({ downloadFolder: '/home/planted/Documents', countryCode: '64' }),
  accounts: [
    { id: ACCOUNT, kind: 'service', scheme: 'bearer', folders: ['planted matters'], state: 'offline', reason: 'tls' }
  ],
  findings: [],
  log: '',
  requests: 'Time,Account\r\n',
  ...change
})

test('a report gives the state of everything, with accounts by id and settings without personal data', () => {
  const { files } = reportOf(facts(), time, 'r-1')
  expect(files.map(({ name }) => name)).toEqual(['summary.txt', 'this computer.txt', 'log.txt', 'requests.csv'])
  expect(files[0]?.text).toContain(`  ${ACCOUNT}: service, bearer, 1 folders, offline (tls)`)
  expect(files[0]?.text).toContain('own downloads folder yes')
  expect(JSON.stringify(files)).not.toContain('planted')
})

test('log lines written by others are scrubbed again, and times are kept', () => {
  const log = [
    '2026-11-24T09:00:00.000Z [info] Countersign started. {"version":"0.1.0"}',
    '2026-11-24T09:00:01.000Z [warn] sent to planted@example.com by /home/planted/x.pdf'
  ].join('\n')
  const text = reportOf(facts({ log }), time, 'r-1').files[2]?.text
  expect(text).toContain('2026-11-24T09:00:00.000Z [info] Countersign started. {"version":"0.1.0"}')
  expect(text).toContain('2026-11-24T09:00:01.000Z [warn] sent to ‹address›')
  expect(text).not.toContain('planted')
})

test('a finding’s text about the office’s service is shown only on screen', () => {
  const found = 'The certificate of planted.example.com isn’t trusted.'
  const { files } = reportOf(
    facts({ findings: [{ what: 'service', accountId: ACCOUNT, state: 'warn', code: 'tls', found }] }),
    time,
    'r'
  )
  expect(files[1]?.text).toBe(`service ${ACCOUNT}: warn (tls)\n`)
})

test('the report saved is the one shown, and a replaced report can’t be saved', async () => {
  const path = join(temporaryFolder(), 'report.zip')
  let made = 0
  const handlers = supportHandlers({
    requestLog: { list: () => ({ requests: [], total: 0 }), file: () => new Uint8Array() },
    time,
    chooseSaveFile: async () => path,
    check: async () => [],
    crashReports: {
      view: async () => ({ isKept: false, reports: [] }),
      setEnabled: async () => true,
      removeAll: async () => undefined,
      files: async () => []
    },
    report: async () => reportOf(facts({ log: `line of report ${++made}` }), time, `r-${made}`)
  })
  const context: RequestContext = { from: 'office', stillAsking: () => true }
  const first = await handlers['support.report'](undefined, context)
  const second = await handlers['support.report'](undefined, context)
  await expect(handlers['support.saveReport']({ id: first.id }, context)).rejects.toMatchObject({
    appError: { code: 'gone' }
  })
  expect(await handlers['support.saveReport']({ id: second.id }, context)).toEqual({ label: 'report.zip' })
  const saved = Object.entries(unzipSync(readFileSync(path))).map(([name, bytes]) => ({ name, text: strFromU8(bytes) }))
  expect(saved).toEqual(second.files)
})

const DAY = 86_400_000

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const EXPIRY = NOW + 90 * DAY

const well: SelfTestDeps = {
  accounts: () => [{ id: ACCOUNT, kind: 'service', baseUrl: 'https://sign.example.com/web' }],
  checkService: async () => undefined,
  clockAhead: () => 0,
  proxyFor: async () => 'DIRECT',
  readCertificate: async () => ({ subject: 'sign.example.com', issuer: 'Example CA', validFrom: 0, validTo: EXPIRY }),
  tryKeychain: async () => ({ state: 'available' }),
  storage: { state: 'encrypted' },
  dataFolder: '.',
  backups: async () => ({ plan: null, hasPassphrase: false, isRunning: false, last: { at: NOW - 3 * DAY, name: 'b' } }),
  backupTrouble: () => [],
  now: () => NOW,
  otherDisplay: () => 'Pen display',
  printers: async () => 1,
  freeIn: async () => 50 * 1024 ** 3
}
const states = async (change: Partial<SelfTestDeps> = {}) =>
  Object.fromEntries(
    (await runSelfTest({ ...well, ...change })).map(({ what, state, code }) => [what, `${state} ${code}`])
  )

test('a computer without problems passes every check', async () => {
  expect(await states()).toEqual({
    service: 'ok online',
    clock: 'ok 0 s',
    proxy: 'ok direct',
    certificate: `ok ${dateOf(EXPIRY)}`,
    keychain: 'ok available',
    database: 'ok encrypted',
    backup: 'ok none planned, 3 days ago',
    disk: 'ok 50 GB',
    'second-display': 'ok there',
    printers: 'ok 1'
  })
})

test('nothing is said about the clock of a service that doesn’t tell its time', async () => {
  expect(await states({ clockAhead: () => undefined })).not.toHaveProperty('clock')
})

test('each problem is reported with what to do, and what can’t be determined is no failure', async () => {
  const wrong: SelfTestDeps = {
    ...well,
    checkService: async () => Promise.reject(new Error('no')),
    proxyFor: async () => '',
    readCertificate: async () => undefined,
    tryKeychain: async () => ({ state: 'unavailable', reason: 'locked', detail: '' }),
    storage: { state: 'memory' },
    otherDisplay: () => undefined,
    printers: async () => Promise.reject(new Error('no')),
    backups: async () => ({ plan: null, hasPassphrase: false, isRunning: false }),
    freeIn: async () => 200 * 1024 ** 2
  }
  expect(await states(wrong)).toEqual({
    service: 'warn internal',
    proxy: 'warn unreadable',
    certificate: 'note proxied',
    keychain: 'warn locked',
    database: 'warn memory',
    backup: 'note none planned, none made',
    disk: 'warn 0.1 GB',
    'second-display': 'note none',
    printers: 'note unknown'
  })
  const findings = await runSelfTest({ ...wrong, printers: async () => 0 })
  const isWithoutAdvice = ({ what, next }: SelfTestFinding) => !['service', 'certificate'].includes(what) && !next
  expect(findings.filter(isWithoutAdvice)).toEqual([])
})

describe('the service’s certificate', () => {
  const found = async (change: Partial<SelfTestDeps>) =>
    (await runSelfTest({ ...well, ...change })).find(({ what }) => what === 'certificate')
  const until = (validTo: number) => async () => ({ subject: '', issuer: 'Example CA', validFrom: 0, validTo })

  test('is shown with its issuer and its last day', async () => {
    const validTo = Date.UTC(2027, 5, 30, 12)
    expect(await found({ readCertificate: until(validTo) })).toMatchObject({
      state: 'ok',
      found: 'It is from “Example CA” and valid until 30 June 2027.'
    })
  })

  test('is a note if it expires soon', async () => {
    const validTo = NOW + 13 * DAY
    const note = { state: 'note', code: dateOf(validTo), next: expect.any(String) }
    expect(await found({ readCertificate: until(validTo) })).toMatchObject(note)
    expect(await found({ readCertificate: until(NOW + 14 * DAY) })).toMatchObject({ state: 'ok' })
  })

  test('is a warning if this computer refuses it', async () => {
    const refused = new ServiceError({ code: 'tls', operation: '', mayHaveArrived: false })
    const checkService = async () => Promise.reject(refused)
    expect(await found({ checkService })).toMatchObject({
      state: 'warn',
      code: 'refused',
      found: expect.stringMatching(/^It is from “Example CA” and .* the secure connection failed\.$/)
    })
  })

  test('is read over no other way than the service is reached', async () => {
    const asked: string[] = []
    const readCertificate = async (url: URL) => void asked.push(url.host)
    for (const [proxyFor, code] of [
      [async () => 'PROXY proxy.example:8080;DIRECT', 'proxied'],
      [async () => Promise.reject(new Error('no')), 'unread']
    ] as const)
      expect(await found({ proxyFor, readCertificate })).toMatchObject({ state: 'note', code })
    expect(asked).toEqual([])
    expect(await found({ readCertificate })).toMatchObject({ state: 'note', code: 'unread' })
    expect(asked).toEqual(['sign.example.com'])
  })

  test('isn’t looked for without encryption, nor a proxy for the practice office', async () => {
    const at = (kind: 'service' | 'practice') => () => [{ id: ACCOUNT, kind, baseUrl: 'http://127.0.0.1:8080/web' }]
    expect(await found({ accounts: at('service') })).toBeUndefined()
    expect(Object.keys(await states({ accounts: at('service') }))).toContain('proxy')
    expect(Object.keys(await states({ accounts: at('practice') }))).not.toContain('proxy')
  })
})

test.each([
  ['DIRECT', 'ok direct', 'The service is reached without a proxy.'],
  ['PROXY proxy.example:8080;DIRECT', 'ok proxy', 'The service is reached through the proxy proxy.example:8080.'],
  ['', 'warn unreadable', 'The proxy script can’t be read, so the service can’t be reached.']
])('of the proxies “%s”, the one in use is named, and not in the report', async (route, code, words) => {
  const findings = await runSelfTest({ ...well, proxyFor: async () => route })
  const proxy = findings.find(({ what }) => what === 'proxy')
  expect([`${proxy?.state} ${proxy?.code}`, proxy?.found]).toEqual([code, words])
})

test('a failing scheduled backup is a warning, and an old one a note', async () => {
  const error = { code: 'gone', message: 'The folder for backups can’t be reached.' } as const
  const trouble = { kind: 'no-backup', store: 'backups', reason: 'gone', since: NOW, error } as const
  const plan = { when: 'daily', at: '18:00', weekday: 5, keep: 7, secrets: false } as const
  const last = { at: NOW - 40 * DAY, name: 'b' }
  const backups = async () => ({ plan, hasPassphrase: true, isRunning: false, last })
  expect(await states({ backups, backupTrouble: () => [trouble] })).toMatchObject({
    backup: 'warn daily, 40 days ago, gone'
  })
  expect(await states({ backups })).toMatchObject({ backup: 'note daily, 40 days ago' })
})

test.each([
  [240_000, 'This computer’s clock is 4 minutes ahead of the service’s.'],
  [-600_000, 'This computer’s clock is 10 minutes behind the service’s.']
])('a clock that is off by %i ms is reported in minutes', async (ahead, words) => {
  const findings = await runSelfTest({ ...well, clockAhead: () => ahead })
  expect(findings.find(({ what }) => what === 'clock')).toMatchObject({ state: 'warn', found: words })
})
