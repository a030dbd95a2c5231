/**
 * What a clerk sends again and again: the template used last, the same package for the next person, the choices of a
 * field.
 */
import { MERE, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'

test('a package is sent again to someone else, and to the same people only after a question', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button } = clerk
  await clerk.composeTemplate({ name: 'Privacy consent', people: [MERE, WIREMU] })
  await clerk.send()
  await expect(window.getByText('Sent to Mere Tamati and Wiremu Ngata.')).toBeVisible()
  await expect(window.getByText(/^Can be signed until /)).toBeVisible()

  await button('Send another like this').click()
  await expect(window.getByLabel('Name', { exact: true })).toHaveValue(/Privacy consent/)
  await expect(window.getByLabel('First name').first()).toHaveValue('')
  await expect(window.getByLabel('E-mail', { exact: true }).first()).toHaveValue('')

  await clerk.goTo(/^Outbox/)
  await window.getByRole('row', { name: /Privacy consent/ }).click({ button: 'right' })
  await window.getByRole('menuitem', { name: 'Send another to the same people' }).click()
  await expect(window.getByLabel('First name').first()).toHaveValue(MERE.first)
  await button(/^Send 1 document$/).click()
  const question = window.getByRole('dialog', { name: 'Send this again?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toBeHidden()
  await button(/^Send 1 document$/).click()
  await question.getByRole('button', { name: 'Send again' }).click()
  await button('Send now').click()
  await expect(window.getByText('Sent to Mere Tamati and Wiremu Ngata.')).toBeVisible()

  await button('New package').click()
  await expect(window.getByRole('list', { name: 'Recent' }).getByRole('button')).toHaveText([/Privacy consent/])
})

test('a field’s choices are listed once, and offered for the next package', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  const addChoice = async () => {
    await clerk.goTo('New package')
    await button('Privacy consent').first().click()
    await button('Add a field').click()
    await window.getByLabel('Field label').last().fill('Paid')
    await window.getByLabel('Field type').last().selectOption('RadioButton')
    await window.getByLabel('Field reference', { exact: true }).last().fill('paid')
  }
  await addChoice()
  await button('List the choices: Paid').click()
  const dialog = window.getByRole('dialog', { name: 'Choices for “Paid”' })
  for (const choice of ['Monthly', 'Weekly']) {
    await dialog.getByRole('textbox').last().fill(choice)
    await dialog.getByRole('button', { name: 'Add a choice' }).click()
  }
  await dialog.getByRole('button', { name: 'Move Weekly up' }).click()
  await dialog.getByRole('button', { name: 'Save choices' }).click()
  await window.getByRole('radio', { name: 'Weekly' }).check()

  await button('New package').click()
  await addChoice()
  const choices = window.getByRole('group', { name: /^Paid/ }).getByRole('radio')
  await expect(choices).toHaveCount(4)
  await expect(window.getByRole('group', { name: /^Paid/ })).toContainText(/Weekly\s*Monthly/)
})

test('a package is sent to a person from the directory, who can then be forgotten', { tag: '@full' }, async ({
  clerk
}) => {
  const { window, button } = clerk
  await clerk.composeTemplate({ name: 'Privacy consent', people: [MERE, WIREMU] })
  await clerk.send()
  await expect(window.getByText('Sent to Mere Tamati and Wiremu Ngata.')).toBeVisible()

  await clerk.goTo('Directory')
  const people = window.getByRole('grid', { name: 'People' })
  const mere = people.getByRole('row', { name: /Mere Tamati/ })
  await expect(mere).toContainText('once')
  await mere.click({ button: 'right' })
  await window.getByRole('menuitem', { name: /^Send to Mere Tamati/ }).click()
  await expect(window.getByRole('heading', { name: 'What do you want to send to Mere Tamati?' })).toBeVisible()
  await button('Privacy consent').first().click()
  await expect(window.getByLabel('First name').first()).toHaveValue(MERE.first)
  await expect(window.getByLabel('E-mail', { exact: true }).first()).toHaveValue(MERE.email)

  await clerk.goTo('Directory')
  await window.getByRole('searchbox', { name: 'Search people' }).fill('mere')
  await mere.click({ button: 'right' })
  await window.getByRole('menuitem', { name: /^Forget this person/ }).click()
  await window.getByRole('dialog').getByRole('button', { name: 'Forget this person' }).click()
  await expect(window.getByText('Nobody matches “mere”.')).toBeVisible()

  await window.getByRole('link', { name: 'Templates', exact: true }).click()
  await window.getByRole('row', { name: /Privacy consent/ }).click({ button: 'right' })
  await window.getByRole('menuitem', { name: 'New package from this template' }).click()
  await expect(window.getByLabel('Name', { exact: true })).toHaveValue(/Privacy consent/)
})
