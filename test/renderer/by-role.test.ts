/**
 * Staff are offered nothing they aren't allowed to do. Derived from the main process's own table of rights: each
 * request that requires a role has a place on the screens, and is offered there only to those who are allowed.
 */

import { fireEvent } from '@testing-library/svelte'
import { beforeAll, describe, expect, test } from 'vitest'
import { closedScreens, requiredRoles } from '../../src/main/core/counter/rights.ts'
import { isAtLeast, ROLES } from '../../src/main/core/counter/roles.ts'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import type { RequestName } from '../../src/shared/contract/requests.ts'
import type { FakeApi } from './fake-api.ts'
import { lockOf } from './fakes/lock.ts'
import { dismiss, isOff, rest, saidAt, VISITS, visit, works } from './roles.ts'

beforeAll(loadScreens)

const requestOf = (element: Element) => element.getAttribute('data-request') as RequestName

/** The requests that were offered to an administrator. */
const offered = new Set<RequestName>()

/** Expects each visible control to be offered to roles that are allowed, and to say why to those that aren't. */
async function holds(api: FakeApi) {
  // A closed screen disappears with everything open in it, so the roles with the most rights come first.
  for (const role of [...ROLES.toReversed(), undefined]) {
    await works(api, role)
    const { refused = {} } = lockOf(role)
    for (const element of document.querySelectorAll('[data-request]')) {
      const name = requestOf(element)
      const where = `${name} for ${role}: ${element.textContent?.trim() || element.getAttribute('aria-label')}`
      expect(requiredRoles.has(name), `${name} takes a role`).toBe(true)
      const may = role !== undefined && isAtLeast(role, requiredRoles.get(name) ?? 'administrator')
      expect(saidAt(element), where).toBe(may ? undefined : refused[name])
      if (!may) expect(isOff(element), where).toBe(true)
      else if (role === 'administrator' && !isOff(element)) offered.add(name)
    }
  }
}

/** Anyone who began filling in a dialog has left, and the next person presses its button, as Enter in a field does. */
async function submits(api: FakeApi) {
  await works(api, 'counter')
  const before = api.control.calls.length
  for (const button of document.querySelectorAll('[role=dialog] [data-request]')) await fireEvent.click(button)
  await rest()
  const { refused = {} } = lockOf('counter')
  expect(api.control.calls.slice(before).filter(({ name }) => name in refused)).toEqual([])
}
/** Returns the menus currently available, one of each kind. */
function triggers(): HTMLElement[] {
  const all = [...document.querySelectorAll<HTMLElement>('#main [aria-haspopup=menu]')]
  const byKind = Map.groupBy(all, (one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').split(' ')[0])
  // Rows of one list may offer different actions.
  return [...byKind.values()].flatMap((same) => same.slice(0, 4))
}
describe('controls that the current role may not use are disabled and say why', () => {
  test.each(VISITS.filter(({ isRepeat }) => !isRepeat))('$scene at $at, $open', offersByRole)
  test.each(VISITS.filter(({ isRepeat }) => isRepeat))('$scene at $at, $open', { tags: ['full'] }, offersByRole)

  async function offersByRole(one: (typeof VISITS)[number]): Promise<void> {
    const { api } = await visit(one)
    await holds(api)
    if (one.open) return submits(api)
    for (const trigger of triggers()) {
      await works(api, 'administrator')
      await fireEvent.keyDown(trigger, { key: 'Enter' })
      await rest()
      await holds(api)
      await dismiss()
    }
    await works(api, 'administrator')
    const cells = [...document.querySelectorAll('#main [role=row]')]
      .slice(1, 16)
      .map((row) => row.querySelector('[role=gridcell]'))
    const kinds = new Set<string>()
    for (const cell of cells) {
      if (!cell?.isConnected) continue
      await works(api, 'administrator')
      await fireEvent.contextMenu(cell, { button: 2, clientX: 40, clientY: 60 })
      await rest()
      // Another row with the same entries adds nothing.
      const entries = [...document.querySelectorAll('[role=menu] [data-request]')]
      const kind = entries.map((entry) => [requestOf(entry), entry.textContent, isOff(entry)].join()).join('; ')
      if (!kinds.has(kind)) await holds(api)
      kinds.add(kind)
      await dismiss()
    }
  }

  test('every request with a required role has a control, or belongs to a screen that is closed as a whole', () => {
    const closed = Object.values(
      closedScreens({ hasNames: true, authenticated: () => ({ id: 'a', name: 'A', role: 'counter' }) }) ?? {}
    )
    expect(closed.length).toBeGreaterThan(0)
    const missing = [...requiredRoles.keys()].filter((name) => !offered.has(name))
    // The first two are everything their screens show; a row is only viewed on the bulk send screen.
    expect(missing.sort(), missing.join()).toEqual(['activity.list', 'audit.list', 'bulk.package'])
  })
})
