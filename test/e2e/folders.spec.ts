import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, expect, sendElsewhere, test } from './bad-line.ts'
import { MERE, WIREMU } from './clerk.ts'

test('a change at the service is seen within seconds, announced once, counted and unread', { tag: '@full' }, async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  const { app, window } = clerk
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await sendElsewhere(office, ['Deed of gift'], [MERE])
  await expect(window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()
  await expect.poll(async () => (await app.badge()).count).toBe(1)

  const [document] = Object.values(office.service.state.documents)
  const [signer] = document?.signers ?? []
  if (!document || !signer) throw new Error('Nothing was sent.')
  Object.assign(signer, { status: 'Declined', declinedReason: 'The amounts are not right.' })
  Object.assign(document, { ending: 'Declined', endedAt: Date.now() })
  await expect
    .poll(async () => (await app.notifications()).map(({ body, title }) => `${title} ${body}`).join('\n'))
    .toMatch(/declined/i)
  expect((await app.notifications()).filter(({ body, title }) => /declined/i.test(`${title} ${body}`))).toHaveLength(1)

  await clerk.goTo('Today')
  await expect(window.getByRole('link', { name: /Declined\s*1/ }).first()).toBeVisible()
  await app.clickNotification(-1)
  await expect(window.getByRole('heading', { name: 'Deed of gift', level: 2 })).toBeVisible()
  await expect.poll(async () => (await app.badge()).count).toBe(0)
  await clerk.goTo('Activity')
  await expect(window.getByText('Mere Tamati declined to sign.')).toBeVisible()
})

test('documents are found while typing, filtered, saved as a view with its count, and exported', async ({
  open,
  userData,
  line,
  office
}) => {
  await sendElsewhere(office, ['Deed of gift', 'Cover letter'], [MERE])
  await sendElsewhere(office, ['=cmd()|calc', '<b>Loan</b> agreement'], [WIREMU])
  const before = await open({ userData })
  await connect(before, line)
  const { app, window } = before
  await app.resizeWindow({ width: 1500, height: 950 })
  await before.goTo(/^Documents/)
  await before.button('Refresh').click()
  await expect(window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()

  const search = window.getByRole('searchbox')
  await search.fill('ngata')
  await expect(window.getByRole('row', { name: 'Deed of gift' })).toBeHidden()
  await expect(window.getByRole('row', { name: '<b>Loan</b> agreement' })).toBeVisible()

  await before.button('Views').click()
  await window.getByRole('menuitem', { name: 'Save as view…' }).click()
  await window.getByRole('dialog').getByLabel('Name').fill('Wiremu')
  await window.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(
    window.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: /Wiremu, 2/ })
  ).toBeVisible()

  const file = join(app.userData, 'wiremu.csv')
  await app.dialog.answerSave(file)
  await window.locator('body').press('e')
  await expect.poll(() => existsSync(file)).toBe(true)
  const csv = readFileSync(file, 'utf8')
  expect(csv).toContain('<b>Loan</b> agreement')
  expect(csv).not.toMatch(/(^|[,\n\r"])=cmd/)
  expect(csv).not.toContain('Deed of gift')
  expect(await app.quit()).toBe(0)

  const after = await open({ userData })
  await after.goTo(/^Wiremu/)
  await expect(after.window.getByRole('row', { name: '<b>Loan</b> agreement' })).toBeVisible()
  await expect(after.window.getByRole('row', { name: 'Deed of gift' })).toBeHidden()
})

test('an unreadable document is named, and the others are still shown', { tag: '@full' }, async ({
  open,
  line,
  office
}) => {
  await sendElsewhere(office, ['Deed of gift'], [MERE])
  await sendElsewhere(office, ['Broken'], [WIREMU])
  line.spoil((body) => body.replaceAll('"Email":"wiremu.ngata@example.com"', '"Email":{"not":"text"}'))
  const clerk = await open()
  await connect(clerk, line)
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await expect(clerk.window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()
  await clerk.window.getByText('Details', { exact: true }).click()
  await expect(clerk.window.getByText('Broken').first()).toBeVisible()
})

test('folders that are briefly empty lose nothing', { tag: '@full' }, async ({ open, line, office }) => {
  await sendElsewhere(office, ['Deed of gift', 'Cover letter'])
  const clerk = await open()
  await connect(clerk, line)
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await expect(clerk.window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()
  line.spoil((body) => (body.startsWith('[') ? '[]' : body))
  await clerk.button('Refresh').click()
  await expect(clerk.button('Refresh')).toBeVisible()
  await expect(clerk.window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()
  line.spoil((body) => body)
  await clerk.button('Refresh').click()
  await expect(clerk.window.getByRole('row', { name: 'Cover letter' })).toBeVisible()
})

test('a file from other software in a drop folder becomes a draft, with a report beside it', { tag: '@full' }, async ({
  clerk
}) => {
  const { app, window } = clerk
  const folder = join(app.userData, '..', 'dropped')
  mkdirSync(folder)
  await app.dialog.answerOpen([folder])
  await clerk.goTo('Settings')
  await clerk
    .button(/Add a folder|Watch a folder/)
    .first()
    .click()
  await expect(window.getByText('dropped').first()).toBeVisible()
  await clerk
    .button(/^Start/)
    .first()
    .click()

  const request = {
    Forms: [
      {
        Name: 'Handed over',
        FormType: 1,
        Reference: 'FORM-1',
        EmbedForm: false,
        Signers: [{ FirstName: MERE.first, LastName: MERE.last, Email: MERE.email }]
      }
    ]
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(request))
  writeFileSync(join(folder, 'nonsense.json'), '{"Forms": 7}')
  await expect
    .poll(
      () =>
        readdirSync(folder)
          .filter((name) => !name.startsWith('.'))
          .sort(),
      { timeout: 90_000 }
    )
    .toEqual(['done', 'failed'])
  await clerk.goTo(/^Drafts/)
  await expect(window.getByText('Handed over').first()).toBeVisible()
  expect(readdirSync(join(folder, 'done')).some((name) => name.startsWith('package.json'))).toBe(true)
  const report = readdirSync(join(folder, 'failed')).find((name) => name.includes('report')) ?? ''
  expect(readFileSync(join(folder, 'failed', report), 'utf8')).toContain('Forms')
})
