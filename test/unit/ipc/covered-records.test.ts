/** A request reaches only records of the accounts that it covers: those shown, or the one that it names. */
import { test as base, expect, onTestFinished } from 'vitest'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { AppFailure, fail } from '../../../src/main/core/lib/failure.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { coveredOwner, coveredRecord } from '../../../src/main/ipc/covered-accounts.ts'
import { namedAccount } from '../../../src/main/ipc/registration.ts'

const test = base.extend('office', async () => {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const ids = ['first', 'second']
  const newId = () => ids.shift() ?? ''
  const accounts = openAccounts({ db, secrets: memoryKeychain().accounts, newId, time: { now: Date.now } })
  for (const name of ['One', 'Two']) {
    await accounts.add({
      kind: 'service',
      name,
      baseUrl: 'https://sign.example.com',
      authentication: { scheme: 'none' }
    })
  }
  accounts.choose('first')
  const ownerOf = (id: string) => {
    if (id === 'none') throw new AppFailure({ code: 'gone', message: 'It was removed.' })
    return id.startsWith('f') ? 'first' : 'second'
  }
  const refuse = () => fail('gone', 'This belongs to another account.', { next: 'Choose that account.' })
  const own = coveredRecord(accounts, ownerOf, refuse)
  return { accounts, own, owner: (id: string) => coveredOwner(accounts, ownerOf(id)) }
})

test('a record of the account that is shown is found, and of another one is not', ({ office: { own, owner } }) => {
  expect(own('f1')).toBe('f1')
  const theirs = {
    appError: { code: 'gone', message: 'This belongs to another account.', next: 'Choose that account.' }
  }
  expect(() => own('s1')).toThrow(expect.objectContaining(theirs))
  // The chosen account doesn't have it, and says so itself.
  expect([owner('f1'), owner('s1')]).toEqual(['first', 'first'])
})

test('where all accounts are shown, each one’s records are found', ({ office: { accounts, own, owner } }) => {
  accounts.showAll(true)
  expect([own('f1'), own('s1'), owner('f1'), owner('s1')]).toEqual(['f1', 's1', 'first', 'second'])
})

test('a request that names an account reaches only that one’s', ({ office: { accounts, own, owner } }) => {
  accounts.showAll(true)
  namedAccount.run('second', () => {
    expect(own('s1')).toBe('s1')
    expect(() => own('f1')).toThrow()
    expect(owner('f1')).toBe('second')
  })
})

test('a record that is gone is said to be gone', ({ office: { own } }) => {
  expect(() => own('none')).toThrow(expect.objectContaining({ appError: { code: 'gone', message: 'It was removed.' } }))
})
