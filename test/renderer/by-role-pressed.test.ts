/**
 * Someone with the least rights presses everything there is, and never triggers a refusal by the main process: refused
 * controls say why first.
 */

import { fireEvent, screen } from '@testing-library/svelte'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import { lockOf } from './fakes/lock.ts'
import { dismiss, isOff, rest, saidAt, VISITS, visit, works } from './roles.ts'

beforeAll(loadScreens)

const KEYS = ['a', 'c', 'd', 'e', 'h', 'i', 'l', 'm', 'n', 'r', 'Delete', 'F2', 'Enter']
/** Without dialogs and selections, whose controls by-role.test.ts looks at. */
const pressedAt = VISITS.filter(({ open, keys }) => !open && !keys)

// What is off says so in by-role.test.ts, too: the short round doesn't press it.
describe('a person with the least rights never triggers a refusal by the main process', { tags: ['full'] }, () => {
  test.each(pressedAt)('$scene at $at', async (one) => {
    const { app, api } = await visit(one)
    await works(api, 'counter')
    const { refused = {} } = lockOf('counter')
    const before = api.control.calls.length
    const refusedCalls = () =>
      api.control.calls
        .slice(before)
        .filter(
          ({ name, input }) =>
            name in refused && !(name === 'activity.list' && (input as { reference?: string }).reference)
        )
        .map(({ name }) => name)
    const here = window.location.hash
    const back = async () => {
      if (document.querySelector('[role=dialog], [role=menu]')) await dismiss()
      if (window.location.hash === here) return
      window.location.hash = here
      window.dispatchEvent(new HashChangeEvent('hashchange'))
      await rest()
    }
    const count = document.querySelectorAll('#main button').length
    for (let at = 0; at < count; at++) {
      const button = document.querySelectorAll<HTMLElement>('#main button')[at]
      // jsdom allows pressing a button in a disabled fieldset.
      if (!button || button.closest('fieldset:disabled')) continue
      const reason = button.matches('[aria-disabled="true"]:not(:disabled)') ? saidAt(button) : undefined
      await fireEvent.click(button)
      await rest()
      if (reason !== undefined) expect(app.toasts.shown.at(-1)?.text).toBe(reason)
      expect(refusedCalls(), button.textContent ?? '').toEqual([])
      await back()
    }
    // Each entry of the rows' menus once, by name.
    const pressed = new Set<string>()
    const nextEntry = () =>
      [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find(
        (item) => !isOff(item) && !pressed.has(item.textContent ?? '')
      )
    // Actions on documents have keys, which are pressed below; trying a list of them next to an open page takes
    // minutes.
    for (let row = 1; row < 16 && !one.at.startsWith('#/documents'); row++) {
      for (let entry = 0; entry < 12; entry++) {
        const cell = document.querySelectorAll('#main [role=row]')[row]?.querySelector('[role=gridcell]')
        if (!cell) break
        await fireEvent.contextMenu(cell, { button: 2, clientX: 40, clientY: 60 })
        await rest()
        const item = nextEntry()
        if (!item) break
        pressed.add(item.textContent ?? '')
        await fireEvent.click(item)
        await rest()
        expect(refusedCalls(), item.textContent ?? '').toEqual([])
        await back()
      }
      await back()
    }
    const [grid] = document.querySelectorAll<HTMLElement>('#main [role=grid]')
    if (!grid) return
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    await rest()
    for (const key of KEYS) {
      await fireEvent.keyDown(document.querySelector('#main [role=grid]') ?? document.body, { key })
      await rest()
      expect(refusedCalls(), key).toEqual([])
      if (document.querySelector('[role=dialog], [role=menu]')) await dismiss()
    }
  })
})

describe('a screen or a command that the role doesn’t allow', () => {
  const WHY = 'Only clerks, managers and administrators can do this.'
  const MANAGERS = 'Only managers and administrators can do this.'
  const DOCUMENT = { scene: 'document', at: '#/documents/Progress?document=doc-6' }

  test('explains why when opened by its address, and requests nothing from main', async () => {
    const { api } = await visit({ scene: 'record', at: '#/counter' })
    await works(api, 'clerk')
    for (const [at, title] of [
      ['#/audit', 'Audit trail'],
      ['#/activity', 'Activity']
    ] as const) {
      window.location.hash = at
      window.dispatchEvent(new HashChangeEvent('hashchange'))
      expect(await screen.findByRole('heading', { name: title, level: 1 })).toBeTruthy()
      expect(await screen.findByText(MANAGERS)).toBeTruthy()
    }
    const names = api.control.calls.map(({ name }) => name)
    expect(names.filter((name) => name === 'audit.list' || name === 'activity.list')).toEqual([])
    await works(api, 'manager')
    await rest()
    expect(screen.queryByText(MANAGERS)).toBeNull()
    expect(api.control.calls.some(({ name }) => name === 'activity.list')).toBe(true)
  })

  test('can’t be opened by key or application menu, which explain why', async () => {
    const { app, api } = await visit(DOCUMENT)
    await works(api, 'counter')
    const here = window.location.hash
    const warn = vi.spyOn(app.toasts, 'warn')
    await fireEvent.keyDown(window, { key: 'n', ctrlKey: true })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    for (const [command, why] of [
      ['compose', WHY],
      ['document.extend', WHY],
      ['document.remind', WHY]
    ] as const) {
      warn.mockClear()
      api.control.emit('menu.chosen', { command })
      await rest()
      expect(warn.mock.calls, command).toEqual([[why]])
    }
    // The open page handles the list's letters, too.
    warn.mockClear()
    await fireEvent.keyDown(document.querySelector('article') as Element, { key: 'd' })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    expect([window.location.hash, document.querySelector('[role=dialog]')]).toEqual([here, null])
    await works(api, 'clerk')
    api.control.emit('menu.chosen', { command: 'document.extend' })
    expect(await screen.findByRole('dialog', { name: 'Extend the due date' })).toBeTruthy()
  })

  test('is a disabled menu item that can be focused and explains why', async () => {
    const { app, api } = await visit({ scene: 'drafting-shared', at: '#/drafts' })
    await works(api, 'counter')
    const before = api.control.calls.length
    const cell = document.querySelectorAll('#main [role=row]')[1]?.querySelector('[role=gridcell]')
    await fireEvent.contextMenu(cell as Element, { button: 2, clientX: 40, clientY: 60 })
    await rest()
    const entry = screen.getByRole('menuitem', { name: /Duplicate/ })
    for (let step = 0; step < 8 && document.activeElement !== entry; step++) {
      await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' })
      await rest()
    }
    expect(document.activeElement).toBe(entry)
    expect(entry.getAttribute('aria-disabled')).toBe('true')
    await fireEvent.keyDown(entry, { key: 'Enter' })
    await rest()
    expect(app.toasts.shown.at(-1)?.text).toBe(WHY)
    expect(api.control.calls.slice(before).filter(({ name }) => name === 'drafts.duplicate')).toEqual([])
  })

  test('disables the *Undo* of an earlier person’s message', async () => {
    const { app, api } = await visit({ scene: 'drafting', at: '#/drafts' })
    const grid = screen.getByRole('grid')
    for (const key of ['ArrowDown', 'Delete']) await fireEvent.keyDown(grid, { key })
    await rest()
    const undo = () => screen.getByRole('button', { name: 'Undo' })
    const restored = () => api.control.calls.filter(({ name }) => name === 'drafts.restore').length
    expect(isOff(undo())).toBe(false)
    await works(api, 'counter')
    expect([isOff(undo()), saidAt(undo())]).toEqual([true, WHY])
    await fireEvent.click(undo())
    await rest()
    expect(app.toasts.shown.at(-1)?.text).toBe(WHY)
    app.toasts.dismiss(app.toasts.shown.at(-1)?.id ?? 0)
    await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
    await rest()
    expect(app.toasts.shown.at(-1)?.text).toBe(WHY)
    expect(restored()).toBe(0)
    await works(api, 'clerk')
    await fireEvent.keyDown(window, { key: 'z', ctrlKey: true })
    await rest()
    expect(restored()).toBe(1)
  })

  test('shows a draft read-only', async () => {
    const { app, api } = await visit({ scene: 'usual', at: '#/compose/draft-1' })
    await works(api, 'counter')
    const before = api.control.calls.length
    const warn = vi.spyOn(app.toasts, 'warn')
    expect(screen.getByText('You can look at this draft, but not change it.')).toBeTruthy()
    expect(screen.getAllByLabelText('E-mail').every((field) => field.matches(':disabled'))).toBe(true)
    expect(isOff(screen.getByRole('button', { name: 'Send later' }))).toBe(true)
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    expect(
      api.control.calls.slice(before).filter(({ name }) => name === 'sends.start' || name === 'drafts.save')
    ).toEqual([])
    await works(api, 'clerk')
    expect(screen.queryByText('You can look at this draft, but not change it.')).toBeNull()
    expect(screen.getAllByLabelText('E-mail').some((field) => field.matches(':disabled'))).toBe(false)
  })

  test('hides hints about taking over a draft that someone else is editing', async () => {
    const { api } = await visit({ scene: 'drafting-shared', at: '#/compose/made-1' })
    const offer = /[Tt]ake over,|Take over to/
    expect(screen.getAllByText(offer)).toHaveLength(2)
    await works(api, 'counter')
    expect(screen.queryAllByText(offer)).toEqual([])
  })

  test('is hidden in the palette, or listed with the reason', async () => {
    const { app, api } = await visit(DOCUMENT)
    const find = async (typed: string) => {
      await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
      const field = await screen.findByRole('combobox')
      await fireEvent.input(field, { target: { value: typed } })
      await rest()
      return { field, found: screen.getAllByRole('option').map(({ textContent }) => textContent.trim()) }
    }
    await works(api, 'counter')
    const packages = await find('new package')
    expect(packages.found.filter((one) => one.startsWith('New package'))).toEqual([])
    await fireEvent.keyDown(packages.field, { key: 'Escape' })
    await rest()
    const extend = await find('extend')
    expect(extend.found[0]).toContain(WHY)
    await fireEvent.keyDown(extend.field, { key: 'Enter' })
    await rest()
    expect([app.toasts.shown.at(-1)?.text, document.querySelector('[role=dialog]')]).toEqual([WHY, null])
    await works(api, 'clerk')
    const reopened = await find('extend')
    expect(reopened.found[0]).not.toContain(WHY)
    await fireEvent.keyDown(reopened.field, { key: 'Enter' })
    expect(await screen.findByRole('dialog', { name: 'Extend the due date' })).toBeTruthy()
  })
})
