/**
 * The client of the main process: results as they come, or unwrapped. Calls never throw across the boundary; a call
 * that breaks on the way returns an error like any other.
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
 * Returns the client for one account, whichever accounts are shown: actions on a row apply to the row's own account.
 * @param accountId if the account no longer exists, calls fail with `no-account`.
 */
export function ofAccount(api: Api, accountId: string): Api {
  type Calls = Record<string, (input: unknown, accountId: string) => unknown>
  const calls = (domain: Calls) =>
    new Proxy({} as Calls, { get: (_, name) => (input: unknown) => domain[String(name)]?.(input, accountId) })
  const domains = api as unknown as Record<string, Calls>
  // The bridge is frozen, and a proxy can't change what a frozen target returns, so this one wraps an empty object.
  return new Proxy({} as Api, {
    get: (_, name) => (name === 'on' ? api.on : calls(domains[String(name)] ?? {}))
  })
}

/** Returns a call's result, even if the call itself broke. */
export async function settled<Value>(answer: Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await answer
  } catch {
    return { ok: false, error: { code: 'internal', message: 'Countersign didn’t respond.' } }
  }
}

/** Returns a call's value, or `otherwise` of its error. */
export async function callOr<Value, Other>(
  answer: Promise<Result<Value>>,
  otherwise: (error: AppError) => Other
): Promise<Value | Other> {
  const result = await settled(answer)
  return result.ok ? result.value : otherwise(result.error)
}

/** Combines several stop functions into one, for example to stop following several events. */
export function together(...stops: (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop()
  }
}
