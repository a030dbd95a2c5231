/** A session from its first handover until staff has the screen back. */
import { describe, expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { BOUNDS, later, OFFLINE, openOffice, PIN, SECRET, signer } from './office.ts'

describe('one signer', () => {
  test('gets the screen, reads, signs, and returns it to staff, who alone can leave the last screen', async () => {
    const office = openOffice()
    const { counter } = office
    const { id, phase, turns } = await office.start(['will', 0])
    expect([phase, turns[0]?.signerName, office.isTaken]).toEqual(['handover', 'Ann Example', true])
    expect(office.pages).toEqual([])
    await counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'loading', origin: 'https://sign.example.com' })
    expect(office.page()?.state).toBe('hidden')
    counter.show(id, BOUNDS)
    office.events().open()
    expect(office.state().phase).toBe('open')
    expect(office.page()).toMatchObject({ state: 'shown', bounds: BOUNDS })
    office.signs('will', 0)
    office.events().returned()
    expect(office.state().phase).toBe('asking')
    expect(office.page()?.state).toBe('hidden')
    await office.settled()
    expect(office.page()?.state).toBe('destroyed')
    expect(office.state()).toMatchObject({
      phase: 'return',
      isLocked: true,
      turns: [{ outcome: { signed: 'signed' } }]
    })
    expect(counter.isHandedOver()).toBe(true)
    await counter.unlock(id, PIN)
    expect(office.state()).toMatchObject({ phase: 'ended', isLocked: false })
    expect([counter.isHandedOver(), counter.isRunning(), office.isTaken, office.marker]).toEqual([
      false,
      false,
      false,
      null
    ])
    counter.close(id)
    expect([counter.state(), office.changes.at(-1)]).toEqual([null, ''])
  })

  test('is recorded from start to end, without the link', async () => {
    const office = openOffice()
    office.settings.evidence = [{ id: 'photo', text: 'Photo ID seen', isRequired: true }]
    const { id } = await office.start(['will', 0, ['photo']])
    await office.opens()
    office.events().refused(`Tried to open https://sign.example.com/s/${SECRET}-AnnExample?t=${SECRET}`)
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    await office.counter.unlock(id, PIN)
    expect(office.notes.map(({ what }) => what)).toEqual([
      ...['session-started', 'handed-over', 'page-opened', 'turn-ended', 'unlocked', 'session-ended']
    ])
    expect(office.notesOf('session-started')[0]).toMatchObject({
      session: id,
      signerName: 'Ann Example',
      documentName: 'The will',
      detail: { documents: '1', evidence: 'Photo ID seen' }
    })
    expect(office.notesOf('handed-over')[0]?.detail).toMatchObject({ evidence: 'Photo ID seen' })
    expect(office.notesOf('page-opened')[0]?.detail).toEqual({ turn: '1', origin: 'https://sign.example.com' })
    expect(office.notesOf('turn-ended')[0]?.detail).toMatchObject({ outcome: 'signed', tried: '1' })
    expect(office.notesOf('session-ended')[0]?.detail).toMatchObject({ signed: '1' })
    expect(JSON.stringify([office.notes, office.state(), office.marker])).not.toContain(SECRET)
  })

  test.each([
    ['declined', (office: ReturnType<typeof openOffice>) => office.declines('will', 0), 'declined'],
    ['stopped halfway', () => undefined, 'not-yet']
  ])('who %s gets the outcome that the service reports', async (_how, does, signed) => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    does(office)
    void office.counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed })
  })

  test('whose page asks for a file is marked as wanting one until the page is closed', async () => {
    const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example')] })
    await office.start(['will', 0], ['deed', 0])
    await office.opens()
    office.events().refused('It tried to print.')
    expect(office.state().wantsFile).toBeUndefined()
    office.events().refused('It asked for a file on this computer.', 'file')
    expect(office.state()).toMatchObject({ phase: 'open', wantsFile: true })
    office.signs('will', 0)
    office.events().returned()
    // The person has signed, so staff isn't told how to help with the file any more.
    expect(office.state()).toMatchObject({ phase: 'asking' })
    expect(office.state().wantsFile).toBeUndefined()
    await office.handedOn()
    expect(office.state()).toMatchObject({ current: 1, phase: 'loading' })
    expect(office.state().wantsFile).toBeUndefined()
  })

  test('with an empty name can still be handed the screen', async () => {
    const office = openOffice({ will: [signer('', { FirstName: '', LastName: '', Email: '' })] })
    const { turns } = await office.start(['will', 0])
    expect(turns[0]?.signerName).toBe('')
    expect((await office.opens()).state).toBe('shown')
  })

  test('whose page fails sees why, and can retry with a new page', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.events().failed({ code: 'timeout', message: 'The page took too long.' })
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'timeout' } })
    await office.counter.retry(id)
    expect(office.pages.map(({ state }) => state)).toEqual(['destroyed', 'hidden'])
    expect(office.state().phase).toBe('loading')
    expect(office.state().error).toBeUndefined()
  })

  test('whose page failed after they signed isn’t asked to sign again', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.signs('will', 0)
    office.events().failed({ code: 'internal', message: 'The page ended.' })
    await office.counter.retry(id)
    expect(office.state()).toMatchObject({ phase: 'return', turns: [{ outcome: { signed: 'signed' } }] })
    expect(office.pages).toHaveLength(1)
  })

  test('whose page failed can continue, with the outcome that the service reports', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.signs('will', 0)
    office.events().failed({ code: 'internal', message: 'The page ended.' })
    void office.counter.next(id)
    expect(await office.settled()).toMatchObject({ phase: 'return', turns: [{ outcome: { signed: 'signed' } }] })
  })
})

describe('several turns', () => {
  test('of one person need one handover, and each outcome is shown between them', async () => {
    const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example')] })
    const { id } = await office.start(['will', 0], ['deed', 0])
    await office.opens()
    office.signs('will', 0)
    office.events().returned()
    expect(await office.settled()).toMatchObject({ phase: 'between', current: 0, isLocked: false })
    await office.counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'loading', current: 1 })
    expect(office.pages.map(({ state }) => state)).toEqual(['destroyed', 'hidden'])
    expect(office.notesOf('handed-over')).toHaveLength(1)
  })

  test('of several people need a handover each, and show nothing of the previous person', async () => {
    const office = openOffice({ will: [signer('Ann Example'), later('Ben Example'), later('Cy Example')] })
    await office.start(['will', 0], ['will', 1], ['will', 2])
    for (const [index, name] of ['Ann Example', 'Ben Example', 'Cy Example'].entries()) {
      const { current, phase, refused, origin } = office.state()
      expect([phase, office.state().turns[current]?.signerName, refused, origin]).toEqual(['handover', name, [], ''])
      const page = await office.opens()
      expect(page.turn.url).toContain(name.replaceAll(' ', ''))
      page.turn.events.refused('Tried to open a window')
      office.signs('will', index)
      page.turn.events.returned()
      await office.handedOn()
      expect(page.state).toBe('destroyed')
    }
    expect(office.mostPages).toBe(1)
    expect(office.state()).toMatchObject({ phase: 'return' })
    expect(office.state().turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'signed', 'signed'])
  })

  test('of ten people with thirty documents each all complete, with ten handovers', async () => {
    const people = Array.from({ length: 10 }, (_, index) => `Person Number${index}`)
    const references = Array.from({ length: 30 }, (_, index) => `doc-${index}`)
    const office = openOffice(Object.fromEntries(references.map((one) => [one, people.map((name) => signer(name))])))
    const turns = people.flatMap((_name, who) => references.map((reference): [string, number] => [reference, who]))
    const { id } = await office.start(...turns)
    for (const [reference, who] of turns) {
      const { phase, current, turns: shown } = office.state()
      expect([shown[current]?.documentReference, shown[current]?.signerName]).toEqual([reference, people[who]])
      const page = phase === 'handover' ? await office.opens() : office.page()
      expect(page?.turn.url).toContain(`Number${who}?`)
      office.signs(reference, who)
      page?.turn.events.returned()
      await office.handedOn()
    }
    expect(office.state().phase).toBe('return')
    await office.counter.unlock(id, PIN)
    expect(office.state().turns.every(({ outcome }) => outcome?.signed === 'signed')).toBe(true)
    expect([office.notesOf('handed-over').length, office.notesOf('turn-ended').length]).toEqual([10, 300])
    expect([office.pages.length, office.mostPages]).toEqual([300, 1])
  })

  test('of two people who share an address need a handover', async () => {
    const shared = { Email: 'both@example.com' }
    const office = openOffice({ will: [signer('Ann Example', shared)], deed: [signer('Ben Example', shared)] })
    await office.start(['will', 0], ['deed', 0])
    await office.opens()
    office.events().returned()
    expect((await office.handedOn()).phase).toBe('handover')
  })

  test('wait for a service that needs a moment to enable the next signer', async () => {
    const office = openOffice({ will: [signer('Ann Example'), later('Ben Example', { SigningKey: undefined })] })
    const { id } = await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.change('will', 0, { SignedStatus: 'Signed', HasSigned: true })
    office.events().returned()
    expect(await office.handedOn()).toMatchObject({ phase: 'handover', current: 1 })
    office.change('will', 0, { SignedStatus: 'Invitation', HasSigned: false })
    const beginning = office.counter.begin(id)
    await office.time.pass(1500)
    expect(office.state().phase).toBe('loading')
    office.change('will', 0, { SignedStatus: 'Signed', HasSigned: true })
    office.change('will', 1, signer('Ben Example'))
    await office.time.pass(4000)
    await beginning
    expect(office.page()?.turn.url).toContain('BenExample')
  })

  test('that can’t begin are skipped, and the next one follows', async () => {
    const office = openOffice({
      will: [signer('Ann Example')],
      deed: [signer('Ben Example')],
      lease: [signer('Cy Example')]
    })
    const { id } = await office.start(['will', 0], ['deed', 0], ['lease', 0])
    await office.opens()
    office.events().returned()
    await office.handedOn()
    office.signs('deed', 0)
    await office.counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'not-signable' } })
    expect(office.state().turns[1]?.outcome).toMatchObject({ signed: 'skipped', error: { code: 'not-signable' } })
    await office.counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'handover', current: 2 })
    expect(office.pages).toHaveLength(1)
  })

  test('can be retried when the service was unreachable', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    office.trouble = OFFLINE
    await office.counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'offline' } })
    office.trouble = undefined
    await office.counter.retry(id)
    expect(office.state().phase).toBe('loading')
    expect(office.state().turns[0]?.outcome).toBeUndefined()
    office.trouble = OFFLINE
    void office.counter.finish(id)
    expect((await office.settled()).turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'offline' } })
  })
})

describe('the signing link', () => {
  test('is read again when the person has the screen', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    office.change('will', 0, { SigningKey: 'https://sign.example.com/s/new' })
    await office.counter.begin(id)
    expect(office.page()?.turn.url).toBe('https://sign.example.com/s/new')
  })

  const unsafe = [
    ['an unencrypted address', 'http://sign.example.com/x'],
    ['a file', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['no address at all', 'sign me'],
    ['an address within the office', 'https://192.168.1.1/admin'],
    ['this computer', 'https://localhost/'],
    ['an address with a password', 'https://a:b@sign.example.com/']
  ] as const

  test.each(unsafe)('that is %s is reported to staff before the screen is handed over', async (_what, SigningKey) => {
    const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example', { SigningKey })] })
    const refused = await office.start(['will', 0], ['deed', 0]).catch((error: unknown) => asAppError(error))
    expect(refused).toMatchObject({ code: 'unsafe-address', next: 'It’s the link of Ann Example for “The deed”.' })
    expect(JSON.stringify([refused, office.notes])).not.toContain(SigningKey)
    expect([office.counter.state(), office.isTaken]).toEqual([null, false])
  })

  test.each(unsafe)('that has become %s is refused before anything is loaded', async (_what, SigningKey) => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    office.change('will', 0, { SigningKey })
    await office.counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'unsafe-address' } })
    expect(office.pages).toEqual([])
    expect(JSON.stringify([office.state(), office.notes])).not.toContain(SigningKey)
    await office.counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'return', turns: [{ outcome: { signed: 'skipped' } }] })
  })

  test('of a replaced signer is never opened for the person who was checked', async () => {
    const office = openOffice({ will: [signer('Ann Example', { SignerReference: 'A' })] })
    const { id } = await office.start(['will', 0])
    office.change('will', 0, { FirstName: 'Ben', Email: 'ben@example.com' })
    await office.counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'not-signable' } })
    expect(office.pages).toEqual([])
  })

  test('of a signer whose position changed is found', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    const { id } = await office.start(['will', 0])
    office.service.set('will', { Signers: [signer('Ben Example'), signer('Ann Example')] })
    await office.counter.begin(id)
    expect(office.page()?.turn.url).toContain('AnnExample')
  })

  test('adds the origins that the administrator allows', async () => {
    const office = openOffice()
    office.allowed = ['https://id.example.com']
    const { id } = await office.start(['will', 0])
    await office.counter.begin(id)
    expect(office.page()?.turn.allowedOrigins).toEqual([
      ...['https://sign.example.com', 'https://service.example.com', 'https://id.example.com']
    ])
  })
})

test('the frame shows the origin of the open page, reduced to scheme and host', async () => {
  const office = openOffice()
  await office.start(['will', 0])
  const { events } = (await office.opens()).turn
  expect(office.state()).toMatchObject({ phase: 'open', origin: 'https://sign.example.com' })
  events.open(`https://other.example.com/s/${SECRET}?t=${SECRET}`)
  expect(office.state()).toMatchObject({ phase: 'open', origin: 'https://other.example.com' })
  for (const unknown of [undefined, '', 'about:blank', 'nothing']) events.open(unknown)
  expect(office.state().origin).toBe('https://other.example.com')
  events.open('https://sign.example.com')
  expect(office.state().origin).toBe('https://sign.example.com')
})
