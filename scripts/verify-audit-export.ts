/**
 * Verifies an exported audit trail without any code of Countersign: only Node's own crypto and files.
 *
 * `node scripts/verify-audit-export.ts "Audit trail 2026-11-24.json" [FINGERPRINT]`
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [path = '', ...noted] = process.argv.slice(2)
const { statement, publicKey, signature } = JSON.parse(readFileSync(`${path}.signature`, 'utf8'))
const key = createPublicKey(publicKey)
const fingerprint = sha256(key.export({ format: 'der', type: 'spki' })).toUpperCase()

if (!verify(null, Buffer.from(statement, 'utf8'), key, Buffer.from(signature, 'base64')))
  end('The signature is not valid.')
if (noted.length > 0 && noted.join('').replaceAll(' ', '').toUpperCase() !== fingerprint)
  end(`Signed with another key: ${fingerprint}`)

const said = JSON.parse(statement)
const file = readFileSync(path)
if (file.length !== said.bytes || sha256(file) !== said.sha256) end(`Changed: ${whereChanged()}`)
if (path.endsWith('.json')) followChain(JSON.parse(file.toString('utf8')).entries)
process.stdout.write(`Genuine: ${said.entries} entries, exported ${said.exportedAt}, signed with ${fingerprint}\n`)

function whereChanged(): string {
  const blocks: string[] = said.blocks.match(/.{64}/g) ?? []
  for (let index = 0, from = 0; ; index += 1, from += said.blockBytes) {
    const block = file.subarray(from, from + said.blockBytes)
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
    if (last !== hash) end(`The trail was changed before it was exported: entry ${seq}`)
  }
  if (last !== said.last.hash) end('The trail was changed before it was exported: its end')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function end(message: string): never {
  process.stdout.write(`${message}\n`)
  process.exit(1)
}
