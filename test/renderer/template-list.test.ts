import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import TemplateList from '../../src/renderer/src/screens/compose/what/TemplateList.svelte'
import type { KnownForm, TemplateView } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const statuses = () => screen.getAllByRole('status').map((one) => one.textContent)

async function type(input: HTMLInputElement, value: string) {
  await fireEvent.input(input, { target: { value } })
  await settle()
}

describe('the list of templates', () => {
  let chosen: TemplateView[]

  async function openList(api: FakeApi) {
    chosen = []
    opened = await openOffice(api)
    show(opened, TemplateList, { onchoose: (one: TemplateView) => chosen.push(one) })
    await settle()
  }
  const search = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search templates' })
  const offline = { state: 'offline' as const, since: 0 }

  test('shows when it was updated', async () => {
    await openList(fakeApi())
    expect(statuses().join()).toMatch(/^5 templates, updated \d\d:\d\d$/)
  })

  test('works offline, and is refreshed when back online', async () => {
    const api = fakeApi({ connection: offline })
    const { list } = api.templates
    api.templates.list = async (input) => {
      const result = await list(input)
      if (!result.ok || opened.api.control.state.connection.state === 'online') return result
      return { ok: true, value: { ...result.value, problem: { code: 'offline', message: 'No network.' } } }
    }
    await openList(api)
    expect(statuses().join()).toContain('refreshes when online')
    await press(/^Deed of gift/)
    expect(chosen.map((one) => one.Reference)).toEqual(['tpl-gift'])
    api.control.state.connection = { state: 'online', since: 1 }
    api.control.emit('connection.changed', null)
    await settle()
    expect(statuses().join()).not.toContain('fetched again')
    expect(api.control.calls.filter((call) => call.name === 'templates.list').at(-1)?.input).toEqual({ refresh: true })
  })

  test('works by keyboard: arrows move through it, and Enter takes the only match', async () => {
    await openList(fakeApi())
    search().focus()
    await fireEvent.keyDown(search(), { key: 'ArrowDown' })
    await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' })
    expect(document.activeElement?.textContent).toContain('Deed of gift')
    await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowUp' })
    await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowUp' })
    expect(document.activeElement).toBe(search())
    await type(search(), 'attorney')
    await fireEvent.keyDown(search(), { key: 'Enter' })
    expect(chosen.map((one) => one.Reference)).toEqual(['tpl-poa'])
  })

  test('a misspelt name finds the template, but Enter only moves to it', async () => {
    await openList(fakeApi())
    await type(search(), 'atorney')
    await fireEvent.keyDown(search(), { key: 'Enter' })
    expect(chosen).toEqual([])
    expect(document.activeElement?.textContent).toContain('Power of attorney')
  })

  describe('with recently sent templates', () => {
    const usedForm = (Reference: string, usedAt: number): KnownForm => ({
      kind: 'form-filler',
      Name: Reference,
      Reference,
      uses: 1,
      usedAt
    })
    const knownForms = [usedForm('tpl-gift', 1), usedForm('tpl-poa', 2), usedForm('tpl-gone', 3)]
    const part = (name: string) => within(screen.getByRole('list', { name })).getAllByRole('button')
    const names = (name: string) => part(name).map((one) => one.querySelector('.name')?.textContent)

    test('lists these first, latest on top, and all others below', async () => {
      await openList(fakeApi({ knownForms }))
      expect(names('Recent')).toEqual(['Power of attorney', 'Deed of gift'])
      expect(names('All other templates')).toHaveLength(3)
      search().focus()
      await fireEvent.keyDown(search(), { key: 'ArrowDown' })
      expect(document.activeElement).toBe(part('Recent')[0])
      await fireEvent.keyDown(document.activeElement as Element, { key: 'End' })
      expect(document.activeElement).toBe(part('All other templates').at(-1))
    })

    test('searches both lists', async () => {
      await openList(fakeApi({ knownForms }))
      await type(search(), 'deed')
      expect(names('Recent')).toEqual(['Deed of gift'])
      await type(search(), 'attorney')
      expect(screen.queryByRole('list', { name: 'All other templates' })).toBeNull()
    })

    test('shows them offline too', async () => {
      await openList(fakeApi({ knownForms, connection: offline }))
      expect(names('Recent')).toHaveLength(2)
    })

    test('shows the plain list if they can’t be loaded', async () => {
      const api = fakeApi({ knownForms })
      api.control.fail('forms.recentTemplates', { code: 'internal', message: 'Broken.' })
      await openList(api)
      expect(part('Templates')).toHaveLength(5)
    })
  })

  test('with thousands of templates shows the first 100, and finds any', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ Name: `Lease ${index}`, Reference: `tpl-${index}` }))
    await openList(fakeApi({ templates: many }))
    expect(screen.getAllByRole('button', { name: /^Lease/ })).toHaveLength(100)
    await type(search(), 'lease 1987')
    expect(screen.getByRole('button', { name: 'Lease 1987' })).toBeTruthy()
  })

  test('with a duplicate reference shows both entries', async () => {
    await openList(fakeApi({ templates: ['One', 'Two'].map((Name) => ({ Name, Reference: 'tpl-1' })) }))
    expect(screen.getAllByRole('button', { name: /^(One|Two)/ })).toHaveLength(2)
  })

  test('counts entries that couldn’t be read', async () => {
    const api = fakeApi()
    api.templates.list = async () => ({ ok: true, value: { items: [], fetchedAt: 1, unreadable: 3 } })
    await openList(api)
    expect(screen.getByText(/^3 more templates/)).toBeTruthy()
  })
})
