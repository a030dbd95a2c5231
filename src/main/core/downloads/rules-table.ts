/** Rules as they are kept, with which documents each of them is about and which of those it has put in line. */
import type { AppError, DownloadChoice, DownloadView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { flag, json, optional, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'

export type Rule = RecordOf<typeof RULES>

const RULES = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  viewId: value<string>(),
  folderId: value<string>(),
  types: json<DownloadChoice['types']>(),
  pattern: value<string>(),
  writesIndex: flag(),
  isOn: flag(),
  createdAt: value<number>(),
  /** The mirror whose changes it began after, and after which of them. */
  mirror: value<string>(),
  sinceChange: value<number>(),
  fetched: value<number>(),
  problem: optional(json<AppError>())
})

interface RuleDocument {
  accountId: string
  reference: string
}

export type RulesTable = ReturnType<typeof openRulesTable>

export function openRulesTable(db: Db) {
  const all = db.prepare<[], Row>('SELECT * FROM download_rules ORDER BY created_at, id')
  const ofAccount = db.prepare<[string], Row>(
    'SELECT * FROM download_rules WHERE account_id = ? ORDER BY created_at, id'
  )
  const one = db.prepare<[string], Row>('SELECT * FROM download_rules WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO download_rules (id, account_id, view_id, folder_id, types, pattern, writes_index, is_on, created_at,
       mirror, since_change)
     VALUES (@id, @accountId, @viewId, @folderId, @types, @pattern, @writesIndex, 1, @createdAt, @mirror, @sinceChange)`
  )
  const update = db.prepare(
    `UPDATE download_rules SET folder_id = @folderId, types = @types, pattern = @pattern, writes_index = @writesIndex,
       is_on = @isOn WHERE id = @id`
  )
  const erase = db.prepare('DELETE FROM download_rules WHERE id = ?')
  const brought = db.prepare('UPDATE download_rules SET fetched = fetched + 1, problem = NULL WHERE id = ?')
  const trouble = db.prepare('UPDATE download_rules SET problem = ? WHERE id = ?')
  const note = db.prepare(
    `INSERT INTO download_rule_documents (rule_id, account_id, document_reference, type) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`
  )
  const isNoted = db
    .prepare<[string, string, string, string], 1>(
      `SELECT 1 FROM download_rule_documents WHERE rule_id = ? AND account_id = ? AND document_reference = ? AND type = ?`
    )
    .pluck()
  const about = db.prepare<[string, string, string, number], { account_id: string; document_reference: string }>(
    `SELECT account_id, document_reference FROM download_rule_documents AS mine
     WHERE rule_id = ? AND (account_id, document_reference) > (?, ?) AND type = ''
       AND (SELECT count(*) FROM download_rule_documents AS queued WHERE queued.rule_id = mine.rule_id
         AND queued.account_id = mine.account_id AND queued.document_reference = mine.document_reference
         AND queued.type <> '') < ?
     ORDER BY account_id, document_reference LIMIT 500`
  )
  const adopt = db.prepare('UPDATE download_rules SET mirror = ?, since_change = ? WHERE id = ?')

  function get(id: string): Rule {
    return RULES.find(one.get(id)) ?? fail('gone', 'This rule is no longer there.')
  }

  return {
    all: (): Rule[] => all.all().map(RULES.read),
    ofAccount: (accountId: string): Rule[] => ofAccount.all(accountId).map(RULES.read),
    /** @throws AppFailure `gone`. */
    get,
    isThere: (id: string): boolean => one.get(id) !== undefined,

    add: (rule: Omit<Rule, 'isOn' | 'fetched' | 'problem'>): void => void insert.run(RULES.write(rule)),
    change: (rule: Rule): void => void update.run(RULES.write(rule)),

    remove: (id: string): void => void erase.run(id),

    /** One more of its files is there. */
    brought: (id: string): void => void brought.run(id),
    trouble: (id: string, error: AppError): void => void trouble.run(JSON.stringify(error), id),

    /** It became complete since the rule is there. */
    concerns: (id: string, { accountId, reference }: RuleDocument): void => void note.run(id, accountId, reference, ''),
    isConcerned: (id: string, { accountId, reference }: RuleDocument): boolean =>
      isNoted.get(id, accountId, reference, '') === 1,

    /** Notes that it is put in line; false where it was before. */
    queue: (id: string, { accountId, reference }: RuleDocument, type: DownloadView['type']): boolean =>
      note.run(id, accountId, reference, type).changes > 0,

    /** Documents that it concerns and of which not every type is in line yet, some at a time. */
    open: ({ id, types }: Rule, after: RuleDocument | undefined): RuleDocument[] =>
      about
        .all(id, after?.accountId ?? '', after?.reference ?? '', types.length)
        .map((row) => ({ accountId: row.account_id, reference: row.document_reference })),

    /** It goes by the changes of another mirror from now on. */
    adopt: (id: string, mirror: string, sinceChange: number): void => void adopt.run(mirror, sinceChange, id)
  }
}
