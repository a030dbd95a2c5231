/**
 * Drafts and presets to a `.countersign` file, and back. Of a file all is imported or nothing, also where the
 * application is ended in between; one file doesn't depend on another.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { AppError, Imported, SavedFile } from '../../../shared/contract/index.ts'
import { AppFailure, fail } from '../failure.ts'
import { writeWhereChosen } from '../storage/chosen-file.ts'
import type { Db } from '../storage/connection.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import { safeFileName } from '../storage/safe-name.ts'
import type { Drafts } from './drafts.ts'
import { ENDING, type Exchanged, exchangeFile, MOST_BYTES, readExchangeFile } from './exchange-file.ts'
import { withKeysOfTheirOwn } from './keys.ts'
import type { Presets } from './presets.ts'
import { inTurns } from './turns.ts'

export interface ExchangeEffects {
  db: Db
  drafts: Drafts
  presets: Presets
  clock: () => number
  newId: () => string
  /** The application and its version: `Countersign 1.2.0`. */
  madeBy: string
  /** Says an error in the user's words. */
  describe: (error: unknown) => AppError
  draftsChanged: (id: string) => void
  presetsChanged: () => void
}

type Stored = Pick<Imported, 'drafts' | 'presets'>

export type Exchange = ReturnType<typeof openExchange>

export function openExchange(effects: ExchangeEffects) {
  const { db, drafts, presets, clock, newId, madeBy } = effects
  const arriving = db.prepare<[string]>('INSERT INTO arrivals (id) VALUES (?)')
  const arrived = db.prepare<[string]>('DELETE FROM arrivals WHERE id = ?')
  const eraseDraft = db.prepare<[string]>('DELETE FROM drafts WHERE id = ?')
  const erasePreset = db.prepare<[string]>('DELETE FROM presets WHERE id = ?')
  const halfArrived = db.prepare<[], string>('SELECT id FROM arrivals').pluck()

  const show = db.transaction((ids: readonly string[]) => {
    for (const id of ids) arrived.run(id)
  })

  function* takeBack(ids: readonly string[]): Generator<void, void> {
    for (const id of ids) {
      eraseDraft.run(id)
      erasePreset.run(id)
      arrived.run(id)
      yield
    }
  }

  function* write(accountId: string, entries: Exchanged, ids: string[]): Generator<void, Stored> {
    const stored: Stored = { drafts: [], presets: [] }
    const now = clock()
    for (const [index, composition] of entries.drafts.entries()) {
      // In lists, where the newest comes first, they stand as they did in the file.
      const draft = drafts.arrive(accountId, withKeysOfTheirOwn(composition, newId), now - index)
      arriving.run(draft.id)
      ids.push(draft.id)
      stored.drafts.push(draft)
      yield
    }
    for (const { name, composition } of entries.presets) {
      const preset = presets.arrive(accountId, name, withKeysOfTheirOwn(composition, newId))
      arriving.run(preset.id)
      ids.push(preset.id)
      stored.presets.push(preset)
      yield
    }
    return stored
  }

  /** Writes all entries, hidden until the last is there: one long transaction would hold up every save meanwhile. */
  async function store(accountId: string, entries: Exchanged): Promise<Stored> {
    const ids: string[] = []
    try {
      const stored = await inTurns(write(accountId, entries, ids), (turn) => db.transaction(turn)())
      show(ids)
      return stored
    } catch (error) {
      // What can't be erased now either stays hidden, and goes at the next start.
      await inTurns(takeBack(ids), (turn) => db.transaction(turn)()).catch(() => undefined)
      throw error
    }
  }

  return {
    /** What an import that was cut short left behind goes: called once, at start. */
    takeUpInterrupted(): void {
      db.transaction(() => [...takeBack(halfArrived.all())])()
    },

    /**
     * Reads files into an account. Never rejects for what is wrong with a file: see `refused` in the answer.
     * @param paths absolute.
     */
    async importFiles(accountId: string, paths: readonly string[]): Promise<Imported> {
      const imported: Imported = { drafts: [], presets: [], refused: [] }
      for (const path of paths) {
        try {
          const stored = await store(accountId, await readExchangeFile(await bytesOf(path)))
          imported.drafts.push(...stored.drafts)
          imported.presets.push(...stored.presets)
        } catch (error) {
          imported.refused.push({ file: basename(path), message: effects.describe(error).message })
        }
      }
      const [draft] = imported.drafts
      if (draft) effects.draftsChanged(draft.id)
      if (imported.presets.length > 0) effects.presetsChanged()
      return imported
    },

    /**
     * @param path where the person said, who was asked whether a file that is there may be replaced.
     * @throws AppFailure `gone`, `storage` or `too-large`; FileError. Nothing is left behind then.
     */
    exportDrafts: (path: string, ids: readonly string[]): Promise<SavedFile> =>
      save(path, exchangeFile(madeBy, { drafts: each(ids, (id) => drafts.get(id).composition), presets: [] })),

    /** As `exportDrafts`. */
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

/** What to call a file of these, to begin with. @param what several of them are called: `drafts`. */
export function suggestedName(names: readonly string[], what: 'drafts' | 'presets'): string {
  const name = names.length === 1 ? (names[0] ?? '') : `${names.length} ${what}`
  return safeFileName(name, { extension: ENDING, fallback: what })
}

function* each<Made>(ids: readonly string[], make: (id: string) => Made): Generator<Made> {
  for (const id of ids) yield make(id)
}

async function save(path: string, content: Iterable<Uint8Array>): Promise<SavedFile> {
  return { label: await writeWhereChosen(path, ENDING, content) }
}

/** @throws AppFailure where the file can't be read or is too large to be read. */
async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path)
    if (!found.isFile()) fail('invalid', 'This isn’t a file.')
    if (found.size > MOST_BYTES) fail('too-large', 'This file is larger than 50 MB. Export fewer at a time.')
    return await readFile(path)
  } catch (error) {
    if (error instanceof AppFailure) throw error
    const system = fileErrorOf(error)?.system
    if (system === 'ENOENT') fail('gone', 'This file is no longer there.')
    if (system === 'EACCES' || system === 'EPERM') fail('not-allowed', 'You may not read this file.')
    return fail('storage', 'This file could not be read: the disk it is on failed.')
  }
}
