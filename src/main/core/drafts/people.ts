/**
 * The address book: the people this office has sent to, noted by each package, and corrected, merged or forgotten by the
 * office. Two people who share an address stay two.
 */

import type { ComposedShareUser, ComposedSigner, Composition } from '../../../shared/composition/index.ts'
import type { PersonView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { DraftDeps } from './draft-rows.ts'
import { openPeopleSearch, type PeopleSearchDeps } from './people-search.ts'
import { isSameKey, keyOf, type PersonKey } from './person-key.ts'

export interface PeopleDeps extends Omit<DraftDeps, 'newId'>, PeopleSearchDeps {
  changed: () => void
}

export type People = ReturnType<typeof openPeople>

export function openPeople({ db, recipients, time, changed }: PeopleDeps) {
  const write = db.prepare(
    `INSERT INTO people (account_id, email_key, name_key, first_name, middle_name, last_name, email, mobile_country,
       mobile_number, used_at, times)
     VALUES (@accountId, @emailKey, @nameKey, @FirstName, @MiddleName, @LastName, @Email, coalesce(@MobileCountry, ''),
       coalesce(@MobileNumber, ''), @now, 1)
     ON CONFLICT (account_id, email_key, name_key) DO UPDATE SET first_name = @FirstName, middle_name = @MiddleName,
       last_name = @LastName, email = @Email, mobile_country = coalesce(@MobileCountry, mobile_country),
       mobile_number = coalesce(@MobileNumber, mobile_number), used_at = @now, times = times + 1`
  )
  const WHOM = 'account_id = @accountId AND email_key = @emailKey AND name_key = @nameKey'
  type Whom = PersonKey & { accountId: string }
  const forget = db.prepare<[Whom]>(`DELETE FROM people WHERE ${WHOM}`)
  // Deletes them for the whole office; finally, whatever others have changed in the meantime.
  const forgetForAll = db.prepare<[Whom & { isFinal: 0 | 1 }]>(
    `UPDATE office_records SET local = NULL, base = NULL, is_final = @isFinal, edit_count = edit_count + 1,
       is_forgotten = @isFinal AND NOT EXISTS (SELECT 1 FROM people its, json_each(its.formerly) WHERE value = office_records.id)
     WHERE kind = 'person' AND id IS NOT NULL AND EXISTS (SELECT 1 FROM office_accounts WHERE account_id = office_records.account_id)
       AND local IN (SELECT CAST(number AS TEXT) FROM people WHERE ${WHOM})`
  )
  // Forgets them under the names and addresses that were corrected here, too: another may have sent to those meanwhile.
  const forgetFormer = db.prepare<[Whom]>(
    `UPDATE office_records SET is_final = 1, is_forgotten = 1, is_gone = 0, edit_count = edit_count + 1
     WHERE kind = 'person' AND account_id = @accountId AND local IS NULL
       AND id IN (SELECT its.value FROM people, json_each(formerly) its WHERE ${WHOM})`
  )
  const forgetEverywhere = db.transaction((whom: Whom, { isFinal }: { isFinal: boolean }): void => {
    forgetForAll.run({ ...whom, isFinal: isFinal ? 1 : 0 })
    if (isFinal) forgetFormer.run(whom)
    forget.run(whom)
  })

  const isKnown = db.prepare<[Whom], unknown>(`SELECT 1 FROM people WHERE ${WHOM}`)
  // What the other entry lacks is taken over, too.
  const addUses = db.prepare(
    `UPDATE people SET times = people.times + other.times, used_at = max(people.used_at, other.used_at),
       middle_name = CASE people.middle_name WHEN '' THEN other.middle_name ELSE people.middle_name END,
       mobile_country = CASE people.mobile_number WHEN '' THEN other.mobile_country ELSE people.mobile_country END,
       mobile_number = CASE people.mobile_number WHEN '' THEN other.mobile_number ELSE people.mobile_number END
     FROM people other
     WHERE people.account_id = @accountId AND people.email_key = @emailKey AND people.name_key = @nameKey
       AND other.account_id = @accountId AND other.email_key = @otherEmail AND other.name_key = @otherName`
  )
  const rewrite = db.prepare(
    `UPDATE people SET email_key = @emailKey, name_key = @nameKey, first_name = @FirstName, last_name = @LastName,
       email = @Email, middle_name = coalesce(@MiddleName, middle_name),
       mobile_country = coalesce(@MobileCountry, mobile_country), mobile_number = coalesce(@MobileNumber, mobile_number)
     WHERE account_id = @accountId AND email_key = @wasEmail AND name_key = @wasName`
  )

  /**
   * Merges two known entries: `into` keeps its details and gets the uses of `from`, which is removed for the whole
   * office. If another workstation changed `from` meanwhile, it stays: another may have been merged into it there.
   */
  function mergeEntries(accountId: string, from: PersonKey, into: PersonKey): void {
    addUses.run({ accountId, ...into, otherEmail: from.emailKey, otherName: from.nameKey })
    forgetEverywhere({ accountId, ...from }, { isFinal: false })
  }

  function rewriteEntry(accountId: string, before: PersonKey, now: NamedAddress & Corrected): void {
    const { FirstName, LastName, Email, MiddleName, MobileCountry, MobileNumber } = now
    rewrite.run({
      accountId,
      wasEmail: before.emailKey,
      wasName: before.nameKey,
      ...keyOf(now),
      FirstName,
      LastName,
      Email,
      MiddleName: MiddleName ?? null,
      MobileCountry: MobileCountry ?? null,
      MobileNumber: MobileNumber ?? null
    })
  }

  /** @throws AppFailure `gone`. */
  function knownKey(accountId: string, person: NamedAddress): PersonKey {
    const key = keyOf(person)
    if (!isKnown.get({ accountId, ...key })) fail('gone', 'This person is no longer in the address book.')
    return key
  }

  return {
    ...openPeopleSearch({ db, recipients }),

    /** Remembers the people of a package. Called when it is put in the outbox. */
    note: db.transaction((accountId: string, composition: Composition): void => {
      const now = time.now()
      for (const person of peopleOf(composition)) {
        write.run({ ...person, accountId, ...keyOf(person), now })
      }
      changed()
    }),

    /**
     * Corrects a signer's name or address for future suggestions. An unknown person stays unknown; if both are known,
     * they are merged. With another name and another address it is someone else, and nothing is corrected.
     */
    correct: db.transaction((accountId: string, was: NamedAddress, now: NamedAddress & Corrected): void => {
      const [before, after] = [keyOf(was), keyOf(now)]
      if (before.emailKey !== after.emailKey && before.nameKey !== after.nameKey) return
      const areKnown = [before, after].every((key) => isKnown.get({ accountId, ...key }))
      const isMerge = areKnown && !isSameKey(before, after)
      if (isMerge) mergeEntries(accountId, before, after)
      rewriteEntry(accountId, isMerge ? after : before, now)
      changed()
    }),

    /**
     * Changes a person's entry, as an office edits it.
     * @throws AppFailure `gone`; `conflict` if another entry has that name and address.
     */
    change: db.transaction((accountId: string, was: NamedAddress, now: NamedAddress & Mobile): void => {
      const before = knownKey(accountId, was)
      if (!isSameKey(before, keyOf(now)) && isKnown.get({ accountId, ...keyOf(now) })) {
        fail('conflict', 'Someone with this name and e-mail is already in the address book.', {
          next: 'If they’re the same person, choose “Merge with another person…”.'
        })
      }
      rewriteEntry(accountId, before, now)
      changed()
    }),

    /**
     * Merges two entries of one person: `into` keeps its details and gets the uses of both, and what it lacks.
     * @throws AppFailure `gone`; `invalid` if they are one entry.
     */
    merge: db.transaction((accountId: string, from: NamedAddress, into: NamedAddress): void => {
      const [before, after] = [knownKey(accountId, from), knownKey(accountId, into)]
      if (isSameKey(before, after)) fail('invalid', 'These are already one entry.')
      mergeEntries(accountId, before, after)
      changed()
    }),

    /** Removes someone; others at the same address stay, and so do entries of the service's lists. */
    forget(accountId: string, person: NamedAddress): void {
      const whom = { accountId, ...keyOf(person) }
      forgetEverywhere(whom, { isFinal: true })
      changed()
    }
  }
}

type NamedAddress = Pick<PersonView, 'FirstName' | 'LastName' | 'Email'> & { MiddleName?: string | undefined }
type Mobile = Pick<PersonView, 'MobileCountry' | 'MobileNumber'>

/** A mobile as a correction gives it: undefined leaves it as it is. */
type Corrected = { [Member in keyof Mobile]?: string | undefined }

interface PersonEntry {
  FirstName: string
  MiddleName: string
  LastName: string
  Email: string
  /** Null if the form has no such field: a known value stays. */
  MobileCountry: string | null
  MobileNumber: string | null
}

/** Returns everybody in a package who has an address, without duplicates. */
function peopleOf(composition: Composition): PersonEntry[] {
  const signers = composition.items.flatMap((item) => item.signers)
  const all = [...signers.flatMap((signer) => signer.ShareUsers).map(entryOfShareUser), ...signers.map(entryOfSigner)]
  // If someone also appears as a signer, the signer's details win.
  const unique = new Map(all.map((person) => [JSON.stringify(keyOf(person)), person]))
  return [...unique.values()].filter(({ Email }) => Email !== '')
}

function entryOfSigner(signer: ComposedSigner): PersonEntry {
  return {
    ...trimmedNames(signer),
    MobileCountry: signer.MobileNumber.trim() ? signer.MobileCountry.trim() : '',
    MobileNumber: signer.MobileNumber.trim()
  }
}

function entryOfShareUser(user: ComposedShareUser): PersonEntry {
  return { ...trimmedNames(user), MobileCountry: null, MobileNumber: null }
}

function trimmedNames({ FirstName, MiddleName, LastName, Email }: ComposedShareUser | ComposedSigner) {
  return {
    FirstName: FirstName.trim(),
    MiddleName: MiddleName.trim(),
    LastName: LastName.trim(),
    Email: Email.trim()
  }
}
