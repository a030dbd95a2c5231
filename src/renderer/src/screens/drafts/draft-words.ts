/** Wording for drafts: how many, when one leaves the trash, results of an import. */
import type { DraftOffice, DraftSummary, DraftVersion, ImportResult } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'

const DAY = 86_400_000

/**
 * Returns when a draft in the trash is deleted for good.
 * @param days how long drafts stay in the trash.
 */
export function deletedForGoodAt(draft: DraftSummary, days: number): number {
  return (draft.trashedAt ?? draft.updatedAt) + days * DAY
}

/** Returns "“Deed of gift”" for one, "3 drafts" for several. */
export function draftsInWords(drafts: readonly DraftSummary[]): string {
  const [one] = drafts
  return drafts.length === 1 && one ? `“${one.title}”` : counted(drafts.length, ['# draft', '# drafts'])
}

export const reasonsInWords: Record<DraftVersion['reason'], string> = {
  change: 'autosaved',
  send: 'sent',
  restore: 'before a restore',
  beside: 'another version'
}

/** Returns who is editing a shared draft, or what needs deciding; blank if neither. */
export function officeStateInWords({ editingBy, versions, isMine }: DraftOffice): string {
  if (editingBy !== undefined) return `Being edited at ${editingBy}`
  if (versions > 0) return counted(versions + 1, ['# version', '# versions'])
  return isMine ? 'Only here' : ''
}

/** Returns "12 drafts and 2 presets", or "nothing". */
export function importedInWords({ drafts, presets }: ImportResult): string {
  const parts = [
    drafts.length > 0 ? counted(drafts.length, ['# draft', '# drafts']) : '',
    presets.length > 0 ? counted(presets.length, ['# preset', '# presets']) : ''
  ].filter(Boolean)
  return parts.join(' and ') || 'nothing'
}
