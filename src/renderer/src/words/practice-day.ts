/** Names for the practice office's bad days: how it answers differently and what it refuses. */
import type { PracticeDay } from '../../../shared/contract/practice-day.ts'
import { counted } from '../../../shared/counted.ts'
import { listed } from './counts.ts'

export const dialectWords: Record<PracticeDay['dialects'][number], { label: string; help: string }> = {
  full: {
    label: 'All fields',
    help: 'Every field, varied status names, unknown templates refused.'
  },
  sparse: { label: 'Required fields only', help: 'Optional fields are left out, except signing progress.' },
  'link-on-send': { label: 'Signing links once', help: 'Links only come in the answer to sending.' },
  v13: { label: 'Earlier version', help: 'No SendForms2, reminders or limits. Numbers instead of words.' },
  'day-first': { label: 'Day-first dates', help: 'Dates as 31/12/2026, due dates without a time.' },
  'dates-iso': { label: 'Dates with time zones', help: 'Seven decimal places and an offset such as +13:00.' },
  wrapped: {
    label: 'Single signer without a list',
    help: 'One signer isn’t in a list, “signed” is yes or no, links at the top.'
  },
  'plain-bodies': { label: 'Plain-text errors', help: 'Errors as a sentence instead of the usual format.' },
  'extra-members': { label: 'Extra fields', help: 'Unknown fields in every answer.' }
}

export const refusalWords: Record<NonNullable<PracticeDay['refusal']>, string> = {
  '402': 'Account on hold (402)',
  '403': 'No permission (403)',
  '426': 'No documents left (426)',
  '429': 'Too many requests (429)',
  '500': 'Server error (500)',
  maintenance: 'Maintenance page'
}

/** Returns what is unusual about the day, in a few words; empty on a normal day. */
export function practiceDayInWords({ dialects, refusal, clockAhead = 0, documentsLeft }: PracticeDay): string {
  const minutes = counted(Math.abs(clockAhead) / 60, ['# minute', '# minutes'])
  const names = dialects.map((dialect) => dialectWords[dialect].label.replace(/^./, (first) => first.toLowerCase()))
  return [
    ...(refusal ? [`refuses everything (${refusal})`] : []),
    ...(names.length > 0 ? [`answers differently (${listed(names)})`] : []),
    ...(clockAhead > 0 ? [`has its clock ${minutes} ahead`] : []),
    ...(clockAhead < 0 ? [`has its clock ${minutes} behind`] : []),
    ...(documentsLeft === undefined ? [] : [`has ${counted(documentsLeft, ['# document', '# documents'])} left`])
  ].join(', ')
}
