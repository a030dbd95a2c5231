/**
 * Exports drafts and presets to a `.countersign` file, and imports them. A file is imported entirely or not at all,
 * even if the application exits in between. Files are independent of each other.
 */

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { errorText } from '../../../shared/contract/errors.ts'
import type { ImportResult, SavedFile } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { fail } from '../lib/failure.ts'
import { readChosen, writeChosen } from '../storage/chosen-file.ts'
import { safeFileName } from '../storage/safe-name.ts'
import { exchangeFile, FILE_EXTENSION, MAX_FILE_BYTES, readExchangeFile } from './exchange-file.ts'
import { type ImportDeps, openImport } from './importing.ts'

export interface ExchangeDeps extends ImportDeps {
  /** The application and its version: `Countersign 1.2.0`. */
  madeBy: string
  draftsChanged: (id: string) => void
  presetsChanged: () => void
}

export type Exchange = ReturnType<typeof openExchange>

export function openExchange(deps: ExchangeDeps) {
  const { drafts, presets, madeBy } = deps
  const imports = openImport(deps)

  return {
    removeInterrupted: imports.removeInterrupted,

    /**
     * Counts what a file holds, without storing anything. `sha256` identifies its content. @throws AppFailure if it
     * can't be imported.
     */
    async inspect(path: string): Promise<{ drafts: number; presets: number; sha256: string }> {
      const bytes = await bytesOf(path)
      const { drafts, presets } = await readExchangeFile(bytes)
      return { drafts: drafts.length, presets: presets.length, sha256: sha256Of(bytes) }
    },

    /**
     * Imports files into an account. It never rejects because of a file's content: see `refused` in the result.
     * @param paths absolute.
     * @param shown the content that the person agreed to; a file with another is refused.
     */
    async importFiles(accountId: string, paths: readonly string[], shown?: string): Promise<ImportResult> {
      const imported: ImportResult = { drafts: [], presets: [], refused: [] }
      for (const path of paths) {
        try {
          const bytes = await bytesOf(path)
          if (shown !== undefined && sha256Of(bytes) !== shown)
            fail('bad-file', 'The file was changed after you were shown what is in it.', { next: 'Open it again.' })
          const stored = await imports.store(accountId, await readExchangeFile(bytes))
          imported.drafts.push(...stored.drafts)
          imported.presets.push(...stored.presets)
        } catch (error) {
          imported.refused.push({ file: basename(path), message: errorText(asAppError(error)) })
        }
      }
      const [draft] = imported.drafts
      if (draft) deps.draftsChanged(draft.id)
      if (imported.presets.length > 0) deps.presetsChanged()
      return imported
    },

    /**
     * Exports drafts.
     * @param path chosen by the person, who has already agreed to replace an existing file.
     * @throws AppFailure `gone`, `storage` or `too-large`; FileError. Then nothing is left behind.
     */
    exportDrafts: (path: string, ids: readonly string[]): Promise<SavedFile> =>
      save(path, exchangeFile(madeBy, { drafts: each(ids, (id) => drafts.get(id).composition), presets: [] })),

    exportPresets: (path: string, ids: readonly string[]): Promise<SavedFile> =>
      save(
        path,
        exchangeFile(madeBy, {
          drafts: [],
          presets: each(ids, (id) => {
            const { name, composition } = presets.get(id)
            return { name, composition }
          })
        })
      )
  }
}

/** Suggests a file name. @param what the plural for several of them: `drafts`. */
export function suggestedName(names: readonly string[], what: 'drafts' | 'presets'): string {
  const name = names.length === 1 ? (names[0] ?? '') : `${names.length} ${what}`
  return safeFileName(name, { extension: FILE_EXTENSION, fallback: what })
}

function* each<Made>(ids: readonly string[], make: (id: string) => Made): Generator<Made> {
  for (const id of ids) yield make(id)
}

async function save(path: string, content: Iterable<Uint8Array>): Promise<SavedFile> {
  return { label: await writeChosen(path, FILE_EXTENSION, content) }
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const bytesOf = (path: string) => readChosen(path, MAX_FILE_BYTES, 'Export fewer at a time.')
