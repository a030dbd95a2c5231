// An office behind a connection pooler: PgBouncer in transaction mode passes no notifications on, so no workstation
// would receive any.
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../src/main/core/storage/meta.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openPooler, type Pooler } from '../fixtures/office-cluster.ts'
import { openWorkplace } from '../fixtures/workplace.ts'

let office: TestOffice
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
})

async function deskOf() {
  const work = await openWorkplace('empty')
  const desk = openMembership(work)
  onTestFinished(async () => {
    await desk.close()
    await work.close()
  })
  return desk
}

describe.each(['transaction', 'session'] as const)('through a pooler in %s mode', (mode) => {
  let pooler: Pooler
  beforeAll(async () => {
    pooler = await openPooler(inject('cluster'), mode)
  })
  afterAll(() => pooler.close())
  const there = () => ({ ...serverOf(office), port: pooler.place.port })

  if (mode === 'session') {
    test('a workstation joins and is connected', async () => {
      const desk = await deskOf()
      expect(await desk.join(there(), await office.invite('Counter 1'))).toMatchObject({ state: 'connected' })
    })
    return
  }

  test('a workstation can’t join, and its code still works with the server’s own address', async () => {
    const desk = await deskOf()
    const code = await office.invite('Front desk')
    await expect(desk.join(there(), code)).rejects.toMatchObject({
      appError: { code: 'invalid', message: expect.stringContaining('connection pooler') }
    })
    expect(desk.view()).toBeUndefined()
    expect(await desk.join(serverOf(office), code)).toMatchObject({ state: 'connected' })
  })
})

test('a workstation whose server address later leads to a pooler reports that', async () => {
  const work = await openWorkplace('empty')
  const slot = memoryKeychain().office
  const before = openMembership(work, { slot })
  await before.join(serverOf(office), await office.invite('Back room'))
  await before.close()
  const pooler = await openPooler(inject('cluster'), 'transaction')
  const kept = openJsonMeta(work.parts.db)
  kept.write('office', { ...kept.read('office', z.looseObject({})), port: pooler.place.port })
  const desk = openMembership(work, { slot })
  onTestFinished(async () => {
    await desk.close()
    await work.close()
    await pooler.close()
  })
  desk.open()
  await desk.checkNow()
  expect(desk.view()).toMatchObject({ state: 'pooled' })
})
