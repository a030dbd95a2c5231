/**
 * Allows more than three sign-in schemes, as defined in code. The column is replaced because its CHECK can't be
 * changed.
 */
export const signInSchemes = `
  ALTER TABLE accounts ADD COLUMN sign_in TEXT NOT NULL DEFAULT 'none';
  UPDATE accounts SET sign_in = auth_scheme;
  ALTER TABLE accounts DROP COLUMN auth_scheme;
  ALTER TABLE accounts RENAME COLUMN sign_in TO auth_scheme;
`
