/**
 * The client of the main process: results as they come, or unwrapped. A call never throws across the boundary;
 * one that breaks on the way becomes an error like any other.
 */
import type { Api } from '../../shared/contract/api.ts'
import type { AppError, Result } from '../../shared/contract/errors.ts'

declare global {
  interface Window {
    countersign: Api
  }
}

export type { Api }

/**
 * The client as it asks for one account, whichever are shown: what is done to a row is done in the row's own account.
 * @param accountId where it is gone by then, a call fails with `no-account`.
 */
export function ofAccount(api: Api, accountId: string): Api {
  type Calls = Record<string, (input: unknown, accountId: string) => unknown>
  const calls = (domain: Calls) =>
    new Proxy({} as Calls, { get: (_, name) => (input: unknown) => domain[String(name)]?.(input, accountId) })
  const domains = api as unknown as Record<string, Calls>
  // The bridge is frozen, and a proxy must show what is frozen as it is: this one is over nothing.
  return new Proxy({} as Api, {
    get: (_, name) => (name === 'on' ? api.on : calls(domains[String(name)] ?? {}))
  })
}

/** The result of a call, also where the call itself broke. */
export async function settled<Value>(answer: Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await answer
  } catch {
    return { ok: false, error: { code: 'internal', message: 'Countersign didn’t respond.' } }
  }
}

/** The value of a call, or what `otherwise` makes of its error. */
export async function callOr<Value, Other>(
  answer: Promise<Result<Value>>,
  otherwise: (error: AppError) => Other
): Promise<Value | Other> {
  const result = await settled(answer)
  return result.ok ? result.value : otherwise(result.error)
}

/** One function that stops all of these, as when several events are followed. */
export function together(...stops: (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop()
  }
}
