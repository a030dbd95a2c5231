/** Where a package for somebody who waits begins: at what isn't filled in yet. */
import type { Composition } from '../../../../shared/composition/composition.ts'

/** Whether each form or template is named as the service needs it. */
export function isWhatKnown({ kind, items }: Pick<Composition, 'kind' | 'items'>): boolean {
  return items.every((item) => whatOf(kind).every((field) => item[field].trim() !== ''))
}

/** The place of the first field without which nobody can sign; undefined where all are filled in. */
export function firstEmpty({ kind, items }: Pick<Composition, 'kind' | 'items'>): string | undefined {
  for (const item of items) {
    const what = whatOf(kind).find((field) => item[field].trim() === '')
    if (what) return `${item.key}.${what}`
    for (const signer of item.signers) {
      const who = (['FirstName', 'LastName', 'Email'] as const).find((field) => signer[field].trim() === '')
      if (who) return `${item.key}.signers.${signer.key}.${who}`
    }
  }
  return undefined
}

function whatOf(kind: Composition['kind']): readonly ('Name' | 'Reference' | 'FormType')[] {
  return kind === 'form-direct' ? ['Name', 'Reference', 'FormType'] : ['Name', 'Reference']
}
