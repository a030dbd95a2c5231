/** What a pattern for names makes of some documents, before anybody relies on it. */
import { DocumentQuery, type DownloadView, type PatternPreview } from '../../../shared/contract/index.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { parsePattern, relativePath } from './name-pattern.ts'
import { namePartsOf } from './name-values.ts'

export interface PreviewDeps {
  ask: AskDocuments
  accountName: (accountId: string) => string
  time: Pick<Time, 'now' | 'zone'>
}

/** As many documents show it. */
const EXAMPLES = 5

export function openPreview({ ask, accountName, time }: PreviewDeps) {
  async function exampleDocuments(accountId: string, references?: readonly string[]): Promise<string[]> {
    if (references && references.length > 0) return references.slice(0, EXAMPLES)
    const query = DocumentQuery.parse({ sort: { by: 'lastSigned', descending: true } })
    const page = { accountId, query, expanded: [], offset: 0, limit: 500, now: time.now(), zone: time.zone() }
    const { rows } = await ask('list', page)
    const documents = rows.filter((row) => row.kind === 'document')
    const withIdentity = documents.filter((row) => row.idVerificationRequested || row.identity !== 'none')
    return (withIdentity.length > 0 ? withIdentity : documents).slice(0, EXAMPLES).map(({ reference }) => reference)
  }

  return {
    /** What a pattern makes of some documents: the given ones, or those that were signed last. */
    async preview(
      accountId: string,
      { pattern, type, references }: { pattern: string; type: DownloadView['type']; references?: string[] | undefined }
    ): Promise<PatternPreview> {
      const parsed = parsePattern(pattern)
      if (!parsed.ok) return { examples: [], problem: parsed.problem }
      const named = { account: accountName(accountId), type, otherwise: time.now(), zone: time.zone() }
      const examples: PatternPreview['examples'] = []
      for (const reference of await exampleDocuments(accountId, references)) {
        const mirrored = await ask('get', { accountId, reference })
        if (!mirrored) continue
        const facts = namePartsOf({ ...named, reference, name: reference }, mirrored)
        examples.push({ documentName: facts.document, fileName: relativePath(parsed.pattern, facts).join('/') })
      }
      return { examples }
    }
  }
}

/** @throws AppFailure `invalid`. */
export function insistOnPattern(pattern: string): void {
  const parsed = parsePattern(pattern)
  if (!parsed.ok) fail('invalid', parsed.problem)
}
