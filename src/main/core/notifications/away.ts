/** What happened to an account's documents while nobody looked. What this workstation did itself is no news. */
import type { AwayView } from '../../../shared/contract/index.ts'
import type { AskDesk } from '../documents/questions.ts'
import type { Away } from './presence.ts'

const MOST_SHOWN = 100
/** The folders are read anew when the person comes back: what is found in this time happened before, in milliseconds. */
const FOUND_LATE = 2 * 60_000

export async function awayView(ask: AskDesk, accountId: string, away: Away | undefined): Promise<AwayView> {
  if (!away) return { total: 0, byKind: {}, changes: [] }
  const until = away.until + FOUND_LATE
  const found = await ask('activity', {
    ...{ accountId, since: away.since, until, withoutOwn: true },
    offset: 0,
    limit: MOST_SHOWN
  })
  return found.total === 0 ? found : { ...found, ...away }
}
