/**
 * TLS client certificates from the system's store. An account's certificate is presented only to the host it was chosen
 * for; other services that request one get none.
 */
import { z } from 'zod'
import type { ClientCertificate } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { Account } from './account.ts'

export type StoredCertificate = ClientCertificate & { readonly fingerprint: string }

/** An account's certificate, as needed to find it again. */
export type ChosenCertificate = Pick<StoredCertificate, 'fingerprint' | 'subject' | 'issuer'>

const Kept = z.object({ fingerprint: z.string(), subject: z.string(), issuer: z.string(), place: z.string() })

export interface ClientCertificatesDeps {
  readonly db: Db
  readonly accounts: { readonly list: () => readonly Pick<Account, 'id' | 'name' | 'baseUrl'>[] }
  readonly time: { readonly now: () => number }
  /** Makes new connections ask again: each remembers its certificate. */
  readonly renewConnections: () => void
}

export type ClientCertificates = ReturnType<typeof openClientCertificates>

export function openClientCertificates({ db, accounts, time, renewConnections }: ClientCertificatesDeps) {
  const meta = openJsonMeta(db)
  const keyOf = (id: string) => `client-certificate:${id}:`
  /** By host, while a user tests an account. */
  const trials = new Map<string, { readonly chosen: ChosenCertificate | null }>()
  const listings = new Map<string, (found: readonly StoredCertificate[]) => void>()

  function of(id: string, baseUrl: string | null): ChosenCertificate | undefined {
    const { place, ...chosen } = meta.read(keyOf(id), Kept) ?? {}
    return place !== undefined && place === hostOf(baseUrl) ? (chosen as ChosenCertificate) : undefined
  }

  /** Searches all accounts of this host, since a connection has one certificate for all its requests. */
  function storedFor(place: string): ChosenCertificate | undefined {
    for (const { id, baseUrl } of accounts.list()) {
      const found = hostOf(baseUrl) === place ? of(id, baseUrl) : undefined
      if (found) return found
    }
    return undefined
  }

  return {
    of,

    /**
     * Checks a choice. @throws AppFailure `invalid` if another account uses a different certificate for this service,
     * or the address isn't encrypted.
     */
    checkChoice(baseUrl: string, chosen: ChosenCertificate, except?: string): void {
      const place = hostOf(baseUrl)
      if (place === undefined) fail('invalid', ONLY_HTTPS, { fields: [{ field: 'certificate', message: ONLY_HTTPS }] })
      for (const { id, name, baseUrl: other } of accounts.list()) {
        const theirs = id === except || hostOf(other) !== place ? undefined : of(id, other)
        if (!theirs || theirs.fingerprint === chosen.fingerprint) continue
        const message = `“${name}” uses a different certificate for this service. All accounts of one service must use the same one.`
        fail('invalid', message, { fields: [{ field: 'certificate', message }] })
      }
    },

    /** Stores an account's certificate. @param chosen null for none. */
    store(id: string, baseUrl: string | null, chosen: ChosenCertificate | null): void {
      const place = hostOf(baseUrl)
      if (chosen && place !== undefined) meta.write(keyOf(id), { ...chosen, place })
      else meta.erase(keyOf(id))
      renewConnections()
    },

    /** Presents this certificate (or none) to the service instead of the stored one while `work` runs. */
    async withCertificate<Value>(
      baseUrl: string,
      chosen: ChosenCertificate | null | undefined,
      work: () => Promise<Value>
    ): Promise<Value> {
      const place = hostOf(baseUrl)
      if (chosen === undefined || place === undefined) return work()
      const trial = { chosen }
      trials.set(place, trial)
      renewConnections()
      try {
        return await work()
      } finally {
        // A user may have given this one up and begun another.
        if (trials.get(place) === trial) trials.delete(place)
        renewConnections()
      }
    },

    /**
     * Returns the certificates that the system offers for this service, while `request` makes a request.
     * @returns empty if the service doesn't request one.
     * @throws AppFailure `invalid` for an unencrypted address.
     */
    async listOffered(baseUrl: string, request: () => Promise<unknown>): Promise<readonly StoredCertificate[]> {
      const place =
        hostOf(baseUrl) ?? fail('invalid', ONLY_HTTPS, { fields: [{ field: 'baseUrl', message: ONLY_HTTPS }] })
      let offered: readonly StoredCertificate[] = []
      const listing = (found: readonly StoredCertificate[]) => {
        offered = found
      }
      listings.set(place, listing)
      try {
        // A service that requires one fails this request.
        await request().catch(() => undefined)
        return offered.filter(({ validTo }) => validTo > time.now())
      } finally {
        // A user may have left this search and begun another.
        if (listings.get(place) === listing) listings.delete(place)
      }
    },

    /**
     * Returns the certificate to present to a server that requests one; undefined for none.
     * @param place host and port, as `sign.example.com:443`.
     */
    choose(place: string, store: readonly StoredCertificate[]): StoredCertificate | undefined {
      listings.get(place)?.(store)
      const trial = trials.get(place)
      const chosen = trial ? trial.chosen : storedFor(place)
      if (!chosen) return undefined
      const same = store.find(({ fingerprint }) => fingerprint === chosen.fingerprint)
      if (same) return same
      // Renewed: same subject and issuer.
      return store
        .filter(({ subject, issuer, validTo }) => {
          return subject === chosen.subject && issuer === chosen.issuer && validTo > time.now()
        })
        .sort((one, other) => other.validTo - one.validTo)[0]
    }
  }
}

const ONLY_HTTPS = 'A client certificate needs an address that starts with https://.'

/** Host and port, as the network names them; undefined for an unencrypted address. */
function hostOf(baseUrl: string | null): string | undefined {
  const url = baseUrl === null ? null : URL.parse(baseUrl)
  return url?.protocol === 'https:' ? `${url.hostname.replace(/^\[|\]$/g, '')}:${url.port || 443}` : undefined
}
