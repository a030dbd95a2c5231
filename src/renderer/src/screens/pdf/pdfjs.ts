/**
 * Reads PDFs with pdf.js, each in its own worker, which is terminated with it. Runs no scripts of a PDF, follows no
 * links, fetches only our own files, and needs neither `eval` nor WebAssembly (decision 23).
 */
import {
  AnnotationMode,
  getDocument,
  PasswordException,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  PDFWorker,
  PixelsPerInch,
  VerbosityLevel
} from 'pdfjs-dist'
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { type PaintOptions, type PdfFile, UnreadablePdf } from './pdf-viewer.svelte.ts'

/** Larger images within a page are left out, in pixels. */
const MAX_PICTURE_PIXELS = 64_000_000

export async function openWithPdfjs(bytes: Uint8Array<ArrayBuffer>): Promise<PdfFile> {
  // Created here because pdf.js would wrap the worker in a blob, as it doesn't know our scheme; the content security
  // policy forbids that.
  const thread = new Worker(trustedWorkerUrl(workerAddress), { type: 'module' })
  const worker = PDFWorker.create({ port: thread, verbosity: VerbosityLevel.ERRORS })
  const assetFolderUrl = (folder: string) => new URL(`pdfjs/${folder}/`, document.baseURI).href
  const task = getDocument({
    data: bytes,
    worker,
    verbosity: VerbosityLevel.ERRORS,
    enableXfa: false,
    useWasm: false,
    wasmUrl: assetFolderUrl('wasm'),
    cMapUrl: assetFolderUrl('cmaps'),
    standardFontDataUrl: assetFolderUrl('standard_fonts'),
    // Makes a report look the same on every computer; text in fonts not included is shown in the system's default font.
    useSystemFonts: false,
    // In the worker; otherwise pdf.js wouldn't do so for a page with our scheme.
    useWorkerFetch: true,
    disableWorkerRendering: true,
    maxImageSize: MAX_PICTURE_PIXELS
  })
  const close = () => {
    void task.destroy().catch(() => undefined)
    worker.destroy()
    thread.terminate()
  }
  try {
    return fileOf(await loadDocument(task, thread), close)
  } catch (error) {
    close()
    throw error
  }
}

interface TrustedScripts {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string }
  ): {
    createScriptURL(address: string): string
  }
}

/** The content security policy only allows workers approved here: our own files. */
const workerPolicy = (globalThis as { trustedTypes?: TrustedScripts }).trustedTypes?.createPolicy('own-worker', {
  createScriptURL: (address) => {
    if (new URL(address, location.href).origin !== location.origin) throw new TypeError('Not a worker of ours.')
    return address
  }
})

function trustedWorkerUrl(address: string): string {
  return workerPolicy?.createScriptURL(address) ?? address
}

/** Rejects if the worker fails to start, as pdf.js would wait for ever. */
async function loadDocument(task: PDFDocumentLoadingTask, thread: Worker): Promise<PDFDocumentProxy> {
  const failed = Promise.withResolvers<never>()
  thread.addEventListener('error', () => failed.reject(new UnreadablePdf('broken')), { once: true })
  try {
    return await Promise.race([task.promise, failed.promise])
  } catch (error) {
    throw new UnreadablePdf(error instanceof PasswordException ? 'password' : 'broken')
  }
}

function fileOf(pdf: PDFDocumentProxy, close: () => void): PdfFile {
  const units = PixelsPerInch.PDF_TO_CSS_UNITS
  return {
    pages: pdf.numPages,

    async sizeOf(number) {
      const { width, height } = (await pdf.getPage(number)).getViewport({ scale: units })
      return { width, height }
    },

    async paint(number, canvas, { scale, purpose, signal }: PaintOptions) {
      const page = await pdf.getPage(number)
      signal.throwIfAborted()
      const viewport = page.getViewport({ scale: units * scale })
      canvas.width = Math.max(1, Math.floor(viewport.width))
      canvas.height = Math.max(1, Math.floor(viewport.height))
      const painting = page.render({
        canvas,
        viewport,
        intent: purpose === 'paper' ? 'print' : 'display',
        annotationMode: AnnotationMode.ENABLE
      })
      const stop = () => painting.cancel()
      signal.addEventListener('abort', stop, { once: true })
      try {
        await painting.promise
      } finally {
        signal.removeEventListener('abort', stop)
        page.cleanup()
      }
    },

    async textOf(number) {
      const { items } = await (await pdf.getPage(number)).getTextContent()
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    },

    close
  }
}
