/** What is wrong with a PIN while it is being chosen. Whether it is too easily guessed, main says. */
export function problemOfPin(pin: string): string | undefined {
  if (pin === '') return 'Choose a PIN.'
  if (!/^\d*$/.test(pin)) return 'Digits only, so that it can be given on a tablet’s keypad.'
  if (pin.length < 4) return 'At least 4 digits.'
  return pin.length > 12 ? 'At most 12 digits.' : undefined
}
