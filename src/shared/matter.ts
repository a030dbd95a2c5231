/** What a document is filed under, and the references that Countersign makes up where the office gave none. */

/** Returns the prefix of the ClientReferences that Countersign gives a send's documents; their number follows. */
export function markOf(sendId: string): string {
  return `cs-${sendId}-`
}

/** A ClientReference made up by Countersign: see `markOf`. */
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
