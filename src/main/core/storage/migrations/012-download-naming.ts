/**
 * By what a file is known that is being given its name: an end before it is written down finds it again, also where the service
 * makes a report anew each time it is asked.
 */
export const downloadNaming = `
  ALTER TABLE downloads ADD COLUMN naming_bytes INTEGER;
  ALTER TABLE downloads ADD COLUMN naming_sha256 TEXT;
`
