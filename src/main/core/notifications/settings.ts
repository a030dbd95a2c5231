/** What a person wants told by the desktop, as kept; what isn't there, or can't be understood, is as it is at first. */
import { z } from 'zod'
import { TELLABLE_KINDS, TellingSettings } from '../../../shared/contract/index.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from './json-values.ts'

const KEY = 'telling'

export const FIRST_SETTINGS: TellingSettings = {
  kinds: {
    signed: 'never',
    completed: 'always',
    declined: 'always',
    expired: 'always',
    'due-tomorrow': 'always',
    'identity-failed': 'always',
    'waits-here': 'views'
  },
  quiet: null,
  sound: false
}

export interface KeptTelling {
  read: () => TellingSettings
  /** Keeps them, and answers what holds from now on. */
  set: (settings: TellingSettings) => TellingSettings
}

export function openTellingSettings(db: Db): KeptTelling {
  const kept = keptIn(db)

  function read(): TellingSettings {
    const found = kept.read(KEY, z.record(z.string(), z.unknown())) ?? {}
    const { quiet, sound } = TellingSettings.shape
    return {
      kinds: kindsOf(found.kinds),
      quiet: quiet.catch(FIRST_SETTINGS.quiet).parse(found.quiet),
      sound: sound.catch(FIRST_SETTINGS.sound).parse(found.sound)
    }
  }

  return {
    read,
    set(settings) {
      kept.write(KEY, settings)
      return read()
    }
  }
}

/** Each kind by itself: another version may know more of them, or fewer. */
function kindsOf(found: unknown): TellingSettings['kinds'] {
  const kinds = { ...FIRST_SETTINGS.kinds }
  for (const kind of TELLABLE_KINDS) {
    const one = z.object({ [kind]: TellingSettings.shape.kinds.valueType }).safeParse(found)
    const choice = one.success ? one.data[kind] : undefined
    if (choice) kinds[kind] = choice
  }
  return kinds
}
