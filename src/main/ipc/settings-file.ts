/** Requests about settings files: an import's changes are computed, shown, and applied only exactly as shown. */

import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ChosenSettings } from '../../shared/contract/settings-file.ts'
import { fail } from '../core/lib/failure.ts'
import { collectSettings } from '../core/settings-file/exporting.ts'
import { applyPlan, failChanged, planOf, type SettingsFileDeps } from '../core/settings-file/importing.ts'
import {
  encodeSettingsFile,
  MAX_FILE_BYTES,
  readSettingsFile,
  SETTINGS_ENDING,
  type SettingsFile
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
  let opened: { file: SettingsFile; shown: ChosenSettings } | undefined

  async function makePlan(file: SettingsFile, { id, name }: Pick<ChosenSettings, 'id' | 'name'>) {
    const plan = await planOf(file, parts)
    const { changes, left, withoutSecret } = plan
    return { plan, shown: { id, name, madeBy: file.madeBy, changes, left, withoutSecret } }
  }

  return {
    'settingsFile.save': async (_nothing, { stillAsking }) => {
      const bytes = encodeSettingsFile(await collectSettings(parts, parts.madeBy))
      const suggested = `Countersign.${SETTINGS_ENDING}`
      const saved = await saveAs(parts, { title: 'Export settings', suggested, kind: KIND, bytes }, stillAsking)
      if (saved) parts.note({ what: 'settings-exported' })
      return saved
    },
    'settingsFile.choose': async (_nothing, { stillAsking }) => {
      const [path] = await parts.chooseFiles('Choose a settings file', [KIND], stillAsking)
      if (path === undefined) return null
      const file = await readSettingsFile(await readChosen(path, MAX_FILE_BYTES))
      const { shown } = await makePlan(file, { id: parts.newId(), name: basename(path) })
      opened = { file, shown }
      return shown
    },
    'settingsFile.apply': async ({ id }) => {
      const requireOpen = () =>
        opened?.shown.id === id ? opened : fail('gone', 'This file is no longer open.', CHOOSE_AGAIN)
      const { file, shown } = requireOpen()
      const current = await makePlan(file, shown)
      // It may have been closed meanwhile, or is being applied already.
      requireOpen()
      if (!isDeepStrictEqual(current.shown, shown)) failChanged()
      opened = undefined
      await applyPlan(current.plan, parts)
    },
    'settingsFile.close': async () => {
      opened = undefined
    }
  }
}

const CHOOSE_AGAIN = { next: 'Choose it again.' }
