import { readFile, writeFile } from 'node:fs/promises'
import { connect, expect, formsSentTo, test } from './bad-line.ts'
import { type Clerk, MERE } from './clerk.ts'

/** Presses Tab until the control with this name has the focus, as someone without a mouse does. */
async function tabTo({ window }: Clerk, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps++) {
    await window.keyboard.press('Tab')
    const reached = await window.evaluate(() => {
      const focused = document.activeElement as HTMLInputElement | null
      const labels = [...(focused?.labels ?? [])].map((label) => label.innerText)
      return [focused?.getAttribute('aria-label') ?? '', ...labels, focused?.innerText ?? ''].map((text) => text.trim())
    })
    if (reached.some((text) => name.test(text))) return
  }
  throw new Error(`Tab never reached ${name}.`)
}

test('a first package is composed and sent with the keyboard alone', async ({ clerk }) => {
  const { window } = clerk
  const type = async (name: RegExp, text: string) => {
    await tabTo(clerk, name)
    await window.keyboard.type(text)
  }
  await window.keyboard.press('Control+n')
  await tabTo(clerk, /^Forms/)
  await window.keyboard.press('Enter')
  await expect(window.getByLabel('Name', { exact: true })).toBeFocused()
  await window.keyboard.type('Letter of authority')
  await type(/^Reference/, 'FORM-1')
  await type(/^Form type/, '1')
  await type(/^First name/, MERE.first)
  await type(/^Last name/, MERE.last)
  await type(/^E-mail/, MERE.email)
  await window.keyboard.press('Control+Enter')
  await expect(window.getByText(/^Sending in \d+ s$/)).toBeVisible()
  await tabTo(clerk, /^Send now/)
  await window.keyboard.press('Enter')
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
})

test('a package can be taken back before it is sent, and editing continues where it was left', {
  tag: '@full'
}, async ({ clerk }) => {
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  await clerk.putInOutbox()
  await clerk.window.keyboard.press('Escape')
  await expect(clerk.window.getByLabel('E-mail', { exact: true })).toHaveValue(MERE.email)
  await clerk.goTo(/^Outbox/)
  await expect(clerk.window.getByText('Nothing has been sent yet.')).toBeVisible()
})

test('an undisturbed package is sent automatically after ten seconds', { tag: '@full' }, async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  await clerk.putInOutbox()
  expect(formsSentTo(office)).toEqual([])
  await expect(clerk.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('the last typed text is kept when the window is closed immediately', { tag: '@full' }, async ({
  open,
  userData
}) => {
  const before = await open({ userData })
  await before.choosePracticeOffice()
  await before.goTo('New package')
  await before.button(/^Forms/).click()
  await before.window.getByLabel('Name', { exact: true }).pressSequentially('Letter of authority')
  await before.app.closeWindow()
  expect(await before.app.ended).toBe(0)

  const after = await open({ userData })
  await after.goTo(/^Drafts/)
  await expect(after.window.getByText('Letter of authority')).toBeVisible()
})

test('a window whose last text could not be saved asks before it closes', { tag: '@full' }, async ({ open }) => {
  const { app, window, goTo, button, choosePracticeOffice } = await open()
  await choosePracticeOffice()
  await goTo('New package')
  await button(/^Forms/).click()
  const name = window.getByLabel('Name', { exact: true })
  await name.fill('Letter of authority')
  await expect(window.getByText('Saved', { exact: false }).first()).toBeVisible()
  // The draft is removed while it is being edited: what is typed from now on can't be kept.
  await window.evaluate(async () => {
    const list = await globalThis.window.countersign.drafts.list({ search: '', trashed: false, offset: 0, limit: 1 })
    const [draft] = list.ok ? list.value.rows : []
    await globalThis.window.countersign.drafts.remove({ id: draft?.id ?? '' })
  })
  await name.fill('Letter of authority, second try')
  await app.dialog.answerMessage('Go back')
  await app.closeWindow()
  await expect
    .poll(async () => (await app.dialog.shown()).map(({ message }) => message))
    .toContainEqual(expect.stringContaining('couldn’t be saved'))
  await expect(name).toHaveValue('Letter of authority, second try')
  await app.dialog.answerMessage('Close and lose it')
  await app.closeWindow()
  expect(await app.ended).toBe(0)
})

test(
  'drafts are moved to another workstation as a file',
  { tag: '@full' },
  async ({ clerk, open, userData }, testInfo) => {
    const file = testInfo.outputPath('Letter.countersign')
    await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
    await clerk.goTo(/^Drafts/)
    await clerk.window.getByRole('grid').focus()
    await clerk.window.keyboard.press('ArrowDown')
    await clerk.window.keyboard.press('e')
    await clerk.app.dialog.answerSave(file)
    await clerk.window
      .getByRole('dialog')
      .getByRole('button', { name: /^Export/ })
      .click()
    await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain(MERE.email)

    const other = await open({ userData })
    await other.choosePracticeOffice()
    await other.goTo(/^Drafts/)
    await other.app.dialog.answerOpen([file])
    await other
      .button(/^Import/)
      .first()
      .click()
    await expect(other.window.getByText('Letter of authority').first()).toBeVisible()

    const torn = testInfo.outputPath('Torn.countersign')
    await writeFile(torn, (await readFile(file)).subarray(0, 400))
    await other.app.dialog.answerOpen([torn])
    await other
      .button(/^Import/)
      .first()
      .click()
    await expect(other.window.getByText(/Torn\.countersign/).first()).toBeVisible()
  }
)

test(
  'two hundred rows of a sheet are sent, and the five invalid ones once corrected',
  { tag: '@full' },
  async ({ open, line, office }, testInfo) => {
    const clerk = await open()
    await connect(clerk, line)
    const { window, button } = clerk
    const sheet = testInfo.outputPath('Staff.csv')
    const isBad = (row: number) => row % 40 === 0
    const lines = Array.from({ length: 200 }, (_, index) => {
      const row = index + 1
      return ['Marama', `Ngata ${row}`, isBad(row) ? 'not an address' : `marama.${row}@example.com`].join(';')
    })
    await writeFile(sheet, ['First name;Last name;E-mail', ...lines].join('\r\n'))

    await clerk.composeForm({ name: 'Letter of authority', people: [] })
    await expect(window.getByText('Saved', { exact: false }).first()).toBeVisible()
    await sendSheet(clerk, sheet)
    const toMend = testInfo.outputPath('To mend.csv')
    await clerk.app.dialog.answerSave(toMend)
    await button(/^Export 5 rows with errors/).click()
    await expect.poll(() => readFile(toMend, 'utf8').catch(() => '')).toContain('not an address')
    await button(/^Send 195 packages$/).click()
    await expect.poll(() => formsSentTo(office).length, { timeout: 120_000 }).toBe(195)

    const mended = (await readFile(toMend, 'utf8')).replace(
      /(Ngata )(\d+)(.*?)not an address/g,
      '$1$2$3marama.$2@example.com'
    )
    await writeFile(sheet, mended)
    await sendSheet(clerk, sheet)
    await button(/^Send 5 packages$/).click()
    await expect.poll(() => formsSentTo(office).length).toBe(200)
    const people = office.service
      .recorded()
      .flatMap(({ operation, body }) =>
        operation === 'SendForms2' ? (body as { Forms: { Signers: { Email: string }[] }[] }).Forms : []
      )
    expect(new Set(people.map(({ Signers }) => Signers[0]?.Email)).size).toBe(200)
  }
)

/** From the composed draft to a checked sheet. */
async function sendSheet(clerk: Clerk, sheet: string): Promise<void> {
  const { window, button, app } = clerk
  await clerk.goTo(/^Bulk send/)
  await window.getByRole('radio', { name: /^Draft/ }).check()
  await window.getByText('Letter of authority').first().click()
  await app.dialog.answerOpen([sheet])
  await button(/^Choose a file/).click()
  await window.getByRole('button', { name: 'Continue', exact: true }).click()
  await button(/^Check \d+ rows$/).click()
}
