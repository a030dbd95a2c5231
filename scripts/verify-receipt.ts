/**
 * Verifies a session's receipt without any code of Countersign: only Node's own crypto and files.
 *
 * `node scripts/verify-receipt.ts "R-2026-000123-7F3A.pdf" [FINGERPRINT]`
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [path = '', ...fingerprintParts] = process.argv.slice(2)
const file = readFileSync(path)
// After the PDF's own end come a comment with what was signed, and the end again.
const lines = file.toString('latin1').split('\n')
const signatureLine = lines.findLastIndex((line) => line.length > 400)
const comment = lines[signatureLine] ?? ''
const from = Buffer.byteLength(lines.slice(0, signatureLine).join('\n'), 'latin1')
const end = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(file.subarray(Math.max(0, from - 64), from).toString('latin1'))?.[1]
if (signatureLine < 1 || lines.length - signatureLine > 6) fail('This is no signed receipt.')

const { statement, publicKey, signature } = readSignature()
const key = createPublicKey(publicKey)
const fingerprint = sha256(key.export({ format: 'der', type: 'spki' })).toUpperCase()
if (!verify(null, Buffer.from(statement, 'utf8'), key, Buffer.from(signature, 'base64')))
  fail(`The signature is not valid: bytes ${from} to ${file.length - 1}`)
if (fingerprintParts.length > 0 && fingerprintParts.join('').replaceAll(' ', '').toUpperCase() !== fingerprint)
  fail(`Signed with another key: ${fingerprint}`)

const claims = JSON.parse(statement)
const pdf = file.subarray(0, from)
if (claims.format !== 'countersign-receipt') fail('This is no receipt.')
if (pdf.length !== claims.bytes || sha256(pdf) !== claims.sha256) fail(`Changed: ${whereChanged()}`)
const expectedTrailer = Buffer.from(
  `\n%countersign-receipt ${Buffer.from(JSON.stringify({ statement, publicKey, signature })).toString('base64')}\nstartxref\n${end}\n%%EOF\n`
)
const trailer = file.subarray(from)
for (let at = 0; at < Math.max(expectedTrailer.length, trailer.length); at += 1)
  if (expectedTrailer[at] !== trailer[at]) fail(`Changed: byte ${from + at}`)
if (sha256(Buffer.from(claims.content, 'utf8')) !== claims.contentSha256)
  fail('What the receipt says is not what it was signed for.')

const { number, people } = JSON.parse(claims.content)
process.stdout.write(`Genuine: ${number}, issued ${claims.issuedAt}, signed with ${fingerprint}\n`)
for (const { name, documents } of people)
  for (const document of documents) process.stdout.write(`${name}: ${document.name}: ${document.result}\n`)

function readSignature() {
  try {
    return JSON.parse(Buffer.from(comment.slice(comment.indexOf(' ') + 1), 'base64').toString('utf8'))
  } catch {
    return fail(`The signature is not valid: bytes ${from} to ${file.length - 1}`)
  }
}

function whereChanged(): string {
  const blocks: string[] = claims.blocks.match(/.{64}/g) ?? []
  for (let index = 0, at = 0; ; index += 1, at += claims.blockBytes) {
    const block = pdf.subarray(at, at + claims.blockBytes)
    if (block.length > 0 && sha256(block) === blocks[index]) continue
    return `bytes ${at} to ${at + Math.max(block.length, 1) - 1}`
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function fail(message: string): never {
  process.stdout.write(`${message}\n`)
  process.exit(1)
}
