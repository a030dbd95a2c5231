/**
 * Finds people in the address book, those this office has sent to before those in the service's own recipient lists. If
 * nobody has the words as they were typed, people with similar names are found.
 */

import type {
  DecodedInput,
  FoundPeople,
  KnownPerson,
  PeopleList,
  PersonView,
  RecipientView
} from '../../../shared/contract/index.ts'
import { isMeantBy } from '../../../shared/short-list-search.ts'
import { wordsOf } from '../../../shared/text-folding.ts'
import type { DraftDeps } from './draft-rows.ts'
import { normalized } from './person-key.ts'
import { searchQueryOf } from './words.ts'

export interface PeopleSearchDeps extends Pick<DraftDeps, 'db'> {
  /** The cached recipient lists, without a request to the service. */
  recipients: (accountId: string) => RecipientView[]
}

/** A row as the screens show it. */
const PERSON = `first_name AS FirstName, middle_name AS MiddleName, last_name AS LastName, email AS Email,
  mobile_country AS MobileCountry, mobile_number AS MobileNumber, 'sent' AS "from", used_at AS usedAt`
/** Those of an account in whose names or address the words of a query are. */
const FOUND = 'account_id = ? AND number IN (SELECT rowid FROM people_words WHERE people_words MATCH ?)'
/** How many of the newest matches are considered when ranking. */
const CANDIDATES = 200
/** How many of the newest people are compared with a misspelt name. */
const COMPARED = 2000

export function openPeopleSearch({ db, recipients }: PeopleSearchDeps) {
  const newest = db.prepare<[string, number], PersonView>(
    `SELECT ${PERSON} FROM people WHERE account_id = ? ORDER BY used_at DESC LIMIT ?`
  )
  const matching = db.prepare<[string, string, number], PersonView>(
    `SELECT ${PERSON} FROM people WHERE ${FOUND} ORDER BY used_at DESC LIMIT ?`
  )
  const known = db.prepare<[string, number, number], KnownPerson>(
    `SELECT ${PERSON}, times FROM people WHERE account_id = ? ORDER BY used_at DESC, number LIMIT ? OFFSET ?`
  )
  const countAll = db.prepare<[string], number>('SELECT count(*) FROM people WHERE account_id = ?').pluck()
  const found = db.prepare<[string, string, number, number], KnownPerson>(
    `SELECT ${PERSON}, times FROM people WHERE ${FOUND} ORDER BY used_at DESC, number LIMIT ? OFFSET ?`
  )
  const countFound = db.prepare<[string, string], number>(`SELECT count(*) FROM people WHERE ${FOUND}`).pluck()

  return {
    /**
     * Finds people by the beginnings of words in their names or address; best first, then newest. @param isForgiving
     * whether people with similar names are returned if there are none.
     */
    find(accountId: string, text: string, limit: number, isForgiving = false): FoundPeople {
      const question = searchQueryOf(text)
      const sent = question === undefined ? newest.all(accountId, limit) : matching.all(accountId, question, CANDIDATES)
      const known = new Set(sent.map(({ Email }) => normalized(Email)))
      const listed = listedPeople(recipients(accountId)).filter(
        (person) => !known.has(normalized(person.Email)) && beginsWords(person, text)
      )
      const all = [...ranked(sent, text), ...ranked(listed, text)]
      if (all.length > 0 || !isForgiving) return { people: all.slice(0, limit) }
      const people = [...newest.all(accountId, COMPARED), ...listedPeople(recipients(accountId))]
        .filter((person) => isMeantBy(textOf(person), wordsOf(text)))
        .slice(0, limit)
      return { people, ...(people.length > 0 && { isNear: true }) }
    },

    /**
     * Returns one page of the people this office has sent to, most recent first, filtered by the words of `search`; of
     * those with similar names if there are none.
     */
    list(accountId: string, { search, offset, limit }: DecodedInput<'people.list'>): PeopleList {
      const question = searchQueryOf(search)
      if (question === undefined)
        return { rows: known.all(accountId, limit, offset), total: countAll.get(accountId) ?? 0 }
      const total = countFound.get(accountId, question) ?? 0
      if (total > 0) return { rows: found.all(accountId, question, limit, offset), total }
      const words = wordsOf(search)
      const near = known.all(accountId, COMPARED, 0).filter((person) => isMeantBy(textOf(person), words))
      return { rows: near.slice(offset, offset + limit), total: near.length, ...(near.length > 0 && { isNear: true }) }
    }
  }
}

function listedPeople(lists: readonly RecipientView[]): PersonView[] {
  const all = lists.flatMap(({ notification, completion }) => [...notification, ...completion])
  const people = all.map(
    ({ FirstName, MiddleName, LastName, Email }): PersonView => ({
      FirstName: FirstName ?? '',
      MiddleName: MiddleName ?? '',
      LastName: LastName ?? '',
      Email: (Email ?? '').trim(),
      MobileCountry: '',
      MobileNumber: '',
      from: 'recipients'
    })
  )
  const unique = new Map(people.map((person) => [normalized(person.Email), person]))
  return [...unique.values()].filter(({ Email }) => Email !== '')
}

/**
 * Sorts those first whose name or address begins with the text, then those whose last name does. Otherwise the order
 * stays.
 */
function ranked(people: readonly PersonView[], text: string): PersonView[] {
  const typed = folded(text.trim())
  const rank = (person: PersonView): number => {
    if (folded(`${person.FirstName} ${person.LastName}`).startsWith(typed)) return 0
    if (folded(person.Email).startsWith(typed)) return 0
    return folded(person.LastName).startsWith(typed) ? 1 : 2
  }
  return people
    .map((person) => ({ person, rank: rank(person) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ person }) => person)
}

function textOf({ FirstName, MiddleName, LastName, Email }: PersonView): string {
  return `${FirstName} ${MiddleName} ${LastName} ${Email}`
}

/** Returns whether each word of the text begins one of the person's, as the word index matches. */
function beginsWords(person: PersonView, text: string): boolean {
  const words = wordsIn(textOf(person))
  return wordsIn(text).every((typed) => words.some((word) => word.startsWith(typed)))
}

function wordsIn(text: string): string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Folds text as the word index does: without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
