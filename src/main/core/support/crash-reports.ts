/**
 * What is kept of crashes: a dump of some of a process's memory each, which may hold anything that was in it. So none is made unless someone
 * here wants it, none is sent, few are kept and not for long, and each leaves this computer only in a report that a person saves with it.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrashReportsView } from '../../../shared/contract/support.ts'
import type { Time } from '../lib/time.ts'
import type { SettingsStore } from '../storage/settings.ts'

/** The newest so many are kept, for so many milliseconds. */
const MOST = 10
const LONGEST = 30 * 24 * 60 * 60 * 1000
/** Of all that go into a report together, in bytes. */
const MOST_BYTES = 100 * 1024 * 1024

export interface CrashReportDeps {
  /** Absolute; where the browser engine writes them, in folders of its own. It needn't be there. */
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

  /** Newest first. A file that goes meanwhile is left out. */
  async function dumps(): Promise<Dump[]> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = found.filter((entry) => entry.isFile() && entry.name.endsWith('.dmp'))
    const looked = await Promise.all(
      files.map(async ({ parentPath, name }): Promise<Dump[]> => {
        const path = join(parentPath, name)
        const facts = await stat(path).catch(() => undefined)
        return facts ? [{ path, at: facts.mtimeMs, bytes: facts.size }] : []
      })
    )
    return looked.flat().sort((one, other) => other.at - one.at)
  }

  const remove = async (some: readonly Dump[]) => {
    for (const { path } of some) await rm(path, { force: true })
  }

  async function view(): Promise<CrashReportsView> {
    const found = await dumps()
    return { isKept: isKept(), reports: found.map(({ at, bytes }) => ({ at: Math.floor(at), bytes })) }
  }

  return {
    view,

    /** From the next start on they are made, or no more; where no more, those that are there go. Answers whether that was kept. */
    async keep(isWanted: boolean): Promise<boolean> {
      const { saved } = settings.change({ keepsCrashReports: isWanted || undefined })
      if (!isWanted) await remove(await dumps())
      return saved
    },

    async removeAll(): Promise<void> {
      await remove(await dumps())
    },

    /** What is too old, too much or not wanted goes: called once, at start. Never rejects. */
    async tidy(): Promise<void> {
      const oldest = time.now() - LONGEST
      const over = (await dumps()).filter((dump, index) => !isKept() || index >= MOST || dump.at < oldest)
      await remove(over).catch(() => undefined)
    },

    /** For a report: each by a name that says nothing but which it is, the newest first. */
    async files(): Promise<[name: string, bytes: Uint8Array][]> {
      const files: [string, Uint8Array][] = []
      let left = MOST_BYTES
      for (const { path, bytes } of await dumps()) {
        if (bytes > left) break
        left -= bytes
        // @wc-ignore
        files.push([`crash ${files.length + 1}.dmp`, await readFile(path)])
      }
      return files
    }
  }
}
