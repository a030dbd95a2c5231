/**
 * What this workstation remembers about the application itself: nothing of a person, an account or a document. A file
 * that can't be understood is set aside, the defaults are used, and the caller is told.
 */
import * as nodeFiles from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { documentColumns } from '../../../shared/contract/document-query.ts'
import type { FileErrorCode } from './file-error.ts'
import { fileErrorOf } from './file-error.ts'
import type { Files } from './files.ts'
import { setAside } from './set-aside.ts'

/** In device-independent pixels. A position may be on a screen that is gone: anyone who opens a window looks first. */
export const WindowBounds = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(320).max(20_000),
  height: z.int().min(240).max(20_000),
  maximised: z.boolean()
})
export type WindowBounds = z.infer<typeof WindowBounds>

export const Settings = z.object({
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  /** 1 is the size as designed. */
  zoom: z.number().min(0.5).max(3).default(1),
  windowBounds: WindowBounds.optional(),
  /** Absent: as many as there is room for. */
  documentColumns: documentColumns.optional(),
  /** Of mobile numbers that have none; digits. */
  countryCode: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
  /** The version whose news someone here has read or dismissed; at the first start, that version. */
  newsSeen: z.string().max(100).optional(),
  /** Whether dumps of crashes are made and kept here. */
  keepsCrashReports: z.boolean().optional(),
  /** A path, for the main process only: it must never be handed to a screen. Absent: the system's own folder. */
  downloadFolder: z.string().min(1).optional()
})
export type Settings = z.infer<typeof Settings>

/** What is used of electron-store. */
interface SettingsFile {
  store: Record<string, unknown>
}

/** What was wrong at start. Whatever it was, the settings can be used. */
export type SettingsTrouble =
  | { readonly code: 'set-aside'; readonly name: string }
  | { readonly code: 'invalid-members'; readonly members: readonly string[] }
  | { readonly code: 'in-memory'; readonly reason: FileErrorCode }

export interface SettingsStore {
  read(): Settings
  /**
   * Changes some members; undefined takes one away. The change holds for this run in any case.
   *
   * @returns whether it will still hold after a restart, and if not, why.
   */
  change(part: { readonly [Name in keyof Settings]?: Settings[Name] | undefined }): SettingsSaved
}

type SettingsSaved = { readonly saved: true } | { readonly saved: false; readonly reason: FileErrorCode }

export interface OpenSettings {
  /** Opens the file: `() => new Store({ name, cwd })`. Called again after a file was set aside. */
  readonly open: () => SettingsFile
  /** The file that `open` opens. */
  readonly path: string
  readonly clock: () => number
  readonly files?: Files
}

/** Never rejects. */
export async function openSettings(
  options: OpenSettings
): Promise<{ readonly settings: SettingsStore; readonly trouble?: SettingsTrouble }> {
  try {
    return settingsOver(options.open())
  } catch (error) {
    if (fileErrorOf(error) !== undefined) return settingsInMemory(error)
  }
  try {
    const { path, clock, files = nodeFiles } = options
    const name = await setAside(dirname(path), [basename(path)], clock(), files)
    return { ...settingsOver(options.open()), trouble: { code: 'set-aside', name } }
  } catch (error) {
    return settingsInMemory(error)
  }
}

function settingsOver(file: SettingsFile): { settings: SettingsStore; trouble?: SettingsTrouble } {
  const found = { ...file.store }
  const members = invalidMembersOf(found)
  for (const member of members) delete found[member]
  // Members that this version doesn't know stay in the file: a later version may come back to it.
  let kept: Record<string, unknown> = found
  let current = Settings.parse(kept)
  const settings: SettingsStore = {
    read: () => current,
    change(part) {
      const next = withoutUndefined({ ...kept, ...part })
      current = Settings.parse(next)
      kept = next
      return saved(() => {
        file.store = kept
      })
    }
  }
  return members.length === 0 ? { settings } : { settings, trouble: { code: 'invalid-members', members } }
}

function settingsInMemory(error: unknown): { settings: SettingsStore; trouble: SettingsTrouble } {
  const reason = fileErrorOf(error)?.code ?? 'other'
  let current = Settings.parse({})
  const settings: SettingsStore = {
    read: () => current,
    change(part) {
      current = Settings.parse(withoutUndefined({ ...current, ...part }))
      return { saved: false, reason }
    }
  }
  return { settings, trouble: { code: 'in-memory', reason } }
}

function invalidMembersOf(found: Record<string, unknown>): string[] {
  const read = Settings.safeParse(found)
  return read.success ? [] : [...new Set(read.error.issues.map((issue) => String(issue.path[0])))]
}

function saved(write: () => void): SettingsSaved {
  try {
    write()
    return { saved: true }
  } catch (error) {
    return { saved: false, reason: fileErrorOf(error)?.code ?? 'other' }
  }
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
