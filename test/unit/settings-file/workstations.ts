/**
 * Computers that pass on settings by file, each with its database, its keychain and, optionally, its organisation's
 * policy.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { CounterSettingsKeeper } from '../../../src/main/core/counter/counter-settings.ts'
import { openViews } from '../../../src/main/core/documents/views.ts'
import { openDownloadSettings } from '../../../src/main/core/downloads/settings.ts'
import { openPresets } from '../../../src/main/core/drafts/presets.ts'
import { openPreferences } from '../../../src/main/core/notifications/preferences.ts'
import { applyAccounts, counterSettingsOf } from '../../../src/main/core/organisation/apply-policy.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { Settings, type SettingsStore } from '../../../src/main/core/storage/settings.ts'
import { policyCheckOf } from '../../../src/main/ipc/organisation.ts'
import { settingsFileHandlers } from '../../../src/main/ipc/settings-file.ts'
import { policyOffice } from '../organisation/policies.ts'
import { temporaryFolder } from '../storage/folders.ts'

const asking = { from: 'office' as const, stillAsking: () => true }

export type Workstation = Awaited<ReturnType<typeof openWorkstation>>

/** @param policy the organisation's policy; {} sets nothing */
export async function openWorkstation(policy: unknown = {}) {
  const made = policyOffice()
  made.put(policy)
  const organisation = await made.start()
  const { db } = made
  const time = made.time.run()
  let ids = 0
  const newId = () => `id-${++ids}`
  const keychain = memoryKeychain()
  const accounts = openAccounts({ db, organisation, time, newId, secrets: keychain.accounts })
  await applyAccounts({ organisation, accounts, log: { info: () => undefined, warn: () => undefined } })
  const notes: AuditNote[] = []
  const note = (one: AuditNote) => void notes.push(one)
  const views = openViews({ db, newId, changed: () => undefined })
  const presets = openPresets({ db, newId, time, changed: () => undefined })
  const notifications = openPreferences(db, () => organisation.policy.quietHours)
  const counter = new CounterSettingsKeeper({
    db,
    note,
    userName: () => 'grace',
    otherDisplay: () => undefined,
    changed: () => undefined,
    organisation: () => counterSettingsOf(organisation.policy)
  })
  const downloadSettings = openDownloadSettings({
    db,
    folders: { register: () => ({ id: 'folder', label: 'Downloads' }) } as never,
    folder: () => '/downloads',
    setFolder: () => undefined,
    isFolderChosen: () => true,
    organisation: () => organisation.policy.downloads ?? {}
  })
  let current = Settings.parse({})
  const settings: SettingsStore = {
    read: () => current,
    change(part) {
      current = Settings.parse({ ...current, ...part })
      return { saved: true }
    }
  }
  const state = { isCounterOpen: true, file: join(temporaryFolder(), 'Desk.countersign-settings') }
  const questions: string[] = []
  const handlers = settingsFileHandlers({
    accounts,
    views,
    presets,
    settings,
    notifications,
    counter,
    newId,
    note,
    downloads: { settings: downloadSettings.read, configure: downloadSettings.change },
    isCounterOpen: async () => state.isCounterOpen,
    lock: policyCheckOf({
      organisation,
      accounts,
      downloads: downloadSettings.read,
      quiet: () => notifications.read().quiet
    }),
    accountChanged: (id) => void questions.push(id),
    changed: () => undefined,
    madeBy: 'Countersign 1.0.0',
    chooseFiles: async () => [state.file],
    chooseSaveFile: async () => state.file
  })
  return {
    db,
    accounts,
    views,
    presets,
    settings,
    notifications,
    counter,
    downloadSettings,
    keychain,
    notes,
    state,
    questions,
    save: () => handlers['settingsFile.save'](undefined, asking),
    /** @param path the file that the person chooses */
    choose(path = state.file) {
      state.file = path
      return handlers['settingsFile.choose'](undefined, asking)
    },
    apply: (id: string) => handlers['settingsFile.apply']({ id }, asking),
    close: () => handlers['settingsFile.close'](undefined, asking),
    /** Chooses and applies a file. */
    async import(path: string) {
      const chosen = await this.choose(path)
      if (chosen) await this.apply(chosen.id)
      return chosen
    }
  }
}

/** Writes a file with this JSON or text. Returns its path. */
export function fileOf(content: unknown): string {
  const path = join(temporaryFolder(), 'From outside.countersign-settings')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

export const EMPTY = { format: 'countersign-settings', version: 1, madeBy: 'Countersign 1.0.0' }
export const HARBOUR = {
  name: 'Harbour',
  address: 'https://sign.harbour.example',
  signIn: 'bearer',
  folders: ['InBox'],
  dataTypeSpelling: 'lower-then-upper',
  jsonByQuery: false
}
