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

const ICON = /\/@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/
/** What the screens tell an icon. */
const PROPERTIES = ['size', 'strokeWidth', 'fill', 'class', 'aria-hidden', 'aria-label']

/**
 * Returns a plugin that draws each icon from a template of its own. The package's one component draws all icons part by
 * part from data, which took a tenth of the time of the screens' tests; what comes out is the same.
 */
export function drawnIcons(): Plugin {
  return {
    name: 'drawn-icons',
    enforce: 'pre',
    transform(code, id) {
      if (ICON.test(id)) return drawn(dataOf(code))
    }
  }
}

interface IconData {
  name: string
  size: number
  aliases?: string[]
  node: [tag: string, attributes: Record<string, string>][]
}

/** The data of an icon, from the code of its component. */
export function dataOf(code: string): IconData {
  const [, data = ''] = /const iconData = (\{.*\});/.exec(code) ?? []
  return JSON.parse(data)
}

function drawn({ name, size, aliases = [], node }: IconData): string {
  const classes = ['lucide', ...[name, ...aliases].map((one) => `lucide-${one}`), 'lucide-icon']
  const parts = node.map(([tag, attributes]) => {
    const written = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`)
    return `<${tag} ${written.join(' ')} />`
  })
  return `
<script>
  const props = $props()
  for (const one of Object.keys(props))
    if (!${JSON.stringify(PROPERTIES)}.includes(one)) throw new Error('No icon of the tests knows ' + one + '.')
  const isSilent = !('aria-hidden' in props || 'aria-label' in props)
</script>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" stroke="currentColor" stroke-linecap="round"
  stroke-linejoin="round" width={props.size ?? 24} height={props.size ?? 24} fill={props.fill ?? 'none'}
  stroke-width={props.strokeWidth ?? 2} class={[${JSON.stringify(classes.join(' '))}, props.class]}
  aria-hidden={isSilent ? 'true' : props['aria-hidden']} aria-label={props['aria-label']}>${parts.join('')}</svg>`
}

/** Returns each icon's file by the icon's names, from the package's own lists. */
function filesByName(): Map<string, string> {
  const folder = dirname(createRequire(import.meta.url).resolve(PACKAGE))
  const lists = ['icons/index.js', 'aliases/aliases.js'].map((list) => readFileSync(join(folder, list), 'utf8'))
  const exported = lists.join('').matchAll(/default as (\w+) \} from '[./]+(?:icons\/)?([\w-]+)\.(?:svelte|js)'/g)
  return new Map(Array.from(exported, ([, name = '', file = '']) => [name, file]))
}
