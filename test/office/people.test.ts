// The address book that an office's workstations share: each suggests everyone to whom any has sent. A person
// appears once, two who share only an address or a name stay two, and a forgotten person is forgotten everywhere.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { openPurging } from '../../src/main/core/retention/purging.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { dumpOf, OfficeWorkstation, openOfficeWorkstation, twoWorkstations } from '../fixtures/office-workstation.ts'

const DAY = 86_400_000

class Workstation extends OfficeWorkstation {
  get #people() {
    return this.work.parts.people
  }
  send(FirstName: string, LastName: string, Email: string, MobileNumber = ''): void {
    this.#people.note(
      this.work.accountId,
      forms({ items: [form({ signers: [signer({ FirstName, LastName, Email, MobileNumber })] })] })
    )
  }
  forget(email: string, FirstName: string, LastName: string): void {
    this.#people.forget(this.work.accountId, { Email: email, FirstName, LastName })
  }
  correct(was: [string, string, string], now: [string, string, string]): void {
    const called = ([FirstName, LastName, Email]: [string, string, string]) => ({ FirstName, LastName, Email })
    this.#people.correct(this.work.accountId, called(was), called(now))
  }
  merge(from: [string, string, string], into: [string, string, string]): void {
    const called = ([FirstName, LastName, Email]: [string, string, string]) => ({ FirstName, LastName, Email })
    this.#people.merge(this.work.accountId, called(from), called(into))
  }
  /** Reconnects; the next of these runs before each request that stores people at the office. */
  async reconnectWith(...meanwhile: (() => unknown)[]): Promise<void> {
    this.disconnect()
    this.wrapPut(async (put, ...args) => {
      if (args[0] === 'person') await meanwhile.shift()?.()
      return put(...args)
    })
    await this.reconnect()
  }
  /** Kills and restarts it; `meanwhile` runs right after the server has reported a conflict. */
  async restartDuringMerge(meanwhile: () => Promise<unknown>): Promise<void> {
    let hasRun = false
    this.wrapPut(async (put, ...args) => {
      const answers = await put(...args)
      if (hasRun || args[0] !== 'person') return answers
      hasRun = true
      expect(answers).toMatchObject([{ outcome: 'conflict' }])
      await meanwhile()
      return answers
    })
    await this.killAndRestart()
    expect(hasRun).toBe(true)
  }
  /** Rows still stored about the office's people who aren't listed here. */
  leftovers(): unknown[] {
    return this.work.parts.db
      .prepare(
        `SELECT base, lost FROM office_records WHERE kind = 'person' AND local IS NULL
           AND (base IS NOT NULL OR lost -> '$.content' IS NOT NULL OR lost -> '$.shared' IS NOT NULL)`
      )
      .all()
  }
  list(): string[] {
    const { rows } = this.#people.list(this.work.accountId, { search: '', offset: 0, limit: 100 })
    return rows.map((one) => `${one.FirstName} ${one.LastName} <${one.Email}> ${one.MobileNumber} ${one.times}`).sort()
  }
}

const two = twoWorkstations(Workstation)
const { at, workstations, joinBoth, whenSynced } = two
function expectAll(...expected: unknown[]): void {
  for (const workstation of workstations) expect(workstation.list()).toEqual(expected)
}

test('joining merges people with the same name and e-mail, and keeps all others apart', async () => {
  at(0).send('Mere', 'Parata', 'mere@example.com', '021 555 0101')
  at(0).send('Rewi', 'Parata', 'mere@example.com')
  at(1).send('mere', 'parata', 'Mere@example.com')
  at(1).send('Mere', 'Parata', 'other@example.com')
  await joinBoth()
  await whenSynced()
  expectAll(
    'Mere Parata <other@example.com>  1',
    'Rewi Parata <mere@example.com>  1',
    expect.stringMatching(/^mere parata <mere@example.com> .* 2$/i)
  )
})

describe('joined workstations', () => {
  beforeEach(joinBoth)

  test('get someone who was added while another, erased meanwhile, was on the way to the office', async () => {
    const { work } = at(0)
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await at(0).reconnectWith(async () => {
      await openPurging(work.parts.db).erase({ people: work.clock() + DAY })
      at(0).send('Rewi', 'Smith', 'rewi@example.com')
    })
    await whenSynced()
    expect(at(1).list()).toContain('Rewi Smith <rewi@example.com>  1')
  })

  test('suggest people to whom another has sent, and count the sends of all', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const { people } = at(1).work.parts
    expect(people.find(at(1).work.accountId, 'mer', 5).people).toMatchObject([{ LastName: 'Parata', from: 'sent' }])
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com', '021 555 0101')
    at(1).send('Mere', 'Parata', 'mere@example.com', '021 555 0202')
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    // If two sent to a person at once with different numbers, the later one counts.
    expectAll(expect.stringMatching(/^Mere Parata <mere@example.com> 021 555 0[12]0[12] 3$/))
    expect(at(0).list()).toEqual(at(1).list())
    const rows = JSON.stringify(await two.office.sql('SELECT shared_item::text AS text FROM office.shared_item'))
    // Not three digits alone: sealed content is shown as numbers and may contain them by chance.
    expect(rows).not.toMatch(/mere|parata|021 555/i)
    for (const word of ['Mere', 'Parata', '021 555']) expect(rows).not.toContain(Buffer.from(word).toString('hex'))
  })

  test('merge two entries of a person everywhere, with the uses of both and those meanwhile', async () => {
    at(0).send('Mere', 'Parata', 'old@example.com', '021 555 0101')
    at(0).send('Mere', 'Parata', 'old@example.com', '021 555 0101')
    at(1).send('Mere', 'Walker', 'mere@example.com')
    await whenSynced()
    at(1).disconnect()
    at(1).send('Mere', 'Walker', 'mere@example.com')
    at(0).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    expectAll(expect.stringMatching(/^Mere Walker <mere@example.com> .* 4$/))
    expect(at(0).list()).toEqual(at(1).list())
  })

  // Dropping the one that arrives second would lose uses if the workstations merged into a third entry: see below.
  test('keep two entries that two workstations merged into each other, with the uses of both, until they are merged again', async () => {
    at(0).send('Mere', 'Parata', 'old@example.com')
    at(1).send('Mere', 'Walker', 'mere@example.com')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    at(0).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    at(1).merge(['Mere', 'Walker', 'mere@example.com'], ['Mere', 'Parata', 'old@example.com'])
    await at(0).reconnect()
    await at(1).reconnect()
    await whenSynced()
    expectAll('Mere Parata <old@example.com>  2', 'Mere Walker <mere@example.com>  2')
    at(1).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    await whenSynced()
    expectAll('Mere Walker <mere@example.com>  4')
  })

  test.each([
    { what: 'this first', order: [0, 1] },
    { what: 'the other first', order: [1, 0] }
  ])('keep the uses of an entry merged into one that another merges into a third, $what', async ({ order }) => {
    at(0).send('Mere', 'Parata', 'old@example.com')
    at(0).send('Mere', 'Walker', 'mere@example.com')
    at(1).send('Mere', 'Walker', 'new@example.com')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    at(0).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    at(1).merge(['Mere', 'Walker', 'mere@example.com'], ['Mere', 'Walker', 'new@example.com'])
    for (const index of order) await at(index).reconnect()
    await whenSynced()
    expectAll('Mere Walker <mere@example.com>  2', 'Mere Walker <new@example.com>  2')
  })

  test.each([
    { when: 'knew of the merge', isTold: true },
    { when: 'tells of its own use after the merge', isTold: false }
  ])(
    'forget a person who was merged elsewhere, also where they were sent to: that workstation $when',
    async ({ isTold }) => {
      const third = await openOfficeWorkstation(Workstation, two.office, at(0))
      await third.join('Counter 3')
      at(0).send('Mere', 'Parata', 'old@example.com')
      at(0).send('Mere', 'Walker', 'mere@example.com')
      for (const workstation of [...workstations, third]) await workstation.whenSynced()
      for (const workstation of [...workstations, third]) workstation.disconnect()
      at(0).forget('old@example.com', 'Mere', 'Parata')
      third.send('Mere', 'Parata', 'old@example.com')
      at(1).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
      await at(1).reconnect()
      if (isTold) await third.reconnectWith(() => at(0).reconnect())
      else {
        await at(0).reconnect()
        await third.reconnect()
      }
      for (const workstation of [...workstations, third, ...workstations]) await workstation.whenSynced()
      expectAll('Mere Walker <mere@example.com>  2')
      expect(third.list()).toEqual(at(0).list())
    }
  )

  test('keep someone’s previous entry if another sends to it while it is corrected', async () => {
    at(0).send('Mere', 'Prata', 'mere@example.com')
    await whenSynced()
    at(0).disconnect()
    at(0).send('Mere', 'Prata', 'mere@example.com')
    at(1).correct(['Mere', 'Prata', 'mere@example.com'], ['Mere', 'Parata', 'mere@example.com'])
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  1', 'Mere Prata <mere@example.com>  2')
  })

  test('keep an entry that is merged into another while someone elsewhere sends to it', async () => {
    at(0).send('Mere', 'Parata', 'old@example.com')
    at(1).send('Mere', 'Walker', 'mere@example.com')
    await whenSynced()
    at(0).disconnect()
    at(0).merge(['Mere', 'Parata', 'old@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    at(1).send('Mere', 'Parata', 'old@example.com')
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata <old@example.com>  2', 'Mere Walker <mere@example.com>  2')
  })

  test('count every send if the connection breaks right after a conflict', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    const outcomes: string[] = []
    at(0).wrapPut(async (put, ...args) => {
      if (args[0] !== 'person' || outcomes.length > 0) return put(...args)
      at(1).send('Mere', 'Parata', 'mere@example.com')
      await at(1).whenSynced()
      const answers = await put(...args)
      outcomes.push(...answers.map(({ outcome }) => outcome))
      at(0).disconnect()
      return answers
    })
    await expect(at(0).reconnect()).rejects.toBeDefined()
    expect(outcomes).toEqual(['conflict'])
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  3')
  })

  test('merge a person to whom both sent, even if the connection breaks right after reading the other’s', async () => {
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await at(1).whenSynced()
    const { records } = at(0).work.parts
    const connect = records.connect.bind(records)
    let breaks = true
    records.connect = (its, ...more) =>
      connect(
        {
          ...its,
          async changes(...args) {
            const page = await its.changes(...args)
            if (breaks && page.length > 0) at(0).disconnect()
            breaks &&= page.length === 0
            return page
          }
        },
        ...more
      )
    await expect(at(0).reconnect()).rejects.toBeDefined()
    expect(breaks).toBe(false)
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  2')
  })

  test('count a send once if its answer was lost and another has sent since', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    let isAnswered = false
    at(0).disconnect()
    at(0).wrapPut(async (put, ...args) => {
      const answers = await put(...args)
      if (isAnswered || args[0] !== 'person') return answers
      at(0).disconnect()
      throw new Error('The line broke.')
    })
    await expect(at(0).reconnect()).rejects.toBeDefined()
    await at(1).whenSynced()
    expect(at(1).list()).toEqual(['Mere Parata <mere@example.com>  2'])
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await at(1).whenSynced()
    isAnswered = true
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  3')
  })

  test('forget a person everywhere, even one sent to meanwhile, until someone sends to them again', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(0).disconnect()
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectAll()
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE sealed IS NOT NULL')).toEqual([])
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  1')
  })

  test.each([
    ['before another reads that they were corrected', [1, 0]],
    ['after another has corrected them without hearing of it', [0, 1]]
  ] as const)('forget a person under their corrected name, too: %s', async (_when, order) => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    at(1).correct(['Mere', 'Parata', 'mere@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    at(1).correct(['Mere', 'Walker', 'mere@example.com'], ['Mere', 'Walker', 'walker@example.com'])
    for (const index of order) {
      await at(index).reconnect()
      await at(index).whenSynced()
    }
    await whenSynced()
    await whenSynced()
    expectAll()
    at(1).send('Mere', 'Walker', 'walker@example.com')
    await whenSynced()
    at(1).correct(['Mere', 'Walker', 'walker@example.com'], ['Mere', 'Hall', 'walker@example.com'])
    await whenSynced()
    expectAll('Mere Hall <walker@example.com>  1')
  })

  test('forget a person under their previous name, too, although another sent to that meanwhile', async () => {
    at(0).send('Mere', 'Prata', 'mere@example.com')
    await whenSynced()
    at(1).disconnect()
    at(1).send('Mere', 'Prata', 'mere@example.com')
    at(0).correct(['Mere', 'Prata', 'mere@example.com'], ['Mere', 'Parata', 'mere@example.com'])
    await at(0).whenSynced()
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    await whenSynced()
    expectAll()
    at(1).send('Mere', 'Prata', 'mere@example.com')
    await whenSynced()
    expectAll('Mere Prata <mere@example.com>  1')
  })

  test('keep a person who was sent to again and then corrected, also where they were forgotten before', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    await whenSynced()
    at(0).disconnect()
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await at(1).whenSynced()
    at(1).correct(['Mere', 'Parata', 'mere@example.com'], ['Mere', 'Walker', 'mere@example.com'])
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectAll('Mere Walker <mere@example.com>  1')
  })

  test('keep nothing of a person who is forgotten while being synced', async () => {
    const leftovers: unknown[][] = []
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await at(0).reconnectWith(
      () => at(0).forget('mere@example.com', 'Mere', 'Parata'),
      () => leftovers.push(at(0).leftovers())
    )
    expect(leftovers).toEqual([[]])
    await whenSynced()
    expectAll()
  })

  test('keep a person forgotten when another’s change arrives at the same time', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(0).disconnect()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await at(0).reconnectWith(async () => {
      at(1).send('Mere', 'Parata', 'mere@example.com')
      await at(1).whenSynced()
      at(0).forget('mere@example.com', 'Mere', 'Parata')
    })
    await whenSynced()
    expectAll()
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE sealed IS NOT NULL')).toEqual([])
  })

  test('keep a person forgotten for longer than they would have been kept', { tags: ['full'] }, async () => {
    for (const workstation of workstations) workstation.work.keeping.people = 30
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    at(1).disconnect()
    at(1).send('Mere', 'Parata', 'mere@example.com')
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    await at(0).whenSynced()
    await two.office.sql(
      `UPDATE office.shared_item SET expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL`
    )
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    expectAll()
  })

  test('keep a person at the office for as long as the last sender keeps them', async () => {
    at(0).work.keeping.people = 30
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    expect(await two.office.sql('SELECT expires_at IS NULL AS always FROM office.shared_item')).toEqual([
      { always: false }
    ])
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    expect(await two.office.sql('SELECT expires_at IS NULL AS always FROM office.shared_item')).toEqual([
      { always: true }
    ])
  })

  test('can forget a person whose shared record they can’t read', {
    tags: ['full']
  }, async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const { officeId, records } = await two.third()
    const put = (id: string, basedOn: string[]) =>
      records.put('person', officeId, [{ id, version: randomUUID(), basedOn, content: { later: 1 } }])
    const [change] = await records.changes('person', officeId, 0, 10)
    await put(change?.id ?? '', [change?.version ?? ''])
    // Another person, of whom this workstation had nothing.
    await put(records.idFor('person', officeId, '["tama@example.com","tama brooks"]'), [])
    await whenSynced()
    at(1).send('Tama', 'Brooks', 'tama@example.com')
    await whenSynced()
    at(1).forget('mere@example.com', 'Mere', 'Parata')
    at(1).forget('tama@example.com', 'Tama', 'Brooks')
    await whenSynced()
    expectAll()
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE sealed IS NOT NULL')).toEqual([])
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  1')
  })

  test('add local sends to a person’s record once it is readable again', { tags: ['full'] }, async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const { officeId, records } = await two.third()
    const [change] = await records.changes('person', officeId, 0, 10)
    const { id = '', version = '', content } = change ?? {}
    const later = { id, version: randomUUID(), basedOn: [version], content: { later: 1 } }
    await records.put('person', officeId, [later])
    await at(0).whenSynced()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await at(0).whenSynced()
    await records.put('person', officeId, [{ id, version: randomUUID(), basedOn: [later.version], content }])
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  2')
  })

  test('correct a person everywhere, and leave no wrong entry behind', async () => {
    at(0).send('Mere', 'Prata', 'mere@example.com')
    await whenSynced()
    at(1).correct(['Mere', 'Prata', 'mere@example.com'], ['Mere', 'Parata', 'mere@example.com'])
    await whenSynced()
    expectAll('Mere Parata <mere@example.com>  1')
    at(0).correct(['Mere', 'Parata', 'mere@example.com'], ['Mere', 'PARATA', 'mere@example.com'])
    await whenSynced()
    expectAll('Mere PARATA <mere@example.com>  1')
  })

  const sends = (LastName: string) => (other: Workstation) =>
    other.send('Mere', LastName, 'mere@example.com', '021 555 0101')
  const meanwhile = [
    { what: 'another sends to the person', name: 'Mere Parata', act: sends('Parata') },
    { what: 'another sends to the person in other letters', name: 'Mere PARATA', act: sends('PARATA') },
    {
      what: 'an earlier entry is merged into that person at another',
      name: 'Mere Parata',
      earlier: 'Prata',
      act: (other: Workstation) =>
        other.merge(['Mere', 'Prata', 'mere@example.com'], ['Mere', 'Parata', 'mere@example.com'])
    }
  ]
  test.each(meanwhile.flatMap((one) => [0, 1].map((first) => ({ ...one, first }))))(
    'keep a mobile corrected at one while $what (told first: $first)',
    async ({ name, earlier, act, first }) => {
      if (earlier) at(0).send('Mere', earlier, 'mere@example.com')
      at(0).send('Mere', 'Parata', 'mere@example.com', '021 555 0101')
      await whenSynced()
      for (const workstation of workstations) workstation.disconnect()
      const mere = { FirstName: 'Mere', LastName: 'Parata', Email: 'mere@example.com' }
      const { people } = at(0).work.parts
      people.change(at(0).work.accountId, mere, { ...mere, MobileCountry: '64', MobileNumber: '021 555 0199' })
      act(at(1))
      await at(first).reconnect()
      await at(first).whenSynced()
      await at(1 - first).reconnect()
      await whenSynced()
      expectAll(`${name} <mere@example.com> 021 555 0199 2`)
    }
  )

  test('purge people by their own retention period, and the office by the one it was given', async () => {
    for (const workstation of workstations) workstation.work.keeping.people = 30
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const [row] = await two.office.sql<{ days: number }>(
      `SELECT extract(epoch FROM expires_at - now())::integer / 86400.0 AS days FROM office.shared_item`
    )
    expect(Math.round(Number(row?.days))).toBe(30)
    await openPurging(at(1).work.parts.db).erase({ people: at(1).work.clock() + DAY })
    await whenSynced()
    expect([at(0).list(), at(1).list()]).toEqual([['Mere Parata <mere@example.com>  1'], []])
    // Reading everything again doesn't bring the person back either.
    at(1).work.time.now += 31 * DAY
    at(1).work.parts.db.exec('UPDATE office_record_cursors SET cursor = 0')
    await whenSynced()
    expect([at(0).list(), at(1).list()]).toEqual([['Mere Parata <mere@example.com>  1'], []])
    await two.office.sql(`UPDATE office.shared_item SET expires_at = now() - interval '1 s'`)
    await whenSynced()
    expect(await two.office.sql('SELECT FROM office.shared_item')).toEqual([])
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    expect(at(0).list()).toEqual(['Mere Parata <mere@example.com>  1'])
  })

  test('ignore invalid people, and people under an id that isn’t theirs', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const { officeId, records } = await two.third()
    const good = {
      firstName: 'Tama',
      middleName: '',
      lastName: 'Brooks',
      email: 'tama@example.com',
      mobileCountry: '',
      mobileNumber: '',
      usedAt: 1,
      times: 1
    }
    const mere = { ...good, firstName: 'Mere', lastName: 'Parata', email: 'mere@example.com' }
    const put = (id: string, content: unknown, basedOn: string[] = []) =>
      records.put('person', officeId, [{ id, version: randomUUID(), basedOn, content }])
    const [change] = await records.changes('person', officeId, 0, 10)
    await put('another', mere)
    await put('1', good)
    // A clock that is years ahead counts as a day ahead at most.
    const aroha = { ...good, firstName: 'Aroha', lastName: 'King', email: 'aroha@example.com' }
    const ahead = at(0).work.clock() + 10_000 * DAY
    await put(records.idFor('person', officeId, '["aroha@example.com","aroha king"]'), { ...aroha, usedAt: ahead })
    await put(records.idFor('person', officeId, '["tama@example.com","tama brooks"]'), { ...good, times: -1 })
    await put(change?.id ?? '', good, [change?.version ?? ''])
    await whenSynced()
    for (const workstation of workstations) {
      const newest =
        workstation.work.parts.db.prepare<[], number>('SELECT max(used_at) FROM people').pluck().get() ?? Infinity
      expect(newest).toBeLessThanOrEqual(workstation.work.clock() + DAY)
    }
    expectAll('Aroha King <aroha@example.com>  1', 'Mere Parata <mere@example.com>  1')
  })

  test('return lost people to a restored server, but not anyone forgotten since', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    at(1).send('Tama', 'Brooks', 'tama@example.com')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    await at(1).reconnect()
    await at(0).reconnect()
    await whenSynced()
    expectAll('Tama Brooks <tama@example.com>  1')
  })

  test.each([
    ['forgot them', 0, 1],
    ['corrected their name meanwhile', 1, 0]
  ])(
    'keep a person forgotten that a restored server never had, if the one that %s returns first',
    async (_, first, second) => {
      const restoreServer = await dumpOf(two.office)
      at(0).send('Mere', 'Parata', 'mere@example.com')
      await whenSynced()
      for (const workstation of workstations) workstation.disconnect()
      at(0).forget('mere@example.com', 'Mere', 'Parata')
      at(1).correct(['Mere', 'Parata', 'mere@example.com'], ['Mere', 'Te Parata', 'mere@example.com'])
      for (const workstation of workstations) await workstation.powerOff()
      await restoreServer()
      await at(first).killAndRestart()
      await at(first).whenSynced()
      await at(second).killAndRestart()
      await whenSynced()
      await whenSynced()
      expectAll()
    }
  )

  test('keep a person forgotten to whom another sends just as a restored server is told that', async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    await at(0).whenSynced()
    await at(0).powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    at(1).disconnect()
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await at(0).killAndRestart()
    await at(1).reconnect()
    await whenSynced()
    expectAll()
  })

  test('count each use once after a restore, even if several report it again', async () => {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    at(0).send('Mere', 'Parata', 'mere@example.com')
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await at(0).whenSynced()
    await third.whenSynced()
    await at(0).powerOff()
    await third.powerOff()
    at(1).send('Mere', 'Parata', 'mere@example.com')
    await restoreServer()
    for (const workstation of [at(1), at(0), third]) await workstation.killAndRestart()
    await whenSynced()
    await third.whenSynced()
    expectAll('Mere Parata <mere@example.com>  4')
    expect(third.list()).toEqual(at(0).list())
  })

  describe('with a restored server that has been used since', () => {
    let restoreServer = async () => {}
    const mere = (workstation: Workstation, times: number) => {
      for (let each = 0; each < times; each++) workstation.send('Mere', 'Parata', 'mere@example.com')
    }
    /** The first workstation sends more often than the restored server knows; the second doesn't learn of that. */
    async function usedBy(lost: number, ...others: Workstation[]): Promise<void> {
      mere(at(0), 2)
      for (const workstation of [...workstations, ...others]) await workstation.whenSynced()
      restoreServer = await dumpOf(two.office)
      await at(1).powerOff()
      mere(at(0), lost)
      for (const workstation of [at(0), ...others]) await workstation.whenSynced()
      for (const workstation of [at(0), ...others]) await workstation.powerOff()
    }
    async function usedSince(times: number): Promise<void> {
      mere(at(1), times)
      await restoreServer()
      await at(1).killAndRestart()
    }

    test.each([
      [1, 2],
      [3, 1]
    ])(
      'count each use once, even one made during the merge: %i lost, %i since',
      { tags: ['full'] },
      async (lost, since) => {
        await usedBy(lost)
        await usedSince(since)
        await at(0).restartDuringMerge(async () => {
          mere(at(1), 1)
          await at(1).whenSynced()
        })
        await whenSynced()
        expectAll(`Mere Parata <mere@example.com>  ${2 + lost + since + 1}`)
      }
    )

    test('count each use once, even if two merge lost uses at the same time', { tags: ['full'] }, async () => {
      const third = await openOfficeWorkstation(Workstation, two.office, at(0))
      await third.join('Counter 3')
      await usedBy(1, third)
      mere(third, 1)
      await usedSince(1)
      await at(0).restartDuringMerge(() => third.killAndRestart())
      await whenSynced()
      await third.whenSynced()
      await whenSynced()
      expectAll('Mere Parata <mere@example.com>  5')
      expect(third.list()).toEqual(at(0).list())
    })

    test('return lost uses once the server’s record is readable', { tags: ['full'] }, async () => {
      await usedBy(1)
      await usedSince(0)
      const { officeId, records } = await two.third()
      const [change] = await records.changes('person', officeId, 0, 10)
      const { id = '', version = '', content } = change ?? {}
      const later = { id, version: randomUUID(), basedOn: [version], content: { later: 1 } }
      await records.put('person', officeId, [later])
      await at(0).killAndRestart()
      await records.put('person', officeId, [{ id, version: randomUUID(), basedOn: [later.version], content }])
      await at(0).killAndRestart()
      await whenSynced()
      expectAll('Mere Parata <mere@example.com>  3')
    })

    test('keep nothing of a person forgotten before lost uses are returned', { tags: ['full'] }, async () => {
      await usedBy(1)
      await usedSince(1)
      await at(0)
        .restartDuringMerge(async () => at(0).disconnect())
        .catch(() => undefined)
      expect(at(0).list()).toEqual(['Mere Parata <mere@example.com>  4'])
      at(0).forget('mere@example.com', 'Mere', 'Parata')
      expect(at(0).leftovers()).toEqual([])
      await at(0).reconnect()
      await whenSynced()
      expectAll()
    })
  })

  test('keep a person forgotten after a restore, even if the server refuses the removal at first', {
    tags: ['full']
  }, async () => {
    at(0).send('Mere', 'Parata', 'mere@example.com')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).forget('mere@example.com', 'Mere', 'Parata')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    await two.office.sql(
      `CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`
    )
    await two.office.sql(
      `CREATE TRIGGER refused BEFORE UPDATE ON office.shared_item FOR EACH ROW WHEN (NEW.sealed IS NULL) EXECUTE FUNCTION refused()`
    )
    await restoreServer()
    await expect(at(0).reconnect()).rejects.toBeDefined()
    expect(at(0).list()).toEqual([])
    await two.office.sql('DROP TRIGGER refused ON office.shared_item')
    await at(1).reconnect()
    await whenSynced()
    expectAll()
  })
})

test('after any sequence of events, all have the same people, once each, with every use of those not forgotten', async () => {
  await joinBoth()
  const command = fc.record({
    who: fc.nat(1),
    what: fc.constantFrom(
      'send',
      'send',
      'send',
      'forget',
      'correct',
      'merge',
      'merge',
      'away',
      'back',
      'sync',
      'sync'
    ),
    whom: fc.nat(3),
    other: fc.nat(3)
  })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 24 }), async (commands) => {
      for (const workstation of workstations) workstation.work.parts.db.exec(`UPDATE people SET times = times`)
      // Each of the four with all who were merged with them or into them; a correction doesn't make another one.
      const families = [0, 1, 2, 3].map((whom) => new Set([whom]))
      const forgotten = new Set<number>()
      const sent = [0, 0, 0, 0]
      const listed = () =>
        at(0)
          .list()
          .map((text) => ({
            whom: Number(/person(\d)@/.exec(text)?.[1]),
            name: text.replace(/ <.*/, ''),
            times: Number(/\d+$/.exec(text)?.[0])
          }))
      const before = listed()
      const disconnected = new Set<number>()
      const entry = (whom: number): [string, string, string] => ['Person', `Of ${whom}`, `person${whom}@example.com`]
      for (const { who, what, whom, other } of commands) {
        const workstation = at(who)
        const [first, last, mail] = entry(whom)
        if (what === 'send') {
          workstation.send(first, last, mail)
          sent[whom] = (sent[whom] ?? 0) + 1
        } else if (what === 'forget') {
          workstation.forget(mail, first, last)
          forgotten.add(whom)
        } else if (what === 'correct') workstation.correct([first, last, mail], [first, `Corrected ${whom}`, mail])
        else if (what === 'merge') {
          const known = [whom, other].every((one) => workstation.list().some((text) => text.includes(`Of ${one} <`)))
          if (!known || whom === other) continue
          workstation.merge([first, last, mail], entry(other))
          const family = new Set([...(families[whom] ?? []), ...(families[other] ?? [])])
          for (const one of family) families[one] = family
        } else if (what === 'away') {
          workstation.disconnect()
          disconnected.add(who)
        } else if (what === 'back') {
          await workstation.reconnect()
          disconnected.delete(who)
        } else if (!disconnected.has(who)) await workstation.whenSynced()
      }
      for (const workstation of workstations) await workstation.reconnect()
      // Simultaneous merges go back and forth until both have the same.
      await expect
        .poll(
          async () => {
            await whenSynced()
            const [mine, theirs] = workstations.map((workstation) => workstation.list().join('\n'))
            return mine === theirs ? '' : `${mine}\n  here, and there\n${theirs}`
          },
          { timeout: 60_000 }
        )
        .toBe('')
      const after = listed()
      const names = after.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      // Someone merged twice at the same time may be counted at both ends, and can be merged again.
      for (const family of new Set(families)) {
        if ([...family].some((whom) => forgotten.has(whom))) continue
        const timesIn = (rows: typeof after) =>
          rows.reduce((sum, { whom, times }) => sum + (family.has(whom) ? times : 0), 0)
        const wanted = [...family].reduce((sum, whom) => sum + (sent[whom] ?? 0), timesIn(before))
        expect(timesIn(after), JSON.stringify([...family])).toBeGreaterThanOrEqual(wanted)
      }
    }),
    { numRuns: 12, includeErrorInReport: true }
  )
})
