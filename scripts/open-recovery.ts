/**
 * Decrypts the recovery key escrowed with a policy's public key. The only code of Countersign it uses is how a key is
 * written: `node scripts/open-recovery.ts PRIVATE-KEY.pem recovery.json`. If the private key has a passphrase, remove
 * it first with OpenSSL: `openssl pkey -in PRIVATE-KEY.pem -out FILE` writes a copy without one.
 */
import { constants, privateDecrypt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { recoveryKeyText } from '../src/shared/recovery-key.ts'

const [privateKey = '', path = ''] = process.argv.slice(2)
const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: { escrowed?: string; madeAt: number }[] }
const key = readFileSync(privateKey, 'utf8')
const escrowed = keys.filter((one) => one.escrowed !== undefined)
let found = 0
for (const { escrowed: text = '', madeAt } of escrowed) {
  try {
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const secret = privateDecrypt({ key, ...padding }, Buffer.from(text, 'hex'))
    console.log(`${new Date(madeAt).toISOString()}  ${recoveryKeyText(secret)}`)
    found++
  } catch {
    console.error(`${new Date(madeAt).toISOString()}  is of another private key.`)
  }
}
if (escrowed.length === 0) console.error('There is no recovery key of an organisation in this file.')
process.exitCode = found > 0 ? 0 : 1
