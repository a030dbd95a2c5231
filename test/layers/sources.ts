/** The source files and their imports, for the tests of the code's structure. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import ts from 'typescript'

export const root = join(import.meta.dirname, '../..')

/** Every code file of the application, as a path from the project's root. */
export const sources: readonly string[] = globSync('src/**/*.{ts,svelte}', { cwd: root })
  .map((file) => file.split(sep).join('/'))
  .sort()

/** Returns every import of a file, static or dynamic, as paths from the project's root or package names. */
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

/** Returns the source files that each source file imports. */
export function importGraph(): ReadonlyMap<string, readonly string[]> {
  const all = new Set(sources)
  return new Map(sources.map((file) => [file, [...new Set(importsOf(file).filter((one) => all.has(one)))]]))
}
