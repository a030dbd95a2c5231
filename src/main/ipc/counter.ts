/**
 * Requests about the counter: its sessions, in which a signer's input is accepted only from the page that the signer
 * has, and the office's settings for it.
 */
import { buffer } from 'node:stream/consumers'
import type { CounterEntry, CounterSession, IdleCall, StaffView } from '../../shared/contract/index.ts'
import type { NoteInAudit } from '../core/audit/audit.ts'
import type { CameraTest } from '../core/counter/camera-test.ts'
import type { Counter } from '../core/counter/counter.ts'
import type { CounterSettingsKeeper } from '../core/counter/counter-settings.ts'
import { MAX_PICTURES, PICTURE_LIMITS } from '../core/counter/idle-pictures.ts'
import { MAX_LOGO_BYTES } from '../core/counter/logo.ts'
import type { OfficeLock } from '../core/counter/office-lock.ts'
import type { SettingsAccess } from '../core/counter/settings-access.ts'
import type { Staff } from '../core/counter/staff.ts'
import { refusePin } from '../core/counter/staff-actions.ts'
import { fail } from '../core/lib/failure.ts'
import { defined } from '../core/lib/objects.ts'
import type { Time } from '../core/lib/time.ts'
import { openChosen } from '../core/storage/chosen-file.ts'
import { KeychainError } from '../core/storage/keychain.ts'
import type { Dialogs, FileKind } from './dialogs.ts'
import type { HandlersOf, RequestContext, RequestHandlers } from './registration.ts'

/**
 * Wraps a handler that takes a PIN: if the keychain was unavailable at the start, checks it again and retries.
 * @param recheck returns whether it is back.
 */
export function withKeychainRetry(recheck: () => Promise<boolean>) {
  return <Name extends string, Handlers extends Record<Name, (...args: never[]) => Promise<unknown>>>(
    handlers: Handlers,
    name: Name
  ): Handlers => ({
    ...handlers,
    [name]: (...args: never[]) =>
      handlers[name](...args).catch(async (error: unknown) => {
        if (!(error instanceof KeychainError) || !(await recheck())) throw error
        return handlers[name](...args)
      })
  })
}

/** Returns the handlers for counter sessions. @param shown the accounts whose queues are listed. */
export function counterHandlers(
  counter: Counter,
  shown: () => readonly string[]
): Omit<HandlersOf<'counter'>, keyof CounterSettingsHandlers> {
  /** Whether the request comes from the page where the person signs. */
  function isFromSigner({ from }: RequestContext): boolean {
    const place = counter.state()?.place ?? 'here'
    return from === (place === 'here' ? 'office' : 'person')
  }

  /** @throws AppFailure `not-allowed` if another of our pages asks: the signer's bounds and touches aren't its own. */
  function forSigner(context: RequestContext): Counter {
    return isFromSigner(context) ? counter : fail('not-allowed', 'The signer is on the other screen.')
  }

  /** Wraps a request from the signer's own page; the answer is filtered by `visibleTo`. */
  function signerRequest<Input extends { id: string }>(act: (of: Counter, input: Input) => Promise<CounterSession>) {
    return async (input: Input, context: RequestContext) => visibleTo(context, await act(forSigner(context), input))
  }

  return {
    'counter.queue': async () => {
      const [queue = [], ...others] = await Promise.all(shown().map((accountId) => counter.queue(accountId)))
      // Each list is already in this order: entries for today first, then by due date.
      const inOrder = (one: CounterEntry, other: CounterEntry) =>
        Number(other.isToday) - Number(one.isToday) ||
        (one.due?.at ?? Number.POSITIVE_INFINITY) - (other.due?.at ?? Number.POSITIVE_INFINITY) ||
        0
      return others.length === 0 ? queue : [...queue, ...others.flat()].sort(inOrder)
    },
    'counter.pinEntry': async (entry) => counter.pinEntry(entry),
    'counter.offer': ({ documentReference, signer }) => counter.offer(documentReference, signer),
    'counter.compareDocument': (input) => counter.compareDocument(input),
    'counter.start': (wanted) => counter.start(wanted),
    // The second display learns of a session only while a person signs on it.
    'counter.state': async (_nothing, context) => {
      const state = counter.state()
      if (context.from === 'person' && (!isFromSigner(context) || state?.phase === 'ended')) return null
      return state && visibleTo(context, state)
    },
    'counter.begin': signerRequest((of, { id }) => of.begin(id)),
    'counter.show': signerRequest(async (of, { id, bounds }) => of.show(id, bounds)),
    'counter.cover': signerRequest((of, { id, why }) => of.cover(id, why)),
    'counter.resume': signerRequest((of, { id }) => of.resume(id)),
    'counter.allowCamera': signerRequest((of, { id }) => of.allowCamera(id)),
    'counter.giveFile': signerRequest((of, { id, file }) => of.giveFile(id, file)),
    'counter.finish': signerRequest((of, { id }) => of.finish(id)),
    'counter.next': signerRequest((of, { id, stops }) => of.next(id, stops)),
    'counter.retry': signerRequest((of, { id }) => of.retry(id)),
    'counter.zoom': signerRequest((of, { id, factor }) => of.zoom(id, factor)),
    'counter.adjust': signerRequest(async (of, { id, ...changes }) => of.adjust(id, defined(changes))),
    'counter.touched': async ({ id }, context) => forSigner(context).touched(id),
    'counter.unlock': async ({ id, pin, name }, context) => visibleTo(context, await counter.unlock(id, pin, name)),
    'counter.staff': async ({ id, does }, context) => visibleTo(context, await counter.staff(id, does, context.from)),
    'counter.receipt': async ({ id }, context) => forSigner(context).receipt(id),
    'counter.close': async ({ id }) => counter.close(id)
  }
}

/** On the second display, hides contact details of everyone but the current signer. */
function visibleTo({ from }: RequestContext, session: CounterSession): CounterSession {
  if (from === 'office') return session
  const turns = session.turns.map((turn, index) => {
    const { contact: _contact, ...others } = turn
    return index === session.current ? turn : others
  })
  return { ...session, turns }
}

type CounterSettingsHandlers = Pick<
  RequestHandlers,
  `counter.${
    | 'lock'
    | 'lockOffice'
    | 'unlockOffice'
    | 'pin'
    | 'setPin'
    | 'resetPin'
    | 'staffList'
    | 'setReleaseNeeded'
    | 'chooseStaff'
    | 'openSettings'
    | 'closeSettings'
    | 'addStaff'
    | 'changeStaff'
    | 'removeStaff'
    | 'settings'
    | 'configure'
    | 'openCamera'
    | 'closeCamera'
    | 'chooseLogo'
    | 'addPictures'
    | 'idleScreen'
    | 'idlePicture'}`
>

interface CounterSettingsParts extends Pick<Dialogs, 'chooseFiles'> {
  /** The chosen account's name, if any. */
  officeName: () => string | undefined
  lock: Pick<OfficeLock, 'state' | 'lock' | 'unlock'>
  staff: Staff
  access: SettingsAccess
  settings: Pick<CounterSettingsKeeper, 'read' | 'configure' | 'setLogo' | 'addPictures' | 'idleScreen' | 'idlePicture'>
  cameraTest: Pick<CameraTest, 'open' | 'close'>
  /** The call shown on the idle screen. */
  calling: () => IdleCall | undefined
  note: NoteInAudit
  time: Pick<Time, 'now'>
  /** Whether someone is signing at the counter. */
  isRunning: () => boolean
}

const STILL_PICTURES: readonly FileKind[] = [{ name: 'Pictures', extensions: ['png', 'jpg', 'jpeg'] }]
const PICTURES: readonly FileKind[] = [{ name: 'Picture', extensions: ['png', 'jpg', 'jpeg', 'webp'] }]

/** Returns the handlers for the office's counter settings: staff and PINs, settings, the second display's pictures. */
export function counterSettingsHandlers(parts: CounterSettingsParts): CounterSettingsHandlers {
  const { staff, access, settings } = parts

  async function view(): Promise<StaffView> {
    const isOpen = await access.isOpen()
    const { isSet } = staff.hasNames ? { isSet: true } : await staff.state()
    const release = staff.releaseNeeded()
    return {
      members: staff.list(),
      settings: isSet ? (isOpen ? 'open' : 'locked') : 'unguarded',
      ...(release && { release })
    }
  }

  /** Checks a PIN. @throws AppFailure `wrong-pin`, `pin-wait`, `no-pin`; `keychain` if the PIN can't be read. */
  async function requirePin(pin: string, name: string | undefined, where: string): Promise<void> {
    const answer = await staff.check(pin, name)
    if (answer.ok) return
    if (answer.code === 'wrong-pin')
      parts.note({ what: 'pin-wrong', detail: { where, ...(answer.at && { name: answer.at }) } })
    refusePin(answer, parts.time.now())
  }

  /** Makes a change that needs an administrator; returns the new state. */
  async function asAdministrator(change: () => Promise<void>): Promise<StaffView> {
    await access.mustBeOpen()
    await change()
    return view()
  }

  return {
    'counter.pin': () => staff.state(),
    'counter.setPin': async ({ pin: chosen, current, name }) => {
      // If the office's PIN is lost, the person who has the screen could take over with a PIN of their own.
      if (parts.isRunning() && ((await staff.hasLostKeychainEntry()) || !(await staff.state()).isSet))
        fail('busy', 'Someone is signing.', { next: 'Choose the first PIN once they finish.' })
      const open = access.opening()
      const state = await staff.set(chosen, current, name)
      // After entering the only PIN, the user needn't enter it again.
      if (!staff.hasNames && !parts.isRunning()) open()
      return state
    },
    'counter.resetPin': () => staff.reset(),
    'counter.lock': () => parts.lock.state(),
    'counter.lockOffice': () => parts.lock.lock(),
    'counter.unlockOffice': ({ pin, name }) => parts.lock.unlock(pin, name),

    'counter.staffList': () => view(),
    'counter.chooseStaff': async ({ name, pin }) => {
      await requirePin(pin, name, 'choosing who works here')
      return view()
    },
    'counter.openSettings': async ({ name, pin }) => {
      const open = access.opening()
      await requirePin(pin, name, 'the counter’s settings')
      open()
      return view()
    },
    'counter.closeSettings': async () => {
      access.close()
      return view()
    },
    'counter.addStaff': (member) =>
      asAdministrator(async () => {
        const isFirst = !staff.hasNames
        await staff.add(member)
        if (isFirst) access.followNewId()
      }),
    'counter.changeStaff': ({ id, ...change }) => asAdministrator(() => staff.change(id, change)),
    'counter.removeStaff': ({ id }) => asAdministrator(() => staff.remove(id)),
    'counter.setReleaseNeeded': ({ release }) => asAdministrator(async () => staff.setReleaseNeeded(release)),

    'counter.settings': async () => settings.read(),
    'counter.configure': async (changes) => {
      // If no staff names are set up, anyone may enter their own name.
      const { staffName, ...guarded } = changes
      const isOwnName = staffName !== undefined && !staff.hasNames
      if (!isOwnName || Object.values(guarded).some((value) => value !== undefined)) await access.mustBeOpen()
      return settings.configure(changes)
    },
    'counter.openCamera': async () => {
      await access.mustBeOpen()
      await parts.cameraTest.open()
    },
    'counter.closeCamera': async () => parts.cameraTest.close(),
    'counter.chooseLogo': async (_input, { stillAsking }) => {
      await access.mustBeOpen()
      const [path] = await parts.chooseFiles('Choose a logo', PICTURES, stillAsking, 'one')
      if (path === undefined) return null
      // The settings may have been locked while the dialog was open.
      await access.mustBeOpen()
      return settings.setLogo(await readUpTo(path, MAX_LOGO_BYTES))
    },
    'counter.addPictures': async (_input, { stillAsking }) => {
      await access.mustBeOpen()
      const paths = await parts.chooseFiles('Choose pictures', STILL_PICTURES, stillAsking, 'many')
      if (paths.length === 0) return null
      await access.mustBeOpen()
      if (paths.length > MAX_PICTURES) fail('invalid', `The second display shows ${MAX_PICTURES} pictures at most.`)
      const files: Uint8Array[] = []
      // Sequentially, since each file may be large.
      for (const path of paths) files.push(await readUpTo(path, PICTURE_LIMITS.bytes))
      return settings.addPictures(files)
    },
    'counter.idleScreen': async () => {
      const name = parts.officeName()
      const call = parts.calling()
      return { ...settings.idleScreen(), ...(name && { name }), ...(call && { call }) }
    },
    'counter.idlePicture': async ({ id }) => settings.idlePicture(id)
  }
}

/** Reads the file; if it is too large, only enough to know that. */
async function readUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const file = await openChosen(path)
    return await buffer(file.createReadStream({ end: maxBytes }))
  } catch {
    return fail('bad-file', 'The picture couldn’t be read.', { next: 'Copy it to this computer and choose it again.' })
  }
}
