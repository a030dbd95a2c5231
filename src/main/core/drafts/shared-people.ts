/**
 * The address book that an office's workstations share: each suggests the people any of them has sent to. People with
 * the same name and e-mail address are the same person everywhere; all others are different people. Someone forgotten
 * at one workstation is forgotten at all.
 */
import { z } from 'zod'
import { DAY, LAST_MOMENT } from '../lib/calendar.ts'
import { json, Rows, value } from '../lib/rows.ts'
import type { SharedKind } from '../office/shared-kind.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { keyOf } from './person-key.ts'

const PEOPLE = new Rows({
  number: value<number>(),
  accountId: value<string>(),
  emailKey: value<string>(),
  nameKey: value<string>(),
  firstName: value<string>(),
  middleName: value<string>(),
  lastName: value<string>(),
  email: value<string>(),
  mobileCountry: value<string>(),
  mobileNumber: value<string>(),
  formerly: json<string[]>(),
  usedAt: value<number>(),
  times: value<number>()
})

const text = z.string().max(1000)
/** How many corrections of a name or an address are known; see the trigger `office_person_renamed`. */
const MAX_FORMER = 16
const Shared = z.object({
  firstName: text,
  middleName: text,
  lastName: text,
  email: text.min(1),
  mobileCountry: text,
  mobileNumber: text,
  usedAt: z.int().min(0).max(LAST_MOMENT),
  times: z.int().min(1),
  /** The ids at the office of the names and addresses that were corrected into this one. */
  formerly: z.array(z.string().max(64)).max(MAX_FORMER).default([])
})
type SharedPerson = z.output<typeof Shared>

const keyOfContent = ({ firstName: FirstName, lastName: LastName, email: Email }: SharedPerson) =>
  keyOf({ FirstName, LastName, Email })

interface SharedPeopleDeps {
  db: Db
  now: () => number
  /** How many days after their last use people are kept; null for ever. */
  keptDays: () => number | null
}

/**
 * Opens the storage of people for the office's sync. People whom a workstation's retention purges stay at the others.
 */
export function openSharedPeople({ db, now, keptDays }: SharedPeopleDeps): SharedKind<SharedPerson> {
  const people = new TableStatements(db, 'people', PEOPLE)
  const find = people.one<[number: number]>('WHERE number = ?')
  const numbers = people.values<[accountId: string], number>('SELECT number FROM people WHERE account_id = ?')
  const COLUMNS =
    'email_key, name_key, first_name, middle_name, last_name, email, mobile_country, mobile_number, formerly, used_at, times'
  const VALUES =
    '@emailKey, @nameKey, @firstName, @middleName, @lastName, @email, @mobileCountry, @mobileNumber, @formerly, @usedAt, @times'
  const add = people.value<[person: object], number>(
    `INSERT INTO people (account_id, ${COLUMNS}) VALUES (@accountId, ${VALUES}) RETURNING number`
  )
  const change = people.run<[person: object]>(`UPDATE people SET (${COLUMNS}) = (${VALUES}) WHERE number = @number`)
  // Keeps the sync data, but removes the link to the row.
  const detach = people.run<[local: string]>(
    `UPDATE office_records SET local = NULL, base = NULL, edit_count = edit_count + 1 WHERE kind = 'person' AND local = ?`
  )
  const erase = people.run<[number: number]>('DELETE FROM people WHERE number = ?')
  const rowOf = (local: string) => (/^\d{1,15}$/.test(local) ? find(Number(local)) : undefined)

  return {
    kind: 'person',
    page: 200,
    localIds: (accountId) => numbers(accountId).map(String),
    ownerOf: (local) => rowOf(local)?.accountId,
    content: (local) => Shared.safeParse(rowOf(local)).data,
    read(content) {
      const person = Shared.safeParse(content).data
      // A time from a clock far ahead would keep them for ever, and at the top of the list.
      return person && { ...person, usedAt: Math.min(person.usedAt, now() + DAY) }
    },
    write(accountId, content, _id, local) {
      const row = { ...content, ...keyOfContent(content), accountId, number: Number(local ?? 0) }
      if (local === undefined) return String(add(PEOPLE.write(row)))
      change(PEOPLE.write(row))
      return local
    },
    erase(local) {
      detach(local)
      erase(Number(local))
    },
    identity(content) {
      const { emailKey, nameKey } = keyOfContent(content)
      return JSON.stringify([emailKey, nameKey])
    },
    formerIds: ({ formerly }) => formerly,
    merge,
    // Someone sent to them here while they were corrected or merged there; a person who is forgotten is deleted finally.
    staysIfChanged: true,
    expiresIn: ({ usedAt }) => {
      const days = keptDays()
      return days === null ? undefined : usedAt + days * DAY - now()
    }
  }
}

/** A mobile's country belongs to its number. */
const DETAILS = [['firstName', 'lastName'], ['middleName'], ['email'], ['mobileCountry', 'mobileNumber']] as const

/**
 * Merges a person: the uses of both, and each detail that one of them changed; of the latest use if both did, or if
 * that isn't known.
 */
function merge(mine: SharedPerson, theirs: SharedPerson, base: SharedPerson | undefined): SharedPerson {
  const newer = mine.usedAt > theirs.usedAt ? mine : theirs
  // A correction counts too, even if nobody sent to them since.
  const isCorrected = base !== undefined && mine.usedAt === base.usedAt && theirs.usedAt === base.usedAt
  const times = mine.times + theirs.times - (base?.times ?? 0)
  const formerly = [...new Set([...theirs.formerly, ...mine.formerly])].slice(0, MAX_FORMER)
  const merged = { ...newer, times: Math.max(times, mine.times, theirs.times), formerly }
  for (const members of DETAILS) {
    const isUnchanged = (one: SharedPerson) =>
      base !== undefined && members.every((member) => one[member] === base[member])
    const fallback = isCorrected ? mine : newer
    const source = isUnchanged(theirs) ? mine : isUnchanged(mine) ? theirs : fallback
    for (const member of members) merged[member] = source[member]
  }
  return merged
}
