/** Compositions as they stand in the database: JSON of this version of the application, or of an earlier one. */
import { Composition } from '../../../shared/composition/index.ts'
import { fail } from '../lib/failure.ts'

/**
 * @param what the thing that is stored, in the user's words: `draft`.
 * @throws AppFailure `storage` where this version can't read it. It stays as it is.
 */
export function compositionOf(body: string, what: 'draft' | 'version' | 'preset'): Composition {
  const read = Composition.safeParse(parsed(body))
  if (read.success) return read.data
  return fail(
    'storage',
    `This ${what} is stored in a form that this version of Countersign can’t read. It is kept as it is; a newer version may open it.`
  )
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
