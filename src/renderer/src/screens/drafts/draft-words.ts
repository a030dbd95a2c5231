/** What is said about drafts: how many, when one leaves the trash, what came of reading files. */
import type { DraftOffice, DraftSummary, DraftVersion, Imported } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'

const DAY = 86_400_000

/** When a draft in the trash is deleted for good. @param days that they stay. */
export function deletedForGoodAt(draft: DraftSummary, days: number): number {
  return (draft.trashedAt ?? draft.updatedAt) + days * DAY
}

/** "“Deed of gift”" of one, "3 drafts" of several. */
export function called(drafts: readonly DraftSummary[]): string {
  const [one] = drafts
  return drafts.length === 1 && one ? `“${one.title}”` : counted(drafts.length, ['# draft', '# drafts'])
}

export const reasonsInWords: Record<DraftVersion['reason'], string> = {
  change: 'autosaved',
  send: 'sent',
  restore: 'before a restore',
  beside: 'another version'
}

/** Who works on a shared draft, or what is to be decided of it; blank where there is nothing to say. */
export function standsInWords({ editingBy, versions, isMine }: DraftOffice): string {
  if (editingBy !== undefined) return `Being edited at ${editingBy}`
  if (versions > 0) return counted(versions + 1, ['# version', '# versions'])
  return isMine ? 'Only here' : ''
}

/** "12 drafts and 2 presets"; "nothing" where there is none. */
export function importedInWords({ drafts, presets }: Imported): string {
  const parts = [
    drafts.length > 0 ? counted(drafts.length, ['# draft', '# drafts']) : '',
    presets.length > 0 ? counted(presets.length, ['# preset', '# presets']) : ''
  ].filter(Boolean)
  return parts.join(' and ') || 'nothing'
}
