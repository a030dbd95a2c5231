/** Saved views: queries of an account's documents under a name, in the order in which the person put them. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { DocumentQuery, type SavedView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { flag, json, type RecordOf, Rows, value } from '../lib/rows.ts'
import { isShared, refuseShared } from '../lib/shared-id.ts'
import type { SharedKind } from '../office/shared-records.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export interface ViewsDeps {
  db: Db
  newId: () => string
  changed: () => void
}

/** Without an id it is a new one. */
export type ViewToSave = Omit<SavedView, 'id' | 'isOrganisations'> & { id?: string | undefined }

const VIEWS = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  name: value<string>(),
  query: json<unknown>(),
  tell: flag()
})

/**
 * What an office's workstations have of one: each has its own order, and says itself what it is told of. One that names accounts is its
 * workstation's own: each has other ids for them.
 */
const Shared = z.object({ name: z.string(), query: DocumentQuery.refine(({ accounts }) => accounts === undefined) })

/** As many as can be put in order at once. */
const MOST_VIEWS = 200

export type Views = ReturnType<typeof openViews>

export function openViews({ db, newId, changed }: ViewsDeps) {
  const views = new TableStatements(db, 'document_views', VIEWS)
  const listed = views.all<[accountId: string]>('WHERE account_id = ? ORDER BY position, id')
  const find = views.one<[id: string]>('WHERE id = ?')
  const add = views.run<[view: object]>(
    `INSERT INTO document_views (id, account_id, name, query, tell, position)
     VALUES (@id, @accountId, @name, @query, @tell,
       (SELECT coalesce(max(position), 0) + 1 FROM document_views WHERE account_id = @accountId))`
  )
  const change = views.run<[view: object]>(
    'UPDATE document_views SET name = @name, query = @query, tell = @tell WHERE id = @id'
  )
  const erase = views.run<[id: string]>('DELETE FROM document_views WHERE id = ?')
  const place = views.run<[position: number, id: string]>('UPDATE document_views SET position = ? WHERE id = ?')

  const share = db.transaction((accountId: string, wanted: readonly SavedView[]) => {
    const before = listed(accountId).filter(isShared)
    for (const { id } of before) if (!wanted.some((one) => one.id === id)) erase(id)
    for (const view of wanted) {
      const write = before.some(({ id }) => id === view.id) ? change : add
      write(VIEWS.write({ ...view, accountId }))
    }
  })

  function own(accountId: string, id: string): SavedView {
    const view = find(id)
    return view?.accountId === accountId ? viewOf(view) : fail('gone', 'This view no longer exists.')
  }

  const reorder = db.transaction((accountId: string, ids: readonly string[]) => {
    const before = listed(accountId).map(({ id }) => id)
    const named = [...new Set(ids)].filter((id) => before.includes(id))
    // One that was added meanwhile isn't among them: it stays, after the others.
    const inOrder = [...named, ...before.filter((id) => !named.includes(id))]
    inOrder.forEach((id, position) => {
      place(position, id)
    })
  })

  /** How those of an office stand in the database. */
  const shared: SharedKind<z.output<typeof Shared>> = {
    kind: 'view',
    page: 100,
    locals: (accountId) => listed(accountId).flatMap((view) => (isShared(view) ? [] : [view.id])),
    ownerOf: (id) => find(id)?.accountId,
    content: (id) => Shared.safeParse(find(id)).data,
    read: (content) => Shared.safeParse(content).data,
    write(accountId, view, id, local) {
      if (local !== undefined) change(VIEWS.write({ ...view, id: local, tell: find(local)?.tell ?? false }))
      else add(VIEWS.write({ ...view, id, accountId, tell: false }))
      return local ?? id
    },
    erase: (id) => void erase(id),
    twin: (accountId, { name, query }) =>
      listed(accountId).find(
        (view) => view.name === name && !isShared(view) && isDeepStrictEqual(Shared.safeParse(view).data?.query, query)
      )?.id,
    another(accountId, { name, query }, beside) {
      add(
        VIEWS.write({
          id: newId(),
          accountId,
          name: beside === undefined ? name : `${name} (${beside})`,
          query,
          tell: false
        })
      )
    }
  }

  return {
    shared,

    /** In their order. */
    list: (accountId: string): SavedView[] => listed(accountId).map(viewOf),

    /** Has of the organisation's exactly these, beside a person's own; their ids are made by `sharedId`. */
    share(accountId: string, wanted: readonly SavedView[]): void {
      share(accountId, wanted)
      changed()
    },

    /**
     * @throws AppFailure `gone` where it was removed, or belongs to another account; `invalid` where there are too many; `not-allowed`
     * where it is the organisation's.
     */
    save(accountId: string, { id: known, ...view }: ViewToSave): SavedView {
      if (known !== undefined) refuseShared(known)
      const id = known ?? newId()
      const written = VIEWS.write({ ...view, id, accountId })
      if (known !== undefined) {
        own(accountId, known)
        change(written)
      } else {
        if (listed(accountId).length >= MOST_VIEWS) {
          fail('invalid', `You can save up to ${MOST_VIEWS} views.`, {
            next: `Delete one that you no longer need.`
          })
        }
        add(written)
      }
      changed()
      return own(accountId, id)
    },

    /** @throws AppFailure `gone`; `not-allowed` where it is the organisation's. */
    remove(accountId: string, id: string): void {
      refuseShared(id)
      own(accountId, id)
      erase(id)
      changed()
    },

    order(accountId: string, ids: readonly string[]): void {
      reorder(accountId, ids)
      changed()
    }
  }
}

function viewOf({ accountId: _, query, ...view }: RecordOf<typeof VIEWS>): SavedView {
  return { ...view, query: queryOf(query), ...(isShared(view) && { isOrganisations: true as const }) }
}

/** A query of a later version that this one can't read finds everything; its name says still what it was meant for. */
function queryOf(kept: unknown): DocumentQuery {
  const read = DocumentQuery.safeParse(kept)
  return read.success ? read.data : DocumentQuery.parse({})
}
