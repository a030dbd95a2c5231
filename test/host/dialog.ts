// Electron's `dialog`, with answers that the test queues beforehand. A dialog without an answer fails at once, so that
// a test that forgot one doesn't hang.
import type * as Electron from 'electron'
import type { BaseWindow } from './base-window.ts'
import { acceptOnly, NotEmulatedError, notEmulated, strictly } from './strict.ts'

type Kind = 'open' | 'save' | 'message' | 'error'

/** One dialog that the application has shown. */
export interface ShownDialog {
  readonly kind: Kind
  readonly title: string
  readonly message: string
  readonly buttons: readonly string[]
}

interface Answers {
  open: Electron.OpenDialogReturnValue
  save: Electron.SaveDialogReturnValue
  message: Electron.MessageBoxReturnValue | { button: string }
}

/** The answers that the test has queued, and the dialogs that have been shown. */
class Dialogs {
  readonly shown: ShownDialog[] = []
  readonly #open: Answers['open'][] = []
  readonly #save: Answers['save'][] = []
  readonly #message: Answers['message'][] = []

  answerOpen(answer: Answers['open']): void {
    this.#open.push(answer)
  }

  answerSave(answer: Answers['save']): void {
    this.#save.push(answer)
  }

  answerMessage(answer: Answers['message']): void {
    this.#message.push(answer)
  }

  takeOpen(): Answers['open'] | undefined {
    return this.#open.shift()
  }

  takeSave(): Answers['save'] | undefined {
    return this.#save.shift()
  }

  takeMessage(): Answers['message'] | undefined {
    return this.#message.shift()
  }
}

export const dialogs = new Dialogs()

function unanswered(what: string): never {
  throw new NotEmulatedError(`dialog.${what} without an answer from the test (control: dialog.answer…)`)
}

/**
 * Returns the options of a dialog; Electron's dialogs take an optional window first. On macOS a dialog is a part of its
 * window, and seen only where that is.
 */
function optionsOf<T extends object>(args: readonly unknown[]): T {
  if (args.length < 2) return args[0] as T
  const [window, options] = args as [BaseWindow, T]
  const isSeen = window.isDestroyed() || (window.isVisible() && !window.isMinimized())
  return isSeen ? options : notEmulated('a dialog over a window that nobody sees')
}

const message = [
  'type',
  'buttons',
  'defaultId',
  'title',
  'message',
  'detail',
  'checkboxLabel',
  'checkboxChecked',
  'icon'
]
const messageOptions = [...message, 'cancelId', 'noLink', 'normalizeAccessKeys', 'signal', 'textWidth']
const openOptions = [
  'title',
  'defaultPath',
  'buttonLabel',
  'filters',
  'properties',
  'message',
  'securityScopedBookmarks'
]
const saveOptions = [...openOptions, 'nameFieldLabel', 'showsTagField']

type Offered = Pick<Electron.Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox' | 'showErrorBox'>

export const dialog = strictly('dialog', {
  async showOpenDialog(...args: unknown[]) {
    const options = optionsOf<Electron.OpenDialogOptions>(args)
    acceptOnly('dialog.showOpenDialog', options, openOptions)
    dialogs.shown.push({ kind: 'open', title: options.title ?? '', message: options.message ?? '', buttons: [] })
    return dialogs.takeOpen() ?? unanswered('showOpenDialog')
  },
  async showSaveDialog(...args: unknown[]) {
    const options = optionsOf<Electron.SaveDialogOptions>(args)
    acceptOnly('dialog.showSaveDialog', options, saveOptions)
    dialogs.shown.push({ kind: 'save', title: options.title ?? '', message: options.message ?? '', buttons: [] })
    return dialogs.takeSave() ?? unanswered('showSaveDialog')
  },
  async showMessageBox(...args: unknown[]) {
    const options = optionsOf<Electron.MessageBoxOptions>(args)
    acceptOnly('dialog.showMessageBox', options, messageOptions)
    const buttons = options.buttons ?? []
    const text = [options.message, options.detail].filter(Boolean).join('\n')
    dialogs.shown.push({ kind: 'message', title: options.title ?? '', message: text, buttons })
    const answer = dialogs.takeMessage() ?? unanswered('showMessageBox')
    if (!('button' in answer)) return answer
    const response = buttons.indexOf(answer.button)
    if (response < 0) throw new Error(`The dialog has no button "${answer.button}", only ${buttons.join(', ')}`)
    return { response, checkboxChecked: options.checkboxChecked ?? false }
  },
  showErrorBox(title: string, content: string) {
    dialogs.shown.push({ kind: 'error', title, message: content, buttons: [] })
    console.error(`test host: error box: ${title}: ${content}`)
  }
} satisfies Offered)
