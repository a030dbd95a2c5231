/**
 * Imports icons one by one from their package, whose entry exports about 1,800 components: a build would compile all of
 * them to remove the others in the end, and tests would compile and run all of them.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const PACKAGE = '@lucide/svelte'
const IMPORT = /import\s*\{([^}]*)\}\s*from\s*'@lucide\/svelte'/g

/** Returns a plugin that rewrites `import { X } from '@lucide/svelte'` into an import of X's own file. */
export function singleIcons(): Plugin {
  const files = filesByName()

  function importOf(name: string): string {
    const [, icon = '', own = icon] = /^(\w+)(?:\s+as\s+(\w+))?$/.exec(name) ?? []
    const file = files.get(icon)
    // One import from the whole package would bring all of them back.
    if (!file) throw new Error(`There is no icon “${name}”. Types are imported by “import type”.`)
    return `import ${own} from '${PACKAGE}/icons/${file}'`
  }

  return {
    name: 'single-icons',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules') || !code.includes(`'${PACKAGE}'`)) return
      return code.replace(IMPORT, (_all, names: string) => {
        const wanted = names.split(',').map((name) => name.trim())
        return wanted.filter(Boolean).map(importOf).join('; ')
      })
    }
  }
}

/** Returns each icon's file by the icon's names, from the package's own lists. */
function filesByName(): Map<string, string> {
  const folder = dirname(createRequire(import.meta.url).resolve(PACKAGE))
  const lists = ['icons/index.js', 'aliases/aliases.js'].map((list) => readFileSync(join(folder, list), 'utf8'))
  const exported = lists.join('').matchAll(/default as (\w+) \} from '[./]+(?:icons\/)?([\w-]+)\.(?:svelte|js)'/g)
  return new Map(Array.from(exported, ([, name = '', file = '']) => [name, file]))
}
