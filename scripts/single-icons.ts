/**
 * Takes icons one by one out of their package, whose entry names some 1,800 components: a build drops the others in the
 * end, but the tests would compile and run all of them in every file.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const PACKAGE = '@lucide/svelte'
const IMPORT = /import\s*\{([^}]*)\}\s*from\s*'@lucide\/svelte'/g

/** A plugin that reads `import { X } from '@lucide/svelte'` as an import of the one file that X stands in. */
export function singleIcons(): Plugin {
  const files = filesByName()

  function alone(name: string): string {
    const [, icon = '', own = icon] = /^(\w+)(?:\s+as\s+(\w+))?$/.exec(name) ?? []
    const file = files.get(icon)
    // A type, an alias: rare enough to be taken from the whole.
    return file ? `import ${own} from '${PACKAGE}/icons/${file}'` : `import { ${name} } from '${PACKAGE}'`
  }

  return {
    name: 'single-icons',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules') || !code.includes(`'${PACKAGE}'`)) return
      return code.replace(IMPORT, (_all, names: string) => {
        const wanted = names.split(',').map((name) => name.trim())
        return wanted.filter(Boolean).map(alone).join('; ')
      })
    }
  }
}

/** Which file an icon stands in, by its name, as the package's own list has it. */
function filesByName(): Map<string, string> {
  const entry = createRequire(import.meta.url).resolve(PACKAGE)
  const list = readFileSync(join(dirname(entry), 'icons/index.js'), 'utf8')
  const lines = list.matchAll(/export \{ default as (\w+) \} from '\.\/([\w-]+)\.svelte'/g)
  return new Map(Array.from(lines, ([, name = '', file = '']) => [name, file]))
}
