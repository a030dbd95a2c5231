/**
 * What an office sets for its counter, kept in the encrypted database. Whatever is found there, the answer is settings that
 * can be used: each member that can't be understood is as it is at first.
 */
import { z } from 'zod'
import { type CounterSettings, type DecodedInput, type IdleScreen, requests } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { allowedOrigin } from '../policy/allowed-origins.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { isLogo, readLogo } from './logo.ts'

const KEY = 'counter-settings'
/** By itself: everything else is small, and read all the time. */
const LOGO_KEY = 'counter-logo'

type Kept = Omit<CounterSettings, 'logo' | 'otherDisplay'>

export const FIRST_SETTINGS: Kept = {
  staffName: '',
  evidence: [
    { id: 'photo-identification', text: 'Photo identification seen', isRequired: false },
    { id: 'name', text: 'The name is the one on the document', isRequired: false }
  ],
  idleText: 'Welcome',
  fullScreen: true,
  useOtherDisplay: false,
  idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
  allowedOrigins: [],
  mayKeepPages: false
}

type CounterChanges = DecodedInput<'counter.configure'>

export interface CounterSettingsEffects {
  db: Db
  /** The name of the computer's user, for records where the office gave no other. */
  userName: () => string
  /** The second display's name, where there is one now. */
  otherDisplay: () => string | undefined
  note: NoteInAudit
  /** They are to be asked for again. */
  changed: () => void
}

export interface CounterSettingsKeeper {
  read(): CounterSettings
  /** @throws AppFailure `invalid` with fields; SQLite's error. Nothing is changed then. */
  configure(changes: CounterChanges): CounterSettings
  /** @param bytes of a file that a person chose. @throws AppFailure `bad-file`; SQLite's error. */
  setLogo(bytes: Uint8Array): CounterSettings
  idleScreen(): IdleScreen
  /** Who of staff works here. */
  staff(): string
}

export function openCounterSettings(effects: CounterSettingsEffects): CounterSettingsKeeper {
  const { db, note } = effects
  const meta = openMeta(db)
  // Asked for with each touch at the counter: read once, and changed here only.
  let kept = asKept(parsed(meta.read(KEY)))
  let logo = keptLogo(meta.read(LOGO_KEY))

  function read(): CounterSettings {
    const otherDisplay = effects.otherDisplay()
    return { ...kept, ...(logo !== undefined && { logo }), ...(otherDisplay !== undefined && { otherDisplay }) }
  }

  const write = db.transaction((next: Kept, logoChange: string | null | undefined) => {
    meta.write(KEY, JSON.stringify(next))
    if (logoChange === null) meta.erase(LOGO_KEY)
    else if (logoChange !== undefined) meta.write(LOGO_KEY, logoChange)
  })

  function keep(next: Kept, logoChange?: string | null): CounterSettings {
    const changed = changedNames(kept, next)
    if (logoChange !== undefined && (logoChange ?? undefined) !== logo) changed.push('logo')
    if (changed.length === 0) return read()
    write.immediate(next, logoChange)
    kept = next
    if (logoChange !== undefined) logo = logoChange ?? undefined
    note({ what: 'settings-changed', detail: detailOf(changed, next) })
    effects.changed()
    return read()
  }

  return {
    read,

    configure({ logo: logoChange, ...changes }) {
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      const next: Kept = { ...kept, ...given }
      if (changes.allowedOrigins) next.allowedOrigins = originsOf(changes.allowedOrigins)
      if (changes.evidence) mustDiffer(changes.evidence)
      return keep(next, logoChange)
    },

    setLogo(bytes) {
      const chosen = readLogo(bytes)
      return chosen.ok ? keep(kept, chosen.dataUrl) : fail('bad-file', chosen.message)
    },

    idleScreen: () => ({ text: kept.idleText, ...(logo !== undefined && { logo }) }),
    staff: () => kept.staffName || effects.userName()
  }
}

/** @throws AppFailure `invalid`, with each that can't be allowed. */
function originsOf(typed: readonly string[]): string[] {
  const read = typed.map(allowedOrigin)
  const fields = read.flatMap((one, index) =>
    one.ok ? [] : [{ field: `allowedOrigins[${index}]`, message: one.message }]
  )
  if (fields.length > 0) fail('invalid', fields[0]?.message ?? '', { fields })
  return [...new Set(read.flatMap((one) => (one.ok ? [one.origin] : [])))]
}

function mustDiffer(evidence: Kept['evidence']): void {
  if (new Set(evidence.map(({ id }) => id)).size === evidence.length) return
  fail('bad-input', 'Two lines of the checklist are the same one, so nothing was changed.')
}

const configured = requests['counter.configure'].input.shape

/** Each member by itself, and each line and origin: another version may know more of them, or fewer. */
function asKept(found: unknown): Kept {
  const members = z.record(z.string(), z.unknown()).catch({}).parse(found)
  const taken = <Name extends Exclude<keyof Kept, 'evidence' | 'allowedOrigins'>>(name: Name): Kept[Name] => {
    const read = configured[name].safeParse(members[name])
    return read.data === undefined ? FIRST_SETTINGS[name] : (read.data as Kept[Name])
  }
  const origins = listed(members.allowedOrigins, (item) => {
    const read = typeof item === 'string' ? allowedOrigin(item) : undefined
    return read?.ok ? [read.origin] : []
  })
  const lines = listed(members.evidence, (item) => configured.evidence.safeParse([item]).data ?? [])
  return {
    staffName: taken('staffName'),
    evidence: lines ? [...new Map(lines.map((line) => [line.id, line])).values()] : FIRST_SETTINGS.evidence,
    idleText: taken('idleText'),
    fullScreen: taken('fullScreen'),
    useOtherDisplay: taken('useOtherDisplay'),
    idle: taken('idle'),
    allowedOrigins: [...new Set(origins)],
    mayKeepPages: taken('mayKeepPages')
  }
}

function listed<Item>(found: unknown, read: (item: unknown) => Item[]): Item[] | undefined {
  return Array.isArray(found) ? found.flatMap(read) : undefined
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function keptLogo(text: string | undefined): string | undefined {
  return text !== undefined && isLogo(text) ? text : undefined
}

function changedNames(before: Kept, after: Kept): string[] {
  const names = Object.keys(after) as (keyof Kept)[]
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

/** What was changed, and the origins in full: they decide what a page may show. */
function detailOf(changed: readonly string[], { allowedOrigins }: Kept): Record<string, string> {
  const origins = changed.includes('allowedOrigins') ? { origins: allowedOrigins.join(', ') || 'none' } : {}
  return { changed: changed.map((name) => NAMES[name] ?? name).join(', '), ...origins }
}

const NAMES: Readonly<Record<string, string>> = {
  staffName: 'name of staff',
  evidence: 'checklist',
  idleText: 'text of the second display',
  logo: 'picture of the second display',
  fullScreen: 'filling the screen',
  useOtherDisplay: 'second display',
  idle: 'times without a touch',
  allowedOrigins: 'allowed addresses',
  mayKeepPages: 'printing and saving'
}
