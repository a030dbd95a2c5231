// The office's server answers late: after seconds, or once another workstation has what was asked for; or it was away,
// and many return at once. Nothing may be sent twice or lost, and each workstation says how things are.
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { type OfficeLine, openOfficeLine } from '../fixtures/office-line.ts'
import { areBack, arrived, OutboxStation, pass, twoStations, until } from '../fixtures/outbox-station.ts'

let office: TestOffice
let line: OfficeLine
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'), { look: '0 s' })
  line = await openOfficeLine(inject('cluster'))
  onTestFinished(() => line.close())
})

test('each answer takes seconds: everything leaves once, and each is connected all the time', async () => {
  const both = await twoStations(office, line.port)
  line.slow()
  const ids = both.flatMap((one, index) => [1, 2, 3].map((number) => one.put(`${index} ${number}`)))
  const said = new Set<string>()
  await until(both, async () => {
    // Every request so far has taken five seconds.
    await pass(both, 4_000)
    line.let()
    for (const { says } of both) said.add(says.join())
    return both.every((one) => ids.every((id) => one.state(id) === 'sent'))
  })
  line.well()
  expect([...said]).toEqual(['connected,connected'])
  expect(arrived(both[0])).toEqual(['0 1', '0 2', '0 3', '1 1', '1 2', '1 3'])
})

test('the answer to a claim comes once that is another’s: nothing leaves by it', async () => {
  const both = await twoStations(office)
  const [front, back] = both
  const come = Promise.withResolvers<void>()
  let isClaimed = false
  await front.claims(async (claim) => {
    const claimed = await claim()
    if (claimed.length > 0 && !isClaimed) {
      isClaimed = true
      await come.promise
    }
    return claimed
  })
  await back.claims(async (claim) => {
    const claimed = isClaimed ? await claim() : []
    // From here on both have been told that the claim is theirs.
    if (claimed.length > 0) come.resolve()
    return claimed
  })
  await areBack(both)
  const id = front.put('Late')
  await until(both, () => isClaimed)
  await pass([front], 150_000)
  await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`)
  await until(both, () => both.every((one) => one.state(id) === 'sent'))
  const after = front.put('After')
  await until(both, () => both.every((one) => one.state(after) === 'sent'))
  expect(arrived(front)).toEqual(['After', 'Late'])
})

test('away as what it has comes due: none of that leaves, and many that are back at once send each package once', async () => {
  const front = await OutboxStation.joined(office, 'Front desk', { port: line.port })
  const all = [front]
  for (const name of ['1', '2', '3', '4', '5', '6', '7']) {
    all.push(await OutboxStation.joined(office, `Counter ${name}`, { beside: front, port: line.port }))
  }
  const ids = all.map((one, index) => one.put(`${index} seen`, 600_000))
  await until(all, async () => (await office.sql('SELECT FROM office.send')).length === all.length)
  line.broken()
  ids.push(...all.map((one, index) => one.put(`${index} since`)))
  await until(all, () => all.every(({ says }) => says.join() === 'away,away'))
  for (let minute = 0; minute < 15; minute++) await pass(all, 60_000)
  expect(arrived(front)).toEqual([])
  line.well()
  await areBack(all)
  // By the server's clock it isn't due yet.
  await office.sql(`UPDATE office.send SET goes_at = now()`)
  await until(all, () => all.every((one) => ids.every((id) => one.state(id) === 'sent')))
  expect(arrived(front)).toEqual(all.flatMap((_, index) => [`${index} seen`, `${index} since`]))
})
