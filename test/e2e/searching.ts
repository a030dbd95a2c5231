/**
 * Searches for texts wherever a person's data could have been left: files, our own pages, the main process's memory.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Page } from 'playwright'
import type { Launched } from './launch.ts'

/** Returns the texts that the bytes contain, as UTF-8 or UTF-16. */
export function textsIn(bytes: Buffer, texts: readonly string[]): string[] {
  return texts.filter((text) => bytes.includes(text, 0, 'utf8') || bytes.includes(text, 0, 'utf16le'))
}

/** Returns `FILE: TEXT` for each text that a file of the folder contains, or has in its name. */
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

/** Returns the number of bytes in a folder, so that searching nothing isn't taken for finding nothing. */
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

/** Returns what a page of ours holds: its document, and everything in its memory. */
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
 * Returns everything in the main process's memory, including long texts, which a heap snapshot cuts off by default.
 * @param file where the snapshot is written meanwhile; it is removed again
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
