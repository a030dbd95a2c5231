/**
 * Verifies an exported audit trail without any code of Countersign: only Node's own crypto and files.
 *
 * `node scripts/verify-audit-export.ts "Audit trail 2026-11-24.json" [FINGERPRINT]`
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [path = '', ...fingerprintParts] = process.argv.slice(2)
const { statement, publicKey, signature } = JSON.parse(readFileSync(`${path}.signature`, 'utf8'))
const key = createPublicKey(publicKey)
const fingerprint = sha256(key.export({ format: 'der', type: 'spki' })).toUpperCase()

if (!verify(null, Buffer.from(statement, 'utf8'), key, Buffer.from(signature, 'base64')))
  fail('The signature is not valid.')
if (fingerprintParts.length > 0 && fingerprintParts.join('').replaceAll(' ', '').toUpperCase() !== fingerprint)
  fail(`Signed with another key: ${fingerprint}`)

const claims = JSON.parse(statement)
const file = readFileSync(path)
if (file.length !== claims.bytes || sha256(file) !== claims.sha256) fail(`Changed: ${whereChanged()}`)
if (path.endsWith('.json')) followChain(JSON.parse(file.toString('utf8')).entries)
process.stdout.write(`Genuine: ${claims.entries} entries, exported ${claims.exportedAt}, signed with ${fingerprint}\n`)

function whereChanged(): string {
  const blocks: string[] = claims.blocks.match(/.{64}/g) ?? []
  for (let index = 0, from = 0; ; index += 1, from += claims.blockBytes) {
    const block = file.subarray(from, from + claims.blockBytes)
    if (block.length > 0 && sha256(block) === blocks[index]) continue
    const before = file.subarray(0, from + block.length).toString('latin1')
    const entry = [...before.matchAll(/^\{"seq":(\d+),/gm)].at(-1)?.[1]
    return `bytes ${from} to ${from + Math.max(block.length, 1) - 1}${entry ? `, at or before entry ${entry}` : ''}`
  }
}

/**
 * Verifies the hash chain: each entry's hash is the SHA-256 of the previous hash, a line feed, and the entry's text.
 */
function followChain(entries: { seq: number; text: string; hash: string }[]): void {
  let last = '0'.repeat(64)
  for (const { seq, text, hash } of entries) {
    last = sha256(Buffer.from(`${last}\n${text}`, 'utf8'))
    if (last !== hash) fail(`The trail was changed before it was exported: entry ${seq}`)
  }
  if (last !== claims.last.hash) fail('The trail was changed before it was exported: its end')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function fail(message: string): never {
  process.stdout.write(`${message}\n`)
  process.exit(1)
}
