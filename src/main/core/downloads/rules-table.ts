/** Storage of rules, with the documents that each one covers and those it has queued. */
import type { AppError, RuleTask } from '../../../shared/contract/index.ts'
import type { DocumentKey } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export type Rule = RecordOf<typeof RULES>

const RULES = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  /** Blank for all documents. */
  viewId: value<string>(),
  /** Its view's query when someone last saved the rule; absent for all documents. */
  viewQuery: optional(json<unknown>()),
  /** Which other workstation has changed that query since, and to what. */
  viewChange: optional(json<{ by: string; query: unknown }>()),
  folderId: value<string>(),
  types: json<RuleTask[]>(),
  pattern: value<string>(),
  writesIndex: flag(),
  isOn: flag(),
  createdAt: value<number>(),
  /** The mirror whose changes it follows, and the change after which it started. */
  mirror: value<string>(),
  sinceChange: value<number>(),
  /** Whether it still has to go through documents that were complete before it. */
  isScanDue: flag(),
  fetched: value<number>(),
  problem: optional(json<AppError>())
})

export type RulesTable = ReturnType<typeof openRulesTable>

export function openRulesTable(db: Db) {
  const rules = new TableStatements(db, 'download_rules', RULES)
  const one = rules.one<[id: string]>('WHERE id = ?')
  const insert = rules.run<[rule: object]>(
    `INSERT INTO download_rules (id, account_id, view_id, view_query, folder_id, types, pattern, writes_index, is_on, created_at,
       mirror, since_change, is_scan_due)
     VALUES (@id, @accountId, @viewId, @viewQuery, @folderId, @types, @pattern, @writesIndex, 1, @createdAt, @mirror, @sinceChange, @isScanDue)`
  )
  const update = rules.run<[rule: object]>(
    `UPDATE download_rules SET view_query = @viewQuery, view_change = @viewChange, folder_id = @folderId, types = @types, pattern = @pattern, writes_index = @writesIndex,
       is_on = @isOn WHERE id = @id`
  )
  const updateProblem = rules.run<[error: string, id: string]>('UPDATE download_rules SET problem = ? WHERE id = ?')
  const insertDocument = rules.run<[id: string, accountId: string, reference: string, type: string]>(
    `INSERT INTO download_rule_documents (rule_id, account_id, document_reference, type) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`
  )
  const hasDocument = rules.value<[id: string, accountId: string, reference: string, type: string], 1>(
    `SELECT 1 FROM download_rule_documents WHERE rule_id = ? AND account_id = ? AND document_reference = ? AND type = ?`
  )
  const unqueued = db.prepare<[string, string, string, string], DocumentKey>(
    `SELECT account_id AS accountId, document_reference AS reference FROM download_rule_documents AS mine
     WHERE rule_id = ? AND (account_id, document_reference) > (?, ?) AND type = ''
       AND EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
         SELECT 1 FROM download_rule_documents AS queued WHERE queued.rule_id = mine.rule_id
           AND queued.account_id = mine.account_id AND queued.document_reference = mine.document_reference
           AND queued.type = wanted.value))
     ORDER BY account_id, document_reference LIMIT 500`
  )

  return {
    all: rules.all<[]>('ORDER BY created_at, id'),
    ofAccount: rules.all<[accountId: string]>('WHERE account_id = ? ORDER BY created_at, id'),
    /** @throws AppFailure `gone`. */
    get: (id: string): Rule => one(id) ?? fail('gone', 'This rule no longer exists.'),
    isThere: (id: string): boolean => one(id) !== undefined,

    add: (rule: Omit<Rule, 'viewChange' | 'isOn' | 'fetched' | 'problem'>): void => void insert(RULES.write(rule)),
    change: (rule: Rule): void => void update(RULES.write(rule)),

    remove: rules.run<[id: string]>('DELETE FROM download_rules WHERE id = ?'),

    /** Counts one more saved file. */
    countFetched: rules.run<[id: string]>(
      'UPDATE download_rules SET fetched = fetched + 1, problem = NULL WHERE id = ?'
    ),
    setProblem: (id: string, error: AppError): void => void updateProblem(JSON.stringify(error), id),

    /** Records that a document became complete since the rule exists. */
    markCovered: (id: string, { accountId, reference }: DocumentKey): void =>
      void insertDocument(id, accountId, reference, ''),
    isCovered: (id: string, { accountId, reference }: DocumentKey): boolean =>
      hasDocument(id, accountId, reference, '') === 1,

    /** Records that it is queued; false if it was before. */
    markQueued: (id: string, { accountId, reference }: DocumentKey, type: RuleTask): boolean =>
      insertDocument(id, accountId, reference, type) > 0,

    /** Returns some documents that it covers and hasn't queued with all of its current types. */
    findUnqueued: ({ id, types }: Rule, after: DocumentKey | undefined): DocumentKey[] =>
      unqueued.all(id, after?.accountId ?? '', after?.reference ?? '', JSON.stringify(types)),

    markScanned: rules.run<[id: string]>('UPDATE download_rules SET is_scan_due = 0 WHERE id = ?'),

    /** Makes it follow the changes of another mirror from now on. */
    followMirror: rules.run<[{ id: string; mirror: string; sinceChange: number }]>(
      'UPDATE download_rules SET mirror = @mirror, since_change = @sinceChange WHERE id = @id'
    )
  }
}
