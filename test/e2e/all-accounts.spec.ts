/**
 * An office with two accounts, each with its own service: every screen has rows of both, and an action on a row reaches
 * its own service.
 */
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type FaultProxy, openFaultProxy } from '../fixtures/fault-proxy.ts'
import { bodiesOf, formsSentTo, sendElsewhere } from './bad-line.ts'
import { type Clerk, MERE, nameOf, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { formsFor } from './sending.ts'

const HERE = { ...MERE, faceToFace: true }
const THERE = { ...WIREMU, faceToFace: true }

interface Side {
  office: PracticeOffice
  line: FaultProxy
}

async function openSide(): Promise<Side> {
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
  return { office, line: await openFaultProxy(office.url) }
}

/** Connects the second account as the form does, and shows both. Returns the ids of both. */
async function connectBranch({ window: page }: Clerk, baseUrl: string): Promise<string[]> {
  return page.evaluate(async (baseUrl) => {
    const { accounts } = window.countersign
    const authentication = { scheme: 'bearer', token: 'made-up-token-1' } as const
    const added = await accounts.add({ kind: 'service', name: 'Branch', baseUrl, authentication })
    if (!added.ok) throw new Error(added.error.message)
    await accounts.showAll()
    const list = await accounts.list()
    return list.ok ? list.value.map(({ id }) => id) : []
  }, baseUrl)
}

test('two accounts are used as one office, and each action reaches its row’s service', { tag: '@full' }, async ({
  open
}) => {
  const [harbour, branch] = [await openSide(), await openSide()]
  try {
    await sendElsewhere(harbour.office, ['Deed of Harbour'], [HERE])
    const [lease = ''] = await sendElsewhere(branch.office, ['Lease of Branch'], [THERE])
    const clerk = await open()
    const { app, window, button } = clerk
    await app.resizeWindow({ width: 1500, height: 950 })
    await clerk.connectTo(harbour.line.url)
    const ids = await connectBranch(clerk, branch.line.url)
    const row = (name: string) => window.getByRole('row', { name: new RegExp(name) })
    /** Expects a row to say which account it belongs to. */
    const expectWhose = async (name: string, account: string) =>
      expect(row(name).getByTitle(account, { exact: true })).toBeVisible()

    // Overview: it shows who can sign here, of both accounts.
    await clerk.goTo('Today')
    for (const person of [HERE, THERE])
      await expect(window.getByRole('link', { name: nameOf(person), exact: true })).toBeVisible()

    // Documents.
    await clerk.goTo(/^Documents/)
    await window.getByRole('link', { name: /^All/ }).first().click()
    await expectWhose('Deed of Harbour', 'Harbour Law')
    await expectWhose('Lease of Branch', 'Branch')
    await clerk.openDocument('Lease of Branch')
    await button(/Extend due date/).click()
    const dialog = window.getByRole('dialog')
    await dialog.getByRole('button', { name: '2 weeks later' }).click()
    await dialog.getByRole('button', { name: /^Extend to/ }).click()
    await expect.poll(() => bodiesOf(branch.office, 'Extend').length).toBe(1)
    expect(bodiesOf(harbour.office, 'Extend')).toEqual([])

    // Drafts of both; the draft of the account that isn't the current one is sent in its own account.
    const drafts = [formsFor(['Letter of Harbour'], [HERE]), formsFor(['Letter of Branch'], [THERE])]
    await window.evaluate(
      async ([ids, drafts]) => {
        for (const [index, composition] of drafts.entries()) {
          const saved = await globalThis.window.countersign.drafts.save({ composition }, ids[index])
          if (!saved.ok) throw new Error(saved.error.message)
        }
        await globalThis.window.countersign.accounts.workIn({ id: ids[0] ?? '' })
      },
      [ids, drafts] as const
    )
    await clerk.goTo(/^Drafts/)
    await expectWhose('Letter of Harbour', 'Harbour Law')
    await expectWhose('Letter of Branch', 'Branch')

    // Outbox: one account is paused alone, and what both send is listed.
    await clerk.goTo(/^Outbox/)
    await button('Pause').click()
    await window.getByRole('menuitem', { name: /^Harbour Law/ }).click()
    await expect(window.getByText(/^Paused since/)).toBeVisible()
    for (const name of ['Letter of Harbour', 'Letter of Branch']) {
      await clerk.goTo(/^Drafts/)
      await row(name).dblclick()
      await clerk.putInOutbox()
    }
    await clerk.goTo(/^Outbox/)
    await expectWhose('Letter of Harbour', 'Harbour Law')
    await expectWhose('Letter of Branch', 'Branch')
    await expect.poll(() => formsSentTo(branch.office)).toEqual(['Lease of Branch', 'Letter of Branch'])
    expect(formsSentTo(harbour.office)).toEqual(['Deed of Harbour'])
    await button(/^Resume/).click()
    await expect.poll(() => formsSentTo(harbour.office)).toEqual(['Deed of Harbour', 'Letter of Harbour'])

    // Counter: the turn is the row's own signer's, with the link from their service. The link is plain http, so no page
    // is opened.
    await clerk.goTo(/^Counter/)
    await expect(
      button(`Start: ${nameOf(HERE)}, Deed of Harbour`).or(button(`Start: ${nameOf(HERE)}, 2 documents`))
    ).toBeVisible()
    await clerk.openSheet(THERE, 'Lease of Branch')
    await clerk.choosePinWhereAsked()
    await window.getByRole('button', { name: 'Hand over screen' }).click()
    await expect(window.getByText(/^This signer’s link isn’t encrypted/)).toBeVisible()
    const refusal = window.getByRole('dialog').getByRole('alert')
    for (const words of [nameOf(THERE), 'Lease of Branch']) await expect(refusal).toContainText(words)
    await window.getByRole('button', { name: 'Cancel' }).click()

    // Downloads: a failed one is requested again at its own service.
    const isDownload = (_method: string, path: string) => path.includes('/Download/')
    branch.line.setFault({ status: 400 }, isDownload)
    await window.evaluate(
      async ([id, reference]) => {
        const { downloads } = globalThis.window.countersign
        const started = await downloads.start({ reference, type: 'pdf' }, id)
        if (!started.ok) throw new Error(started.error.message)
      },
      [ids[1] ?? '', lease] as const
    )
    await clerk.goTo(/^Downloads/)
    await expectWhose('Lease of Branch', 'Branch')
    // A menu keeps the actions of the moment it was opened in.
    await expect(row('Lease of Branch').getByRole('button', { name: /^Download again/ })).toBeAttached()
    await row('Lease of Branch').click({ button: 'right' })
    const downloads = ({ line }: Side) => line.requests.filter((one) => one.includes('/Download/')).length
    const before = downloads(branch)
    await window.getByRole('menuitem', { name: /^Download again/ }).click()
    await expect.poll(() => downloads(branch)).toBeGreaterThan(before)
    expect(downloads(harbour)).toBe(0)

    // Activity: of both, and each entry leads to the document in its own account.
    await clerk.goTo(/^Activity/)
    await expect(window.getByTitle('Harbour Law', { exact: true }).first()).toBeVisible()
    await window.getByRole('link', { name: 'Lease of Branch' }).first().click()
    await expect(window.getByRole('heading', { name: 'Lease of Branch', level: 2 })).toBeVisible()
    expect(await window.evaluate(() => location.hash)).toContain(`account=${ids[1]}`)

    // Shows one account alone.
    await button(/^Account: All accounts/).click()
    await window.getByRole('menuitem', { name: /^Harbour Law/ }).click()
    for (const [screen, theirs, ours] of [
      [/^Documents/, 'Lease of Branch', 'Deed of Harbour'],
      [/^Outbox/, 'Letter of Branch', 'Letter of Harbour']
    ] as const) {
      await clerk.goTo(screen)
      await expect(row(ours).first()).toBeVisible()
      await expect(row(theirs)).toHaveCount(0)
      await expect(window.getByTitle('Branch', { exact: true })).toHaveCount(0)
    }
  } finally {
    for (const { line, office } of [harbour, branch]) {
      await line.close()
      await office.close()
    }
  }
})
