import { expect, test } from 'vitest'
import { pinRefusal } from '../../../src/main/core/counter/pin-hash.ts'

test.each([
  ['1234', /consecutive/],
  ['4321', /consecutive/],
  ['0123456789', /consecutive/],
  ['7890', /consecutive/],
  ['0987', /consecutive/],
  ['0000', /repeat one digit/],
  ['1111', /repeat one digit/],
  ['999999999999', /repeat one digit/],
  ['1212', /repeat a pattern/],
  ['123123', /repeat a pattern/],
  ['19841984', /repeat a pattern/],
  ['1122', /doubled/],
  ['998877', /doubled/],
  ['2580', /Choose another PIN/],
  ['2000', /Choose another PIN/],
  ['123', /4 to 12/],
  ['1234567890123', /4 to 12/],
  ['12a4', /4 to 12/],
  ['', /4 to 12/],
  ['１３９４', /4 to 12/]
])('%s is refused', (pin, why) => {
  expect(pinRefusal(pin)).toMatch(why)
})

test.each(['7491', '2468', '1357', '1984', '60417', '123124', '112230', '1243', '987012345612'])(
  '%s is accepted',
  (pin) => {
    expect(pinRefusal(pin)).toBeUndefined()
  }
)
