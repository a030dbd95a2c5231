/**
 * The XML parts of an Excel workbook, and unpacking them within a limit. The sizes that a workbook declares are checked
 * before unpacking and enforced during it, so that a small file can't fill the memory.
 */
import { crc32, inflateRawSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { inFigures, MAX_UNPACKED_BYTES, refuseFile } from './raw-table.ts'

/** The parts that hold cells, by their paths in the file. Pictures, charts and macros stay packed. */
export type WorkbookParts = ReadonlyMap<string, Uint8Array>

interface Entry {
  name: string
  isEncrypted: boolean
  isPacked: boolean
  packedSize: number
  size: number
  checksum: number
  offset: number
}

/** Several times what an Excel cell can hold. */
const MAX_TEXT_LENGTH = 200_000
/** Bytes parsed at a time: a whole part as text is far larger than what is kept of it. */
const PIECE = 64 * 1024
const NEEDED_PARTS =
  /^(?:xl\/(?!media\/|theme\/|drawings\/|charts\/|embeddings\/|printerSettings\/|pivotCache\/).*|_rels\/\.rels|\[Content_Types\]\.xml)$/i

/** The message for any workbook that can't be read. */
export const UNREADABLE =
  'This workbook can’t be read. Open it in a spreadsheet program, save it again as .xlsx, and choose that.'
const DAMAGED =
  'This workbook is damaged or incomplete. Open it in a spreadsheet program, save it again, and choose that.'

/** @throws AppFailure `bad-file` */
export function unpackWorkbook(bytes: Uint8Array): WorkbookParts {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readDirectory(file)
  refuseOtherKinds(entries)
  const needed = entries.filter(({ name }) => NEEDED_PARTS.test(name) && /\.(?:xml|rels)$/i.test(name))
  if (needed.some(({ isEncrypted }) => isEncrypted)) {
    refuseFile('This workbook is protected with a password. Save it without one, and choose that.')
  }
  const size = needed.reduce((sum, entry) => sum + entry.size, 0)
  if (size > MAX_UNPACKED_BYTES) {
    const megabytes = inFigures(Math.round(size / 1024 / 1024))
    refuseFile(
      `This workbook unpacks to ${megabytes} MB, which is too large. Copy the sheet you need into a new workbook.`
    )
  }
  return new Map(needed.map((entry) => [entry.name, unpackEntry(file, entry)]))
}

/** Handlers for a part's XML. Tags come without the prefix that some programs write. */
export interface PartHandlers {
  onOpenTag?(tag: string, attributes: Record<string, string | undefined>): void
  /** The text directly in a tag, except phonetic hints. */
  onText?(text: string, tag: string): void
  onCloseTag?(tag: string): void
}

/** @throws AppFailure `bad-file` if it can't be read. */
export function parsePart(parts: WorkbookParts, path: string, { onOpenTag, onText, onCloseTag }: PartHandlers): void {
  const part = parts.get(path) ?? refuseFile(UNREADABLE)
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  const parser = new SaxesParser()
  let tag = ''
  let isPhonetic = false
  parser.on('doctype', () => refuseFile(UNREADABLE))
  parser.on('error', () => refuseFile(UNREADABLE))
  parser.on('opentag', ({ name, attributes }) => {
    tag = local(name)
    isPhonetic ||= tag === 'rPh'
    onOpenTag?.(tag, attributes)
  })
  const handleText = (found: string) => {
    if (found.length > MAX_TEXT_LENGTH) refuseFile(UNREADABLE)
    if (!isPhonetic) onText?.(found, tag)
  }
  parser.on('text', handleText)
  parser.on('cdata', handleText)
  parser.on('closetag', ({ name }) => {
    tag = ''
    if (local(name) === 'rPh') isPhonetic = false
    onCloseTag?.(local(name))
  })
  const decoder = new TextDecoder()
  for (let at = 0; at < part.length; at += PIECE) {
    parser.write(decoder.decode(part.subarray(at, at + PIECE), { stream: true }))
  }
  parser.write(decoder.decode()).close()
}

/** Reads the directory at the end of the file. A truncated file lacks it. */
function readDirectory(file: Buffer): Entry[] {
  const end = file.lastIndexOf('PK\x05\x06', file.length, 'latin1')
  if (end < 0 || end + 22 > file.length || end < file.length - 65_557) refuseFile(DAMAGED)
  const count = file.readUInt16LE(end + 10)
  let at = file.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffffffff) refuseFile(DAMAGED)
  const entries: Entry[] = []
  for (let index = 0; index < count; index++) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== 0x02014b50) refuseFile(DAMAGED)
    const method = file.readUInt16LE(at + 10)
    const nameLength = file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, at + 46 + nameLength)
    if (method !== 0 && method !== 8 && NEEDED_PARTS.test(name)) refuseFile(DAMAGED)
    entries.push({
      name,
      isEncrypted: (file.readUInt16LE(at + 8) & 1) === 1,
      isPacked: method === 8,
      checksum: file.readUInt32LE(at + 16),
      packedSize: file.readUInt32LE(at + 20),
      size: file.readUInt32LE(at + 24),
      offset: file.readUInt32LE(at + 42)
    })
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

function refuseOtherKinds(entries: readonly Entry[]): void {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()))
  if (names.has('xl/workbook.xml')) return
  if (names.has('xl/workbook.bin')) {
    refuseFile('This is a binary workbook (.xlsb). Save it as an Excel workbook (.xlsx), and choose that.')
  }
  if (names.has('content.xml') && names.has('mimetype')) {
    refuseFile('This is an OpenDocument file. Save the sheet as an Excel workbook (.xlsx) or as CSV, and choose that.')
  }
  if (names.has('word/document.xml')) refuseFile('This is a Word document, not a table. Choose a CSV or XLSX file.')
  refuseFile('This isn’t an Excel workbook. Choose a CSV or XLSX file.')
}

function unpackEntry(file: Buffer, { offset, packedSize, size, isPacked, checksum }: Entry): Uint8Array {
  if (offset + 30 > file.length || file.readUInt32LE(offset) !== 0x04034b50) refuseFile(DAMAGED)
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  if (start + packedSize > file.length) refuseFile(DAMAGED)
  const packed = file.subarray(start, start + packedSize)
  const content = isPacked ? inflate(packed, size) : packed
  if (content.byteLength !== size || crc32(content) !== checksum) refuseFile(DAMAGED)
  return content
}

function inflate(packed: Buffer, size: number): Buffer {
  try {
    // Fails here for a part that is larger than it declares.
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return refuseFile(DAMAGED)
  }
}
