/** Packages that are being composed. Once `save` has returned, the draft is on disk. */

import { type Composition, signersInWords, titleOf } from '../../../shared/composition/index.ts'
import {
  type DraftList,
  type DraftSummary,
  type DraftVersion,
  type DraftView,
  TRASH_DAYS
} from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { compositionOf, type DraftDeps, HELD_OR_SENT_STATES, openList } from './draft-rows.ts'
import { type ConflictingVersion, openHistory } from './history.ts'
import { openTrash } from './trash.ts'
import { searchQueryOf, wordsOf } from './words.ts'

/** Which drafts to list. By default the newest ones outside the trash. */
export interface DraftQuery {
  /** Each of its words must be the beginning of a word in the draft. Without words, every draft matches. */
  search?: string
  trashed?: boolean
  offset?: number
  limit?: number
}

type SummaryRow = Omit<DraftSummary, 'trashedAt'> & { trashedAt: number | null }

interface DraftRow extends SummaryRow {
  number: number
  createdAt: number
  body: string
}

const SUMMARY = 'id, account_id AS accountId, kind, title, who, updated_at AS updatedAt, trashed_at AS trashedAt'

export type Drafts = ReturnType<typeof openDrafts>

/** @param changed called when a draft was saved or moved. */
export function openDrafts({ changed, ...deps }: DraftDeps & { changed: (id: string) => void }) {
  const { db, time, newId } = deps
  const history = openHistory(deps)
  const trash = openTrash(deps, changed)
  const untrashed = openList(db, 'trashed_at IS NULL', 'updated_at DESC, id')
  const trashed = openList(db, 'trashed_at IS NOT NULL', 'trashed_at DESC, updated_at, id DESC')
  const read = db.prepare<[string], DraftRow>(
    `SELECT number, created_at AS createdAt, body, ${SUMMARY} FROM drafts WHERE id = ?`
  )
  const readSummary = db.prepare<[string], SummaryRow>(`SELECT ${SUMMARY} FROM drafts WHERE id = ?`)
  const readListed = db.prepare<[string], SummaryRow>(
    `SELECT ${SUMMARY} FROM (SELECT key AS place, value AS wanted FROM json_each(?)) CROSS JOIN drafts ON number = wanted
     ORDER BY place`
  )
  const activeSendOf = db.prepare<[string], { id: string }>(
    `SELECT id FROM sends WHERE draft_id = ? AND state IN ${HELD_OR_SENT_STATES}`
  )
  const eraseSent = db.prepare(
    `DELETE FROM drafts WHERE EXISTS (SELECT 1 FROM sends WHERE sends.draft_id = drafts.id AND sends.state = 'sent')`
  )
  const add = db.prepare(
    `INSERT INTO drafts (id, account_id, kind, title, who, created_at, updated_at, body)
     VALUES (@id, @accountId, @kind, @title, @who, @now, @now, @body)`
  )
  const write = db.prepare(
    'UPDATE drafts SET kind = @kind, title = @title, who = @who, updated_at = @now, body = @body WHERE number = @number'
  )
  const index = db.prepare<[number | bigint, string]>('INSERT OR REPLACE INTO draft_words (rowid, words) VALUES (?, ?)')

  function rowOf(id: string): DraftRow {
    return read.get(id) ?? fail('gone', 'This draft is no longer there.')
  }

  function summary(id: string): DraftSummary {
    return summaryOf(readSummary.get(id) ?? fail('gone', 'This draft is no longer there.'))
  }

  function summaries(numbers: readonly number[]): DraftSummary[] {
    return readListed.all(JSON.stringify(numbers)).map(summaryOf)
  }

  function refuseActive(id: string, message: string): void {
    if (activeSendOf.get(id)) fail('busy', message)
  }

  /** The row of a draft that may be changed. A late save must not bring back what was deleted. */
  function changeableRow(id: string): DraftRow {
    refuseActive(id, 'This package is being sent or was sent, so it can’t be changed here.')
    const row = read.get(id) ?? fail('gone', 'This draft was deleted, or belongs to another account.')
    if (row.trashedAt !== null) fail('gone', 'This draft is in the trash.', { next: 'Restore it to change it.' })
    return row
  }

  const insert = db.transaction(
    (accountId: string, composition: Composition, now: number, asId?: string): DraftSummary => {
      const id = asId ?? newId()
      const { lastInsertRowid } = add.run({ id, accountId, now, ...columnsOf(composition) })
      index.run(lastInsertRowid, wordsOf(composition))
      return summary(id)
    }
  )

  const replace = db.transaction((row: DraftRow, composition: Composition, now = time.now()): void => {
    write.run({ number: row.number, now, ...columnsOf(composition) })
    index.run(row.number, wordsOf(composition))
  })

  const change = db.transaction((row: DraftRow, composition: Composition): void => {
    history.keepBeforeChange(row)
    replace(row, composition)
  })

  const restoreContent = db.transaction((row: DraftRow, version: string): void => {
    const composition = compositionOf(history.bodyOf(row.number, version), 'version')
    history.keep(row, 'restore')
    replace(row, composition)
  })

  return {
    list(accountIds: readonly string[], query: DraftQuery = {}): DraftList {
      const { search = '', offset = 0, limit = 500 } = query
      const [inDrafts, inTrash] = [untrashed(accountIds), trashed(accountIds)]
      const counts = { drafts: inDrafts.total, trashed: inTrash.total }
      const listed = query.trashed ? inTrash : inDrafts
      const question = searchQueryOf(search)
      if (question === undefined) {
        return { rows: summaries(listed.page(offset, limit)), total: listed.total, counts }
      }
      const found = listed.found(question)
      return { rows: summaries(found.slice(offset, offset + limit)), total: found.length, counts }
    },

    /** @throws AppFailure `gone` if there is no such draft; `storage` if this version can't read it. */
    get(id: string): DraftView {
      const row = rowOf(id)
      return { ...summaryOf(row), composition: compositionOf(row.body, 'draft') }
    },

    /** @throws AppFailure `gone`. */
    summary,

    /**
     * Saves a draft durably. Without an id it creates one.
     * @param asId an id for the new draft, chosen by the caller, so that a repeated first save creates only one.
     * @throws AppFailure `busy` once it is with the outbox; `gone` if it was deleted, is in the trash, or belongs to
     * another account.
     */
    save(accountId: string, composition: Composition, draftId?: string, asId?: string): DraftSummary {
      const known = draftId ?? (asId !== undefined && read.get(asId) ? asId : undefined)
      if (known === undefined) {
        const made = insert(accountId, composition, time.now(), asId)
        changed(made.id)
        return made
      }
      const row = changeableRow(known)
      if (row.accountId !== accountId) fail('gone', 'This draft was deleted, or belongs to another account.')
      // Leaving a field saves too. An unchanged draft shouldn't move to the top of the list.
      if (row.body === JSON.stringify(composition)) return summaryOf(row)
      change(row, composition)
      changed(known)
      return summary(known)
    },

    /** Inserts a draft from a file, without notifying anyone yet. See exchange.ts. */
    insertImported: insert,

    /**
     * Puts a draft in the trash.
     * @throws AppFailure `busy` while a send of it is waiting, in flight or unsettled; `gone`.
     */
    remove(id: string): void {
      refuseActive(id, 'This package is being sent or was sent.')
      summary(id)
      trash.put(id)
    },

    /** Takes a draft out of the trash. @throws AppFailure `gone`. */
    restore(id: string): DraftSummary {
      if (summary(id).trashedAt !== undefined) trash.takeOut(id)
      return summary(id)
    },

    /** Erases a draft from the trash. @throws AppFailure `gone` if it isn't there. */
    erase: trash.erase,

    /** @returns how many drafts were erased. */
    emptyTrash: trash.empty,

    /**
     * Erases what has been in the trash for `days`, and drafts that were sent. The outbox already deletes a draft with
     * its answer; one that was left over must not look as if it were still to be sent. Call it at startup and about
     * once a day.
     * @param counted called in each transaction that erases some from the trash, with how many.
     * @returns how many were erased from the trash.
     */
    async purge(days: number = TRASH_DAYS, counted: (erased: number) => void = () => undefined): Promise<number> {
      eraseSent.run()
      return trash.purge(days, counted)
    },

    /** @throws AppFailure `gone`; `storage` if this version can't read it. */
    duplicate(id: string): DraftSummary {
      const { accountId, body } = rowOf(id)
      const copy = insert(accountId, compositionOf(body, 'draft'), time.now())
      changed(copy.id)
      return copy
    },

    /** Lists earlier versions, newest first. @throws AppFailure `gone`. */
    history: (id: string): DraftVersion[] => history.list(rowOf(id).number),

    /** @throws AppFailure `gone`; `storage` if this version can't read it. */
    version: (id: string, version: string): Composition =>
      compositionOf(history.bodyOf(rowOf(id).number, version), 'version'),

    /**
     * Restores an earlier version; the present one becomes a version itself.
     * @throws AppFailure `busy` and `gone` like `save`, `gone` also if the version is no longer kept; `storage`.
     */
    restoreVersion(id: string, version: string): DraftView {
      restoreContent(changeableRow(id), version)
      changed(id)
      return this.get(id)
    },

    /**
     * Replaces or creates the draft with another workstation's content. Call it in a transaction; it notifies no one.
     * @param at when it was saved, in milliseconds since 1970 UTC.
     */
    applyRemote(accountId: string, id: string, composition: Composition, at: number): void {
      const row = read.get(id)
      if (!row) return void insert(accountId, composition, at, id)
      history.keepBeforeChange(row)
      replace(row, composition, at)
    },

    /** Puts it in the trash or takes it out, following another workstation. */
    applyRemoteTrash: (id: string, isTrashed: boolean): void => (isTrashed ? trash.put(id) : trash.takeOut(id)),

    /** Stores a version that a workstation, possibly this one, wrote beside the draft. @throws AppFailure `gone`. */
    keepConflict(
      id: string,
      version: Omit<ConflictingVersion, 'title' | 'who' | 'body'>,
      composition: Composition
    ): void {
      history.keepConflict(rowOf(id).number, { ...version, ...columnsOf(composition) })
    },

    setConflictResolved: history.setResolved,

    /** Keeps the draft's current content as a version. @throws AppFailure `gone`. */
    keepVersion(id: string, reason: DraftVersion['reason']): void {
      history.keep(rowOf(id), reason)
    }
  }
}

function columnsOf(composition: Composition) {
  return {
    kind: composition.kind,
    title: titleOf(composition),
    who: signersInWords(composition),
    body: JSON.stringify(composition)
  }
}

function summaryOf({ id, accountId, kind, title, who, updatedAt, trashedAt }: SummaryRow): DraftSummary {
  return { id, accountId, kind, title, who, updatedAt, ...(trashedAt !== null && { trashedAt }) }
}
