/** Looks for texts wherever something of a person could have been left: files, our own pages, the main process's memory. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Page } from 'playwright'
import type { Launched } from './launch.ts'

/** Those of the texts that the bytes hold, as UTF-8 or UTF-16. */
export function textsIn(bytes: Buffer, texts: readonly string[]): string[] {
  return texts.filter((text) => bytes.includes(text, 0, 'utf8') || bytes.includes(text, 0, 'utf16le'))
}

/** `FILE: TEXT` for each text that a file of the folder holds, in its bytes or in its name. */
export async function textsInFiles(folder: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const shown = relative(folder, path)
    found.push(...texts.filter((text) => entry.name.includes(text)).map((text) => `${shown}: ${text}, in its name`))
    if (!entry.isFile()) continue
    // Chromium's own files come and go while they are read.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    found.push(...textsIn(bytes, texts).map((text) => `${shown}: ${text}`))
  }
  return found
}

/** How many bytes there are to search, so that a search of nothing isn't taken for one that found nothing. */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0
      )
    )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** What a page of ours holds: its document, and all that lives in its memory. */
export async function memoryOfPage(page: Page): Promise<Buffer> {
  const line = await page.context().newCDPSession(page)
  const chunks: string[] = []
  line.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await line.send('HeapProfiler.enable')
  await line.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await line.detach()
  return Buffer.from(`${await page.content()}${chunks.join('')}`)
}

/**
 * All that lives in the main process's memory, long texts too: a snapshot cuts them off unless it is told otherwise.
 * @param file where it may be written on the way; it is removed again.
 */
export async function memoryOfMain(app: Launched, file: string): Promise<Buffer> {
  await app.evaluate((_electron, file) => {
    const v8 = process.getBuiltinModule('node:v8')
    v8.setFlagsFromString('--heap-snapshot-string-limit=100000000')
    v8.writeHeapSnapshot(file)
  }, file)
  try {
    return await readFile(file)
  } finally {
    await rm(file, { force: true })
  }
}
