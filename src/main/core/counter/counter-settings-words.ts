/** Changes of the counter's settings in words: for the audit trail, and for the preview of a settings file. */
import type { CounterSettings } from '../../../shared/contract/index.ts'
import { counted } from '../../../shared/counted.ts'
import { shortened } from '../lib/text-folding.ts'

/** The names of the settings that differ. The second display isn't one: it is what the computer has. */
export function changedNames(before: CounterSettings, after: CounterSettings): string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof CounterSettings)[]
  return names.filter((name) => name !== 'otherDisplay' && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

/** In characters: how much of one value goes into the audit trail. Enough for a checklist, not for a book. */
const MAX_VALUE_LENGTH = 300

/** Lists what was changed, with old and new values: an entry that says only that something changed proves little. */
export function detailOf(
  changed: readonly string[],
  before: CounterSettings,
  after: CounterSettings
): Record<string, string> {
  const values = changed.map((name) => {
    const [was, is] = valuesOf(name, before, after)
    return [labelOf(name), `${was} → ${is}`] as const
  })
  return { changed: changed.map(labelOf).join(', '), ...Object.fromEntries(values) }
}

export function valuesOf(
  name: string,
  ...settings: [before: CounterSettings, after: CounterSettings]
): [string, string] {
  return settings.map((one) => shortened(valueInWords(name, one), MAX_VALUE_LENGTH)) as [string, string]
}

/** A value in words; for the logo, its size. */
function valueInWords(name: string, settings: CounterSettings): string {
  const { evidence, idle, logo, allowedOrigins, languages, moreTime, waitingRoom, ...plain } = settings
  switch (name) {
    case 'evidence':
      return evidence.map(({ text, isRequired }) => (isRequired ? `${text} (required)` : text)).join('; ') || 'none'
    case 'idle':
      return `${idle.warnAfter} s, ${idle.coverAfter} s, ${idle.endAfter} s`
    case 'logo':
      return logo === undefined ? 'none' : `a picture of ${logo.length} characters`
    case 'waitingRoom': {
      const { counterName, noShowAfter, callSound, pictures } = waitingRoom
      const shown = counted(pictures.length, ['# picture', '# pictures'])
      return `${counterName || 'no counter name'}, ${noShowAfter} min, sound ${plainWords(callSound)}, ${shown}`
    }
    case 'allowedOrigins':
      return allowedOrigins.join(', ') || 'none'
    case 'languages':
      return languages.join(', ') || 'none'
    case 'camera':
      return plain.camera || 'automatic'
    case 'moreTime':
      return moreTime === 1 ? 'no' : `${moreTime} times as long`
    default:
      return plainWords(plain[name as keyof typeof plain])
  }
}

function plainWords(value: string | number | boolean | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === '' || value === undefined ? 'none' : String(value)
}

const SETTING_LABELS: Readonly<Record<string, string>> = {
  staffName: 'staff member',
  evidence: 'checklist',
  idleText: 'welcome message',
  logo: 'logo',
  fullScreen: 'full screen',
  useOtherDisplay: 'second display',
  idle: 'idle times',
  lockAfter: 'automatic lock',
  allowedOrigins: 'allowed addresses',
  mayKeepPages: 'printing and saving',
  languages: 'languages of signers',
  moreTime: 'more time for signers',
  mayGiveFiles: 'files for signing pages',
  camera: 'camera for signing pages',
  receipt: 'receipts',
  identityKept: 'what is kept of identity documents',
  waitingRoom: 'appointments and waiting room'
}

/** What a setting is called in the audit trail and in the preview of a settings file. */
export function labelOf(name: string): string {
  return SETTING_LABELS[name] ?? name
}
