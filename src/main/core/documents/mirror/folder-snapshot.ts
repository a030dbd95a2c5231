/** Finds documents that an uncertain send may have become, among those that the folders have shown since. */
import { type DocumentLog, type DocumentResponse, readCertainDate, readGmt } from '../../../../shared/model/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Answer, Ask } from '../questions.ts'
import type { Entry } from './entries.ts'
import type { Mirror } from './mirror.ts'
import { type Account, seenInRun } from './state.ts'

/** Our own ClientReferences are `cs-<id>-<n>`. */
const OWN_REFERENCE = /^cs-(.+)-\d+$/
/** Limit on documents that are merely similar: the newest are kept, as the send was recent. */
const MAX_SIMILAR = 2000

interface FoundDocument {
  document: DocumentResponse
  /** By its log; undefined if the service doesn't say. */
  startedAt: number | undefined
}

export function* snapshotIn(
  mirror: Mirror,
  account: Account,
  { since, keys }: Ask<'snapshot'>
): Sliced<Answer<'snapshot'>> {
  const [references, marks, matchKeys] = [keys.references, keys.marks, keys.matchKeys].map((some) => new Set(some))
  // By row id.
  const named = new Set<number>()
  const alike = new Set<number>()
  let latest: number | undefined
  const wasSeen = (entry: Entry) => entry.isPlaced && seenInRun(account, entry) >= since
  let last = 0
  for (;;) {
    // Read from disk because it's needed only after a lost answer; not worth holding in memory for all documents.
    const some = mirror.keysAfter(last)
    last = some.at(-1)?.id ?? last
    if (some.length === 0) break
    for (const { account_id, reference, client_reference, likeness, last_log_at } of some) {
      const entry = account_id === account.id ? account.entries.get(reference) : undefined
      if (!entry || !wasSeen(entry)) continue
      if (last_log_at !== null) latest = Math.max(latest ?? last_log_at, last_log_at)
      const id = client_reference && OWN_REFERENCE.exec(client_reference)?.[1]
      const isNamed = (client_reference && references?.has(client_reference)) || (id && marks?.has(id))
      if (!isNamed && !matchKeys?.has(likeness)) continue
      const found = isNamed ? named : alike
      found.add(entry.rowId)
      for (const other of entry.packageReference ? account.entries.inPackage(entry.packageReference) : [])
        if (wasSeen(other)) found.add(other.rowId)
    }
    yield
  }
  const documents: DocumentResponse[] = []
  for (const rowId of named) {
    yield
    documents.push(foundDocumentOf(mirror.document(account.entries.at(rowId))).document)
  }
  const others: FoundDocument[] = []
  for (const rowId of alike) {
    if (named.has(rowId)) continue
    yield
    others.push(foundDocumentOf(mirror.document(account.entries.at(rowId))))
  }
  // A document without a known beginning could be any, so it counts as newest.
  const orderOf = ({ startedAt }: FoundDocument) => startedAt ?? Number.MAX_VALUE
  const newest = others.length <= MAX_SIMILAR ? others : others.sort((one, two) => orderOf(two) - orderOf(one))
  documents.push(...newest.slice(0, MAX_SIMILAR).map(({ document }) => document))
  return {
    documents,
    ...(latest !== undefined && { latest }),
    ...(others.length > MAX_SIMILAR && { isCut: true as const })
  }
}

/** Reduces a document to what a send is judged by, and what people are shown if that is in doubt. */
function foundDocumentOf({ Signers = [], Logs = [], ...document }: DocumentResponse): FoundDocument {
  const { Reference, Name, Status, Folder, PackageReference, ClientReference } = document
  let first: { at: number; log: DocumentLog } | undefined
  for (const log of Logs) {
    const at = readCertainDate(log.Date, readGmt(log.GMT))?.at
    if (at !== undefined && (first === undefined || at < first.at)) first = { at, log }
  }
  return {
    startedAt: first?.at,
    document: {
      Reference,
      Name,
      Status,
      Folder,
      PackageReference,
      ClientReference,
      Signers: Signers.map(({ FirstName, MiddleName, LastName, Email }) => ({
        FirstName,
        MiddleName,
        LastName,
        Email
      })),
      ...(first && { Logs: [{ Date: first.log.Date, GMT: first.log.GMT }] })
    }
  }
}

/** Returns a key that is equal for a document and an item with the same name and signers. */
export function matchKeyOf(name: string | undefined, signers: readonly { Email?: string | undefined }[]): string {
  const emails = signers.map(({ Email }) => normalised(Email)).sort()
  return [normalised(name).replace(/\.pdf$/, ''), ...emails].join('\n')
}

/** Normalises references, names and addresses for comparison: trimmed and in lower case. */
export function normalised(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase()
}
