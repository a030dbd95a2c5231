/** Which claim of an office's server an action had last, until the office knows what became of it. */
export const officeActions = `
  CREATE TABLE office_actions (
    id TEXT PRIMARY KEY NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
