/** The system's own dialogs, over our window. */
import { type BrowserWindow, dialog } from 'electron'
import type { FileKind } from '../ipc/dialogs.ts'

/** Windows lists what was chosen, for whoever sits here next: names of our files say who signed what. */
const NOT_LISTED = 'dontAddToRecent'

/** Says that the application can't start, in a box of the system's own, as there is no window to say it in. */
export function sayCannotStart(): void {
  dialog.showErrorBox(
    'Countersign can’t start',
    'Something on this computer keeps it from starting: a full disk, or a data folder that can’t be read. Nothing was lost or sent. Free some space and try again; the log says more.'
  )
}

/**
 * Lets the person choose a folder.
 * @param stillAsking whether whoever asked is still there; a dialog can stand open for an hour.
 * @returns its absolute path, for the main process only; undefined where the person thought better of it.
 */
export async function chooseFolder(
  window: BrowserWindow,
  title: string,
  stillAsking: () => boolean
): Promise<string | undefined> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    properties: ['openDirectory', 'createDirectory', NOT_LISTED]
  })
  if (window.isDestroyed() || !stillAsking()) return undefined
  return canceled ? undefined : filePaths[0]
}

/**
 * Lets the person choose files to be read.
 * @returns their absolute paths, for the main process only; none where the person thought better of it.
 */
export async function chooseFiles(
  window: BrowserWindow,
  title: string,
  kinds: readonly FileKind[],
  stillAsking: () => boolean,
  howMany: 'one' | 'many' = 'one'
): Promise<string[]> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title,
    filters: [...kinds],
    properties: howMany === 'many' ? ['openFile', 'multiSelections', NOT_LISTED] : ['openFile', NOT_LISTED]
  })
  if (window.isDestroyed() || !stillAsking() || canceled) return []
  return filePaths
}

/**
 * Lets the person say where a file goes. The system has asked whether a file of that name may be replaced.
 * @param suggested the file's name, to begin with; in the folder that the system proposes.
 */
export async function chooseSaveFile(
  window: BrowserWindow,
  title: string,
  suggested: string,
  kinds: readonly FileKind[],
  stillAsking: () => boolean
): Promise<string | undefined> {
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title,
    defaultPath: suggested,
    filters: [...kinds],
    properties: ['showOverwriteConfirmation', 'createDirectory', NOT_LISTED]
  })
  if (window.isDestroyed() || !stillAsking() || canceled || filePath === '') return undefined
  return filePath
}
