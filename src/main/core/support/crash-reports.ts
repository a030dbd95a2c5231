/**
 * Manages crash dumps. A dump contains parts of a process's memory, which may hold any data. So dumps are made only if
 * the user wants them, are never sent, are few and short-lived, and leave this computer only in a report that a user
 * saves with them.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrashReportsView } from '../../../shared/contract/support.ts'
import type { Time } from '../lib/time.ts'
import type { SettingsStore } from '../storage/settings.ts'

/** How many of the newest dumps are kept, and for how many milliseconds. */
const MAX_DUMPS = 10
const MAX_AGE = 30 * 24 * 60 * 60 * 1000
/** Maximum size of all dumps in a report, in bytes. */
const MAX_REPORTED_BYTES = 100 * 1024 * 1024

export interface CrashReportDeps {
  /** Absolute path of the folder where Chromium writes dumps, in subfolders; it may not exist. */
  folder: string
  settings: Pick<SettingsStore, 'read' | 'change'>
  time: Pick<Time, 'now'>
}

interface Dump {
  path: string
  at: number
  bytes: number
}

export type CrashReports = ReturnType<typeof openCrashReports>

export function openCrashReports({ folder, settings, time }: CrashReportDeps) {
  const isKept = () => settings.read().keepsCrashReports === true

  /** Newest first. Files that disappear meanwhile are skipped. */
  async function dumps(): Promise<Dump[]> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = found.filter((entry) => entry.isFile() && entry.name.endsWith('.dmp'))
    const withStats = await Promise.all(
      files.map(async ({ parentPath, name }): Promise<Dump[]> => {
        const path = join(parentPath, name)
        const stats = await stat(path).catch(() => undefined)
        return stats ? [{ path, at: stats.mtimeMs, bytes: stats.size }] : []
      })
    )
    return withStats.flat().sort((one, other) => other.at - one.at)
  }

  const remove = async (some: readonly Dump[]) => {
    for (const { path } of some) await rm(path, { force: true })
  }

  async function view(): Promise<CrashReportsView> {
    const found = await dumps()
    return { isKept: isKept(), reports: found.map(({ at, bytes }) => ({ at: Math.floor(at), bytes })) }
  }

  async function setEnabled(isEnabled: boolean): Promise<boolean> {
    const { saved } = settings.change({ keepsCrashReports: isEnabled || undefined })
    if (!isEnabled) await remove(await dumps())
    return saved
  }

  return {
    view,

    /**
     * Turns dumps on or off from the next start; turning them off deletes existing ones. Returns whether the setting
     * was saved.
     */
    setEnabled,

    /** Applies the organisation's setting, if any, as `setEnabled` does. Never rejects: what fails is logged. */
    async applyPolicy(isEnabled: boolean | undefined, log: { warn(message: string): void }): Promise<void> {
      if (isEnabled === undefined || isEnabled === isKept()) return
      const isDone = await setEnabled(isEnabled).catch(() => false)
      if (!isDone)
        log.warn('Whether crash reports are kept couldn’t be set for good as the organisation’s policy says.')
    },

    async removeAll(): Promise<void> {
      await remove(await dumps())
    },

    /** Deletes dumps that are too old, too many or not wanted. Called once, at start. Never rejects. */
    async tidy(): Promise<void> {
      const oldest = time.now() - MAX_AGE
      const surplus = (await dumps()).filter((dump, index) => !isKept() || index >= MAX_DUMPS || dump.at < oldest)
      await remove(surplus).catch(() => undefined)
    },

    /** Returns dumps for a report, newest first, with numbered names that reveal nothing else. */
    async files(): Promise<[name: string, bytes: Uint8Array][]> {
      const files: [string, Uint8Array][] = []
      let remaining = MAX_REPORTED_BYTES
      for (const { path, bytes } of await dumps()) {
        if (bytes > remaining) break
        remaining -= bytes
        // @wc-ignore
        files.push([`crash ${files.length + 1}.dmp`, await readFile(path)])
      }
      return files
    }
  }
}
