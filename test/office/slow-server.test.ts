// The office's server answers late: after seconds, or once another workstation has claimed the package; or it was
// unreachable, and many return at once. Nothing may be sent twice or lost, and each workstation shows its state.
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { type OfficeProxy, openOfficeProxy } from '../fixtures/office-line.ts'
import {
  OutboxWorkstation,
  passTime,
  sentNames,
  twoWorkstations,
  waitUntil,
  whenReconnected
} from '../fixtures/outbox-workstation.ts'

let office: TestOffice
let line: OfficeProxy
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'), { search: '0 s' })
  line = await openOfficeProxy(inject('cluster'))
  onTestFinished(() => line.close())
})

test('when each answer takes seconds, everything is sent once, and all stay connected', async () => {
  const both = await twoWorkstations(office, line.port)
  line.delay()
  const ids = both.flatMap((one, index) => [1, 2, 3].map((number) => one.put(`${index} ${number}`)))
  const states = new Set<string>()
  await waitUntil(both, async () => {
    // Every request so far has taken five seconds.
    await passTime(both, 4_000)
    line.release()
    for (const { officeStates } of both) states.add(officeStates.join())
    return both.every((one) => ids.every((id) => one.state(id) === 'sent'))
  })
  line.repair()
  expect([...states]).toEqual(['connected,connected'])
  expect(sentNames(both[0])).toEqual(['0 1', '0 2', '0 3', '1 1', '1 2', '1 3'])
})

test('a late answer to a claim that another now has causes no send', async () => {
  const both = await twoWorkstations(office)
  const [front, back] = both
  const come = Promise.withResolvers<void>()
  let isClaimed = false
  await front.wrapClaims(async (claim) => {
    const claimed = await claim()
    if (claimed.length > 0 && !isClaimed) {
      isClaimed = true
      await come.promise
    }
    return claimed
  })
  await back.wrapClaims(async (claim) => {
    const claimed = isClaimed ? await claim() : []
    // From here on both have an answer that says that the claim is theirs.
    if (claimed.length > 0) come.resolve()
    return claimed
  })
  await whenReconnected(both)
  const id = front.put('Late')
  await waitUntil(both, () => isClaimed)
  await passTime([front], 150_000)
  await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`)
  await waitUntil(both, () => both.every((one) => one.state(id) === 'sent'))
  const after = front.put('After')
  await waitUntil(both, () => both.every((one) => one.state(after) === 'sent'))
  expect(sentNames(front)).toEqual(['After', 'Late'])
})

test('nothing is sent while the server is unreachable, and many that return at once send each package once', async () => {
  const front = await OutboxWorkstation.joined(office, 'Front desk', { port: line.port })
  const all = [front]
  for (const name of ['1', '2', '3', '4', '5', '6', '7']) {
    all.push(await OutboxWorkstation.joined(office, `Counter ${name}`, { first: front, port: line.port }))
  }
  const ids = all.map((one, index) => one.put(`${index} seen`, 600_000))
  await waitUntil(all, async () => (await office.sql('SELECT FROM office.send')).length === all.length)
  line.sever()
  ids.push(...all.map((one, index) => one.put(`${index} since`)))
  await waitUntil(all, () => all.every(({ officeStates }) => officeStates.join() === 'away,away'))
  for (let minute = 0; minute < 15; minute++) await passTime(all, 60_000)
  expect(sentNames(front)).toEqual([])
  line.repair()
  await whenReconnected(all)
  // By the server's clock it isn't due yet.
  await office.sql(`UPDATE office.send SET goes_at = now()`)
  await waitUntil(all, () => all.every((one) => ids.every((id) => one.state(id) === 'sent')))
  expect(sentNames(front)).toEqual(all.flatMap((_, index) => [`${index} seen`, `${index} since`]))
})
