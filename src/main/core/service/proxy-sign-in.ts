/**
 * Signs in to the proxies of the office's network. A person is asked once per proxy; the login is stored in the
 * keychain and sent to that proxy only. A login that is new or from an earlier run is tried by a single request first:
 * many wrong ones at once could lock the user out. A rejected login is deleted, and the person is asked again.
 */
import { z } from 'zod'
import type { ProxyView } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { SecretSlot } from '../storage/keychain.ts'

/** A login challenge, as the network reports it. */
export interface ProxyChallenge {
  /** False if a website asks. */
  readonly isProxy: boolean
  readonly host: string
  readonly port: number
}

const Login = z.strictObject({ user: z.string(), password: z.string() })
export type ProxyLogin = z.infer<typeof Login>
const Kept = z.record(z.string(), Login)

/** Answers the proxies' challenges to one request. */
export interface ProxyAnswers {
  /** Returns the login; undefined if there is none or it was rejected. Never rejects. */
  answer: (challenge: ProxyChallenge) => Promise<ProxyLogin | undefined>
  /** Must be called when the request has ended: `answered` if it got through. */
  finish: (how: 'answered' | 'failed') => void
}

export type ProxySignIns = ReturnType<typeof openProxySignIns>

/**
 * Opens the store of proxy logins.
 * @param changed called when a different proxy needs a sign-in, or none does any more.
 */
export function openProxySignIns({ slot, changed }: { slot: SecretSlot; changed: () => void }) {
  let known: Record<string, ProxyLogin> | undefined
  let waiting: ProxyView | undefined
  /** Proxies that accepted the known login. */
  const proven = new Set<string>()
  /** Proxies whose login one request is trying while others wait. */
  const proving = new Map<string, PromiseWithResolvers<void>>()

  async function read(): Promise<Record<string, ProxyLogin>> {
    if (known) return known
    const stored = Kept.safeParse(parsedJson((await slot.get()) ?? '')).data ?? {}
    // Another request may have read them meanwhile, or a person entered others.
    known ??= stored
    return known
  }

  function setWaiting(next: ProxyView | undefined): void {
    waiting = next
    changed()
  }

  function forget(proxy: string): void {
    const { [proxy]: _, ...others } = known ?? {}
    known = others
    proven.delete(proxy)
    // If this fails, the stored login is rejected once more after the next start.
    void slot.set(JSON.stringify(others)).catch(() => undefined)
  }

  return {
    /** The proxy that needs a sign-in from a person. */
    waiting: (): ProxyView | undefined => waiting,

    forRequest(): ProxyAnswers {
      const sentLogins = new Map<string, ProxyLogin>()
      /** Proxies whose login this request is trying. */
      const trying = new Set<string>()
      let hasEnded = false
      return {
        async answer({ isProxy, host, port }) {
          if (!isProxy) return undefined
          const proxy = `${host}:${port}`
          for (;;) {
            // A locked keychain may be unlocked by the next attempt.
            const login = (await read().catch(() => undefined))?.[proxy]
            // If the request has ended meanwhile, it would never report a result, and all others would wait for it.
            if (hasEnded) return undefined
            if (login && sentLogins.get(proxy) === login) {
              forget(proxy)
              setWaiting({ proxy, wasRefused: true })
              return undefined
            }
            if (!login) {
              if (waiting?.proxy !== proxy) setWaiting({ proxy, wasRefused: false })
              return undefined
            }
            const other = proven.has(proxy) ? undefined : proving.get(proxy)
            if (!other) {
              if (!proven.has(proxy)) {
                proving.set(proxy, Promise.withResolvers())
                trying.add(proxy)
              }
              sentLogins.set(proxy, login)
              return login
            }
            await other.promise
          }
        },
        finish(how) {
          hasEnded = true
          // With several proxies in a list, only the last let it through; earlier ones may have rejected their login.
          const passedProxy = how === 'answered' ? [...sentLogins.keys()].at(-1) : undefined
          for (const [proxy, login] of sentLogins) {
            if (proxy === passedProxy && known?.[proxy] === login) proven.add(proxy)
            if (!trying.delete(proxy)) continue
            proving.get(proxy)?.resolve()
            proving.delete(proxy)
          }
          sentLogins.clear()
        }
      }
    },

    /**
     * Stores the login a person entered for the waiting proxy.
     * @throws AppFailure `not-allowed` if none is waiting; KeychainError if the login can't be stored: it is then used
     * until Countersign quits.
     */
    async signIn(login: ProxyLogin): Promise<void> {
      if (!waiting) return fail('not-allowed', 'No proxy is waiting for a sign-in.')
      const { proxy } = waiting
      known = { ...(await read().catch(() => ({}))), [proxy]: login }
      proven.delete(proxy)
      setWaiting(undefined)
      await slot.set(JSON.stringify(known))
    }
  }
}
