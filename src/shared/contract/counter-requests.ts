/**
 * Requests for the counter: the queue, a session and its receipts, the staff PIN, the counter's settings, the audit
 * trail.
 */
import { z } from 'zod'
import type { AuditCheck, AuditFileCheck, AuditKey, AuditPage } from './audit-views.ts'
import type { SavedFile } from './composing-views.ts'
import type {
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
import { answers, byId, id, noInput, page } from './request.ts'

const reference = z.string().min(1).max(2000)
const signer = z.number().int().min(0).max(10_000)
const bounds = z.strictObject({
  x: z.number().min(0).max(100_000),
  y: z.number().min(0).max(100_000),
  width: z.number().min(0).max(100_000),
  height: z.number().min(0).max(100_000)
})
/** Digits only, so that it can be entered on a tablet's number pad. */
const PIN = z.string().regex(/^\d{4,12}$/)
const typedPin = z.string().max(64)
/** The name that staff enter if they aren't the current staff member. */
const typedName = z.string().max(100)
/** As the badge reader types it. */
const badge = z.string().regex(/^[!-~]{6,64}$/)
const staffName = z.string().trim().min(1).max(100)
const role = z.enum(['counter', 'clerk', 'manager', 'administrator'])
const language = z.enum(PERSON_LANGUAGES)
/**
 * A receipt of a session: the copy for the office's file, or for one of its people, counted from 1. `language` is for a
 * person's own copy.
 */
const receipt = z.strictObject({
  session: id,
  copy: z.union([z.literal('file'), z.int().min(1).max(500)]),
  language: z.enum(PERSON_LANGUAGES).optional()
})
/**
 * A passport or identity card without machine-readable lines, as staff typed it; the main process decides what is
 * usable.
 */
const printed = z.strictObject({
  name: z.string().max(300),
  number: z.string().max(100),
  /** As printed; empty if it has none. */
  expires: z.string().max(40)
})
const seconds = z.number().int().min(5).max(3600)

export const counterRequests = {
  /** Who can sign here now: today's appointments first, then by due date. */
  'counter.queue': answers<CounterEntry[]>()(noInput),
  /** Pins an entry as an appointment until midnight, or unpins it. */
  'counter.pinEntry': answers<null>()(z.strictObject({ documentReference: reference, signer, isToday: z.boolean() })),
  /** Reads the documents from the service first. */
  'counter.offer': answers<CounterOffer>()(z.strictObject({ documentReference: reference, signer })),
  /** Compares what is printed on a passport or identity card with the signer. Nothing of it is stored. */
  'counter.compareDocument': answers<PrintedComparison>()(
    z.strictObject({ documentReference: reference, signer, printed })
  ),
  /** Starts a session with a first handover. Nothing is loaded until the person has the screen. */
  'counter.start': answers<CounterSession>()(
    z.strictObject({
      turns: z
        .array(
          z.strictObject({
            documentReference: reference,
            signer,
            /** The ids of the evidence that staff have seen from this person. */
            evidence: z.array(id).max(100),
            /**
             * The result that staff were shown when their name was compared with a passport or identity card. The main
             * process compares it itself, and refuses another result.
             */
            compared: z.enum(['matches', 'differs']).optional(),
            /** That document, if staff typed what is printed on it. */
            printed: printed.optional(),
            /** Its machine-readable lines, if they were read. Nothing of them is kept but what the policy says. */
            lines: z.string().max(300).optional()
          })
        )
        .min(1)
        .max(500),
      allowsCamera: z.boolean()
    })
  ),
  'counter.state': answers<CounterSession | null>()(noInput),
  /** The person has the screen: loads their page. */
  'counter.begin': answers<CounterSession>()(byId),
  /** Shows the signing page at these bounds of the requesting window, in CSS pixels. */
  'counter.show': answers<CounterSession>()(z.strictObject({ id, bounds })),
  /**
   * Covers the page at the person's request. At a handover, `not-me` says that the screen was given to the wrong
   * person: staff have to come.
   */
  'counter.cover': answers<CounterSession>()(
    z.strictObject({ id, why: z.enum(['moment', 'help', 'finish', 'stop', 'not-me']) })
  ),
  /** Removes the cover that the person asked for. */
  'counter.resume': answers<CounterSession>()(byId),
  /**
   * The person lets the requesting page, and the pages of their later turns, use the devices that staff have allowed.
   */
  'counter.allowCamera': answers<CounterSession>()(byId),
  /** Gives the page that asks for a file one of those that staff opened for this turn. */
  'counter.giveFile': answers<CounterSession>()(z.strictObject({ id, file: z.uuid() })),
  /** Closes and wipes the signing page, then asks the service for the result. */
  'counter.finish': answers<CounterSession>()(byId),
  /** Continues to the next turn after a result or a failure; `stops` leaves out what this person has still to sign. */
  'counter.next': answers<CounterSession>()(z.strictObject({ id, stops: z.boolean().optional() })),
  /** Tries a turn again that failed, or for which the service has no signature yet. */
  'counter.retry': answers<CounterSession>()(byId),
  'counter.zoom': answers<CounterSession>()(z.strictObject({ id, factor: z.number().min(0.5).max(3) })),
  /** Sets the person's display preferences. */
  'counter.adjust': answers<CounterSession>()(
    z.strictObject({
      id,
      language: language.optional(),
      textSize: z.union([z.literal(1), z.literal(1.5), z.literal(2)]).optional(),
      highContrast: z.boolean().optional(),
      moreTime: z.boolean().optional()
    })
  ),
  /** Resets the idle timer: our own page was touched. */
  'counter.touched': answers<null>()(byId),
  /** Staff enter their PIN. A cover then shows the staff actions; a returned screen is staff's again. */
  'counter.unlock': answers<CounterSession>()(z.strictObject({ id, pin: typedPin, name: typedName.optional() })),
  /** What staff do after entering the PIN, or from their own screen while the person has the second display. */
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
  /** Staff have seen the result. */
  'counter.close': answers<null>()(byId),

  /** The receipt of the person who has just finished, if the office offers one. */
  'counter.receipt': answers<ReceiptCode>()(byId),

  'counter.pin': answers<PinState>()(noInput),
  /** Sets the first PIN, replaces the PIN given as `current`, or, once a reset is allowed, a forgotten one. */
  'counter.setPin': answers<PinState>()(
    z.strictObject({ pin: PIN, current: typedPin.optional(), name: typedName.optional() })
  ),
  /** Requests a reset of a forgotten PIN: the next person who signs in to this computer may set a new one. */
  'counter.resetPin': answers<PinState>()(noInput),

  'counter.lock': answers<OfficeLockState>()(noInput),
  /** Locks the office window as staff leave it; `no-pin` if nothing could unlock it. */
  'counter.lockOffice': answers<OfficeLockState>()(noInput),
  /** Unlocks the office window with a staff PIN; harmless if it isn't locked. */
  'counter.unlockOffice': answers<OfficeLockState>()(z.strictObject({ pin: typedPin, name: typedName.optional() })),

  'counter.staffList': answers<StaffView>()(noInput),
  /** Makes another member of staff the current one, as proved by their PIN. */
  'counter.chooseStaff': answers<StaffView>()(z.strictObject({ name: typedName, pin: typedPin })),
  /** Opens the counter's settings for some minutes with an administrator's PIN. */
  'counter.openSettings': answers<StaffView>()(z.strictObject({ name: typedName.optional(), pin: typedPin })),
  'counter.closeSettings': answers<StaffView>()(noInput),
  /** Adding the first member makes the owner of the single PIN an administrator. */
  'counter.addStaff': answers<StaffView>()(
    z.strictObject({ name: staffName, role, pin: PIN, badge: badge.optional(), ownName: staffName.optional() })
  ),
  /** `pin` replaces a forgotten one; a null badge removes it. */
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
  /** Sets which packages need a second person's release; null for none. */
  'counter.setReleaseNeeded': answers<StaffView>()(
    z.strictObject({ release: z.strictObject({ above: z.int().min(0).max(1000) }).nullable() })
  ),

  'counter.settings': answers<CounterSettings>()(noInput),
  'counter.configure': answers<CounterSettings>()(
    z.strictObject({
      staffName: z.string().trim().max(100).optional(),
      evidence: z
        .array(z.strictObject({ id, text: z.string().trim().min(1).max(200), isRequired: z.boolean() }))
        .max(50)
        .optional(),
      idleText: z.string().trim().max(500).optional(),
      /** Only to remove it; `counter.chooseLogo` sets it. */
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
          /** The pictures to keep, in order; `counter.addPictures` adds more. */
          pictures: z.array(id).max(8)
        })
        .optional()
    })
  ),
  /**
   * Lets the requesting page use the camera to show staff a picture until it says it is done; `not-allowed` if the
   * system forbids it.
   */
  'counter.openCamera': answers<null>()(noInput),
  'counter.closeCamera': answers<null>()(noInput),
  /** Lets a person choose the picture; null if they cancel. */
  'counter.chooseLogo': answers<CounterSettings | null>()(noInput),
  /** Lets a person choose pictures for the second display; null if they cancel. */
  'counter.addPictures': answers<CounterSettings | null>()(noInput),
  'counter.idleScreen': answers<IdleScreen>()(noInput),
  /** One of its pictures as a data URL; null if it no longer exists. */
  'counter.idlePicture': answers<string | null>()(byId),

  /** The people of a session for whom receipts can be made, from the audit trail. */
  'receipts.people': answers<ReceiptPeople>()(z.strictObject({ session: id })),
  /** Prints on the default printer. */
  'receipts.print': answers<{ number: string }>()(receipt),
  /** Saves at a location the person chooses; null if they cancel. */
  'receipts.save': answers<(SavedFile & { number: string }) | null>()(receipt),

  /** Newest first. */
  'audit.list': answers<AuditPage>()(z.strictObject({ search: z.string().max(200), ...page })),
  'audit.check': answers<AuditCheck>()(noInput),
  /** The result of the check at startup; null until it is done. */
  'audit.checkAtStart': answers<AuditCheck | null>()(noInput),
  /**
   * Saves the whole trail with its hash chain at a location the person chooses, and its signature next to it; null if
   * they cancel.
   */
  'audit.export': answers<SavedFile | null>()(z.strictObject({ format: z.enum(['xlsx', 'csv', 'json']) })),
  /** Lets a person choose an exported file; null if they cancel. */
  'audit.checkFile': answers<AuditFileCheck | null>()(noInput),
  /** The key that signs exports; created when first asked for. */
  'audit.key': answers<AuditKey>()(noInput),
  /** Prints its fingerprint with the office and the date on the default printer. */
  'audit.printKey': answers<null>()(noInput),
  /** Saves its public part at a location the person chooses; null if they cancel. */
  'audit.saveKey': answers<SavedFile | null>()(noInput)
}
