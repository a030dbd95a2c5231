/** Exports the whole audit trail with its chain, in slices, so that a long one doesn't block anything. */
import type { AuditEntry } from '../../../shared/contract/index.ts'
import { type TableFormat, tableWriters } from '../bulk/table-file.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { nextTurn } from '../lib/slices.ts'
import type { AuditTable, Link } from './audit-table.ts'
import { BEFORE_FIRST, textOf } from './chain.ts'

const HEADINGS = [
  'Number',
  'Time',
  'Zone',
  'Staff',
  'What',
  'Signer',
  'Document',
  'Document reference',
  'Session',
  'Details',
  'Text of the chain',
  'Hash: SHA-256 of the hash above (64 zeros before the first), a line feed, and the text to the left, in UTF-8'
]

/** Instructions in the file itself for verifying the chain without Countersign. */
const HOW_TO_VERIFY =
  'The hash of an entry is the SHA-256, in hexadecimal, of the UTF-8 bytes of: the hash of the entry before it ' +
  `(${BEFORE_FIRST} before the first), a line feed, and the entry’s text. With jq and any SHA-256 tool, for the second ` +
  `entry: jq -j '.entries[0].hash, "\\n", .entries[1].text' FILE | sha256sum`

/** The part of the trail that an export contains. */
export interface ExportSummary {
  entries: number
  last: { seq: number; hash: string }
}

/** Returns the content and, once that was read, what it contains. */
export function exportTrail(
  table: AuditTable,
  format: TableFormat | 'json'
): { content: AsyncIterable<Uint8Array>; summary: () => ExportSummary } {
  const summary: ExportSummary = { entries: 0, last: { seq: 0, hash: BEFORE_FIRST } }
  function* links() {
    for (const batch of table.links()) {
      summary.entries += batch.length
      const { entry, hash } = batch.at(-1) as Link
      summary.last = { seq: entry.seq, hash }
      yield batch
    }
  }
  return { content: format === 'json' ? jsonOf(links()) : tableOf(links(), format), summary: () => summary }
}

/** For spreadsheets, times with their offset. */
async function* tableOf(all: Iterable<Link[]>, format: TableFormat): AsyncGenerator<Uint8Array> {
  const iso = isoByZone()
  const writer = tableWriters[format]()
  yield writer.write([HEADINGS])
  for (const links of all) {
    yield writer.write(links.map((link) => cellsOf(link, iso)))
    await nextTurn()
  }
  yield writer.end()
}

/** For programs: each entry with its text and hash, and instructions. */
async function* jsonOf(all: Iterable<Link[]>): AsyncGenerator<Uint8Array> {
  const iso = isoByZone()
  yield bytesOf(`{\n"howToVerify": ${JSON.stringify(HOW_TO_VERIFY)},\n"entries": [`)
  let separator = '\n'
  for (const links of all) {
    const texts = links.map(({ entry, hash }) =>
      JSON.stringify({ ...entry, time: iso(entry), text: textOf(entry), hash })
    )
    yield bytesOf(separator + texts.join(',\n'))
    separator = ',\n'
    await nextTurn()
  }
  yield bytesOf('\n]\n}\n')
}

function cellsOf({ entry, hash }: Link, iso: (entry: AuditEntry) => string): string[] {
  const details = Object.entries(entry.detail).map(([name, value]) => `${name}: ${value}`)
  return [
    String(entry.seq),
    iso(entry),
    entry.zone,
    entry.staff,
    entry.what.replaceAll('-', ' '),
    entry.signerName ?? '',
    entry.documentName ?? '',
    entry.documentReference ?? '',
    entry.session ?? '',
    details.join('; '),
    textOf(entry),
    hash
  ]
}

/** Writes times as the local clock showed them. */
function isoByZone(): (entry: AuditEntry) => string {
  const writers = new Map<string, (at: number) => string>()
  return ({ at, zone }) => {
    // An invalid time wasn't written by us, and mustn't break the export.
    if (Number.isNaN(new Date(at).getTime())) return String(at)
    const writer = writers.get(zone) ?? isoFormatter(zone)
    writers.set(zone, writer)
    return writer(at)
  }
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}
