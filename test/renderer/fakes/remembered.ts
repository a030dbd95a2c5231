/** The made-up office's suggestions while typing: people, values, forms. */
import type { PersonView } from '../../../src/shared/contract/views.ts'
import { people } from '../people.ts'
import { Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

export function fakeRemembered({ state, emit }: FakeOffice): HandlersOf<'people' | 'remembered'> {
  return {
    'people.find': ({ text, limit }) => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean)
      const people = state.people.filter((one) =>
        words.every((word) => `${one.FirstName} ${one.LastName} ${one.Email}`.toLowerCase().includes(word))
      )
      return { people: people.slice(0, limit) }
    },
    'people.list': ({ search, ...page }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const rows = state.people
        .filter(
          (one) =>
            one.from === 'sent' &&
            words.every((word) => `${one.FirstName} ${one.LastName} ${one.Email}`.toLowerCase().includes(word))
        )
        .map((one, index) => ({
          ...one,
          times: (index % 5) + 1,
          usedAt: one.usedAt ?? state.now() - index * 7_200_000
        }))
      return { rows: pageOf(rows, page), total: rows.length }
    },
    'people.change': ({ was, now }) => {
      if (!isSame(now, was) && state.people.some((one) => isSame(one, now))) throw new Failure('conflict')
      state.people = state.people.map((one) => (isSame(one, was) ? { ...one, ...now } : one))
      emit('people.changed', null)
      return null as never
    },
    'people.merge': ({ from }) => {
      state.people = state.people.filter((one) => !isSame(one, from))
      emit('people.changed', null)
      return null as never
    },
    'people.forget': (person) => {
      state.people = state.people.filter((one) => !isSame(one, person))
      emit('people.changed', null)
      return null as never
    },
    'remembered.values': ({ field }) => state.remembered[field] ?? [],
    'remembered.keepChoices': ({ field, choices }) => {
      state.remembered[field] = [...new Set(choices)]
      return state.remembered[field] ?? []
    },
    'remembered.forms': () => state.forms
  }
}

type NamedAddress = Pick<PersonView, 'FirstName' | 'LastName' | 'Email'>

function isSame(one: NamedAddress, other: NamedAddress): boolean {
  return one.Email === other.Email && one.FirstName === other.FirstName && one.LastName === other.LastName
}

/** Returns a person in the address book, with `change` applied. */
export function personOf(change: Partial<PersonView> = {}): PersonView {
  return {
    FirstName: 'Mere',
    MiddleName: '',
    LastName: 'Parata',
    Email: 'mere.parata@example.com',
    MobileCountry: '',
    MobileNumber: '',
    from: 'sent',
    ...change
  }
}

/**
 * Returns an address book of `count` people, the first ones with familiar names; every third comes from the office's
 * own lists.
 */
export function addressBook(count: number): PersonView[] {
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = people[index % people.length] as (typeof people)[number]
    const round = index < people.length ? '' : String(Math.floor(index / people.length) + 1)
    return personOf({
      FirstName: first,
      LastName: `${last}${round && ` ${round}`}`,
      MiddleName: index % 4 === 0 ? 'Aroha' : '',
      Email: `${first}.${last}${round}@example.com`.toLowerCase(),
      ...(index % 2 === 0 && { MobileCountry: '64', MobileNumber: `021 555 ${String(index).padStart(3, '0')}` }),
      from: index % 3 === 2 ? 'recipients' : 'sent'
    })
  })
}
