/** How each account's service wants the data type of its identity data spelled. */
export const dataTypeSpelling = `
  ALTER TABLE accounts ADD COLUMN data_type_spelling TEXT NOT NULL DEFAULT 'lower-then-upper'
    CHECK (data_type_spelling IN ('lower', 'upper', 'lower-then-upper'));
`
