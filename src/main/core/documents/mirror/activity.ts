/**
 * Pages of what happened, newest first, and how much happened in all. What was counted once is remembered, and a page that
 * follows another begins where that one ended: a long history is gone through once, and in pieces.
 */
import type { DocumentChange } from '../../../../shared/contract/index.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Db } from '../../storage/connection.ts'
import type { DocumentQuestions } from '../questions.ts'

/** How many changes are passed at a time: a few milliseconds' work. */
const PIECE = 10_000
/** For so many questions it is remembered what was counted. */
const REMEMBERED = 16

export interface ChangeRow {
  id: number
  account_id: string
  reference: string
  document_name: string
  kind: DocumentChange['kind']
  at: number
  signer: string | null
  from_text: string | null
  to_text: string | null
  is_own: 0 | 1
}

type ByKind = Partial<Record<DocumentChange['kind'], number>>

/** What is known of the answer to one question. */
interface Counted {
  /** All changes up to this one are counted. */
  upTo: number
  byKind: ByKind
  /** Where a page ended: so many changes of the question, as of `upTo`, are not older than this one. */
  ended?: { upTo: number; offset: number; id: number }
}

/** @param newest the newest change's id. */
export function activityIn(db: Db, newest: () => number) {
  const counted = new Map<string, Counted>()
  /** Grows when changes are forgotten: what was counted before is no longer true. */
  let forgotten = 0

  function* read(ask: DocumentQuestions['activity']['ask']): Sliced<{ rows: ChangeRow[]; byKind: ByKind }> {
    const { offset, limit, ...filter } = ask
    const began = forgotten
    const upTo = newest()
    const question = questionOf(filter)
    const known = counted.get(question.key) ?? { upTo: 0, byKind: {} }
    const byKind = yield* countFrom(question, known, upTo)
    const total = Object.values(byKind).reduce((sum, count) => sum + count, 0)
    const ended = known.ended?.upTo === upTo && known.ended.offset === offset ? known.ended : undefined
    const before = ended?.id ?? (yield* passed(question, upTo, Math.min(offset, total)))
    // No more than there are: looking for one more would go through all that is older.
    const wanted = Math.max(0, Math.min(limit, total - offset))
    const rows =
      wanted === 0
        ? []
        : db
            .prepare<unknown[], ChangeRow>(
              `SELECT * FROM changes WHERE ${question.where} AND id < ? ORDER BY id DESC LIMIT ?`
            )
            .all(...question.values, before, wanted)
    const last = rows.at(-1)
    if (began === forgotten) {
      remember(question.key, {
        ...{ upTo, byKind },
        ...(last && { ended: { upTo, offset: offset + rows.length, id: last.id } })
      })
    }
    return { rows, byKind }
  }

  function* countFrom({ where, values }: Question, known: Counted, upTo: number): Sliced<ByKind> {
    const byKind = { ...known.byKind }
    const end = db
      .prepare<unknown[], number>(
        `SELECT id FROM changes WHERE ${where} AND id > ? ORDER BY id LIMIT 1 OFFSET ${PIECE}`
      )
      .pluck()
    const count = db.prepare<unknown[], { kind: DocumentChange['kind']; count: number }>(
      `SELECT kind, count(*) AS count FROM changes WHERE ${where} AND id > ? AND id <= ? GROUP BY kind`
    )
    for (let from = known.upTo; from < upTo; ) {
      const to = Math.min(upTo, end.get(...values, from) ?? upTo)
      for (const one of count.all(...values, from, to)) byKind[one.kind] = (byKind[one.kind] ?? 0) + one.count
      from = to
      yield
    }
    return byKind
  }

  /** The id of the last of so many of the newest changes; more than any where that is none. */
  function* passed({ where, values }: Question, upTo: number, count: number): Sliced<number> {
    const step = db
      .prepare<unknown[], number>(`SELECT id FROM changes WHERE ${where} AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?`)
      .pluck()
    let before = upTo + 1
    for (let left = count; left > 0; left -= PIECE) {
      before = step.get(...values, before, Math.min(left, PIECE) - 1) ?? before
      yield
    }
    return before
  }

  function remember(key: string, answer: Counted): void {
    counted.delete(key)
    counted.set(key, answer)
    for (const oldest of counted.keys()) {
      if (counted.size <= REMEMBERED) break
      counted.delete(oldest)
    }
  }

  return {
    read,
    /** To be called when changes were deleted. */
    forget(): void {
      forgotten++
      counted.clear()
    }
  }
}

interface Question {
  key: string
  where: string
  values: (string | number)[]
}

function questionOf(filter: Omit<DocumentQuestions['activity']['ask'], 'offset' | 'limit'>): Question {
  const { accountId, reference, since, until, withoutOwn } = filter
  const conditions = ['account_id = ?']
  const values: (string | number)[] = [accountId]
  const narrowed = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  narrowed('reference = ?', reference)
  narrowed('at >= ?', since)
  narrowed('at <= ?', until)
  narrowed('is_own = ?', withoutOwn ? 0 : undefined)
  const where = conditions.join(' AND ')
  return { key: JSON.stringify([where, ...values]), where, values }
}

/** A change as the screens know it. */
export function changeOf(row: ChangeRow): DocumentChange {
  return {
    id: row.id,
    accountId: row.account_id,
    reference: row.reference,
    documentName: row.document_name,
    kind: row.kind,
    at: row.at,
    isOwn: row.is_own === 1,
    ...(row.signer !== null && { signer: row.signer }),
    ...(row.from_text !== null && { from: row.from_text }),
    ...(row.to_text !== null && { to: row.to_text })
  }
}
