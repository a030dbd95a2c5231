/**
 * What an office's workstations have in common, changed by the one who runs its server and has its key. It is written as a workstation would write it: sealed, and
 * in the order of changes that they all read. So there is no function on the server for it that a workstation's role could call.
 */
import { parsedJson } from '../lib/json-scanning.ts'
import { asOwnerOf } from './administration.ts'
import type { OfficePlace } from './connection.ts'
import { identityOf, type RecordKind } from './records.ts'
import { keyId, newestOf, seal, unsealIfWhole } from './sealing.ts'

interface Change<Done> {
  readonly content: unknown
  readonly done: Done
}

/**
 * Changes the one record of a kind that the office has one of, such as its list of staff.
 * @param key all that the office has had.
 * @param change what it becomes of what it is, which is undefined where it was altered on the server; and when that is, in milliseconds since 1970
 * UTC by the server's clock. What it throws changes nothing.
 * @returns what `change` answered as done; undefined where the office has none.
 * @throws Error, and nothing is changed, where another key counts, or the server was put back and no workstation has been there since.
 */
export async function changeOnly<Done>(
  administrator: OfficePlace,
  { kind, key }: { kind: RecordKind; key: Buffer },
  change: (content: unknown, at: number) => Change<Done>
): Promise<Done | undefined> {
  return await asOwnerOf(administrator, async (client) => {
    const { rows: offices } = await client.query<{ id: Buffer | null; life: number; isKnown: boolean }>(
      'SELECT key_id AS id, life, birthmark = birthmark() AS "isKnown" FROM office'
    )
    const [office] = offices
    if (!office?.id?.equals(keyId(newestOf(key)))) {
      throw new Error('Another key counts in this office. Take the newest copy of the key file.')
    }
    // What is written before the first greeting counts as older than what workstations know.
    if (!office.isKnown) {
      throw new Error('The office’s server was put back. Start Countersign at a workstation that is connected first.')
    }
    // A workstation that changes it has this lock, too. When it is taken counts: of two that are run at once the second is later.
    const { rows: feeds } = await client.query<{ account: string; rev: string; at: number }>(
      `UPDATE thing_feed SET rev = rev + 1 WHERE kind = $1
         RETURNING account, rev::text, (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at`,
      [kind]
    )
    for (const { account, rev, at } of feeds) {
      const { rows } = await client.query<{ id: string; sealed: Buffer }>(
        'SELECT id, sealed FROM thing WHERE kind = $1 AND account = $2 AND gone_at IS NULL',
        [kind, account]
      )
      const [row] = rows
      if (!row) continue
      const { id, sealed } = row
      const before = unsealIfWhole(key, identityOf(kind, id), sealed)
      const { content, done } = change(before && parsedJson(before.toString('utf8')), at)
      await client.query(
        `UPDATE thing SET rev = $3, body_rev = $3, version = gen_random_uuid(),
             earlier = last_marks(earlier || mark_of(round, version)), round = round + 1, at = now(), sealed = $4,
             base_round = CASE WHEN life < $5 THEN round ELSE base_round END,
             base_sealed = CASE WHEN life < $5 THEN sealed ELSE base_sealed END, life = $5
           WHERE kind = $1 AND id = $2`,
        [kind, id, rev, seal(key, identityOf(kind, id), Buffer.from(JSON.stringify(content))), office.life]
      )
      return done
    }
    return undefined
  })
}
