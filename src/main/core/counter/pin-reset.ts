/**
 * The way back for an office whose administrators have all forgotten their PINs (decision 71): the one who runs its server and has its key gives one of
 * them a one-time PIN. It is written as a change of the list of staff, sealed as any other, so that neither the server's administrator without
 * the key nor a workstation's role on the server can do it, and every workstation takes it as it takes a change of any PIN.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { parsedJson } from '../lib/json-scanning.ts'
import { folded } from '../lib/text-folding.ts'
import { asOwnerOf } from '../office/administration.ts'
import type { OfficePlace } from '../office/connection.ts'
import { identityOf } from '../office/records.ts'
import { keyId, newestOf, seal, unsealIfWhole } from '../office/sealing.ts'
import { type Cost, FULL_COST, hashOf, refusedPin } from './pin-hash.ts'
import { allResets, StaffInCommon } from './staff.ts'

const DIGITS = 8

interface Asked {
  /** Of staff; small and capital letters are the same. */
  readonly name: string
  /** The office's, all that it has had. */
  readonly key: Buffer
  readonly cost?: Cost
}

/**
 * @returns whose PIN it is, as the list has them, and the PIN, which is nowhere else.
 * @throws Error, and nothing is changed, where another key counts, the list can't be read, or no administrator has that name.
 */
export async function resetPin(
  administrator: OfficePlace,
  { name, key, cost = FULL_COST }: Asked
): Promise<{ name: string; pin: string }> {
  const pin = newPin()
  const hash = await hashOf(pin, cost, randomBytes)
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
    // A workstation that changes the list has this lock, too.
    const { rows: feeds } = await client.query<{ account: string; rev: string; at: number }>(
      `UPDATE thing_feed SET rev = rev + 1 WHERE kind = 'staff'
           RETURNING account, rev::text, (extract(epoch FROM now()) * 1000)::double precision AS at`
    )
    for (const { account, rev, at } of feeds) {
      const { rows } = await client.query<{ id: string; sealed: Buffer }>(
        `SELECT id, sealed FROM thing WHERE kind = 'staff' AND account = $1 AND gone_at IS NULL`,
        [account]
      )
      for (const { id, sealed } of rows) {
        const staff = opened(key, id, sealed)
        const whose = administratorIn(staff, name)
        const reset = { id: randomUUID(), member: whose.id, name: whose.name, by: administrator.user, at }
        const changed: StaffInCommon = {
          ...staff,
          members: staff.members.map((one) => (one === whose ? { ...one, pin: hash, isPinOnce: true } : one)),
          resets: allResets(staff.resets, [reset])
        }
        await client.query(
          `UPDATE thing SET rev = $2, body_rev = $2, version = gen_random_uuid(), round = round + 1, at = now(), sealed = $3,
                 base_round = CASE WHEN life < $4 THEN round ELSE base_round END, life = $4
               WHERE kind = 'staff' AND id = $1`,
          [id, rev, seal(key, identityOf('staff', id), Buffer.from(JSON.stringify(changed))), office.life]
        )
        return { name: whose.name, pin }
      }
    }
    throw new Error('The office has no staff with names.')
  })
}

function newPin(): string {
  for (;;) {
    const pin = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
    if (refusedPin(pin) === undefined) return pin
  }
}

function opened(key: Buffer, id: string, sealed: Buffer): StaffInCommon {
  const content = unsealIfWhole(key, identityOf('staff', id), sealed)
  const staff = content && StaffInCommon.safeParse(parsedJson(content.toString('utf8'))).data
  if (!staff)
    throw new Error('The list of staff can’t be read: it was changed on the server, or a later version wrote it.')
  return staff
}

/** Others get theirs from an administrator, at any workstation. */
function administratorIn({ members }: StaffInCommon, name: string): StaffInCommon['members'][number] {
  const administrators = members.filter(({ role }) => role === 'administrator')
  const found = administrators.find((one) => folded(one.name) === folded(name.trim()))
  if (found) return found
  const names = administrators.map((one) => one.name).join(', ')
  throw new Error(`The office has no administrator of that name. Its administrators are: ${names}.`)
}
