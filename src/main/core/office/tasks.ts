/**
 * What only one workstation of an office does at a time, apart from sends: an action on a document, which nobody
 * repeats until its outcome is known; a turn at the counter, which is free once its holder is gone; and a file that a
 * rule saves in a shared folder, which is also free then, but stays done once saved.
 */
import type { Pool } from 'pg'
import type { Time } from '../lib/time.ts'
import { queriesOf } from './queries.ts'
import { seal, tagBy, unsealIfIntact } from './sealing.ts'

type TaskKind = 'action' | 'turn' | 'file'
/** uncertain: its holder is gone, or got no answer. free: it had no effect. */
export type TaskState = 'open' | 'uncertain' | 'done' | 'free'

/** What to claim. */
export interface TaskRequest {
  /** The office's id of the account. */
  readonly accountId: string
  /** What each task is about, as text that is the same at every workstation; the server gets a tag instead. */
  readonly about: readonly string[]
  /** Identifies the claimant: the same id keeps what it has. */
  readonly id: string
  /** For how long, in milliseconds. */
  readonly ms: number
  /** For those who have to find out the outcome: any JSON, sealed. */
  readonly content?: unknown
  /** How long ago a person asked for it, in milliseconds; they couldn't know what others did since. */
  readonly askedAgo?: number
  /** The last claim of others whose outcome that person knows. */
  readonly known?: number | undefined
  /** The task is uncertain, and a person has decided to repeat it. */
  readonly isAgain?: boolean
}

/** A task that another workstation has, or has done. `ago`: since when, in milliseconds. */
export interface BlockingTask {
  readonly about: string
  readonly id: string
  readonly epoch: number
  readonly state: TaskState
  readonly holder: string
  readonly ago: number
  /** Absent if none was stored, or it was altered on the server. */
  readonly content?: unknown
}

/**
 * Either everything wanted, with an epoch for each task and the expiry by this computer's monotonic clock; or nothing,
 * and why.
 */
export type TaskClaim =
  | {
      readonly isGranted: true
      readonly epochs: ReadonlyMap<string, number>
      readonly until: number
      /** For a file: what its previous holder stored about it, if there was one. */
      readonly content?: unknown
    }
  | { readonly isGranted: false; readonly by: readonly BlockingTask[] }

/** The state of a task, as of which claim, and whether that was this workstation's. */
export interface TaskStatus {
  readonly state: TaskState
  readonly epoch: number
  readonly isMine: boolean
}

export interface OthersTasks {
  readonly count: number
  /** In how many milliseconds the first of them expires unless renewed. */
  readonly soonest: number
  /** Returns who is doing a task, since when, and for how much longer at least; in milliseconds. */
  of(about: string): { readonly holder: string; readonly ago: number; readonly remaining: number } | undefined
}

export type OfficeTasks = ReturnType<typeof openOfficeTasks>

interface ClaimRow extends Omit<BlockingTask, 'about' | 'ago' | 'content'> {
  tag: Buffer
  isGranted: boolean
  sinceMs: number
  sealed?: Buffer
}

/**
 * Opens the office's tasks. Each method rejects with the database's error if the query fails.
 * @param key the office's key.
 */
export function openOfficeTasks(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }) {
  const { key, time } = deps
  const { rows: ask } = queriesOf(deps.pool)
  const tagOf = (kind: TaskKind, accountId: string, about: string) =>
    tagBy(key, JSON.stringify(['task', kind, accountId, about]))
  const identityOf = (kind: TaskKind, tag: Buffer) => `task:${kind}:${tag.toString('hex')}`
  /** Empty if none was stored, or it was altered on the server. */
  const contentOf = (kind: TaskKind, { tag, sealed }: Pick<ClaimRow, 'tag' | 'sealed'>) => {
    const opened = sealed && unsealIfIntact(key, identityOf(kind, tag), sealed)
    return opened ? { content: JSON.parse(opened.toString('utf8')) as unknown } : {}
  }

  return {
    /** Claims all of these or none. */
    async claim(kind: TaskKind, request: TaskRequest): Promise<TaskClaim> {
      const { accountId, about, id, ms, content, askedAgo = 0, known = 0, isAgain = false } = request
      const tags = about.map((one) => tagOf(kind, accountId, one))
      const [first = Buffer.alloc(0)] = tags
      const sealed =
        content === undefined ? null : seal(key, identityOf(kind, first), Buffer.from(JSON.stringify(content)))
      const askedAt = time.elapsed()
      const rows = await ask<ClaimRow>(
        'SELECT * FROM office.claim_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        ...[kind, accountId, tags, id, ms, sealed, askedAgo, known, isAgain]
      )
      const aboutOf = (tag: Buffer) => about[tags.findIndex((one) => one.equals(tag))] ?? ''
      if (rows[0]?.isGranted) {
        const epochs = new Map(rows.map(({ tag, epoch }) => [aboutOf(tag), epoch]))
        return { isGranted: true, epochs, until: askedAt + ms, ...(kind === 'file' && contentOf(kind, rows[0])) }
      }
      const by = rows.map((row): BlockingTask => {
        const { tag, isGranted: _, sinceMs, sealed: __, ...its } = row
        return { ...its, ago: Math.max(0, sinceMs), about: aboutOf(tag), ...contentOf(kind, row) }
      })
      return { isGranted: false, by }
    },

    /**
     * Records how a task ended, and how many milliseconds ago. Returns its state then; undefined if another claimant
     * has it by now. For another claim than `epoch`, only `done` counts.
     * @param content for those who have to find out the outcome of an uncertain one: any JSON, sealed.
     */
    async finish(
      kind: TaskKind,
      task: { accountId: string; about: string; id: string; epoch: number },
      state: Exclude<TaskState, 'open'>,
      { ago = 0, content }: { ago?: number; content?: unknown } = {}
    ): Promise<TaskStatus | undefined> {
      const { accountId, about, id, epoch } = task
      const tag = tagOf(kind, accountId, about)
      const sealed =
        content === undefined ? null : seal(key, identityOf(kind, tag), Buffer.from(JSON.stringify(content)))
      const [status] = await ask<TaskStatus>(
        'SELECT state, epoch, is_mine FROM office.finish_task($1, $2, $3, $4, $5, $6, $7, $8)',
        ...[kind, accountId, tag, id, epoch, state, ago, sealed]
      )
      return status
    },

    async ofOthers(kind: TaskKind, accountId: string): Promise<OthersTasks> {
      const rows = await ask<{ tag: Buffer; holder: string; sinceMs: number; leftMs: number }>(
        'SELECT * FROM office.tasks_of_others($1, $2)',
        ...[kind, accountId]
      )
      const byTag = new Map(
        rows.map(({ tag, holder, sinceMs, leftMs }) => [
          tag.toString('hex'),
          { holder, ago: Math.max(0, sinceMs), remaining: leftMs }
        ])
      )
      return {
        count: byTag.size,
        soonest: Math.min(...rows.map(({ leftMs }) => leftMs)),
        // Usually nobody else has any, and a queue may be long.
        of: (about) => (byTag.size === 0 ? undefined : byTag.get(tagOf(kind, accountId, about).toString('hex')))
      }
    }
  }
}
