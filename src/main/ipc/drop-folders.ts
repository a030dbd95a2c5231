/**
 * Requests about other software: files that it drops in folders, and hints that something happened. Of paths, the
 * screens only get a folder's own, for display.
 */
import type { Hints } from '../core/documents/polling/hints.ts'
import { fail } from '../core/lib/failure.ts'
import { chosenId, coveredRecord, shownIds } from './covered-accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface DropFolderParts extends Pick<Parts, 'accounts' | 'dropFolders' | 'reveal'> {
  /** Lets the user choose a folder; undefined if cancelled. */
  chooseFolder: (title: string, stillAsking: () => boolean) => Promise<string | undefined>
}

export function dropFolderHandlers(parts: DropFolderParts): HandlersOf<'dropFolders'> {
  const { accounts, dropFolders } = parts

  const notOwn = () => fail('gone', 'This folder belongs to another account.')
  const ownFolder = coveredRecord(accounts, dropFolders.accountOf, notOwn)
  const ownPlace = coveredRecord(accounts, (id) => dropFolders.pathOf(id).accountId, notOwn)

  return {
    'dropFolders.list': async () => dropFolders.list(chosenId(accounts)),
    'dropFolders.add': async (_input, { stillAsking }) => {
      const accountId = chosenId(accounts)
      const path = await parts.chooseFolder('Choose a folder to watch', stillAsking)
      return path === undefined ? null : dropFolders.add(accountId, path, 'paused')
    },
    'dropFolders.change': async ({ id, ...changes }) => {
      return dropFolders.change(ownFolder(id), changes)
    },
    'dropFolders.remove': async ({ id }) => {
      dropFolders.remove(ownFolder(id))
    },
    'dropFolders.files': async ({ id, ...page }) => {
      return dropFolders.files(ownFolder(id), page)
    },
    'dropFolders.refused': async ({ offset, limit }) => {
      const all = shownIds(accounts).map((id) => dropFolders.refused(id, { offset: 0, limit: offset + limit }))
      return {
        files: all
          .flatMap(({ files }) => files)
          .sort((one, other) => other.at - one.at)
          .slice(offset, offset + limit),
        total: all.reduce((sum, { total }) => sum + total, 0),
        open: all.flatMap(({ open }) => open)
      }
    },
    'dropFolders.dismissRefused': async ({ folderId, until }) => {
      dropFolders.dismissRefused(ownFolder(folderId), until)
    },
    'dropFolders.reveal': async ({ id }) => {
      parts.reveal(dropFolders.pathOf(ownPlace(id)).path)
    }
  }
}

/** Requests about the local address where other software can send hints. */
export function hintHandlers(hints: Hints): HandlersOf<'hints'> {
  return {
    'hints.get': async () => hints.view(),
    'hints.set': ({ listening }) => hints.set(listening)
  }
}
