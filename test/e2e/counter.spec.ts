import { decline, MERE, type Person, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { auditOf, configureCounter, formsFor, happened, inOrder, send, signElsewhere } from './sending.ts'

const HANA: Person = { first: 'Hana', last: 'Rewi', email: 'hana.rewi@example.com' }

test('one signer gets from the queue to the page in three clicks, and sees nothing of the office until the PIN unlocks it', async ({
  clerk
}) => {
  const { app, window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift', { checklist: ['Photo ID seen'] })
  await expect(window.getByText('Practice service on this computer')).toBeVisible()
  await expect(person.heading(/Deed of gift/)).toBeVisible()
  expect((await app.windows())[0]?.fullScreen).toBe(true)

  const width = await page.evaluate(() => innerWidth)
  await person.button('Larger').click()
  await expect.poll(() => page.evaluate(() => innerWidth)).toBeLessThan(width)
  await person.button('I need a moment').click()
  await expect.poll(() => app.views()).toEqual([])
  await person.button('Continue').click()
  await expect.poll(async () => (await app.views()).length).toBe(1)

  await sign(page, MERE)
  await expect(person.heading('Thank you')).toBeVisible()
  expect(await app.views('all')).toEqual([])
  await expect(window.getByRole('navigation', { name: 'Screens' })).not.toBeInViewport()
  await expect(person.heading('Thank you')).toHaveText('Thank you')
  await expect(window.getByText(/Mere/).filter({ visible: true })).toHaveCount(0)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  expect((await app.windows())[0]?.fullScreen).toBe(false)
})

test('a signer who reads no English gets screens in their language and larger, and staff get theirs back', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const ofStaff = await window.evaluate(() => innerWidth)
  await clerk.openSheet(MERE, 'Deed of gift')
  await clerk.handOverAs()
  const width = await window.evaluate(() => innerWidth)
  await person.button('te reo Māori').click()
  await expect(person.heading(/Homai te mata ki a/)).toBeVisible()
  await person.button('Reo me te whakaatu').click()
  await person.button('Nui rawa').click()
  await expect.poll(() => window.evaluate(() => innerWidth)).toBeLessThan(width * 0.6)
  await person.button('Kua oti').click()
  await person.button(/Ko Mere Tamati ahau/).click()
  await expect(person.button('Āwhina')).toBeVisible()
  await person.button('Kaimahi').click()
  await person.unlock()
  await person.button('End session').click()
  await expect.poll(() => window.evaluate(() => innerWidth)).toBe(ofStaff)
  await expect(window.getByRole('navigation', { name: 'Screens' })).toBeVisible()
})

test('the session is recorded in the audit trail, which verifies', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  const [reference] = (await send(clerk, formsFor(['Deed of gift'], [MERE]))).values()
  await sign(await clerk.handOver(MERE, 'Deed of gift', { checklist: ['Photo ID seen'] }), MERE)
  await clerk.giveBack()
  const { entries, check } = await auditOf(clerk)
  expect(check).toMatchObject({ isWhole: true, isCutOff: false })
  expect(entries.map(({ what }) => what)).toEqual([
    'session-started',
    'handed-over',
    'page-opened',
    'turn-ended',
    'unlocked',
    'session-ended'
  ])
  const ended = entries.find(({ what }) => what === 'turn-ended')
  expect(ended).toMatchObject({
    documentReference: reference,
    signerName: 'Mere Tamati',
    detail: { outcome: 'signed' }
  })
  expect(entries[1]?.detail.evidence).toContain('Photo ID seen')
  expect(new Set(entries.map(({ zone }) => zone))).toEqual(new Set([Intl.DateTimeFormat().resolvedOptions().timeZone]))
  expect(entries.every(({ staff }) => staff.length > 0)).toBe(true)
  expect(JSON.stringify(entries)).not.toContain('/sign/')

  await button('Back to Counter').click()
  await button('Audit trail').click()
  await expect(window.getByRole('heading', { name: 'Audit trail' })).toBeVisible()
  await expect(window.getByText('Mere Tamati').first()).toBeVisible()
})

test('three signers sign in order on one machine, each with a handover and a page of their own', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  await send(clerk, inOrder('Deed of trust', [MERE, WIREMU, HANA]))
  const also = ['Wiremu Ngata', 'Hana Rewi']
  await clerk.beginTurn(MERE, 'Deed of trust', { also })
  const links = new Set<string>()
  for (const [index, signer] of [MERE, WIREMU, HANA].entries()) {
    await expect(person.button(`I’m ${signer.first} ${signer.last} – start`)).toBeVisible()
    await expect.poll(async () => (await app.views('all')).map((view) => view.url())).toEqual(['about:blank'])
    const page = await clerk.takeScreen(signer)
    links.add(page.url())
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ''])
    await page.evaluate((index) => localStorage.setItem('left', `by signer ${index}`), index)
    await sign(page, signer)
    if (index < 2) {
      await expect(person.heading(`Thank you, ${signer.first} ${signer.last}`)).toBeVisible()
      await person.handOn()
    }
  }
  expect(links.size).toBe(3)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'All 3 signed' })).toBeVisible()
  expect((await happened(clerk)).filter((what) => what === 'handed-over')).toHaveLength(3)
})

test('a couple signs two documents in one session with a single handover', { tag: '@full' }, async ({ clerk }) => {
  const { window, person } = clerk
  await send(clerk, formsFor(['Deed of gift', 'Cover letter'], [MERE, WIREMU]))
  const page = await clerk.handOver(MERE, 'Deed of gift', { isEverything: true })
  await sign(page, MERE)
  await sign(await person.continueTo('Cover letter'), MERE)
  await expect(person.heading('Thank you, Mere Tamati')).toBeVisible()
  await person.handOn()
  await sign(await person.begin('Wiremu Ngata'), WIREMU)
  await sign(await person.continueTo('Cover letter'), WIREMU)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'All 4 signed' })).toBeVisible()
  expect((await happened(clerk)).filter((what) => what === 'handed-over')).toHaveLength(2)
})

test('several documents for one person, one of them declined, are each reported separately', { tag: '@full' }, async ({
  clerk
}) => {
  const { window, person } = clerk
  await send(clerk, formsFor(['Deed of gift', 'Cover letter', 'Letter of wishes'], [MERE]))
  const first = await clerk.handOver(MERE, 'Deed of gift', { also: ['Cover letter', 'Letter of wishes'] })
  await expect(window.getByText('Document 1 of 3')).toBeVisible()
  await sign(first, MERE)
  await expect(person.heading('Signed: Deed of gift')).toBeVisible()
  await decline(await person.continueTo('Cover letter'), 'I want to think about it.')
  await expect(person.heading('Declined: Cover letter')).toBeVisible()
  await sign(await person.continueTo('Letter of wishes'), MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: '2 signed, 1 declined' })).toBeVisible()
  const outcomes = window.getByRole('list', { name: 'Results' }).getByRole('listitem')
  await expect(outcomes).toHaveText([/Declined.*Cover letter/, /Signed.*Deed of gift/, /Signed.*Letter of wishes/])
  expect((await happened(clerk)).filter((what) => what === 'handed-over')).toHaveLength(1)
})

test('a signer who says they have finished without signing is led back and signs; no second session starts meanwhile', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, person } = clerk
  const references = await send(clerk, formsFor(['Deed of gift', 'Cover letter'], [MERE]))
  await clerk.handOver(MERE, 'Deed of gift')
  const turns = [{ documentReference: references.get('Cover letter') ?? '', signer: 0, evidence: [] }]
  const second = await window.evaluate(
    (turns) => globalThis.window.countersign.counter.start({ turns, allowsCamera: false }),
    turns
  )
  expect(second).toMatchObject({ ok: false, error: { code: 'busy' } })
  await person.button('I’ve finished').click()
  await person.button('Not yet').click()
  await person.finish()
  await expect(person.heading('Not signed yet')).toBeVisible()
  await sign(await person.openAgain(), MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('during the handover an empty signing view is ready out of sight, and is closed if nobody uses it', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const roomIsReady = () =>
    expect.poll(async () => (await app.views('all')).map((view) => view.url())).toEqual(['about:blank'])
  await test.step('staff take the screen back', async () => {
    await clerk.beginTurn(MERE, 'Deed of gift')
    await roomIsReady()
    expect(await app.views()).toEqual([])
    await person.button('Staff').click()
    await person.unlock()
    await person.button('End session').click()
    await expect.poll(() => app.views('all')).toEqual([])
  })
  await test.step('the wrong person says so: staff are called, and no page was opened', async () => {
    await clerk.button('Back to Counter').click()
    await clerk.beginTurn(MERE, 'Deed of gift')
    await roomIsReady()
    await person.button('That’s not me').click()
    await expect(person.heading('Please ask staff')).toBeVisible()
    await person.unlock()
    await person.button('End session').click()
    await expect.poll(() => app.views('all')).toEqual([])
    expect((await auditOf(clerk)).entries.find(({ what }) => what === 'left')?.detail).toMatchObject({ by: 'not-me' })
  })
})

test('once the service has the signature, the thanks appear automatically even if the page leads nowhere', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await signElsewhere(page.url(), 'Mere Tamati')
  // Nothing is pressed: the folders show it.
  await clerk.person.heading('Thank you').waitFor()
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('the screen can’t be handed over before the required evidence was confirmed', { tag: '@full' }, async ({
  clerk
}) => {
  const { window, button } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await configureCounter(clerk, { evidence: [{ id: 'photo', text: 'Passport compared', isRequired: true }] })
  await clerk.openSheet(MERE, 'Deed of gift')
  await clerk.choosePinWhereAsked()
  await button('Hand over screen').click()
  await expect(window.getByText('Required before you hand over the screen.')).toBeVisible()
  await clerk.handOverAs({ checklist: ['Passport compared'] })
  await expect(button('I’m Mere Tamati – start')).toBeVisible()
})

test('a name typed without focusing the search field finds its person, and Enter begins', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window } = clerk
  await send(clerk, formsFor(['Deed of gift'], [WIREMU]))
  await send(clerk, formsFor(['Cover letter'], [MERE]))
  await clerk.goTo(/^Counter/)
  const starts = window.getByRole('button', { name: /^Start: / })
  await expect(starts.nth(1)).toBeVisible()
  await window.keyboard.type('mere tamati')
  await expect(window.getByRole('searchbox')).toHaveValue('mere tamati')
  await expect(starts).toHaveCount(1)
  await window.keyboard.press('Enter')
  await window.keyboard.press('Enter')
  await expect(
    window
      .getByRole('dialog')
      .getByText('signs “Cover letter”')
      .or(window.getByRole('dialog').getByText('Choose a staff PIN'))
  ).toBeVisible()
})

test('a walk-in is sent from a preset and goes straight to the counter', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  const composition = formsFor(['Visitor’s agreement'], [MERE])
  await window.evaluate(async (composition) => {
    const { presets } = globalThis.window.countersign
    const saved = await presets.save({ name: 'Visitor', composition })
    if (!saved.ok) throw new Error(saved.error.message)
  }, composition)
  await clerk.goTo(/^Counter/)
  await button('Add walk-in').click()
  await button(/^Visitor/).click()
  await button('Send and go to Counter').click()
  // The sheet opens automatically, as soon as the service has created the document.
  await clerk.handOverAs()
  await sign(await clerk.takeScreen(MERE), MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})
