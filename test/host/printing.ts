// Printing by pages: a printer that may or may not be ready, and records each job with the size of its PDF.
import type * as Electron from 'electron'
import type { CdpSession } from './cdp.ts'
import { acceptOnly } from './strict.ts'

/** The machine's default printer. */
export const printer = {
  isReady: true,
  /** The jobs printed so far, oldest first. */
  jobs: [] as { readonly printBackground: boolean; readonly bytes: number }[]
}

/**
 * Prints as Electron's webContents.print does, without the dialog, which nobody could answer here. Undefined if the
 * page is gone.
 */
export async function printPage(
  page: CdpSession,
  options: Electron.WebContentsPrintOptions
): Promise<[success: boolean, failureReason: string] | undefined> {
  acceptOnly('print', options, ['silent', 'printBackground', 'deviceName'])
  if (!printer.isReady) return [false, 'Invalid printer settings']
  const printBackground = options.printBackground ?? false
  try {
    const { length } = await pdfOf(page, { printBackground })
    printer.jobs.push({ printBackground, bytes: length })
    return [true, '']
  } catch {
    return undefined
  }
}

export async function pdfOf(page: CdpSession, options: Electron.PrintToPDFOptions): Promise<Buffer> {
  acceptOnly('printToPDF', options, ['printBackground', 'landscape', 'scale', 'pageRanges', 'preferCSSPageSize'])
  const { printBackground = false, landscape = false, scale = 1, pageRanges = '', preferCSSPageSize = false } = options
  const { data } = await page.send('Page.printToPDF', {
    printBackground,
    landscape,
    scale,
    pageRanges,
    preferCSSPageSize
  })
  return Buffer.from(data, 'base64')
}
