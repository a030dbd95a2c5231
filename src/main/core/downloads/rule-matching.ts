/**
 * What rules look at: what changed since the last look, never all there is. That a document was put in line is written down
 * with it, so that no rule fetches one twice by itself.
 */
import { z } from 'zod'
import type { DocumentChange, RuleTask, SavedView } from '../../../shared/contract/index.ts'
import type { AskDocuments, DocumentKey, IdentityCheck } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { Lane } from './download-rows.ts'
import type { Rule, RulesTable } from './rules-table.ts'

/** Which documents a rule is about. */
export type RuleView = Pick<SavedView, 'query'>

export interface MatchingDeps {
  db: Db
  ask: AskDocuments
  table: RulesTable
  viewOf: (rule: Rule) => RuleView | undefined
  /** The names of an account's folders that its service has. */
  folderNames: (accountId: string) => readonly string[]
  /** Puts a file in line, or has a document's signatures verified, within a transaction. */
  enqueue: (rule: Rule, document: DocumentKey & { name: string }, task: RuleTask) => void
  /** Whether an account's signed documents may be saved. */
  savesSigned: (accountId: string) => boolean
  /** What a rule wants of an account was put in line, and is on the disk. */
  added: (lane: Lane) => void
  changed: () => void
  time: Pick<Time, 'now' | 'zone' | 'after'>
}

const CURSOR = 'download-rules-cursor'
const Cursor = z.object({ mirror: z.string(), change: z.number().int().min(0) })
const PAGE = 500
const SCAN_PAGE = 5_000
const PIECE = 200
/** The service's clock may go behind ours, in milliseconds. */
const CLOCKS_APART = 60 * 60_000

export function openRuleMatching({ db, ask, table, viewOf, time, ...deps }: MatchingDeps) {
  const kept = keptIn(db)
  /** Rules whose view, or what they want, may be another than when their documents were looked at. */
  const unswept = new Set<string>()
  const moment = () => ({ now: time.now(), zone: time.zone() })

  /** Puts what a rule wants of a document in line. To be called within a transaction. */
  function queue(rule: Rule, check: IdentityCheck): boolean {
    const isWanted = rule.isOn && check.completedAt !== undefined && check.found.includes(rule.id)
    if (!isWanted || !table.isConcerned(rule.id, check)) return false
    // Signed documents wait, unmarked, for as long as the account may not save them.
    const wanted = rule.types.filter((type) => {
      if (type === 'verification') return true
      return type === 'signed' ? deps.savesSigned(check.accountId) : check.isThere
    })
    const types = wanted.filter((type) => table.queue(rule.id, check, type))
    for (const type of types) deps.enqueue(rule, check, type)
    return types.length > 0
  }

  /** A view may show documents of several accounts, each of which has a lane of its own. */
  function tell(added: ReadonlyMap<string, Lane>): void {
    for (const lane of added.values()) deps.added(lane)
    if (added.size > 0) deps.changed()
  }

  async function lookAtChanges(mirror: string, changes: readonly DocumentChange[]): Promise<void> {
    const found: { rule: Rule; checks: IdentityCheck[] }[] = []
    for (const [accountId, rules] of Map.groupBy(table.all(), (rule) => rule.accountId)) {
      const queries = rules.flatMap((rule) => queryOf(rule) ?? [])
      const accounts = new Set([accountId, ...queries.flatMap(({ query }) => query.accounts ?? [])])
      const documents = distinct(changes.filter((change) => accounts.has(change.accountId)))
      if (documents.length === 0) continue
      const checks = await ask('identityChecks', { accountId, some: { documents }, queries, limit: PAGE, ...moment() })
      for (const rule of rules) found.push({ rule, checks })
    }
    const last = changes.at(-1)?.id ?? 0
    const added = new Map<string, Lane>()
    db.transaction(() => {
      for (const { rule, checks } of found) {
        if (!table.isThere(rule.id)) continue
        // It may have been turned off, or given another folder, since.
        const now = table.get(rule.id)
        const after = now.mirror === mirror ? now.sinceChange : 0
        const isConcerned = becameComplete(changes.filter(({ id }) => id > after))
        for (const check of checks) {
          if (isConcerned(check, now.createdAt)) table.concerns(rule.id, check)
          if (queue(now, check)) note(added, check, now)
        }
      }
      kept.write(CURSOR, { mirror, change: last })
    })()
    tell(added)
  }

  function queryOf(rule: Rule): { id: string; query: RuleView['query'] } | undefined {
    const view = viewOf(rule)
    return view && { id: rule.id, query: view.query }
  }

  /** Whether the mirror has seen all folders of an account. */
  async function isRead(accountId: string): Promise<boolean> {
    const folders = [...deps.folderNames(accountId)]
    const lookedAt = await ask('lookedAt', { accountId, folders })
    return folders.every((name) => Object.hasOwn(lookedAt, name))
  }

  /** Goes through all of a rule's view once. */
  async function scan(rule: Rule, isMeant: (completedAt: number) => boolean): Promise<void> {
    const asked = queryOf(rule)
    if (!asked) return
    const { accountId } = rule
    let after: DocumentKey | undefined
    for (let isMore = true; isMore; ) {
      const some = { query: asked.query }
      const checks = await ask('identityChecks', {
        ...{ accountId, some, after, limit: SCAN_PAGE, queries: [asked] },
        ...moment()
      })
      isMore = checks.length === SCAN_PAGE
      after = checks.at(-1)
      const meant = checks.filter(({ completedAt }) => completedAt !== undefined && isMeant(completedAt))
      await take(rule, meant, true)
    }
  }

  /** Looks once more at what a rule is about and hasn't put in line. */
  async function sweep(rule: Rule): Promise<void> {
    const asked = queryOf(rule)
    if (!asked || !rule.isOn) return
    let after: DocumentKey | undefined
    for (;;) {
      const documents = table.open(rule, after)
      after = documents.at(-1)
      if (documents.length === 0) return
      const some = { documents }
      const { accountId } = rule
      const checks = await ask('identityChecks', { accountId, some, limit: PAGE, queries: [asked], ...moment() })
      await take(rule, checks, false)
    }
  }

  async function take(rule: Rule, checks: readonly IdentityCheck[], areConcerned: boolean): Promise<void> {
    const added = new Map<string, Lane>()
    for (let first = 0; first < checks.length; first += PIECE) {
      db.transaction(() => {
        if (!table.isThere(rule.id)) return
        // It may have been turned off, or given another folder, since.
        const now = table.get(rule.id)
        for (const check of checks.slice(first, first + PIECE)) {
          if (areConcerned) table.concerns(rule.id, check)
          if (queue(now, check)) note(added, check, now)
        }
      })()
      await new Promise((resolve) => setImmediate(resolve))
    }
    tell(added)
  }

  /** Looks at all that changed since the last look. @throws what the worker says; it is looked at again then. */
  async function look(): Promise<void> {
    const rules = table.all()
    if (rules.length === 0) return void kept.erase(CURSOR)
    const newest = await ask('newestChange', null)
    const cursor = kept.read(CURSOR, Cursor)
    let last = cursor?.mirror === newest.mirror ? Math.min(cursor.change, newest.change) : newest.change
    if (cursor?.mirror !== newest.mirror) kept.write(CURSOR, { mirror: newest.mirror, change: last })
    for (const rule of rules) {
      // Its mirror was begun again: what completed meanwhile is told by the time alone.
      if (rule.mirror === newest.mirror || !(await isRead(rule.accountId))) continue
      await scan(rule, (completedAt) => completedAt >= rule.createdAt)
      table.adopt({ id: rule.id, mirror: newest.mirror, sinceChange: 0 })
    }
    for (let isMore = true; isMore; ) {
      const changes = await ask('changesAfter', { after: last, limit: PAGE })
      isMore = changes.length === PAGE
      last = changes.at(-1)?.id ?? last
      if (changes.length > 0) await lookAtChanges(newest.mirror, changes)
    }
    for (const id of [...unswept]) {
      // Before: it may be changed once more while it is looked at.
      unswept.delete(id)
      try {
        if (table.isThere(id)) await sweep(table.get(id))
      } catch (error) {
        unswept.add(id)
        throw error
      }
    }
  }

  return {
    look,
    scan,

    /** Where changes are followed from; answers since when a new rule follows them. */
    async begin(): Promise<Pick<Rule, 'createdAt' | 'mirror' | 'sinceChange'>> {
      const newest = await ask('newestChange', null)
      if (table.all().length === 0) kept.write(CURSOR, newest)
      return { createdAt: time.now(), mirror: newest.mirror, sinceChange: newest.change }
    },

    /** What a rule is about, or what it wants, may be another now. */
    lookAgain: (id: string): void => void unswept.add(id)
  }
}

const keyOf = ({ accountId, reference }: DocumentKey) => `${accountId}\n${reference}`

/** Whether a document became complete by these changes: not what was so long before, and only arrives. */
function becameComplete(changes: readonly DocumentChange[]): (check: IdentityCheck, since: number) => boolean {
  const keys = (kind: DocumentChange['kind']) => new Set(changes.filter((one) => one.kind === kind).map(keyOf))
  const completed = keys('completed')
  const arrived = keys('arrived')
  return (check, since) =>
    check.completedAt !== undefined &&
    (arrived.has(keyOf(check)) ? check.completedAt >= since - CLOCKS_APART : completed.has(keyOf(check)))
}

function distinct(changes: readonly DocumentChange[]): DocumentKey[] {
  const found = new Map(
    changes.map(({ accountId, reference }) => [keyOf({ accountId, reference }), { accountId, reference }])
  )
  return [...found.values()]
}

function note(lanes: Map<string, Lane>, { accountId }: DocumentKey, { folderId }: Rule): void {
  lanes.set(`${accountId}\n${folderId}`, { accountId, folderId })
}
