import { expect, test } from 'vitest'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

test('a configured change is notified once, and links to its document', async () => {
  const { worker, shown, ...workstation } = office()
  await workstation.atWork()
  const { id } = worker.happens({ documentName: 'Deed of gift', kind: 'declined', signer: 'Ann Example' })
  worker.happens({ kind: 'moved' })
  worker.happens({ kind: 'signed' })
  await workstation.goOn()
  await workstation.goOn(HOUR)
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
  const workstation = office()
  workstation.settings = { ...workstation.settings, sound: true }
  await workstation.atWork()
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.shown.map(({ isSilent }) => isSilent)).toEqual([false])
})

test('this workstation’s own changes aren’t notified', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.worker.happens({ isOwn: true })
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test('kinds limited to views are notified only for documents in them', async () => {
  const workstation = office()
  workstation.views = [view('counter', true), view('others', false)]
  workstation.worker.inViews.add('doc-2')
  await workstation.atWork()
  workstation.worker.happens({ kind: 'waits-here', signer: 'Bo Example' })
  workstation.worker.happens({ kind: 'waits-here', signer: 'Cy Example' })
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['Cy Example can sign at the counter'])
})

test('a view without notifications causes none', async () => {
  const workstation = office()
  workstation.views = [view('others', false)]
  workstation.worker.inViews.add('doc-1')
  await workstation.atWork()
  workstation.worker.happens({ kind: 'waits-here' })
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test('several changes of one document are one notice, the most important first', async () => {
  const workstation = office()
  workstation.settings.kinds.signed = 'always'
  await workstation.atWork()
  workstation.worker.happens({ reference: 'a', documentName: 'Will', kind: 'signed', signer: 'Ann Example' })
  workstation.worker.happens({ reference: 'a', documentName: 'Will', kind: 'completed' })
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    { title: 'Everyone has signed', body: 'Will · Ann Example signed', changes: [1, 2] }
  ])
})

test('three documents are notified separately, and four or more in one notice that links to the activity', async () => {
  const workstation = office()
  workstation.settings.kinds.signed = 'always'
  await workstation.atWork()
  for (let one = 0; one < 3; one++) workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.shown).toHaveLength(3)
  for (let one = 0; one < 12; one++) workstation.worker.happens({ kind: one < 5 ? 'signed' : 'completed' })
  await workstation.goOn()
  expect(workstation.shown.slice(3)).toMatchObject([
    {
      title: '12 documents changed',
      body: '7 complete, 5 signed',
      leadsTo: { accountId: 'office', place: 'activity' },
      changes: Array.from({ length: 12 }, (_, index) => index + 4)
    }
  ])
})

test('ten thousand changes are one notice', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let one = 0; one < 10_000; one++) workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['10,000 documents changed'])
})

test('many changes in quick succession are combined, too', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let second = 0; second < 120; second += 5) {
    workstation.worker.happens()
    await workstation.goOn()
  }
  await workstation.goOn(MINUTE)
  expect(workstation.shown.length).toBeLessThan(20)
  expect(workstation.shown.flatMap(({ changes }) => changes)).toEqual(workstation.worker.changes.map(({ id }) => id))
})

test('quiet hours can span midnight, and their changes are notified together at the end', async () => {
  const workstation = office({ now: TEN + 11.5 * HOUR })
  workstation.settings = { ...workstation.settings, quiet: { from: '22:00', to: '07:00' } }
  await workstation.atWork()
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.shown).toHaveLength(1)
  await workstation.time.pass(HOUR)
  for (let one = 0; one < 3; one++) workstation.worker.happens()
  await workstation.goOn(8 * HOUR)
  expect(workstation.shown).toHaveLength(1)
  await workstation.goOn(HOUR)
  expect(workstation.shown.slice(1)).toMatchObject([
    { title: 'During quiet hours', body: '3 documents changed: 3 complete', changes: [2, 3, 4] }
  ])
})

test('changes in quiet hours survive a crash', async () => {
  const workstation = office({ now: TEN + 13 * HOUR })
  workstation.settings = { ...workstation.settings, quiet: { from: '22:00', to: '07:00' } }
  await workstation.atWork()
  workstation.worker.happens()
  await workstation.goOn()
  await workstation.open()
  workstation.worker.reads()
  await workstation.goOn(9 * HOUR)
  expect(workstation.shown).toMatchObject([{ title: 'While you were away', changes: [1] }])
})

test('during a session nothing is shown, and existing notices are withdrawn', async () => {
  const workstation = office()
  const notifier = await workstation.atWork()
  workstation.isSigning = true
  notifier.counterChanged()
  expect(workstation.withdrawn).toBe(1)
  workstation.worker.happens()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
  workstation.isSigning = false
  notifier.counterChanged()
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['Everyone has signed'])
})

test('no notice is shown if the screen is handed over while it is being prepared', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.worker.happens({ kind: 'waits-here' })
  workstation.views = [view('counter', true)]
  workstation.worker.inViews.add('doc-1')
  workstation.worker.whenAsked = (name) => {
    if (name === 'matching') workstation.isSigning = true
  }
  await workstation.goOn(HOUR)
  expect(workstation.isSigning).toBe(true)
  expect(workstation.shown).toEqual([])
  workstation.worker.whenAsked = () => undefined
  workstation.isSigning = false
  await workstation.goOn()
  expect(workstation.shown.flatMap(({ changes }) => changes)).toEqual([1])
})

test('changes found by the first reading of the folders are notified as having happened while away', async () => {
  const workstation = office()
  await workstation.atWork()
  await workstation.open()
  for (let one = 0; one < 100; one++) workstation.worker.happens({ kind: one < 60 ? 'completed' : 'expired' })
  await workstation.goOn(10_000)
  expect(workstation.shown).toEqual([])
  workstation.worker.reads()
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    { title: 'While you were away', body: '100 documents changed: 40 expired, 60 complete' }
  ])
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.titles()[1]).toBe('Everyone has signed')
})

test('a single document changed while away is named and linked', async () => {
  const workstation = office()
  await workstation.open()
  workstation.worker.happens({ documentName: 'Will' })
  workstation.worker.reads()
  await workstation.goOn()
  expect(workstation.shown).toMatchObject([
    {
      title: 'While you were away',
      body: 'Will: Everyone has signed',
      leadsTo: { accountId: 'office', reference: 'doc-1' }
    }
  ])
})

test('an account that can’t be read delays the others by at most a minute', async () => {
  const workstation = office()
  workstation.accounts.push({ id: 'second' })
  await workstation.open()
  workstation.worker.reads()
  workstation.worker.happens()
  await workstation.goOn(50_000)
  expect(workstation.shown).toEqual([])
  await workstation.goOn(15_000)
  expect(workstation.titles()).toEqual(['While you were away'])
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.titles()[1]).toBe('Everyone has signed')
  workstation.worker.happens({ accountId: 'second' })
  workstation.worker.happens({ accountId: 'second' })
  workstation.worker.reads('second')
  await workstation.goOn()
  expect(workstation.shown[2]).toMatchObject({ title: 'While you were away', leadsTo: { accountId: 'second' } })
  workstation.worker.happens({ accountId: 'second' })
  await workstation.goOn()
  expect(workstation.titles()[3]).toBe('Everyone has signed')
})

test('changes from before the first start aren’t notified', async () => {
  const workstation = office()
  workstation.worker.happens()
  await workstation.atWork()
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test('a rebuilt mirror is notified from its beginning, between two runs or during one', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let one = 0; one < 20; one++) workstation.worker.happens()
  await workstation.goOn()
  for (const mirror of ['second', 'third']) {
    Object.assign(workstation.worker, { mirror, changes: [] })
    if (mirror === 'second') await workstation.atWork()
    await workstation.goOn()
    workstation.worker.happens()
    await workstation.goOn()
  }
  expect(workstation.shown.slice(1).map(({ changes }) => changes)).toEqual([[1], [1]])
})

test('another mirror’s earlier changes aren’t notified', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let one = 0; one < 400; one++) workstation.worker.happens()
  workstation.worker.mirror = 'from a copy of last year'
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test('no ids are mixed up if the mirror changes during a request', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let one = 0; one < 3; one++) workstation.worker.happens()
  workstation.worker.whenAsked = (name) => {
    if (name === 'changesAfter') workstation.worker.mirror = 'second'
  }
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.shown.map(({ changes }) => changes)).toEqual([[4]])
})

test('a run in memory only keeps the position in the stored mirror', async () => {
  const workstation = office()
  await workstation.atWork()
  for (let one = 0; one < 40; one++) workstation.worker.happens()
  await workstation.goOn()
  const { changes } = workstation.worker
  Object.assign(workstation.worker, { mirror: 'in memory', isKept: false, changes: [] })
  await workstation.atWork()
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['40 documents changed', 'Everyone has signed'])
  Object.assign(workstation.worker, { mirror: 'first', isKept: true, changes })
  await workstation.atWork()
  await workstation.goOn()
  expect(workstation.shown).toHaveLength(2)
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.shown.at(2)?.changes).toEqual([41])
})

test('an account with one unreadable folder counts as read once another folder was', async () => {
  const workstation = office()
  await workstation.open()
  workstation.worker.happens()
  workstation.worker.reads()
  await workstation.goOn()
  workstation.worker.happens()
  await workstation.goOn()
  expect(workstation.titles()).toEqual(['While you were away', 'Everyone has signed'])
})

test('a change isn’t notified again after a crash, even if its notice was never shown', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.show = () => {
    throw new Error('the process ends here')
  }
  workstation.worker.happens()
  await workstation.goOn()
  workstation.show = (notice) => void workstation.shown.push(notice)
  await workstation.atWork()
  await workstation.goOn(HOUR)
  expect(workstation.shown).toEqual([])
})

test('a worker that doesn’t answer is asked again', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.worker.happens()
  workstation.worker.isBroken = true
  await workstation.goOn(10 * MINUTE)
  expect(workstation.failures.length).toBeGreaterThan(0)
  workstation.worker.isBroken = false
  await workstation.goOn(MINUTE)
  expect(workstation.shown.map(({ changes }) => changes)).toEqual([[1]])
})

test('a removed account’s changes aren’t notified', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.worker.happens({ accountId: 'gone' })
  await workstation.goOn()
  expect(workstation.shown).toEqual([])
})

test('a clock set back to yesterday causes no repeated notice', async () => {
  const workstation = office()
  await workstation.atWork()
  workstation.worker.happens()
  await workstation.goOn()
  workstation.time.now -= 30 * HOUR
  await workstation.goOn(40 * HOUR)
  expect(workstation.shown).toHaveLength(1)
})

test('nothing is notified after stopping', async () => {
  const workstation = office()
  const notifier = await workstation.atWork()
  workstation.worker.happens()
  notifier.documentsChanged()
  await notifier.stop()
  await workstation.time.pass(HOUR)
  expect(workstation.shown).toEqual([])
})
