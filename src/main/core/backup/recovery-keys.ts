/**
 * Recovery keys: each opens a copy of the database's key stored next to the database, in case the keychain loses it.
 * One is a user's, on paper; another may be the organisation's, readable only with its private key. The recovery keys
 * themselves are never stored in the clear.
 */
import { constants, createHash, createPublicKey, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { RecoveryKeysView } from '../../../shared/contract/index.ts'
import { RECOVERY_KEY_BYTES, readRecoveryKey } from '../../../shared/recovery-key.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { KEY_BYTES } from '../storage/connection.ts'
import { DATABASE_FILE, type OpenedDatabase, RECOVERY_FILE, storedKey } from '../storage/database.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import type { Keychain } from '../storage/keychain.ts'
import type { openJsonMeta } from '../storage/meta.ts'
import { canOpen, isKeyChangePending, type Rekeyed, requestKeyChange } from '../storage/rekey.ts'
import { markOf, SealedKey, sealKey, unsealKey } from '../storage/sealed-key.ts'

const Hex = z.string().regex(/^[0-9a-f]+$/)
const WrappedKey = SealedKey.extend({
  /** paper: a user's. organisation: created here, readable only with the organisation's private key. */
  kind: z.enum(['paper', 'organisation']),
  madeAt: z.number(),
  /** Identifies the database key inside; see {@link markOf}. */
  opens: Hex,
  /** For the organisation's: the recovery key encrypted with its public key, and that key's fingerprint. */
  escrowed: Hex.optional(),
  publicKey: Hex.optional()
})
type WrappedKey = z.infer<typeof WrappedKey>
const RecoveryFile = z.object({
  version: z.literal(1),
  keys: z.array(WrappedKey),
  /** Time at which a key was used, until that is in the audit trail. */
  usedAt: z.number().optional()
})
type RecoveryFile = z.infer<typeof RecoveryFile>

/** Our own files have at most four. Further ones are preserved, but not tried. */
const MAX_KEYS_TRIED = 20
/** A shorter key would be weaker than what it protects. */
const MIN_RSA_BITS = 3072
const OFFER_DISMISSED_KEY = 'recovery-offer-dismissed'
// @wc-ignore
const PURPOSE = 'Countersign recovery key'

/**
 * Parses an organisation's public key. Rejects private keys, from which Node would derive the public one: every user
 * can read a policy.
 * @throws if it isn't a public key that can be used for encryption.
 */
export function escrowKeyOf(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY')) throw new TypeError('A private key.')
  const key = createPublicKey(pem)
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS) throw new TypeError('Not an RSA key that is long enough.')
  return key
}

/** Encrypts the database's key so that only this recovery key opens it. */
function wrapKey(secret: Uint8Array, databaseKey: Uint8Array, facts: Pick<WrappedKey, 'kind' | 'madeAt'>): WrappedKey {
  return { ...facts, opens: markOf(databaseKey), ...sealKey(secret, databaseKey, PURPOSE) }
}

/** Creates a recovery key that only the organisation can read. */
function createEscrowedKey(pem: string, databaseKey: Uint8Array, madeAt: number): WrappedKey {
  const key = escrowKeyOf(pem)
  const secret = randomBytes(RECOVERY_KEY_BYTES)
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const escrowed = publicEncrypt({ key, ...padding }, secret).toString('hex')
  const made = {
    ...wrapKey(secret, databaseKey, { kind: 'organisation', madeAt }),
    escrowed,
    publicKey: fingerprintOf(pem)
  }
  secret.fill(0)
  return made
}

function fingerprintOf(pem: string): string {
  return createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** Reads the recovery file. A foreign one is treated as missing and replaced. @throws FileError. */
async function readRecoveryFile(folder: string): Promise<RecoveryFile> {
  const text = await readFile(join(folder, RECOVERY_FILE), 'utf8').catch((error: unknown) => {
    if (fileErrorOf(error)?.systemCode === 'ENOENT') return ''
    throw fileErrorOf(error) ?? error
  })
  return RecoveryFile.safeParse(parsedJson(text)).data ?? { version: 1, keys: [] }
}

async function writeRecoveryFile(folder: string, file: RecoveryFile): Promise<void> {
  await writeAtomically(join(folder, RECOVERY_FILE), `${JSON.stringify(file, null, 1)}\n`, { ifExists: 'replace' })
}

export interface RecoveryKeysDeps {
  /** The data folder. */
  folder: string
  storage: { state: OpenedDatabase['state']; rekeyed?: Rekeyed }
  keychain: Pick<Keychain, 'databaseKey' | 'nextDatabaseKey'>
  random: (bytes: number) => Uint8Array
  meta: ReturnType<typeof openJsonMeta>
  publicKey: () => string | undefined
  note: NoteInAudit
  time: Pick<Time, 'now'>
  changed: () => void
}

export type RecoveryKeys = ReturnType<typeof openRecoveryKeys>

export function openRecoveryKeys(deps: RecoveryKeysDeps) {
  const { folder, storage, keychain, meta, note, time, changed } = deps
  /** Serialises changes of the file. */
  const change = <Answer>(work: () => Promise<Answer>): Promise<Answer> => inTurn(deps, work)

  let hasRequestedChange = false
  /**
   * A key change waits for a start with a working keychain, which may be far off; until then the recovery keys of both
   * may be needed.
   */
  const willKeyChange = async () =>
    hasRequestedChange || (storage.rekeyed === undefined && (await isKeyChangePending(folder)))
  /** Refuses changes that a pending key change would discard. @throws AppFailure `not-allowed`; FileError. */
  async function refuseWhilePending(): Promise<void> {
    if (!(await willKeyChange())) return
    fail('not-allowed', 'The encryption key is about to be changed, and has its recovery key already.', {
      next: 'Restart Countersign while the keychain works, then try again.'
    })
  }

  async function readDatabaseKey(): Promise<Uint8Array> {
    const key = storage.state === 'encrypted' ? await storedKey(keychain) : undefined
    return key ?? fail('keychain', 'The key to your data isn’t in the keychain any more, so no recovery key was made.')
  }

  return {
    async view(): Promise<RecoveryKeysView> {
      const { keys } = await readRecoveryFile(folder)
      const newest = (kind: WrappedKey['kind']) => keys.findLast((one) => one.kind === kind)?.madeAt
      const made = defined({ paperAt: newest('paper'), organisationAt: newest('organisation') })
      const isDismissed = meta.read(OFFER_DISMISSED_KEY, z.boolean()) ?? false
      return { ...made, isOffered: storage.state === 'encrypted' && keys.length === 0 && !isDismissed }
    },

    dismissOffer(): void {
      meta.write(OFFER_DISMISSED_KEY, true)
      changed()
    },

    /**
     * Makes this recovery key open the data, replacing the user's earlier one. @throws AppFailure `invalid`,
     * `keychain`, `not-allowed`; FileError.
     */
    setPaperKey: (typed: string): Promise<void> =>
      change(async () => {
        const secret = readSecret(typed)
        await refuseWhilePending()
        const key = await readDatabaseKey()
        const { keys, ...file } = await readRecoveryFile(folder)
        const made = wrapKey(secret, key, { kind: 'paper', madeAt: time.now() })
        const others = keys.filter(({ kind, opens }) => kind !== 'paper' && opens === made.opens)
        await writeRecoveryFile(folder, { ...file, keys: [...others, made] })
        note({ what: 'recovery-key-made', detail: { by: 'person' } })
        changed()
      }),

    /**
     * Schedules a new database key for the next start; from then on this recovery key opens it, and so does a new one
     * of the organisation.
     * @throws AppFailure `invalid`, `keychain`, `not-allowed`; KeychainError; FileError. Nothing is changed then.
     */
    changeKey: (typed: string): Promise<void> =>
      change(async () => {
        const secret = readSecret(typed)
        await refuseWhilePending()
        const mark = markOf(await readDatabaseKey())
        const next = deps.random(KEY_BYTES)
        const pem = deps.publicKey()
        const made = [
          wrapKey(secret, next, { kind: 'paper', madeAt: time.now() }),
          ...(pem === undefined ? [] : [createEscrowedKey(pem, next, time.now())])
        ]
        const file = await readRecoveryFile(folder)
        // Until then the earlier ones stay valid; `applyPolicy` removes them.
        const keys = [...file.keys.filter(({ opens }) => opens === mark), ...made]
        let isWritten = false
        const write = async () => {
          await writeRecoveryFile(folder, { ...file, keys })
          isWritten = true
        }
        await requestKeyChange(folder, keychain, next, write).catch(async (error: unknown) => {
          if (isWritten) await writeRecoveryFile(folder, file).catch(() => undefined)
          throw error
        })
        hasRequestedChange = true
      }),

    /**
     * Creates the recovery key that the organisation's policy requires, removes those for its other public keys, and
     * records a use in the audit trail. Never rejects.
     */
    applyPolicy: (log: { warn: (message: string) => void }): Promise<void> =>
      change(async () => {
        if (storage.state !== 'encrypted') return
        const { usedAt, ...file } = await readRecoveryFile(folder)
        if (usedAt !== undefined) {
          note({ what: 'recovery-key-used', detail: {} })
          await writeRecoveryFile(folder, file)
        }
        const pem = deps.publicKey()
        const key = await readDatabaseKey()
        const policyFingerprint = pem === undefined ? undefined : fingerprintOf(pem)
        const mark = markOf(key)
        const isThere = file.keys.some((one) => one.publicKey === policyFingerprint && one.opens === mark)
        // Once no key change is pending, recovery keys for other database keys are useless.
        const isPending = await willKeyChange()
        const others = file.keys.filter(
          ({ kind, opens, publicKey }) =>
            (opens === mark || isPending) && (kind === 'paper' || publicKey === policyFingerprint)
        )
        if (pem !== undefined && !isThere) {
          await writeRecoveryFile(folder, { version: 1, keys: [...others, createEscrowedKey(pem, key, time.now())] })
          note({ what: 'recovery-key-made', detail: { by: 'policy of the organisation' } })
        } else if (others.length < file.keys.length) await writeRecoveryFile(folder, { version: 1, keys: others })
        changed()
      }).catch(() => log.warn('The recovery key that the organisation’s policy wants could not be made.'))
  }
}

function readSecret(typed: string): Uint8Array {
  const read = readRecoveryKey(typed)
  if ('bytes' in read) return read.bytes
  const message =
    'wrongGroup' in read
      ? `Group ${read.wrongGroup} isn’t right. Compare it with the printed key.`
      : `A recovery key has 40 letters and digits. This one has ${read.length}.`
  fail('invalid', message, { fields: [{ field: 'key', message }] })
}

/** Returns whether a recovery key was ever made for the data in the folder. An unreadable file counts as none. */
export async function hasRecoveryKey(folder: string): Promise<boolean> {
  const { keys } = await readRecoveryFile(folder).catch(() => ({ keys: [] }))
  return keys.length > 0
}

/**
 * Recovers the database's key with a recovery key.
 * @param keep uses the key; called before the recovery is recorded.
 * @throws AppFailure `invalid`, `gone`; FileError; what `keep` throws. Nothing is changed then.
 */
export async function recoverKey(
  { folder, keep, now }: { folder: string; keep: (key: Uint8Array) => Promise<void>; now: number },
  typed: string
): Promise<void> {
  const secret = readSecret(typed)
  const file = await readRecoveryFile(folder)
  if (file.keys.length === 0) {
    fail('gone', 'No recovery key was made on this computer, or its file is missing.', {
      next: 'If you have a copy of the data folder, put its file recovery.json back. Otherwise restore a backup.'
    })
  }
  for (const one of file.keys.slice(0, MAX_KEYS_TRIED)) {
    const key = unsealKey(secret, one, PURPOSE)
    if (!key || !canOpen(join(folder, DATABASE_FILE), key)) continue
    await keep(key)
    await writeRecoveryFile(folder, { ...file, usedAt: now })
    return
  }
  const message = 'This recovery key doesn’t open the data on this computer.'
  const fields = [{ field: 'key', message }]
  // Only a start with a working keychain finds out how far the change has got.
  if (await isKeyChangePending(folder)) {
    const next = 'The encryption key is being changed: use the newest one that was made here, or the one before it.'
    fail('invalid', message, { next, fields })
  }
  fail('invalid', message, { next: 'Use the newest one that was made here. An earlier one no longer works.', fields })
}
