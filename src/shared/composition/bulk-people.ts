/**
 * People of a base whom a row may replace. What belongs to a person alone isn't kept for whoever signs in their place:
 * a text message would go to the wrong telephone.
 */
import type { BulkTarget } from './bulk-fields.ts'
import { setValue, valueAt } from './bulk-targets.ts'
import type { Composition } from './composition.ts'
import { type Named, namesSomeoneElse } from './names.ts'
import { type Problem, warning } from './problem.ts'

/** Someone whom the base may name, with the targets of what is theirs alone. */
export interface ReplaceablePerson {
  place: BulkTarget['path']
  was: Named
  own: BulkTarget[]
}

const NAMES: ReadonlySet<unknown> = new Set(['FirstName', 'LastName', 'Email'])
const PERSONAL: ReadonlySet<unknown> = new Set(['MiddleName', 'Email', 'MobileNumber', 'ClientReference'])

/** Returns the people whose name or e-mail has a column. */
export function replaceablePeople(
  base: Composition,
  targets: readonly BulkTarget[],
  columnOf: ReadonlyMap<string, number>
): ReplaceablePerson[] {
  const ofPeople = targets.filter(({ person }) => person !== undefined)
  const byPlace = Map.groupBy(ofPeople, ({ path }) => placeOf(path).join('.'))
  return [...byPlace.values()].flatMap((all) => {
    const place = placeOf((all[0] as BulkTarget).path)
    const mayBeNamed = all.some(({ target, path }) => NAMES.has(path.at(-1)) && columnOf.has(target))
    return mayBeNamed ? [{ place, was: valueAt(base, place) as Named, own: all.filter(isPersonal) }] : []
  })
}

/** Returns the path of the person that a target belongs to. */
function placeOf(path: BulkTarget['path']): BulkTarget['path'] {
  return path.slice(0, path.includes('ShareUsers') ? 6 : 4)
}

/** Returns whether a target's value belongs to one person and not to whoever signs in their place: see `presetOf`. */
function isPersonal({ path }: BulkTarget): boolean {
  return path.includes('IDData') ? path.at(-1) === 'Value' : PERSONAL.has(path.at(-1))
}

/**
 * Clears what a row that names someone else doesn't give, in its composition. An office may use one address for all, so
 * that isn't cleared, but neither is it used unnoticed.
 * @param filled the targets that the row gives.
 * @returns the warnings.
 */
export function clearOthersValues(
  row: Composition,
  people: readonly ReplaceablePerson[],
  filled: ReadonlySet<BulkTarget>
): Problem[] {
  return people.flatMap(({ place, was, own }) => {
    if (!namesSomeoneElse(valueAt(row, place) as Named, was)) return []
    const address = was.Email.trim()
    return own.flatMap((target) => {
      if (filled.has(target)) return []
      if (target.kind !== 'email') setValue(row, target.path, '')
      else if (address)
        return warning(target.target, `The sheet has no e-mail for this name, so the package’s is used: ${address}.`)
      return []
    })
  })
}
