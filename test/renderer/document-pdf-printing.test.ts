import { expect, test } from 'vitest'
import type { PdfFile } from '../../src/renderer/src/screens/pdf/pdf-viewer.svelte.ts'
import type { Sheet } from '../../src/renderer/src/screens/pdf/printing.svelte.ts'
import { Printing } from '../../src/renderer/src/screens/pdf/printing.svelte.ts'
import { fakeApi } from './fake-api.ts'

const file = { pages: 2 } as PdfFile
const sheets: Sheet[] = [
  { picture: 'data:image/png;base64,AA==', isLandscape: false },
  { picture: 'data:image/png;base64,AB==', isLandscape: true }
]

test('the pages are laid out when the print dialog opens, and discarded afterwards', async () => {
  const api = fakeApi()
  const printed: unknown[] = []
  const print = api.pdf.print
  api.pdf.print = async () => {
    printed.push(printing.sheets)
    return print()
  }
  const printing: Printing = new Printing(
    api,
    async () => {
      printed.push('laid out')
    },
    async () => sheets
  )
  await printing.print(file)
  expect(printed).toEqual(['laid out', sheets])
  expect(printing.sheets).toEqual([])
  expect(printing.paintedCount).toBeUndefined()
  expect(printing.error).toBeUndefined()
})

test('a printer failure is reported, and the pages are discarded', async () => {
  const api = fakeApi()
  api.control.fail('pdf.print', { code: 'internal', message: 'No printer.' })
  const printing = new Printing(
    api,
    async () => {},
    async () => sheets
  )
  await printing.print(file)
  expect(printing.error?.message).toBe('No printer.')
  expect(printing.sheets).toEqual([])
})

test('a page that can’t be painted stops printing, rather than leaving a gap', async () => {
  const api = fakeApi()
  const printing = new Printing(
    api,
    async () => {},
    async () => {
      throw new Error('This page is damaged.')
    }
  )
  await printing.print(file)
  expect(printing.error).toBeTruthy()
  expect(api.control.calls.filter(({ name }) => name === 'pdf.print')).toEqual([])
})

test('cancelling during preparation prevents printing', async () => {
  const api = fakeApi()
  const painting = Promise.withResolvers<Sheet[]>()
  const printing = new Printing(
    api,
    async () => {},
    () => painting.promise
  )
  const printed = printing.print(file)
  printing.cancel()
  painting.resolve(sheets)
  await printed
  expect(printing.sheets).toEqual([])
  expect(api.control.calls.filter(({ name }) => name === 'pdf.print')).toEqual([])
})
