/**
 * A sheet as a clerk brings it: dropped on the window, pasted, or the practice office's own; corrected, sent, and seen
 * in the Outbox.
 */
import { writeFile } from 'node:fs/promises'
import { type Clerk, MERE, sign } from './clerk.ts'
import { expect, test } from './office.ts'

/**
 * Drags a desktop file over the window, to be dropped there, as Chromium gets it from the system: name and path are
 * withheld until the drop.
 */
async function dragFile({ window }: Clerk, file: string) {
  const line = await window.context().newCDPSession(window)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel') =>
    line.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data })
  await send('dragEnter')
  await send('dragOver')
  const drop = async () => {
    // The system keeps sending this. Chromium only drops on a page that has accepted the drag, which a busy page may
    // only just be doing.
    await send('dragOver')
    await send('drop')
  }
  return { drop, leave: () => send('dragCancel') }
}

/** Sends without the time to undo it, and waits until everything has reached the service. */
async function send({ window, button }: Clerk, count: number) {
  await window.evaluate(() => globalThis.window.countersign.outbox.configure({ undoSeconds: 0 }))
  await button(`Send ${count} packages`).click()
  await expect(window.getByRole('heading', { level: 1, name: 'Outbox' })).toBeVisible()
  await expect
    .poll(() =>
      window.evaluate(async () => {
        const batches = await globalThis.window.countersign.batches.list()
        return batches.ok && batches.value.map((batch) => batch.counts.sent)
      })
    )
    .toEqual([count])
}

const HEADINGS = 'First name,Last name,E-mail,Due date'
const people = [
  'Mere,Tamati,mere.tamati@example.com,14 December 2099',
  'Wiremu,Ngata,wiremu.ngata.example.com,14 December 2099',
  'Lena,,lena@example.com,31/02/2099'
]

test('a dropped sheet is corrected in the table, sent, and shown in the Outbox with its corrections', async ({
  clerk
}, testInfo) => {
  const { window, button } = clerk
  const sheet = testInfo.outputPath('clients.csv')
  await writeFile(sheet, [HEADINGS, ...people].join('\r\n'))

  await clerk.goTo(/^Drafts/)
  const dragged = await dragFile(clerk, sheet)
  await expect(window.getByText(/^Drop to bulk send from/)).toBeVisible()
  await dragged.drop()
  await expect(window.getByRole('heading', { name: 'Bulk send' })).toBeVisible()
  await button(/^Client engagement letter/).click()
  await button('Check 3 rows').click()

  const table = window.getByRole('grid', { name: 'Rows' })
  await table.getByLabel('E-mail, row 3').fill('wiremu.ngata@example.com')
  await window.keyboard.press('Enter')
  // The focus moves to the next row, and within it from one wrong cell to the next.
  await expect(table.getByLabel(/, row 4$/)).toBeFocused()
  const fixes: Record<string, string> = { 'Last name, row 4': 'Brooks', 'Due date, row 4': '28/02/2099' }
  for (let count = 0; count < 2; count++) {
    const name = (await table.getByLabel(/, row 4$/).getAttribute('aria-label')) ?? ''
    await table.getByLabel(name).fill(fixes[name] ?? '')
    await window.keyboard.press('Enter')
    await expect(table.getByLabel(name)).toBeHidden()
  }
  await expect(table.getByText(/E-mail: “wiremu\.ngata\.example\.com” → “wiremu\.ngata@example\.com”/)).toBeVisible()
  await table.getByText('Lena Brooks').click()
  await expect(window.getByRole('region', { name: /^Row 4/ }).getByText(/28 February 2099/)).toBeVisible()

  await send(clerk, 3)
  await window.getByRole('row', { name: /Wiremu Ngata/ }).click()
  await expect(window.getByRole('heading', { name: 'Corrected before sending' })).toBeVisible()
  await expect(window.getByText('wiremu.ngata.example.com')).toBeVisible()
  for (const name of ['Mere Tamati', 'Lena Brooks']) await expect(window.getByRole('row', { name })).toBeVisible()
})

test('rows copied from a spreadsheet are pasted without headings and sent', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  await clerk.goTo(/^Bulk send/)
  await button(/^Client engagement letter/).click()
  await clerk.app.setClipboardText(
    'Mere\tTamati\tmere.tamati@example.com\r\n"Tama\r\nRangi"\tBrooks\ttama@example.com\r\n'
  )
  await button('Paste rows').click()
  await expect(window.getByText('2 rows, 3 columns')).toBeVisible()
  await button('Continue').first().click()
  for (const [column, field] of [
    ['A', 'Signer 1: first name'],
    ['B', 'Signer 1: last name'],
    ['C', 'Signer 1: e-mail']
  ]) {
    await window.getByLabel(`Field for “${column}”`).fill(field ?? '')
    await window.getByRole('option', { name: new RegExp(`^${field}`) }).click()
  }
  await button('Check 2 rows').click()
  await send(clerk, 2)
  await expect(window.getByRole('row', { name: /Mere Tamati/ })).toBeVisible()
})

test('rows are pasted with the keyboard alone', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  await clerk.goTo(/^Bulk send/)
  await button(/^Client engagement letter/).click()
  await expect(button('Choose a file…')).toBeVisible()
  // Copied as from a spreadsheet, which has the focus then.
  await window.evaluate(() => {
    const cells = document.createElement('textarea')
    cells.value = 'First name\tLast name\tE-mail\nMere\tTamati\tmere@example.com'
    cells.id = 'spreadsheet'
    document.body.append(cells)
    cells.select()
  })
  await window.keyboard.press('Control+C')
  await window.evaluate(() => document.querySelector('#spreadsheet')?.remove())
  await window.keyboard.press('Control+V')
  await expect(button('Check 1 row')).toBeVisible()
})

test('a newcomer tries a bulk send in the practice office', { tag: '@full' }, async ({ clerk }) => {
  const { window, button } = clerk
  await clerk.goTo(/^Bulk send/)
  await button('Try it with a sample sheet').click()
  await expect(window.getByText('6 of 8 rows ready', { exact: true })).toBeVisible()
  await send(clerk, 6)
  await expect(window.getByRole('row', { name: /Hana Weka/ })).toBeVisible()
})

test(
  'an unusable file is reported, and the window doesn’t navigate to it',
  { tag: '@full' },
  async ({ clerk }, testInfo) => {
    const { window } = clerk
    const page = testInfo.outputPath('page.html')
    await writeFile(page, '<title>Not the application</title>')
    const address = window.url()
    const dragged = await dragFile(clerk, page)
    await expect(window.getByText(/can’t be used here/).first()).toBeVisible()
    await dragged.drop()
    await expect(window.getByRole('navigation', { name: 'Screens' })).toBeVisible()
    expect(window.url()).toBe(address)
  }
)

test('nothing can be dropped while a person signs on this screen', { tag: '@full' }, async ({ clerk }, testInfo) => {
  const { window } = clerk
  const sheet = testInfo.outputPath('clients.csv')
  await writeFile(sheet, [HEADINGS, ...people].join('\r\n'))
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  const page = await clerk.handOver(MERE, 'Letter of authority')
  const dragged = await dragFile(clerk, sheet)
  await expect(window.getByText(/^Drop to bulk send/)).toHaveCount(0)
  await dragged.drop()
  await sign(page, MERE)
  await clerk.giveBack()
  await expect(window.getByText(/^Drop to bulk send/)).toHaveCount(0)
  await expect(window.getByRole('heading', { name: 'Bulk send' })).toHaveCount(0)
})
