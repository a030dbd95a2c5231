/**
 * A workstation that is to have no part in the office any more: its role is gone, and its lines end. What it put in the outbox stays, and
 * is sent by the others; what it was sending is in doubt once its claim is over.
 */
import { escapeIdentifier as named } from 'pg'
import { connected, inTransaction, type OfficePlace } from './connection.ts'

/** @returns whether there was a workstation of that name; small and capital letters are the same. */
export async function revokeStation(administrator: OfficePlace, name: string): Promise<boolean> {
  return await connected(administrator, async (client) => {
    const role = await inTransaction(client, async () => {
      const { rows } = await client.query<{ role_name: string }>(
        `UPDATE office.station SET revoked_at = now(), sealed_key = NULL
           WHERE lower(name) = lower($1) AND revoked_at IS NULL RETURNING role_name`,
        [name]
      )
      const [station] = rows
      if (station) await client.query(`ALTER ROLE ${named(station.role_name)} NOLOGIN PASSWORD NULL`)
      return station?.role_name
    })
    if (role === undefined) return false
    // It can't come back from here on; what it has open ends, and then its role can go.
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [role])
    await client.query(`DROP ROLE IF EXISTS ${named(role)}`)
    return true
  })
}
