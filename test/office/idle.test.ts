// Queries of two workstations to the office's server while nothing happens: every further workstation adds the same.
import { Client } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { headsOf, openMembership, openTestOffice, serverOf, staffOf } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

/** How long nothing happens, in seconds. */
const IDLE = 300

test('an idle workstation greets the server once a minute, in four transactions, and reads changes only if there are any', async () => {
  const office = await openTestOffice(inject('cluster'))
  const works: Workplace[] = []
  const memberships: OfficeMembership[] = []
  for (const name of ['Front desk', 'Back room']) {
    const work = await openWorkplace('demo', works[0])
    works.push(work)
    const membership = openMembership(work, { heads: headsOf(work), staff: staffOf(work) })
    memberships.push(membership)
    onTestFinished(async () => {
      await membership.close()
      await work.close()
    })
    work.parts.polling.start()
    await membership.join(serverOf(office), await office.invite(name))
  }
  let seconds = 0
  const until = (isSo: () => boolean) =>
    expect
      .poll(
        async () => {
          for (const { time } of works) await time.pass(1_000)
          seconds++
          return isSo()
        },
        { timeout: 120_000, interval: 10 }
      )
      .toBe(true)
  await until(() =>
    memberships.every((membership) => membership.view()?.folders.every(({ how }) => how === 'together'))
  )
  // The queries of joining are over.
  seconds = 0
  await until(() => seconds > 120)

  const query = vi.spyOn(Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  seconds = 0
  await until(() => seconds >= IDLE)
  const texts = query.mock.calls.map(([text]) => String(text))
  // One query may call several.
  const callsOf = (name: string) => texts.join(' ').split(`office.${name}(`).length - 1
  const greetings = callsOf('hello')
  expect(greetings).toBeGreaterThanOrEqual(6)
  expect(greetings).toBeLessThanOrEqual(14)
  expect(callsOf('watch')).toBeGreaterThan(greetings)
  expect({ documents: callsOf('changes'), sends: callsOf('send_changes') }).toEqual({ documents: 0, sends: 0 })
  // A workstation may be between its greeting and the queries after it when the time begins or ends.
  const ofEach = (name: string) => Math.abs(callsOf(name) - greetings) <= 2
  expect(['heads_from', 'outbox_state', 'items_state'].filter((name) => !ofEach(name))).toEqual([])
  // Once for the account's records and once for staff.
  expect(Math.abs(callsOf('records_state') - 2 * greetings)).toBeLessThanOrEqual(4)
  // A greeting costs the server four transactions: who is there, the state of the office, its outbox, and everything
  // else that is shared.
  const reading = texts.filter((text) => /office\.(watch|finish_read|request_read|publish)\(/.test(text)).length
  expect(texts.length - reading).toBeLessThanOrEqual(4 * greetings + 4)
}, 180_000)
