/**
 * A receipt's file: the rendered PDF and, after its end, what was signed, as a comment that PDF readers skip. The
 * statement has the SHA-256 of everything before it and of each block. The comment has only one valid form, so a
 * changed byte is found anywhere. Checking a file never unpacks or renders anything.
 */
import { z } from 'zod'
import { type AuditSigner, Digest, firstDifference, type SignedStatement, verifySigned } from '../audit/signature.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'

const FORMAT = 'countersign-receipt'
const MARK = '%countersign-receipt'
/** Bytes per block: a change is located to within one. */
const BLOCK = 256
/** In bytes. A receipt with ten people and thirty documents takes a fiftieth of it. */
export const MAX_RECEIPT_BYTES = 20 * 1024 * 1024
/** Shorter text can't be a signature. */
const MIN_SIGNATURE_LENGTH = 400
const HASH = /^[0-9a-f]{64}$/
/** Where a PDF's cross-reference table begins, as stated at its end. */
const PDF_END = /startxref\s+(\d{1,10})\s+%%EOF\s*$/

const Statement = z
  .object({
    format: z.literal(FORMAT),
    /** The text of `ReceiptContent`, and its SHA-256 as in the trail and the QR code. */
    content: z.string().max(MAX_RECEIPT_BYTES),
    contentSha256: z.string().regex(HASH),
    issuedAt: z.string().max(40),
    bytes: z.int().min(0),
    sha256: z.string().regex(HASH),
    blockBytes: z.int().min(64).max(1_048_576),
    blocks: z.string().regex(/^[0-9a-f]*$/)
  })
  // Without this a short file could make us keep the digests of a long one.
  .refine(({ bytes, blockBytes, blocks }) => blocks.length === Math.ceil(bytes / blockBytes) * 64)
type Statement = z.infer<typeof Statement>

/** Appends the signed statement to a PDF. @throws KeychainError; AppFailure `internal` if the input isn't a PDF. */
export async function sealPdf(
  pdf: Uint8Array,
  facts: Pick<Statement, 'content' | 'contentSha256' | 'issuedAt'>,
  signer: AuditSigner
): Promise<Uint8Array> {
  if (!endOf(pdf)) fail('internal', 'The receipt couldn’t be drawn.')
  const digest = new Digest(BLOCK)
  digest.add(pdf)
  const statement: Statement = { format: FORMAT, ...facts, ...digest.end() }
  return Buffer.concat([pdf, trailerOf(pdf, await signer.signStatement(JSON.stringify(statement)))])
}

type Bytes = { from: number; to: number }
export type ReceiptVerdict =
  | { verdict: 'unsigned' }
  | { verdict: 'signature'; bytes: Bytes }
  | { verdict: 'genuine' | 'changed'; bytes?: Bytes; fingerprint: string; statement: Statement }

/** Judges a file by what follows the PDF's end. @param file untrusted. */
export function judgeReceipt(file: Buffer): ReceiptVerdict {
  const found = findSigned(file)
  if (!found) return { verdict: 'unsigned' }
  const rest = { from: found.from, to: file.length - 1 }
  const signed = verifySigned(found.text)
  const statement = signed && Statement.safeParse(parsedJson(signed.statement)).data
  if (!statement) return { verdict: 'signature', bytes: rest }
  const pdf = file.subarray(0, found.from)
  const digest = new Digest(statement.blockBytes)
  digest.add(pdf)
  const common = { verdict: 'changed' as const, fingerprint: signed.fingerprint, statement }
  const now = digest.end()
  if (now.bytes !== statement.bytes || now.sha256 !== statement.sha256) {
    const { from, to } = firstDifference(statement, now)
    // If the line break before the mark was changed, the line begins earlier, and the PDF seems to end there.
    return { ...common, bytes: { from, to: Math.min(Math.max(to, statement.bytes), file.length - 1) } }
  }
  const expected = trailerOf(pdf, signed)
  const trailer = file.subarray(found.from)
  if (expected.equals(trailer)) return { ...common, verdict: 'genuine' }
  let at = 0
  while (at < expected.length && expected[at] === trailer[at]) at += 1
  return { ...common, bytes: { from: found.from + at, to: found.from + at } }
}

function trailerOf(pdf: Uint8Array, { statement, publicKey, signature }: SignedStatement): Buffer {
  const text = Buffer.from(JSON.stringify({ statement, publicKey, signature }), 'utf8').toString('base64')
  // Readers look for the cross-reference table at the very end, so its position is repeated there.
  // @wc-ignore
  return Buffer.from(`\n${MARK} ${text}\nstartxref\n${endOf(pdf) ?? ''}\n%%EOF\n`, 'latin1')
}

function endOf(pdf: Uint8Array): string | undefined {
  return PDF_END.exec(Buffer.from(pdf.subarray(-64)).toString('latin1'))?.[1]
}

/**
 * Finds the last long line, as only short ones follow it, and where it begins. Works even if its mark, or the space
 * after that, was changed.
 */
function findSigned(file: Buffer): { from: number; text: string } | undefined {
  for (let end = file.length; end > 0; ) {
    const from = file.lastIndexOf('\n', end - 1)
    if (end - from > MIN_SIGNATURE_LENGTH) {
      const line = file.subarray(from + 1, end).toString('latin1')
      const space = line.startsWith(MARK) ? MARK.length : line.indexOf(' ')
      const isOurs =
        from >= 0 && file.length - end < MIN_SIGNATURE_LENGTH && space >= 0 && space < MIN_SIGNATURE_LENGTH / 4
      return isOurs ? { from, text: Buffer.from(line.slice(space + 1), 'base64').toString('utf8') } : undefined
    }
    end = from
  }
  return undefined
}
