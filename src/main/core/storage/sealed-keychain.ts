/**
 * A keychain for an agent on a server where nobody signs in and no keychain is unlocked: a file sealed under a secret
 * that the system gives only to this service (systemd's credentials). The file alone reveals nothing. See decision 63.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { writeAtomically } from './atomic-file.ts'
import { KeychainError, keychainOver, memoryKeychain, type SecretName } from './keychain.ts'
import type { OpenedKeychain } from './keytar-keychain.ts'
import { SealedKey, sealKey, unsealKey } from './sealed-key.ts'

/** Name of the credential in systemd's unit. */
const CREDENTIAL = 'countersign-keychain'
/** In the data folder. */
const FILE = 'keychain.sealed'
/** Minimum length of the credential in bytes, so that it can't be guessed. */
const MIN_SECRET_BYTES = 32
const PURPOSE = 'Countersign keychain'
const Secrets = z.record(z.string(), z.string())

/** Returns the path of the credential's file; undefined if the system provides none. @param env of this process. */
export function credentialIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.CREDENTIALS_DIRECTORY ? join(env.CREDENTIALS_DIRECTORY, CREDENTIAL) : undefined
}

/**
 * Opens the sealed keychain. Never rejects: if the credential or the file can't be used, returns an in-memory keychain
 * and the reason.
 * @param deps.folder the data folder.
 */
export async function openSealedKeychain({
  credential,
  folder
}: {
  credential: string
  folder: string
}): Promise<OpenedKeychain> {
  try {
    const secret = await readFile(credential)
    if (secret.length < MIN_SECRET_BYTES)
      throw new KeychainError('failed', `The credential has less than ${MIN_SECRET_BYTES} bytes.`)
    const store = openSealedStore(join(folder, FILE), secret)
    await store.verify()
    return { keychain: keychainOver(store, 'in-os'), status: { state: 'available' } }
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    const detail = error instanceof KeychainError ? error.message : 'The credential can’t be read.'
    return {
      keychain: memoryKeychain(),
      status: { state: 'unavailable', reason: isMissing ? 'missing' : 'failed', detail }
    }
  }
}

function openSealedStore(path: string, secret: Uint8Array) {
  /** Serialises changes, so that each starts from the result of the previous one. */
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<z.infer<typeof Secrets>> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw new KeychainError('failed', 'The sealed keychain can’t be read.')
    })
    if (text === undefined) return {}
    const sealed = SealedKey.safeParse(parsedJson(text))
    const opened = sealed.success ? unsealKey(secret, sealed.data, PURPOSE) : undefined
    const secrets = opened && Secrets.safeParse(parsedJson(Buffer.from(opened).toString())).data
    // Sealed with another credential, or tampered with; mustn't be treated as empty.
    if (!secrets) throw new KeychainError('failed', 'The sealed keychain doesn’t open with this credential.')
    return secrets
  }

  function change(edit: (secrets: z.infer<typeof Secrets>) => void): Promise<void> {
    const done = last.then(async () => {
      const secrets = await read()
      edit(secrets)
      const content = JSON.stringify(sealKey(secret, Buffer.from(JSON.stringify(secrets)), PURPOSE))
      await writeAtomically(path, content, { ifExists: 'replace', mode: 0o600 }).catch(() => {
        throw new KeychainError('failed', 'The sealed keychain can’t be written.')
      })
    })
    last = done.catch(() => undefined)
    return done
  }

  return {
    verify: read,
    get: async (name: SecretName) => (await last.then(read))[name] ?? null,
    set: (name: SecretName, value: string) =>
      change((secrets) => {
        secrets[name] = value
      }),
    delete: (name: SecretName) =>
      change((secrets) => {
        delete secrets[name]
      })
  }
}
