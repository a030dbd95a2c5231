/** The requests about the counter: the queue, a session and its receipts, the staff's PIN, the counter's settings, the audit trail. */
import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import type {
  AuditCheck,
  AuditFileCheck,
  AuditKey,
  AuditPage,
  CounterEntry,
  CounterOffer,
  CounterSession,
  CounterSettings,
  IdleScreen,
  OfficeLockState,
  PinState,
  PrintedComparison,
  ReceiptCode,
  ReceiptPeople,
  StaffView
} from './counter-views.ts'
import { PERSON_LANGUAGES } from './counter-views.ts'
import { answers, byId, id, nothing, page } from './request.ts'

const reference = z.string().min(1).max(2000)
const signer = z.number().int().min(0).max(10_000)
const bounds = z.strictObject({
  x: z.number().min(0).max(100_000),
  y: z.number().min(0).max(100_000),
  width: z.number().min(0).max(100_000),
  height: z.number().min(0).max(100_000)
})
/** Digits, so that it can be given on a tablet's pad. */
const PIN = z.string().regex(/^\d{4,12}$/)
const typedPin = z.string().max(64)
/** As staff type it where they aren't the one who works here now. */
const typedName = z.string().max(100)
/** As the reader types it. */
const badge = z.string().regex(/^[!-~]{6,64}$/)
const staffName = z.string().trim().min(1).max(100)
const role = z.enum(['counter', 'clerk', 'manager', 'administrator'])
const language = z.enum(PERSON_LANGUAGES)
/** Of a session; for the office's file, or for one of its people, counted from 1. */
/** The language is of a person's own copy. */
const receipt = z.strictObject({
  session: id,
  copy: z.union([z.literal('file'), z.int().min(1).max(500)]),
  language: z.enum(PERSON_LANGUAGES).optional()
})
/** A passport or an identity card as staff typed it, where it has no lines that a machine reads; main says what can be used of it. */
const printed = z.strictObject({
  name: z.string().max(300),
  number: z.string().max(100),
  /** As it is printed; empty where it has none. */
  expires: z.string().max(40)
})
const seconds = z.number().int().min(5).max(3600)

export const counterRequests = {
  /** Who can sign here now: today's appointments first, then next due first. */
  'counter.queue': answers<CounterEntry[]>()(nothing),
  /** Pins an appointment of today, until midnight, or unpins it. */
  'counter.pinEntry': answers<null>()(z.strictObject({ documentReference: reference, signer, isToday: z.boolean() })),
  /** Reads the documents from the service first. */
  'counter.offer': answers<CounterOffer>()(z.strictObject({ documentReference: reference, signer })),
  /** Compares what is printed on a passport or an identity card with the signer. Nothing of it is kept. */
  'counter.compareDocument': answers<PrintedComparison>()(
    z.strictObject({ documentReference: reference, signer, printed })
  ),
  /** Begins a session with a first handover. Nothing is loaded until the person has the screen. */
  'counter.start': answers<CounterSession>()(
    z.strictObject({
      turns: z
        .array(
          z.strictObject({
            documentReference: reference,
            signer,
            /** The ids of the evidence that staff has seen of this person. */
            evidence: z.array(id).max(100),
            /** What staff was told of comparing their name with a passport or an identity card. */
            compared: z.enum(['matches', 'differs']).optional(),
            /** That document, where staff typed what is printed on it: main compares it once more. */
            printed: printed.optional(),
            /** Of one whose machine-readable lines were read, where the policy has more kept than that it was compared. */
            document: z
              .strictObject({ number: z.string().regex(/^[A-Z0-9]{1,22}$/), expires: z.iso.date().optional() })
              .optional()
          })
        )
        .min(1)
        .max(500),
      allowsCamera: z.boolean()
    })
  ),
  'counter.state': answers<CounterSession | null>()(nothing),
  /** The person has the screen: their page is loaded. */
  'counter.begin': answers<CounterSession>()(byId),
  /** Shows the signing page at these bounds of the window that asks, in CSS pixels. */
  'counter.show': answers<CounterSession>()(z.strictObject({ id, bounds })),
  /** Over the page, as the person asks; and, at a handover, for anyone who it isn't meant for: then staff has to come. */
  'counter.cover': answers<CounterSession>()(
    z.strictObject({ id, why: z.enum(['moment', 'help', 'finish', 'stop', 'not-me']) })
  ),
  /** Takes the person's own cover away. */
  'counter.resume': answers<CounterSession>()(byId),
  /** The person lets the page that asks use the devices that staff has allowed, and the pages of their turns that follow. */
  'counter.allowCamera': answers<CounterSession>()(byId),
  /** Gives the page that asks for one a file of those that staff opened for this turn. */
  'counter.giveFile': answers<CounterSession>()(z.strictObject({ id, file: z.uuid() })),
  /** Closes and wipes the signing page, then asks the service what became of it. */
  'counter.finish': answers<CounterSession>()(byId),
  /** From what became of a document, or a turn that failed, to the next. */
  'counter.next': answers<CounterSession>()(byId),
  /** A turn that failed, or that the service has no signature of yet, once more. */
  'counter.retry': answers<CounterSession>()(byId),
  'counter.zoom': answers<CounterSession>()(z.strictObject({ id, factor: z.number().min(0.5).max(3) })),
  /** How the person wants the screen from now on. */
  'counter.adjust': answers<CounterSession>()(
    z.strictObject({
      id,
      language: language.optional(),
      textSize: z.union([z.literal(1), z.literal(1.5), z.literal(2)]).optional(),
      highContrast: z.boolean().optional(),
      moreTime: z.boolean().optional()
    })
  ),
  /** Someone is there: our own page was touched. */
  'counter.touched': answers<null>()(byId),
  /** Staff gives their PIN: a cover then offers what staff can do; a screen that comes back is staff's again. */
  'counter.unlock': answers<CounterSession>()(z.strictObject({ id, pin: typedPin, name: typedName.optional() })),
  /** What staff does after the PIN, or from their own screen while the person has the second display. */
  'counter.staff': answers<CounterSession | null>()(
    z.strictObject({
      id,
      does: z.enum([
        'answer',
        'cover',
        'continue',
        'end',
        'allow-camera',
        'refuse-camera',
        'print',
        'save',
        'open-files',
        'open-folder'
      ])
    })
  ),
  /** Staff has seen what became of it. */
  'counter.close': answers<null>()(byId),

  /** The receipt of the person who has just finished, as far as the office offers one. */
  'counter.receipt': answers<ReceiptCode>()(byId),

  'counter.pin': answers<PinState>()(nothing),
  /** Sets the first PIN, replaces the one that is given as `current`, or, after a reset was allowed, a forgotten one. */
  'counter.setPin': answers<PinState>()(
    z.strictObject({ pin: PIN, current: typedPin.optional(), name: typedName.optional() })
  ),
  /** The PIN was forgotten: anyone who signs in to this computer next may set a new one. */
  'counter.resetPin': answers<PinState>()(nothing),

  'counter.lock': answers<OfficeLockState>()(nothing),
  /** Locks the office's own window, as staff leaves it; `no-pin` where nothing could open it again. */
  'counter.lockOffice': answers<OfficeLockState>()(nothing),
  /** Staff gives their PIN to open the office's own window; harmless where it isn't locked. */
  'counter.unlockOffice': answers<OfficeLockState>()(z.strictObject({ pin: typedPin, name: typedName.optional() })),

  'counter.staffList': answers<StaffView>()(nothing),
  /** Someone else of staff works here from now on, as they prove. */
  'counter.chooseStaff': answers<StaffView>()(z.strictObject({ name: typedName, pin: typedPin })),
  /** Opens the counter's settings for some minutes, with an administrator's PIN. */
  'counter.openSettings': answers<StaffView>()(z.strictObject({ name: typedName.optional(), pin: typedPin })),
  'counter.closeSettings': answers<StaffView>()(nothing),
  /** The first who is added makes the owner of the one PIN an administrator. */
  'counter.addStaff': answers<StaffView>()(
    z.strictObject({ name: staffName, role, pin: PIN, badge: badge.optional() })
  ),
  /** `pin` replaces a forgotten one, null takes a badge away. */
  'counter.changeStaff': answers<StaffView>()(
    z.strictObject({
      id,
      name: staffName.optional(),
      role: role.optional(),
      pin: PIN.optional(),
      badge: badge.nullable().optional()
    })
  ),
  'counter.removeStaff': answers<StaffView>()(byId),
  /** Which packages wait for a second person; null for none. */
  'counter.needRelease': answers<StaffView>()(
    z.strictObject({ release: z.strictObject({ above: z.int().min(0).max(1000) }).nullable() })
  ),

  'counter.settings': answers<CounterSettings>()(nothing),
  'counter.configure': answers<CounterSettings>()(
    z.strictObject({
      staffName: z.string().trim().max(100).optional(),
      evidence: z
        .array(z.strictObject({ id, text: z.string().trim().min(1).max(200), isRequired: z.boolean() }))
        .max(50)
        .optional(),
      idleText: z.string().trim().max(500).optional(),
      /** Only to take it away; `counter.chooseLogo` sets it. */
      logo: z.null().optional(),
      fullScreen: z.boolean().optional(),
      useOtherDisplay: z.boolean().optional(),
      idle: z.strictObject({ warnAfter: seconds, coverAfter: seconds, endAfter: seconds }).optional(),
      lockAfter: z.number().int().min(0).max(480).optional(),
      allowedOrigins: z.array(z.string().trim().min(1).max(300)).max(50).optional(),
      mayKeepPages: z.boolean().optional(),
      languages: z.array(language).max(PERSON_LANGUAGES.length).optional(),
      moreTime: z.number().int().min(1).max(10).optional(),
      mayGiveFiles: z.boolean().optional(),
      camera: z.string().max(300).optional(),
      receipt: z.enum(['never', 'on-request', 'always']).optional(),
      waitingRoom: z
        .strictObject({
          counterName: z.string().trim().max(60),
          noShowAfter: z.number().int().min(5).max(240),
          callSound: z.boolean(),
          /** Those that stay, in their order; `counter.addPictures` adds some. */
          pictures: z.array(id).max(8)
        })
        .optional()
    })
  ),
  /** The page that asks may use the camera, to show staff a picture, until it says that it is done; `not-allowed` where the system forbids it. */
  'counter.openCamera': answers<null>()(nothing),
  'counter.closeCamera': answers<null>()(nothing),
  /** A person chooses the picture; null where they thought better of it. */
  'counter.chooseLogo': answers<CounterSettings | null>()(nothing),
  /** A person chooses pictures for the second display; null where they thought better of it. */
  'counter.addPictures': answers<CounterSettings | null>()(nothing),
  'counter.idleScreen': answers<IdleScreen>()(nothing),
  /** One of its pictures, as a data URL; null where it is gone. */
  'counter.idlePicture': answers<string | null>()(byId),

  /** Whose receipts can be made of a session, from the audit trail. */
  'receipts.people': answers<ReceiptPeople>()(z.strictObject({ session: id })),
  /** On the default printer. */
  'receipts.print': answers<{ number: string }>()(receipt),
  /** Writes it where the person says; null where they thought better of it. */
  'receipts.save': answers<(SavedFile & { number: string }) | null>()(receipt),

  /** Newest first. */
  'audit.list': answers<AuditPage>()(z.strictObject({ search: z.string().max(200), ...page })),
  'audit.check': answers<AuditCheck>()(nothing),
  /** What the check at the start of the application found, once it has; null before. */
  'audit.checkAtStart': answers<AuditCheck | null>()(nothing),
  /** Writes the whole trail with its chain where the person says, and its signature beside it; null where they thought better of it. */
  'audit.export': answers<SavedFile | null>()(z.strictObject({ format: z.enum(['xlsx', 'csv', 'json']) })),
  /** A person chooses an exported file; null where they thought better of it. */
  'audit.checkFile': answers<AuditFileCheck | null>()(nothing),
  /** The key that exports are signed with; made with the first question. */
  'audit.key': answers<AuditKey>()(nothing),
  /** Its fingerprint on a page with the office and the date, on the default printer. */
  'audit.printKey': answers<null>()(nothing),
  /** Writes its public part where the person says; null where they thought better of it. */
  'audit.saveKey': answers<SavedFile | null>()(nothing)
}
