import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

test('a configured change is notified once, and links to its document', async () => {
  const { worker, shown, ...here } = office()
  await here.atWork()
  const { id } = worker.happens({ documentName: 'Deed of gift', kind: 'declined', signer: 'Ann Example' })
  worker.happens({ kind: 'moved' })
  worker.happens({ kind: 'signed' })
  await here.goOn()
  await here.goOn(HOUR)
  expect(shown).toEqual([
    {
      title: 'Ann Example declined to sign',
      body: 'Deed of gift',
      isSilent: true,
      leadsTo: { accountId: 'office', reference: 'doc-1' },
      changes: [id]
    }
  ])
})

test('sound is used if configured', async () => {
  const here = office()
  here.settings = { ...here.settings, sound: true }
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  expect(here.shown.map(({ isSilent }) => isSilent)).toEqual([false])
})

test('this workstation’s own changes aren’t notified', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens({ isOwn: true })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('kinds limited to views are notified only for documents in them', async () => {
  const here = office()
  here.views = [view('counter', true), view('others', false)]
  here.worker.inViews.add('doc-2')
  await here.atWork()
  here.worker.happens({ kind: 'waits-here', signer: 'Bo Example' })
  here.worker.happens({ kind: 'waits-here', signer: 'Cy Example' })
  await here.goOn()
  expect(here.titles()).toEqual(['Cy Example can sign at the counter'])
})

test('a view without notifications causes none', async () => {
  const here = office()
  here.views = [view('others', false)]
  here.worker.inViews.add('doc-1')
  await here.atWork()
  here.worker.happens({ kind: 'waits-here' })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('several changes of one document are one notice, the most important first', async () => {
  const here = office()
  here.settings.kinds.signed = 'always'
  await here.atWork()
  here.worker.happens({ reference: 'a', documentName: 'Will', kind: 'signed', signer: 'Ann Example' })
  here.worker.happens({ reference: 'a', documentName: 'Will', kind: 'completed' })
  await here.goOn()
  expect(here.shown).toMatchObject([
    { title: 'Everyone has signed', body: 'Will · Ann Example signed', changes: [1, 2] }
  ])
})

test('three documents are notified separately, and four or more in one notice that links to the activity', async () => {
  const here = office()
  here.settings.kinds.signed = 'always'
  await here.atWork()
  for (let one = 0; one < 3; one++) here.worker.happens()
  await here.goOn()
  expect(here.shown).toHaveLength(3)
  for (let one = 0; one < 12; one++) here.worker.happens({ kind: one < 5 ? 'signed' : 'completed' })
  await here.goOn()
  expect(here.shown.slice(3)).toMatchObject([
    {
      title: '12 documents changed',
      body: '7 complete, 5 signed',
      leadsTo: { accountId: 'office', place: 'activity' },
      changes: Array.from({ length: 12 }, (_, index) => index + 4)
    }
  ])
})

test('ten thousand changes are one notice', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 10_000; one++) here.worker.happens()
  await here.goOn()
  expect(here.titles()).toEqual(['10,000 documents changed'])
})

test('many changes in quick succession are combined, too', async () => {
  const here = office()
  await here.atWork()
  for (let second = 0; second < 120; second += 5) {
    here.worker.happens()
    await here.goOn()
  }
  await here.goOn(MINUTE)
  expect(here.shown.length).toBeLessThan(20)
  expect(here.shown.flatMap(({ changes }) => changes)).toEqual(here.worker.changes.map(({ id }) => id))
})

test('quiet hours can span midnight, and their changes are notified together at the end', async () => {
  const here = office({ now: TEN + 11.5 * HOUR })
  here.settings = { ...here.settings, quiet: { from: '22:00', to: '07:00' } }
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  expect(here.shown).toHaveLength(1)
  await here.time.pass(HOUR)
  for (let one = 0; one < 3; one++) here.worker.happens()
  await here.goOn(8 * HOUR)
  expect(here.shown).toHaveLength(1)
  await here.goOn(HOUR)
  expect(here.shown.slice(1)).toMatchObject([
    { title: 'During quiet hours', body: '3 documents changed: 3 complete', changes: [2, 3, 4] }
  ])
})

test('changes in quiet hours survive a crash', async () => {
  const here = office({ now: TEN + 13 * HOUR })
  here.settings = { ...here.settings, quiet: { from: '22:00', to: '07:00' } }
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  await here.open()
  here.worker.reads()
  await here.goOn(9 * HOUR)
  expect(here.shown).toMatchObject([{ title: 'While you were away', changes: [1] }])
})

test('during a session nothing is shown, and existing notices are withdrawn', async () => {
  const here = office()
  const notifier = await here.atWork()
  here.isSigning = true
  notifier.counterChanged()
  expect(here.withdrawn).toBe(1)
  here.worker.happens()
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
  here.isSigning = false
  notifier.counterChanged()
  await here.goOn()
  expect(here.titles()).toEqual(['Everyone has signed'])
})

test('no notice is shown if the screen is handed over while it is being prepared', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens({ kind: 'waits-here' })
  here.views = [view('counter', true)]
  here.worker.inViews.add('doc-1')
  here.worker.whenAsked = (name) => {
    if (name === 'matching') here.isSigning = true
  }
  await here.goOn(HOUR)
  expect(here.isSigning).toBe(true)
  expect(here.shown).toEqual([])
  here.worker.whenAsked = () => undefined
  here.isSigning = false
  await here.goOn()
  expect(here.shown.flatMap(({ changes }) => changes)).toEqual([1])
})

test('changes found by the first reading of the folders are notified as having happened while away', async () => {
  const here = office()
  await here.atWork()
  await here.open()
  for (let one = 0; one < 100; one++) here.worker.happens({ kind: one < 60 ? 'completed' : 'expired' })
  await here.goOn(10_000)
  expect(here.shown).toEqual([])
  here.worker.reads()
  await here.goOn()
  expect(here.shown).toMatchObject([
    { title: 'While you were away', body: '100 documents changed: 40 expired, 60 complete' }
  ])
  here.worker.happens()
  await here.goOn()
  expect(here.titles()[1]).toBe('Everyone has signed')
})

test('a single document changed while away is named and linked', async () => {
  const here = office()
  await here.open()
  here.worker.happens({ documentName: 'Will' })
  here.worker.reads()
  await here.goOn()
  expect(here.shown).toMatchObject([
    {
      title: 'While you were away',
      body: 'Will: Everyone has signed',
      leadsTo: { accountId: 'office', reference: 'doc-1' }
    }
  ])
})

test('an account that can’t be read delays the others by at most a minute', async () => {
  const here = office()
  here.accounts.push({ id: 'second' })
  await here.open()
  here.worker.reads()
  here.worker.happens()
  await here.goOn(50_000)
  expect(here.shown).toEqual([])
  await here.goOn(15_000)
  expect(here.titles()).toEqual(['While you were away'])
  here.worker.happens()
  await here.goOn()
  expect(here.titles()[1]).toBe('Everyone has signed')
  here.worker.happens({ accountId: 'second' })
  here.worker.happens({ accountId: 'second' })
  here.worker.reads('second')
  await here.goOn()
  expect(here.shown[2]).toMatchObject({ title: 'While you were away', leadsTo: { accountId: 'second' } })
  here.worker.happens({ accountId: 'second' })
  await here.goOn()
  expect(here.titles()[3]).toBe('Everyone has signed')
})

test('changes from before the first start aren’t notified', async () => {
  const here = office()
  here.worker.happens()
  await here.atWork()
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('a rebuilt mirror is notified from its beginning, between two runs or during one', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 20; one++) here.worker.happens()
  await here.goOn()
  for (const mirror of ['second', 'third']) {
    Object.assign(here.worker, { mirror, changes: [] })
    if (mirror === 'second') await here.atWork()
    await here.goOn()
    here.worker.happens()
    await here.goOn()
  }
  expect(here.shown.slice(1).map(({ changes }) => changes)).toEqual([[1], [1]])
})

test('another mirror’s earlier changes aren’t notified', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 400; one++) here.worker.happens()
  here.worker.mirror = 'from a copy of last year'
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('no ids are mixed up if the mirror changes during a request', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 3; one++) here.worker.happens()
  here.worker.whenAsked = (name) => {
    if (name === 'changesAfter') here.worker.mirror = 'second'
  }
  await here.goOn()
  expect(here.shown).toEqual([])
  here.worker.happens()
  await here.goOn()
  expect(here.shown.map(({ changes }) => changes)).toEqual([[4]])
})

test('a run in memory only keeps the position in the stored mirror', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 40; one++) here.worker.happens()
  await here.goOn()
  const { changes } = here.worker
  Object.assign(here.worker, { mirror: 'in memory', isKept: false, changes: [] })
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  expect(here.titles()).toEqual(['40 documents changed', 'Everyone has signed'])
  Object.assign(here.worker, { mirror: 'first', isKept: true, changes })
  await here.atWork()
  await here.goOn()
  expect(here.shown).toHaveLength(2)
  here.worker.happens()
  await here.goOn()
  expect(here.shown.at(2)?.changes).toEqual([41])
})

test('an account with one unreadable folder counts as read once another folder was', async () => {
  const here = office()
  await here.open()
  here.worker.happens()
  here.worker.reads()
  await here.goOn()
  here.worker.happens()
  await here.goOn()
  expect(here.titles()).toEqual(['While you were away', 'Everyone has signed'])
})

test('a change isn’t notified again after a crash, even if its notice was never shown', async () => {
  const here = office()
  await here.atWork()
  here.show = () => {
    throw new Error('the process ends here')
  }
  here.worker.happens()
  await here.goOn()
  here.show = (notice) => void here.shown.push(notice)
  await here.atWork()
  await here.goOn(HOUR)
  expect(here.shown).toEqual([])
})

test('a worker that doesn’t answer is asked again', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens()
  here.worker.isBroken = true
  await here.goOn(10 * MINUTE)
  expect(here.failures.length).toBeGreaterThan(0)
  here.worker.isBroken = false
  await here.goOn(MINUTE)
  expect(here.shown.map(({ changes }) => changes)).toEqual([[1]])
})

test('a removed account’s changes aren’t notified', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens({ accountId: 'gone' })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('a clock set back to yesterday causes no repeated notice', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  here.time.now -= 30 * HOUR
  await here.goOn(40 * HOUR)
  expect(here.shown).toHaveLength(1)
})

test('nothing is notified after stopping', async () => {
  const here = office()
  const notifier = await here.atWork()
  here.worker.happens()
  notifier.documentsChanged()
  await notifier.stop()
  await here.time.pass(HOUR)
  expect(here.shown).toEqual([])
})
