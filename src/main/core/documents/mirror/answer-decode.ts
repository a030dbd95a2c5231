/** One item of an answer: a document, or why it isn't one and who it says it is. */
import { decodeDocument } from '../../../../shared/model/document-decoding.ts'
import type { DocumentResponse } from '../../../../shared/model/index.ts'

export type Answered =
  | { kind: 'document'; document: DocumentResponse }
  | { kind: 'unreadable'; path: string; reference?: string; name?: string }
  | { kind: 'not-json' }

/** As long as the contract lets a reference be. */
const LONGEST_REFERENCE = 2000
const LONGEST_NAME = 200

/** @param isTooDeep nested so deep that it could not be written down again. */
export function readItem(text: string, isTooDeep: boolean): Answered {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { kind: 'not-json' }
  }
  if (isTooDeep) return unreadable(json, '')
  const decoded = decodedOf(json)
  if (!decoded) return unreadable(json, '')
  if (!decoded.ok) return unreadable(json, decoded.problem.path)
  if (!isReference(decoded.value.Reference)) return unreadable(json, 'Reference')
  return { kind: 'document', document: decoded.value }
}

/** Undefined for what is more than can be gone through. */
function decodedOf(json: unknown): ReturnType<typeof decodeDocument> | undefined {
  try {
    return decodeDocument(json)
  } catch {
    return undefined
  }
}

function unreadable(json: unknown, path: string): Answered {
  const said = { reference: wordOf(json, 'reference'), name: wordOf(json, 'name') }
  const { reference, name } = said
  return {
    kind: 'unreadable',
    path: path === '' || path.startsWith('[') ? path : `.${path}`,
    ...(reference !== undefined && isReference(reference) && { reference }),
    ...(name !== undefined && { name: name.slice(0, LONGEST_NAME) })
  }
}

/** A reference that can be asked for again: what isn't well-formed could not be kept as it is. */
function isReference(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_REFERENCE && text.isWellFormed() && !text.includes('\0')
}

function wordOf(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  for (const [key, value] of Object.entries(json)) {
    if (key.toLowerCase() !== name) continue
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return undefined
}
