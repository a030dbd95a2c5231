/** Position of a value that the office has ordered manually; unordered values follow, newest first. */
export const orderedChoices = `
  ALTER TABLE remembered ADD COLUMN position INTEGER;
`
