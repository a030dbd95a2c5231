// Printing, saving as PDF, and a page's history.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { printPage as PrintPage } from '../../src/main/shell/signing-contents.ts'
import { printFailed } from '../../src/main/shell/signing-words.ts'
import type { Launched } from '../e2e/launch.ts'
import { openSite, openView, type Site, startFixture } from './fixture/start.ts'
import type { printer as Printer } from './printing.ts'

const contentsFile = new URL('../../src/main/shell/signing-contents.ts', import.meta.url).href
const printingFile = new URL('./printing.ts', import.meta.url).href

let app: Launched
let site: Site

beforeAll(async () => {
  site = await openSite()
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
})

const print = () =>
  app.evaluate(
    () =>
      new Promise<[boolean, string]>((resolve) => {
        const { webContents } = globalThis.fixture.current as Electron.WebContentsView
        webContents.print({ silent: true, printBackground: true }, (...answer) => resolve(answer))
      })
  )

/** Makes the printer ready or takes it away, and returns the jobs printed so far. */
const jobs = (isReady = true) =>
  app.evaluate(
    async (_electron, { printingFile, isReady }) => {
      const { printer } = await globalThis.fixture.load<{ printer: typeof Printer }>(printingFile)
      printer.isReady = isReady
      return printer.jobs
    },
    { printingFile, isReady }
  )

describe('a page', () => {
  it('is printed if there is a printer', async () => {
    await openView(app, `${site.origin}/contract`)
    expect(await print()).toEqual([true, ''])
    expect(await jobs()).toEqual([{ printBackground: true, bytes: expect.any(Number) }])
  })

  it('is not printed if there is none', async () => {
    await openView(app, `${site.origin}/contract`)
    await jobs(false)
    expect(await print()).toEqual([false, 'Invalid printer settings'])
    expect(await jobs()).toHaveLength(1)
  })

  it('that crashes meanwhile isn’t reported as printed or not; ours is not printed', async () => {
    await jobs(true)
    await openView(app, `${site.origin}/contract`)
    const outcome = await app.evaluate(async (_electron, contentsFile) => {
      const { printPage } = await globalThis.fixture.load<{ printPage: typeof PrintPage }>(contentsFile)
      const { webContents } = globalThis.fixture.current as Electron.WebContentsView
      const said: string[] = []
      const gone = new Promise((done) => webContents.once('render-process-gone', done))
      webContents.forcefullyCrashRenderer()
      webContents.print({ silent: true }, () => said.push('by Electron'))
      const ours = printPage(webContents).catch(({ appError }) => said.push(appError.message))
      await gone
      await ours
      return said
    }, contentsFile)
    expect(outcome).toEqual([printFailed.message])
  })

  it('is saved as a PDF', async () => {
    await openView(app, `${site.origin}/contract`)
    const head = await app.evaluate(async () => {
      const { webContents } = globalThis.fixture.current as Electron.WebContentsView
      const bytes = await webContents.printToPDF({ printBackground: true })
      return [Buffer.isBuffer(bytes), bytes.toString('latin1', 0, 5)]
    })
    expect(head).toEqual([true, '%PDF-'])
  })

  it('has nothing to go back to once its history is cleared', async () => {
    const page = await openView(app, `${site.origin}/first`)
    await page.goto(`${site.origin}/second`)
    await app.evaluate(() =>
      (globalThis.fixture.current as Electron.WebContentsView).webContents.navigationHistory.clear()
    )
    expect(await page.evaluate(() => history.length)).toBe(1)
    expect(await page.goBack()).toBeNull()
    expect(page.url()).toBe(`${site.origin}/second`)
  })
})
