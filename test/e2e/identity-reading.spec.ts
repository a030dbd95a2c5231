import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { jpegFile, pngFile } from '../unit/identity/picture-files.ts'
import { connect, sendElsewhere, test } from './bad-line.ts'
import { type Clerk, MERE } from './clerk.ts'
import { expect } from './office.ts'
import { textsInFiles } from './searching.ts'

/** Returns a document of the practice office whose signer's identity was checked, once the folders have been read. */
async function checkedDocument(clerk: Clerk): Promise<string> {
  let reference: string | undefined
  await expect.poll(async () => (reference = await findChecked(clerk))).toBeTruthy()
  return reference ?? ''
}

function findChecked({ window: page }: Clerk): Promise<string | undefined> {
  return page.evaluate(async () => {
    const { documents } = window.countersign
    const all = await documents.references({ query: {} })
    if (!all.ok) throw new Error(all.error.message)
    for (const { reference } of all.value.references) {
      const found = await documents.get({ reference })
      if (found.ok && found.value.identity === 'passed') return reference
    }
    return undefined
  })
}

function isKnown({ window: page }: Clerk, reference: string): Promise<boolean> {
  return page.evaluate(async (one) => (await window.countersign.documents.get({ reference: one })).ok, reference)
}

async function goToHash({ window: page }: Clerk, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
}

test(
  'an identity check is read from its document’s page, its faces are shown, and nothing of it is kept',
  { tag: '@full' },
  async ({ clerk }, testInfo) => {
    const { app, window } = clerk
    await app.resizeWindow({ width: 1400, height: 900 })
    const reference = await checkedDocument(clerk)
    await goToHash(clerk, `#/documents/all?document=${encodeURIComponent(reference)}`)
    await clerk.button('View identity check').click()
    await expect(window.getByRole('heading', { name: 'Identity check', level: 1 })).toBeVisible()
    const record = window.getByRole('article').first()
    await expect(record.getByRole('list', { name: 'Summary' })).toContainText('Passed')
    const portrait = record.getByRole('img', { name: 'Portrait' })
    const width = () => portrait.evaluate((image: HTMLImageElement) => image.naturalWidth)
    await expect.poll(width).toBeGreaterThan(100)
    await testInfo.attach('reading', { body: await window.screenshot(), contentType: 'image/png' })

    const number = (await record.locator('.code').first().textContent()) ?? ''
    expect(number).toMatch(/^[A-Z]{2}\d{6}$/)
    await record.getByRole('button', { name: 'Copy the document number' }).click()
    await expect(record.getByText(/Clears in 30 seconds/)).toBeVisible()
    expect(await app.clipboardText()).toBe(number)

    const saved = join(testInfo.outputDir, 'portrait.png')
    await app.dialog.answerSave(saved)
    await record.getByRole('button', { name: 'Save picture…: Portrait' }).click()
    await expect(window.getByText('Saved as portrait.png.')).toBeVisible()
    expect((await readFile(saved)).subarray(1, 4).toString()).toBe('PNG')

    await app.setLocked(true)
    await expect(window.getByText('Cleared because the screen was locked or handed over.')).toBeVisible()
    await expect(window.getByText(number)).toHaveCount(0)
    await clerk.button('Show again').click()
    await expect.poll(width).toBeGreaterThan(100)

    const address = (await portrait.getAttribute('src')) ?? ''
    await clerk.goTo('Today')
    const isDrawn = await window.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      return image.decode().then(
        () => true,
        () => false
      )
    }, address)
    expect(isDrawn).toBe(false)
    expect(await textsInFiles(dirname(app.userData), [number])).toEqual([])
    const trail = await window.evaluate(() =>
      globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 5 })
    )
    expect(trail.ok && trail.value.entries.map(({ detail }) => detail.as)).toEqual([
      'records',
      'saved-picture',
      'records'
    ])
  }
)

test('harmful pictures are reported under our own content policy, and a deleted check is reported as such', {
  tag: '@full'
}, async ({ open, office }) => {
  const service = await openIdentityService(office.url)
  const clerk = await open()
  const { window } = clerk
  const refused: string[] = []
  window.on('console', (message) => /Content Security Policy/i.test(message.text()) && refused.push(message.text()))
  const [reference = ''] = await sendElsewhere(office, ['Deed of gift'], [MERE])
  await connect(clerk, { url: service.url } as never)
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "taken"</script></svg>'
  service.records = [
    {
      PortraitImage: `data:image/jpeg;base64,${Buffer.from(svg).toString('base64')}`,
      FrontIDImage: jpegFile(60_000, 60_000).toString('base64'),
      BackIDImage: pngFile(20, 20).toString('base64').replace(/.{10}/g, '$&\n'),
      FirstName: '<img src=x onerror="document.title = 1">'
    },
    {}
  ]
  // Waits until the folders have been read.
  await expect.poll(() => isKnown(clerk, reference)).toBe(true)
  await goToHash(clerk, `#/identity/${encodeURIComponent(reference)}`)
  await expect(window.getByText(/The service sent a drawing with code \(SVG\)/)).toBeVisible()
  await expect(window.getByText(/given as 60,000 × 60,000 pixels/)).toBeVisible()
  await window.getByRole('radio', { name: 'Back' }).check()
  // Its header is valid and its pixels aren't: the page says so instead of showing a torn picture.
  await expect(window.getByText(/This picture is damaged/)).toBeVisible()
  await clerk.button('Side by side').click()
  await expect(window.getByText(/This record is empty/)).toBeVisible()
  expect(await window.title()).not.toMatch(/taken|1/)

  service.records = undefined
  await clerk.goTo('Today')
  await goToHash(clerk, `#/identity/${encodeURIComponent(reference)}`)
  await expect(window.getByText('No identity data for this document.')).toBeVisible()
  expect(refused).toEqual([])
  await service.close()
})

/**
 * Opens a proxy of the office's service that has our own records for every document; without any it says that there are
 * none.
 */
async function openIdentityService(officeUrl: string) {
  const service = { url: '', records: undefined as object[] | undefined, close: async () => {} }
  const server = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request
    if (url.includes('Download/IDVerification')) {
      if (!service.records) return response.writeHead(404).end()
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(service.records))
    }
    const passed = { authorization: headers.authorization ?? '', accept: headers.accept ?? '' }
    const answer = await fetch(`${new URL(officeUrl).origin}${url}`, { method, headers: passed })
    const body = Buffer.from(await answer.arrayBuffer())
    return response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  service.url = `http://127.0.0.1:${port}${new URL(officeUrl).pathname.replace(/\/$/, '')}`
  service.close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return service
}
