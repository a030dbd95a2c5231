/** An action's last claim on the office's server, until the office knows its outcome. */
export const officeActions = `
  CREATE TABLE office_actions (
    id TEXT PRIMARY KEY NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
