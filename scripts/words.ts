/** The words of the application, at build: collected from the code first, so that no text is missing from its file. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { wuchale } from 'wuchale/vite'

const root = process.cwd()
let isCollected = false

/** Writes each language's file anew, with what the code says now: src/words, decision 32. */
function collect(): void {
  if (isCollected) return
  execFileSync(process.execPath, [resolve(root, 'node_modules/wuchale/dist/cli/index.js'), '--clean'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit']
  })
  isCollected = true
}

/** Vite's plugins that put the words of a language where the code has them in English. */
export function words(): Plugin[] {
  return [
    { name: 'collect-words', config: collect },
    wuchale({ configPath: resolve(root, 'wuchale.config.ts') }) as Plugin
  ]
}
