/** The folders and documents layer: reading and storing documents, and acting on them. */
import { randomBytes } from 'node:crypto'
import type { DocumentResponse } from '../shared/model/index.ts'
import { Actions } from './core/actions/actions.ts'
import { openEmployers } from './core/directory/employers.ts'
import { openKnownForms } from './core/directory/known-forms.ts'
import { documentsKey } from './core/documents/mirror/database.ts'
import { openHints } from './core/documents/polling/hints.ts'
import { openPolling } from './core/documents/polling/polling.ts'
import { openViews } from './core/documents/views.ts'
import { increasingClock } from './core/lib/time.ts'
import { ExclusiveTasks } from './core/office/exclusive-tasks.ts'
import type { Foundation } from './foundation.ts'
import { openDocumentsThread } from './shell/documents.ts'

export function openFolders(foundation: Foundation) {
  const { db, accounts, clients, facts, lists, rights, signals, send, time } = foundation
  const clientOf = clients.of
  /** Answers are ordered by when they were requested, but the wall clock may be set back. */
  const moment = increasingClock(time.now)
  const thread = openDocumentsThread({
    worker: new URL('./documents-worker.js', import.meta.url),
    folder: foundation.dataFolder,
    key: foundation.isPersistent ? documentsKey(db, randomBytes) : undefined,
    log: foundation.log,
    troubles: foundation.troubles
  })
  const { ask } = thread

  let version = 0
  /** Called when an account's documents, or the problems with reading them, have changed. */
  function documentsChanged(accountId: string): void {
    send('documents.changed', { accountId, version: ++version })
    signals.emit('documents', accountId)
  }

  /** @throws if the documents can't be stored. */
  async function takeSent(accountId: string, documents: DocumentResponse[]): Promise<void> {
    await ask('takeSent', { accountId, documents, now: moment() })
    documentsChanged(accountId)
  }

  /** A document's name, if it is known from the folders. */
  const nameOf = async (accountId: string, reference: string) =>
    (await ask('get', { accountId, reference }))?.document.Name

  const views = openViews({
    db,
    newId: foundation.newId,
    changed() {
      send('views.changed', null)
      signals.emit('views')
    }
  })
  const polling = openPolling({
    ask,
    time,
    moment,
    clientOf,
    dateFormatOf: facts.dateFormat,
    shown: accounts.shownIds,
    accounts: accounts.list,
    changed: documentsChanged,
    accountRead: (accountId) => send('documents.looked', { accountId, at: time.now() }),
    connectionChanged: () => signals.emit('connection')
  })
  const hints = openHints({ db, random: randomBytes, wake: () => polling.soon(), time })
  const exclusiveTasks = new ExclusiveTasks()
  const actions = new Actions({
    db,
    ask,
    exclusiveTasks,
    rights,
    moment,
    time,
    clientOf,
    refresh: polling.refresh,
    readSoon: polling.soon,
    documentStored: documentsChanged,
    signersCorrected: (accountId, signers) => signals.emit('corrected', accountId, signers),
    changed: (ids) => send('actions.changed', { ids })
  })
  const employers = openEmployers({
    db,
    rights,
    time,
    clientOf,
    changed: () => send('employers.changed', null)
  })
  const forms = openKnownForms({
    db,
    templates: async (accountId) => (await lists.templates(accountId, { refresh: false })).items
  })
  return {
    ask,
    moment,
    nameOf,
    endThread: thread.end,
    documentsChanged,
    takeSent,
    views,
    polling,
    hints,
    exclusiveTasks,
    actions,
    employers,
    forms
  }
}
