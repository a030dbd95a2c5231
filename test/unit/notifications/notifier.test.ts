import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

test('what a person wants told is told once, and leads to its document', async () => {
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

test('sound is made where it is wanted', async () => {
  const here = office()
  here.settings = { ...here.settings, sound: true }
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  expect(here.shown.map(({ isSilent }) => isSilent)).toEqual([false])
})

test('what this workstation did itself is not told', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens({ isOwn: true })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('what is wanted of some views only is told of the documents they find', async () => {
  const here = office()
  here.views = [view('counter', true), view('others', false)]
  here.worker.inViews.add('doc-2')
  await here.atWork()
  here.worker.happens({ kind: 'waits-here', signer: 'Bo Example' })
  here.worker.happens({ kind: 'waits-here', signer: 'Cy Example' })
  await here.goOn()
  expect(here.titles()).toEqual(['Cy Example can sign at the counter'])
})

test('a view that isn’t told of tells nothing', async () => {
  const here = office()
  here.views = [view('others', false)]
  here.worker.inViews.add('doc-1')
  await here.atWork()
  here.worker.happens({ kind: 'waits-here' })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('several things of one document are one notice, the weightiest first', async () => {
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

test('three are told one by one, four are folded into one that leads to the activity', async () => {
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

test('changes that come thick, a few at a time, are folded too', async () => {
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

test('quiet hours go across midnight, and what came in them is told in one when they end', async () => {
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

test('nothing that came in quiet hours is lost to a crash in them', async () => {
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

test('while someone signs at the counter nothing is shown, and what is on the screen is taken off it', async () => {
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

test('the screen that is handed over while it is looked for news stays free of them', async () => {
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

test('what is found by the first round over the folders happened while the application was closed', async () => {
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

test('one document of the time away is named, and led to', async () => {
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

test('an account that can’t be read keeps the others waiting for no more than a minute', async () => {
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

test('what there was before the first start was never news', async () => {
  const here = office()
  here.worker.happens()
  await here.atWork()
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('a mirror that was made again, between two runs or in the middle of one, is told of from its beginning', async () => {
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

test('a mirror that is another one tells nothing of what it knew before', async () => {
  const here = office()
  await here.atWork()
  for (let one = 0; one < 400; one++) here.worker.happens()
  here.worker.mirror = 'from a copy of last year'
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('a mirror that turns into another one while it is asked tells nothing by the ids of both', async () => {
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

test('a run in memory alone leaves the place in the mirror that is kept as it was', async () => {
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

test('an account of which one folder can never be read is back once another was', async () => {
  const here = office()
  await here.open()
  here.worker.happens()
  here.worker.reads()
  await here.goOn()
  here.worker.happens()
  await here.goOn()
  expect(here.titles()).toEqual(['While you were away', 'Everyone has signed'])
})

test('a change is not told again after a crash, even where its notice never came', async () => {
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

test('an account that was removed is told of no more', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens({ accountId: 'gone' })
  await here.goOn()
  expect(here.shown).toEqual([])
})

test('a clock that jumps back into yesterday tells nothing twice', async () => {
  const here = office()
  await here.atWork()
  here.worker.happens()
  await here.goOn()
  here.time.now -= 30 * HOUR
  await here.goOn(40 * HOUR)
  expect(here.shown).toHaveLength(1)
})

test('after it was stopped nothing is told', async () => {
  const here = office()
  const notifier = await here.atWork()
  here.worker.happens()
  notifier.documentsChanged()
  await notifier.stop()
  await here.time.pass(HOUR)
  expect(here.shown).toEqual([])
})
