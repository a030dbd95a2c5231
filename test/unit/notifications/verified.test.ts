import { expect, test } from 'vitest'
import { HOUR, office, TEN, view } from './office.ts'

function withAccount(options: Parameters<typeof office>[0] = {}) {
  const workstation = office(options)
  workstation.db
    .prepare(
      `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
     VALUES ('office', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', '[]', 1, 0)`
    )
    .run()
  const insert = workstation.db.prepare(
    `INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, rule_id, signatures, valid,
       not_valid, is_notified, answer) VALUES (@name, 'office', @name, @name, 1, 1, 'rule', @signatures, 0, @notValid, 0, '{}')`
  )
  const finds = (name: string, notValid = 1, signatures = 3) => insert.run({ name, notValid, signatures })
  return Object.assign(workstation, { finds })
}

test('invalid signatures found by a rule are notified once, with a link to the document', async () => {
  const workstation = withAccount()
  await workstation.atWork()
  workstation.finds('Lease')
  await workstation.goOn()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([
    {
      title: 'A signature isn’t valid',
      body: 'Lease: 1 of 3 signatures is not valid',
      isSilent: true,
      leadsTo: { accountId: 'office', reference: 'Lease' },
      changes: []
    }
  ])
})

test('many documents are combined into one notice', async () => {
  const workstation = withAccount()
  await workstation.atWork()
  for (const name of ['A', 'B', 'C', 'D']) workstation.finds(name, 2)
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    {
      title: '4 documents have signatures that aren’t valid',
      body: 'A, B, C and 1 more',
      leadsTo: { place: 'activity' }
    }
  ])
})

test('invalid signatures found in quiet hours, or before the application ended, are notified later', async () => {
  const workstation = withAccount({ now: TEN + 13 * HOUR })
  workstation.settings = { ...workstation.settings, quiet: { from: '22:00', to: '07:00' } }
  await workstation.atWork()
  workstation.finds('Lease', 2, 2)
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  workstation.settings = { ...workstation.settings, quiet: null }
  await workstation.atWork()
  expect(workstation.bodies()).toEqual(['Lease: 2 of 2 signatures are not valid'])
})

test('a name from the service stays on one line', async () => {
  const workstation = withAccount()
  await workstation.atWork()
  workstation.finds('Lease\n\u202eevil')
  await workstation.goOn()
  expect(workstation.bodies()).toEqual(['Lease evil: 1 of 3 signatures is not valid'])
})

test('these notices can be turned off, without catching up later, or limited to views', async () => {
  const workstation = withAccount()
  workstation.settings = { ...workstation.settings, kinds: { ...workstation.settings.kinds, 'not-valid': 'never' } }
  await workstation.atWork()
  workstation.finds('Lease')
  await workstation.goOn(HOUR)
  workstation.settings = { ...workstation.settings, kinds: { ...workstation.settings.kinds, 'not-valid': 'views' } }
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  workstation.views = [view('deeds', true)]
  workstation.worker.inViews.add('Deed')
  workstation.finds('Will')
  workstation.finds('Deed')
  await workstation.goOn(HOUR)
  expect(workstation.bodies()).toEqual(['Deed: 1 of 3 signatures is not valid'])
})
