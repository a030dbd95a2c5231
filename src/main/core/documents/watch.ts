/** Reads the service's folders into the mirror: now and then, at once when asked, and never one folder twice at a time. */
import { type AppError, type ConnectionView, localErrorCodes } from '../../../shared/contract/index.ts'
import { type DocumentResponse, FOLDERS } from '../../../shared/model/index.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Mirror } from './mirror.ts'

/** How often folders are read, in milliseconds: while somebody looks, while nobody does, and after errors. */
export const PACE = { shown: 10_000, hidden: 120_000, failing: 30_000 }

export interface WatchEffects {
  mirror: Mirror
  /** The account that is looked at; undefined where there is none. */
  chosen: () => string | undefined
  clientOf: (accountId: string) => Promise<ServiceClient>
  describe: (error: unknown) => AppError
  clock: () => number
  changed: (folders: string[]) => void
  connectionChanged: () => void
  /** Runs `task` after `delay` milliseconds; answers how to prevent it. */
  schedule: (task: () => void, delay: number) => () => void
}

/** What the newest look at a folder found wrong. */
export interface FolderTrouble {
  problem?: AppError
  unreadable?: { count: number; path: string }
}

/** Errors that say that no connection could be made, or that something else than the service answered. */
const UNREACHABLE = new Set<AppError['code']>([
  'offline',
  'dns',
  'refused',
  'timeout',
  'tls',
  'not-json',
  'unsafe-address'
])
const localCodes: ReadonlySet<string> = new Set(localErrorCodes)

/** What a call's end says of the connection; undefined where it failed on this machine, before the service was asked. */
function connectionAfter(error: AppError | undefined): ConnectionView['state'] | undefined {
  if (!error) return 'online'
  if (UNREACHABLE.has(error.code)) return 'offline'
  if (localCodes.has(error.code)) return undefined
  return error.code === 'unauthorised' ? 'refused' : 'online'
}

/** One folder's answer, when it was asked for, and whether all of it could be read. */
interface Look {
  items: DocumentResponse[]
  begun: number
  isComplete: boolean
}

export type Watch = ReturnType<typeof openWatch>

export function openWatch(effects: WatchEffects) {
  const { mirror, clock } = effects
  const reading = new Map<string, { withLogs: boolean; result: Promise<Look> }>()
  const troubles = new Map<string, FolderTrouble>()
  /** When the newest complete round over all folders began, by account. */
  const completeRounds = new Map<string, number>()
  const connections = new Map<string, ConnectionView>()
  let isShown = true
  let unschedule: (() => void) | undefined
  let isStopped = false

  function connected(accountId: string, error?: AppError): void {
    const state = connectionAfter(error)
    if (!state) return
    const before = connections.get(accountId)
    const since = before?.state === state ? before.since : clock()
    connections.set(accountId, { state, since, ...(error && state !== 'online' && { error }) })
    if (before?.state !== state) effects.connectionChanged()
  }

  /** Remembers what was wrong with a folder; answers whether that is news. */
  function noted(accountId: string, folder: string, trouble: FolderTrouble): boolean {
    const key = `${accountId}/${folder}`
    const before = troubles.get(key) ?? {}
    troubles.set(key, trouble)
    return JSON.stringify(before) !== JSON.stringify(trouble)
  }

  async function look(accountId: string, folder: string, withLogs: boolean): Promise<Look> {
    const begun = clock()
    try {
      const client = await effects.clientOf(accountId)
      const answer = await client.getActiveDocuments(folder, { documentLog: withLogs })
      connected(accountId)
      const [first] = answer.problems
      const changes = await mirror.take(accountId, folder, answer.items, { begun, withLogs })
      const trouble = first ? { unreadable: { count: answer.problems.length, path: first.path } } : {}
      const isNews = noted(accountId, folder, trouble)
      if (changes > 0 || isNews) effects.changed([folder])
      return { items: answer.items, begun, isComplete: !first }
    } catch (error) {
      const problem = effects.describe(error)
      connected(accountId, problem)
      // Told once: whoever hears of a change reads again, and would do so for as long as the service is down.
      if (noted(accountId, folder, { problem })) effects.changed([folder])
      throw error
    }
  }

  function read(accountId: string, folder: string, withLogs: boolean): Promise<Look> {
    const key = `${accountId}/${folder}`
    const running = reading.get(key)
    if (running && (running.withLogs || !withLogs)) return running.result
    // A look without logs is under way and logs are wanted: they follow it rather than run beside it.
    const begin = running ? running.result.catch(() => undefined) : Promise.resolve()
    const result = begin.then(() => look(accountId, folder, withLogs))
    const entry = { withLogs, result }
    reading.set(key, entry)
    const done = () => {
      if (reading.get(key) === entry) reading.delete(key)
    }
    result.then(done, done)
    return result
  }

  async function readAll(accountId: string, withLogs: boolean): Promise<Look[]> {
    const answers = await Promise.allSettled(FOLDERS.map((folder) => read(accountId, folder, withLogs)))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed) throw failed.reason
    const looks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    if (looks.every(({ isComplete }) => isComplete)) {
      noticeGone(accountId, Math.min(...looks.map(({ begun }) => begun)))
    }
    return looks
  }

  /**
   * Folders are read one beside the other, so a document that moves meanwhile can be missed by all of them once: it is
   * gone when two rounds on end have missed it.
   */
  function noticeGone(accountId: string, begun: number): void {
    const before = completeRounds.get(accountId)
    completeRounds.set(accountId, begun)
    if (before !== undefined && mirror.markUnseenGone(accountId, before) > 0) effects.changed([...FOLDERS])
  }

  /** Reads all folders by looks that begin now: one that began before may have missed what the caller knows of. */
  async function readAfresh(accountId: string, withLogs: boolean): Promise<Look[]> {
    const running = [...reading].filter(([key]) => key.startsWith(`${accountId}/`)).map(([, { result }]) => result)
    await Promise.allSettled(running)
    return readAll(accountId, withLogs)
  }

  function plan(delay: number): void {
    unschedule?.()
    if (!isStopped) unschedule = effects.schedule(() => void round(), delay)
  }

  async function round(): Promise<void> {
    const accountId = effects.chosen()
    const begun = clock()
    const failed = accountId
      ? await readAfresh(accountId, false).then(
          () => false,
          () => true
        )
      : false
    // On a slow line most of the time is left to everything else.
    const rest = (clock() - begun) * 5
    plan(Math.max(rest, failed ? PACE.failing : isShown ? PACE.shown : PACE.hidden))
  }

  return {
    /** Begins to read; the first time at once. */
    start(): void {
      plan(0)
    },
    stop(): void {
      isStopped = true
      unschedule?.()
    },
    /** Told when the window is shown or hidden; a window that comes back is made true at once. */
    setShown(shown: boolean): void {
      if (shown && !isShown) plan(0)
      isShown = shown
    },
    /** Reads soon: after an action of ours, or when another account is chosen. */
    soon(): void {
      plan(0)
    },
    /** Reads every folder now. @throws ServiceError of the first that failed. */
    async refresh(accountId: string): Promise<void> {
      await readAfresh(accountId, false)
    },
    /** Reads one folder now, with the documents' logs. */
    async refreshWithLogs(accountId: string, folder: string): Promise<void> {
      await read(accountId, folder, true)
    },
    /** What all folders hold, with logs, for looking a send up. @throws ServiceError where any could not be read. */
    async readAllFolders(accountId: string): Promise<{ documents: DocumentResponse[]; isComplete: boolean }> {
      const looks = await readAfresh(accountId, true)
      return { documents: looks.flatMap(({ items }) => items), isComplete: looks.every((one) => one.isComplete) }
    },
    troubleOf: (accountId: string, folder: string): FolderTrouble => troubles.get(`${accountId}/${folder}`) ?? {},
    connectionOf: (accountId: string | undefined): ConnectionView =>
      (accountId && connections.get(accountId)) || { state: 'unknown', since: clock() }
  }
}
