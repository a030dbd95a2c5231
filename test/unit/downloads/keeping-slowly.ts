/** Saves a file whose content never ends, and reports when some of it is on disk. Meant to be killed. */
import { writeSync } from 'node:fs'
import { saveFile } from '../../../src/main/core/downloads/target.ts'

const [, , folder, ...path] = process.argv
if (folder === undefined) throw new Error('Which folder?')

async function* endless(): AsyncIterable<Uint8Array> {
  yield Buffer.from('%PDF-1.7\n')
  for (;;) {
    yield Buffer.alloc(64 * 1024, 'x')
    // Not console.log, which would buffer it.
    writeSync(1, 'written\n')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

await saveFile(folder, path, endless())
