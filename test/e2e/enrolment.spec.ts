/**
 * An account and its settings are prepared on one computer and set up on another, whose clerk never sees the secret.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { openPracticeOffice } from '../../src/practice/office.ts'
import { blankComposition } from '../../src/shared/composition/index.ts'
import { DocumentQuery } from '../../src/shared/contract/document-query.ts'
import { expect, test } from './office.ts'

test(
  'one file brings the settings and another, with its code, the account’s secret; what the policy shares is there too',
  { tag: '@full' },
  async ({ open }, testInfo) => {
    const office = await openPracticeOffice({ data: 'demo', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
    const file = testInfo.outputPath('Harbour Law.countersign-enrolment')
    try {
      const admin = await open({ userData: testInfo.outputPath('admin') })
      await admin.connectTo(office.url)
      await admin.goTo('Settings')
      await admin.button(/^More for Harbour Law/).click()
      await admin.window.getByRole('menuitem', { name: /^Prepare for other computers/ }).click()
      const code = (await admin.window.locator('.code span').allTextContents()).join('-')
      await admin.window.getByRole('checkbox', { name: /I’ve noted the code/ }).check()
      await admin.app.dialog.answerSave(file)
      await admin.button('Save file…').click()
      await expect(admin.window.getByText(/It can be used until/)).toBeVisible()
      expect((await readFile(file)).includes('made-up-token-1')).toBe(false)
      await admin.window.evaluate(
        async ({ composition, query }) => {
          const { presets, views } = globalThis.window.countersign
          await presets.save({ name: 'Lease', composition })
          await views.save({ name: 'Due', query, tell: false })
        },
        { composition: blankComposition('form-direct', 'form'), query: DocumentQuery.parse({ dueWithinDays: 7 }) }
      )
      const settings = testInfo.outputPath('Harbour Law.countersign-settings')
      await admin.app.dialog.answerSave(settings)
      await admin.button('Export settings…').click()
      await expect(admin.window.getByText(/^Settings saved as/)).toBeVisible()
      await admin.app.close()

      // The organisation gives other settings to all its computers, in such a file.
      const { presets, views, ...others } = JSON.parse(await readFile(settings, 'utf8'))
      const renamed = (list: { name: string }[]) => list.map((one) => ({ ...one, name: `House ${one.name}` }))
      const [shared, policy] = ['shared.countersign-settings', 'policy.json'].map((name) => testInfo.outputPath(name))
      await writeFile(shared ?? '', JSON.stringify({ ...others, presets: renamed(presets), views: renamed(views) }))
      await writeFile(policy ?? '', JSON.stringify({ sharedFile: shared }), { mode: 0o644 })
      const clerk = await open({ userData: testInfo.outputPath('clerk'), args: [`--policy-file=${policy}`] })
      const { app, window, button } = clerk
      await app.dialog.answerOpen([settings])
      await button('Import settings…').click()
      await expect(window.getByText('Preset “Lease” of “Harbour Law”')).toBeVisible()
      await button(/^Make \d+ changes/).click()
      await expect(window.getByText('Settings imported. Now enter the keys of the new accounts.')).toBeVisible()
      const named = () =>
        window.evaluate(async () => {
          const { presets, views } = globalThis.window.countersign
          const lists = [await presets.list(), await views.list()] as const
          return lists.map((list) => list.ok && list.value.map(({ name, isOrganisations }) => [name, isOrganisations]))
        })
      for (const [at, own] of ['Lease', 'Due'].entries())
        await expect
          .poll(async () => (await named())[at])
          .toEqual(
            expect.arrayContaining([
              [own, undefined],
              [`House ${own}`, true]
            ])
          )

      await app.dialog.answerOpen([file])
      await button('Connect with an enrolment file…').click()
      const wrong = code.split('-').toReversed().join('-')
      await window.getByRole('textbox', { name: 'Code' }).fill(wrong)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(window.getByText(/^This code has a mistake in it/)).toBeVisible()
      await window.getByRole('textbox', { name: 'Code' }).fill(code)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(window.getByText(/^Connected\. \d+ documents found/)).toBeVisible()
      await expect(window.getByText('Connected with an enrolment file')).toBeVisible()
      await button(/^Edit…/).click()
      await expect(window.getByLabel('Token', { exact: true })).toHaveValue('')
      expect(await window.content()).not.toContain('made-up-token-1')
      expect(app.logs()).not.toContain('made-up-token-1')
      expect(app.logs()).not.toContain(code)
      const trail = await window.evaluate(() =>
        globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 5 })
      )
      expect(trail.ok && trail.value.entries[0]).toMatchObject({
        what: 'account-changed',
        detail: { how: 'enrolment file' }
      })
    } finally {
      await office.close()
    }
  }
)
