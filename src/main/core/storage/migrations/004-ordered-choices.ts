/** The place of a value among those that the office has put in an order itself; the others come after them, the newest first. */
export const orderedChoices = `
  ALTER TABLE remembered ADD COLUMN position INTEGER;
`
