/** Requests for composing and sending: drafts, presets, the outbox, batches, and suggestions while typing. */
import { z } from 'zod'
import { ColumnMapping, DateOrders } from '../composition/bulk-columns.ts'

import { Composition, MAX_VALUE_LENGTH, MAX_VALUES } from '../composition/composition.ts'
import { KEPT_BY_ANOTHER } from '../composition/preset.ts'
import type {
  BatchView,
  BulkCheck,
  BulkCorrectionResult,
  BulkRow,
  BulkSheet,
  DraftList,
  DraftSummary,
  DraftVersion,
  DraftView,
  EarlierSend,
  FoundPeople,
  ImportResult,
  LeftOutRows,
  OutboxView,
  OutsideView,
  PeopleList,
  PresetSummary,
  PresetView,
  RememberedForm,
  RememberedMapping,
  SavedFile,
  SendList,
  SendView
} from './composing-views.ts'
import { answers, byId, id, noInput, page } from './request.ts'

/** How many days a draft stays in the trash, unless the retention settings say otherwise. */
export const TRASH_DAYS = 30

/** The limit for a sheet's file and for pasted text. */
export const MAX_SHEET_BYTES = 50 * 1024 * 1024
/** Returns the message for a sheet above the limit. @param size in bytes. */
export function tooLargeSheet(size: number): string {
  const megabytes = Math.ceil(size / 1024 / 1024).toLocaleString('en-GB')
  return `This file is ${megabytes} MB; the limit is ${MAX_SHEET_BYTES / 1024 / 1024} MB. Keep only the columns you need, or split it.`
}

const search = z.string().max(200)
const rowsShown = z.enum(['all', 'errors', 'warnings', 'duplicates', 'alike', 'corrected'])
/** A row of the open sheet, as the spreadsheet numbers it. */
const row = z.number().int().min(1).max(2_000_000_000)
const ids = z.array(id).min(1).max(500)
const name = z.string().trim().min(1).max(200)
/** Milliseconds since 1970 UTC. */
const moment = z.number().int().min(0).max(8_640_000_000_000_000)

const optionalText = z.string().max(1000)
const namedAddress = z.strictObject({ FirstName: optionalText, LastName: optionalText, Email: optionalText })
const requiredText = z.string().trim().min(1).max(1000)
/** Someone in the address book, as an office enters them. */
const personEntry = z.strictObject({
  FirstName: requiredText,
  MiddleName: optionalText.trim(),
  LastName: requiredText,
  Email: requiredText,
  MobileCountry: optionalText.trim(),
  MobileNumber: optionalText.trim()
})

export const composingRequests = {
  /**
   * Finds people this office has sent to and those on the service's recipient lists, best match first. `isForgiving`: if
   * there are none, people with similar names.
   */
  'people.find': answers<FoundPeople>()(
    z.strictObject({ text: search, limit: z.number().int().min(1).max(50), isForgiving: z.boolean().optional() })
  ),
  /** Lists people this office has sent to, most recent first; if nobody matches, those with similar names. */
  'people.list': answers<PeopleList>()(z.strictObject({ search, ...page })),
  /** Changes someone's entry; `conflict` if another entry has that name and e-mail. */
  'people.change': answers<null>()(z.strictObject({ was: namedAddress, now: personEntry })),
  /** Merges two entries of one person: `into` keeps its details and gets the uses of both. */
  'people.merge': answers<null>()(z.strictObject({ from: namedAddress, into: namedAddress })),
  /** Removes someone from the address book. Others with the same e-mail stay. */
  'people.forget': answers<null>()(namedAddress),
  /**
   * Values this office has used in a field before: first those it has ordered itself, then the newest. See
   * composition/composition.ts for the fields.
   */
  'remembered.values': answers<string[]>()(z.strictObject({ field: z.string().min(1).max(500) })),
  /** Stores the office's own choices for a template's field; returns the choices as they are now offered. */
  'remembered.keepChoices': answers<string[]>()(
    z.strictObject({
      /** As made by `rememberedChoice`. The values of other fields are only remembered, never set. */
      // @wc-ignore
      field: z.string().startsWith('Choice ').max(500),
      choices: z.array(z.string().trim().min(1).max(MAX_VALUE_LENGTH)).max(MAX_VALUES)
    })
  ),
  /** Forms this office has sent before, newest first. */
  'remembered.forms': answers<RememberedForm[]>()(noInput),

  /** Lists drafts that contain all words of `search`, newest first. */
  'drafts.list': answers<DraftList>()(z.strictObject({ search, trashed: z.boolean(), ...page })),
  /** toSend: fails if the draft can't be sent as it is. */
  'drafts.get': answers<DraftView>()(byId.extend({ toSend: z.boolean().optional() })),
  /**
   * The draft is on disk when this answers. Without an id a new draft is created; with `newId` it gets that id, so
   * repeating the first save is idempotent. `edition`: the content of a shared draft that the change is based on (see
   * `DraftOffice`); if that isn't the current one, the change is stored next to it.
   */
  'drafts.save': answers<DraftSummary>()(
    z.strictObject({
      id: id.optional(),
      newId: z.uuid().optional(),
      composition: Composition,
      edition: z.int().min(0).optional()
    })
  ),
  /** Moves a draft to the trash, where it stays for 30 days by default. */
  'drafts.remove': answers<null>()(byId),
  'drafts.restore': answers<DraftSummary>()(byId),
  /** Deletes a draft in the trash for good. */
  'drafts.erase': answers<null>()(byId),
  'drafts.emptyTrash': answers<{ erased: number }>()(noInput),
  'drafts.duplicate': answers<DraftSummary>()(byId),
  /** Earlier versions, newest first. */
  'drafts.history': answers<DraftVersion[]>()(byId),
  'drafts.version': answers<{ composition: Composition }>()(z.strictObject({ id, version: id })),
  /** Restores an earlier version. The present content becomes a version itself. */
  'drafts.restoreVersion': answers<DraftView>()(z.strictObject({ id, version: id })),
  /** An editor opened the draft. If the office shares it, it is locked for the person who types here until `drafts.editorClosed`. */
  'drafts.editorOpened': answers<null>()(byId),
  'drafts.editorClosed': answers<null>()(byId),
  /** Takes over a draft being edited at another workstation. `offline` if the office's server can't be reached. */
  'drafts.takeOver': answers<DraftView>()(byId),
  /**
   * Makes a draft private to this workstation, or shares it with the office. `conflict` if another workstation created
   * it or someone is editing it there.
   */
  'drafts.setOwner': answers<DraftSummary>()(z.strictObject({ id, whose: z.enum(['mine', 'office']) })),
  /**
   * Resolves a draft with several versions in favour of its present content. `offline` if the office's server can't be
   * reached.
   */
  'drafts.resolveConflicts': answers<null>()(byId),
  /** Saves drafts as a `.countersign` file at a location the person chooses; null if they cancel. */
  'drafts.export': answers<SavedFile | null>()(z.strictObject({ ids })),

  'presets.list': answers<PresetSummary[]>()(noInput),
  'presets.get': answers<PresetView>()(byId),
  /** Without an id a new preset is created. */
  'presets.save': answers<PresetSummary>()(z.strictObject({ id: id.optional(), name, composition: Composition })),
  'presets.rename': answers<PresetSummary>()(z.strictObject({ id, name })),
  'presets.remove': answers<null>()(byId),
  'presets.export': answers<SavedFile | null>()(z.strictObject({ ids })),
  /** Imports `.countersign` files that the person chooses, drafts and presets alike; null if they cancel. */
  'exchange.import': answers<ImportResult | null>()(noInput),
  /**
   * Requests from links and opened files, oldest first; `outside.changed` reports changes. Nothing of them is stored
   * yet.
   */
  'outside.list': answers<OutsideView[]>()(noInput),
  /** Creates the draft, or imports the file, in the current account. Sends nothing. */
  'outside.accept': answers<ImportResult>()(byId),
  'outside.dismiss': answers<null>()(byId),

  /**
   * Puts a draft in the outbox. It is sent after the undo window, or at `at`. `edition`: the content of a shared draft
   * that is shown; `conflict` if another workstation's has replaced it.
   */
  'sends.start': answers<SendView>()(
    z.strictObject({ draftId: id, at: moment.optional(), edition: z.int().min(0).optional() })
  ),
  /** Sends a waiting package without waiting any longer. */
  'sends.now': answers<SendView>()(byId),
  /** Changes when a package that waits for its time is sent; `busy` once it has left. */
  'sends.reschedule': answers<SendView>()(z.strictObject({ id, at: moment })),
  /** Releases a package that needs a second member of staff; `not-allowed` for the one who put it in the outbox. */
  'sends.release': answers<SendView>()(byId),
  /** Refuses to release such a package. It stays in the outbox until it is undone. */
  'sends.refuse': answers<SendView>()(z.strictObject({ id, reason: z.string().trim().min(1).max(500) })),
  /** Takes a package that hasn't been sent out of the outbox and makes it a draft again. */
  'sends.undo': answers<DraftSummary>()(byId),
  'sends.list': answers<SendList>()(
    z.strictObject({
      show: z.enum(['all', 'attention', 'waiting', 'sent']),
      batchId: id.optional(),
      search,
      ...page
    })
  ),
  'sends.get': answers<SendView>()(byId),
  /** What a package consists of, for the one who decides whether it is released. */
  'sends.composition': answers<Composition>()(byId),
  /** Asks the service whether an uncertain send arrived. */
  'sends.reconcile': answers<SendView>()(byId),
  /**
   * Settles an uncertain send by hand: it arrived as these documents, or it didn't arrive. `documents` is empty if the
   * package is in a folder that can't be read.
   */
  'sends.resolve': answers<SendView>()(
    z.discriminatedUnion('arrived', [
      z.strictObject({ id, arrived: z.literal(true), documents: z.array(z.string().min(1).max(2000)).max(200) }),
      z.strictObject({ id, arrived: z.literal(false) })
    ])
  ),
  /** Sends again, unchanged, what was refused or didn't arrive. */
  'sends.retry': answers<SendView>()(byId),
  /** Makes a draft of a send: the original draft if it didn't arrive, a copy if it did ("send again as new"). */
  'sends.toDraft': answers<DraftSummary>()(byId),
  /** Makes a draft like a send, with or without its people. Sends nothing. */
  'sends.duplicate': answers<DraftSummary>()(z.strictObject({ id, keeps: z.enum(KEPT_BY_ANOTHER) })),
  /**
   * The latest send of the same package, to the same people with the same data, in the last 30 days; null if there is
   * none.
   */
  'sends.sameSent': answers<EarlierSend | null>()(z.strictObject({ composition: Composition })),

  'outbox.state': answers<OutboxView>()(noInput),
  'outbox.pause': answers<OutboxView>()(noInput),
  'outbox.resume': answers<OutboxView>()(noInput),
  'outbox.configure': answers<OutboxView>()(
    z.strictObject({
      concurrency: z.number().int().min(1).max(4).optional(),
      /** Packages a minute at most; null for no limit. */
      perMinute: z.number().int().min(1).max(600).nullable().optional(),
      undoSeconds: z.number().int().min(0).max(60).optional()
    })
  ),
  'batches.list': answers<BatchView[]>()(noInput),
  'batches.pause': answers<BatchView>()(byId),
  /** As `sends.release`, for all packages of the batch that need it. */
  'batches.release': answers<BatchView>()(byId),
  'batches.resume': answers<BatchView>()(byId),
  /** Cancels for good everything in the batch that hasn't been sent. */
  'batches.cancel': answers<BatchView>()(byId),
  /** Sends again what didn't arrive. */
  'batches.retry': answers<BatchView>()(byId),
  /**
   * Saves the rows that were left out, refused or didn't arrive, with the reasons, so that they can be fixed and
   * imported again.
   */
  'batches.exportFailed': answers<SavedFile | null>()(byId),
  /** The rows that were left out when the batch was made, in the sheet's order. */
  'batches.leftOut': answers<LeftOutRows>()(z.strictObject({ id, ...page })),

  /** Reads a CSV or XLSX file that the person chooses; null if they cancel. */
  'bulk.open': answers<BulkSheet | null>()(noInput),
  /** The same for a file dropped on the window: its content, never a path. */
  'bulk.openDropped': answers<BulkSheet>()(
    z.strictObject({
      fileName: z.string().min(1).max(500),
      bytes: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength <= MAX_SHEET_BYTES)
    })
  ),
  /** Reads rows copied from a spreadsheet; without `text`, those on the clipboard. */
  'bulk.paste': answers<BulkSheet>()(z.strictObject({ text: z.string().max(MAX_SHEET_BYTES).optional() })),
  /** Opens the rows that were left out of a batch as a sheet, to fix and send them. */
  'bulk.openLeftOut': answers<BulkSheet>()(z.strictObject({ batchId: id })),
  /** Makes up rows of people for a package, or for a made-up package, to practise with; in the practice office only. */
  'bulk.trySample': answers<{ sheet: BulkSheet; name: string; composition: Composition }>()(
    z.strictObject({ composition: Composition.optional() })
  ),
  /** Opens another sheet of the same file, or the same sheet with its first row read differently. */
  'bulk.sheet': answers<BulkSheet>()(
    z.strictObject({ id, sheet: z.string().max(200), firstRow: z.enum(['headings', 'data']).optional() })
  ),
  /** How a sheet with the same headings was last matched with the same forms or templates; null if never. */
  'bulk.remembered': answers<RememberedMapping | null>()(z.strictObject({ id, composition: Composition })),
  /** Checks all rows against a composition without sending anything, and remembers how the columns were matched. */
  'bulk.check': answers<BulkCheck>()(
    z.strictObject({
      id,
      composition: Composition,
      mapping: ColumnMapping,
      /** How to read the dates of columns that could be read either way. */
      dateOrders: DateOrders.optional(),
      /** The calling code for mobile numbers without one; if absent they stay as they are. */
      countryCode: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional()
    })
  ),
  'bulk.rows': answers<{ rows: BulkRow[]; total: number }>()(z.strictObject({ id, show: rowsShown, ...page })),
  /** Puts other text in a cell, or with null its original text, and checks its row again. The file doesn't change. */
  'bulk.correct': answers<BulkCorrectionResult>()(
    z.strictObject({ id, row, column: z.number().int().min(0).max(20_000), value: z.string().max(10_000).nullable() })
  ),
  /** The next row with an error among those shown, wrapping round at the end; null if there is none. */
  'bulk.nextError': answers<{ index: number; row: BulkRow } | null>()(
    z.strictObject({ id, show: rowsShown, after: row })
  ),
  /** The package made from a row, even if it can't be sent. */
  'bulk.package': answers<Composition>()(z.strictObject({ id, row })),
  /** Makes a batch of the rows that had no errors in the latest check. */
  'bulk.send': answers<BatchView>()(
    z.strictObject({
      id,
      name,
      duplicates: z.enum(['leave-out', 'send']),
      alike: z.enum(['leave-out', 'send']),
      at: moment.optional()
    })
  ),
  'bulk.exportFailed': answers<SavedFile | null>()(byId),
  /** Saves the whole sheet with the corrections made here. */
  'bulk.exportCorrected': answers<SavedFile | null>()(byId),
  /** Saves an empty sheet with the columns for a composition, and one row as an example. */
  'bulk.saveSample': answers<SavedFile | null>()(
    z.strictObject({ composition: Composition, format: z.enum(['csv', 'xlsx']) })
  ),
  'bulk.close': answers<null>()(byId)
}
