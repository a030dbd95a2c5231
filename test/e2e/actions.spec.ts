import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodiesOf, connect, expect, sendElsewhere, test } from './bad-line.ts'
import { type Clerk, MERE, WIREMU } from './clerk.ts'

interface Extend {
  DocumentReference: string
  DueDate: string
  GMT: string
}

/** Opens a document that another program sent, in a window of a desktop's size. */
async function openSent(clerk: Clerk, name: string): Promise<void> {
  await clerk.app.resizeWindow({ width: 1500, height: 950 })
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await clerk.openDocument(name)
}

test('a due date is extended for every document of a package, exactly to the minute', {
  tag: '@full'
}, async ({ open, line, office }) => {
  const [deed = ''] = await sendElsewhere(office, ['Deed of gift', 'Cover letter'])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')
  const before = office.service.state.documents[deed]?.dueAt ?? 0

  await clerk.button(/Extend due date/).click()
  const dialog = clerk.window.getByRole('dialog')
  await expect(dialog.getByText('Cover letter')).toBeVisible()
  await dialog.getByRole('button', { name: '2 weeks later' }).click()
  await dialog.getByRole('button', { name: /^Extend to/ }).click()
  await expect(clerk.window.getByText(/^Due date changed to /).first()).toBeVisible()

  const sent = bodiesOf<Extend>(office, 'Extend')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.GMT).toMatch(/^-?\d+$/)
  const due = Date.parse(sent[0]?.DueDate ?? '')
  expect(Math.abs(due - before - 14 * 86_400_000)).toBeLessThan(2 * 3_600_000)
  for (const { dueAt } of Object.values(office.service.state.documents)) expect(dueAt).toBe(due)
})

test('a signer is corrected after a preview of the change', { tag: '@full' }, async ({ open, line, office }) => {
  await sendElsewhere(office, ['Deed of gift'], [MERE, WIREMU])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')

  await clerk.button('Correct Wiremu Ngata…').click()
  const dialog = clerk.window.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('w.ngata@example.org')
  const what = dialog.getByRole('region', { name: 'What changes' })
  await expect(what).toContainText('wiremu.ngata@example.com')
  await expect(what).toContainText('w.ngata@example.org')
  await dialog.getByRole('button', { name: 'Correct Wiremu' }).click()
  await expect(clerk.window.getByText('Details of Wiremu Ngata corrected.').first()).toBeVisible()

  const [sent] = bodiesOf<{ Signers: { Email: string; SignerReference: string }[] }>(office, 'UpdateSigner')
  expect(sent?.Signers).toHaveLength(1)
  expect(sent?.Signers[0]?.Email).toBe('w.ngata@example.org')
  const [document] = Object.values(office.service.state.documents)
  expect(document?.signers.map(({ Email }) => Email)).toEqual([MERE.email, 'w.ngata@example.org'])
})

test('two signers are corrected together, one of them newly shared, and the service has both', {
  tag: '@full'
}, async ({ open, line, office }) => {
  await sendElsewhere(office, ['Deed of gift'], [MERE, WIREMU])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')

  await clerk.button('Correct Wiremu Ngata…').click()
  const dialog = clerk.window.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Also correct Mere Tamati' }).click()
  const partOf = (name: string) => dialog.getByRole('group', { name })
  await partOf('Wiremu Ngata').getByLabel('E-mail').fill('w.ngata@example.org')
  await partOf('Mere Tamati').getByText('Shared with').first().click()
  await partOf('Mere Tamati').getByRole('button', { name: 'Add a person' }).click()
  await partOf('Shared with person 1').getByLabel('First name').fill('Hemi')
  await partOf('Shared with Hemi').getByLabel('Last name').fill('Tane')
  await partOf('Shared with Hemi').getByLabel('E-mail').fill('hemi@example.org')
  await expect(dialog.getByRole('region', { name: 'What changes' })).toContainText('All corrections are sent together')
  await dialog.getByRole('button', { name: 'Correct 2 signers' }).click()
  await expect(clerk.window.getByText(/Wiremu Ngata.* corrected\./).first()).toBeVisible()

  const sent = bodiesOf<{ Signers: object[] }>(office, 'UpdateSigner')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.Signers).toMatchObject([
    { Email: 'w.ngata@example.org' },
    { ShareUsers: [{ FirstName: 'Hemi', LastName: 'Tane', Email: 'hemi@example.org' }] }
  ])
  const [document] = Object.values(office.service.state.documents)
  expect(document?.signers).toMatchObject([
    { Email: MERE.email, ShareUsers: [{ Email: 'hemi@example.org' }] },
    { Email: 'w.ngata@example.org' }
  ])
})

test('a document goes to a notary’s queue, a signer is reminded, and signatures are verified and the result kept', {
  tag: '@full'
}, async ({ open, line, office }) => {
  const [deed = ''] = await sendElsewhere(office, ['Deed of gift'])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')

  await clerk.button('More actions').click()
  await clerk.window.getByRole('menuitem', { name: /^Assign to a notary/ }).click()
  const notary = clerk.window.getByRole('dialog')
  await notary.getByLabel('Notary’s reference').fill('notary-7')
  await notary.getByRole('button', { name: /^Assign/ }).click()
  await expect(clerk.window.getByText(/^Assigned to notary /).first()).toBeVisible()
  expect(bodiesOf(office, 'AssignQueueDocument')).toMatchObject([
    { DocumentReference: deed, NotaryReference: 'notary-7', Send: false }
  ])
  expect(office.service.state.notary).toMatchObject([{ documentReference: deed, notaryReference: 'notary-7' }])

  await clerk.button('Remind Mere Tamati…').click()
  await clerk.window.getByRole('dialog').getByRole('button', { name: 'Send reminder' }).click()
  await expect(clerk.window.getByText('Reminder sent to Mere Tamati.').first()).toBeVisible()
  expect(bodiesOf(office, 'SendReminder')).toHaveLength(1)

  const document = office.service.state.documents[deed]
  Object.assign(document?.signers[0] ?? {}, { status: 'Signed', signedAt: Date.now() })
  Object.assign(document ?? {}, { ending: 'Complete', endedAt: Date.now() })
  await clerk.button('Refresh').click()
  await clerk.button('Verify signatures').click()
  const file = join(clerk.app.userData, 'signatures.json')
  await clerk.app.dialog.answerSave(file)
  await clerk.button(/Save result/).click()
  await expect(clerk.window.getByText(/Saved as/)).toBeVisible()
  expect(existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8')).not.toContain('DocumentURL')
})

test('an extension requested offline waits, also across a restart, and is sent once when online again', {
  tag: '@full'
}, async ({ open, userData, line, office }) => {
  await sendElsewhere(office, ['Deed of gift'])
  const before = await open({ userData })
  await connect(before, line)
  await openSent(before, 'Deed of gift')
  await line.goDown()
  await before.button('Refresh').click()
  await expect(before.window.getByText(/offline/i).first()).toBeVisible()
  await before.button(/Extend due date/).click()
  await before.window
    .getByRole('dialog')
    .getByRole('button', { name: /^Extend to/ })
    .click()
  await expect(before.window.getByText(/: waiting for a connection\.$/).first()).toBeVisible()
  await before.app.dialog.answerMessage('Quit')
  expect(await before.app.quit()).toBe(0)

  const after = await open({ userData })
  await openSent(after, 'Deed of gift')
  await expect(after.window.getByText(/: waiting for a connection\.$/).first()).toBeVisible()
  await line.comeBack()
  await expect(after.window.getByText(/^Due date changed to /).first()).toBeVisible()
  expect(bodiesOf(office, 'Extend')).toHaveLength(1)
})

test('an extension whose answer was lost is found to have succeeded, and is not repeated', { tag: '@full' }, async ({
  open,
  line,
  office
}) => {
  await sendElsewhere(office, ['Deed of gift'])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')
  line.setFault('lose-answer', (method, path) => method === 'POST' && path.includes('Extend'))
  await clerk.button(/Extend due date/).click()
  await clerk.window
    .getByRole('dialog')
    .getByRole('button', { name: /^Extend to/ })
    .click()
  await expect(clerk.window.getByText(/: not confirmed\.$|^Due date changed to /).first()).toBeVisible()
  const ask = clerk.button('Check now')
  if (await ask.isVisible()) await ask.click({ timeout: 2000 }).catch(() => undefined)
  await expect(clerk.window.getByText(/^Due date changed to /).first()).toBeVisible()
  expect(bodiesOf(office, 'Extend')).toHaveLength(1)
})

test('a reminder whose answer was lost is left to a person, and repeated only on their decision', {
  tag: '@full'
}, async ({ open, line, office }) => {
  await sendElsewhere(office, ['Deed of gift'])
  const clerk = await open()
  await connect(clerk, line)
  await openSent(clerk, 'Deed of gift')
  line.setFault('lose-answer', (method, path) => method === 'POST' && path.includes('SendReminder'))
  await clerk.button('Remind Mere Tamati…').click()
  await clerk.window.getByRole('dialog').getByRole('button', { name: 'Send reminder' }).click()
  await expect(clerk.window.getByText(/: not confirmed\.$/).first()).toBeVisible()
  line.setFault('pass')
  await clerk.button('Do it again…').click()
  await clerk.window.getByRole('dialog').getByRole('button', { name: 'Do it again' }).click()
  await expect(clerk.window.getByText('Reminder sent to Mere Tamati.').first()).toBeVisible()
  expect(bodiesOf(office, 'SendReminder')).toHaveLength(2)
})

test('an employer’s record is created, previewed before saving, and offered to the next form', {
  tag: '@full'
}, async ({ open, line, office }) => {
  const clerk = await open()
  await connect(clerk, line)
  const { window } = clerk
  await clerk.goTo('Directory')
  await window.getByRole('link', { name: /^Employers/ }).click()
  await clerk.button('New record').first().click()
  await window.getByRole('menuitem', { name: 'Tax file number' }).click()
  await window.getByLabel('Reference', { exact: true }).fill('tfn-harbour')
  await window.getByLabel('Name', { exact: true }).fill('Harbour Law payroll')
  await window.getByLabel('ABN', { exact: true }).fill('51 824 753 556')
  await window.getByLabel('Default').check()
  await clerk.button('Save…').click()
  await expect(window.getByRole('dialog').getByRole('row', { name: /ABN/ })).toBeVisible()
  await window.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await expect(window.getByText('Saved Harbour Law payroll.')).toBeVisible()
  expect(bodiesOf(office, 'UpdateEmployers')).toMatchObject([
    { TFN: [{ Reference: 'tfn-harbour', Name: 'Harbour Law payroll', IsDefault: true, ABN: '51 824 753 556' }] }
  ])

  await window.getByRole('link', { name: 'Recipients' }).click()
  await clerk.button('Refresh').click()
  await expect(
    window
      .getByRole('region', { name: /on progress/ })
      .getByRole('listitem')
      .first()
  ).toBeVisible()

  await clerk.goTo('New package')
  await clerk.button(/^Forms/).click()
  await window.getByText('Employer and XML').click()
  await window.getByLabel('Employer reference').click()
  await expect(window.getByRole('option', { name: /Harbour Law payroll/ })).toBeVisible()
})
