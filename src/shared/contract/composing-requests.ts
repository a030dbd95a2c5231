/** The requests about composing and sending: drafts, presets, the outbox, batches, and what is offered while one types. */
import { z } from 'zod'
import { ColumnMapping, DateOrders } from '../composition/bulk-columns.ts'

import { Composition, LONGEST_VALUE, MOST_VALUES } from '../composition/composition.ts'
import { KEPT_BY_ANOTHER } from '../composition/preset.ts'
import type {
  BatchView,
  BulkCheck,
  BulkCorrected,
  BulkRow,
  BulkSheet,
  DraftList,
  DraftSummary,
  DraftVersion,
  DraftView,
  Imported,
  OutboxView,
  OutsideView,
  PeopleList,
  PersonView,
  PresetSummary,
  PresetView,
  RememberedForm,
  RememberedMapping,
  SameSend,
  SavedFile,
  SendList,
  SendView
} from './composing-views.ts'
import { answers, byId, id, nothing, page } from './request.ts'

/** How long the trash keeps a draft. */
export const TRASH_DAYS = 30

/** Of a sheet's file, or of the text that is pasted. */
export const MOST_SHEET_BYTES = 50 * 1024 * 1024
/** What is said of more. @param size in bytes. */
export function tooLargeSheet(size: number): string {
  const megabytes = Math.ceil(size / 1024 / 1024).toLocaleString('en-GB')
  return `This file is ${megabytes} MB; the limit is ${MOST_SHEET_BYTES / 1024 / 1024} MB. Keep only the columns you need, or split it.`
}

const search = z.string().max(200)
const rowsShown = z.enum(['all', 'errors', 'warnings', 'duplicates', 'alike', 'corrected'])
/** A row of the open sheet, as the spreadsheet counts. */
const row = z.number().int().min(1).max(2_000_000_000)
const ids = z.array(id).min(1).max(500)
const name = z.string().trim().min(1).max(200)
/** Milliseconds since 1970 UTC. */
const moment = z.number().int().min(0).max(8_640_000_000_000_000)

export const composingRequests = {
  /** People this office has sent to, and those of the service's recipient lists, best match first. */
  'people.find': answers<PersonView[]>()(z.strictObject({ text: search, limit: z.number().int().min(1).max(50) })),
  /** Those this office has sent to, whom it sent to last first. */
  'people.list': answers<PeopleList>()(z.strictObject({ search, ...page })),
  /** Takes everyone at an address out of the address book of this workstation, or the one of this name alone. */
  'people.forget': answers<null>()(
    z.strictObject({
      email: z.string().min(1).max(400),
      name: z.strictObject({ FirstName: z.string().max(400), LastName: z.string().max(400) }).optional()
    })
  ),
  /**
   * Values that this office has used in a field before: those that it put in an order, then the newest first. See
   * composition/composition.ts for the fields.
   */
  'remembered.values': answers<string[]>()(z.strictObject({ field: z.string().min(1).max(500) })),
  /** The choices of a template's field, as the office puts them; answers them as they are offered from then on. */
  'remembered.keepChoices': answers<string[]>()(
    z.strictObject({
      /** As `rememberedChoice` makes it: the values of other fields are only ever remembered. */
      // @wc-ignore
      field: z.string().startsWith('Choice ').max(500),
      choices: z.array(z.string().trim().min(1).max(LONGEST_VALUE)).max(MOST_VALUES)
    })
  ),
  /** Forms that this office has sent before, newest first. */
  'remembered.forms': answers<RememberedForm[]>()(nothing),

  /** Drafts whose text has all the words of `search`, newest first. */
  'drafts.list': answers<DraftList>()(z.strictObject({ search, trashed: z.boolean(), ...page })),
  /** toSend: it is refused where it can't be sent as it is now. */
  'drafts.get': answers<DraftView>()(byId.extend({ toSend: z.boolean().optional() })),
  /**
   * Durable when it answers. Without an id a new draft is made; with `newId` it gets that one, however often the same
   * first save comes. `edition`: which one of a shared draft it goes on from (see `DraftOffice`); where that isn't the one that counts, it
   * is kept beside that.
   */
  'drafts.save': answers<DraftSummary>()(
    z.strictObject({
      id: id.optional(),
      newId: z.uuid().optional(),
      composition: Composition,
      edition: z.int().min(0).optional()
    })
  ),
  /** Puts a draft in the trash, where it stays for 30 days. */
  'drafts.remove': answers<null>()(byId),
  'drafts.restore': answers<DraftSummary>()(byId),
  /** Takes a draft out of the trash for ever. */
  'drafts.erase': answers<null>()(byId),
  'drafts.emptyTrash': answers<{ erased: number }>()(nothing),
  'drafts.duplicate': answers<DraftSummary>()(byId),
  /** Earlier versions, newest first. */
  'drafts.history': answers<DraftVersion[]>()(byId),
  'drafts.version': answers<{ composition: Composition }>()(z.strictObject({ id, version: id })),
  /** Makes an earlier version the present one; the present one becomes a version itself. */
  'drafts.goBack': answers<DraftView>()(z.strictObject({ id, version: id })),
  /** An editor has it: where an office shares it, it is held for the one who types there, until `drafts.leave`. */
  'drafts.edit': answers<null>()(byId),
  'drafts.leave': answers<null>()(byId),
  /** Of a draft that someone works on at another workstation: goes on here. `offline` while the office's server is away. */
  'drafts.takeOver': answers<DraftView>()(byId),
  /** Makes a draft this workstation's own, or the office's. `conflict` where another workstation made it, or someone works on it there. */
  'drafts.setWhose': answers<DraftSummary>()(z.strictObject({ id, whose: z.enum(['mine', 'office']) })),
  /** Of several versions, the draft counts as it is. `offline` while the office's server is away. */
  'drafts.settle': answers<null>()(byId),
  /** Saves drafts as a `.countersign` file where the person says; null where they think better of it. */
  'drafts.export': answers<SavedFile | null>()(z.strictObject({ ids })),

  'presets.list': answers<PresetSummary[]>()(nothing),
  'presets.get': answers<PresetView>()(byId),
  /** Without an id a new preset is made. */
  'presets.save': answers<PresetSummary>()(z.strictObject({ id: id.optional(), name, composition: Composition })),
  'presets.rename': answers<PresetSummary>()(z.strictObject({ id, name })),
  'presets.remove': answers<null>()(byId),
  'presets.export': answers<SavedFile | null>()(z.strictObject({ ids })),
  /** Reads `.countersign` files that the person chooses, drafts and presets alike; null where they choose none. */
  'exchange.import': answers<Imported | null>()(nothing),
  /** What links and opened files ask for, oldest first; `outside.changed` tells. Nothing of it is kept yet. */
  'outside.list': answers<OutsideView[]>()(nothing),
  /** Makes the draft, or imports the file, in the account that is worked in. Sends nothing. */
  'outside.accept': answers<Imported>()(byId),
  'outside.dismiss': answers<null>()(byId),

  /** Puts a draft in the outbox: it goes after the time to take it back, or at `at`. */
  'sends.start': answers<SendView>()(z.strictObject({ draftId: id, at: moment.optional() })),
  /** Lets a waiting send go without waiting any longer. */
  'sends.now': answers<SendView>()(byId),
  /** Lets one go that waits for another of staff; `not-allowed` to who put it in the outbox. */
  'sends.release': answers<SendView>()(byId),
  /** Has such a one stay, until it is taken back. */
  'sends.refuse': answers<SendView>()(z.strictObject({ id, reason: z.string().trim().min(1).max(500) })),
  /** Takes a send that has not left out of the outbox: it is a draft again. */
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
  /** Asks the service what became of an uncertain send. */
  'sends.reconcile': answers<SendView>()(byId),
  /** The person settles a doubt: it arrived, as these documents; or it did not. */
  'sends.settle': answers<SendView>()(
    z.discriminatedUnion('arrived', [
      z.strictObject({ id, arrived: z.literal(true), documents: z.array(z.string().min(1).max(2000)).min(1).max(200) }),
      z.strictObject({ id, arrived: z.literal(false) })
    ])
  ),
  /** Lets a send that was refused or did not arrive go again as it is. */
  'sends.retry': answers<SendView>()(byId),
  /** Makes a draft of a send: the same one where it didn't reach its goal, a copy where it did ("send again as new"). */
  'sends.again': answers<DraftSummary>()(byId),
  /** Makes a draft like a send, without its people or with them; sends nothing. */
  'sends.another': answers<DraftSummary>()(z.strictObject({ id, keeps: z.enum(KEPT_BY_ANOTHER) })),
  /** When the same was sent last, to the same people and with the same data, in the last 30 days; null if it wasn't. */
  'sends.sameSent': answers<SameSend | null>()(z.strictObject({ composition: Composition })),

  'outbox.state': answers<OutboxView>()(nothing),
  'outbox.pause': answers<OutboxView>()(nothing),
  'outbox.resume': answers<OutboxView>()(nothing),
  'outbox.configure': answers<OutboxView>()(
    z.strictObject({
      concurrency: z.number().int().min(1).max(4).optional(),
      /** Packages a minute at most; null for as fast as they go. */
      perMinute: z.number().int().min(1).max(600).nullable().optional(),
      undoSeconds: z.number().int().min(0).max(60).optional()
    })
  ),
  'batches.list': answers<BatchView[]>()(nothing),
  'batches.pause': answers<BatchView>()(byId),
  /** As `sends.release`, all of the batch that wait for it. */
  'batches.release': answers<BatchView>()(byId),
  'batches.resume': answers<BatchView>()(byId),
  /** What of the batch has not left stays here for good. */
  'batches.cancel': answers<BatchView>()(byId),
  /** Lets those of the batch go again that did not arrive. */
  'batches.retry': answers<BatchView>()(byId),
  /** Saves the rows that were left out, refused or didn't arrive, with why, to be fixed and imported again. */
  'batches.exportFailed': answers<SavedFile | null>()(byId),

  /** Reads a CSV or XLSX file that the person chooses; null where they choose none. */
  'bulk.open': answers<BulkSheet | null>()(nothing),
  /** The same of a file that was dropped on the window: what is in it, and no path. */
  'bulk.openDropped': answers<BulkSheet>()(
    z.strictObject({
      fileName: z.string().min(1).max(500),
      bytes: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength <= MOST_SHEET_BYTES)
    })
  ),
  /** Rows that were copied in a spreadsheet; without their text those that are on the clipboard. */
  'bulk.paste': answers<BulkSheet>()(z.strictObject({ text: z.string().max(MOST_SHEET_BYTES).optional() })),
  /** Rows with made-up people for a package, or for one that is made up too, to try it with: in the practice office only. */
  'bulk.practise': answers<{ sheet: BulkSheet; name: string; composition: Composition }>()(
    z.strictObject({ composition: Composition.optional() })
  ),
  /** Another sheet of the same file, or the same with its first row read otherwise. */
  'bulk.sheet': answers<BulkSheet>()(
    z.strictObject({ id, sheet: z.string().max(200), firstRow: z.enum(['headings', 'data']).optional() })
  ),
  /** How a sheet with the same headings was matched last with the same forms or templates; null where none was. */
  'bulk.remembered': answers<RememberedMapping | null>()(z.strictObject({ id, composition: Composition })),
  /** Tries all rows on a composition, without sending anything; and remembers how the columns were matched. */
  'bulk.check': answers<BulkCheck>()(
    z.strictObject({
      id,
      composition: Composition,
      mapping: ColumnMapping,
      /** How dates of columns are read that could be read either way. */
      dateOrders: DateOrders.optional(),
      /** The calling code of mobile numbers that have none; absent to leave them as they are. */
      countryCode: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional()
    })
  ),
  'bulk.rows': answers<{ rows: BulkRow[]; total: number }>()(z.strictObject({ id, show: rowsShown, ...page })),
  /** Puts other text in a cell, or with null back what it said, and checks its row again. The file stays as it is. */
  'bulk.correct': answers<BulkCorrected>()(
    z.strictObject({ id, row, column: z.number().int().min(0).max(20_000), value: z.string().max(10_000).nullable() })
  ),
  /** The next row with an error among those that are shown, from the beginning again after the last; null where none has. */
  'bulk.nextError': answers<{ index: number; row: BulkRow } | null>()(
    z.strictObject({ id, show: rowsShown, after: row })
  ),
  /** The package that a row makes, also where it can't go. */
  'bulk.package': answers<Composition>()(z.strictObject({ id, row })),
  /** Makes a batch of the rows without errors, as they were checked last. */
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
  /** Saves the whole sheet as it is now, with what was corrected here. */
  'bulk.exportCorrected': answers<SavedFile | null>()(byId),
  /** Saves an empty sheet with the columns that fit a composition, and one row to show how they are filled in. */
  'bulk.saveSample': answers<SavedFile | null>()(
    z.strictObject({ composition: Composition, format: z.enum(['csv', 'xlsx']) })
  ),
  'bulk.close': answers<null>()(byId)
}
