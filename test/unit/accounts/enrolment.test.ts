/**
 * Enrolment files: an account moves from one computer to another with its secret, which no screen, log or audit trail
 * sees.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { seal } from '../../../src/main/core/backup/sealed-file.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { USUAL_DATA_TYPE_SPELLING } from '../../../src/shared/contract/views.ts'
import { ENROLMENT_CODE_BYTES, recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { LOW_COST, refusal } from '../backup/computers.ts'
import { lastingKeychain } from '../storage/keychains.ts'
import { BEARER, CODE, enrolmentWorkstations, NOW, TOKEN, urlOf } from './enrolment-workstations.ts'

const OTHER_CODE = recoveryKeyText(new Uint8Array(ENROLMENT_CODE_BYTES).fill(8))
const DAY = 86_400_000

test('an account moves to another computer with its secret, folders and colour; neither secret nor code is shown', async () => {
  const { admin, clerk, computer, file, prepared } = await enrolmentWorkstations()
  const { adminComputer, answer } = await prepared()
  expect(answer).toMatchObject({ label: 'Harbour.countersign-enrolment', validUntil: NOW + 14 * DAY })
  const other = computer(clerk)
  const chosen = await other.choose()
  // However the code is typed.
  const enrolled = await other.enrol(CODE.toLowerCase().replaceAll('-', ' '))
  expect(clerk.accounts.get(enrolled.id)).toMatchObject({
    name: 'Harbour',
    baseUrl: urlOf(admin),
    scheme: 'bearer',
    colour: '#c2487a',
    folders: ['Eingang', 'Signed']
  })
  expect(await clerk.accounts.credentialsOf(enrolled.id)).toEqual(BEARER)
  expect(await clerk.accounts.isEnrolled(enrolled.id)).toBe(true)
  expect(adminComputer.notes).toMatchObject([{ what: 'enrolment-prepared', detail: { account: 'Harbour' } }])
  expect(other.notes).toMatchObject([{ what: 'account-added', detail: { account: 'Harbour', how: 'enrolment file' } }])
  const everything = JSON.stringify([
    answer,
    chosen,
    enrolled,
    adminComputer.notes,
    other.notes,
    readFileSync(file, 'latin1')
  ])
  expect(everything).not.toContain(TOKEN)
  expect(everything).not.toContain(CODE.slice(0, 5))
})

describe('no account is added', () => {
  test.each([
    [
      'with another file’s code',
      () => OTHER_CODE,
      { code: 'invalid', message: 'This isn’t the code of this file.', fields: [{ field: 'code' }] }
    ],
    [
      'with a mistyped code',
      () => CODE.replace(/^./, 'Z'),
      { code: 'invalid', message: expect.stringContaining('mistake'), fields: [{ field: 'code' }] }
    ],
    ['with half a code', () => CODE.slice(0, 11), { code: 'invalid', fields: [{ field: 'code' }] }]
  ])('%s', async (_, code, failure) => {
    const { clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    expect(await refusal(computer(clerk).enrol(code()))).toMatchObject(failure)
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('after the file’s validity has ended', async () => {
    const { clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    const over = computer(clerk, { time: { now: () => NOW + 14 * DAY, zone: () => 'UTC' } })
    expect(await refusal(over.enrol())).toMatchObject({ message: 'This enrolment file is no longer valid.' })
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('if an account has the same name in any capitals', async () => {
    const { clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared('TEST OFFICE 2')
    await clerk.accounts.add({ kind: 'practice', name: 'Test office 2' })
    expect(await refusal(computer(clerk).enrol())).toMatchObject({
      code: 'invalid',
      message: 'The practice office here has the name of this account.'
    })
    expect(clerk.accounts.list()).toHaveLength(2)
  })

  test('from a file that is damaged, a backup, or foreign', async () => {
    const { clerk, computer, file, prepared } = await enrolmentWorkstations()
    await prepared()
    const bytes = readFileSync(file)
    const last = bytes.byteLength - 1
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last)
    const pieces: Buffer[] = []
    const content = async function* () {
      yield Buffer.from('{}')
    }
    for await (const piece of seal(content(), CODE, { madeAt: 0, madeBy: 'Countersign', cost: LOW_COST }))
      pieces.push(piece)
    for (const wrong of [bytes, bytes.subarray(0, 400), Buffer.concat(pieces), Buffer.from('{"account":"x"}')]) {
      writeFileSync(file, wrong)
      expect(await refusal(computer(clerk).enrol())).toMatchObject({
        code: 'bad-file',
        message: 'This isn’t a complete enrolment file.'
      })
    }
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('if the organisation allows no such account, or its service doesn’t answer', async () => {
    const { admin, clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    const locked = computer(clerk, { mayAdd: () => fail('not-allowed', 'This is set by your organisation.') })
    expect(await refusal(locked.enrol())).toMatchObject({ code: 'not-allowed' })
    await admin.line.goDown()
    expect(await refusal(computer(clerk).enrol())).toMatchObject({
      code: 'refused'
    })
    expect(clerk.accounts.list()).toHaveLength(1)
  })
})

test('if the dialog is closed or another file is chosen while connecting, no account is added, and that file stays open', async () => {
  const { clerk, computer, prepared } = await enrolmentWorkstations()
  await prepared()
  for (const leave of ['close', 'choose'] as const) {
    const enrolling = computer(clerk, {
      clients: {
        ...clerk.clients,
        async test(typed) {
          const found = await clerk.clients.test(typed)
          await enrolling[leave]()
          return found
        }
      }
    })
    expect(await refusal(enrolling.enrol())).toMatchObject({ code: 'gone' })
    expect(clerk.accounts.list()).toHaveLength(1)
    expect(enrolling.notes).toEqual([])
  }
})

describe('an account that lacks its secret', () => {
  test('gets it, as created by a policy or a settings file; its name, folders and colour are kept', async () => {
    const { admin, clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    await clerk.accounts.manage({ name: 'HARBOUR', baseUrl: urlOf(admin), scheme: 'bearer' })
    const managed = clerk.accounts.list().at(-1)
    const enrolling = computer(clerk)
    const { id } = await enrolling.enrol()
    expect(id).toBe(managed?.id)
    expect(clerk.accounts.get(id)).toEqual(managed)
    expect(await clerk.accounts.credentialsOf(id)).toEqual(BEARER)
    expect(await clerk.accounts.isEnrolled(id)).toBe(true)
    expect(enrolling.others).toEqual([id])
    expect(enrolling.notes).toMatchObject([{ what: 'account-changed', detail: { how: 'enrolment file' } }])
    // An account that has its secret isn't waiting for one.
    expect(await refusal(enrolling.enrol())).toMatchObject({
      code: 'invalid',
      message: 'This account is connected here already.'
    })
    expect(clerk.accounts.list()).toHaveLength(2)
  })

  test('doesn’t get it if the organisation forbids it, or the keychain can’t say whether there is one', async () => {
    const { admin, clerk, computer, prepared } = await enrolmentWorkstations()
    await prepared()
    await clerk.accounts.manage({ name: 'Harbour', baseUrl: urlOf(admin), scheme: 'bearer' })
    const locked = computer(clerk, { mayComplete: () => fail('not-allowed', 'This is set by your organisation.') })
    expect(await refusal(locked.enrol())).toMatchObject({ code: 'not-allowed' })
    const accounts = { ...clerk.accounts, secretState: async () => 'unknown' as const }
    expect(await refusal(computer(clerk, { accounts }).enrol())).toMatchObject({ code: 'keychain' })
    expect(await clerk.accounts.secretState(clerk.accounts.list().at(-1)?.id ?? '')).toBe('missing')
  })
})

test('an enrolled account is in no other file or backup until someone enters their own secret for it', async () => {
  const { clerk, computer, prepared } = await enrolmentWorkstations()
  await prepared()
  const enrolling = computer(clerk)
  const { id } = await enrolling.enrol()
  expect(await refusal(enrolling.prepare(id))).toMatchObject({ code: 'not-allowed' })
  expect(Object.keys(await clerk.accounts.secretsForBackup())).toEqual([])
  await clerk.accounts.update(id, { name: 'Harbour Law' })
  expect(await clerk.accounts.isEnrolled(id)).toBe(true)
  await clerk.accounts.update(id, { authentication: { ...BEARER, token: 'typed-here' } })
  expect(await clerk.accounts.isEnrolled(id)).toBe(false)
  expect(Object.keys(await clerk.accounts.secretsForBackup())).toEqual([id])
  expect(await enrolling.prepare(id)).not.toBeNull()
})

describe('an enrolled secret stays out of every file', () => {
  const KEY = {
    scheme: 'api-key',
    key: 'the-offices-key',
    secret: 'planted',
    referer: 'https://harbour.example/'
  } as const
  const ACCOUNT = {
    name: 'Harbour',
    baseUrl: 'https://sign.example',
    colour: '#c2487a',
    jsonByQuery: false,
    dataTypeSpelling: USUAL_DATA_TYPE_SPELLING,
    folders: ['Eingang']
  }
  async function openAccountsHere() {
    const db = connectInMemory()
    migrate(db)
    onTestFinished(() => void db.close())
    const { accounts: secrets } = lastingKeychain(new Map())
    let nextId = 1
    const accounts = openAccounts({ db, secrets, newId: () => `a-${nextId++}`, time: { now: () => NOW } })
    async function expectEnrolled(id: string): Promise<void> {
      expect(await accounts.isEnrolled(id)).toBe(true)
      expect(await refusal(accounts.credentialsToShare(id))).toMatchObject({ code: 'not-allowed' })
      expect(await accounts.secretsForBackup()).toEqual({})
      expect(await accounts.credentialsOf(id)).toMatchObject({ key: KEY.key })
    }
    return { db, accounts, expectEnrolled }
  }

  test('when other members of the credentials change, but no key is entered', async () => {
    const { accounts, expectEnrolled } = await openAccountsHere()
    const { id } = await accounts.enrol(ACCOUNT, KEY, undefined)
    await accounts.update(id, { authentication: { scheme: 'api-key', referer: 'https://other.example/' } })
    await expectEnrolled(id)
    await accounts.update(id, { authentication: { scheme: 'api-key', sender: 'mere.tamati@example.com' } })
    await expectEnrolled(id)
    await accounts.update(id, { authentication: { scheme: 'api-key', secret: 'of another key' } })
    await expectEnrolled(id)
    await accounts.update(id, { authentication: KEY })
    expect(await accounts.isEnrolled(id)).toBe(false)
    expect(await accounts.credentialsToShare(id)).toEqual(KEY)
  })

  test('when the database is restored to before the enrolment', async () => {
    const { accounts, db, expectEnrolled } = await openAccountsHere()
    await accounts.manage({ name: 'Harbour', baseUrl: ACCOUNT.baseUrl, scheme: 'api-key' })
    const id = accounts.list()[0]?.id ?? ''
    const before = db.prepare('SELECT key, value FROM meta').all()
    await accounts.enrol(ACCOUNT, KEY, id)
    db.exec('DELETE FROM meta')
    for (const row of before) db.prepare('INSERT INTO meta (key, value) VALUES (@key, @value)').run(row)
    await expectEnrolled(id)
  })
})

test('an account whose enrolment is interrupted while the keychain is written has the file’s folders', async () => {
  const { computer, clerk, prepared } = await enrolmentWorkstations()
  await prepared()
  const db = connectInMemory()
  migrate(db)
  onTestFinished(() => void db.close())
  let stored: readonly string[] | undefined
  const accounts = openAccounts({
    db,
    secrets: {
      ...lastingKeychain().accounts,
      async set(id) {
        stored = accounts.get(id).folders
      }
    },
    newId: () => 'a-1',
    time: { now: () => NOW }
  })
  await computer(clerk, { accounts }).enrol()
  expect(stored).toEqual(['Eingang', 'Signed'])
})

test('a person’s own sign-in and the practice office can’t be passed on', async () => {
  const { admin, computer } = await enrolmentWorkstations()
  const { id } = await admin.accounts.add({ kind: 'practice', name: 'Practice' })
  const oauth = { scheme: 'oauth', grant: 'code', clientId: 'harbour', issuer: 'https://login.example.com' } as const
  const mine = await admin.accounts.add({ kind: 'service', name: 'Mine', baseUrl: urlOf(admin), authentication: oauth })
  for (const one of [id, mine.id])
    expect(await refusal(computer(admin).prepare(one))).toMatchObject({ code: 'not-allowed' })
})
