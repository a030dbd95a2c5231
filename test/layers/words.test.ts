/** How user-visible text is written, in every file that may contain some. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root, sources } from './sources.ts'

/** Between letters, after a placeholder, or after a plural: "can't", "{name}'s", "signers' names". */
const STRAIGHT = /[\p{L}\p{N}]'\p{L}|^'s\b|\p{L}s'(?=[ .,:])/u

/** Returns the texts of a TypeScript file, except its imports. */
function textsOfCode(code: string): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true))
  return texts
}

/** Returns the texts of a component: those of its script, and those between and in its tags. */
function textsOfComponent(component: string): string[] {
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    if (Array.isArray(node) || typeof node !== 'object' || node === null || !('type' in node)) return
    const { type, data, value } = node as { type: string; data?: unknown; value?: unknown }
    if (type === 'Comment' || type === 'ImportDeclaration') return
    if (type === 'Text') texts.push(String(data))
    if (type === 'Literal' && typeof value === 'string') texts.push(value)
    if (type === 'TemplateElement') texts.push((value as { cooked: string }).cooked)
    for (const part of Object.values(node)) visit(part)
  }
  const { fragment, instance, module } = parse(component, { modern: true })
  visit([fragment, instance?.content, module?.content])
  return texts
}

const straightIn = (file: string, content: string) =>
  (file.endsWith('.svelte') ? textsOfComponent : textsOfCode)(content)
    .filter((text) => STRAIGHT.test(text))
    .map((text) => `${file}: ${text.trim()}`)

test('the file of words matches the code', () => {
  mkdirSync(join(root, 'out'), { recursive: true })
  const folder = mkdtempSync(join(root, 'out/words-'))
  try {
    copyFileSync(join(root, 'src/words/words.loader.ts'), join(folder, 'words.loader.ts'))
    const cli = join(root, 'node_modules/wuchale/dist/cli/index.js')
    execFileSync(process.execPath, [cli], {
      cwd: root,
      env: { ...process.env, COUNTERSIGN_WORDS: relative(root, folder) },
      stdio: 'ignore'
    })
    const [stored, collected] = ['src/words', relative(root, folder)].map((place) =>
      readFileSync(join(root, place, 'en-GB.po'), 'utf8')
    )
    // As every build writes it (npm run build).
    expect(stored).toBe(collected)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Returns the sentences of failures that a file makes for people, as the file of words spells them. */
function failuresOf(code: string): string[] {
  const texts: string[] = []
  const add = (node: ts.Node | undefined): void => {
    if (node && ts.isStringLiteralLike(node)) texts.push(node.text)
    else if (node && ts.isTemplateExpression(node))
      texts.push(node.head.text + node.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`).join(''))
    else if (node && ts.isConditionalExpression(node)) for (const one of [node.whenTrue, node.whenFalse]) add(one)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'fail') add(node.arguments[1])
    if (ts.isPropertyAssignment(node) && /^(message|next)$/.test(node.name.getText())) add(node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true))
  // A single word is a value, and a text without letters isn’t for people.
  return texts.filter((text) => /\s/.test(text) && /\p{L}{2}/u.test(text))
}

test('each failure reported by the main process is in the file of words', () => {
  const stored = readFileSync(join(root, 'src/words/en-GB.po'), 'utf8').replaceAll('"\n"', '')
  const missing = sources
    .filter((file) => file.startsWith('src/main/') && file.endsWith('.ts'))
    .flatMap((file) => {
      const texts = failuresOf(readFileSync(join(root, file), 'utf8'))
      return texts.filter((text) => !stored.includes(JSON.stringify(text))).map((text) => `${file}: ${text}`)
    })
  expect(missing).toEqual([])
})

test('apostrophes in displayed texts are curly', () => {
  // SQL and the practice service's pages have their own quotation marks.
  const read = sources.filter((file) =>
    /^src\/(renderer|shared|main\/(ipc|shell|core\/(?!storage|office\/(migrations|administ|command)|documents\/mirror)))/.test(
      file
    )
  )
  expect(read.length).toBeGreaterThan(400)
  expect(read.flatMap((file) => straightIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
})

test('straight apostrophes are found in code and components, without false alarms', () => {
  const code = [
    `import { don } from './don't.ts'`,
    `const text = (name: string) => \`\${name}'s place isn't the signers' own, \${name} can't\``,
    `// It can't be`,
    `const sql = "state IN ('sent', 'ready')", chosen = '[role="a"]'`
  ]
  expect(straightIn('a.ts', code.join('\n'))).toEqual([`a.ts: 's place isn't the signers' own,`, `a.ts: can't`])
  const component = `<script lang="ts">const a = "isn't"</script><!-- can't -->
    <p title="don't">{a ?? "won't"} it's</p><style>p { content: '' }</style>`
  expect(straightIn('A.svelte', component)).toEqual([
    `A.svelte: don't`,
    `A.svelte: won't`,
    `A.svelte: it's`,
    `A.svelte: isn't`
  ])
})

test('the words contain no SQL or code, which a translation could break', () => {
  const lines = readFileSync(join(root, 'src/words/en-GB.po'), 'utf8').split('\n')
  const code = lines.filter((line) =>
    /^(msgid(_plural)? )?".*(\b[a-z]+_[a-z]+\b|\b(SELECT|WHERE)\b|=>|<!doctype|\{[a-z-]+:)/.test(line)
  )
  expect(code).toEqual([])
})
