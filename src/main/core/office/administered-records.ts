/**
 * Changes to shared records by the person who administers the office's server and has its key. A record is written as a
 * workstation would write it: sealed, and in the order of changes that they all read. This way the server needs no
 * function for it that a workstation's role could call.
 */
import { parsedJson } from '../lib/json-scanning.ts'
import { asOwnerOf } from './administration.ts'
import type { OfficePlace } from './connection.ts'
import type { RecordKind } from './records.ts'
import { itemIdentityOf, keyId, newestOf, seal, unsealIfIntact } from './sealing.ts'

interface Change<Done> {
  readonly content: unknown
  readonly done: Done
}

/**
 * Changes the office's single record of a kind, such as its list of staff.
 * @param key all keys that the office has had.
 * @param change returns the new content. It receives the current one, which is undefined if it was altered on the
 * server, and the time by the server's clock, in milliseconds since 1970 UTC. If it throws, nothing changes.
 * @returns what `change` returned as `done`; undefined if the office has no such record.
 * @throws Error, with nothing changed, if the office uses another key, or if the server was restored and no workstation
 * has connected since.
 */
export async function changeSingleRecord<Done>(
  administrator: OfficePlace,
  { kind, key }: { kind: RecordKind; key: Buffer },
  change: (content: unknown, at: number) => Change<Done>
): Promise<Done | undefined> {
  return await asOwnerOf(administrator, async (client) => {
    const { rows: offices } = await client.query<{ id: Buffer | null; life: number; isKnown: boolean }>(
      'SELECT key_id AS id, life, server_fingerprint = server_fingerprint() AS "isKnown" FROM office'
    )
    const [office] = offices
    if (!office?.id?.equals(keyId(newestOf(key)))) {
      throw new Error('This office uses a different key. Use the newest copy of the key file.')
    }
    // Anything written before the first greeting would count as older than what the workstations know.
    if (!office.isKnown) {
      throw new Error(
        'The office’s server was restored. First start Countersign at a workstation, and wait until it’s connected.'
      )
    }
    // A workstation that changes the record takes the same lock. `at` is the time when the lock is taken, so of two
    // concurrent commands the second one is later.
    const { rows: feeds } = await client.query<{ account: string; seq: string; at: number }>(
      `UPDATE shared_item_feed SET seq = seq + 1 WHERE kind = $1
         RETURNING account, seq::text, (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at`,
      [kind]
    )
    for (const { account, seq, at } of feeds) {
      const { rows } = await client.query<{ id: string; sealed: Buffer }>(
        'SELECT id, sealed FROM shared_item WHERE kind = $1 AND account = $2 AND gone_at IS NULL',
        [kind, account]
      )
      const [row] = rows
      if (!row) continue
      const { id, sealed } = row
      const identity = itemIdentityOf(kind, account, id)
      const before = unsealIfIntact(key, identity, sealed)
      const { content, done } = change(before && parsedJson(before.toString('utf8')), at)
      await client.query(
        `UPDATE shared_item SET seq = $3, body_seq = $3, version = gen_random_uuid(),
             ancestors = last_marks(ancestors || mark_of(revision, version)), revision = revision + 1, at = now(), sealed = $4,
             base_revision = CASE WHEN life < $5 THEN revision ELSE base_revision END,
             base_sealed = CASE WHEN life < $5 THEN sealed ELSE base_sealed END, life = $5
           WHERE kind = $1 AND id = $2`,
        [kind, id, seq, seal(key, identity, Buffer.from(JSON.stringify(content))), office.life]
      )
      return done
    }
    return undefined
  })
}
