/**
 * Collects every failure the main process can report from its source code, so that a test can show each as users see
 * it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { type AppError, type ErrorCode, localErrorCodes, serviceErrorCodes } from '../../src/shared/contract/errors.ts'

const MAIN = join(import.meta.dirname, '../../src/main')
const codes: ReadonlySet<string> = new Set([...serviceErrorCodes, ...localErrorCodes])

interface Failure {
  /** The file it comes from: `src/main/core/outbox/outbox.ts`. */
  file: string
  error: AppError
}

export interface Failures {
  failures: Failure[]
  /** Files with a sentence that is only composed at run time. */
  computed: string[]
}

export function failuresOfMain(): Failures {
  const failures: Failure[] = []
  const computed: string[] = []
  const all = sources(MAIN).map((path) =>
    ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  )
  const everywhere = all.flatMap((source) => [...constantsOf(source)])
  for (const source of all) {
    const file = `src/main/${relative(MAIN, source.fileName).replaceAll('\\', '/')}`
    // A file's own constants override those of the same name elsewhere.
    const constants = new Map([...everywhere, ...constantsOf(source)])
    const add = (
      code: ts.Expression | undefined,
      message: ts.Expression | undefined,
      next: ts.Expression | undefined
    ) => {
      if (!code || !message) return
      const table = sentencesOf(code, message, constants)
      for (const [named, text] of table ?? []) {
        if (codes.has(named)) failures.push({ file, error: { code: named as ErrorCode, message: text } })
      }
      if (table) return
      // If the code is only known at run time, the sentence is shown with the words for a code about which nothing else
      // is known.
      const named = (textsOf(code, constants) ?? labelsAround(code) ?? ['server']).filter((one) => codes.has(one))
      if (named.length === 0) return
      const texts = textsOf(message, constants)
      if (!texts) {
        computed.push(file)
        return
      }
      const way = next && textsOf(next, constants)?.[0]
      for (const one of named) {
        for (const text of texts) {
          failures.push({
            file,
            error: { code: one as ErrorCode, message: text, ...(way !== undefined && { next: way }) }
          })
        }
      }
    }
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.getText(source) === 'fail') {
        const [code, message, more] = node.arguments
        add(code, message, more && member(more, 'next'))
      } else if (ts.isObjectLiteralExpression(node)) {
        const code = member(node, 'code')
        const message = member(node, 'message')
        if (code && message) add(code, message, member(node, 'next'))
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return { failures, computed }
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort()
}

function member(node: ts.Expression, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined
  const found = node.properties.find((property) => property.name?.getText() === name)
  if (found && ts.isPropertyAssignment(found)) return found.initializer
  return found && ts.isShorthandPropertyAssignment(found) ? found.name : undefined
}

/** Returns a file's top-level constants, which may hold texts: a text, or each text of a record. */
function constantsOf(source: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>()
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (initializer) constants.set(name.getText(source), initializer)
    }
  }
  return constants
}

/** For `{ code, message: SENTENCES[code] }`, returns each sentence of the table with its code. */
function sentencesOf(
  code: ts.Expression,
  message: ts.Expression,
  constants: ReadonlyMap<string, ts.Expression>
): [code: string, text: string][] | undefined {
  if (!ts.isElementAccessExpression(message) || message.argumentExpression.getText() !== code.getText())
    return undefined
  const table = constants.get(message.expression.getText())
  if (!table || !ts.isObjectLiteralExpression(table)) return undefined
  return table.properties.flatMap((one) => {
    if (!ts.isPropertyAssignment(one) || !(ts.isIdentifier(one.name) || ts.isStringLiteral(one.name))) return []
    const { text } = one.name
    return (textsOf(one.initializer, constants) ?? []).map((sentence): [string, string] => [text, sentence])
  })
}

/** For `switch (code) { case 'dns': return { code, … } }`, returns the codes of the case. */
function labelsAround(node: ts.Node): string[] | undefined {
  let around: ts.Node | undefined = node
  while (around && !ts.isCaseClause(around)) around = around.parent
  if (!around) return undefined
  const labels: string[] = []
  const { clauses } = around.parent
  for (let at = clauses.indexOf(around); at >= 0; at--) {
    const clause = clauses[at]
    if (!clause || !ts.isCaseClause(clause) || (clause !== around && clause.statements.length > 0)) break
    if (ts.isStringLiteral(clause.expression)) labels.push(clause.expression.text)
  }
  return labels.length > 0 ? labels : undefined
}

/**
 * Returns the texts an expression can have, with a name in place of each value. Undefined if only known at run time.
 */
function textsOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string[] | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `Mere${literal.text}`).join('')]
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textsOf(node.left, constants), textsOf(node.right, constants)]
    return left && right && left.flatMap((one) => right.map((other) => one + other))
  }
  if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? undefined : textsOf(node.body, constants)
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const constant = constants.get(node.expression.text)
    const held = constant && member(constant, node.name.text)
    return held && textsOf(held, constants)
  }
  if (ts.isCallExpression(node)) return textsOf(node.expression, constants)
  if (ts.isAsExpression(node)) return textsOf(node.expression, constants)
  if (ts.isConditionalExpression(node)) {
    const both = [textsOf(node.whenTrue, constants), textsOf(node.whenFalse, constants)]
    return both[0] && both[1] && [...both[0], ...both[1]]
  }
  if (ts.isIdentifier(node)) {
    const constant = constants.get(node.text)
    return constant && textsOf(constant, constants)
  }
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const record = constants.get(node.expression.text)
    if (!record || !ts.isObjectLiteralExpression(record)) return undefined
    const texts = record.properties.map((one) =>
      ts.isPropertyAssignment(one) ? textsOf(one.initializer, constants) : undefined
    )
    return texts.every((one) => one !== undefined) ? texts.flat() : undefined
  }
  return undefined
}
