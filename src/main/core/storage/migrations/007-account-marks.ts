/** An account's short name, to tell rows of several accounts apart; blank if derived from its name. */
export const accountMarks = `
  ALTER TABLE accounts ADD COLUMN mark TEXT NOT NULL DEFAULT '';
`
