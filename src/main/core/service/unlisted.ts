/** Operations that some services have and the reference doesn't list: their absence is normal. */
import { isServiceError } from './errors.ts'

/** Waits for the answer of such an operation; undefined where the service doesn't have it (404, 405 or 501). */
export async function undefinedWhereUnknown<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') return undefined
    throw error
  }
}
