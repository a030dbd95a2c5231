/**
 * Imports icons one by one from their package, whose entry exports about 1,800 components: a build removes the others
 * in the end, but tests would compile and run all of them in every file.
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
    // Types and aliases are rare enough to be imported from the whole package.
    return file ? `import ${own} from '${PACKAGE}/icons/${file}'` : `import { ${name} } from '${PACKAGE}'`
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

/** Returns each icon's file by the icon's name, from the package's own index. */
function filesByName(): Map<string, string> {
  const entry = createRequire(import.meta.url).resolve(PACKAGE)
  const list = readFileSync(join(dirname(entry), 'icons/index.js'), 'utf8')
  const lines = list.matchAll(/export \{ default as (\w+) \} from '\.\/([\w-]+)\.svelte'/g)
  return new Map(Array.from(lines, ([, name = '', file = '']) => [name, file]))
}
