/** One thing that is wrong with a composition, and how such things are made. */

export interface Problem {
  severity: 'error' | 'warning'
  /** The control it belongs to: keys and field names joined by dots (`ITEM.signers.SIGNER.Email`), or a field of the package. */
  at: string
  message: string
}

/** Forbids sending. */
export function error(at: string, message: string): Problem {
  return { severity: 'error', at, message }
}

/** Is said, and forbids nothing. */
export function warning(at: string, message: string): Problem {
  return { severity: 'warning', at, message }
}

export function required(at: string, value: string, message: string): Problem[] {
  return value.trim() ? [] : [error(at, message)]
}
