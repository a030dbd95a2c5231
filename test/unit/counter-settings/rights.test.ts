import { describe, expect, test } from 'vitest'
import { closedScreens, refusedRequests, requiredRoles, rightsOf } from '../../../src/main/core/counter/rights.ts'
import { type RequestName, requestNames, type StaffRole } from '../../../src/shared/contract/index.ts'
import { staffOffice } from './office.ts'

const ROLES: StaffRole[] = ['counter', 'clerk', 'manager', 'administrator']

/** Returns an office with one member of staff in each role, and checks of what each may do. */
async function office() {
  const { run, db } = staffOffice()
  const staff = run()
  await staff.set('74918')
  for (const [index, role] of ROLES.entries()) await staff.add({ name: `The ${role}`, role, pin: `6041${index}` })
  const ask = rightsOf(staff)
  const may = (name: RequestName, input?: unknown) => {
    try {
      ask(name, input)
      return true
    } catch {
      return false
    }
  }
  const works = (role: StaffRole) => staff.check(`6041${ROLES.indexOf(role)}`, `The ${role}`)
  return { staff, run, db, ask, may, works }
}

describe('what each role may do', () => {
  test.each([...requiredRoles])('%s needs %s', async (name, least) => {
    const { may, works } = await office()
    const allowed: StaffRole[] = []
    for (const role of ROLES) {
      await works(role)
      if (may(name)) allowed.push(role)
    }
    expect(allowed).toEqual(ROLES.slice(ROLES.indexOf(least)))
  })

  test('is everything if staff have no names', () => {
    const ask = rightsOf(staffOffice().run())
    for (const name of requestNames) expect(() => ask(name, undefined)).not.toThrow()
  })

  test('includes reading and the counter for everyone', async () => {
    const { may, works } = await office()
    await works('counter')
    for (const name of [
      'documents.list',
      'counter.start',
      'counter.lockOffice',
      'audit.checkFile',
      'drafts.list',
      'settings.set'
    ] as const)
      expect(may(name)).toBe(true)
    expect(may('activity.list', { reference: 'A', offset: 0, limit: 10 })).toBe(true)
    expect(may('activity.list', { offset: 0, limit: 10 })).toBe(false)
  })

  test('is named in the refusal', async () => {
    const { ask, works } = await office()
    await works('clerk')
    expect(() => ask('outbox.configure', {})).toThrow(
      expect.objectContaining({
        appError: expect.objectContaining({
          code: 'not-allowed',
          message: 'Only managers and administrators can do this.'
        })
      })
    )
  })

  test('hides screens with other people’s work from roles that may not see them, once a PIN was entered', async () => {
    const nobodys = staffOffice().run()
    expect(closedScreens(nobodys)).toBeUndefined()
    expect(closedScreens({ hasNames: true, authenticated: () => undefined })).toBeUndefined()
    const { staff, works } = await office()
    const closed: Partial<Record<StaffRole, unknown>> = {}
    for (const role of ROLES) {
      await works(role)
      closed[role] = Object.keys(closedScreens(staff) ?? {})
    }
    const both = ['activity', 'audit']
    expect(closed).toEqual({ counter: [...both, 'compose', 'bulk'], clerk: both, manager: [], administrator: [] })
  })

  test('is reported to screens with the same message as the refusal', async () => {
    const { staff, ask, works } = await office()
    const asIs = (name: RequestName) => {
      try {
        ask(name, undefined)
        return undefined
      } catch (error) {
        return (error as { appError: { message: string } }).appError.message
      }
    }
    const refusals = () => Object.fromEntries(requestNames.map((name) => [name, refusedRequests(staff)?.[name]]))
    const refused = () => Object.fromEntries(requestNames.map((name) => [name, asIs(name)]))
    for (const role of ROLES) {
      await works(role)
      expect(refusals()).toEqual(refused())
    }
    expect(refusedRequests(staff)).toBeUndefined()
    await staff.sync.joinOffice()
    staff.sync.applyFromOffice({
      members: (staff.sync.content()?.members ?? []).filter(({ name }) => name !== 'The administrator')
    })
    expect(refusedRequests(staff)?.['sends.start']).toBe(
      'Nobody has signed in at this computer. Press “Enter name and PIN” at the top.'
    )
    expect(refusals()).toEqual(refused())
    expect(refusedRequests(staffOffice().run())).toBeUndefined()
  })

  test('is a manager’s for a former supervisor', async () => {
    const { db, run, works } = await office()
    await works('manager')
    db.prepare("UPDATE meta SET value = replace(value, '\"manager\"', '\"supervisor\"') WHERE key = 'staff'").run()
    const staff = run()
    expect(staff.current()?.role).toBe('manager')
    expect(() => rightsOf(staff)('outbox.resume', {})).not.toThrow()
  })

  test('is reduced to everyone’s for a removed member, whom nobody replaces', async () => {
    const { staff, may, works, ask } = await office()
    await staff.sync.joinOffice()
    await works('manager')
    const { members } = staff.sync.content() ?? { members: [] }
    staff.sync.applyFromOffice({ members: members.filter(({ role }) => role !== 'manager') })
    expect(staff.authenticated()).toBeUndefined()
    expect([...requiredRoles.keys()].filter((name) => may(name))).toEqual([])
    expect(may('documents.list')).toBe(true)
    expect(() => ask('sends.start', {})).toThrow(
      expect.objectContaining({
        appError: expect.objectContaining({ message: expect.stringContaining('Nobody has signed in') })
      })
    )
  })
})
