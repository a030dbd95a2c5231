// The office's key is rotated: a revoked workstation reads nothing further, each remaining one is given the next key,
// and nothing becomes unreadable or is sent twice, wherever the rotation is stopped.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { checkOffice, revokeWorkstation } from '../../src/main/core/office/administration.ts'
import { withConnection } from '../../src/main/core/office/connection.ts'
import { publicKeyOf, sealFor, voucherFor } from '../../src/main/core/office/keys.ts'
import { keyId, keysIn, newestOf, unseal } from '../../src/main/core/office/sealing.ts'
import { KeychainError, memoryKeychain, type SecretSlot } from '../../src/main/core/storage/keychain.ts'
import { forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

const all = { show: 'all', offset: 0, limit: 100 } as const

let office: TestOffice
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'))
})

async function joined(name: string, first?: Workplace) {
  const work = await openWorkplace('empty', first)
  onTestFinished(() => work.close())
  const slot: SecretSlot = memoryKeychain().office
  const openOwnMembership = () => {
    const membership = openMembership(work, { slot })
    onTestFinished(() => membership.close())
    return membership
  }
  const workstation = {
    work,
    slot,
    membership: openOwnMembership(),
    /** Starts it again after it was closed. */
    open() {
      work.restart()
      workstation.membership = openOwnMembership()
      workstation.membership.start()
    },
    put() {
      const { id } = work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, forms()).id)
      work.parts.outbox.sendNow(id)
      return id
    },
    state: (id: string) => work.parts.outbox.list([work.accountId], all).rows.find((row) => row.id === id)?.state,
    async secrets() {
      return JSON.parse((await slot.get()) ?? '{}') as { user: string; password: string; key: string }
    },
    async key() {
      return Buffer.from((await workstation.secrets()).key, 'base64url')
    },
    /** Checks until its membership is in this state. */
    async waitForState(state: string) {
      const checkedState = async () => {
        await workstation.membership.checkNow()
        return workstation.membership.view()?.state
      }
      await expect.poll(checkedState, { timeout: 60_000, interval: 20 }).toBe(state)
    }
  }
  await workstation.membership.join(serverOf(office), await office.invite(name))
  return workstation
}
type Workstation = Awaited<ReturnType<typeof joined>>

async function until(workstations: readonly Workstation[], isSo: () => unknown): Promise<void> {
  const passes = async () => {
    for (const { work } of workstations) await work.time.pass(1_000)
    return isSo()
  }
  await expect.poll(passes, { timeout: 120_000, interval: 20 }).toBeTruthy()
}
const sealedOf = async (id: string) => {
  const [row] = await office.sql<{ account: string; sealed: Buffer }>(
    'SELECT account, sealed FROM office.send WHERE id = $1',
    [id]
  )
  return row ?? expect.fail('The office has no such send.')
}
const opens = (key: Buffer, id: string, { account, sealed }: Awaited<ReturnType<typeof sealedOf>>) => {
  try {
    return unseal(key, `send:${account}:${id}`, sealed).length > 0
  } catch {
    return false
  }
}
const countOf = async (table: string) => (await office.sql(`SELECT FROM office.${table}`)).length

test('all workstations go on, older packages stay readable and are sent once, and accounts stay the same', async () => {
  const front = await joined('Front desk')
  const back = await joined('Back room', front.work)
  await front.work.outbox.shared.pause(front.work.accountId, true)
  const before = front.put()
  await until([front, back], () => back.state(before) === 'ready')
  const first = office.key

  expect(await office.rotateKey()).toEqual({ workstations: 2, invitations: 0 })
  expect(keysIn(office.key)).toHaveLength(2)
  expect((await checkOffice(office.administrator)).behind).toEqual(['Back room', 'Front desk'])
  for (const workstation of [front, back]) await workstation.waitForState('connected')
  expect((await checkOffice(office.administrator)).behind).toEqual([])
  expect(await back.key()).toEqual(office.key)

  const after = front.put()
  await until([front, back], () => back.state(after) === 'ready')
  expect(opens(first, before, await sealedOf(before))).toBe(true)
  expect(opens(first, after, await sealedOf(after))).toBe(false)
  expect(opens(newestOf(office.key), after, await sealedOf(after))).toBe(true)
  await back.work.outbox.shared.pause(back.work.accountId, false)
  for (const id of [before, after]) {
    await until([front, back], () => front.state(id) === 'sent' && back.state(id) === 'sent')
  }
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
  // It found the account by its tag: another tag would have made another account, with an outbox of its own.
  const third = await joined('Counter 1', front.work)
  await until([third], () => third.state(before) === 'sent' && third.state(after) === 'sent')
  expect(await countOf('account')).toBe(1)
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
})

test('a revoked workstation’s key opens nothing written since, and it gets no new one', async () => {
  const front = await joined('Front desk')
  const back = await joined('Back room', front.work)
  const oldKey = await back.key()
  expect(await revokeWorkstation(office.administrator, 'Back room')).toBe(true)
  expect(await office.rotateKey()).toMatchObject({ workstations: 1 })
  await front.waitForState('connected')
  const id = front.put()
  await until([front], () => front.state(id) === 'sent')
  expect(opens(oldKey, id, await sealedOf(id))).toBe(false)
  const row = await office.sql<{ sealed_key: Buffer | null }>(
    `SELECT sealed_key FROM office.station WHERE name = 'Back room'`
  )
  expect(row).toEqual([{ sealed_key: null }])
  await back.waitForState('refused')
})

test('a workstation that missed two rotations gets both keys when it returns', async () => {
  const front = await joined('Front desk')
  const back = await joined('Back room', front.work)
  await back.membership.close()
  const ids: string[] = []
  for (const _ of [1, 2]) {
    await office.rotateKey()
    await front.waitForState('connected')
    const id = front.put()
    ids.push(id)
    await until([front], () => front.state(id) === 'sent')
  }
  back.open()
  await until([back], () => ids.every((id) => back.state(id) === 'sent'))
  expect(keysIn(await back.key())).toHaveLength(3)
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(2)
})

test('a query of a workstation that hasn’t taken the new key is refused', async () => {
  const { place } = await office.join('Front desk')
  const { user, password } = place
  await withConnection(place, async (client) => {
    const ask = () => client.query('SELECT office.cancel_send(gen_random_uuid())')
    const publicKey = publicKeyOf(password)
    await client.query('SELECT office.office_key($1, $2)', [publicKey, voucherFor(office.key, user, publicKey)])
    await ask()
    await office.rotateKey()
    await expect(ask()).rejects.toMatchObject({ code: 'KEY01' })
    await client.query('SELECT office.confirm_key(7)')
    await expect(ask()).rejects.toMatchObject({ code: 'KEY01' })
  })
})

test('a query that waited during the rotation is refused, too', async () => {
  const { place } = await office.join('Front desk')
  await withConnection(place, async (client) => {
    const ask = () => client.query('SELECT office.cancel_send(gen_random_uuid())')
    await ask()
    const result = await withConnection(office.administrator, async (turning) => {
      await turning.query('BEGIN; LOCK TABLE office.station IN ACCESS EXCLUSIVE MODE')
      const result = ask().then(
        () => 'answered',
        ({ code }) => code
      )
      const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'office.station'::regclass"
      await expect.poll(async () => (await office.sql(waiting)).length).toBe(1)
      await turning.query('UPDATE office.office SET key_number = key_number + 1; COMMIT')
      return result
    })
    expect(result).toBe('KEY01')
  })
})

test('a key that the keychain couldn’t store is given again', async () => {
  const front = await joined('Front desk')
  const { slot } = front
  const keep = slot.set
  slot.set = () => Promise.reject(new KeychainError('locked', 'The keychain is locked.'))
  await office.rotateKey()
  await front.waitForState('no-keychain')
  expect((await checkOffice(office.administrator)).behind).toEqual(['Front desk'])
  slot.set = keep
  await front.waitForState('connected')
  expect(await front.key()).toEqual(office.key)
})

describe('the rotation command', () => {
  test('continues with the same key if it was stopped after writing the file', async () => {
    const front = await joined('Front desk')
    const stopped = {
      read: async () => office.key,
      async write(key: Buffer) {
        office.key = key
        throw new Error('stopped')
      }
    }
    await expect(office.rotateKey(stopped)).rejects.toThrow('stopped')
    const key = office.key
    expect(keysIn(key)).toHaveLength(2)
    await front.waitForState('connected')
    expect(keysIn(await front.key())).toHaveLength(1)
    await expect(office.invite('Back room')).rejects.toThrow('uses a different key')
    await office.rotateKey()
    expect(office.key).toEqual(key)
    await front.waitForState('connected')
    expect(await front.key()).toEqual(key)
  })

  test('rotates twice if run twice at once, and refuses an older copy of the file', async () => {
    const front = await joined('Front desk')
    let copy = office.key
    const other = {
      read: async () => copy,
      async write(key: Buffer) {
        copy = key
      }
    }
    const ends = await Promise.allSettled([office.rotateKey(), office.rotateKey()])
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(keysIn(office.key)).toHaveLength(3)
    await expect(office.rotateKey(other)).rejects.toThrow('another copy of the file')
    expect(keysIn(copy)).toHaveLength(1)
    await front.waitForState('connected')
    expect(await front.key()).toEqual(office.key)
  })

  test('invalidates open invitations, and includes all keys in new ones', async () => {
    await joined('Front desk')
    const code = await office.invite('Back room')
    expect(await office.rotateKey()).toEqual({ workstations: 1, invitations: 1 })
    const { joinOffice } = await import('../../src/main/core/office/joining.ts')
    await expect(joinOffice(serverOf(office), code)).rejects.toMatchObject({ code: '28P01' })
    expect((await office.join('Back room')).joined.key).toEqual(office.key)
  })

  test('refuses to rotate, naming the workstation, if a public key is missing or forged', async () => {
    await office.join('Never there')
    await expect(office.rotateKey()).rejects.toThrow('Never there')
    await revokeWorkstation(office.administrator, 'Never there')
    const front = await joined('Front desk')
    const { user } = await front.secrets()
    const own = publicKeyOf('a password of who has the server')
    const vouched = voucherFor(randomBytes(32), user, own)
    await office.sql('UPDATE office.station SET public_key = $1, voucher = $2', [own, vouched])
    await expect(office.rotateKey()).rejects.toThrow('Front desk')
    expect(keysIn(office.key)).toHaveLength(1)
    await front.waitForState('connected')
    await office.rotateKey()
  })
})

test('a key from someone who controls only the server is rejected', async () => {
  const front = await joined('Front desk')
  const { user, password } = await front.secrets()
  const key = randomBytes(32)
  await office.sql('UPDATE office.station SET sealed_key = $1', [sealFor(user, publicKeyOf(password), key)])
  await office.sql('UPDATE office.office SET key_number = 2, key_id = $1', [keyId(key)])
  await front.waitForState('wrong-key')
  expect(await front.key()).toEqual(office.key)
})

test('a server restored to its previous key is detected, and nothing is sent until it is rotated again', async () => {
  const front = await joined('Front desk')
  const back = await joined('Back room', front.work)
  await back.membership.close()
  const [before] = await office.sql<{ key_id: Buffer }>('SELECT key_id FROM office.office')
  await office.rotateKey()
  await front.waitForState('connected')
  // As in a backup from before.
  await office.sql('UPDATE office.station SET key_number = 1, sealed_key = NULL')
  await office.sql('UPDATE office.office SET key_number = 1, key_id = $1', [before?.key_id])
  await front.waitForState('wrong-key')
  const id = front.put()
  await front.work.time.pass(10_000)
  expect(front.state(id)).toBe('ready')
  expect(await countOf('send')).toBe(0)
  const key = office.key
  await office.rotateKey()
  expect(office.key).toEqual(key)
  await front.waitForState('connected')
  back.open()
  await until([front, back], () => front.state(id) === 'sent' && back.state(id) === 'sent')
  expect(front.work.receivedRequests('SendForms2')).toHaveLength(1)
})

test('a workstation can’t set another’s public key', async () => {
  const [one, other] = await Promise.all(['Front desk', 'Back room'].map((name) => office.join(name)))
  if (!one || !other) throw new Error('There are no workstations.')
  const own = publicKeyOf(randomUUID())
  await withConnection(one.place, (client) =>
    client.query('SELECT office.office_key($1, $2)', [own, voucherFor(office.key, other.place.user, own)])
  )
  const rows = await office.sql<{ name: string }>('SELECT name FROM office.station WHERE public_key IS NOT NULL')
  expect(rows).toEqual([{ name: 'Front desk' }])
  // It is vouched for as another workstation's key, so this one isn't given the office's key with it.
  await expect(office.rotateKey()).rejects.toThrow('Back room, Front desk')
})
