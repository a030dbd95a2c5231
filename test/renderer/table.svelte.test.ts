/** What a long table draws immediately, and what one frame later. */
import { cleanup, render, screen } from '@testing-library/svelte'
import { type Component, createRawSnippet, tick } from 'svelte'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import Table from '../../src/renderer/src/ui/Table.svelte'

interface Thing {
  name: string
}

/** Frames that were requested and haven't run yet. */
let frames: FrameRequestCallback[] = []
beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    }
  )
  frames = []
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

async function nextFrame(): Promise<void> {
  for (const frame of frames.splice(0)) frame(0)
  await new Promise((resume) => setTimeout(resume))
  await tick()
}

const cell = createRawSnippet<[Thing]>((thing) => ({
  render: () => '<span></span>',
  setup(element) {
    $effect(() => {
      element.textContent = thing().name
    })
  }
}))
const things = (count: number, generation: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${generation}, thing ${index}` }))

const shown = () =>
  screen
    .getAllByRole('row')
    .map((row) => row.textContent?.trim())
    .filter((text) => text?.includes('thing'))

test('when all rows change, visible ones are drawn immediately and the others a frame later', async () => {
  let rows = things(1000, 1)
  const props = {
    label: 'Things',
    columns: [{ key: 'name', label: 'Name' }],
    count: 1000,
    cell,
    place: 'all',
    version: 1
  }
  const table = render(Table as Component, {
    props: { ...props, row: (index: number) => rows[index], keyOf: ({ name }: Thing) => name }
  })
  // Without a layout, twenty rows are visible, and eight more are drawn around them.
  expect(shown()).toEqual(rows.slice(0, 20).map(({ name }) => name))
  await nextFrame()
  expect(shown()).toEqual(rows.slice(0, 29).map(({ name }) => name))

  rows = things(1000, 2)
  await table.rerender({ row: (index: number) => rows[index], version: 2 })
  const drawn = shown()
  expect(drawn.slice(0, 20)).toEqual(rows.slice(0, 20).map(({ name }) => name))
  expect(drawn.filter((text) => text?.startsWith('2'))).toHaveLength(20)
  await nextFrame()
  expect(shown()).toEqual(rows.slice(0, 29).map(({ name }) => name))
})

test('when few rows change, they are drawn immediately, even outside the view', async () => {
  const rows = things(1000, 1)
  const props = {
    label: 'Things',
    columns: [{ key: 'name', label: 'Name' }],
    count: 1000,
    cell,
    place: 'all',
    version: 1
  }
  const table = render(Table as Component, {
    props: { ...props, row: (index: number) => rows[index], keyOf: ({ name }: Thing) => name }
  })
  await nextFrame()
  rows[25] = { name: 'Another thing' }
  await table.rerender({ row: (index: number) => rows[index], version: 2 })
  expect(shown()).toContain('Another thing')
  expect(frames).toEqual([])
})
