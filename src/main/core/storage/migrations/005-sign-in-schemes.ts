/** How an account signs in may be named by more words than three: what the words are is the code's to say. A column's check can't be changed. */
export const signInSchemes = `
  ALTER TABLE accounts ADD COLUMN sign_in TEXT NOT NULL DEFAULT 'none';
  UPDATE accounts SET sign_in = auth_scheme;
  ALTER TABLE accounts DROP COLUMN auth_scheme;
  ALTER TABLE accounts RENAME COLUMN sign_in TO auth_scheme;
`
