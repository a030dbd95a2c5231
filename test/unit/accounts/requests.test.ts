/**
 * What the screens may ask of accounts: only the practice office has bad days, and what was learned of one service
 * never applies to another.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBrowserSignIn } from '../../../src/main/core/accounts/browser-sign-in.ts'
import { openClientCertificates } from '../../../src/main/core/accounts/client-certificates.ts'
import { openRights } from '../../../src/main/core/accounts/rights.ts'
import { openServiceFacts } from '../../../src/main/core/accounts/service-facts.ts'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { accountHandlers } from '../../../src/main/ipc/accounts.ts'
import { type PracticeDay, USUAL_DAY } from '../../../src/shared/contract/practice-day.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const asking = { from: 'office' as const, stillAsking: () => true }
const bad: PracticeDay = { dialects: ['v13'], refusal: '402' }
let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

function opened(addresses: { from?: string } = {}, parts: Partial<Parameters<typeof accountHandlers>[0]> = {}) {
  const days: PracticeDay[] = [USUAL_DAY]
  const forgotten: string[] = []
  const notes: AuditNote[] = []
  const facts = openServiceFacts({ db: work.db, time: systemTime, changed: () => undefined })
  const rights = openRights(work.db)
  const opens: string[] = []
  const presets: string[] = []
  const handlers = accountHandlers({
    accounts: work.accounts,
    clients: work.clients,
    polling: work.polling,
    facts,
    rights,
    lists: {
      templates: async () => ({ items: [] }),
      recipients: async () => ({ items: [] }),
      storedRecipients: () => [],
      forget: (id) => void forgotten.push(id)
    },
    practice: {
      start: async () => undefined,
      day: () => days.at(-1) ?? USUAL_DAY,
      setDay: async (day) => void days.push(day),
      mailbox: async () => 'http://127.0.0.1:4100/mailbox/key'
    },
    presets: { save: (id: string, name: string) => void presets.push(`${id} ${name}`) } as never,
    browserSignIn: openBrowserSignIn({
      fetch,
      newId: () => 'sign-in-1',
      time: systemTime,
      openInBrowser: async () => fail('cancelled', 'Nobody signs in here.')
    }),
    openInBrowser: async (url, id) => void opens.push(`${id} ${url}`),
    signedPreviews: {
      signedFrom: () => addresses.from ?? fail('not-allowed', 'None was looked at.'),
      forgetSigned: () => void delete addresses.from
    },
    authorities: { voucherFor: () => undefined },
    certificates: openClientCertificates({ ...work, time: systemTime, renewConnections: () => undefined }),
    requestOnce: async () => undefined,
    note: (note) => void notes.push(note),
    withDownloadsStopped: (_id, remove) => remove(),
    leaveAccount: async () => undefined,
    changed: () => undefined,
    ...parts
  })
  const learn = (id: string) => {
    facts.note(id, { formsBy: 'SendForms' })
    rights.learn(id, { reminders: 'no' })
  }
  const learned = (id: string) => [facts.of(id).formsBy, rights.of(id).reminders]
  return { handlers, days, opens, learn, learned, forgotten, notes, presets }
}

test('the practice office’s mailbox opens in the browser, and no other account has one', async () => {
  const { id } = await work.accounts.add({ kind: 'practice', name: 'Practice' })
  const { handlers, opens } = opened()
  await handlers['accounts.openMailbox']({ id }, asking)
  expect(opens).toEqual([`${id} http://127.0.0.1:4100/mailbox/key`])
  const other = await work.accounts.add({
    kind: 'service',
    name: 'Harbour Law',
    baseUrl: 'https://api.example.com',
    dataTypeSpelling: 'upper' as const,
    authentication: { scheme: 'none' }
  })
  await expect(handlers['accounts.openMailbox']({ id: other.id }, asking)).rejects.toMatchObject({
    appError: { code: 'not-allowed' }
  })
  expect(opens).toHaveLength(1)
})

test('a change that isn’t saved leaves no client with the previous credentials', async () => {
  const forgotten: string[] = []
  const { handlers } = opened(
    {},
    {
      accounts: { ...work.accounts, update: async () => fail('busy', 'A package is on its way.') },
      clients: { ...work.clients, forget: (id) => void forgotten.push(id) }
    }
  )
  const update = handlers['accounts.update'](
    { id: work.accountId, name: 'Other', baseUrl: work.accounts.get(work.accountId).baseUrl ?? '' },
    asking
  )
  await expect(update).rejects.toMatchObject({ appError: { code: 'busy' } })
  expect(forgotten).toEqual([work.accountId])
})

test('a removed account’s sign-in ends and the screens hear of it, even if its documents can’t be erased', async () => {
  const done: string[] = []
  const { handlers } = opened(
    {},
    {
      clients: { ...work.clients, prepareRevocation: async () => async () => done.push('sign-in ended') > 0 },
      polling: { ...work.polling, accountRemoved: async () => fail('storage', 'The disk is full.') },
      changed: () => void done.push('screens told')
    }
  )
  const removing = handlers['accounts.remove']({ id: work.accountId }, asking)
  await expect(removing).rejects.toMatchObject({ appError: { code: 'storage' } })
  expect(work.accounts.list()).toEqual([])
  expect(done.sort()).toEqual(['screens told', 'sign-in ended'])
})

test('a removed account’s certificate isn’t shown any more, not even on connections that remember it', async () => {
  let renewed = 0
  const certificates = openClientCertificates({ ...work, time: systemTime, renewConnections: () => void renewed++ })
  const { handlers } = opened({}, { certificates })
  const account = {
    kind: 'service',
    name: 'Harbour Law',
    baseUrl: 'https://api.example.com',
    dataTypeSpelling: 'upper',
    authentication: { scheme: 'none' }
  } as const
  const certificate = { fingerprint: 'a', subject: 'Harbour Law', issuer: 'Root' }
  const { id } = await handlers['accounts.add']({ ...account, certificate }, asking)
  const other = await handlers['accounts.add']({ ...account, name: 'Branch' }, asking)
  expect(renewed).toBe(1)
  await handlers['accounts.remove']({ id }, asking)
  expect(renewed).toBe(2)
  await handlers['accounts.remove']({ id: other.id }, asking)
  expect(renewed).toBe(2)
})

test('the practice office starts with a preset for trying a bulk send, and no other account does', async () => {
  const { handlers, presets } = opened()
  const { id } = await handlers['accounts.add']({ kind: 'practice', name: 'Practice' }, asking)
  await handlers['accounts.add'](
    {
      kind: 'service',
      name: 'Harbour Law',
      baseUrl: 'https://api.example.com',
      dataTypeSpelling: 'upper' as const,
      authentication: { scheme: 'none' }
    },
    asking
  )
  expect(presets).toEqual([`${id} Client engagement letter`])
})

test('the practice office simulates the given problems, shows them, and what was learned of it is forgotten', async () => {
  const { id } = await work.accounts.add({ kind: 'practice', name: 'Practice' })
  const { handlers, days, learn, learned } = opened()
  learn(id)
  expect(await handlers['accounts.setPracticeDay']({ id, day: bad }, asking)).toMatchObject({ id, day: bad })
  expect(days.at(-1)).toEqual(bad)
  expect(learned(id)).toEqual([undefined, 'unknown'])
  const daysOf = (await handlers['accounts.list'](undefined, asking)).map(({ kind, day }) => [kind, day])
  expect(daysOf).toContainEqual(['practice', bad])
  expect(daysOf.filter(([kind]) => kind === 'service')).toEqual([['service', undefined]])
  expect(await handlers['accounts.setPracticeDay']({ id, day: USUAL_DAY }, asking)).not.toHaveProperty('day')
})

test('no other account can simulate problems', async () => {
  const { handlers, days } = opened()
  const answer = handlers['accounts.setPracticeDay']({ id: work.accountId, day: bad }, asking)
  await expect(answer).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  expect(days).toEqual([USUAL_DAY])
})

test('what was learned of an account is forgotten with another address or key, but not with another name', async () => {
  const { handlers, learn, learned, forgotten } = opened()
  const { accountId: id } = work
  const { baseUrl } = work.accounts.get(id)
  const change = { id, baseUrl: baseUrl ?? '' }
  learn(id)
  await handlers['accounts.update']({ ...change, name: 'Another name' }, asking)
  expect(learned(id)).toEqual(['SendForms', 'no'])
  expect(forgotten).toEqual([])
  await handlers['accounts.update']({ ...change, name: 'Office', authentication: { scheme: 'none' } }, asking)
  expect(learned(id)).toEqual([undefined, 'unknown'])
  learn(id)
  await handlers['accounts.update']({ ...change, name: 'Office', baseUrl: `${baseUrl}/web/v1.4` }, asking)
  expect(learned(id)).toEqual([undefined, 'unknown'])
  expect(forgotten).toEqual([id, id])
})

test('signed documents may be saved once one was seen, from its origin, until that is revoked', async () => {
  const id = work.accounts.list()[0]?.id ?? ''
  const addresses: { from?: string } = {}
  const { handlers } = opened(addresses)
  const savesSigned = async () => (await handlers['accounts.list'](undefined, asking))[0]?.savesSigned
  expect(await savesSigned()).toBe('unknown')
  await expect(handlers['accounts.allowSigned']({ id, allow: true }, asking)).rejects.toMatchObject({
    appError: { code: 'not-allowed' }
  })
  expect(await savesSigned()).toBe('unknown')
  addresses.from = 'https://www.sign.example.com'
  await handlers['accounts.allowSigned']({ id, allow: true }, asking)
  expect(await savesSigned()).toBe('yes')
  expect(openRights(work.db).of(id).signedFrom).toEqual(['https://www.sign.example.com'])
  const { name, baseUrl, scheme } = work.accounts.get(id)
  expect(scheme).toBeTruthy()
  const change = { id, name, baseUrl: baseUrl ?? '', authentication: { scheme: 'bearer' as const, token: 'another-1' } }
  expect(await handlers['accounts.update'](change, asking)).toMatchObject({ savesSigned: 'yes' })
  expect(await handlers['accounts.allowSigned']({ id, allow: false }, asking)).toMatchObject({ savesSigned: 'no' })
  addresses.from = 'https://files.example.com'
  expect(await handlers['accounts.allowSigned']({ id, allow: true }, asking)).toMatchObject({
    savesSigned: 'yes',
    signedFrom: ['https://files.example.com']
  })
  const moved = { ...change, baseUrl: 'https://other.example.com/web/v1.4' }
  expect(await handlers['accounts.update'](moved, asking)).toMatchObject({ savesSigned: 'unknown' })
  expect(addresses.from).toBeUndefined()
})

test('what a person allowed one service is gone when its address changes, whatever else goes wrong', async () => {
  const { accountId: id } = work
  const rights = openRights(work.db)
  rights.learn(id, { signedDocuments: 'yes', signedFrom: ['https://www.sign.example.com'] })
  const keys = work.db.prepare(`SELECT count(*) FROM meta WHERE instr(key, ?) > 0`).pluck()
  expect(keys.get(`rights:${id}:`)).toBe(1)
  await work.accounts.update(id, { name: 'Another name' })
  expect(rights.of(id).signedDocuments).toBe('yes')
  const otherAddress = { baseUrl: 'https://other.example.com', authentication: { scheme: 'none' as const } }
  await work.accounts.update(id, otherAddress)
  expect(openRights(work.db).of(id)).toMatchObject({ signedDocuments: 'unknown', signedFrom: [] })
})

test('changes of where documents and secrets go are in the audit trail, without any secret', async () => {
  const addresses: { from?: string } = {}
  const { handlers, notes } = opened(addresses)
  await handlers['accounts.add']({ kind: 'practice', name: 'Practice' }, asking)
  const service = { name: 'Office', baseUrl: 'https://one.example.com/web/v1.4' }
  const key = { scheme: 'bearer' as const, token: 'k3y-nobody-may-see' }
  const { id } = await handlers['accounts.add']({ kind: 'service', ...service, authentication: key }, asking)
  const moved = { name: 'Office 2', baseUrl: 'https://two.example.com/web/v1.4', authentication: key }
  await handlers['accounts.update']({ id, ...moved }, asking)
  await handlers['accounts.update']({ id, ...moved, authentication: undefined, folders: ['InBox'] }, asking)
  addresses.from = 'https://files.example.com'
  await handlers['accounts.allowSigned']({ id, allow: true }, asking)
  await handlers['accounts.remove']({ id }, asking)
  const address = `${service.baseUrl} → ${moved.baseUrl}`
  expect(notes).toEqual([
    { what: 'account-added', detail: { account: 'Office', address: service.baseUrl } },
    {
      what: 'account-changed',
      detail: { account: 'Office 2', changed: 'name, address, sign-in', before: 'Office', address }
    },
    { what: 'account-changed', detail: { account: 'Office 2', changed: 'folders', address: '' } },
    {
      what: 'account-changed',
      detail: { account: 'Office 2', changed: 'signed documents may be saved', origin: 'https://files.example.com' }
    },
    { what: 'account-removed', detail: { account: 'Office 2', address: moved.baseUrl } }
  ])
  expect(JSON.stringify(notes)).not.toContain(key.token)
})

test('an account without browser sign-in can’t be signed in to again with a browser', async () => {
  const { handlers } = opened()
  const baseUrl = 'https://one.example.com/web/v1.4'
  const oauth = { scheme: 'oauth', grant: 'client', clientId: 'office', secret: 'made-up', issuer: baseUrl } as const
  const bearer = { scheme: 'bearer', token: 'made-up' } as const
  for (const [index, authentication] of [oauth, bearer].entries()) {
    const { id } = await work.accounts.add({ kind: 'service', name: `Office ${index}`, baseUrl, authentication })
    await expect(handlers['accounts.signInAgain']({ id }, asking)).rejects.toMatchObject({
      appError: { code: 'not-allowed' }
    })
  }
  const byCode = { scheme: 'oauth', grant: 'code', clientId: 'office', issuer: baseUrl } as const
  const added = handlers['accounts.add']({ kind: 'service', name: 'Office 3', baseUrl, authentication: byCode }, asking)
  await expect(added).rejects.toMatchObject({ appError: { code: 'invalid' } })
  expect(work.accounts.list().map(({ name }) => name)).not.toContain('Office 3')
})

test('a repeated sign-in isn’t used for a service to which the account was changed meanwhile', async () => {
  const back = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const browserSignIn = openBrowserSignIn({
    fetch,
    newId: () => 'id',
    time: systemTime,
    openInBrowser: async () => undefined
  })
  const abandoned: unknown[] = []
  const { handlers, notes } = opened(
    {},
    {
      browserSignIn: {
        ...browserSignIn,
        abandon: async ({ tokens }) => void abandoned.push(tokens),
        async signIn(typed) {
          left.resolve()
          await back.promise
          return { ...typed, tokens: { refresh: 'new' } }
        }
      }
    }
  )
  const apiKey = { key: 'made-up-key', secret: 'made-up-secret', referer: 'https://office.example.com' }
  const client = { scheme: 'oauth', grant: 'code', clientId: 'office', issuer: 'https://login.example.com' } as const
  const { id } = await work.accounts.add({
    kind: 'service',
    name: 'Office',
    baseUrl: 'https://one.example.com',
    authentication: { ...client, apiKey, tokens: { refresh: 'old' } }
  })
  const signIn = handlers['accounts.signInAgain']({ id }, asking)
  await left.promise
  const otherAddress = 'https://elsewhere.example.com'
  const bearer = { scheme: 'bearer', token: 'made-up' } as const
  await handlers['accounts.update']({ id, name: 'Office', baseUrl: otherAddress, authentication: bearer }, asking)
  back.resolve()
  await expect(signIn).rejects.toMatchObject({ appError: { code: 'cancelled' } })
  expect(await work.accounts.credentialsOf(id)).toEqual(bearer)
  expect(notes).toHaveLength(1)
  expect(abandoned).toEqual([{ refresh: 'new' }])
})

test('a repeated sign-in that can’t be stored is revoked, and one that is stored is not', async () => {
  const baseUrl = 'https://api.example.com'
  const client = { scheme: 'oauth', grant: 'code', clientId: 'office', issuer: baseUrl } as const
  const authentication = { ...client, tokens: { refresh: 'old' } }
  const { id } = await work.accounts.add({ kind: 'service', name: 'Office', baseUrl, authentication })
  const abandoned: unknown[] = []
  let isBusy = true
  const { handlers } = opened(
    {},
    {
      accounts: {
        ...work.accounts,
        update: (...its) => (isBusy ? fail('busy', 'A package is on its way.') : work.accounts.update(...its))
      },
      clients: { ...work.clients, prepareRevocation: async () => async () => true },
      browserSignIn: {
        ...openBrowserSignIn({ fetch, newId: () => 'id', time: systemTime, openInBrowser: async () => undefined }),
        signIn: async (typed) => ({ ...typed, tokens: { refresh: 'new' } }),
        abandon: async ({ tokens }) => void abandoned.push(tokens)
      }
    }
  )
  await expect(handlers['accounts.signInAgain']({ id }, asking)).rejects.toMatchObject({ appError: { code: 'busy' } })
  expect(abandoned).toEqual([{ refresh: 'new' }])
  isBusy = false
  await handlers['accounts.signInAgain']({ id }, asking)
  expect(abandoned).toHaveLength(1)
})

test('a new sign-in revokes the previous one once it is stored', async () => {
  const baseUrl = 'https://api.example.com'
  const { id } = await work.accounts.add({
    kind: 'service',
    name: 'Office',
    baseUrl,
    authentication: { scheme: 'none' }
  })
  const done: string[] = []
  const clients = { ...work.clients, prepareRevocation: async () => async () => done.push('ended') > 0 }
  const update = opened({}, { clients }).handlers['accounts.update']
  await update({ id, name: 'Office', baseUrl }, asking)
  expect(done).toEqual([])
  const authentication = { scheme: 'bearer', token: 'new' } as const
  await update({ id, name: 'Office', baseUrl, authentication }, asking)
  expect(done).toEqual(['ended'])
})
