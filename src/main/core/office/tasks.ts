/**
 * What one workstation of an office does at a time, beside sends: an action on a document, which nobody does again until it is known
 * what became of it; a turn at the counter, which is free once its holder is gone; and a file that a rule saves in a folder that several
 * share, which is free then, too, and stays done.
 */
import type { Pool } from 'pg'
import type { Time } from '../lib/time.ts'
import { seal, tagBy, unsealIfWhole } from './sealing.ts'

type TaskKind = 'action' | 'turn' | 'file'
/** uncertain: its holder is gone, or got no answer. free: nothing came of it. */
export type TaskState = 'open' | 'uncertain' | 'done' | 'free'

/** What is to be taken. */
export interface WantedTask {
  /** By the office's id. */
  readonly accountId: string
  /** What each is about, in any words that are the same at every workstation; the server gets a tag in their place. */
  readonly about: readonly string[]
  /** Of what takes it: the same id goes on with what it has. */
  readonly id: string
  /** For how long, in milliseconds. */
  readonly ms: number
  /** For those who are to find out what became of it: any JSON; sealed. */
  readonly content?: unknown
  /** How long ago a person asked for it: what another has done since they couldn't know. */
  readonly askedAgo?: number
  /** Up to which claim of others that person knows what they did. */
  readonly known?: number
  /** It is in doubt, and a person has decided that it is done once more. */
  readonly isAgain?: boolean
}

/** One that this workstation can't have: another has it, or has done it. `ago`: since when, in milliseconds. */
export interface TakenTask {
  readonly about: string
  readonly id: string
  readonly epoch: number
  readonly state: TaskState
  readonly holder: string
  readonly ago: number
  /** Absent where none was kept, or it was altered on the server. */
  readonly content?: unknown
}

/** Either all that was wanted, by what each is about, until when on this computer's clock that never jumps; or nothing, and why. */
export type TaskClaim =
  | {
      readonly isTaken: true
      readonly epochs: ReadonlyMap<string, number>
      readonly until: number
      /** Of a file: what its holder before has kept of it, where that was one. */
      readonly content?: unknown
    }
  | { readonly isTaken: false; readonly by: readonly TakenTask[] }

/** How one stands, as of which claim, and whether that was this workstation's. */
export interface StandingTask {
  readonly state: TaskState
  readonly epoch: number
  readonly isMine: boolean
}

/** What others have under way. */
export interface OthersTasks {
  readonly count: number
  /** When the first of them is over if it isn't renewed, in milliseconds. */
  readonly soonest: number
  /** Who has what is about this, for how long already, and how long at least; times in milliseconds. */
  of(about: string): { readonly holder: string; readonly ago: number; readonly left: number } | undefined
}

export type OfficeTasks = ReturnType<typeof openOfficeTasks>

interface ClaimRow {
  tag: Buffer
  is_taken: boolean
  id: string
  epoch: number
  state: TaskState
  holder: string
  since_ms: number
  sealed: Buffer | null
}

/** Each rejects with the database's error where the server can't be asked. @param key the office's. */
export function openOfficeTasks(deps: { pool: Pool; key: Buffer; time: Pick<Time, 'elapsed'> }) {
  const { pool, key, time } = deps
  const tagOf = (kind: TaskKind, accountId: string, about: string) =>
    tagBy(key, JSON.stringify(['task', kind, accountId, about]))
  const identityOf = (kind: TaskKind, tag: Buffer) => `task:${kind}:${tag.toString('hex')}`
  /** Nothing where none was kept, or it was altered on the server. */
  const contentOf = (kind: TaskKind, { tag, sealed }: Pick<ClaimRow, 'tag' | 'sealed'>) => {
    const opened = sealed && unsealIfWhole(key, identityOf(kind, tag), sealed)
    return opened ? { content: JSON.parse(opened.toString('utf8')) as unknown } : {}
  }

  return {
    /** Takes all of these or none. */
    async claim(kind: TaskKind, wanted: WantedTask): Promise<TaskClaim> {
      const { accountId, about, id, ms, content, askedAgo = 0, known = 0, isAgain = false } = wanted
      const tags = about.map((one) => tagOf(kind, accountId, one))
      const [first = Buffer.alloc(0)] = tags
      const sealed =
        content === undefined ? null : seal(key, identityOf(kind, first), Buffer.from(JSON.stringify(content)))
      const asked = time.elapsed()
      const { rows } = await pool.query<ClaimRow>(
        'SELECT * FROM office.claim_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        [...[kind, accountId, tags, id, ms, sealed, askedAgo, known, isAgain]]
      )
      const aboutOf = (tag: Buffer) => about[tags.findIndex((one) => one.equals(tag))] ?? ''
      if (rows[0]?.is_taken) {
        const epochs = new Map(rows.map(({ tag, epoch }) => [aboutOf(tag), epoch]))
        return { isTaken: true, epochs, until: asked + ms, ...(kind === 'file' && contentOf(kind, rows[0])) }
      }
      const by = rows.map((row): TakenTask => {
        const { tag, is_taken: _, since_ms, sealed: __, ...its } = row
        return { ...its, ago: Math.max(0, since_ms), about: aboutOf(tag), ...contentOf(kind, row) }
      })
      return { isTaken: false, by }
    },

    /**
     * Says how one ended, and how many milliseconds ago; answers how it stands then; undefined where something else has it by now.
     * Of another claim than `epoch` only that it was done is taken.
     * @param content for those who are to find out what became of one in doubt: any JSON; sealed.
     */
    async end(
      kind: TaskKind,
      task: { accountId: string; about: string; id: string; epoch: number },
      state: Exclude<TaskState, 'open'>,
      { ago = 0, content }: { ago?: number; content?: unknown } = {}
    ): Promise<StandingTask | undefined> {
      const { accountId, about, id, epoch } = task
      const tag = tagOf(kind, accountId, about)
      const sealed =
        content === undefined ? null : seal(key, identityOf(kind, tag), Buffer.from(JSON.stringify(content)))
      const { rows } = await pool.query<StandingTask>(
        'SELECT state, epoch, is_mine AS "isMine" FROM office.end_task($1, $2, $3, $4, $5, $6, $7, $8)',
        [kind, accountId, tag, id, epoch, state, ago, sealed]
      )
      return rows[0]
    },

    async ofOthers(kind: TaskKind, accountId: string): Promise<OthersTasks> {
      const { rows } = await pool.query<{ tag: Buffer; holder: string; since_ms: number; left_ms: number }>(
        'SELECT * FROM office.tasks_of_others($1, $2)',
        [kind, accountId]
      )
      const byTag = new Map(
        rows.map(({ tag, holder, since_ms, left_ms }) => [
          tag.toString('hex'),
          { holder, ago: Math.max(0, since_ms), left: left_ms }
        ])
      )
      return {
        count: byTag.size,
        soonest: Math.min(...rows.map(({ left_ms }) => left_ms)),
        // Most often nobody else has anything, and a queue may be long.
        of: (about) => (byTag.size === 0 ? undefined : byTag.get(tagOf(kind, accountId, about).toString('hex')))
      }
    }
  }
}
