/** Documents that could be what an uncertain send became, among those that the folders have shown since. */
import { type DocumentLog, type DocumentResponse, readCertainDate, readGmt } from '../../../../shared/model/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Answer, Ask } from '../questions.ts'
import type { Mirror } from './mirror.ts'
import { type Account, type Entry, seenInRun } from './state.ts'

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
  const named = new Set<Entry>()
  const alike = new Set<Entry>()
  let latest: number | undefined
  let passed = 0
  const isShown = (entry: Entry) => entry.isPlaced && seenInRun(account, entry) >= since
  for (const entry of account.entries.values()) {
    if (++passed % 256 === 0) yield
    if (!isShown(entry)) continue
    if (entry.lastLogAt !== undefined) latest = Math.max(latest ?? entry.lastLogAt, entry.lastLogAt)
    const { clientReference, matchKey } = entry
    const id = clientReference && MARK.exec(clientReference)?.[1]
    const isNamed = (clientReference && references?.has(clientReference)) || (id && marks?.has(id))
    if (!isNamed && !matchKeys?.has(matchKey)) continue
    const found = isNamed ? named : alike
    found.add(entry)
    for (const other of account.byPackage.get(entry.packageReference ?? '') ?? []) if (isShown(other)) found.add(other)
  }
  const documents: DocumentResponse[] = []
  for (const entry of named) {
    yield
    documents.push(foundDocumentOf(mirror.document(entry)).document)
  }
  const others: FoundDocument[] = []
  for (const entry of alike) {
    if (named.has(entry)) continue
    yield
    others.push(foundDocumentOf(mirror.document(entry)))
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
