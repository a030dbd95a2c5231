/** Requests about settings files: an import's changes are computed, shown, and applied only exactly as shown. */

import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ChosenSettings } from '../../shared/contract/settings-file.ts'
import { fail } from '../core/lib/failure.ts'
import { settingsHere } from '../core/settings-file/exporting.ts'
import { carryOut, planOf, type SettingsFileDeps } from '../core/settings-file/importing.ts'
import {
  MOST_BYTES,
  readSettingsFile,
  SETTINGS_ENDING,
  type SettingsFile,
  settingsFile
} from '../core/settings-file/settings-file.ts'
import { readChosen } from '../core/storage/chosen-file.ts'
import { type Dialogs, saveAs } from './dialogs.ts'
import type { HandlersOf } from './registration.ts'

interface SettingsFileParts extends SettingsFileDeps, Dialogs {
  /** `Countersign 1.0.0`, for the file. */
  madeBy: string
}

const KIND = { name: 'Settings of Countersign', extensions: [SETTINGS_ENDING] as [string] }

export function settingsFileHandlers(parts: SettingsFileParts): HandlersOf<'settingsFile'> {
  let open: { file: SettingsFile; shown: ChosenSettings } | undefined

  async function planned(file: SettingsFile, { id, name }: Pick<ChosenSettings, 'id' | 'name'>) {
    const plan = await planOf(file, parts)
    const { changes, left, withoutSecret } = plan
    return { plan, shown: { id, name, madeBy: file.madeBy, changes, left, withoutSecret } }
  }

  return {
    'settingsFile.save': async (_nothing, { stillAsking }) => {
      const bytes = settingsFile(await settingsHere(parts, parts.madeBy))
      const suggested = `Countersign.${SETTINGS_ENDING}`
      const saved = await saveAs(parts, { title: 'Export settings', suggested, kind: KIND, bytes }, stillAsking)
      if (saved) parts.note({ what: 'settings-exported' })
      return saved
    },
    'settingsFile.choose': async (_nothing, { stillAsking }) => {
      const [path] = await parts.chooseFiles('Choose a settings file', [KIND], stillAsking)
      if (path === undefined) return null
      const file = await readSettingsFile(await readChosen(path, MOST_BYTES))
      const { shown } = await planned(file, { id: parts.newId(), name: basename(path) })
      open = { file, shown }
      return shown
    },
    'settingsFile.apply': async ({ id }) => {
      const { file, shown } = open?.shown.id === id ? open : fail('gone', 'This file is no longer open.', AGAIN)
      const now = await planned(file, shown)
      if (!isDeepStrictEqual(now.shown, shown))
        fail('busy', 'Settings here have changed since the file was read.', AGAIN)
      open = undefined
      await carryOut(now.plan, parts)
    },
    'settingsFile.leave': async () => {
      open = undefined
    }
  }
}

const AGAIN = { next: 'Choose it again.' }
