import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN } from './office.ts'

function withFolder(options: Parameters<typeof office>[0] = {}) {
  const here = office(options)
  const { db } = here
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
  return Object.assign(here, { refuse })
}

test('a refused file of a drop folder is notified once, with the reason and a link to the activity', async () => {
  const here = withFolder()
  await here.atWork()
  here.refuse('may.csv')
  await here.goOn()
  await here.goOn(HOUR)
  expect(here.shown).toEqual([
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
  const here = withFolder()
  await here.atWork()
  for (const name of ['may.csv', 'june.csv', 'july.csv']) here.refuse(name)
  await here.goOn()
  expect(here.shown).toMatchObject([{ title: '3 files in “Claims” were refused', body: 'july.csv and 2 more' }])
})

test('files refused in quiet hours or during a session are notified afterwards', async () => {
  const here = withFolder({ now: TEN + 13 * HOUR })
  here.settings = { ...here.settings, quiet: { from: '22:00', to: '07:00' } }
  await here.atWork()
  here.refuse('may.csv')
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
  here.isSigning = true
  await here.goOn(8 * HOUR)
  expect(here.shown).toEqual([])
  here.isSigning = false
  await here.goOn(MINUTE)
  expect(here.titles()).toEqual(['A file in “Claims” was refused'])
})

test('files refused before the application ended are notified in the next run', async () => {
  const here = withFolder()
  here.isSigning = true
  await here.atWork()
  here.refuse('may.csv')
  await here.goOn()
  here.isSigning = false
  await here.atWork()
  expect(here.titles()).toEqual(['A file in “Claims” was refused'])
})
