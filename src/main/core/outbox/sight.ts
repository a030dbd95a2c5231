/** What a look at an account's folders saw, arranged for finding sends again in it. */
import { type DocumentResponse, readGmt, readServiceDate } from '../../../shared/model/index.ts'
import { matchKeyOf, plain } from '../documents/mirror/folder-snapshot.ts'
import { slowly } from '../lib/slices.ts'

/** What one look saw, arranged for being searched. References are in lower case. */
export interface Sight {
  byReference: ReadonlyMap<string, readonly DocumentResponse[]>
  byPackage: ReadonlyMap<string, readonly DocumentResponse[]>
  /** By name and signers. */
  byMatchKey: ReadonlyMap<string, readonly DocumentResponse[]>
  /** The documents that bear our mark of one of these sends, by its id in lower case. */
  marked: (ids: ReadonlyMap<string, unknown>) => Map<string, DocumentResponse[]>
}

/** @param documents what the account's folders hold now that could be looked for, with their logs where the service gives them. */
export async function sightOf(documents: readonly DocumentResponse[]): Promise<Sight> {
  // A document that moves from one folder to another during the look is in both answers.
  const once = new Map(documents.map((document) => [document.Reference, document]))
  const byReference = new Map<string, DocumentResponse[]>()
  const byPackage = new Map<string, DocumentResponse[]>()
  const byMatchKey = new Map<string, DocumentResponse[]>()
  await slowly(once.values(), (document) => {
    append(byReference, plain(document.ClientReference), document)
    append(byPackage, document.PackageReference ?? '', document)
    append(byMatchKey, matchKeyOf(document.Name, document.Signers ?? []), document)
  })
  return {
    byReference,
    byPackage,
    byMatchKey,
    marked(ids) {
      const found = new Map<string, DocumentResponse[]>()
      for (const [reference, some] of byReference) {
        const id = /^cs-(.+)-\d+$/.exec(reference)?.[1]
        if (id === undefined || !ids.has(id)) continue
        for (const document of withTheirPackages(some, { byPackage })) append(found, id, document)
      }
      return found
    }
  }
}

/** One marked document of a package shows that all of it arrived. */
export function withTheirPackages(
  found: readonly DocumentResponse[],
  sight: Pick<Sight, 'byPackage'>
): readonly DocumentResponse[] {
  const whole = found.flatMap((document) =>
    document.PackageReference ? (sight.byPackage.get(document.PackageReference) ?? []) : []
  )
  return [...new Set([...found, ...whole])]
}

/** What our own ClientReferences of a send begin with. */
export function markOf(sendId: string): string {
  return `cs-${sendId}-`
}

/** When a document was begun, by its log, in milliseconds since 1970 UTC; undefined where the service doesn't say. */
export function begunAt(document: DocumentResponse): number | undefined {
  return timesOf(document).reduce<number | undefined>((first, at) => Math.min(first ?? at, at), undefined)
}

function timesOf({ Logs = [] }: DocumentResponse): number[] {
  return Logs.flatMap((log) => readServiceDate(log.Date, readGmt(log.GMT))?.at ?? [])
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}
