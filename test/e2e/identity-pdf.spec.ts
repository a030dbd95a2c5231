import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright'
import { pdfOf, scriptedPdf } from '../fixtures/pdfs.ts'
import { connect, sendElsewhere, test } from './bad-line.ts'
import { type Clerk, MERE } from './clerk.ts'
import { expect } from './office.ts'
import { textsInFiles } from './searching.ts'

const run = promisify(execFile)

/** How much two pictures of the same page may differ. A blank sheet is 1, whatever it is compared with. */
const ALIKE = 0.45
/** A sheet of other proportions shows the page slightly smaller, so no point is exactly where it was. */
const ALIKE_ON_PAPER = 0.65

/**
 * Returns a document of the practice office whose signers' identity was checked, with its report as the application
 * gets it.
 */
async function checkedDocument({ window: page }: Clerk): Promise<{ reference: string; name: string; report: Buffer }> {
  const found = await page.evaluate(async () => {
    const { documents, pdf } = globalThis.window.countersign
    // The folders may not have been read yet.
    for (;;) {
      const all = await documents.references({ query: {} })
      if (!all.ok) throw new Error(all.error.message)
      for (const { reference } of all.value.references) {
        const opened = await pdf.open({ reference, kind: 'identity' })
        if (!opened.ok) continue
        let text = ''
        for (;;) {
          const next = await pdf.next({ id: opened.value.id })
          if (!next.ok) throw new Error(next.error.message)
          for (const byte of next.value.bytes) text += String.fromCharCode(byte)
          if (next.value.isLast) return { reference, name: opened.value.documentName, base64: btoa(text) }
        }
      }
      await new Promise((resume) => setTimeout(resume, 200))
    }
  })
  return { ...found, report: Buffer.from(found.base64, 'base64') }
}

/** Returns the pages of a PDF as another program renders them, as PNGs. */
async function painted(pdf: Buffer, folder: string, name: string): Promise<Buffer[]> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.pdf`), pdf)
  await run('pdftoppm', ['-r', '96', '-png', join(folder, `${name}.pdf`), join(folder, name)])
  const files = (await readdir(folder)).filter((file) => file.startsWith(`${name}-`) && file.endsWith('.png')).sort()
  return Promise.all(files.map((file) => readFile(join(folder, file))))
}

/**
 * Returns how much two pictures differ: their differences, as a share of everything that isn't white in the other. They
 * are compared small, so that each program's way with fine edges no longer matters. The other one is laid on white
 * paper of the first one's proportions, as large as it fits there.
 */
async function unlikeness(page: Page, one: Buffer, other: Buffer): Promise<number> {
  return page.evaluate(
    async ([first, second]) => {
      const load = async (base64: string) => {
        const image = new Image()
        image.src = `data:image/png;base64,${base64}`
        await image.decode()
        return image
      }
      const [paper, sheet] = [await load(first), await load(second)]
      const width = 100
      const height = Math.round((paper.height / paper.width) * width)
      const points = (image: HTMLImageElement, isFitted: boolean) => {
        const canvas = document.createElement('canvas')
        Object.assign(canvas, { width, height })
        const drawing = canvas.getContext('2d') as CanvasRenderingContext2D
        drawing.fillStyle = '#ffffff'
        drawing.fillRect(0, 0, width, height)
        drawing.imageSmoothingQuality = 'high'
        const scale = isFitted ? Math.min(width / image.width, height / image.height) : width / image.width
        const [wide, high] = [image.width * scale, isFitted ? image.height * scale : height]
        drawing.drawImage(image, (width - wide) / 2, (height - high) / 2, wide, high)
        return drawing.getImageData(0, 0, width, height).data
      }
      const [ours, theirs] = [points(paper, false), points(sheet, true)]
      const differences = ours.reduce((sum, value, index) => sum + Math.abs(value - (theirs[index] ?? 0)), 0)
      return differences / theirs.reduce((sum, value) => sum + 255 - value, 0)
    },
    [one.toString('base64'), other.toString('base64')] as const
  )
}

const pageOf = ({ window: page }: Clerk, number: number) => page.getByRole('group', { name: `Page ${number} of` })

async function openReport({ window: page }: Clerk, reference: string): Promise<void> {
  await page.evaluate(
    (hash) => {
      location.hash = hash
    },
    `#/identity-pdf/${encodeURIComponent(reference)}`
  )
  await page.getByRole('heading', { name: 'Identity report' }).waitFor()
}

/** Returns the page as a person sees it, zoomed so that all of it is in the window. */
async function pictureOf(clerk: Clerk, number: number): Promise<Buffer> {
  const { window: page } = clerk
  await page.getByLabel(/^Page, of/).fill(String(number))
  await page.keyboard.press('Enter')
  const canvas = pageOf(clerk, number).locator('canvas')
  await canvas.waitFor()
  await expect(canvas).toBeInViewport({ ratio: 0.99 })
  return canvas.screenshot()
}

test(
  'a report looks as in another program, is printed and cleared, and leaves nothing on the disk',
  { tag: '@full' },
  async ({ clerk }, testInfo) => {
    const { app, window } = clerk
    await app.resizeWindow({ width: 1400, height: 900 })
    const { reference, name, report } = await checkedDocument(clerk)
    const theirs = await painted(report, testInfo.outputDir, 'report')
    expect(theirs.length).toBeGreaterThanOrEqual(2)

    await openReport(clerk, reference)
    await expect(window.getByRole('link', { name }).last()).toBeVisible()
    await pageOf(clerk, 1).locator('canvas').waitFor()
    await expect(pageOf(clerk, 1)).toContainText(/\w{3,}/)
    const ours = []
    while ((await window.locator('.percent').textContent()) !== '50 %') await clerk.button('Zoom out').click()
    for (const number of theirs.keys()) ours.push(await pictureOf(clerk, number + 1))
    for (const [index, picture] of ours.entries()) {
      await testInfo.attach(`page-${index + 1}`, { body: picture, contentType: 'image/png' })
      expect(await unlikeness(window, picture, theirs[index] as Buffer)).toBeLessThan(ALIKE)
    }
    // A different page must not pass as the same.
    expect(await unlikeness(window, ours[0] as Buffer, theirs[1] as Buffer)).toBeGreaterThan(ALIKE)

    const printed = await whatIsPrinted(clerk)
    const sheets = await painted(printed, testInfo.outputDir, 'printed')
    expect(sheets).toHaveLength(theirs.length)
    for (const [index, sheet] of sheets.entries())
      expect(await unlikeness(window, sheet, theirs[index] as Buffer)).toBeLessThan(ALIKE_ON_PAPER)
    await expect(window.locator('.sheets')).toHaveCount(0)

    expect(await textsInFiles(dirname(app.userData), ['%PDF-1', 'Type /XObject'])).toEqual([])
    const trail = await window.evaluate(() =>
      globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 5 })
    )
    expect(trail.ok && trail.value.entries.filter(({ detail }) => detail.as === 'preview')).toHaveLength(2)
    await clerk.goTo('Today')
    await expect(window.locator('canvas')).toHaveCount(0)
  }
)

/** Presses Print, with a printer that captures what it is given as a PDF. */
async function whatIsPrinted(clerk: Clerk): Promise<Buffer> {
  const { app } = clerk
  await app.evaluate(({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0] as Electron.BrowserWindow
    const printer = globalThis as { paper?: Promise<string> }
    webContents.print = (_options, done) => {
      printer.paper = webContents.printToPDF({}).then((bytes) => {
        done?.(true, '')
        return bytes.toString('base64')
      })
    }
  })
  await clerk.button('Print…').click()
  await expect
    .poll(() => app.evaluate(() => (globalThis as { paper?: Promise<string> }).paper !== undefined))
    .toBe(true)
  return Buffer.from(await app.evaluate(() => (globalThis as { paper?: Promise<string> }).paper ?? ''), 'base64')
}

test('a downloaded report is shown in its folder', { tag: '@full' }, async ({ clerk }) => {
  const { app, window } = clerk
  const { reference } = await checkedDocument(clerk)
  await app.dialog.answerOpen([app.userData])
  await window.evaluate(async () => {
    const { downloads } = globalThis.window.countersign
    const chosen = await downloads.chooseFolder()
    if (chosen.ok && chosen.value) await downloads.configure({ folderId: chosen.value.id })
  })
  await openReport(clerk, reference)
  await clerk.button('Download').click()
  await clerk.button('Show in folder').click()
  const [shown] = await app.shownInFolder()
  expect((await readFile(shown ?? '')).subarray(0, 5).toString()).toBe('%PDF-')
})

test('a report’s script and link do nothing and damaged reports are reported, all under our own content policy', async ({
  open,
  office
}) => {
  const service = await openReportingService(office.url)
  const clerk = await open()
  const { app, window } = clerk
  const refused: string[] = []
  window.on('console', (message) => /Content Security Policy/i.test(message.text()) && refused.push(message.text()))
  const [reference = ''] = await sendElsewhere(office, ['Deed of gift'], [MERE])
  await connect(clerk, { url: service.url } as never)
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await expect(window.getByRole('row', { name: 'Deed of gift' })).toBeVisible()

  service.report = scriptedPdf(service.url)
  await openReport(clerk, reference)
  await expect(pageOf(clerk, 1)).toContainText('A page with a script and a link')
  await pageOf(clerk, 1).locator('canvas').click()
  const address = window.url()
  await expect(window.getByRole('button', { name: 'Print…' })).toBeVisible()
  expect([window.url(), await app.openedExternally(), service.trapped]).toEqual([address, [], []])

  service.report = Buffer.from('%PDF-1.7\nnothing that a reader could use\n%%EOF')
  await clerk.goTo('Today')
  await openReport(clerk, reference)
  await expect(window.getByRole('alert')).toContainText('This PDF can’t be read.')

  // Many pages: only those near the view have a canvas.
  service.report = pdfOf(Array.from({ length: 300 }, (_none, index) => ({ lines: [`Sheet ${index + 1}`] })))
  await clerk.goTo('Today')
  await openReport(clerk, reference)
  await expect(pageOf(clerk, 1)).toContainText('Sheet 1')
  await window.keyboard.press('End')
  await expect(pageOf(clerk, 300)).toContainText('Sheet 300')
  await pageOf(clerk, 300).locator('canvas').waitFor()
  expect(await window.locator('canvas').count()).toBeLessThan(6)

  // The picture decoder that PDF readers need can be loaded without WebAssembly.
  const kind = await window.evaluate(
    async (at) => typeof (await import(at)).default,
    './pdfjs/wasm/openjpeg_nowasm_fallback.js'
  )
  expect(kind).toBe('function')
  expect(refused).toEqual([])
  await service.close()
})

/**
 * Opens a proxy of the office's service that has our own report for every document, and a trap for links that are
 * followed.
 */
async function openReportingService(officeUrl: string) {
  const service = { url: '', report: Buffer.alloc(0) as Uint8Array, trapped: [] as string[], close: async () => {} }
  const server = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request
    if (/^\/(script|form|link)/.test(url)) service.trapped.push(url)
    if (url.includes('Download/IDVerification')) {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(service.report)
      return
    }
    const passed = { authorization: headers.authorization ?? '', accept: headers.accept ?? '' }
    const answer = await fetch(`${new URL(officeUrl).origin}${url}`, { method, headers: passed })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body)
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
