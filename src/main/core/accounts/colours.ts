/** The colours that tell accounts apart; each can be told from its neighbours on light and on dark ground. */

/** The practice office has one to itself, so that it can't be taken for a real account. */
export const PRACTICE_COLOUR = '#b7791f'

const ACCOUNT_COLOURS: readonly string[] = [
  '#1f7a7a',
  '#3b6fd4',
  '#8a5cc7',
  '#c2487a',
  '#4f8a3a',
  '#b4532a',
  '#5f6b7a',
  '#2f8fbf'
]

/** The first colour that no account has yet, or the one that the fewest have. */
export function freeColour(taken: readonly string[]): string {
  const uses = (colour: string) => taken.filter((other) => other === colour).length
  return ACCOUNT_COLOURS.reduce((best, colour) => (uses(colour) < uses(best) ? colour : best))
}
