/**
 * The way back for an office whose administrators have all forgotten their PINs (decision 71): the person who runs its server
 * and has its key gives one of them a one-time PIN. It is written as a change to the list of staff, sealed like any
 * other, so neither the server's administrator without the key nor a workstation's role on the server can do it. Every
 * workstation takes it as it takes any change of a PIN.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { folded } from '../lib/text-folding.ts'
import { changeSingleRecord } from '../office/administered-records.ts'
import type { OfficePlace } from '../office/connection.ts'
import { type Cost, FULL_COST, hashOf, pinRefusal } from './pin-hash.ts'
import { mergeResets, StaffContent } from './staff-sync.ts'

const DIGITS = 8

interface ResetRequest {
  /** A name from the list of staff; case doesn't matter. */
  readonly name: string
  /** All keys that the office has had, newest included. */
  readonly key: Buffer
  readonly cost?: Cost
}

/**
 * Gives an administrator a one-time PIN.
 * @returns the name as in the list, and the PIN, which isn't stored anywhere else.
 * @throws Error, with nothing changed, if another key is in use, the list can't be read, or no administrator has that
 * name.
 */
export async function resetPin(
  administrator: OfficePlace,
  { name, key, cost = FULL_COST }: ResetRequest
): Promise<{ name: string; pin: string }> {
  const pin = newPin()
  const hash = await hashOf(pin, cost, randomBytes)
  const resetName = await changeSingleRecord(administrator, { kind: 'staff', key }, (content, now) => {
    const staff = StaffContent.safeParse(content).data
    if (!staff)
      throw new Error('The list of staff can’t be read: it was changed on the server, or a later version wrote it.')
    const target = administratorIn(staff, name)
    // The last reset counts: this one must come later even if the server's clock was set back.
    const before = staff.resets?.filter(({ member }) => member === target.id).map(({ at }) => at + 1) ?? []
    const at = Math.max(now, ...before)
    const reset = { id: randomUUID(), member: target.id, name: target.name, by: administrator.user, at }
    const changed: StaffContent = {
      ...staff,
      members: staff.members.map((one) => (one === target ? { ...one, pin: hash, isPinOnce: true } : one)),
      resets: mergeResets(staff.resets, [reset])
    }
    return { content: changed, done: target.name }
  })
  if (resetName === undefined) throw new Error('The office has no staff with names.')
  return { name: resetName, pin }
}

function newPin(): string {
  for (;;) {
    const pin = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
    if (pinRefusal(pin) === undefined) return pin
  }
}

/** Others get their PINs from an administrator, at any workstation. */
function administratorIn({ members }: StaffContent, name: string): StaffContent['members'][number] {
  const administrators = members.filter(({ role }) => role === 'administrator')
  const found = administrators.find((one) => folded(one.name) === folded(name.trim()))
  if (found) return found
  const names = administrators.map((one) => one.name).join(', ')
  throw new Error(`The office has no administrator of that name. Its administrators are: ${names}.`)
}
