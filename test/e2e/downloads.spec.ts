import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPracticeOffice } from '../../src/practice/office.ts'
import { openFaultProxy } from '../fixtures/fault-proxy.ts'
import { connect, test as lineTest } from './bad-line.ts'
import { type Clerk, MERE, type Person, sign } from './clerk.ts'
import { expect, test } from './office.ts'
import { formsFor, send } from './sending.ts'

const ASKED_WHO: Person = { ...MERE, faceToFace: true, identity: { question: 'Date of birth', answer: '1984-03-09' } }
const isIdentity = (_method: string, path: string) => path.includes('Download/IDVerification')

/** Creates an empty folder beside the application's data, like an office's share. */
async function folderBeside({ app }: Clerk, name: string): Promise<string> {
  const folder = join(
    app.userData,
    '..',
    `${name}-${createHash('sha256').update(app.userData).digest('hex').slice(0, 8)}`
  )
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  return folder
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

/** Expects every PDF below a folder to be whole, and no other file but the index. */
async function expectWholeFiles(folder: string, count: number): Promise<void> {
  const files = (await filesIn(folder)).filter((name) => name !== 'index.csv')
  expect(files).toHaveLength(count)
  for (const name of files) {
    const bytes = await readFile(join(folder, name))
    expect(name).toMatch(/\.identity\.pdf$/)
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-')
    expect(bytes.subarray(-1024).toString('latin1')).toContain('%%EOF')
  }
}

async function summaryOf({ window: page }: Clerk) {
  return page.evaluate(async () => {
    const summary = await globalThis.window.countersign.downloads.summary()
    if (!summary.ok) throw new Error(summary.error.message)
    return summary.value
  })
}

test('a rule downloads a completed document under the office’s file name, and the saved file is verified', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, button } = clerk
  const folder = await folderBeside(clerk, 'evidence')
  await window.evaluate(async () => {
    const saved = await globalThis.window.countersign.views.save({
      name: 'Letters',
      query: { search: 'Letter of authority' },
      tell: false
    })
    if (!saved.ok) throw new Error(saved.error.message)
  })

  await clerk.goTo(/^Downloads/)
  await window.getByRole('link', { name: /^Rules/ }).click()
  await button('Add a rule…').click()
  const dialog = window.getByRole('dialog', { name: 'Add a rule' })
  await app.dialog.answerOpen([folder])
  await dialog.getByRole('button', { name: 'Change…' }).click()
  await dialog.getByText('Advanced').click()
  await dialog.getByLabel('File names').fill('{yyyy}/{document} – {signer}.pdf')
  await dialog.getByLabel('Keep an index file').check()
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await filesIn(folder)).toEqual([])

  await send(clerk, formsFor(['Letter of authority'], [ASKED_WHO]))
  await sign(await clerk.handOver(ASKED_WHO, 'Letter of authority'), ASKED_WHO)
  await clerk.giveBack()
  await button('Back to Counter').click()

  const name = join(String(new Date().getFullYear()), 'Letter of authority – Mere Tamati.identity.pdf')
  await expect.poll(() => filesIn(folder)).toContain(name)
  await expect.poll(() => filesIn(folder)).toContain('index.csv')
  await expectWholeFiles(folder, 1)
  const bytes = await readFile(join(folder, name))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await readFile(join(folder, 'index.csv'), 'utf8')).toContain(sha256)

  await clerk.goTo(/^Downloads/)
  await window.getByRole('link', { name: /^All/ }).click()
  await expect(window.getByRole('row', { name: /Letter of authority/ })).toContainText(/Mere Tamati\.identity\.pdf/)
  const trail = await window.evaluate(() =>
    globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 20 })
  )
  const fetched = trail.ok ? trail.value.entries.filter(({ what }) => what === 'identity-data-fetched') : []
  expect(fetched).toHaveLength(1)
  expect(fetched[0]).toMatchObject({ documentName: 'Letter of authority', detail: expect.objectContaining({ sha256 }) })

  await button('Verify saved files').click()
  await expect(window.getByText('The file is unchanged.')).toBeVisible()
  await writeFile(join(folder, name), Buffer.concat([bytes, Buffer.from('x')]))
  await button('Verify again').click()
  await expect(window.getByText(/1 of 1 file changed or missing/)).toBeVisible()
})

lineTest(
  'a whole view is downloaded despite a broken connection and a crash: each file once and complete',
  async ({ open, userData }) => {
    const office = await openPracticeOffice({ data: 'demo', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
    const line = await openFaultProxy(office.url)
    try {
      let clerk = await open({ userData })
      await connect(clerk, line)
      const folder = await folderBeside(clerk, 'share')
      await clerk.openFolder('Signed')
      line.setFault('cut', isIdentity)
      await clerk.button('Views').click()
      await clerk.window.getByRole('menuitem', { name: /Download identity data/ }).click()
      const dialog = clerk.window.getByRole('dialog', { name: 'Download identity data' })
      await clerk.app.dialog.answerOpen([folder])
      await dialog.getByRole('button', { name: 'Change…' }).click()
      await dialog.getByRole('button', { name: /^Download \d+ PDFs?$/ }).click()
      await dialog.waitFor({ state: 'hidden' })
      await clerk.goTo(/^Downloads/)
      await expect(clerk.window.getByText(/waiting for a connection/i).first()).toBeVisible()
      const { waiting, running, failed } = (await summaryOf(clerk)).counts
      expect(failed).toBe(0)
      const count = waiting + running
      expect(count).toBeGreaterThan(1)
      expect(await filesIn(folder)).toEqual([])

      await clerk.app.kill()
      line.setFault('pass')
      clerk = await open({ userData })
      await expect.poll(async () => (await summaryOf(clerk)).counts.done).toBe(count)
      await expectWholeFiles(folder, count)
      await clerk.goTo(/^Downloads/)
      await expect(clerk.window.getByRole('row').first()).toBeVisible()
    } finally {
      await line.close()
      await office.close()
    }
  }
)
