/**
 * The accounts' credentials in the keychain. An entry changes only together with the account's record, and never while
 * renewed tokens are written to it.
 */
import { inTurn } from '../lib/slices.ts'
import { type AccountSecrets, KeychainError } from '../storage/keychain.ts'
import type { AccountRecord } from './account.ts'
import { type AccountCredentials, decodeCredentials, encodeCredentials, isEnrolledSecret } from './credentials.ts'
import type { Tokens } from './oauth-tokens.ts'

/** `unknown`: the keychain couldn't be read just now. */
export type SecretState = 'kept' | 'missing' | 'unknown'

/** Whether credentials have to be entered again, and whether they came with an enrolment file. */
export interface SecretFacts {
  state: SecretState
  isEnrolled: boolean
}

/** Credentials to store, for the service at this address only. */
interface NewSecret {
  credentials: AccountCredentials
  baseUrl: string | null
  isEnrolled: boolean
}

interface StoredSecret {
  /** The keychain's entry; null if there is none. */
  text: string | null
  /** Missing if it is lost or invalid. */
  credentials?: AccountCredentials
  isEnrolled: boolean
}

/** Calls reject with KeychainError if the keychain can't be used. */
export function storedCredentials(secrets: AccountSecrets) {
  /** Each account's credentials as last changed in this run; every change has another number. */
  const revisions = new Map<string, number>()
  const revision = (id: string): number => revisions.get(id) ?? 0
  let lastRevision = 0
  /** Serialises an account's keychain writes, since new tokens may arrive at any time. */
  // @wc-ignore
  const runSerially = <Value>(id: string, work: () => Promise<Value>) => inTurn(`secret ${id}`, work)

  async function read(row: AccountRecord): Promise<StoredSecret> {
    const text = await secrets.get(row.id)
    const isEnrolled = isEnrolledSecret(text)
    if (row.scheme === 'none') return { text, credentials: { scheme: 'none' }, isEnrolled }
    const credentials = text === null ? undefined : decodeCredentials(text, row.baseUrl)
    return { text, ...(credentials && { credentials }), isEnrolled }
  }

  /** Returns the keychain entry for credentials; null for none. */
  function textOf({ credentials, baseUrl, isEnrolled }: NewSecret): string | null {
    return credentials.scheme === 'none' ? null : encodeCredentials(credentials, baseUrl, isEnrolled)
  }

  async function write(id: string, text: string | null): Promise<void> {
    await (text === null ? secrets.delete(id) : secrets.set(id, text))
  }

  return {
    /** Reads an account's entry. A keychain may ask its owner each time. */
    read,

    /** Returns what is known without showing the credentials. Doesn't reject if the keychain can't be used. */
    async facts(row: AccountRecord): Promise<SecretFacts> {
      if (row.scheme === 'none') return { state: 'kept', isEnrolled: false }
      try {
        const { credentials, isEnrolled } = await read(row)
        return credentials ? { state: 'kept', isEnrolled } : { state: 'missing', isEnrolled: false }
      } catch (error) {
        if (error instanceof KeychainError) return { state: 'unknown', isEnrolled: false }
        throw error
      }
    },

    async add(id: string, secret: NewSecret): Promise<void> {
      const text = textOf(secret)
      await runSerially(id, () => write(id, text))
    },

    /**
     * Changes an account's entry, and then its record. If the record isn't changed, the entry stays what it was, and so
     * do the tokens of its sign-in: one that is renewed meanwhile is stored afterwards. If restoring the entry fails, the
     * credentials have to be entered again; nothing else is lost.
     * @param next undefined to remove the entry.
     * @param isOutdated whether the entry no longer has to be changed, since an earlier change did that.
     */
    async change(
      id: string,
      next: NewSecret | undefined,
      changeRecord: () => void,
      isOutdated: () => boolean = () => false
    ): Promise<void> {
      const text = next ? textOf(next) : null
      await runSerially(id, async () => {
        if (isOutdated()) return changeRecord()
        const current = revision(id)
        const before = await secrets.get(id)
        await write(id, text)
        revisions.set(id, ++lastRevision)
        try {
          changeRecord()
        } catch (error) {
          await write(id, before).catch(() => undefined)
          revisions.set(id, current)
          throw error
        }
      })
    },

    /**
     * Stores renewed tokens, unless the account was removed or its credentials have changed since.
     * @param renewal `revision`: of the sign-in that they renew.
     */
    async renew(
      id: string,
      renewal: { revision: number; tokens: Tokens },
      rowNow: () => AccountRecord | undefined
    ): Promise<void> {
      await runSerially(id, async () => {
        const row = rowNow()
        if (!row || revision(id) !== renewal.revision) return
        const { credentials, isEnrolled } = await read(row)
        if (credentials?.scheme !== 'oauth') return
        const { tokens } = renewal
        await secrets.set(id, encodeCredentials({ ...credentials, tokens }, row.baseUrl, isEnrolled))
      })
    },

    revision
  }
}
