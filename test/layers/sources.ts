/** The source files and what each imports, as the tests of the house's structure see them. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import ts from 'typescript'

export const root = join(import.meta.dirname, '../..')

/** Every code file of the application, as a path from the project's root. */
export const sources: readonly string[] = globSync('src/**/*.{ts,svelte}', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .sort()

/** Every import of a file, static or dynamic: paths from the project's root, or names of packages. */
export function importsOf(file: string): string[] {
  const content = readFileSync(join(root, file), 'utf8')
  const code = file.endsWith('.svelte')
    ? [...content.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((m) => m[1]).join('\n')
    : content
  return ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName
    return relative(root, join(root, dirname(file), fileName.split('?')[0] ?? ''))
      .split(sep)
      .join('/')
  })
}

/** Which source file imports which others. */
export function importGraph(): ReadonlyMap<string, readonly string[]> {
  const all = new Set(sources)
  return new Map(sources.map((file) => [file, [...new Set(importsOf(file).filter((one) => all.has(one)))]]))
}
