/** What a document is filed under. */

/** A reference that Countersign made up for a document to which the office gave none: `cs-<id of its send>-<n>`. */
const MADE_UP_REFERENCE = /^cs-[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}-\d+$/i

interface Filed {
  matterNumber?: string | undefined
  clientReference?: string | undefined
}

/** Returns a document's matter. Not every service has matters: an office's own reference is then what it files under. */
export function matterOf({ matterNumber, clientReference }: Filed): string | undefined {
  if (matterNumber) return matterNumber
  return clientReference && !MADE_UP_REFERENCE.test(clientReference) ? clientReference : undefined
}
