/**
 * Languages without a font on the computer, with a canvas that draws a box for each missing letter, like browsers.
 */
import { screen } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hasLetters } from '../../src/renderer/src/screens/counter/person/letters.ts'
import { offeredLanguages } from '../../src/renderer/src/screens/counter/person/translator.ts'
import CounterSection from '../../src/renderer/src/screens/settings/counter/CounterSection.svelte'
import { PERSON_LANGUAGES } from '../../src/shared/contract/counter-views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { openOffice, show } from './office.ts'

/** Returns the box drawn for a missing letter, by default always the same; Latin and Arabic letters are drawn. */
let boxOf: (letter: string) => string
beforeEach(() => {
  boxOf = () => 'box'
  let drawn = ''
  const context = {
    clearRect: () => (drawn = ''),
    fillText: (letter: string) =>
      (drawn = /[\p{Script=Latin}\p{Script=Arabic}]/u.test(letter) ? letter : boxOf(letter)),
    getImageData: () => ({ data: [drawn] })
  }
  vi.stubGlobal('CanvasRenderingContext2D', class {})
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('a language', () => {
  test('has its letters if each is drawn differently', () => {
    expect(hasLetters('te reo')).toBe(true)
    expect(hasLetters('हिन्द')).toBe(false)
  })

  test('lacks its letters even if the boxes come from another font', () => {
    boxOf = (letter) => (letter === '\u{10ffff}' ? 'nothing' : 'box')
    expect(hasLetters('中文')).toBe(false)
  })

  test('without its letters is not offered to signers', () => {
    expect(offeredLanguages(PERSON_LANGUAGES)).toEqual(['en', 'mi', 'sm', 'to', 'ar'])
    expect(offeredLanguages(['hi', 'ar'])).toEqual(['en', 'ar'])
  })

  test('without its letters is marked for staff, with what to do', async () => {
    const opened = await openOffice(fakeApi())
    show(opened, CounterSection)
    await settle()
    const descriptionOf = (name: string) => {
      const ids = screen.getByRole('checkbox', { name }).getAttribute('aria-describedby') ?? ''
      return ids
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join()
    }
    expect(descriptionOf('हिन्दी (Hindi)')).toContain('this computer has no font with these letters')
    expect(descriptionOf('العربية (Arabic)')).not.toContain('no font')
    expect(screen.getByText(/install a font that has them/)).toBeTruthy()
    opened.close()
  })
})
