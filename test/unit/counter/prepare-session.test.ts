/** What a session may start with, and that only one runs at a time. */
import { describe, expect, test } from 'vitest'
import { counterRequests } from '../../../src/shared/contract/counter-requests.ts'
import { passportLines } from '../../fixtures/passport-lines.ts'
import { gate, later, OFFLINE, openOffice, PIN, signer } from './office.ts'

const failure = (code: string) => ({ appError: { code } })

describe('starting a session', () => {
  test.each([
    ['who has meanwhile signed elsewhere', { SignedStatus: 'Signed', HasSigned: true }],
    ['who has declined', { SignedStatus: 'Declined' }],
    ['without a link', { SigningKey: undefined }],
    ['whose document has expired', { SignedStatus: 'Expired' }]
  ])('is refused for a signer %s', async (_who, changes) => {
    const office = openOffice()
    office.change('will', 0, changes)
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('not-signable'))
    expect([office.counter.state(), office.isTaken, office.marker]).toEqual([null, false, null])
  })

  test('is refused for a signer whose turn hasn’t come, one who doesn’t exist, and a missing document', async () => {
    const office = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })
    await expect(office.start(['will', 1])).rejects.toMatchObject(failure('not-signable'))
    await expect(office.start(['will', 7])).rejects.toMatchObject(failure('not-signable'))
    await expect(office.start(['nothing', 0])).rejects.toMatchObject(failure('gone'))
    office.service.delete('will')
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('gone'))
  })

  test('is refused without a PIN, the service or an account, and with a repeated signature', async () => {
    const office = openOffice()
    office.pin = undefined
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('no-pin'))
    office.pin = PIN
    office.trouble = OFFLINE
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('offline'))
    office.trouble = undefined
    await expect(office.start(['will', 0], ['will', 0])).rejects.toMatchObject(failure('bad-input'))
    office.accounts.clear()
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('no-account'))
    expect(office.counter.isRunning()).toBe(false)
  })

  test('and handing over the screen need an entry in the audit trail', async () => {
    const office = openOffice()
    office.trailTrouble = new Error('The disk is full.')
    await expect(office.start(['will', 0])).rejects.toThrow('The disk is full.')
    expect([office.counter.state(), office.isTaken, office.marker, office.notes]).toEqual([null, false, null, []])
    office.trailTrouble = undefined
    await office.start(['will', 0])
    office.trailTrouble = new Error('The disk is full.')
    await expect(office.counter.begin(office.state().id)).rejects.toThrow('The disk is full.')
    expect([office.state().phase, office.pages, office.notesOf('handed-over')]).toEqual(['handover', [], []])
    office.trailTrouble = undefined
    await office.counter.begin(office.state().id)
    expect([office.notesOf('session-started').length, office.notesOf('handed-over').length]).toEqual([1, 1])
  })

  test('records once per person that a passport was compared, and the result', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')], deed: [signer('Ann Example')] })
    const lines = passportLines('EXAMPLE<<ANN')
    const turns = [
      { documentReference: 'will', signer: 0, evidence: ['photo'], compared: 'matches' as const, lines },
      { documentReference: 'deed', signer: 0, evidence: [], compared: 'matches' as const, lines },
      { documentReference: 'will', signer: 1, evidence: [], compared: 'differs' as const, lines }
    ]
    const { id } = await office.counter.start({ turns, allowsCamera: false })
    const [matches, differs] = ['matches', 'differs'].map((how) => `Passport or ID card compared: the name ${how}`)
    expect(office.notesOf('session-started')[0]?.detail?.evidence).toBe(`Photo ID seen; ${matches}; ${differs}`)
    await office.counter.begin(id)
    expect(office.notesOf('handed-over')[0]?.detail?.evidence).toBe(`Photo ID seen; ${matches}`)
  })

  test('needs the required evidence, once per person', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')], deed: [signer('Ann Example')] })
    office.settings.evidence = [
      { id: 'photo', text: 'Photo ID seen', isRequired: true },
      { id: 'known', text: 'Known to the office', isRequired: false }
    ]
    await expect(office.start(['will', 0], ['will', 1, ['photo']])).rejects.toMatchObject({
      appError: { code: 'bad-input', message: expect.stringContaining('Photo ID seen') }
    })
    await office.start(['will', 0, ['photo']], ['will', 1, ['known', 'photo', 'made up']], ['deed', 0])
    await office.counter.begin(office.state().id)
    expect(office.notesOf('handed-over')[0]?.detail?.evidence).toBe('Photo ID seen')
    expect(office.notesOf('session-started')[0]?.detail?.evidence).toBe('Photo ID seen; Known to the office')
  })

  test('is refused while another starts, runs, or waits for staff', async () => {
    const office = openOffice()
    const filled = gate()
    office.taking = filled.passed
    const first = office.start(['will', 0])
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('busy'))
    filled.open()
    const { id } = await first
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('busy'))
    await office.opens()
    office.events().returned()
    await office.settled()
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('busy'))
    expect(() => office.counter.close(id)).toThrow(
      expect.objectContaining({ appError: expect.objectContaining({ code: 'busy' }) })
    )
    await office.counter.unlock(id, PIN)
    const second = await office.start(['will', 0])
    expect(second.id).not.toBe(id)
    await expect(office.counter.begin(id)).rejects.toMatchObject(failure('gone'))
    office.counter.close(id)
    expect(office.counter.isRunning()).toBe(true)
  })

  test('keeps the last session’s outcome visible if it fails', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    await office.counter.unlock(id, PIN)
    await expect(office.start(['will', 0])).rejects.toMatchObject(failure('not-signable'))
    expect(office.state()).toMatchObject({ id, phase: 'ended' })
  })

  test('gives the screen back if the account was removed in the meantime', async () => {
    const office = openOffice()
    const filled = gate()
    office.taking = filled.passed
    const starting = office.start(['will', 0])
    await office.time.pass(1)
    office.accounts.clear()
    filled.open()
    await expect(starting).rejects.toMatchObject(failure('gone'))
    expect([office.isTaken, office.counter.state()]).toEqual([false, null])
  })

  test('ties the session to its account, even if another is chosen later', async () => {
    const office = openOffice()
    await office.start(['will', 0])
    office.chosen = 'another'
    expect((await office.opens()).state).toBe('shown')
  })

  test('ties it to an account whose removal ends the session and wipes the page', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    await office.start(['will', 0], ['will', 1])
    const page = await office.opens()
    await office.counter.accountsChanged()
    expect(office.state().phase).toBe('open')
    office.accounts.clear()
    void office.counter.accountsChanged()
    expect(await office.settled()).toMatchObject({ phase: 'return', isLocked: true })
    expect(page.state).toBe('destroyed')
    const outcomes = office.state().turns.map(({ outcome }) => [outcome?.signed, outcome?.error?.code])
    expect(outcomes).toEqual([
      ['unknown', 'no-account'],
      ['skipped', 'cancelled']
    ])
  })
})

describe('the queue', () => {
  const office = () =>
    openOffice({
      will: [signer('Ann Example'), later('Ben Example')],
      deed: [signer('Ann Example'), signer('Cy Example')],
      plain: [signer('Dee Example', { SigningKey: undefined, EnabledFaceToFaceSigning: true })]
    })

  test('lists who can sign, with those pinned for today first, and marks those without a link', async () => {
    const session = office()
    const entry = { documentReference: 'deed', signer: 1, isToday: true }
    session.counter.pinEntry(entry)
    expect(session.changes).toEqual([''])
    const queue = await session.counter.queue()
    expect(queue.map(({ signerName, isToday, withoutLink }) => [signerName, isToday, withoutLink])).toEqual([
      ['Cy Example', true, undefined],
      ['Ann Example', false, undefined],
      ['Dee Example', false, true],
      ['Ann Example', false, undefined]
    ])
    session.counter.pinEntry({ ...entry, isToday: false })
    expect((await session.counter.queue()).some(({ isToday }) => isToday)).toBe(false)
  })

  const offered = async (session: ReturnType<typeof office>, reference: string, index: number) =>
    (await session.counter.offer(reference, index)).entries.map(({ documentReference, signerName, after }) => [
      documentReference,
      signerName,
      after
    ])

  test('offers the person’s other documents, and the other signers of those', async () => {
    const session = office()
    const offer = await session.counter.offer('will', 0)
    expect(offer.first).toMatchObject({ documentReference: 'will', signerName: 'Ann Example' })
    expect(await offered(session, 'will', 0)).toEqual([
      ['will', 'Ann Example', []],
      ['will', 'Ben Example', [0]],
      ['deed', 'Ann Example', []],
      ['deed', 'Cy Example', []]
    ])
    expect(offer).toMatchObject({ staff: 'Clerk', hasPin: true, evidence: session.settings.evidence })
    expect((await offered(session, 'deed', 0))[0]).toEqual(['deed', 'Ann Example', []])
    expect(JSON.stringify(offer)).not.toContain('sign.example.com')
  })

  test('offers a couple everything that they have to sign, in any order, but nobody else’s documents', async () => {
    const session = openOffice({
      will: [signer('Ann Example'), later('Ben Example')],
      deed: [signer('Ben Example'), later('Ann Example')],
      note: [signer('Ben Example'), signer('Cy Example')],
      plan: [signer('Cy Example')],
      bill: [signer('Ann Example')]
    })
    expect(await offered(session, 'bill', 0)).toEqual([
      ['bill', 'Ann Example', []],
      ['will', 'Ann Example', []],
      ['will', 'Ben Example', [0]],
      ['deed', 'Ben Example', []],
      ['deed', 'Ann Example', [0]],
      ['note', 'Ben Example', []]
    ])
  })

  test('offers fifty documents at a time, with the number of further ones', async () => {
    const many = Array.from({ length: 60 }, (_, index): [string, ReturnType<typeof signer>[]] => [
      `doc-${index}`,
      [signer('Ann Example'), signer('Ben Example')]
    ])
    const { entries, further } = await openOffice(Object.fromEntries(many)).counter.offer('doc-7', 0)
    expect([entries.length, entries[0]?.documentReference, further]).toEqual([100, 'doc-7', 10])
  })

  test('is all of ten people’s thirty documents, in order, and a session takes them', async () => {
    const people = Array.from({ length: 10 }, (_, index) => `Person Number${index}`)
    const references = Array.from({ length: 30 }, (_, index) => `doc-${index}`)
    const signers = people.map((name, at) => (at === 0 ? signer(name) : later(name)))
    const there = openOffice(Object.fromEntries(references.map((one) => [one, signers])))
    const { entries, further } = await there.counter.offer('doc-0', 0)
    expect(further).toBe(0)
    expect(entries.map(({ documentReference, signer: at }) => [documentReference, at])).toEqual(
      references.flatMap((reference) => people.map((_name, at) => [reference, at]))
    )
    expect(entries.slice(0, 10).map(({ after }) => after.length)).toEqual([...people.keys()])
    const turns = entries.map(({ documentReference, signer: at }) => ({ documentReference, signer: at, evidence: [] }))
    expect(counterRequests['counter.start'].input.safeParse({ turns, allowsCamera: false }).success).toBe(true)
  })

  test('shows the addresses only of people who share a name', async () => {
    const session = openOffice({
      will: [signer('Ann Example'), signer('Ben Example')],
      deed: [signer('Ann Example', { Email: 'ann.other@example.com' })],
      note: [signer('Ann Example', { Email: '', MobileNumber: '021 555 1234' })],
      bill: [signer('Ann Example', { Email: '', MobileNumber: '5678' })]
    })
    const contacts = (entries: readonly { documentReference: string; signerName: string; contact?: string }[]) =>
      entries.map(({ documentReference, signerName, contact }) => [documentReference, signerName, contact])
    expect(contacts(await session.counter.queue()).sort()).toEqual([
      ['bill', 'Ann Example', undefined],
      ['deed', 'Ann Example', 'ann.other@example.com'],
      ['note', 'Ann Example', '…1234'],
      ['will', 'Ann Example', 'ann.example@example.com'],
      ['will', 'Ben Example', undefined]
    ])
    expect(contacts((await session.counter.offer('will', 0)).entries)).toEqual([
      ['will', 'Ann Example', 'ann.example@example.com'],
      ['will', 'Ben Example', undefined]
    ])
    expect(contacts((await session.start(['will', 1], ['will', 0])).turns)).toEqual([
      ['will', 'Ben Example', undefined],
      ['will', 'Ann Example', 'ann.example@example.com']
    ])
  })

  test('offers nothing for signers without a link, or who have just signed', async () => {
    const session = office()
    await expect(session.counter.offer('plain', 0)).rejects.toMatchObject(failure('not-signable'))
    session.signs('will', 0)
    await expect(session.counter.offer('will', 0)).rejects.toMatchObject(failure('not-signable'))
  })
})

describe('a PIN pad that waits after wrong PINs', () => {
  test('shows so from the start of any session, until the wait is lifted', async () => {
    const office = openOffice()
    office.pinWaitUntil = office.time.now + 300_000
    await office.start(['will', 0])
    expect(office.counter.state()?.pinWaitUntil).toBe(office.pinWaitUntil)
    // The wait was lifted: someone signed in to the computer, or a manager entered their PIN.
    office.pinWaitUntil = undefined
    await office.counter.pinChanged()
    expect(office.counter.state()).not.toHaveProperty('pinWaitUntil')
  })

  test('lets staff with names enter their own PIN, without making others wait', async () => {
    const office = openOffice()
    office.asksName = true
    await office.start(['will', 0])
    expect(office.counter.state()?.asksName).toBe(true)
    office.counter.screenLeft('blur')
    office.pinWaitUntil = office.time.now + 5_000
    const id = office.counter.state()?.id ?? ''
    await expect(office.counter.unlock(id, '0001', 'Ana')).rejects.toMatchObject(failure('pin-wait'))
    expect(office.counter.state()).not.toHaveProperty('pinWaitUntil')
    await expect(office.counter.unlock(id, '0001')).rejects.toMatchObject(failure('pin-wait'))
    expect(office.counter.state()?.pinWaitUntil).toBe(office.pinWaitUntil)
  })
})
