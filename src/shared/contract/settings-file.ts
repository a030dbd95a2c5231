/** Settings taken to another computer in a file: what importing changes, and what it leaves alone. */
import { answers, byId, noInput } from './request.ts'
import type { SavedFile } from './views.ts'

/** One thing that an import creates or changes, in words. */
export interface SettingsChange {
  what: string
  /** Absent if there was none before. */
  from?: string
  to?: string
}

/** A settings file that was chosen, and what importing it would do. */
export interface ChosenSettings {
  id: string
  name: string
  madeBy: string
  changes: SettingsChange[]
  /** What stays as it is on this computer, and why. */
  left: { what: string; why: string }[]
  /** The accounts, by name, that need their key, token or password entered, or a sign-in, after the import. */
  withoutSecret: string[]
}

export const settingsFileRequests = {
  /** Saves them at a location the person chooses; null if they cancel. */
  'settingsFile.save': answers<SavedFile | null>()(noInput),
  /** Lets a person choose a file. It stays open until another is chosen or `settingsFile.close`. */
  'settingsFile.choose': answers<ChosenSettings | null>()(noInput),
  /** Makes the changes shown. `busy` if they would differ by now: the person has to review them again. */
  'settingsFile.apply': answers<null>()(byId),
  'settingsFile.close': answers<null>()(noInput)
}
