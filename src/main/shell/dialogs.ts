/** The system's own dialogs, over our window. */
import { dirname, join } from 'node:path'
import { type BrowserWindow, dialog } from 'electron'
import type { AppError } from '../../shared/contract/index.ts'
import type { Removed } from '../core/backup/removal.ts'
import { fail } from '../core/lib/failure.ts'
import type { Meta } from '../core/storage/meta.ts'
import type { Dialogs } from '../ipc/dialogs.ts'

/**
 * Windows lists what was chosen, for the next person at this computer: the names of our files reveal who signed what.
 */
const OMIT_FROM_RECENT = 'dontAddToRecent'

/** Reports that the application can't start. In a native box, as there is no window yet. */
export function showCannotStart(): void {
  dialog.showErrorBox(
    'Countersign can’t start',
    'The disk may be full, or Countersign can’t read its data folder. Free some space and try again, or contact your administrator.'
  )
}

/** Reports what was removed from this computer and what couldn't be. Resolves once someone has read it. */
export async function showRemoved({ files, entries, backups, left, backupsLeftIn }: Removed): Promise<void> {
  const lines = [
    `Files and folders: ${files}`,
    `Entries in the keychain: ${entries}`,
    `Scheduled backups: ${backups}`,
    ...(left.includes('files') ? ['Some files couldn’t be removed. Delete the data folder yourself.'] : []),
    ...(left.includes('entries')
      ? [
          'Some entries couldn’t be removed from the keychain. Delete those called “Countersign” yourself; if you also use another data folder, ask your administrator first.'
        ]
      : []),
    ...(left.includes('unknown entries')
      ? [
          'The keychain may have keys and passwords of accounts that were here before: entries of “Countersign” that begin with “account:”. Delete them yourself, unless another data folder uses them.'
        ]
      : []),
    ...(left.includes('backups')
      ? [
          `Some scheduled backups couldn’t be removed, or their folder couldn’t be reached. Delete them yourself if they’re still there: ${backupsLeftIn.join(', ')}`
        ]
      : [])
  ]
  await dialog.showMessageBox({
    type: left.length > 0 ? 'warning' : 'info',
    message: 'Countersign’s data was removed from this computer.',
    detail: lines.join('\n'),
    buttons: ['Close'],
    defaultId: 0,
    cancelId: 0
  })
}

/** Reports that what someone wanted replaced or removed by a restart stays as it is. The windows are closed by then. */
export function showNotScheduled({ message, next }: Pick<AppError, 'message' | 'next'>): void {
  dialog.showErrorBox('Nothing was replaced or removed', next ? `${message} ${next}` : message)
}

/** Reports that the application wasn't started because of a switch or a variable. */
export function showUnsafeStart(name: string): void {
  dialog.showErrorBox(
    'Countersign wasn’t started',
    `It was started with “${name}”, which would turn off a security protection. Start it without that option, or ask your administrator.`
  )
}

/**
 * Creates the dialogs over this window. None of them returns a choice once the window, or the page that asked, is gone.
 * Paths are for the main process only.
 * @param meta remembers the last folder for each purpose, by its title: since Electron 43 a dialog without a folder
 * begins in Downloads.
 */
export function dialogsOf(window: BrowserWindow, meta: Pick<Meta, 'read' | 'write'>) {
  const isRequesterThere = (stillAsking: () => boolean) => !window.isDestroyed() && stillAsking()
  const keyOf = (title: string) => `folder of “${title}”`

  function lastFolder(title: string): string | undefined {
    try {
      return meta.read(keyOf(title))
    } catch {
      return undefined
    }
  }

  function keepFolder(title: string, folder: string): void {
    try {
      meta.write(keyOf(title), folder)
    } catch {
      // The next dialog begins elsewhere.
    }
  }

  return {
    /**
     * Lets the person choose a folder.
     * @param stillAsking whether the person who asked is still there; a dialog can stay open for an hour.
     * @returns its absolute path; undefined if they cancel.
     */
    async chooseFolder(title: string, stillAsking: () => boolean): Promise<string | undefined> {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title,
        ...defaultPathOption(lastFolder(title)),
        properties: ['openDirectory', 'createDirectory', OMIT_FROM_RECENT]
      })
      const [chosen] = filePaths
      if (!isRequesterThere(stillAsking) || canceled || chosen === undefined) return undefined
      keepFolder(title, chosen)
      return chosen
    },

    async chooseFiles(title, kinds, stillAsking, howMany = 'one') {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title,
        ...defaultPathOption(lastFolder(title)),
        filters: [...kinds],
        properties:
          howMany === 'many' ? ['openFile', 'multiSelections', OMIT_FROM_RECENT] : ['openFile', OMIT_FROM_RECENT]
      })
      if (!isRequesterThere(stillAsking) || canceled) return []
      for (const chosen of filePaths.slice(0, 1)) keepFolder(title, dirname(chosen))
      return filePaths
    },

    /** The system has asked whether an existing file may be replaced; it proposes the folder. */
    async chooseSaveFile(title, suggested, kinds, stillAsking) {
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        title,
        defaultPath: join(lastFolder(title) ?? '', suggested),
        filters: [...kinds],
        properties: ['showOverwriteConfirmation', 'createDirectory', OMIT_FROM_RECENT]
      })
      if (!isRequesterThere(stillAsking) || canceled || filePath === '') return undefined
      keepFolder(title, dirname(filePath))
      return filePath
    }
  } satisfies Dialogs & Record<string, unknown>
}

function defaultPathOption(folder: string | undefined): { defaultPath?: string } {
  return folder === undefined ? {} : { defaultPath: folder }
}

/** Electron's reason if the person cancelled (webContents.print, `failureReason`). */
const CANCELLED = 'Print job canceled'

/**
 * Prints our own page in its print style, after the system's dialog. We write nothing to a file; the print queue is the
 * system's.
 * @returns false if the person cancelled.
 * @throws AppFailure `internal` if there is no printer, or it failed.
 */
export async function printWithDialog(window: BrowserWindow): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<{ isPrinted: boolean; why: string }>()
  window.webContents.print({}, (isPrinted, why) => resolve({ isPrinted, why }))
  const { isPrinted, why } = await promise
  if (!isPrinted && why !== CANCELLED)
    fail('internal', 'The pages couldn’t be printed.', {
      next: 'Check that the printer is connected and ready.'
    })
  return isPrinted
}
