/**
 * Rules: every document of a view, as it completes, into a folder. What changed since the last look is looked at, never all
 * there is; that a document was put in line is written down with it, so that no rule fetches one twice by itself.
 */
import { z } from 'zod'
import type { DocumentChange, DownloadRule, DownloadView, SavedView } from '../../../shared/contract/index.ts'
import type { AskDesk, DocumentKey, IdentityCheck } from '../documents/desk-questions.ts'
import { fail } from '../failure.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../telling/kept.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Lane } from './downloads-table.ts'
import { openRulesTable, type Rule } from './rules-table.ts'

export interface RuleParts {
  db: Db
  ask: AskDesk
  folders: DownloadFolders
  /** The saved views of an account. */
  views: (accountId: string) => readonly SavedView[]
  /** The names of an account's folders that its service has. */
  folderNames: (accountId: string) => readonly string[]
  /** Puts a file in line, within a transaction. */
  enqueue: (rule: Rule, document: DocumentKey & { name: string }, type: DownloadView['type']) => void
  /** Files of a lane were put in line, and are on the disk. */
  added: (lane: Lane) => void
  changed: () => void
  /** What could not be looked at; it is looked at again. */
  failed: (error: unknown) => void
  clock: () => number
  zone: () => string
  newId: () => string
  schedule: (task: () => void, delay: number) => () => void
}

export type RuleInput = Pick<Rule, 'viewId' | 'folderId' | 'types' | 'pattern' | 'writesIndex'> & { alsoNow: boolean }
type Changeable = Pick<Rule, 'folderId' | 'types' | 'pattern' | 'writesIndex' | 'isOn'>
export type RuleChange = { [Name in keyof Changeable]?: Changeable[Name] | undefined }

const CURSOR = 'download-rules-cursor'
const Cursor = z.object({ mirror: z.string(), change: z.number().int().min(0) })
const PAGE = 500
const SCAN_PAGE = 5_000
/** What one round over the folders brings is looked at together. In milliseconds. */
const GATHERING = 1_000
const AGAIN = 30_000

export type Rules = ReturnType<typeof openRules>

export function openRules(parts: RuleParts) {
  const { db, ask, clock, schedule } = parts
  const table = openRulesTable(db)
  const kept = keptIn(db)
  /** Rules whose view, or what they want, may be another than when their documents were looked at. */
  const unswept = new Set<string>()
  let isStarted = false
  let isPlanned = false
  let cancel = () => {}
  let turn: Promise<unknown> = Promise.resolve()

  /** One after the other. */
  function inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }

  const viewOf = (rule: Rule) => parts.views(rule.accountId).find(({ id }) => id === rule.viewId)
  const moment = () => ({ now: clock(), zone: parts.zone() })

  /** Puts what a rule wants of a document in line. To be called within a transaction. */
  function queue(rule: Rule, check: IdentityCheck): boolean {
    const isWanted = rule.isOn && check.isThere && check.completedAt !== undefined && check.found.includes(rule.id)
    if (!isWanted || !table.isConcerned(rule.id, check)) return false
    const types = rule.types.filter((type) => table.queue(rule.id, check, type))
    for (const type of types) parts.enqueue(rule, check, type)
    return types.length > 0
  }

  function tell(added: ReadonlySet<Rule>): void {
    for (const rule of added) parts.added(rule)
    if (added.size > 0) parts.changed()
  }

  async function lookAtChanges(mirror: string, changes: readonly DocumentChange[]): Promise<void> {
    const found: { rule: Rule; checks: IdentityCheck[] }[] = []
    for (const [accountId, rules] of byAccount(table.all())) {
      const queries = rules.flatMap((rule) => queryOf(rule) ?? [])
      const accounts = new Set([accountId, ...queries.flatMap(({ query }) => query.accounts ?? [])])
      const documents = distinct(changes.filter((change) => accounts.has(change.accountId)))
      if (documents.length === 0) continue
      const checks = await ask('identityChecks', { accountId, some: { documents }, queries, limit: PAGE, ...moment() })
      for (const rule of rules) found.push({ rule, checks })
    }
    const last = changes.at(-1)?.id ?? 0
    const added = new Set<Rule>()
    db.transaction(() => {
      for (const { rule, checks } of found) {
        if (!table.isThere(rule.id)) continue
        const after = rule.mirror === mirror ? rule.sinceChange : 0
        const completed = new Set(changes.filter((one) => one.id > after && COMPLETES.has(one.kind)).map(keyOf))
        for (const check of checks) {
          if (check.completedAt !== undefined && completed.has(keyOf(check))) table.concerns(rule.id, check)
          if (queue(rule, check)) added.add(rule)
        }
      }
      kept.write(CURSOR, { mirror, change: last })
    })()
    tell(added)
  }

  function queryOf(rule: Rule): { id: string; query: SavedView['query'] } | undefined {
    const view = viewOf(rule)
    return view && { id: rule.id, query: view.query }
  }

  /** Whether the mirror has seen all folders of an account. */
  async function isRead(accountId: string): Promise<boolean> {
    const folders = [...parts.folderNames(accountId)]
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
    const added = new Set<Rule>()
    for (let first = 0; first < checks.length; first += PIECE) {
      db.transaction(() => {
        if (!table.isThere(rule.id)) return
        for (const check of checks.slice(first, first + PIECE)) {
          if (areConcerned) table.concerns(rule.id, check)
          if (queue(rule, check)) added.add(rule)
        }
      })()
      await new Promise((resolve) => setImmediate(resolve))
    }
    tell(added)
  }

  async function look(): Promise<void> {
    const rules = table.all()
    if (rules.length === 0) return kept.erase(CURSOR)
    const newest = await ask('newestChange', null)
    const cursor = kept.read(CURSOR, Cursor)
    let last = cursor?.mirror === newest.mirror ? Math.min(cursor.change, newest.change) : newest.change
    if (cursor?.mirror !== newest.mirror) kept.write(CURSOR, { mirror: newest.mirror, change: last })
    for (const rule of rules) {
      // Its mirror was begun anew: what completed meanwhile is told by the time alone.
      if (rule.mirror === newest.mirror || !(await isRead(rule.accountId))) continue
      await scan(rule, (completedAt) => completedAt >= rule.createdAt)
      table.adopt(rule.id, newest.mirror, 0)
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

  /** Looks soon; often asked is once. */
  function wake(delay = GATHERING): void {
    if (!isStarted || isPlanned) return
    isPlanned = true
    cancel = schedule(() => {
      isPlanned = false
      void inTurn(look).catch((error: unknown) => {
        if (!isStarted) return
        parts.failed(error)
        wake(AGAIN)
      })
    }, delay)
  }

  function own(accountId: string, id: string): Rule {
    const rule = table.get(id)
    return rule.accountId === accountId ? rule : fail('gone', 'This rule is no longer there.')
  }

  function shown(rule: Rule): DownloadRule {
    const { id, viewId, types, pattern, writesIndex, isOn, fetched, problem } = rule
    const view = viewOf(rule)
    return {
      ...{ id, viewId, types, pattern, writesIndex, isOn, fetched },
      folder: parts.folders.get(rule.folderId),
      ...(view && { viewName: view.name }),
      ...(problem && { problem })
    }
  }

  return {
    list: (accountId: string): DownloadRule[] => table.ofAccount(accountId).map(shown),

    /** @throws AppFailure `gone` where the view or the folder isn't known. */
    add(accountId: string, { alsoNow, ...input }: RuleInput): Promise<DownloadRule> {
      return inTurn(async () => {
        if (!parts.views(accountId).some(({ id }) => id === input.viewId)) fail('gone', 'This view is no longer there.')
        parts.folders.pathOf(input.folderId)
        const newest = await ask('newestChange', null)
        if (table.all().length === 0) kept.write(CURSOR, { mirror: newest.mirror, change: newest.change })
        const id = parts.newId()
        const since = { createdAt: clock(), mirror: newest.mirror, sinceChange: newest.change }
        table.add({ id, accountId, ...input, ...since })
        parts.changed()
        if (alsoNow) await scan(table.get(id), () => true)
        return shown(table.get(id))
      })
    },

    /** One that is turned on again catches up. @throws AppFailure `gone`. */
    change(accountId: string, id: string, changes: RuleChange): DownloadRule {
      const rule = own(accountId, id)
      if (changes.folderId !== undefined) parts.folders.pathOf(changes.folderId)
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      table.change({ ...rule, ...Object.fromEntries(given) })
      unswept.add(id)
      wake(0)
      parts.changed()
      return shown(table.get(id))
    },

    /** What it has put in line stays there. @throws AppFailure `gone`. */
    remove(accountId: string, id: string): void {
      own(accountId, id)
      table.remove(id)
      parts.changed()
    },

    brought: table.brought,
    trouble: table.trouble,

    /** Begins to look, first for what completed while the application was closed. */
    start(): void {
      isStarted = true
      for (const { id } of table.all()) unswept.add(id)
      wake(0)
    },

    documentsChanged: (): void => wake(),

    viewsChanged(): void {
      for (const { id } of table.all()) unswept.add(id)
      wake()
      parts.changed()
    },

    /** Resolves once nothing is looked at any more. */
    async stop(): Promise<void> {
      isStarted = false
      cancel()
      await turn
    }
  }
}

const PIECE = 200
/** Changes after which a document may be complete that wasn't. */
const COMPLETES: ReadonlySet<string> = new Set(['completed', 'arrived'])

const keyOf = ({ accountId, reference }: DocumentKey) => `${accountId}\n${reference}`

function distinct(changes: readonly DocumentChange[]): DocumentKey[] {
  const found = new Map(
    changes.map(({ accountId, reference }) => [keyOf({ accountId, reference }), { accountId, reference }])
  )
  return [...found.values()]
}

function byAccount(rules: readonly Rule[]): Map<string, Rule[]> {
  const found = new Map<string, Rule[]>()
  for (const rule of rules) found.set(rule.accountId, [...(found.get(rule.accountId) ?? []), rule])
  return found
}
