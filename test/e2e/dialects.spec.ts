/**
 * The main job, from the first package to the files on disk, at services that speak each dialect of the reference, and
 * mixtures of them. By default a few mixtures, in which each dialect is spoken once; with `DIALECT_MIXTURES=20` each
 * dialect alone, and that many random mixtures.
 */
import { readdir } from 'node:fs/promises'
import { DIALECTS, type Dialect } from '../../src/practice/dialects.ts'
import { openPracticeOffice } from '../../src/practice/office.ts'
import { MERE, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'

/** Returns a random mixture of dialects, the same for the same seed. */
function mixture(seed: number): Dialect[] {
  // A 32-bit number whose bits don't follow a pattern (the finaliser of MurmurHash3).
  let bits = Math.imul(seed + 1, 0x9e3779b1)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return DIALECTS.filter((_, index) => (bits >>> index) & 1)
}

const { DIALECT_MIXTURES } = process.env
const spoken: Dialect[][] = DIALECT_MIXTURES
  ? [...DIALECTS.map((dialect) => [dialect]), ...Array.from({ length: Number(DIALECT_MIXTURES) }, (_, n) => mixture(n))]
  : [
      ['full', 'dates-iso', 'extra-members'],
      ['sparse', 'link-on-send', 'day-first'],
      ['v13', 'wrapped', 'plain-bodies']
    ]

test('every dialect is included', () => {
  expect(new Set(spoken.flat())).toEqual(new Set(DIALECTS))
})

for (const dialects of spoken) {
  test(`the main job at a service that speaks ${dialects.join(', ') || 'as usual'}`, { tag: '@full' }, async ({
    open
  }) => {
    const office = await openPracticeOffice({
      data: 'empty',
      auth: { scheme: 'bearer', token: 'made-up-token-1' },
      conditions: { dialects }
    })
    try {
      const clerk = await open()
      const { app, window } = clerk
      await app.resizeWindow({ width: 1500, height: 950 })
      await clerk.connectTo(office.url)

      // Sends both kinds, and signs them at the counter.
      const identified = { ...MERE, faceToFace: true, identity: { question: 'Date of birth', answer: '1984-03-09' } }
      await clerk.composeForm({ name: 'Letter of authority', people: [identified], embedded: true })
      await clerk.send()
      await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
      await clerk.composeTemplate({ name: 'Privacy consent', people: [MERE, WIREMU], embedded: true })
      await clerk.send()
      await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
      await sign(await clerk.handOver(identified, 'Letter of authority'), identified)
      await clerk.giveBack()
      await clerk.button('Back to Counter').click()
      await sign(await clerk.handOver(MERE, 'Privacy consent'), MERE)
      await clerk.giveBack()
      await clerk.button('Back to Counter').click()

      // Corrects another signer, and extends the package.
      await clerk.goTo(/^Documents/)
      await clerk.openDocument('Privacy consent')
      await clerk.button('Correct Wiremu Ngata…').click()
      const dialog = window.getByRole('dialog')
      await dialog.getByLabel('E-mail').fill('w.ngata@example.org')
      await dialog.getByRole('button', { name: 'Correct Wiremu' }).click()
      await expect(window.getByText('Details of Wiremu Ngata corrected.').first()).toBeVisible()
      await clerk.button(/Extend due date/).click()
      await dialog.getByRole('button', { name: '2 weeks later' }).click()
      await dialog.getByRole('button', { name: /^Extend to/ }).click()
      await expect(window.getByText(/^Due date changed to /).first()).toBeVisible()

      // Saves identity data to the disk, and verifies signatures.
      await clerk.chooseDownloadFolder(app.userData)
      await clerk.goTo(/^Documents/)
      await clerk.openDocument('Letter of authority')
      await clerk.button('Download report (PDF)').click()
      await clerk.button('Show in folder').click()
      const files = await readdir(app.userData, { recursive: true })
      expect(files.filter((name) => /Letter of authority – .*\.identity\.pdf$/.test(name))).toHaveLength(1)
      // The signed document has been viewed, and may be saved from then on.
      await clerk.button('View signed document').click()
      await clerk.button('Yes, allow downloads').click()
      await clerk.button('Download').click()
      await clerk.button('Show in folder').click()
      const saved = await readdir(app.userData, { recursive: true })
      expect(saved.filter((name) => /Letter of authority – .*\.signed\.pdf$/.test(name))).toHaveLength(1)
      await window.getByRole('link', { name: 'Letter of authority' }).click()
      await clerk.button('Verify signatures').click()
      await expect(window.getByRole('status').filter({ hasText: /valid/i }).first()).toBeVisible()

      const state = Object.values(office.service.state.documents)
      expect(state.map(({ ending }) => ending).sort()).toEqual(['Complete', undefined])
      expect(state.flatMap(({ signers }) => signers.map(({ Email }) => Email)).sort()).toEqual(
        [MERE.email, MERE.email, 'w.ngata@example.org'].sort()
      )
    } finally {
      await office.close()
    }
  })
}
