/** A short name of each account, to tell its rows by where several are shown; blank for one that is made of its name. */
export const accountMarks = `
  ALTER TABLE accounts ADD COLUMN mark TEXT NOT NULL DEFAULT '';
`
