/** That a session runs, kept in the encrypted database: what is found there at a start was interrupted. */
import { z } from 'zod'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'
import type { CrashMarker, RunningSession } from './deps.ts'

const KEY = 'counter-running'

const Outcome = z.object({
  signed: z.enum(['signed', 'declined', 'not-yet', 'unknown', 'skipped']),
  error: z.object({ code: z.string(), message: z.string() }).optional()
})
const Running = z.object({
  id: z.string().min(1),
  accountId: z.string(),
  startedAt: z.number(),
  staff: z.string(),
  current: z.int().min(0),
  turns: z.array(
    z.object({
      documentReference: z.string(),
      documentName: z.string(),
      signer: z.int().min(0),
      signerName: z.string(),
      person: z.string(),
      outcome: Outcome.optional(),
      identity: z.object({ signerReference: z.string().optional(), person: z.string() }),
      hasBegun: z.boolean(),
      askedAt: z.number().optional(),
      isTold: z.boolean().optional()
    })
  )
})

/** @param trouble what couldn't be written: a full disk must not end a session that a person stands at. */
export function openCrashMarker({ db, trouble }: { db: Db; trouble: (error: unknown) => void }): CrashMarker {
  const meta = openMeta(db)
  return {
    keep(session) {
      try {
        if (session) meta.write(KEY, JSON.stringify(session))
        else meta.erase(KEY)
      } catch (error) {
        trouble(error)
      }
    },
    read() {
      try {
        const text = meta.read(KEY)
        return text === undefined ? null : decoded(text)
      } catch (error) {
        trouble(error)
        return 'unreadable'
      }
    }
  }
}

/** One that can't be understood says no more than that somebody had the screen. */
function decoded(text: string): RunningSession | 'unreadable' {
  try {
    return (Running.safeParse(JSON.parse(text)).data as RunningSession | undefined) ?? 'unreadable'
  } catch {
    return 'unreadable'
  }
}
