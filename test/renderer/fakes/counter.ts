/**
 * The made-up office's counter: a session that requests move on, from handover to handover, with the PIN 2468.
 * `state.pageOpens` and `state.asksService` can leave a page loading, or the service unanswered, until the test
 * continues.
 */
import { PERSON_LANGUAGES } from '../../../src/shared/contract/counter-views.ts'
import type {
  CounterEntry,
  CounterSession,
  CounterTurn,
  OfferedFile,
  ReceiptCode
} from '../../../src/shared/contract/views.ts'
import { queueOf } from '../people.ts'
import { Failure, type FakeOffice, type HandlersOf } from './office.ts'

type Handled = HandlersOf<'counter'>

export const fakePin = '2468'
/** Phases that don't change when a cover appears: only `cover` says what lies over them. */
const phasesKeptUnderCover: CounterSession['phase'][] = ['handover', 'between', 'failed']

/** Returns a turn, with `change` applied. */
export function turnOf(change: Partial<CounterTurn> = {}): CounterTurn {
  return {
    documentReference: 'doc-0',
    documentName: 'Tenancy agreement Parata',
    signer: 0,
    signerName: 'Mere Parata',
    person: 'mere parata',
    ...change
  }
}

/** Returns a session of one turn, about to be handed over, with `change` applied. */
export function sessionOf(change: Partial<CounterSession> = {}): CounterSession {
  return {
    id: 'session-1',
    phase: 'handover',
    isLocked: false,
    turns: [turnOf()],
    current: 0,
    origin: '',
    zoom: 1,
    asksFor: [],
    allowsCamera: false,
    refused: [],
    place: 'here',
    wasInterrupted: false,
    isPractice: false,
    mayKeepPages: false,
    preferences: { language: 'en', textSize: 1, highContrast: false, moreTime: false },
    offers: { languages: [...PERSON_LANGUAGES], moreTime: true },
    ...change
  }
}

/** Returns a receipt with a picture that looks like a QR code. */
function receiptCode(): ReceiptCode {
  const dark = Array.from({ length: 37 * 37 }, (_none, at) => at).filter((at) => (at * at * 31 + at * 17) % 7 < 3)
  const path = dark.map((at) => `M${at % 37} ${Math.floor(at / 37)}h1v1h-1z`).join('')
  return { number: 'R-2025-000123-3F2A', sha256: '3f'.repeat(32), size: 37, path }
}

export function fakeCounter(office: FakeOffice): Handled {
  const { state, emit } = office
  let wrongPins = 0

  function queue(): CounterEntry[] {
    const all = state.queue ?? queueOf(state.documents)
    return all
      .map((entry) => ({ ...entry, isToday: entry.isToday || state.today.includes(placeOf(entry)) }))
      .sort((one, two) => Number(two.isToday) - Number(one.isToday))
  }

  function entryOf(documentReference: string, signer: number): CounterEntry {
    const found = queue().find((one) => one.documentReference === documentReference && one.signer === signer)
    if (!found) throw new Failure('not-signable')
    return found
  }

  function session(id: string): CounterSession {
    if (state.counter?.id !== id) throw new Failure('gone')
    return state.counter
  }

  function update(id: string, change: Partial<CounterSession>, ...without: (keyof CounterSession)[]): CounterSession {
    const next: CounterSession = { ...session(id), ...change }
    for (const member of without) delete next[member]
    state.counter = next
    emit('counter.changed', { id })
    return next
  }

  /** Loads the page of the current turn. */
  function load(id: string): CounterSession {
    return update(id, { phase: 'loading', origin: state.signingOrigin, refused: [] }, 'cover', 'error')
  }

  /** Moves on to the next turn: directly for the same person if they asked for it, with a handover for another. */
  function advance(id: string, isSaid: boolean, isSure = false): CounterSession {
    const { turns, current } = session(id)
    const next = turns[current + 1]
    const isOpenYet = isSure && !isSaid && turns[current]?.outcome?.signed === 'not-yet'
    if (isOpenYet) return update(id, { phase: 'between' }, 'cover', 'error')
    if (!next) return update(id, { phase: 'return', isLocked: true }, 'cover', 'error')
    if (!isSaid) return update(id, { phase: 'between' }, 'cover', 'error')
    if (next.person !== turns[current]?.person)
      return update(id, { phase: 'handover', current: current + 1, origin: '' }, 'cover', 'error')
    update(id, { current: current + 1 })
    return load(id)
  }

  /** Asks the service for the current turn's outcome. */
  function ask(id: string): CounterSession {
    const isSure = session(id).cover === 'finish'
    update(id, { phase: 'asking', isLocked: false, origin: '', asksFor: [] }, 'cover', 'error', 'warningUntil')
    if (!state.asksService) return session(id)
    recordOutcome(id)
    return advance(id, false, isSure)
  }

  function recordOutcome(id: string): void {
    const { turns, current } = session(id)
    const outcome = state.outcomes[current] ?? state.outcome
    update(id, { turns: turns.map((turn, index) => (index === current ? { ...turn, outcome } : turn)) })
  }

  function end(id: string): CounterSession {
    const { turns, current } = session(id)
    const ended = turns.map((turn, index): CounterTurn => {
      if (turn.outcome) return turn
      return { ...turn, outcome: index === current ? { signed: 'not-yet' } : { signed: 'skipped' } }
    })
    return update(id, { phase: 'ended', turns: ended, isLocked: false }, 'cover', 'error', 'warningUntil')
  }

  /** Covers what the person has; a page that is loading or open is then behind the cover. */
  function cover(id: string, why: NonNullable<CounterSession['cover']>, isLocked: boolean): CounterSession {
    const { phase } = session(id)
    return update(id, { phase: phasesKeptUnderCover.includes(phase) ? phase : 'covered', cover: why, isLocked })
  }

  function uncover(id: string): CounterSession {
    const { phase } = session(id)
    return update(id, { phase: phase === 'covered' ? 'open' : phase, isLocked: false, asksFor: [] }, 'cover')
  }

  function checkPin(pin: string): void {
    const now = state.now()
    if ((state.pin.waitUntil ?? 0) > now)
      throw new Failure('pin-wait', { retryAfterMs: (state.pin.waitUntil ?? 0) - now })
    if (!state.pin.isSet) throw new Failure('no-pin')
    const { waitUntil: _waitUntil, ...pinState } = state.pin
    state.pin = pinState
    if (pin === state.pinDigits) {
      wrongPins = 0
      return
    }
    wrongPins += 1
    if (wrongPins < 3) throw new Failure('wrong-pin')
    const retryAfterMs = 5000 * 2 ** (wrongPins - 3)
    state.pin = { ...state.pin, waitUntil: now + retryAfterMs }
    throw new Failure('wrong-pin', { retryAfterMs })
  }

  return {
    'counter.queue': queue,
    'counter.pinEntry': ({ documentReference, signer, isToday }) => {
      const place = placeOf(entryOf(documentReference, signer))
      state.today = [...state.today.filter((one) => one !== place), ...(isToday ? [place] : [])]
      emit('counter.changed', { id: '' })
      return null as never
    },
    'counter.offer': ({ documentReference, signer }) => {
      const all = queue()
      const first = entryOf(documentReference, signer)
      const signers = state.documents.find((one) => one.reference === documentReference)?.signers ?? []
      return {
        first,
        entries: [
          { ...first, after: [] },
          ...signers.flatMap((one, index) => {
            if (index === signer || one.state !== 'waiting') return []
            const now = all.find((entry) => entry.documentReference === documentReference && entry.signer === index)
            const { due: _due, ...rest } = first
            const later = { ...rest, signer: index, signerName: one.name, person: one.name.toLowerCase() }
            return [{ ...(now ?? later), after: now ? [] : [...Array(index).keys()] }]
          }),
          ...all
            .filter((one) => one.person === first.person && one.documentReference !== documentReference)
            .map((one) => ({ ...one, after: [] }))
        ],
        further: 0,
        evidence: state.counterSettings.evidence,
        identityKept: state.counterSettings.identityKept,
        staff: state.counterSettings.staffName || 'desk-3',
        hasPin: state.pin.isSet,
        ...state.offer
      }
    },
    'counter.compareDocument': ({ documentReference }) => state.printedIn[documentReference] ?? state.printed,
    'counter.start': ({ turns, allowsCamera }) => {
      if (state.counter && state.counter.phase !== 'ended') throw new Failure('busy')
      if (!state.pin.isSet) throw new Failure('no-pin')
      const required = state.counterSettings.evidence.filter((one) => one.isRequired)
      if (turns.some((turn) => required.some((one) => !turn.evidence.includes(one.id)))) throw new Failure('bad-input')
      const id = office.newId('session')
      state.counter = sessionOf({
        id,
        allowsCamera,
        place: state.counterSettings.useOtherDisplay ? 'other-display' : 'here',
        turns: turns.map(({ documentReference, signer }) => {
          const document = state.documents.find((one) => one.reference === documentReference)
          const signerName = document?.signers[signer]?.name ?? ''
          return turnOf({
            documentReference,
            documentName: document?.name ?? documentReference,
            signer,
            signerName,
            person: signerName.toLowerCase()
          })
        })
      })
      return update(id, {})
    },
    'counter.state': () => state.counter as never,
    'counter.begin': ({ id }) => (session(id).phase === 'handover' ? load(id) : session(id)),
    'counter.show': ({ id }) => {
      if (session(id).phase !== 'loading' || !state.pageOpens) return session(id)
      return update(id, { phase: 'open' })
    },
    'counter.cover': ({ id, why }) => cover(id, why, why === 'not-me'),
    'counter.resume': ({ id }) => {
      const { cover: why, isLocked } = session(id)
      if (isLocked && why !== 'camera') throw new Failure('not-allowed')
      return uncover(id)
    },
    'counter.allowCamera': ({ id }) => uncover(id),
    'counter.giveFile': ({ id, file }) => {
      const { asksFile } = session(id)
      if (!asksFile?.files?.some((one) => one.id === file)) throw new Failure('gone')
      uncover(id)
      return update(id, {}, 'asksFile')
    },
    'counter.finish': ({ id }) => ask(id),
    'counter.next': ({ id, stops }) => {
      if (session(id).phase === 'failed') recordOutcome(id)
      if (stops) return update(id, { phase: 'return', isLocked: true }, 'cover', 'error')
      return advance(id, true)
    },
    'counter.retry': ({ id }) => load(id),
    'counter.zoom': ({ id, factor }) => update(id, { zoom: factor }),
    'counter.adjust': ({ id, ...change }) => {
      const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      return update(id, { preferences: { ...session(id).preferences, ...changes } })
    },
    'counter.touched': ({ id }) => {
      if (session(id).warningUntil !== undefined) update(id, {}, 'warningUntil')
      return null as never
    },
    'counter.unlock': ({ id, pin }) => {
      const { phase } = session(id)
      try {
        checkPin(pin)
      } catch (error) {
        const { waitUntil } = state.pin
        if (waitUntil !== undefined) update(id, { pinWaitUntil: waitUntil })
        throw error
      }
      if (phase === 'return') return update(id, { phase: 'ended', isLocked: false }, 'pinWaitUntil')
      update(id, {}, 'pinWaitUntil')
      return cover(id, 'staff', false)
    },
    'counter.staff': ({ id, does }) => {
      const { cover: why, place } = session(id)
      if (why !== 'staff' && place !== 'other-display') throw new Failure('not-allowed')
      switch (does) {
        case 'answer':
          return update(id, { isAnswered: true }) as never
        case 'cover':
          return cover(id, 'away', true) as never
        case 'end':
          return end(id) as never
        case 'allow-camera':
          update(id, { allowsCamera: true })
          return cover(id, 'consent', false) as never
        case 'open-files':
        case 'open-folder':
          return update(id, { cover: 'file', asksFile: { files: fakeFiles } }) as never
        case 'continue':
        case 'refuse-camera':
          return uncover(id) as never
        default:
          return session(id) as never
      }
    },
    'counter.receipt': () => receiptCode(),
    'counter.close': () => {
      state.counter = null
      emit('counter.changed', { id: '' })
      return null as never
    },

    'counter.pin': () => state.pin,
    'counter.setPin': ({ pin, current }) => {
      if (state.pin.isSet && state.pin.reset !== 'allowed') {
        if (current === undefined)
          throw new Failure('invalid', {
            fields: [{ field: 'current', message: 'Enter the current PIN.' }]
          })
        checkPin(current)
      }
      state.pinDigits = pin
      if (state.isPinOnce) emit('lock.changed', null)
      state.isPinOnce = false
      state.pin = { ...state.pin, isSet: true, reset: 'none' }
      return state.pin
    },
    'counter.resetPin': () => {
      if (!state.pin.canReset) throw new Failure('bad-input')
      state.pin = { ...state.pin, reset: 'asked' }
      return state.pin
    },

    'counter.staffList': () => state.staff,
    'counter.setReleaseNeeded': ({ release }) => {
      if (state.staff.settings === 'locked') throw new Failure('not-allowed')
      const { release: _before, ...staff } = state.staff
      state.staff = { ...staff, ...(release && { release }) }
      return state.staff
    },
    'counter.chooseStaff': ({ name, pin }) => {
      checkPin(pin)
      const members = state.staff.members.map((one) => ({ ...one, isCurrent: one.name === name }))
      state.staff = { ...state.staff, members }
      return state.staff
    },
    'counter.openSettings': ({ pin }) => {
      checkPin(pin)
      state.staff = { ...state.staff, settings: 'open' }
      return state.staff
    },
    'counter.closeSettings': () => {
      state.staff = { ...state.staff, settings: 'locked' }
      return state.staff
    },
    'counter.addStaff': ({ name, role, badge }) => {
      if (state.staff.settings === 'locked') throw new Failure('not-allowed')
      const owner = {
        id: 'first',
        name: 'Grace Okafor',
        role: 'administrator' as const,
        hasBadge: false,
        isCurrent: true
      }
      const before = state.staff.members.length > 0 ? state.staff.members : [owner]
      const added = { id: office.newId('staff'), name, role, hasBadge: badge !== undefined, isCurrent: false }
      state.staff = { ...state.staff, members: [...before, added] }
      return state.staff
    },
    'counter.changeStaff': ({ id, pin: _pin, badge, ...change }) => {
      if (state.staff.settings === 'locked') throw new Failure('not-allowed')
      const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const hasBadge = badge === undefined ? {} : { hasBadge: badge !== null }
      const members = state.staff.members.map((one) => (one.id === id ? { ...one, ...changes, ...hasBadge } : one))
      state.staff = { ...state.staff, members }
      return state.staff
    },
    'counter.removeStaff': ({ id }) => {
      state.staff = { ...state.staff, members: state.staff.members.filter((one) => one.id !== id) }
      return state.staff
    },

    'counter.lock': () => state.lock,
    'counter.lockOffice': () => {
      state.lock = { ...state.lock, isLocked: true }
      emit('lock.changed', null)
      return state.lock
    },
    'counter.unlockOffice': ({ pin }) => {
      if (!state.lock.isLocked) return state.lock
      checkPin(pin)
      if (state.isPinOnce) throw new Failure('pin-once')
      state.lock = { ...state.lock, isLocked: false }
      emit('lock.changed', null)
      return state.lock
    },

    'counter.settings': () => state.counterSettings,
    'counter.configure': (change) => {
      const { logo, ...others } = change
      const { logo: before, ...settings } = state.counterSettings
      state.counterSettings = {
        ...settings,
        ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
        ...(before !== undefined && logo !== null && { logo: before })
      }
      emit('settings.changed', null)
      return state.counterSettings
    },
    'counter.openCamera': () => null as never,
    'counter.closeCamera': () => null as never,
    'counter.chooseLogo': () => {
      state.counterSettings = { ...state.counterSettings, logo: fakeLogo }
      emit('settings.changed', null)
      return state.counterSettings as never
    },
    'counter.idleScreen': () => {
      const { idleText, logo, languages } = state.counterSettings
      const name = state.accounts.find(({ chosen }) => chosen)?.name
      const { pictures, callSound, counterName } = state.counterSettings.waitingRoom
      const called = state.appointments.find(({ id }) => id === state.calling)
      const call = called?.number && { number: called.number, place: called.place || counterName, calls: 1 }
      return {
        text: idleText,
        languages,
        pictures,
        callSound,
        ...(logo && { logo }),
        ...(name && { name }),
        ...(call && { call })
      }
    },
    'counter.addPictures': () => {
      const { waitingRoom } = state.counterSettings
      const pictures = [...waitingRoom.pictures, office.newId('picture')]
      state.counterSettings = { ...state.counterSettings, waitingRoom: { ...waitingRoom, pictures } }
      emit('settings.changed', null)
      return state.counterSettings as never
    },
    'counter.idlePicture': ({ id }) => state.pictures[id] ?? (fakeLogo as never)
  }
}

function placeOf(entry: { documentReference: string; signer: number }): string {
  return `${entry.documentReference} ${entry.signer}`
}

/** Files that staff open for a signer. */
export const fakeFiles: OfferedFile[] = [
  { id: '00000000-0000-4000-8000-000000000001', name: 'Passport Mere Parata.pdf', bytes: 482_113 },
  { id: '00000000-0000-4000-8000-000000000002', name: 'Power bill October 2026.pdf', bytes: 96_004 },
  { id: '00000000-0000-4000-8000-000000000003', name: 'Front door.jpg', bytes: 3_204_551 }
]

/** One transparent pixel. */
export const fakeLogo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
