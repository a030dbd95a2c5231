/** Documents that could be what an uncertain send became, among those that the folders have shown since. */
import { type DocumentLog, type DocumentResponse, readCertainDate, readGmt } from '../../../../shared/model/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Answer, Ask } from '../questions.ts'
import type { Entry } from './entries.ts'
import type { Mirror } from './mirror.ts'
import { type Account, seenInRun } from './state.ts'

/** Our own ClientReferences are `cs-<id>-<n>`. */
const MARK = /^cs-(.+)-\d+$/
/** So many documents that are only alike are answered: the newest, as what is looked for was sent lately. */
const MOST_ALIKE = 2000

interface FoundDocument {
  document: DocumentResponse
  /** By its log; undefined if the service doesn't say. */
  begunAt: number | undefined
}

export function* snapshotIn(
  mirror: Mirror,
  account: Account,
  { since, keys }: Ask<'snapshot'>
): Sliced<Answer<'snapshot'>> {
  const [references, marks, matchKeys] = [keys.references, keys.marks, keys.matchKeys].map((some) => new Set(some))
  // By the ids of their rows.
  const named = new Set<number>()
  const alike = new Set<number>()
  let latest: number | undefined
  const isShown = (entry: Entry) => entry.isPlaced && seenInRun(account, entry) >= since
  let last = 0
  for (;;) {
    // Asked for after a lost answer only, so that it isn't held in memory for all documents.
    const some = mirror.keysAfter(last)
    last = some.at(-1)?.id ?? last
    if (some.length === 0) break
    for (const { account_id, reference, client_reference, likeness, last_log_at } of some) {
      const entry = account_id === account.id ? account.entries.get(reference) : undefined
      if (!entry || !isShown(entry)) continue
      if (last_log_at !== null) latest = Math.max(latest ?? last_log_at, last_log_at)
      const id = client_reference && MARK.exec(client_reference)?.[1]
      const isNamed = (client_reference && references?.has(client_reference)) || (id && marks?.has(id))
      if (!isNamed && !matchKeys?.has(likeness)) continue
      const found = isNamed ? named : alike
      found.add(entry.rowId)
      for (const other of entry.packageReference ? account.entries.inPackage(entry.packageReference) : [])
        if (isShown(other)) found.add(other.rowId)
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
  // One of which nobody says when it began could be any.
  const orderOf = ({ begunAt }: FoundDocument) => begunAt ?? Number.MAX_VALUE
  const newest = others.length <= MOST_ALIKE ? others : others.sort((one, two) => orderOf(two) - orderOf(one))
  documents.push(...newest.slice(0, MOST_ALIKE).map(({ document }) => document))
  return {
    documents,
    ...(latest !== undefined && { latest }),
    ...(others.length > MOST_ALIKE && { isCut: true as const })
  }
}

/** What a send is judged by, and what a person is shown of it where that is in doubt. */
function foundDocumentOf({ Signers = [], Logs = [], ...document }: DocumentResponse): FoundDocument {
  const { Reference, Name, Status, Folder, PackageReference, ClientReference } = document
  let first: { at: number; log: DocumentLog } | undefined
  for (const log of Logs) {
    const at = readCertainDate(log.Date, readGmt(log.GMT))?.at
    if (at !== undefined && (first === undefined || at < first.at)) first = { at, log }
  }
  return {
    begunAt: first?.at,
    document: {
      ...{ Reference, Name, Status, Folder, PackageReference, ClientReference },
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

/** How documents and what was sent are told to be alike. */

/** The same for a document and an item that have the same name and the same signers. */
export function matchKeyOf(name: string | undefined, signers: readonly { Email?: string | undefined }[]): string {
  const emails = signers.map(({ Email }) => plain(Email)).sort()
  return [plain(name).replace(/\.pdf$/, ''), ...emails].join('\n')
}

/** As references, names and addresses are compared: without the space around them, in lower case. */
export function plain(text: string | undefined): string {
  return (text ?? '').trim().toLowerCase()
}
