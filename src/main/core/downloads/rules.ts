/** Rules: save every document, or every one of a view, as it completes, and have its signatures verified. */

import { isDeepStrictEqual } from 'node:util'
import { type DecodedInput, DocumentQuery, type DownloadRule, type SavedView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { VerificationQueue } from '../verifications/verification-queue.ts'
import type { DownloadFolders } from './download-folders.ts'
import { type MatchingDeps, openRuleMatching, type RuleView } from './rule-matching.ts'
import { openRulesTable, type Rule } from './rules-table.ts'

export interface RulesDeps extends Omit<MatchingDeps, 'table' | 'viewOf'> {
  folders: DownloadFolders
  views: (accountId: string) => readonly SavedView[]
  /** Returns the office's other workstation that last saved a view; undefined if that was this one. */
  viewSavedBy: (accountId: string, viewId: string) => string | undefined
  /** Called when a look failed; it is retried. */
  onError: (error: unknown) => void
  /** Has the service verify documents' signatures. */
  verifications: Pick<VerificationQueue, 'add' | 'wake' | 'retryFailed' | 'ofRule'>
  newId: () => string
}

/**
 * How long to collect changes before a look, so that one round over the folders causes one look; and how long to wait
 * after a failed look. In milliseconds.
 */
const DEBOUNCE = 1_000
const RETRY_DELAY = 30_000

const ALL_DOCUMENTS: RuleView = { query: DocumentQuery.parse({}) }

export function openRules(deps: RulesDeps) {
  const { db, time } = deps
  const table = openRulesTable(db)
  const savedViewOf = ({ accountId, viewId }: Pick<Rule, 'accountId' | 'viewId'>): SavedView | undefined =>
    deps.views(accountId).find(({ id }) => id === viewId)
  const viewOf = (rule: Rule): RuleView | undefined => (rule.viewId === '' ? ALL_DOCUMENTS : savedViewOf(rule))
  const matching = openRuleMatching({ ...deps, table, viewOf })
  let isStarted = false
  let isScheduled = false
  let cancel = () => {}

  /** Runs work one after the other. */
  const oneByOne = <Answer>(work: () => Promise<Answer>) => inTurn(table, work)

  /** Looks soon; several calls cause one look. */
  function wake(delay = DEBOUNCE): void {
    if (!isStarted || isScheduled) return
    isScheduled = true
    cancel = time.after(delay, () => {
      isScheduled = false
      void oneByOne(matching.matchChanges).catch(retryLater)
    })
  }

  function retryLater(error: unknown): void {
    if (!isStarted) return
    deps.onError(error)
    wake(RETRY_DELAY)
  }

  function requireOwn(accountId: string, id: string): Rule {
    const rule = table.get(id)
    return rule.accountId === accountId ? rule : fail('gone', 'This rule no longer exists.')
  }

  /** Returns who changed what a rule covers, if no one here has reviewed it since. */
  function changedBy({ accountId, viewQuery, viewChange }: Rule, view: SavedView): string | undefined {
    const before = DocumentQuery.safeParse(viewQuery)
    if (!before.success || isDeepStrictEqual(before.data, view.query)) return undefined
    // Someone who only renamed the view since didn't change its query.
    if (viewChange && isSameQuery(viewChange.query, view.query)) return viewChange.by
    return deps.viewSavedBy(accountId, view.id)
  }

  /** Records who changed the view, before it is saved again. */
  function noteChange(rule: Rule): void {
    const view = savedViewOf(rule)
    const by = view && changedBy(rule, view)
    if (by === undefined || (rule.viewChange && isSameQuery(rule.viewChange.query, view?.query))) return
    table.change({ ...rule, viewChange: { by, query: view?.query } })
  }

  /** Rechecks all rules, as their views' queries may have changed. */
  function recheckAll(): void {
    for (const rule of table.all()) {
      noteChange(rule)
      matching.scheduleSweep(rule.id)
    }
  }

  function toView(rule: Rule): DownloadRule {
    const { id, viewId, types, pattern, writesIndex, isOn, fetched, problem } = rule
    const view = savedViewOf(rule)
    const none = types.includes('verification') ? { done: 0, waiting: 0, failed: 0 } : undefined
    const verifications = deps.verifications.ofRule(id) ?? none
    return {
      ...(viewId !== '' && { viewId }),
      id,
      types,
      pattern,
      writesIndex,
      isOn,
      fetched,
      folder: deps.folders.get(rule.folderId),
      ...(view && { viewName: view.name, ...defined({ viewChangedBy: changedBy(rule, view) }) }),
      ...(problem && { problem }),
      ...(verifications && { verifications })
    }
  }

  return {
    list: (accountId: string): DownloadRule[] => table.ofAccount(accountId).map(toView),

    /** @throws AppFailure `gone` if the view or the folder doesn't exist. */
    add(accountId: string, { alsoNow, ...input }: DecodedInput<'downloads.addRule'>): Promise<DownloadRule> {
      return oneByOne(async () => {
        const { viewId = '' } = input
        const view = savedViewOf({ accountId, viewId })
        if (viewId !== '' && !view) fail('gone', 'This view no longer exists.')
        deps.folders.pathOf(input.folderId)
        const since = await matching.startFollowing()
        const id = deps.newId()
        table.add({ id, accountId, ...input, viewId, viewQuery: view?.query, ...since, isScanDue: alsoNow })
        deps.changed()
        if (alsoNow) await matching.scanCompleted(table.get(id)).catch(retryLater)
        return toView(table.get(id))
      })
    },

    /** Changes a rule. One that is turned on again catches up. @throws AppFailure `gone`. */
    change(accountId: string, id: string, changes: Omit<DecodedInput<'downloads.changeRule'>, 'id'>): DownloadRule {
      const rule = requireOwn(accountId, id)
      if (changes.folderId !== undefined) deps.folders.pathOf(changes.folderId)
      const view = savedViewOf(rule)
      const isSwitched = Object.keys(defined(changes)).join() === 'isOn'
      // Anyone who saves a rule has seen what it covers, unless they only turned it on or off.
      const reviewed = view && !isSwitched ? { viewQuery: view.query, viewChange: undefined } : {}
      table.change({ ...rule, ...reviewed, ...defined(changes) })
      matching.scheduleSweep(id)
      wake(0)
      // Verifications may have waited for the rule to be turned on.
      deps.verifications.wake()
      deps.changed()
      return toView(table.get(id))
    },

    /** Retries failed verifications. @throws AppFailure `gone`. */
    retryVerifications(accountId: string, id: string): void {
      requireOwn(accountId, id)
      deps.verifications.retryFailed(id)
    },

    /** Removes a rule. Its queued files stay queued; nothing more is verified for it. @throws AppFailure `gone`. */
    remove(accountId: string, id: string): void {
      requireOwn(accountId, id)
      table.remove(id)
      deps.changed()
    },

    countFetched: table.countFetched,
    setProblem: table.setProblem,

    /** Starts looking, first for documents that completed while the application was closed. */
    start(): void {
      isStarted = true
      recheckAll()
      wake(0)
    },

    documentsChanged: (): void => wake(),

    viewsChanged(): void {
      recheckAll()
      wake()
      deps.changed()
    },

    /** Resolves once no look is in progress. */
    async stop(): Promise<void> {
      isStarted = false
      cancel()
      await oneByOne(async () => undefined)
    }
  }
}

/** Returns whether a stored query equals a view's query. */
function isSameQuery(kept: unknown, query: DocumentQuery | undefined): boolean {
  const read = DocumentQuery.safeParse(kept)
  return read.success && isDeepStrictEqual(read.data, query)
}
