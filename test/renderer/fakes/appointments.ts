/**
 * The made-up office's appointments: requests change their state, numbers start at 14, and a chosen file is
 * `state.appointmentFile`.
 */
import type { Appointment, AppointmentState } from '../../../src/shared/contract/views.ts'
import { wantsStaff } from '../../../src/shared/wants-staff.ts'
import { byId, Failure, type FakeOffice, type HandlersOf } from './office.ts'

/** Returns an appointment of today, with `change` applied. */
export function appointmentOf(change: Partial<Appointment> = {}): Appointment {
  return {
    id: 'appointment-1',
    accountId: 'practice',
    name: 'Mere Parata',
    at: 0,
    minutes: 30,
    place: '',
    state: 'expected',
    choices: [],
    ...change
  }
}

export function fakeAppointments(office: FakeOffice): HandlersOf<'appointments' | 'board'> {
  const { state, emit } = office
  const before = new Map<string, AppointmentState>()
  const removed = new Map<string, Appointment>()
  let number = 13

  function update(id: string, change: Partial<Appointment>): null {
    const one = byId(state.appointments, id)
    if (change.state && change.state !== one.state) before.set(id, one.state)
    state.appointments = state.appointments.map((each) => (each === one ? { ...one, ...change } : each))
    if (state.calling === id && change.state !== 'called') delete state.calling
    emit('appointments.changed', null)
    return null as never
  }

  return {
    'appointments.today': () => ({
      appointments: state.appointments
        .filter(({ accountId }) => office.isShown(accountId))
        .toSorted((one, other) => one.at - other.at),
      places: ['Counter 2', 'Room 2'],
      noShowAfter: state.counterSettings.waitingRoom.noShowAfter,
      counterName: state.counterSettings.waitingRoom.counterName,
      ...(state.calling && { calling: state.calling }),
      hasDisplay: state.hasDisplay
    }),
    'appointments.add': ({ hasArrived, email, mobile, about, person, ...rest }) => {
      const added: Appointment = {
        ...appointmentOf({ id: office.newId('appointment'), accountId: office.chosen().id }),
        ...rest,
        place: rest.place ?? '',
        ...(email && { email }),
        ...(mobile && { mobile }),
        ...(about && { about }),
        ...(person && { person }),
        ...(hasArrived && { state: 'arrived', number: ++number, arrivedAt: state.now() })
      }
      state.appointments = [...state.appointments, added]
      emit('appointments.changed', null)
      return null as never
    },
    'appointments.change': ({ id, ...changes }) => update(id, changes as Partial<Appointment>),
    'appointments.remove': ({ id }) => {
      removed.set(id, byId(state.appointments, id))
      state.appointments = state.appointments.filter((one) => one.id !== id)
      emit('appointments.changed', null)
      return null as never
    },
    'appointments.mark': ({ id, as }) => {
      const gone = removed.get(id)
      if (as === 'undo' && gone) {
        removed.delete(id)
        state.appointments = [...state.appointments, { ...gone, id: office.newId('appointment') }]
        emit('appointments.changed', null)
        return null as never
      }
      const one = byId(state.appointments, id)
      if (as === 'undo') return update(id, { state: before.get(id) ?? 'expected' }) as never
      if (as !== 'arrived') return update(id, { state: as }) as never
      return update(id, { state: as, number: one.number ?? ++number, arrivedAt: state.now() }) as never
    },
    'appointments.call': ({ id }) => {
      const one = byId(state.appointments, id)
      state.calling = id
      return update(id, { state: 'called', number: one.number ?? ++number, calledAt: state.now() }) as never
    },
    'appointments.endCall': () => {
      delete state.calling
      emit('appointments.changed', null)
      return null as never
    },
    'appointments.choosePerson': ({ id, person }) => update(id, { choices: [], ...(person && { person }) }) as never,
    'appointments.openFile': () => state.appointmentFile as never,
    'appointments.import': ({ id }) => {
      const file = state.appointmentFile
      if (file?.id !== id) throw new Failure('gone')
      state.appointmentFile = null
      const added = file.rows.filter(({ kind }) => kind === 'new')
      state.appointments = [
        ...state.appointments,
        ...added.map(({ name, at, minutes, place }) =>
          appointmentOf({ id: office.newId('appointment'), accountId: office.chosen().id, name, at, minutes, place })
        )
      ]
      emit('appointments.changed', null)
      return { added: file.counts.new, changed: file.counts.changed, removed: file.counts.gone }
    },
    'appointments.closeFile': () => null as never,
    'board.get': () => {
      const { counter: session, appointments } = state
      const turn = session?.phase === 'ended' ? undefined : session?.turns[session.current]
      return {
        counters: [
          {
            id: 'here',
            name: state.counterSettings.waitingRoom.counterName,
            staff: state.counterSettings.staffName,
            state: !turn ? 'free' : session?.cover ? 'covered' : 'signing',
            ...(turn && { signer: turn.signerName, document: turn.documentName, since: state.now() }),
            wantsStaff: wantsStaff(session),
            hasOtherDisplay: session?.place === 'other-display',
            ...(state.connection.state === 'offline' && { downSince: state.connection.since })
          }
        ],
        waiting: appointments
          .filter((one) => one.state === 'arrived' || one.state === 'called')
          .map(({ id, name, place, at, arrivedAt = at, number: knownNumber, state: stands }) => ({
            id,
            name,
            place,
            at,
            arrivedAt,
            isCalled: stands === 'called',
            ...(knownNumber !== undefined && { number: knownNumber })
          })),
        counts: {
          expected: appointments.filter((one) => one.state === 'expected').length,
          done: appointments.filter((one) => one.state === 'done').length,
          here: appointments.filter((one) => one.state === 'here').length,
          noShow: appointments.filter((one) => one.state === 'no-show').length
        },
        ...state.board
      }
    }
  }
}
