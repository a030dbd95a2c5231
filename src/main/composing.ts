/**
 * The composing and sending layer: drafts and suggestions for them, the outbox and the office that may share it, bulk
 * sending, and drop folders.
 */

import { OfficeBoard } from './core/appointments/office-board.ts'
import { openSharedAppointments } from './core/appointments/shared-appointments.ts'
import { openBulk } from './core/bulk/bulk.ts'
import { openRememberedColumns } from './core/bulk/remembered-columns.ts'
import { SharedStaff } from './core/counter/shared-staff.ts'
import { SharedPolling } from './core/documents/polling/shared-polling.ts'
import { openDrafts } from './core/drafts/drafts.ts'
import { openExchange } from './core/drafts/exchange.ts'
import { FromOutside } from './core/drafts/from-outside.ts'
import { openPeople } from './core/drafts/people.ts'
import { openPresets } from './core/drafts/presets.ts'
import { openRemembered } from './core/drafts/remembered.ts'
import { openSharedDrafts } from './core/drafts/shared-drafts.ts'
import { openSharedPeople } from './core/drafts/shared-people.ts'
import { openDropFolders } from './core/drop-folders/drop-folders.ts'
import { asAppError } from './core/errors/app-error.ts'
import { codeOf } from './core/lib/failure.ts'
import { Heads } from './core/office/heads.ts'
import { OfficeMembership } from './core/office/membership.ts'
import { SharedRecords } from './core/office/shared-records.ts'
import { Outbox } from './core/outbox/outbox.ts'
import { daysKept } from './core/retention/retention.ts'
import { openJsonMeta } from './core/storage/meta.ts'
import type { openFolders } from './folders.ts'
import type { Foundation } from './foundation.ts'
import { openBulkWorker } from './shell/bulk.ts'

/** @param madeBy application name and version, written into exported files. */
export function openComposing(
  foundation: Foundation,
  { ask, moment, exclusiveTasks, views, polling, takeSent, documentsChanged }: ReturnType<typeof openFolders>,
  madeBy: string
) {
  const { accounts, db, clients, facts, keychain, lists, log, newId, organisation, send, signals, time } = foundation
  const notifyDrafts = (id: string) => send('drafts.changed', { id })
  function draftsChanged(id: string): void {
    notifyDrafts(id)
    sharedDrafts.localChanged()
  }
  const notifyPresets = () => send('presets.changed', null)
  const notifyPeople = () => send('people.changed', null)
  /** Records were changed here, so the office's other workstations need them too. */
  const changedLocally = (notify: () => void) => () => {
    notify()
    records.localChanged()
  }
  const presetsChanged = changedLocally(notifyPresets)
  /** Logs only the code, since the server's message may contain personal data. */
  const onOfficeError = (error: unknown) =>
    log.warn('The office’s server could not be asked.', { code: codeOf(error) || asAppError(error).code })
  const worker = () => openBulkWorker({ worker: new URL('./bulk-worker.js', import.meta.url), log })

  const drafts = openDrafts({ db, time, newId, changed: draftsChanged })
  const presets = openPresets({ db, time, newId, changed: presetsChanged })
  const exchange = openExchange({
    db,
    drafts,
    presets,
    time,
    newId,
    madeBy,
    draftsChanged,
    presetsChanged
  })
  const outside = new FromOutside({
    drafts,
    presets,
    exchange,
    newId,
    changed: () => send('outside.changed', null)
  })
  const people = openPeople({ db, recipients: lists.storedRecipients, time, changed: changedLocally(notifyPeople) })
  const sharedPeople = openSharedPeople({
    db,
    now: time.now,
    keptDays: () => (organisation.isKnown ? daysKept(openJsonMeta(db), organisation).people : null)
  })
  const remembered = openRemembered({ db, time })
  const sharedDrafts = openSharedDrafts({
    db,
    drafts,
    time,
    newId,
    onError: onOfficeError,
    accounts: () => outbox.shared.accounts(),
    changed: notifyDrafts
  })
  const sharedStaff = new SharedStaff({ db, time, newId, onError: onOfficeError })
  const appointments = openSharedAppointments({ db, time, newId, workstationName: () => records.name })
  const records: SharedRecords = new SharedRecords({
    db,
    time,
    newId,
    onError: onOfficeError,
    kinds: [presets.shared, views.shared, appointments, sharedPeople],
    accounts: () => outbox.shared.accounts(),
    changed(kind) {
      if (kind === 'preset') return notifyPresets()
      if (kind === 'person') return notifyPeople()
      if (kind === 'appointment') return send('appointments.changed', null)
      send('views.changed', null)
      signals.emit('views')
    }
  })
  signals.on('views', () => records.localChanged())
  const outbox = new Outbox({
    db,
    drafts,
    newId,
    onOfficeError,
    sharedDrafts,
    takeSent,
    time,
    release: sharedStaff.releaseRule,
    clientOf: clients.of,
    readAllFolders: polling.readAllFolders,
    accountsOfSameUser: accounts.idsOfSameUser,
    arrived(accountId) {
      facts.markLimitsOutdated(accountId)
      polling.soon(accountId)
    },
    noted: (accountId, composition) => {
      people.note(accountId, composition)
      remembered.note(accountId, composition)
    },
    changed: {
      sends: (ids) => send('sends.changed', { ids }),
      outbox: () => {
        send('outbox.changed', null)
        signals.emit('outbox')
        exclusiveTasks.availabilityChanged()
      },
      batch: (id) => send('batches.changed', { id }),
      draft: draftsChanged
    }
  })
  exclusiveTasks.setAccounts(outbox.shared)
  const officeChanged = () => send('office.changed', null)
  const sharedPolling = new SharedPolling({
    ask,
    moment,
    time,
    onOfficeError,
    accounts: () =>
      accounts
        .list()
        .flatMap(({ id, name, baseUrl }) =>
          baseUrl !== null && outbox.shared.accounts().has(id)
            ? [{ id, name, baseUrl, folders: polling.foldersOf(id) }]
            : []
        ),
    isLookedAt: polling.isLookedAt,
    troubleOf: polling.troubleOf,
    startReading: polling.startReading,
    changed: documentsChanged,
    readByOther: polling.readByOther,
    readerChanged: officeChanged
  })
  polling.setSharedPolling(sharedPolling)
  const heads = new Heads(openJsonMeta(db), time)
  const officeBoard = new OfficeBoard({
    time,
    state: () => membership.view()?.state,
    accounts: () => outbox.shared.accounts(),
    changed: () => send('board.changed', null),
    onError: onOfficeError
  })
  const membership: OfficeMembership = new OfficeMembership({
    drafts: sharedDrafts,
    folders: sharedPolling,
    heads,
    exclusiveTasks,
    records,
    shared: outbox.shared,
    staff: sharedStaff,
    counters: officeBoard,
    slot: keychain.office,
    meta: openJsonMeta(db),
    time,
    // Practice accounts exist on this computer only.
    accounts: () =>
      accounts
        .list()
        .flatMap(({ id, kind, name, baseUrl }) =>
          kind === 'service' && baseUrl !== null ? [{ id, name, baseUrl }] : []
        ),
    outboxOf: (accountId) => outbox.state(accountId),
    authorities: () => organisation.policy.certificateAuthorities ?? [],
    onError: onOfficeError,
    changed: officeChanged
  })
  const bulk = openBulk({ worker: worker(), outbox, columns: openRememberedColumns({ db, time }), time, newId })
  const dropFolders = openDropFolders({
    db,
    drafts,
    presets,
    outbox,
    newId,
    time,
    draftsChanged,
    presetsChanged,
    // Uses its own thread, which mustn't end when a user closes their bulk send.
    worker: worker(),
    ownFolder: foundation.dataFolder,
    dateFormatOf: (accountId) => facts.of(accountId).info?.DateFormat,
    changed: (id) => {
      send('dropFolders.changed', { id })
      signals.emit('dropFolders')
    },
    onError: (error) => log.warn('A file could not be taken over.', { code: asAppError(error).code })
  })
  return {
    drafts,
    sharedDrafts,
    records,
    presets,
    exchange,
    outside,
    people,
    remembered,
    outbox,
    heads,
    membership,
    officeBoard,
    sharedStaff,
    bulk,
    dropFolders
  }
}
