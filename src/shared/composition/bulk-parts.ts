/** Parts of a composition that a row may do without. Sheets have columns for as many as any row needs. */
import type { BulkTarget } from './bulk-targets.ts'
import type { Composition } from './composition.ts'

export interface Part {
  targets: BulkTarget[]
  drop(composition: Composition): void
}

/**
 * What is left out where a row says nothing of it and the base neither: a second signer or more, somebody to share
 * with, a drop-down item, a question.
 */
export function droppableParts(base: Composition, mapped: readonly { target: BulkTarget }[]): Part[] {
  const targetsUnder = (at: string) =>
    mapped.map(({ target }) => target).filter(({ target }) => target.startsWith(`${at}.`))
  const part = <Of extends { key: string }>(
    one: Of,
    at: string,
    texts: readonly string[],
    listOf: (composition: Composition) => { list: Of[] } | undefined
  ): Part[] => {
    const targets = targetsUnder(at)
    if (targets.length === 0 || texts.some((text) => text.trim() !== '')) return []
    return [
      {
        targets,
        drop(composition) {
          const holder = listOf(composition)
          const index = holder?.list.findIndex(({ key }) => key === one.key) ?? -1
          if (index >= 0) holder?.list.splice(index, 1)
        }
      }
    ]
  }
  const people = base.items.flatMap((item, itemIndex) =>
    item.signers.flatMap((signer, order) => {
      const at = `${item.key}.signers.${signer.key}`
      const signerIn = (composition: Composition) =>
        composition.items[itemIndex]?.signers.find(({ key }) => key === signer.key)
      return [
        ...signer.ShareUsers.flatMap((user) =>
          part(user, `${at}.ShareUsers.${user.key}`, [user.FirstName, user.LastName, user.Email], (composition) => {
            const found = signerIn(composition)
            return found && { list: found.ShareUsers }
          })
        ),
        ...signer.IDData.flatMap((one) =>
          part(one, `${at}.IDData.${one.key}`, [one.Label, one.Value], (composition) => {
            const found = signerIn(composition)
            return found && { list: found.IDData }
          })
        ),
        ...(order === 0
          ? []
          : part(
              signer,
              at,
              [signer.FirstName, signer.MiddleName, signer.LastName, signer.Email, signer.MobileNumber],
              (composition) => {
                const found = composition.items[itemIndex]
                return found && { list: found.signers }
              }
            ))
      ]
    })
  )
  const choices = base.ListItems.flatMap((one) =>
    part(one, `ListItems.${one.key}`, [one.ClientField, one.Item, one.Value], (composition) => ({
      list: composition.ListItems
    }))
  )
  return [...people, ...choices]
}
