/** Builds the path of an operation from references that come from outside. */
import { ServiceError } from './errors.ts'

/**
 * Joins literal steps and one or more parameters into an encoded path (`/Document/Validation/A%2F1`).
 * @throws ServiceError `invalid` for a parameter that would make another path: empty, `.`, `..`, or no valid text.
 */
export function pathTo(operation: string, parameters: Record<string, string>): string {
  const steps = Object.entries(parameters).map(([name, value]) => {
    // URLs resolve dots away, encoded or not: `..` would call the operation above.
    if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
      const fields = [{ field: name, message: 'cannot be part of an address' }]
      throw new ServiceError({ code: 'invalid', operation, mayHaveArrived: false, fields })
    }
    return `/${encodeURIComponent(value)}`
  })
  return `/${operation}${steps.join('')}`
}
