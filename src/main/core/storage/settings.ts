/**
 * This workstation's settings of the application itself; nothing about people, accounts or documents. An invalid file
 * is set aside, defaults are used, and the caller is informed.
 */
import * as nodeFiles from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { documentColumns } from '../../../shared/contract/document-query.ts'
import type { FileErrorCode } from './file-error.ts'
import { fileErrorOf } from './file-error.ts'
import type { Files } from './files.ts'
import { setAside } from './set-aside.ts'

/** In device-independent pixels. The position may be on a disconnected screen: check before opening a window. */
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
  /** 1 is the design size. */
  zoom: z.number().min(0.5).max(3).default(1),
  windowBounds: WindowBounds.optional(),
  /** If missing: as many as fit. */
  documentColumns: documentColumns.optional(),
  /** Default country code for mobile numbers, as digits. */
  countryCode: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
  /** The version whose news was read or dismissed here; initially the first version started. */
  newsSeen: z.string().max(100).optional(),
  /** Whether crash dumps are created and kept. */
  keepsCrashReports: z.boolean().optional(),
  /** A path, for the main process only: it must never reach a screen. If missing: the system's folder. */
  downloadFolder: z.string().min(1).optional()
})
export type Settings = z.infer<typeof Settings>

/** The parts of electron-store that are used. */
interface SettingsFile {
  store: Record<string, unknown>
}

/** Problems at start. Settings are usable in any case. */
export type SettingsTrouble =
  | { readonly code: 'set-aside'; readonly name: string }
  | { readonly code: 'invalid-members'; readonly members: readonly string[] }
  | { readonly code: 'in-memory'; readonly reason: FileErrorCode }

export interface SettingsStore {
  read(): Settings
  /**
   * Changes some members; undefined removes one. The change applies to this run in any case.
   *
   * @returns whether it will still apply after a restart, and if not, why.
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

/** Opens the settings. Never rejects. */
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
  // Members that this version doesn't know stay in the file, for a later version.
  let kept: Record<string, unknown> = found
  let current = Settings.parse(kept)
  const settings: SettingsStore = {
    read: () => current,
    change(part) {
      const next = withoutUndefined({ ...kept, ...part })
      current = Settings.parse(next)
      kept = next
      return trySave(() => {
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

function trySave(write: () => void): SettingsSaved {
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
