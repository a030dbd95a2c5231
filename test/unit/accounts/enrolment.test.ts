/** Enrolment files: an account goes from one computer to another with its secret, which no screen, log or trail sees. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { sealed } from '../../../src/main/core/backup/sealed-file.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { enrolmentHandlers } from '../../../src/main/ipc/enrolment.ts'
import { ENROLMENT_CODE_BYTES, recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { temporaryFolder } from '../storage/folders.ts'

const TOKEN = 'planted-token-of-the-office'
const BEARER = { scheme: 'bearer', token: TOKEN } as const
const CODE = recoveryKeyText(new Uint8Array(ENROLMENT_CODE_BYTES).fill(7))
const OTHER_CODE = recoveryKeyText(new Uint8Array(ENROLMENT_CODE_BYTES).fill(8))
const DAY = 86_400_000
const asking = { from: 'office' as const, stillAsking: () => true }

let admin: Workplace
let clerk: Workplace
let file: string
beforeEach(async () => {
  admin = await openWorkplace()
  clerk = await openWorkplace()
  file = join(temporaryFolder(), 'Harbour.countersign-enrolment')
})
afterEach(async () => {
  await admin.close()
  await clerk.close()
})

type Parts = Parameters<typeof enrolmentHandlers>[0]
const clock = { now: () => 1_800_000_000_000 }

/** What a computer's screens may ask; the dialogs always choose the file. */
function computer({ accounts, clients }: Workplace, parts: Partial<Parts> = {}) {
  const notes: AuditNote[] = []
  const others: string[] = []
  const handlers = enrolmentHandlers({
    ...{ accounts, clients, newId: () => 'file-1', madeBy: 'Countersign 1.0.0' },
    time: { now: () => clock.now(), zone: () => 'UTC' },
    chooseFiles: async () => [file],
    chooseSaveFile: async () => file,
    note: (note) => void notes.push(note),
    mayAdd: () => undefined,
    isManaged: () => false,
    signsInOtherwise: (id) => void others.push(id),
    changed: () => undefined,
    ...parts
  })
  return {
    ...{ notes, others },
    prepare: (id: string, days = 14) => handlers['enrolment.prepare']({ id, code: CODE, days }, asking),
    choose: () => handlers['enrolment.choose'](undefined, asking),
    enrol: async (code = CODE) => {
      await handlers['enrolment.choose'](undefined, asking)
      return handlers['enrolment.enrol']({ id: 'file-1', code }, asking)
    }
  }
}

const urlOf = ({ accounts, accountId }: Workplace) => accounts.get(accountId).baseUrl ?? ''

/** An administrator's computer with the account, and its file. */
async function prepared(name = 'Harbour') {
  const { accounts } = admin
  const { id } = await accounts.add({ kind: 'service', name, baseUrl: urlOf(admin), authentication: BEARER })
  await accounts.update(id, { folders: ['Eingang', 'Signed'] })
  accounts.mark(id, { colour: '#c2487a' })
  const desk = computer(admin)
  return { id, desk, answer: await desk.prepare(id) }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error.appError
  )

test('an account goes to another computer with its secret, folders and colour, and neither secret nor code is seen', async () => {
  const { desk, answer } = await prepared()
  expect(answer).toMatchObject({ label: 'Harbour.countersign-enrolment', validUntil: clock.now() + 14 * DAY })
  const there = computer(clerk)
  const chosen = await there.choose()
  // However it is typed.
  const enrolled = await there.enrol(CODE.toLowerCase().replaceAll('-', ' '))
  expect(clerk.accounts.get(enrolled.id)).toMatchObject({
    ...{ name: 'Harbour', baseUrl: urlOf(admin), scheme: 'bearer', colour: '#c2487a' },
    folders: ['Eingang', 'Signed']
  })
  expect(await clerk.accounts.secretsOf(enrolled.id)).toEqual(BEARER)
  expect(clerk.accounts.isEnrolled(enrolled.id)).toBe(true)
  expect(desk.notes).toMatchObject([{ what: 'enrolment-prepared', detail: { account: 'Harbour' } }])
  expect(there.notes).toMatchObject([{ what: 'account-added', detail: { account: 'Harbour', how: 'enrolment file' } }])
  const seen = JSON.stringify([answer, chosen, enrolled, desk.notes, there.notes, readFileSync(file, 'latin1')])
  expect(seen).not.toContain(TOKEN)
  expect(seen).not.toContain(CODE.slice(0, 5))
})

describe('nothing is added', () => {
  test.each([
    [
      'with another file’s code',
      () => OTHER_CODE,
      { code: 'invalid', message: 'This isn’t the code of this file.', fields: [{ field: 'code' }] }
    ],
    [
      'with a code that has a slip',
      () => CODE.replace(/^./, 'Z'),
      { code: 'invalid', message: expect.stringContaining('mistake'), fields: [{ field: 'code' }] }
    ],
    ['with half a code', () => CODE.slice(0, 11), { code: 'invalid', fields: [{ field: 'code' }] }]
  ])('%s', async (_, code, failure) => {
    await prepared()
    expect(await failureOf(computer(clerk).enrol(code()))).toMatchObject(failure)
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('once its time is over', async () => {
    await prepared()
    const over = computer(clerk, { time: { now: () => clock.now() + 14 * DAY, zone: () => 'UTC' } })
    expect(await failureOf(over.enrol())).toMatchObject({ message: 'This enrolment file is no longer valid.' })
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('where an account has its name, whatever its capitals', async () => {
    await prepared('TEST OFFICE 2')
    await clerk.accounts.add({ kind: 'practice', name: 'Test office 2' })
    expect(await failureOf(computer(clerk).enrol())).toMatchObject({ code: 'invalid', fields: [{ field: 'name' }] })
    expect(clerk.accounts.list()).toHaveLength(2)
  })

  test('of a file that was damaged, is a backup, or none of ours', async () => {
    await prepared()
    const bytes = readFileSync(file)
    const last = bytes.byteLength - 1
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last)
    const pieces: Buffer[] = []
    const content = async function* () {
      yield Buffer.from('{}')
    }
    for await (const piece of sealed(content(), CODE, { madeAt: 0, madeBy: 'Countersign' })) pieces.push(piece)
    for (const wrong of [bytes, bytes.subarray(0, 400), Buffer.concat(pieces), Buffer.from('{"account":"x"}')]) {
      writeFileSync(file, wrong)
      expect(await failureOf(computer(clerk).enrol())).toMatchObject({
        ...{ code: 'bad-file', message: 'This isn’t a complete enrolment file.' }
      })
    }
    expect(clerk.accounts.list()).toHaveLength(1)
  })

  test('where the organisation allows no such account, or its service doesn’t answer', async () => {
    await prepared()
    const locked = computer(clerk, { mayAdd: () => fail('not-allowed', 'This is set by your organisation.') })
    expect(await failureOf(locked.enrol())).toMatchObject({ code: 'not-allowed' })
    await admin.line.goDown()
    expect(await failureOf(computer(clerk).enrol())).toMatchObject({
      code: 'refused'
    })
    expect(clerk.accounts.list()).toHaveLength(1)
  })
})

test('an account of the policy that waits for its secret gets it, and no other account of that name does', async () => {
  await prepared()
  await clerk.accounts.manage({ name: 'Harbour', baseUrl: urlOf(admin), scheme: 'bearer' })
  expect(await failureOf(computer(clerk).enrol())).toMatchObject({ code: 'invalid' })
  const desk = computer(clerk, { isManaged: () => true })
  const { id } = await desk.enrol()
  expect(await clerk.accounts.secretsOf(id)).toEqual(BEARER)
  expect(desk.others).toEqual([id])
  // One that has its secret waits for none.
  expect(await failureOf(desk.enrol())).toMatchObject({ code: 'invalid', fields: [{ field: 'name' }] })
  expect(desk.notes).toMatchObject([{ what: 'account-changed', detail: { how: 'enrolment file' } }])
  expect(clerk.accounts.list()).toHaveLength(2)
})

test('an enrolled account goes into no other file and no backup, until someone here enters a secret of their own', async () => {
  await prepared()
  const desk = computer(clerk)
  const { id } = await desk.enrol()
  expect(await failureOf(desk.prepare(id))).toMatchObject({ code: 'not-allowed' })
  expect(clerk.accounts.idsForBackup()).toEqual([clerk.accountId])
  await clerk.accounts.update(id, { name: 'Harbour Law' })
  expect(clerk.accounts.isEnrolled(id)).toBe(true)
  await clerk.accounts.update(id, { authentication: { ...BEARER, token: 'typed-here' } })
  expect(clerk.accounts.isEnrolled(id)).toBe(false)
  expect(clerk.accounts.idsForBackup()).toEqual([clerk.accountId, id])
  expect(await desk.prepare(id)).not.toBeNull()
})

test('a person’s own sign-in and the practice office are not given on', async () => {
  const { id } = await admin.accounts.add({ kind: 'practice', name: 'Practice' })
  const oauth = { scheme: 'oauth', grant: 'code', clientId: 'harbour', issuer: 'https://login.example.com' } as const
  const mine = await admin.accounts.add({ kind: 'service', name: 'Mine', baseUrl: urlOf(admin), authentication: oauth })
  for (const one of [id, mine.id])
    expect(await failureOf(computer(admin).prepare(one))).toMatchObject({ code: 'not-allowed' })
})
