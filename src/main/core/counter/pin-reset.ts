/**
 * The way back for an office whose administrators have all forgotten their PINs (decision 71): the one who runs its server and has its key gives one of
 * them a one-time PIN. It is written as a change of the list of staff, sealed as any other, so that neither the server's administrator without
 * the key nor a workstation's role on the server can do it, and every workstation takes it as it takes a change of any PIN.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { folded } from '../lib/text-folding.ts'
import { changeOnly } from '../office/administered-records.ts'
import type { OfficePlace } from '../office/connection.ts'
import { type Cost, FULL_COST, hashOf, refusedPin } from './pin-hash.ts'
import { allResets, StaffInCommon } from './staff-in-common.ts'

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
  const whose = await changeOnly(administrator, { kind: 'staff', key }, (content, now) => {
    const staff = StaffInCommon.safeParse(content).data
    if (!staff)
      throw new Error('The list of staff can’t be read: it was changed on the server, or a later version wrote it.')
    const whose = administratorIn(staff, name)
    // Of one person's the last counts: a server's clock that was set back makes none the earlier one.
    const before = staff.resets?.filter(({ member }) => member === whose.id).map(({ at }) => at + 1) ?? []
    const at = Math.max(now, ...before)
    const reset = { id: randomUUID(), member: whose.id, name: whose.name, by: administrator.user, at }
    const changed: StaffInCommon = {
      ...staff,
      members: staff.members.map((one) => (one === whose ? { ...one, pin: hash, isPinOnce: true } : one)),
      resets: allResets(staff.resets, [reset])
    }
    return { content: changed, done: whose.name }
  })
  if (whose === undefined) throw new Error('The office has no staff with names.')
  return { name: whose, pin }
}

function newPin(): string {
  for (;;) {
    const pin = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
    if (refusedPin(pin) === undefined) return pin
  }
}

/** Others get theirs from an administrator, at any workstation. */
function administratorIn({ members }: StaffInCommon, name: string): StaffInCommon['members'][number] {
  const administrators = members.filter(({ role }) => role === 'administrator')
  const found = administrators.find((one) => folded(one.name) === folded(name.trim()))
  if (found) return found
  const names = administrators.map((one) => one.name).join(', ')
  throw new Error(`The office has no administrator of that name. Its administrators are: ${names}.`)
}
