/** Which PINs nobody should choose: those that everybody tries first. */

/** In use everywhere, beside what follows a rule: down the middle of the pad, its corners, years that begin lives. */
const WELL_KNOWN = new Set([
  '2580',
  '0852',
  '1379',
  '9731',
  '1397',
  '1004',
  '2000',
  '1010',
  '1122',
  '1313',
  '147258369'
])

/** Why it isn't taken, in a sentence for the person who chose it; undefined where it is. */
export function refusedPin(pin: string): string | undefined {
  if (!/^\d{4,12}$/.test(pin)) return 'Choose a PIN of 4 to 12 digits.'
  if (/^(\d)\1+$/.test(pin))
    return 'Choose a PIN that isn’t one digit repeated: it is among the first that anybody tries.'
  if (isRun(pin)) return 'Choose a PIN that isn’t digits in a row: it is among the first that anybody tries.'
  if (/^(\d{2,6})\1+$/.test(pin)) return 'Choose a PIN that isn’t the same digits over and over: it is soon guessed.'
  if (/^(?:(\d)\1)+$/.test(pin)) return 'Choose a PIN that isn’t made of doubled digits: it is soon guessed.'
  if (WELL_KNOWN.has(pin)) return 'Choose another PIN: this one is among the first that anybody tries.'
  return undefined
}

/** Up or down by one, over the end of the pad as well: 1234, 4321, 7890, 0987. */
function isRun(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, index) => (Number(digit) - Number(pin[index]) + 10) % 10))
  return steps.size === 1 && (steps.has(1) || steps.has(9))
}
