/**
 * Signing in to the proxies of the office's network. A person is asked once for each; what they enter is in the keychain, and goes to
 * that proxy alone. A password that is new, or from an earlier run, is shown by one request first: many at once that are wrong lock a
 * user out. One that was refused is forgotten, and a person is asked again.
 */
import { z } from 'zod'
import type { ProxyView } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { SecretSlot } from '../storage/keychain.ts'

/** Who asks: as the network says it. */
export interface ProxyChallenge {
  /** False of a website that asks. */
  readonly isProxy: boolean
  readonly host: string
  readonly port: number
}

const Login = z.strictObject({ user: z.string(), password: z.string() })
export type ProxyLogin = z.infer<typeof Login>
const Kept = z.record(z.string(), Login)

/** What one request answers the proxies on its way. */
export interface ProxyAnswers {
  /** Undefined where nothing is known, or what is known was refused. Never rejects. */
  answer: (challenge: ProxyChallenge) => Promise<ProxyLogin | undefined>
  /** To be called once the request is over: `answered` if it came through. */
  over: (how: 'answered' | 'failed') => void
}

export type ProxySignIns = ReturnType<typeof openProxySignIns>

/** @param changed called when another proxy waits for a sign-in, or none does any more. */
export function openProxySignIns({ slot, changed }: { slot: SecretSlot; changed: () => void }) {
  let known: Record<string, ProxyLogin> | undefined
  let waiting: ProxyView | undefined
  /** Those that took what is known. */
  const proven = new Set<string>()
  /** Those that one request finds it out for. */
  const proving = new Map<string, PromiseWithResolvers<void>>()

  async function read(): Promise<Record<string, ProxyLogin>> {
    known ??= Kept.safeParse(parsedJson((await slot.get()) ?? '')).data ?? {}
    return known
  }

  function wait(next: ProxyView | undefined): void {
    waiting = next
    changed()
  }

  function forget(proxy: string): void {
    const { [proxy]: _, ...others } = known ?? {}
    known = others
    proven.delete(proxy)
    // What stays there is refused once more at the next start.
    void slot.set(JSON.stringify(others)).catch(() => undefined)
  }

  return {
    /** The proxy that waits for a person. */
    waiting: (): ProxyView | undefined => waiting,

    forRequest(): ProxyAnswers {
      const shown = new Map<string, ProxyLogin>()
      /** Those that this request finds it out for. */
      const mine = new Set<string>()
      let isOver = false
      return {
        async answer({ isProxy, host, port }) {
          if (!isProxy) return undefined
          const proxy = `${host}:${port}`
          for (;;) {
            // A keychain that is shut may be open the next time.
            const login = (await read().catch(() => undefined))?.[proxy]
            // Given up meanwhile, it would never say what it found out, and all others would wait for it.
            if (isOver) return undefined
            if (login && shown.get(proxy) === login) {
              forget(proxy)
              wait({ proxy, wasRefused: true })
              return undefined
            }
            if (!login) {
              if (waiting?.proxy !== proxy) wait({ proxy, wasRefused: false })
              return undefined
            }
            const other = proven.has(proxy) ? undefined : proving.get(proxy)
            if (!other) {
              if (!proven.has(proxy)) {
                proving.set(proxy, Promise.withResolvers())
                mine.add(proxy)
              }
              shown.set(proxy, login)
              return login
            }
            await other.promise
          }
        },
        over(how) {
          isOver = true
          // Of several in a list it came through the last: one before it may have refused what it was shown.
          const through = how === 'answered' ? [...shown.keys()].at(-1) : undefined
          for (const [proxy, login] of shown) {
            if (proxy === through && known?.[proxy] === login) proven.add(proxy)
            if (!mine.delete(proxy)) continue
            proving.get(proxy)?.resolve()
            proving.delete(proxy)
          }
          shown.clear()
        }
      }
    },

    /**
     * Keeps what a person entered for the proxy that waits.
     * @throws AppFailure `not-allowed` where none does; KeychainError where it can't be kept: then it holds until Countersign ends.
     */
    async signIn(login: ProxyLogin): Promise<void> {
      if (!waiting) return fail('not-allowed', 'No proxy is waiting for a sign-in.')
      const { proxy } = waiting
      known = { ...(await read().catch(() => ({}))), [proxy]: login }
      proven.delete(proxy)
      wait(undefined)
      await slot.set(JSON.stringify(known))
    }
  }
}
