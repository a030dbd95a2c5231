import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

const SATURDAY = '2026-11-21'
const SUNDAY = '2026-11-22'

function dueOffice(now = TEN) {
  const workstation = office({ now })
  workstation.worker.due[SUNDAY] = [{ reference: 'a', name: 'Will' }]
  return workstation
}

test('documents due tomorrow are notified once, from eight in the morning', async () => {
  const workstation = dueOffice(TEN - 3 * HOUR)
  await workstation.atWork()
  await workstation.goOn(50 * MINUTE)
  expect(workstation.shown).toEqual([])
  await workstation.goOn(30 * MINUTE)
  expect(workstation.shown).toMatchObject([
    { title: 'Due tomorrow', body: 'Will', leadsTo: { accountId: 'office', reference: 'a' } }
  ])
  await workstation.goOn(20 * HOUR)
  await workstation.atWork()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toHaveLength(1)
})

test('nothing is notified about documents due today, even if the application wasn’t running yesterday', async () => {
  const workstation = office()
  workstation.worker.due[SATURDAY] = [{ reference: 'a', name: 'Will' }]
  await workstation.atWork()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
})

test('a document with a postponed due date is notified again on the day before the new one', async () => {
  const workstation = dueOffice()
  await workstation.atWork()
  await workstation.goOn()
  workstation.worker.due = { '2026-11-24': [{ reference: 'a', name: 'Will' }] }
  await workstation.goOn(60 * HOUR)
  expect(workstation.titles()).toEqual(['Due tomorrow', 'Due tomorrow'])
})

test('many documents are combined into one notice that names some', async () => {
  const workstation = office()
  workstation.worker.due[SUNDAY] = Array.from({ length: 40 }, (_, index) => ({
    reference: `d${index}`,
    name: `Deed ${index}`
  }))
  await workstation.atWork()
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    { title: '40 documents are due tomorrow', body: 'Deed 0, Deed 1, Deed 2 and 37 more', changes: [] }
  ])
})

test('these notices can be limited to views, or turned off', async () => {
  const workstation = dueOffice()
  workstation.settings.kinds['due-tomorrow'] = 'never'
  await workstation.atWork()
  await workstation.goOn(HOUR)
  workstation.settings.kinds['due-tomorrow'] = 'views'
  workstation.views = [view('wills', true)]
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  workstation.worker.inViews.add('a')
  await workstation.goOn(HOUR)
  expect(workstation.shown).toHaveLength(1)
})

test('during quiet hours they wait until the end', async () => {
  const workstation = dueOffice()
  workstation.settings = { ...workstation.settings, quiet: { from: '06:00', to: '12:00' } }
  await workstation.atWork()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  await workstation.goOn(1.5 * HOUR)
  expect(workstation.shown).toMatchObject([{ title: 'During quiet hours', body: 'Will: Due tomorrow' }])
})

test.each([
  ['back by a day, and forward again', [-24, 24]],
  ['back by an hour', [-1]],
  ['forward by a month, and back again', [31 * 24, -31 * 24]],
  ['back and forward repeatedly', [-3, 3, -3, 3, -30, 30]]
])('a clock set %s causes only one notice', async (_how, jumps) => {
  const workstation = dueOffice()
  await workstation.atWork()
  await workstation.goOn(MINUTE)
  for (const hours of jumps) {
    workstation.time.now += hours * HOUR
    await workstation.goOn(30 * MINUTE)
  }
  expect(workstation.titles().filter((title) => title === 'Due tomorrow')).toHaveLength(1)
})

test.each([
  ['forward', Date.UTC(2026, 8, 25, 12), '2026-09-27', '2026-09-28'],
  ['back', Date.UTC(2026, 3, 3, 12), '2026-04-05', '2026-04-06']
])(
  'on days when clocks go %s, each document is notified once, from eight in the morning',
  async (_how, now, first, second) => {
    const workstation = office({ now })
    workstation.worker.due[first] = [{ reference: 'a', name: 'Will' }]
    workstation.worker.due[second] = [{ reference: 'b', name: 'Deed' }]
    await workstation.atWork()
    const hours: string[] = []
    for (let quarter = 0; quarter < 4 * 72; quarter++) {
      const before = workstation.shown.length
      await workstation.goOn(15 * MINUTE)
      const hour = new Date(workstation.time.now).toLocaleString('en-NZ', {
        hour: '2-digit',
        timeZone: 'Pacific/Auckland'
      })
      for (const { body } of workstation.shown.slice(before)) hours.push(`${body} ${hour}`)
    }
    expect(hours).toEqual(['Will 08 am', 'Deed 08 am'])
  }
)

test('nothing is notified or remembered of an account that is removed while its documents are looked for', async () => {
  const workstation = dueOffice(TEN - 3 * HOUR)
  await workstation.atWork()
  workstation.worker.whenAsked = (name) => {
    if (name === 'dueOn') workstation.accounts = []
  }
  await workstation.goOn(80 * MINUTE)
  expect(workstation.shown).toEqual([])
  expect(workstation.db.prepare(`SELECT key FROM meta WHERE key LIKE '%:office:%'`).all()).toEqual([])
})
