/**
 * Rotation of the office's key, for when someone has it who no longer should: every remaining workstation is given the
 * next key, and what was sealed before stays readable (decision 63). It can be interrupted at any point and run again.
 */
import { randomBytes } from 'node:crypto'
import { asOwnerOf, dropRole } from './administration.ts'
import type { OfficePlace } from './connection.ts'
import { isVouchedFor, sealFor } from './keys.ts'
import { KEY_LENGTH, keyId, keysIn, newestOf } from './sealing.ts'

/** The administrator's file with all keys that the office has had, oldest first. */
export interface KeyFile {
  read(): Promise<Buffer>
  write(key: Buffer): Promise<void>
}

interface WorkstationRow {
  id: string
  name: string
  role: string
  public_key: Buffer | null
  voucher: Buffer | null
}

/**
 * Rotates the office's key.
 * @returns how many workstations were given the new key, and how many invitations became void.
 * @throws Error if the file lacks the current key, or a workstation can't be given a new one.
 */
export async function rotateKey(
  administrator: OfficePlace,
  file: KeyFile
): Promise<{ workstations: number; invitations: number }> {
  return await asOwnerOf(administrator, async (client) => {
    // Every query of a workstation runs entirely before the rotation or after it.
    await client.query('LOCK TABLE station IN ACCESS EXCLUSIVE MODE')
    const { rows: offices } = await client.query<{ id: Buffer | null }>('SELECT key_id AS id FROM office')
    const { rows: workstations } = await client.query<WorkstationRow>(
      `SELECT id, name, role_name AS role, public_key, voucher FROM station
           WHERE joined_at IS NOT NULL AND revoked_at IS NULL ORDER BY lower(name)`
    )
    const key = await nextKey(file, offices[0]?.id ?? null, workstations)
    for (const { id, role, public_key } of workstations) {
      await client.query('UPDATE station SET sealed_key = $2 WHERE id = $1', [
        id,
        sealFor(role, public_key ?? Buffer.alloc(0), key)
      ])
    }
    await client.query('UPDATE office SET key_number = key_number + 1, key_id = $1', [keyId(newestOf(key))])
    // An invitation contains the old key, sealed to a code that only the invited have.
    const { rows: invited } = await client.query<{ role: string }>(
      'DELETE FROM station WHERE joined_at IS NULL AND revoked_at IS NULL RETURNING role_name AS role'
    )
    await client.query(`SELECT pg_notify('countersign_life', '')`)
    await client.query('RESET ROLE')
    for (const { role } of invited) await dropRole(client, role)
    return { workstations: workstations.length, invitations: invited.length }
  })
}

/**
 * Returns the next key, which is in the file before the server knows it. So the file settles which key is next if the
 * command is interrupted or the server restored.
 * @param currentId the id of the server's current key; null if nothing was sealed yet.
 */
async function nextKey(
  file: KeyFile,
  currentId: Buffer | null,
  workstations: readonly WorkstationRow[]
): Promise<Buffer> {
  const stored = await file.read()
  const all = keysIn(stored)
  const at = currentId === null ? all.length - 1 : all.findIndex((one) => keyId(one).equals(currentId))
  if (at < 0) {
    throw new Error(
      'The key file hasn’t the office’s key. Was it turned with another copy of the file? Put all lines of both into one, the oldest first.'
    )
  }
  const unverified = workstations.filter(
    ({ role, public_key, voucher }) => !public_key || !voucher || !isVouchedFor(stored, role, public_key, voucher)
  )
  if (unverified.length > 0) {
    throw new Error(
      `These can’t be given another key before they have been connected once by this version: ${unverified
        .map(({ name }) => name)
        .join(', ')}. Connect or revoke them first.`
    )
  }
  if (at < all.length - 1) return stored
  const key = Buffer.concat([stored, randomBytes(KEY_LENGTH)])
  await file.write(key)
  return key
}
