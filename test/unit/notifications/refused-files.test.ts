import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN } from './office.ts'

function withFolder(options: Parameters<typeof office>[0] = {}) {
  const workstation = office(options)
  const { db } = workstation
  db.prepare(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
     VALUES ('office', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', '[]', 1, 0)`
  ).run()
  db.prepare(`INSERT INTO drop_folders (id, account_id, place, created_at) VALUES ('f', 'office', ?, 1)`).run(
    '/office/Claims'
  )
  const insert = db.prepare(
    `INSERT INTO drop_folder_files (id, folder_id, name, size, sha256, state, taken_at, batch_id, outcome, error)
     VALUES (?, 'f', ?, 1, '', 'finished', 1, 'b', 'failed', ?)`
  )
  const refuse = (name: string) =>
    insert.run(name, name, JSON.stringify({ code: 'bad-file', message: 'It has no rows.' }))
  return Object.assign(workstation, { refuse })
}

test('a refused file of a drop folder is notified once, with the reason and a link to the activity', async () => {
  const workstation = withFolder()
  await workstation.atWork()
  workstation.refuse('may.csv')
  await workstation.goOn()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([
    {
      title: 'A file in “Claims” was refused',
      body: 'may.csv: It has no rows.',
      isSilent: true,
      leadsTo: { accountId: 'office', place: 'activity' },
      changes: []
    }
  ])
})

test('several refused files are combined into one notice', async () => {
  const workstation = withFolder()
  await workstation.atWork()
  for (const name of ['may.csv', 'june.csv', 'july.csv']) workstation.refuse(name)
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([{ title: '3 files in “Claims” were refused', body: 'july.csv and 2 more' }])
})

test('files refused in quiet hours or during a session are notified afterwards', async () => {
  const workstation = withFolder({ now: TEN + 13 * HOUR })
  workstation.settings = { ...workstation.settings, quiet: { from: '22:00', to: '07:00' } }
  await workstation.atWork()
  workstation.refuse('may.csv')
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  workstation.isSigning = true
  await workstation.goOn(8 * HOUR)
  expect(workstation.shown).toEqual([])
  workstation.isSigning = false
  await workstation.goOn(MINUTE)
  expect(workstation.titles()).toEqual(['A file in “Claims” was refused'])
})

test('files refused before the application ended are notified in the next run', async () => {
  const workstation = withFolder()
  workstation.isSigning = true
  await workstation.atWork()
  workstation.refuse('may.csv')
  await workstation.goOn()
  workstation.isSigning = false
  await workstation.atWork()
  expect(workstation.titles()).toEqual(['A file in “Claims” was refused'])
})
