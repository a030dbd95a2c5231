import { expect, test } from 'vitest'
import { searchList } from '../../../src/shared/short-list-search.ts'

const forms = ['Tenancy agreement tpl-2024', 'Deed of gift', 'Māori land – consent', 'Fatima Bennett']
const found = (typed: string) => searchList(forms, typed, (one) => one)

test.for([
  ['', forms],
  ['agreement ten', [forms[0]]],
  ['maori  LAND', [forms[2]]],
  ['land - consent', [forms[2]]]
] as const)('“%s” finds what has all of its words', ([typed, items]) => {
  expect(found(typed)).toEqual({ items, isNear: false })
})

test.for([
  ['tenacny', forms[0]],
  ['agreemnt tpl', forms[0]],
  ['fatma benet', forms[3]],
  ['fatma ben', forms[3]],
  ['consnet', forms[2]]
] as const)('“%s” finds what was meant, and says that it isn’t the same', ([typed, item]) => {
  expect(found(typed)).toEqual({ items: [item], isNear: true })
})

test.for(['tpl-2025', '2025', 'mortgage', 'tenacny 2025'])(
  '“%s” finds nothing: another number is something else',
  (typed) => {
    expect(found(typed)).toEqual({ items: [], isNear: false })
  }
)
