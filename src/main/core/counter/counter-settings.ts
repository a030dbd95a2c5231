/**
 * The counter's settings, kept in the encrypted database. Reading always returns usable settings: a member that can't
 * be understood has its default.
 */
import { z } from 'zod'
import { PERSON_LANGUAGES } from '../../../shared/contract/counter-views.ts'
import { type CounterSettings, type DecodedInput, type IdleScreen, requests } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { readAllowedOrigin } from '../policy/allowed-origins.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import { changedNames, detailOf, labelOf, valuesOf } from './counter-settings-words.ts'
import { type IdlePictures, openIdlePictures } from './idle-pictures.ts'
import { isLogo, readLogo } from './logo.ts'

const KEY = 'counter-settings'
/** Stored separately: everything else is small and read all the time. */
const LOGO_KEY = 'counter-logo'

/**
 * Without pictures, which have their own table, and without what's kept of identity documents, which no office sets for
 * itself.
 */
type StoredSettings = Omit<CounterSettings, 'logo' | 'otherDisplay' | 'identityKept'>

export const DEFAULT_SETTINGS: StoredSettings = {
  staffName: '',
  evidence: [
    { id: 'photo-identification', text: 'Photo ID seen', isRequired: false },
    { id: 'name', text: 'Name matches the document', isRequired: false }
  ],
  idleText: 'Welcome',
  fullScreen: true,
  useOtherDisplay: false,
  idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
  lockAfter: 0,
  allowedOrigins: [],
  mayKeepPages: false,
  languages: PERSON_LANGUAGES.filter((language) => language !== 'en'),
  moreTime: 3,
  mayGiveFiles: false,
  camera: '',
  // A receipt that nobody wanted helps nobody; those who want proof can ask for one.
  receipt: 'on-request',
  waitingRoom: { counterName: '', noShowAfter: 15, callSound: false, pictures: [] }
}

type CounterChanges = DecodedInput<'counter.configure'>

export interface CounterSettingsDeps {
  db: Db
  /** The name of the computer's user, for the audit trail if the office hasn't set one. */
  userName: () => string
  /** The name of the second display, if there is one now. */
  otherDisplay: () => string | undefined
  note: NoteInAudit
  changed: () => void
  /** The organisation's policy, which overrides what is kept. */
  organisation?: () => CounterPolicy
}

export type CounterPolicy = Partial<Omit<StoredSettings, 'waitingRoom'> & Pick<CounterSettings, 'identityKept'>>

export class CounterSettingsKeeper {
  readonly #deps: CounterSettingsDeps
  readonly #meta: ReturnType<typeof openMeta>
  // Read with every touch at the counter, so it's cached; changed only here.
  #stored: StoredSettings
  #logo: string | undefined
  readonly #pictures: IdlePictures

  constructor(deps: CounterSettingsDeps) {
    this.#deps = deps
    this.#meta = openMeta(deps.db)
    this.#pictures = openIdlePictures(deps)
    this.#stored = readStored(parsedJson(this.#meta.read(KEY) ?? ''))
    this.#logo = storedLogo(this.#meta.read(LOGO_KEY))
  }

  read(): CounterSettings {
    const logo = this.#logo
    const otherDisplay = this.#deps.otherDisplay()
    return {
      ...this.#stored,
      identityKept: 'compared',
      ...this.#deps.organisation?.(),
      waitingRoom: { ...this.#stored.waitingRoom, pictures: this.#pictures.ids() },
      ...(logo !== undefined && { logo }),
      ...(otherDisplay !== undefined && { otherDisplay })
    }
  }

  /** Changes settings. @throws AppFailure `invalid` with fields; SQLite's error. Nothing is changed then. */
  configure({ logo, ...changes }: CounterChanges): CounterSettings {
    const { pictures } = changes.waitingRoom ?? {}
    return this.#keep(this.#withChanges(changes), {
      logo,
      ...(pictures && { pictures: () => this.#pictures.keep(pictures) })
    })
  }

  /** Returns what `configure` would change, in words. @throws AppFailure `invalid` with fields. */
  differences({ logo: _, ...changes }: CounterChanges): { name: string; what: string; from: string; to: string }[] {
    const before = this.read()
    const next = this.#withChanges(changes)
    const given = Object.keys(changes).map((name) => [name, next[name as keyof StoredSettings]])
    const after: CounterSettings = { ...before, ...Object.fromEntries(given) }
    return changedNames(before, after).map((name) => {
      const [from, to] = valuesOf(name, before, after)
      return { name, what: labelOf(name), from, to }
    })
  }

  /** @param bytes of a file that a person chose. @throws AppFailure `bad-file`; SQLite's error. */
  setLogo(bytes: Uint8Array): CounterSettings {
    const chosen = readLogo(bytes)
    return chosen.ok ? this.#keep(this.#stored, { logo: chosen.dataUrl }) : fail('bad-file', chosen.message)
  }

  /** @param files that a person chose. @throws AppFailure `bad-file`, `invalid`; SQLite's error. None is added then. */
  addPictures(files: readonly Uint8Array[]): CounterSettings {
    return this.#keep(this.#stored, { pictures: () => files.forEach(this.#pictures.add) })
  }

  idlePicture(id: string): string | null {
    return this.#pictures.read(id) ?? null
  }

  idleScreen(): IdleScreen {
    const logo = this.#logo
    const { idleText: text, languages, waitingRoom } = this.#stored
    const screen = { text, languages, pictures: this.#pictures.ids(), callSound: waitingRoom.callSound }
    return { ...screen, ...(logo !== undefined && { logo }) }
  }

  /** Records and announces a change of the organisation's policy. @param before the settings as read before it. */
  organisationChanged(before: CounterSettings): void {
    const after = this.read()
    const changed = changedNames(before, after)
    if (changed.length === 0) return
    this.#deps.note({
      what: 'settings-changed',
      detail: { ...detailOf(changed, before, after), by: 'policy of the organisation' }
    })
    this.#deps.changed()
  }

  /** The staff member's name for the audit trail. */
  staff(): string {
    return this.#stored.staffName || this.#deps.userName()
  }

  /** Returns what is kept, with these changes applied. @throws AppFailure `invalid` with fields. */
  #withChanges(changes: Omit<CounterChanges, 'logo'>): StoredSettings {
    const { pictures: _, ...waitingRoom } = changes.waitingRoom ?? {}
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const next: StoredSettings = {
      ...this.#stored,
      ...given,
      waitingRoom: { ...this.#stored.waitingRoom, ...waitingRoom }
    }
    if (changes.allowedOrigins) next.allowedOrigins = originsOf(changes.allowedOrigins)
    if (changes.evidence) mustBeDistinct(changes.evidence)
    return next
  }

  #keep(
    next: StoredSettings,
    { logo, pictures }: { logo?: string | null | undefined; pictures?: () => void }
  ): CounterSettings {
    const before = this.read()
    const logoBefore = this.#logo
    this.#deps.db
      .transaction(() => {
        if (JSON.stringify(next) !== JSON.stringify(this.#stored)) this.#meta.write(KEY, JSON.stringify(next))
        if (logo === null) this.#meta.erase(LOGO_KEY)
        else if (logo !== undefined) this.#meta.write(LOGO_KEY, logo)
        pictures?.()
      })
      .immediate()
    this.#stored = next
    if (logo !== undefined) this.#logo = logo ?? undefined
    const after = this.read()
    const changed = changedNames(before, after)
    if (logoBefore !== this.#logo && !changed.includes('logo')) changed.push('logo')
    if (changed.length === 0) return after
    this.#deps.note({ what: 'settings-changed', detail: detailOf(changed, before, after) })
    this.#deps.changed()
    return after
  }
}

/** @throws AppFailure `invalid`, with each origin that can't be allowed. */
function originsOf(typed: readonly string[]): string[] {
  const read = typed.map(readAllowedOrigin)
  const fields = read.flatMap((one, index) =>
    one.ok ? [] : [{ field: `allowedOrigins[${index}]`, message: one.message }]
  )
  if (fields.length > 0) fail('invalid', fields[0]?.message ?? '', { fields })
  return [...new Set(read.flatMap((one) => (one.ok ? [one.origin] : [])))]
}

function mustBeDistinct(evidence: StoredSettings['evidence']): void {
  if (new Set(evidence.map(({ id }) => id)).size === evidence.length) return
  fail('bad-input', 'Two checks are the same, so nothing was changed.', {
    next: 'Change one of them.'
  })
}

const inputShape = requests['counter.configure'].input.shape

/** Reads each member separately, and each line and origin: another version may know more or fewer of them. */
function readStored(found: unknown): StoredSettings {
  const members = z.record(z.string(), z.unknown()).catch({}).parse(found)
  const plain = (Object.keys(DEFAULT_SETTINGS) as (keyof StoredSettings)[]).map((name) => [
    name,
    inputShape[name].safeParse(members[name]).data ?? DEFAULT_SETTINGS[name]
  ])
  const origins = readEach(members.allowedOrigins, (item) => {
    const read = typeof item === 'string' ? readAllowedOrigin(item) : undefined
    return read?.ok ? [read.origin] : []
  })
  const lines = readEach(members.evidence, (item) => inputShape.evidence.safeParse([item]).data ?? [])
  return {
    ...(Object.fromEntries(plain) as StoredSettings),
    evidence: lines ? [...new Map(lines.map((line) => [line.id, line])).values()] : DEFAULT_SETTINGS.evidence,
    allowedOrigins: [...new Set(origins)],
    languages: readEach(members.languages, (item) => inputShape.languages.safeParse([item]).data ?? []) ?? [
      ...DEFAULT_SETTINGS.languages
    ],
    waitingRoom: readWaitingRoom(members.waitingRoom)
  }
}

function readWaitingRoom(found: unknown): StoredSettings['waitingRoom'] {
  const room = { ...(typeof found === 'object' && found), pictures: [] }
  return inputShape.waitingRoom.safeParse(room).data ?? DEFAULT_SETTINGS.waitingRoom
}

function readEach<Item>(found: unknown, read: (item: unknown) => Item[]): Item[] | undefined {
  return Array.isArray(found) ? found.flatMap(read) : undefined
}

function storedLogo(text: string | undefined): string | undefined {
  return text !== undefined && isLogo(text) ? text : undefined
}
