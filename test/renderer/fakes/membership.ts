/** The made-up workstation's membership of a shared office: one server, one valid code, and the other workstations. */
import type { OfficeMembershipState, OfficeMembershipView } from '../../../src/shared/contract/office.ts'
import { Failure, type FakeOffice, type HandlersOf } from './office.ts'

export const JOIN_CODE = 'ABCD-EFGH-JKMN-PQRS-TVWX-YZ23-4567-89AB'

/** All states: the types report any that is missing here. */
export const MEMBERSHIP_STATES = Object.keys({
  connecting: true,
  connected: true,
  away: true,
  unwritable: true,
  crowded: true,
  refused: true,
  untrusted: true,
  pooled: true,
  'no-keychain': true,
  elsewhere: true,
  older: true,
  newer: true,
  other: true,
  'wrong-key': true
} satisfies Record<OfficeMembershipState, true>) as OfficeMembershipState[]

/** Returns a connected workstation and the others in its office, with `change` applied. */
export function membershipOf(now: number, change: Partial<OfficeMembershipView> = {}): OfficeMembershipView {
  return {
    server: 'office.harbour.example:5432',
    name: 'Counter 2',
    state: 'connected',
    isLeaving: false,
    who: [
      { name: 'Back room', isMe: false, seenAt: now - 26 * 3_600_000 },
      { name: 'Counter 1', isMe: false, seenAt: now - 40_000 },
      { name: 'Counter 2', isMe: true, seenAt: now - 5_000 },
      { name: 'Training room', isMe: false }
    ],
    folders: [
      {
        accountName: 'Harbour Law',
        how: 'together',
        troubles: [],
        by: { name: 'Counter 1', isMe: false, since: now - 3 * 3_600_000 }
      }
    ],
    ...change
  }
}

/** Returns accounts whose folders are polled in each of the other ways, and workstations that can't poll them. */
export function pollingOf(now: number): OfficeMembershipView['folders'] {
  const since = now - 40 * 60_000
  return [
    {
      accountName: 'Harbour Law',
      how: 'together',
      by: { name: 'Counter 2', isMe: true, since },
      troubles: [
        { name: 'Back room', kind: 'keychain', since: now - 26 * 3_600_000 },
        { name: 'Counter 1', kind: 'refused', since }
      ]
    },
    { accountName: 'Conveyancing', how: 'together', troubles: [{ name: 'Counter 1', kind: 'unreachable', since }] },
    { accountName: 'Partners', how: 'other', troubles: [] },
    { accountName: 'Trusts', how: 'alone', troubles: [] },
    { accountName: 'Wills', how: 'away', troubles: [] }
  ]
}

export function fakeMembership({ state, emit }: FakeOffice): HandlersOf<'office'> {
  return {
    'office.get': () => state.membership,
    'office.checkNow': () => null,
    'office.chooseAuthority': () => ({ id: 'authority-1', label: 'harbour-ca.pem' }),
    'office.join': ({ host, port, code }) => {
      if (code !== JOIN_CODE)
        throw new Failure('invalid', { message: 'The office’s server doesn’t accept this join code.' })
      state.membership = membershipOf(state.now(), { server: `${host}:${port}` })
      emit('office.changed', null)
      return state.membership
    },
    'office.leave': () => {
      state.membership = null
      emit('office.changed', null)
      return null
    }
  }
}
