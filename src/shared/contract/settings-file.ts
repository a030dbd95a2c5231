/** Settings that go to another computer in a file: what it would change there, and what is left as it is. */
import { answers, byId, nothing } from './request.ts'
import type { SavedFile } from './views.ts'

/** One thing that an import makes, or makes otherwise; in words. */
export interface SettingsChange {
  what: string
  /** Absent where there was nothing. */
  from?: string
  to?: string
}

/** A settings file that was chosen, and what importing it would do. */
export interface ChosenSettings {
  id: string
  /** Of the file. */
  name: string
  madeBy: string
  changes: SettingsChange[]
  /** What stays as it is on this computer, and why. */
  left: { what: string; why: string }[]
  /** The accounts, by name, whose key, token or password is entered, or which are signed in, once they are here. */
  withoutSecret: string[]
}

export const settingsFileRequests = {
  /** Writes them where the person says; null where they thought better of it. */
  'settingsFile.save': answers<SavedFile | null>()(nothing),
  /** A person chooses a file; it is open until another is chosen or it is left. */
  'settingsFile.choose': answers<ChosenSettings | null>()(nothing),
  /** Does what was shown. `busy` where it would be something else by now: it is to be looked at again. */
  'settingsFile.apply': answers<null>()(byId),
  'settingsFile.leave': answers<null>()(nothing)
}
