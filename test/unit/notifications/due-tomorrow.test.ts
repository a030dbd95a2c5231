import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

const SATURDAY = '2026-11-21'
const SUNDAY = '2026-11-22'

function dueOffice(now = TEN) {
  const here = office({ now })
  here.worker.due[SUNDAY] = [{ reference: 'a', name: 'Will' }]
  return here
}

test('documents due tomorrow are notified once, from eight in the morning', async () => {
  const here = dueOffice(TEN - 3 * HOUR)
  await here.atWork()
  await here.goOn(50 * MINUTE)
  expect(here.shown).toEqual([])
  await here.goOn(30 * MINUTE)
  expect(here.shown).toMatchObject([
    { title: 'Due tomorrow', body: 'Will', leadsTo: { accountId: 'office', reference: 'a' } }
  ])
  await here.goOn(20 * HOUR)
  await here.atWork()
  await here.goOn(HOUR)
  expect(here.shown).toHaveLength(1)
})

test('nothing is notified about documents due today, even if the application wasn’t running yesterday', async () => {
  const here = office()
  here.worker.due[SATURDAY] = [{ reference: 'a', name: 'Will' }]
  await here.atWork()
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
})

test('a document with a postponed due date is notified again on the day before the new one', async () => {
  const here = dueOffice()
  await here.atWork()
  await here.goOn()
  here.worker.due = { '2026-11-24': [{ reference: 'a', name: 'Will' }] }
  await here.goOn(60 * HOUR)
  expect(here.titles()).toEqual(['Due tomorrow', 'Due tomorrow'])
})

test('many documents are combined into one notice that names some', async () => {
  const here = office()
  here.worker.due[SUNDAY] = Array.from({ length: 40 }, (_, index) => ({
    reference: `d${index}`,
    name: `Deed ${index}`
  }))
  await here.atWork()
  await here.goOn()
  expect(here.shown).toMatchObject([
    { title: '40 documents are due tomorrow', body: 'Deed 0, Deed 1, Deed 2 and 37 more', changes: [] }
  ])
})

test('these notices can be limited to views, or turned off', async () => {
  const here = dueOffice()
  here.settings.kinds['due-tomorrow'] = 'never'
  await here.atWork()
  await here.goOn(HOUR)
  here.settings.kinds['due-tomorrow'] = 'views'
  here.views = [view('wills', true)]
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
  here.worker.inViews.add('a')
  await here.goOn(HOUR)
  expect(here.shown).toHaveLength(1)
})

test('during quiet hours they wait until the end', async () => {
  const here = dueOffice()
  here.settings = { ...here.settings, quiet: { from: '06:00', to: '12:00' } }
  await here.atWork()
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
  await here.goOn(1.5 * HOUR)
  expect(here.shown).toMatchObject([{ title: 'During quiet hours', body: 'Will: Due tomorrow' }])
})

test.each([
  ['back by a day, and forward again', [-24, 24]],
  ['back by an hour', [-1]],
  ['forward by a month, and back again', [31 * 24, -31 * 24]],
  ['back and forward repeatedly', [-3, 3, -3, 3, -30, 30]]
])('a clock set %s causes only one notice', async (_how, jumps) => {
  const here = dueOffice()
  await here.atWork()
  await here.goOn(MINUTE)
  for (const hours of jumps) {
    here.time.now += hours * HOUR
    await here.goOn(30 * MINUTE)
  }
  expect(here.titles().filter((title) => title === 'Due tomorrow')).toHaveLength(1)
})

test.each([
  ['forward', Date.UTC(2026, 8, 25, 12), '2026-09-27', '2026-09-28'],
  ['back', Date.UTC(2026, 3, 3, 12), '2026-04-05', '2026-04-06']
])(
  'on days when clocks go %s, each document is notified once, from eight in the morning',
  async (_how, now, first, second) => {
    const here = office({ now })
    here.worker.due[first] = [{ reference: 'a', name: 'Will' }]
    here.worker.due[second] = [{ reference: 'b', name: 'Deed' }]
    await here.atWork()
    const hours: string[] = []
    for (let quarter = 0; quarter < 4 * 72; quarter++) {
      const before = here.shown.length
      await here.goOn(15 * MINUTE)
      const hour = new Date(here.time.now).toLocaleString('en-NZ', { hour: '2-digit', timeZone: 'Pacific/Auckland' })
      for (const { body } of here.shown.slice(before)) hours.push(`${body} ${hour}`)
    }
    expect(hours).toEqual(['Will 08 am', 'Deed 08 am'])
  }
)
