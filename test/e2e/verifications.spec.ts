/**
 * The results of verifying signatures are still there when viewed again, and after a restart; a rule verifies completed
 * documents.
 */
import { sign } from '../../src/practice/life.ts'
import type { PracticeOffice } from '../../src/practice/office.ts'
import type { FaultProxy } from '../fixtures/fault-proxy.ts'
import { connect, expect, sendElsewhere, test } from './bad-line.ts'
import { type Clerk, MERE } from './clerk.ts'

/** Completes a document as if everyone had signed at the service; `altered` if it was changed afterwards. */
function complete({ service }: PracticeOffice, reference: string, altered = false): void {
  const document = service.state.documents[reference]
  if (!document) throw new Error('There is no such document.')
  for (const signer of document.signers) sign(document, signer, { kind: 'typed', text: 'Mere Tamati' }, Date.now())
  document.altered = altered
}

const verified = ({ requests }: FaultProxy) => requests.filter((request) => /\/Document\/Validation\//i.test(request))

async function openSigned(clerk: Clerk, name: string): Promise<void> {
  await clerk.openFolder('Signed')
  await expect(clerk.window.getByRole('row', { name })).toBeVisible()
  await clerk.openDocument(name)
}

test('a verification is still shown, with its time, when its document is reopened and after a restart', {
  tag: '@full'
}, async ({ open, userData, line, office }) => {
  const [lease = '', deed = ''] = await sendElsewhere(office, ['Lease', 'Deed of gift'], [MERE])
  complete(office, lease)
  complete(office, deed)
  const before = await open({ userData })
  await connect(before, line)
  await openSigned(before, 'Lease')
  await before.button('Verify signatures').click()
  const found = (clerk: Clerk) => clerk.window.getByRole('heading', { name: 'The signature is valid' })
  await expect(found(before)).toBeVisible()

  await before.openDocument('Deed of gift')
  await expect(before.button('Verify signatures')).toBeVisible()
  await expect(found(before)).toBeHidden()
  await before.openDocument('Lease')
  await expect(found(before)).toBeVisible()
  await expect(before.window.getByText(/^Verified by the service /)).toBeVisible()
  expect(await before.app.quit()).toBe(0)

  const after = await open({ userData })
  await openSigned(after, 'Lease')
  await expect(found(after)).toBeVisible()
  expect(verified(line)).toHaveLength(1)

  // After verifying again, both results stay.
  const document = office.service.state.documents[lease]
  if (document) document.altered = true
  await after.button('Verify again').click()
  await expect(after.window.getByRole('heading', { name: 'The signature is not valid' })).toBeVisible()
  await expect(after.window.getByText('Signature verified: not valid.')).toBeVisible()
  await expect(after.window.getByText('Signature verified: valid.')).toBeVisible()
})

test('a rule verifies each document when it completes, and reports one that isn’t valid', { tag: '@full' }, async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  const { app, button, window } = clerk
  const [old = '', lease = ''] = await sendElsewhere(office, ['Old lease', 'Lease'], [MERE])
  complete(office, old)
  await openSigned(clerk, 'Old lease')
  await window.evaluate(async () => {
    const query = { search: 'lease' }
    const saved = await globalThis.window.countersign.views.save({ name: 'Leases', query, tell: false })
    if (!saved.ok) throw new Error(saved.error.message)
  })
  await clerk.goTo(/^Downloads/)
  await window.getByRole('link', { name: /^Rules/ }).click()
  await button('Add a rule…').click()
  const dialog = window.getByRole('dialog', { name: 'Add a rule' })
  await dialog.getByLabel('Verify signatures').check()
  await dialog.getByLabel('Identity report').uncheck()
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await dialog.waitFor({ state: 'hidden' })

  complete(office, lease, true)
  await expect
    .poll(async () => (await app.notifications()).map(({ title, body }) => `${title}: ${body}`))
    .toContain('A signature isn’t valid: Lease: 1 of 1 signature is not valid')
  await expect(window.getByText('1 document verified')).toBeVisible()
  expect(verified(line)).toHaveLength(1)

  await clerk.goTo('Activity')
  await expect(window.getByText('Signature verified: not valid.')).toBeVisible()
  await clerk.goTo('Today')
  await button('View verification Lease').click()
  await expect(window.getByRole('heading', { name: 'Lease', level: 2 })).toBeVisible()
  await expect(window.getByRole('heading', { name: 'The signature is not valid' })).toBeVisible()
  await expect(window.getByText(/^Verified automatically by the service /)).toBeVisible()
  await clerk.goTo('Today')
  await button('Dismiss Lease').click()
  await expect(button('View verification Lease')).toBeHidden()
})
