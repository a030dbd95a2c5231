/** Employer records from a screen to the practice service's record and back (operation 3), and the local copy. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Employers, type EmployersDeps, openEmployers } from '../../../src/main/core/directory/employers.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { type EmployerChange, requests } from '../../../src/shared/contract/index.ts'
import { type Office, openOffice } from '../actions/office.ts'

let office: Office
let employers: Employers
let announcements: number
beforeEach(async () => {
  office = await openOffice('demo')
  open()
})
afterEach(() => office.close())

function open(clientOf: EmployersDeps['clientOf'] = office.parts.clients.of) {
  announcements = 0
  const { db, rights } = office.parts
  employers = openEmployers({
    db,
    clientOf,
    rights,
    time: { now: () => office.time.now },
    changed: () => void announcements++
  })
}

type Client = Awaited<ReturnType<EmployersDeps['clientOf']>>
/** A client whose answers about employers arrive only once `arrive` is done. */
const withAnswers = (client: Client, arrive: () => Promise<void>): Client => ({
  ...client,
  getEmployers: async () => {
    const answer = await client.getEmployers()
    await arrive()
    return answer
  }
})
const noRoute = () =>
  office.line.setFault({ status: 404 }, (method, path) => method === 'GET' && path.includes('mployers'))
const record = (more: Partial<EmployerChange> = {}): EmployerChange => ({
  kind: 'TFN',
  Reference: 'orchard',
  Name: 'Kauri Orchards',
  IsDefault: false,
  fields: { ABN: '51 824 753 556', BusinessEmail: '', ContactPerson: ' Hana Ngata ' },
  ...more
})
const failing = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('This should have been refused.'),
    (error: unknown) => asAppError(error)
  )

describe('when the service provides employers', () => {
  test('all kinds are shown, and stored for offline use', async () => {
    const view = await employers.list(office.accountId, { refresh: true })
    expect(view.from).toBe('service')
    expect(new Set(view.records.map(({ kind }) => kind))).toEqual(
      new Set(['SuperFund', 'TFN', 'AccClaimsHistory', 'MOJ', 'StandardMOJ'])
    )
    expect(office.parts.rights.of(office.accountId).readsEmployers).toBe('yes')
    await office.cutLine()
    await office.startAgain()
    open()
    const offline = await employers.list(office.accountId, { refresh: true })
    expect(offline).toMatchObject({ records: view.records, at: view.at, problem: { code: 'refused' } })
  })
})

test('records read while the clock was ahead are read again once that is set back', async () => {
  office.time.now += 365 * 86_400_000
  await employers.list(office.accountId, { refresh: true })
  office.time.now -= 365 * 86_400_000
  const { at } = await employers.list(office.accountId, { refresh: false })
  expect(at).toBe(office.time.now)
})

describe('when it doesn’t', () => {
  test('nothing is known until something is saved, then everything in the answer', async () => {
    noRoute()
    expect(await employers.list(office.accountId, { refresh: true })).toEqual({ records: [], from: 'nowhere' })
    expect(office.parts.rights.of(office.accountId).readsEmployers).toBe('no')
    const saved = await employers.save(office.accountId, [record()])
    expect(saved.from).toBe('local')
    expect(saved.records.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['TFN', 'MOJ', 'StandardMOJ']))
    expect(await employers.list(office.accountId, { refresh: true })).toEqual(saved)
  })
})

describe('saving', () => {
  test('sends exactly the reference’s members of changed records, by kind, without empty texts', async () => {
    const { records } = await employers.list(office.accountId, { refresh: true })
    const unchanged = records.filter(({ kind }) => kind === 'SuperFund') as EmployerChange[]
    const claims = record({ kind: 'AccClaimsHistory', Reference: 'claims', fields: { OrganisationName: 'Kauri' } })
    const view = await employers.save(office.accountId, [...unchanged, record({ IsDefault: true }), claims])
    expect(office.taken('UpdateEmployers').map(({ body }) => body)).toEqual([
      {
        TFN: [
          {
            Reference: 'orchard',
            Name: 'Kauri Orchards',
            IsDefault: true,
            ABN: '51 824 753 556',
            ContactPerson: 'Hana Ngata'
          }
        ],
        AccClaimsHistory: [{ Reference: 'claims', Name: 'Kauri Orchards', IsDefault: false, OrganisationName: 'Kauri' }]
      }
    ])
    expect(
      view.records.filter(({ kind, IsDefault }) => kind === 'TFN' && IsDefault).map((one) => one.Reference)
    ).toEqual(['orchard'])
    expect(announcements).toBe(2)
  })

  test('sends nothing that is unchanged', async () => {
    await employers.save(office.accountId, [record()])
    await employers.save(office.accountId, [record()])
    expect(office.taken('UpdateEmployers')).toHaveLength(1)
  })

  test('keeps members unknown to this version in the local copy', async () => {
    office.line.spoil((body) => body.replace('"TFN":[', '"New":{"a":1},"TFN":['))
    await employers.save(office.accountId, [record()])
    const stored = office.parts.db.prepare<[], string>('SELECT records FROM employers').pluck().get()
    expect(JSON.parse(stored ?? '')).toMatchObject({ New: { a: 1 } })
  })

  test('refuses a wrong ABN or a duplicate reference at its field', async () => {
    const wrong = record({ fields: { ABN: '51 824 753 557' } })
    expect(await failing(employers.save(office.accountId, [wrong]))).toMatchObject({
      code: 'invalid',
      fields: [{ field: 'records.0.ABN' }]
    })
    expect(await failing(employers.save(office.accountId, [record(), record({ Name: 'Other' })]))).toMatchObject({
      fields: [{ field: 'records.1.Reference' }]
    })
    expect(office.taken('UpdateEmployers')).toEqual([])
  })

  test('is refused offline with a reason', async () => {
    await office.cutLine()
    const error = await failing(employers.save(office.accountId, [record()]))
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('Nothing was saved') })
  })

  test('whose answer was lost says so, and can safely be repeated', async () => {
    office.line.setFault('lose-answer', (method) => method === 'POST')
    const error = await failing(employers.save(office.accountId, [record()]))
    expect(error).toMatchObject({ message: expect.stringContaining('safe to save it again') })
    // With it people would be told not to save again until Countersign has found out what happened, which it doesn't
    // do.
    expect(error).not.toHaveProperty('mayHaveArrived')
    office.line.setFault('pass')
    const view = await employers.save(office.accountId, [record()])
    expect(view.records.filter(({ Reference }) => Reference === 'orchard')).toHaveLength(1)
  })
})

describe('an answer that isn’t the account’s records', () => {
  const answering = (answer: unknown) => office.line.spoil(() => JSON.stringify(answer))
  const references = (records: readonly { Reference: string }[]) => records.map(({ Reference }) => Reference)
  const nothings: [string, unknown][] = [
    ['an error that came as a success', { ResponseStatus: { ErrorCode: 'Busy', Message: 'Not now.' } }],
    ['nothing at all', {}],
    ['lists that are null', { TFN: null, SuperFund: null }]
  ]

  test.each([...nothings, ['records without the saved one', { TFN: [{ Reference: 'E8', Name: 'Other' }] }]])(
    'after saving (%s) doesn’t count as saved, and loses nothing',
    async (_, answer) => {
      const before = await employers.list(office.accountId, { refresh: true })
      answering(answer)
      const error = await failing(employers.save(office.accountId, [record()]))
      expect(error).toMatchObject({
        code: 'unexpected-shape',
        message: expect.stringContaining('It may have been saved.')
      })
      expect((await employers.list(office.accountId, { refresh: false })).records).toEqual(before.records)
    }
  )

  test.each(nothings)('on reading (%s) is reported as a problem beside the last known records', async (_, answer) => {
    const before = await employers.list(office.accountId, { refresh: true })
    answering(answer)
    const after = await employers.list(office.accountId, { refresh: true })
    expect(after).toMatchObject({ records: before.records, at: before.at, problem: { code: 'unexpected-shape' } })
  })

  test('as an error on a first read doesn’t mean that the account’s employers can be read', async () => {
    answering({ ResponseStatus: { ErrorCode: 'Busy' } })
    const view = await employers.list(office.accountId, { refresh: true })
    expect(view).toMatchObject({ records: [], from: 'nowhere', problem: { code: 'unexpected-shape' } })
    expect(office.parts.rights.of(office.accountId).readsEmployers).toBe('unknown')
  })

  test('with one unreadable record keeps the others, and names it', async () => {
    const [good, odd] = [
      { Reference: 'E1', Name: 'Employer 1' },
      { Reference: { a: 1 }, Name: 'Odd Orchards' }
    ]
    answering({ TFN: [good, odd], moj: [{ Reference: 'm', Name: 'MOJ' }] })
    const view = await employers.list(office.accountId, { refresh: true })
    expect(references(view.records)).toEqual(['E1', 'm'])
    const problem = { message: expect.stringContaining('TFN “Odd Orchards”'), path: 'TFN[1].Reference' }
    expect(view.problem).toMatchObject(problem)
    // It is also reported when the copy is shown later.
    expect((await employers.list(office.accountId, { refresh: false })).problem).toMatchObject(problem)
  })
})

describe('an account whose service changes', () => {
  const elsewhere = { baseUrl: 'http://127.0.0.1:9/other', authentication: { scheme: 'none' } } as const

  test('keeps no records of the one before', async () => {
    await employers.list(office.accountId, { refresh: true })
    await office.parts.accounts.update(office.accountId, elsewhere)
    office.parts.clients.forget(office.accountId)
    const view = await employers.list(office.accountId, { refresh: false })
    expect(view).toMatchObject({ records: [], from: 'nowhere' })
  })

  test('while its records are read gets none of the one before', async () => {
    const { of } = office.parts.clients
    let isMoved = false
    open(async (id) => {
      const client = await of(id)
      if (isMoved) return client
      return withAnswers(client, async () => {
        isMoved = true
        await office.parts.accounts.update(office.accountId, elsewhere)
        office.parts.clients.forget(office.accountId)
      })
    })
    const view = await employers.list(office.accountId, { refresh: true })
    expect(view).toMatchObject({ records: [], from: 'nowhere' })
  })

  test('while a record is saved gets none of the one before', async () => {
    const { of } = office.parts.clients
    let isMoved = false
    open(async (id) => {
      const client = await of(id)
      if (isMoved) return client
      return {
        ...client,
        updateEmployers: async (request) => {
          const answer = await client.updateEmployers(request)
          isMoved = true
          await office.parts.accounts.update(office.accountId, elsewhere)
          office.parts.clients.forget(office.accountId)
          return answer
        }
      }
    })
    expect(await employers.save(office.accountId, [record()])).toMatchObject({ records: [] })
    const view = await employers.list(office.accountId, { refresh: false })
    expect(view).toMatchObject({ records: [], from: 'nowhere' })
  })
})

test('a record saved while the records are read stays, although that answer lacks it', async () => {
  const client = await office.parts.clients.of(office.accountId)
  const [read, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = withAnswers(client, async () => {
    read.resolve()
    await saved.promise
  })
  open(async () => slow)
  const reading = employers.list(office.accountId, { refresh: true })
  await read.promise
  await employers.save(office.accountId, [record()])
  saved.resolve()
  const references = (await reading).records.map(({ Reference }) => Reference)
  expect(references).toContain('orchard')
  const later = await employers.list(office.accountId, { refresh: false })
  expect(later.records.map(({ Reference }) => Reference)).toEqual(references)
})

test('a request with a field foreign to its kind of record is refused', () => {
  const { input } = requests['employers.save']
  const accepts = (fields: Record<string, string>) => input.safeParse({ records: [record({ fields })] }).success
  expect(accepts({ ABN: '51 824 753 556' })).toBe(true)
  expect(accepts({ USI: 'x' })).toBe(false)
  expect(accepts(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'x'])))).toBe(false)
})
