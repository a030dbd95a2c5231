/**
 * Matches documents with rules, looking only at changes since the last look, never at everything. Queuing a document is
 * recorded in the same transaction, so that no rule fetches one twice automatically.
 */
import { z } from 'zod'
import type { DocumentChange, RuleTask, SavedView } from '../../../shared/contract/index.ts'
import type { AskDocuments, DocumentKey, IdentityCheck } from '../documents/questions.ts'
import { nextTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { Lane } from './download-rows.ts'
import type { Rule, RulesTable } from './rules-table.ts'

/** Which documents a rule covers. */
export type RuleView = Pick<SavedView, 'query'>

export interface MatchingDeps {
  db: Db
  ask: AskDocuments
  table: RulesTable
  viewOf: (rule: Rule) => RuleView | undefined
  folderNames: (accountId: string) => readonly string[]
  /** Queues a file, or has a document's signatures verified, within a transaction. */
  enqueue: (rule: Rule, document: DocumentKey & { name: string }, task: RuleTask) => void
  savesSigned: (accountId: string) => boolean
  /** Called when a rule's downloads for an account were queued and stored. */
  added: (lane: Lane) => void
  changed: () => void
  time: Pick<Time, 'now' | 'zone' | 'after'>
}

const CURSOR = 'download-rules-cursor'
const Cursor = z.object({ mirror: z.string(), change: z.number().int().min(0) })
const PAGE = 500
const SCAN_PAGE = 5_000
const BATCH_SIZE = 200
/** How far the service's clock may be behind ours, in milliseconds. */
const CLOCK_TOLERANCE = 60 * 60_000

export function openRuleMatching({ db, ask, table, viewOf, time, ...deps }: MatchingDeps) {
  const meta = openJsonMeta(db)
  /** Rules whose view or types may have changed since their documents were looked at. */
  const rulesToSweep = new Set<string>()
  const moment = () => ({ now: time.now(), zone: time.zone() })

  /** Queues what a rule wants of a document. Call it within a transaction. */
  function enqueueWanted(rule: Rule, check: IdentityCheck): boolean {
    const isWanted = rule.isOn && check.completedAt !== undefined && check.found.includes(rule.id)
    if (!isWanted || !table.isCovered(rule.id, check)) return false
    // Signed documents wait, unmarked, while the account may not save them.
    const eligible = rule.types.filter((type) => {
      if (type === 'verification') return true
      return type === 'signed' ? deps.savesSigned(check.accountId) : check.isThere
    })
    const types = eligible.filter((type) => table.markQueued(rule.id, check, type))
    for (const type of types) deps.enqueue(rule, check, type)
    return types.length > 0
  }

  /** Reports what was queued. A view may show documents of several accounts, each with its own lane. */
  function notifyAdded(added: ReadonlyMap<string, Lane>): void {
    for (const lane of added.values()) deps.added(lane)
    if (added.size > 0) deps.changed()
  }

  async function processChanges(mirror: string, changes: readonly DocumentChange[]): Promise<void> {
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
        const isNewlyComplete = becameComplete(changes.filter(({ id }) => id > after))
        for (const check of checks) {
          if (isNewlyComplete(check, now.createdAt)) table.markCovered(rule.id, check)
          if (enqueueWanted(now, check)) addLane(added, check, now)
        }
      }
      meta.write(CURSOR, { mirror, change: last })
    })()
    notifyAdded(added)
  }

  function queryOf(rule: Rule): { id: string; query: RuleView['query'] } | undefined {
    const view = viewOf(rule)
    return view && { id: rule.id, query: view.query }
  }

  /** Returns whether the mirror has seen all folders of an account. */
  async function isRead(accountId: string): Promise<boolean> {
    const folders = [...deps.folderNames(accountId)]
    const lookedAt = await ask('lookedAt', { accountId, folders })
    return folders.every((name) => Object.hasOwn(lookedAt, name))
  }

  /** Goes through a rule's whole view once. */
  async function scan(rule: Rule, isMeant: (completedAt: number) => boolean): Promise<void> {
    const ruleQuery = queryOf(rule)
    if (!ruleQuery) return
    const { accountId } = rule
    let after: DocumentKey | undefined
    for (let isMore = true; isMore; ) {
      const some = { query: ruleQuery.query }
      const checks = await ask('identityChecks', {
        accountId,
        some,
        after,
        limit: SCAN_PAGE,
        queries: [ruleQuery],
        ...moment()
      })
      isMore = checks.length === SCAN_PAGE
      after = checks.at(-1)
      const meant = checks.filter(({ completedAt }) => completedAt !== undefined && isMeant(completedAt))
      await enqueueAll(rule, meant, true)
    }
  }

  /** Goes through what was complete before the rule; once more later if not all folders had been read by now. */
  async function scanCompleted(rule: Rule): Promise<void> {
    const isWhole = await isRead(rule.accountId)
    await scan(rule, () => true)
    if (isWhole && viewOf(rule)) table.markScanned(rule.id)
  }

  /** Looks again at documents that a rule covers but hasn't fully queued. */
  async function sweep(rule: Rule): Promise<void> {
    const ruleQuery = queryOf(rule)
    if (!ruleQuery || !rule.isOn) return
    let after: DocumentKey | undefined
    for (;;) {
      const documents = table.findUnqueued(rule, after)
      after = documents.at(-1)
      if (documents.length === 0) return
      const some = { documents }
      const { accountId } = rule
      const checks = await ask('identityChecks', { accountId, some, limit: PAGE, queries: [ruleQuery], ...moment() })
      await enqueueAll(rule, checks, false)
    }
  }

  async function enqueueAll(rule: Rule, checks: readonly IdentityCheck[], areConcerned: boolean): Promise<void> {
    const added = new Map<string, Lane>()
    for (let first = 0; first < checks.length; first += BATCH_SIZE) {
      db.transaction(() => {
        if (!table.isThere(rule.id)) return
        // It may have been turned off, or given another folder, since.
        const now = table.get(rule.id)
        for (const check of checks.slice(first, first + BATCH_SIZE)) {
          if (areConcerned) table.markCovered(rule.id, check)
          if (enqueueWanted(now, check)) addLane(added, check, now)
        }
      })()
      await nextTurn()
    }
    notifyAdded(added)
  }

  /** Looks at all changes since the last look. @throws what the worker throws; they are looked at again then. */
  async function matchChanges(): Promise<void> {
    const rules = table.all()
    if (rules.length === 0) return void meta.erase(CURSOR)
    const newest = await ask('newestChange', null)
    const cursor = meta.read(CURSOR, Cursor)
    let last = cursor?.mirror === newest.mirror ? Math.min(cursor.change, newest.change) : newest.change
    if (cursor?.mirror !== newest.mirror) meta.write(CURSOR, { mirror: newest.mirror, change: last })
    for (const rule of rules) {
      // The mirror was rebuilt: only times show what completed meanwhile.
      if (rule.mirror === newest.mirror || !(await isRead(rule.accountId))) continue
      await scan(rule, (completedAt) => completedAt >= rule.createdAt)
      table.followMirror({ id: rule.id, mirror: newest.mirror, sinceChange: 0 })
    }
    for (const rule of rules) if (rule.isScanDue && (await isRead(rule.accountId))) await scanCompleted(rule)
    for (let isMore = true; isMore; ) {
      const changes = await ask('changesAfter', { after: last, limit: PAGE })
      isMore = changes.length === PAGE
      last = changes.at(-1)?.id ?? last
      if (changes.length > 0) await processChanges(newest.mirror, changes)
    }
    for (const id of [...rulesToSweep]) {
      // Removed first, as it may be changed again during the sweep.
      rulesToSweep.delete(id)
      try {
        if (table.isThere(id)) await sweep(table.get(id))
      } catch (error) {
        rulesToSweep.add(id)
        throw error
      }
    }
  }

  return {
    matchChanges,
    scanCompleted,

    /** Returns from where a new rule follows changes, and starts following them if it is the first. */
    async startFollowing(): Promise<Pick<Rule, 'createdAt' | 'mirror' | 'sinceChange'>> {
      const newest = await ask('newestChange', null)
      if (table.all().length === 0) meta.write(CURSOR, newest)
      return { createdAt: time.now(), mirror: newest.mirror, sinceChange: newest.change }
    },

    /** Call it when a rule's view or types may have changed. */
    scheduleSweep: (id: string): void => void rulesToSweep.add(id)
  }
}

const keyOf = ({ accountId, reference }: DocumentKey) => `${accountId}\n${reference}`

/**
 * Returns a check of whether a document became complete by these changes; not one that was complete long before, and
 * only arrived now.
 */
function becameComplete(changes: readonly DocumentChange[]): (check: IdentityCheck, since: number) => boolean {
  const keys = (kind: DocumentChange['kind']) => new Set(changes.filter((one) => one.kind === kind).map(keyOf))
  const completed = keys('completed')
  const arrived = keys('arrived')
  return (check, since) =>
    check.completedAt !== undefined &&
    (arrived.has(keyOf(check)) ? check.completedAt >= since - CLOCK_TOLERANCE : completed.has(keyOf(check)))
}

function distinct(changes: readonly DocumentChange[]): DocumentKey[] {
  const found = new Map(
    changes.map(({ accountId, reference }) => [keyOf({ accountId, reference }), { accountId, reference }])
  )
  return [...found.values()]
}

function addLane(lanes: Map<string, Lane>, { accountId }: DocumentKey, { folderId }: Rule): void {
  lanes.set(`${accountId}\n${folderId}`, { accountId, folderId })
}
