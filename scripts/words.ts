/** The application's texts at build time: extracted from the code first, so that no text is missing from its file. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { wuchale } from 'wuchale/vite'

const root = process.cwd()
let isExtracted = false

/** Regenerates each language's file from the code: src/words, decision 32. */
function extractTexts(): void {
  if (isExtracted) return
  execFileSync(process.execPath, [resolve(root, 'node_modules/wuchale/dist/cli/index.js'), '--clean'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit']
  })
  isExtracted = true
}

/** Returns the Vite plugins that replace the code's English texts with a language's. */
export function words(): Plugin[] {
  return [
    { name: 'collect-words', config: extractTexts },
    wuchale({ configPath: resolve(root, 'wuchale.config.ts') }) as Plugin
  ]
}
