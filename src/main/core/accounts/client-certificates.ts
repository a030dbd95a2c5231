/**
 * The certificates of the system's store by which accounts prove at the line itself who they are. An account's is shown to the host that
 * it was chosen for, and to no other; a service that asks for one otherwise gets none.
 */
import { z } from 'zod'
import type { ClientCertificate } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { Account } from './account.ts'

/** One of the system's store. */
export type StoredCertificate = ClientCertificate & { readonly fingerprint: string }

/** Which certificate an account shows, in the form in which it is found again. */
export type ChosenCertificate = Pick<StoredCertificate, 'fingerprint' | 'subject' | 'issuer'>

const Kept = z.object({ fingerprint: z.string(), subject: z.string(), issuer: z.string(), place: z.string() })

export interface ClientCertificatesDeps {
  readonly db: Db
  readonly accounts: { readonly list: () => readonly Pick<Account, 'id' | 'name' | 'baseUrl'>[] }
  readonly time: { readonly now: () => number }
  /** Lines that are made from now on ask again: each remembers what it was shown by. */
  readonly renewLines: () => void
}

export type ClientCertificates = ReturnType<typeof openClientCertificates>

export function openClientCertificates({ db, accounts, time, renewLines }: ClientCertificatesDeps) {
  const kept = keptIn(db)
  const keyOf = (id: string) => `client-certificate:${id}:`
  /** While someone tries an account, or looks at what there is: by host. */
  const tried = new Map<string, ChosenCertificate | null>()
  const looking = new Map<string, (found: readonly StoredCertificate[]) => void>()

  function of(id: string, baseUrl: string | null): ChosenCertificate | undefined {
    const { place, ...chosen } = kept.read(keyOf(id), Kept) ?? {}
    return place !== undefined && place === placeOf(baseUrl) ? (chosen as ChosenCertificate) : undefined
  }

  /** Of all accounts that lead there; a line has one certificate for all requests that it carries. */
  function keptFor(place: string): ChosenCertificate | undefined {
    for (const { id, baseUrl } of accounts.list()) {
      const found = placeOf(baseUrl) === place ? of(id, baseUrl) : undefined
      if (found) return found
    }
    return undefined
  }

  return {
    of,

    /** @throws AppFailure `invalid` where another account shows this service another one, or the address has no line to show it on. */
    mayKeep(baseUrl: string, chosen: ChosenCertificate, except?: string): void {
      const place = placeOf(baseUrl)
      if (place === undefined) fail('invalid', ONLY_HTTPS, { fields: [{ field: 'certificate', message: ONLY_HTTPS }] })
      for (const { id, name, baseUrl: other } of accounts.list()) {
        const theirs = id === except || placeOf(other) !== place ? undefined : of(id, other)
        if (!theirs || theirs.fingerprint === chosen.fingerprint) continue
        const message = `“${name}” shows this service another certificate. Accounts of one service share theirs.`
        fail('invalid', message, { fields: [{ field: 'certificate', message }] })
      }
    },

    /** @param chosen null for none. */
    keep(id: string, baseUrl: string | null, chosen: ChosenCertificate | null): void {
      const place = placeOf(baseUrl)
      if (chosen && place !== undefined) kept.write(keyOf(id), { ...chosen, place })
      else kept.erase(keyOf(id))
      renewLines()
    },

    /** Shows the service this one, or none, in place of what is kept, for as long as `work` takes. */
    async whileTried<Value>(
      baseUrl: string,
      chosen: ChosenCertificate | null | undefined,
      work: () => Promise<Value>
    ): Promise<Value> {
      const place = placeOf(baseUrl)
      if (chosen === undefined || place === undefined) return work()
      tried.set(place, chosen)
      renewLines()
      try {
        return await work()
      } finally {
        tried.delete(place)
        renewLines()
      }
    },

    /**
     * What the system offers this service, while `ask` asks it.
     * @returns empty where the service wants none.
     * @throws AppFailure `invalid` for an address without encryption.
     */
    async offeredTo(baseUrl: string, ask: () => Promise<unknown>): Promise<readonly StoredCertificate[]> {
      const place =
        placeOf(baseUrl) ?? fail('invalid', ONLY_HTTPS, { fields: [{ field: 'baseUrl', message: ONLY_HTTPS }] })
      let offered: readonly StoredCertificate[] = []
      looking.set(place, (found) => {
        offered = found
      })
      try {
        // A service that insists on one ends this with an error.
        await ask().catch(() => undefined)
        return offered.filter(({ validTo }) => validTo > time.now())
      } finally {
        looking.delete(place)
      }
    },

    /**
     * The one of the store that is shown to a server that asks; undefined for none.
     * @param place host and port, as `sign.example.com:443`.
     */
    choose(place: string, store: readonly StoredCertificate[]): StoredCertificate | undefined {
      looking.get(place)?.(store)
      const wanted = tried.has(place) ? tried.get(place) : keptFor(place)
      if (!wanted) return undefined
      const same = store.find(({ fingerprint }) => fingerprint === wanted.fingerprint)
      if (same) return same
      // Renewed: of the same owner, from the same issuer.
      return store
        .filter(({ subject, issuer, validTo }) => {
          return subject === wanted.subject && issuer === wanted.issuer && validTo > time.now()
        })
        .sort((one, other) => other.validTo - one.validTo)[0]
    }
  }
}

const ONLY_HTTPS = 'A client certificate needs an address that starts with https://.'

/** Host and port, as the network names them; undefined for an address without encryption. */
function placeOf(baseUrl: string | null): string | undefined {
  const url = baseUrl === null ? null : URL.parse(baseUrl)
  return url?.protocol === 'https:' ? `${url.hostname.replace(/^\[|\]$/g, '')}:${url.port || 443}` : undefined
}
