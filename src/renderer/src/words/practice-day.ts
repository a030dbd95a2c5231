/** What a bad day at the practice office is called: the ways in which it answers and refuses. */
import type { PracticeDay } from '../../../shared/contract/practice-day.ts'
import { counted, listed } from './counts.ts'

export const dialectWords: Record<PracticeDay['dialects'][number], { label: string; help: string }> = {
  full: {
    label: 'Everything there is',
    help: 'Every member, each status in any of its words, and unknown templates refused.'
  },
  sparse: { label: 'Only what it must', help: 'Whatever may be missing is missing, but for how far signing has come.' },
  'link-on-send': { label: 'Signing links once', help: 'They come in the answer of the send, and never again.' },
  v13: { label: 'An earlier version', help: 'No SendForms2, no reminders, no word of limits; numbers for words.' },
  'day-first': { label: 'The day first', help: 'Dates as 31/12/2026, due dates without a time.' },
  'dates-iso': { label: 'Dates with their offset', help: 'Moments to seven digits of a second, with +13:00.' },
  wrapped: {
    label: 'One signer without a list',
    help: 'A single signer comes alone, “signed” as yes or no, links at the top.'
  },
  'plain-bodies': { label: 'Refusals in a sentence', help: 'Plain text in place of the usual error.' },
  'extra-members': { label: 'More than is known', help: 'Members that no reference names, in every answer.' }
}

export const refusalWords: Record<NonNullable<PracticeDay['refusal']>, string> = {
  '402': 'Everything: the account is on hold (402)',
  '403': 'Everything: the account may not (403)',
  '426': 'Everything: no documents left (426)',
  '429': 'Everything: wait five seconds (429)',
  '500': 'Everything: its own fault (500)',
  maintenance: 'Everything, with a page about maintenance'
}

/** What is unusual about the day, in a few words; nothing on a usual one. */
export function practiceDayInWords({ dialects, refusal, clockAhead = 0, documentsLeft }: PracticeDay): string {
  const minutes = Math.abs(clockAhead) / 60
  const names = dialects.map((dialect) => dialectWords[dialect].label.replace(/^./, (first) => first.toLowerCase()))
  return [
    ...(refusal ? [`refuses everything (${refusal === 'maintenance' ? 'maintenance' : refusal})`] : []),
    ...(names.length > 0 ? [`answers otherwise (${listed(names)})`] : []),
    ...(clockAhead ? [`has its clock ${counted(minutes, 'minute')} ${clockAhead > 0 ? 'ahead' : 'behind'}`] : []),
    ...(documentsLeft === undefined ? [] : [`was given a plan of ${counted(documentsLeft, 'document')}`])
  ].join(', ')
}
