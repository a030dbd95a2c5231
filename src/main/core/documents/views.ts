/** Saved views: named queries over an account's documents, in the person's order. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { DocumentQuery, type SavedView } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { flag, json, type RecordOf, Rows, value } from '../lib/rows.ts'
import { isShared, refuseShared } from '../lib/shared-id.ts'
import type { SharedKind } from '../office/shared-kind.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export interface ViewsDeps {
  db: Db
  newId: () => string
  changed: () => void
}

/** A view to save; a new one if it has no id. */
export type ViewToSave = Omit<SavedView, 'id' | 'isOrganisations'> & { id?: string | undefined }

const VIEWS = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  name: value<string>(),
  query: json<unknown>(),
  tell: flag()
})

/**
 * The part of a view that an office's workstations share: order and notifications are each workstation's own. Views
 * that name accounts aren't shared, since account ids differ between workstations.
 */
const Shared = z.object({ name: z.string(), query: DocumentQuery.refine(({ accounts }) => accounts === undefined) })

/** Also the limit on how many can be reordered at once. */
const MAX_VIEWS = 200

export type Views = ReturnType<typeof openViews>

export function openViews({ db, newId, changed }: ViewsDeps) {
  const views = new TableStatements(db, 'document_views', VIEWS)
  const findAll = views.all<[accountId: string]>('WHERE account_id = ? ORDER BY position, id')
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
  const setPosition = views.run<[position: number, id: string]>('UPDATE document_views SET position = ? WHERE id = ?')

  const replaceOrganisationViews = db.transaction((accountId: string, desired: readonly SavedView[]) => {
    const before = findAll(accountId).filter(isShared)
    for (const { id } of before) if (!desired.some((one) => one.id === id)) erase(id)
    for (const view of desired) {
      const write = before.some(({ id }) => id === view.id) ? change : add
      write(VIEWS.write({ ...view, accountId }))
    }
  })

  function requireOwn(accountId: string, id: string): SavedView {
    const view = find(id)
    return view?.accountId === accountId ? viewOf(view) : fail('gone', 'This view no longer exists.')
  }

  const reorder = db.transaction((accountId: string, ids: readonly string[]) => {
    const before = findAll(accountId).map(({ id }) => id)
    const named = [...new Set(ids)].filter((id) => before.includes(id))
    // Views added meanwhile aren't in `ids`: they stay, after the others.
    const inOrder = [...named, ...before.filter((id) => !named.includes(id))]
    inOrder.forEach((id, position) => {
      setPosition(position, id)
    })
  })

  const shared: SharedKind<z.output<typeof Shared>> = {
    kind: 'view',
    page: 100,
    localIds: (accountId) => findAll(accountId).flatMap((view) => (isShared(view) ? [] : [view.id])),
    ownerOf: (id) => find(id)?.accountId,
    content: (id) => Shared.safeParse(find(id)).data,
    read: (content) => Shared.safeParse(content).data,
    write(accountId, view, id, local) {
      if (local !== undefined) change(VIEWS.write({ ...view, id: local, tell: find(local)?.tell ?? false }))
      else add(VIEWS.write({ ...view, id, accountId, tell: false }))
      return local ?? id
    },
    erase: (id) => void erase(id),
    findIdentical: (accountId, { name, query }) =>
      findAll(accountId).find(
        (view) => view.name === name && !isShared(view) && isDeepStrictEqual(Shared.safeParse(view).data?.query, query)
      )?.id,
    addCopy(accountId, { name, query }, suffix) {
      add(
        VIEWS.write({
          id: newId(),
          accountId,
          name: suffix === undefined ? name : `${name} (${suffix})`,
          query,
          tell: false
        })
      )
    }
  }

  return {
    shared,

    /** In the person's order. */
    list: (accountId: string): SavedView[] => findAll(accountId).map(viewOf),

    /** Makes these the organisation's views, leaving the person's own alone. Their ids are made by `sharedId`. */
    share(accountId: string, desired: readonly SavedView[]): void {
      replaceOrganisationViews(accountId, desired)
      changed()
    },

    /**
     * @throws AppFailure `gone` if it was removed or belongs to another account; `invalid` if there are too many;
     * `not-allowed` if it is the organisation's.
     */
    save(accountId: string, { id: known, ...view }: ViewToSave): SavedView {
      if (known !== undefined) refuseShared(known)
      const id = known ?? newId()
      const written = VIEWS.write({ ...view, id, accountId })
      if (known !== undefined) {
        requireOwn(accountId, known)
        change(written)
      } else {
        if (findAll(accountId).length >= MAX_VIEWS) {
          fail('invalid', `You can save up to ${MAX_VIEWS} views.`, {
            next: `Delete one that you no longer need.`
          })
        }
        add(written)
      }
      changed()
      return requireOwn(accountId, id)
    },

    /** @throws AppFailure `gone`; `not-allowed` if it is the organisation's. */
    remove(accountId: string, id: string): void {
      refuseShared(id)
      requireOwn(accountId, id)
      erase(id)
      changed()
    },

    setOrder(accountId: string, ids: readonly string[]): void {
      reorder(accountId, ids)
      changed()
    }
  }
}

function viewOf({ accountId: _, query, ...view }: RecordOf<typeof VIEWS>): SavedView {
  return { ...view, query: queryOf(query), ...(isShared(view) && { isOrganisations: true as const }) }
}

/**
 * A query from a later version that can't be read here finds everything; the view's name still says what it was for.
 */
function queryOf(kept: unknown): DocumentQuery {
  const read = DocumentQuery.safeParse(kept)
  return read.success ? read.data : DocumentQuery.parse({})
}
