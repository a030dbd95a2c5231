/** The part of the composition root that concerns composing and sending: makes its parts and joins them. No logic of its own. */
import type { Events } from '../shared/contract/index.ts'
import type { Clients } from './core/accounts/clients.ts'
import type { FetchedLists } from './core/accounts/fetched-lists.ts'
import { type BulkDeps, openBulk } from './core/bulk/bulk.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import { openDrafts } from './core/drafts/drafts.ts'
import { openExchange } from './core/drafts/exchange.ts'
import { openPeople } from './core/drafts/people.ts'
import { openPresets } from './core/drafts/presets.ts'
import { openRemembered } from './core/drafts/remembered.ts'
import { type DropFoldersDeps, openDropFolders } from './core/drop-folders/drop-folders.ts'
import { systemTime } from './core/lib/time.ts'
import { Outbox } from './core/outbox/outbox.ts'
import type { Db } from './core/storage/connection.ts'
import { asAppError } from './ipc/errors.ts'

export interface ComposingParts {
  db: Db
  clients: Clients
  lists: FetchedLists
  watch: Polling
  bulkWorker: BulkDeps['worker']
  /** A worker of its own for the sheets that other software drops: it must not end with what a person has open. */
  dropFolderWorker: DropFoldersDeps['worker']
  /** The application's own folder. */
  ownFolder: string
  /** A file could not be taken just now. */
  dropFolderTrouble: DropFoldersDeps['trouble']
  /** The IANA name of this workstation's zone. */
  zone: () => string
  /** The application and its version, for the files that it writes. */
  madeBy: string
  /** Tells the screens of an event. */
  send: <Name extends keyof Events>(name: Name, payload: Events[Name]) => void
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  newId: () => string
  /** Runs `task` after `delay` milliseconds; answers how to prevent it. */
  schedule: (task: () => void, delay: number) => () => void
}

export function openComposing({ db, clients, lists, watch, send, clock, newId, ...parts }: ComposingParts) {
  const draftChanged = (id: string) => send('drafts.changed', { id })
  const presetsChanged = () => send('presets.changed', null)
  const drafts = openDrafts({ db, clock, newId, changed: draftChanged })
  const presets = openPresets({ db, clock, newId, changed: presetsChanged })
  const exchange = openExchange({
    db,
    drafts,
    presets,
    clock,
    newId,
    madeBy: parts.madeBy,
    describe: asAppError,
    draftsChanged: draftChanged,
    presetsChanged
  })
  const people = openPeople({ db, recipients: lists.keptRecipients, clock })
  const remembered = openRemembered({ db, clock })
  const outbox = new Outbox({
    db,
    drafts,
    clientOf: clients.of,
    readAllFolders: watch.readAllFolders,
    arrived: (accountId) => watch.soon(accountId),
    noted: (accountId, composition) => {
      people.note(accountId, composition)
      remembered.note(accountId, composition)
    },
    describe: asAppError,
    changed: {
      sends: (ids) => send('sends.changed', { ids }),
      outbox: () => send('outbox.changed', null),
      batch: (id) => send('batches.changed', { id }),
      draft: draftChanged
    },
    newId,
    time: systemTime
  })
  const bulk = openBulk({
    worker: parts.bulkWorker,
    outbox,
    clock,
    zone: parts.zone,
    newId
  })
  const dropFolders = openDropFolders({
    ...{ db, drafts, presets, outbox, newId, time: systemTime },
    worker: parts.dropFolderWorker,
    ownFolder: parts.ownFolder,
    describe: asAppError,
    changed: (id) => send('dropFolders.changed', { id }),
    draftsChanged: draftChanged,
    presetsChanged,
    trouble: parts.dropFolderTrouble
  })
  return { drafts, presets, exchange, people, remembered, outbox, bulk, dropFolders }
}
