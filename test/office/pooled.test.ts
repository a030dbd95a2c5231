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

async function openOwnMembership() {
  const work = await openWorkplace('empty')
  const membership = openMembership(work)
  onTestFinished(async () => {
    await membership.close()
    await work.close()
  })
  return membership
}

describe.each(['transaction', 'session'] as const)('through a pooler in %s mode', (mode) => {
  let pooler: Pooler
  beforeAll(async () => {
    pooler = await openPooler(inject('cluster'), mode)
  })
  afterAll(() => pooler.close())
  const pooledServer = () => ({ ...serverOf(office), port: pooler.place.port })

  if (mode === 'session') {
    test('a workstation joins and is connected', async () => {
      const membership = await openOwnMembership()
      expect(await membership.join(pooledServer(), await office.invite('Counter 1'))).toMatchObject({
        state: 'connected'
      })
    })
    return
  }

  test('a workstation can’t join, and its code still works with the server’s own address', async () => {
    const membership = await openOwnMembership()
    const code = await office.invite('Front desk')
    await expect(membership.join(pooledServer(), code)).rejects.toMatchObject({
      appError: { code: 'invalid', message: expect.stringContaining('connection pooler') }
    })
    expect(membership.view()).toBeUndefined()
    expect(await membership.join(serverOf(office), code)).toMatchObject({ state: 'connected' })
  })
})

test('a workstation whose server address later leads to a pooler reports that', async () => {
  const work = await openWorkplace('empty')
  const slot = memoryKeychain().office
  const before = openMembership(work, { slot })
  await before.join(serverOf(office), await office.invite('Back room'))
  await before.close()
  const pooler = await openPooler(inject('cluster'), 'transaction')
  const meta = openJsonMeta(work.parts.db)
  meta.write('office', { ...meta.read('office', z.looseObject({})), port: pooler.place.port })
  const membership = openMembership(work, { slot })
  onTestFinished(async () => {
    await membership.close()
    await work.close()
    await pooler.close()
  })
  membership.start()
  await membership.checkNow()
  expect(membership.view()).toMatchObject({ state: 'pooled' })
})
