/** Time zones to choose from: one entry an offset, with places that people know. */
import { offsetAt, offsetInWords, zoneInWords } from './dates.ts'

const places = [
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Los_Angeles',
  'America/Denver',
  'America/Chicago',
  'America/New_York',
  'America/Halifax',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Atlantic/Azores',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Africa/Nairobi',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Singapore',
  'Australia/Perth',
  'Asia/Tokyo',
  'Australia/Adelaide',
  'Australia/Brisbane',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Tongatapu',
  'Pacific/Kiritimati'
]

/**
 * The offsets that can be chosen for a moment, this computer's first. Values are minutes east of UTC as text.
 * @param chosen one to be offered in any case.
 */
export function zoneChoices(at: number, chosen: string): { value: string; label: string }[] {
  const local = offsetAt(at)
  const byOffset = new Map<number, string[]>([[0, []]])
  for (const zone of places) {
    const offset = offsetAt(at, zone)
    byOffset.set(offset, [...(byOffset.get(offset) ?? []), (zone.split('/').at(-1) ?? '').replaceAll('_', ' ')])
  }
  const picked = Number(chosen)
  if (chosen.trim() !== '' && Number.isInteger(picked) && !byOffset.has(picked)) byOffset.set(picked, [])
  const others = [...byOffset]
    .filter(([offset]) => offset !== local)
    .sort(([one], [two]) => one - two)
    .map(([offset, names]) => ({
      value: String(offset),
      label: [offsetInWords(offset), names.slice(0, 3).join(', ')].filter(Boolean).join(' · ')
    }))
  return [{ value: String(local), label: zoneInWords(at, local) }, ...others]
}
