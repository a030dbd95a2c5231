/**
 * The mirror of the folders has a file of its own now (see core/documents/mirror-schema.ts), where a thread of its own
 * writes it; what it held is read anew from the service. The views that people saved stay here.
 */
export const documentViews = `
  DROP TABLE documents;
  DROP TABLE folder_looks;

  CREATE TABLE document_views (
    id TEXT PRIMARY KEY NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- A DocumentQuery, decoded when it is read.
    query TEXT NOT NULL CHECK (json_valid(query)),
    tell INTEGER NOT NULL DEFAULT 0 CHECK (tell IN (0, 1)),
    position INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX document_views_by_account ON document_views (account_id, position);
`
