import { execFile } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MERE, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { formsFor, send } from './sending.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, '../../scripts/verify-receipt.ts')

test(
  'two people sign, one photographs the code, and the office saves, prints and checks the receipt',
  { tag: '@full' },
  async ({ clerk }, testInfo) => {
    const { app, window, person, button } = clerk
    // The trail is checked at each start, without anyone asking for it.
    await expect
      .poll(() => window.evaluate(() => globalThis.window.countersign.audit.checkAtStart()))
      .toMatchObject({ ok: true, value: { isWhole: true } })
    await send(clerk, formsFor(['Deed of gift'], [MERE, WIREMU]))
    await sign(
      await clerk.handOver(MERE, 'Deed of gift', { checklist: ['Photo ID seen'], also: ['Wiremu Ngata'] }),
      MERE
    )
    await person.button('Show my receipt number').click()
    const code = window.getByRole('img', { name: /^QR code of receipt R-/ })
    await expect(code).toBeVisible()
    await person.handOn()
    await sign(await person.begin('Wiremu Ngata'), WIREMU)
    await clerk.giveBack()

    await button('Receipt').click()
    await window.getByRole('menuitem', { name: 'Print for Wiremu Ngata' }).click()
    await expect(window.getByText(/^Receipt R-\S+ was sent to the printer\.$/)).toBeVisible()
    const file = testInfo.outputPath('receipt.pdf')
    await app.dialog.answerSave(file)
    await button('Receipt').click()
    await window.getByRole('menuitem', { name: 'Save for our file…' }).click()
    await expect(window.getByText('Saved as “receipt.pdf”.')).toBeVisible()

    expect((await readFile(file, 'latin1')).match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
    const { stdout } = await run(process.execPath, [SCRIPT, file])
    expect(stdout).toMatch(/^Genuine: R-\d{4}-000003-[0-9A-F]{4}/)
    expect(stdout).toContain('Mere Tamati: Deed of gift: signed')
    expect(stdout).toContain('Wiremu Ngata: Deed of gift: signed')

    await button('Back to Counter').click()
    await button('Audit trail').click()
    const check = async (path: string) => {
      await app.dialog.answerOpen([path])
      await button('Export').click()
      await window.getByRole('menuitem', { name: 'Check a file…' }).click()
    }
    await check(file)
    await expect(window.getByText(/^Receipt R-\d{4}-000003-[0-9A-F]{4} is as it was issued\.$/)).toBeVisible()
    await expect(window.getByText(/It matches the audit trail on this computer\./)).toBeVisible()
    const changed = testInfo.outputPath('changed.pdf')
    await copyFile(file, changed)
    const bytes = await readFile(changed)
    bytes[2000] = (bytes[2000] ?? 0) ^ 1
    await writeFile(changed, bytes)
    await check(changed)
    await expect(window.getByText('“changed.pdf” was changed.')).toBeVisible()
  }
)
