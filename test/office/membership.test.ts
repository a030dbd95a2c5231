// A workstation joins an office with a code, works in it and leaves; its server becomes unreachable, is set up again, or
// no longer knows it.
import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { holdPendingWork } from '../../src/main/core/backup/restore.ts'
import { connectEncrypted } from '../../src/main/core/storage/connection.ts'
import { memoryKeychain, type SecretSlot } from '../../src/main/core/storage/keychain.ts'
import { forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, openCluster } from '../fixtures/office-cluster.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'
import { extension } from '../unit/actions/office.ts'

const all = { show: 'all', offset: 0, limit: 100 } as const
/** The name of the accounts: accounts with the same name at two workstations are the same account. */
let accountName: string
let accountThere = true
let office: TestOffice
let first: Workplace
beforeEach(async () => {
  accountName = `Harbour Law ${randomUUID()}`
  accountThere = true
  office = await openTestOffice(inject('cluster'))
  first = await openWorkplace()
})
afterEach(() => first.close())

/** A workplace's membership, as the application opens it when it starts. */
function membershipOf(work: Workplace, slot: SecretSlot = memoryKeychain().office) {
  const accounts = () => (accountThere ? [{ id: work.accountId, name: accountName, baseUrl: work.serviceUrl }] : [])
  const membership = openMembership(work, { slot, accounts })
  onTestFinished(() => membership.close())
  return { membership, slot }
}

/** Asks the server for the workstations' open connections. */
const connections = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'Countersign' AND datname = current_database()`
const put = (work: Workplace) => {
  const { id } = work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, forms()).id)
  work.parts.outbox.sendNow(id)
  return id
}
const stateOf = (work: Workplace, id: string) =>
  work.parts.outbox.list([work.accountId], all).rows.find((row) => row.id === id)?.state
const becomes = (work: Workplace, id: string, state: string | undefined, interval = 20) =>
  expect
    .poll(
      async () => {
        await work.time.pass(3_000)
        return stateOf(work, id)
      },
      { timeout: 60_000, interval }
    )
    .toBe(state)

describe('joining', () => {
  test('shares waiting packages, which any workstation can then send, and keeps a person’s pause', async () => {
    first.parts.outbox.pause(first.accountId)
    const waiting = put(first)
    const { membership } = membershipOf(first)
    expect(membership.view()).toBeUndefined()
    await first.time.pass(1_000)
    const before = first.parts.notified.outbox
    expect(await membership.join(serverOf(office), await office.invite('Front desk'))).toMatchObject({
      state: 'connected',
      name: 'Front desk',
      who: [{ name: 'Front desk', isMe: true }]
    })
    await first.parts.outbox.shared.syncNow(first.accountId)
    // The screens are notified that it is shared now.
    await first.time.pass(1_000)
    expect(first.parts.notified.outbox).toBeGreaterThan(before)
    expect(first.parts.outbox.state(first.accountId).office).toBe('connected')
    const second = await openWorkplace('empty', first)
    onTestFinished(() => second.close())
    const other = membershipOf(second)
    await other.membership.join(serverOf(office), await office.invite('Back room'))
    expect(other.membership.view()?.who.map(({ name }) => name)).toEqual(['Back room', 'Front desk'])
    // A person had paused it before, which now applies to everyone.
    for (const { parts, time, accountId } of [first, second]) {
      await parts.outbox.shared.syncNow(accountId)
      await time.pass(60_000)
      expect(parts.outbox.state(accountId).pause?.by).toBe('person')
    }
    expect(stateOf(second, waiting)).toBe('ready')
    await second.parts.outbox.shared.pause(second.accountId, false)
    await becomes(second, waiting, 'sent')
    await becomes(first, waiting, 'sent')
    expect(first.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('with an invalid, used or another office’s code changes nothing', async () => {
    const { membership, slot } = membershipOf(first)
    await expect(membership.join(serverOf(office), 'ABCD')).rejects.toMatchObject({ appError: { code: 'invalid' } })
    expect(await slot.get()).toBeNull()
    const code = await office.invite('Front desk')
    const another = await openTestOffice(inject('cluster'))
    await expect(membership.join(serverOf(another), code)).rejects.toMatchObject({ appError: { code: 'invalid' } })
    await membership.join(serverOf(office), code)
    const second = membershipOf(await openSecond(first))
    await expect(second.membership.join(serverOf(office), code)).rejects.toMatchObject({
      appError: { code: 'invalid' }
    })
    expect(second.membership.view()).toBeUndefined()
  })

  test('checks that the keychain can store secrets before using the code', async () => {
    const code = await office.invite('Front desk')
    const broken: SecretSlot = {
      get: async () => null,
      set: () => Promise.reject(new Error('It is locked.')),
      delete: async () => undefined
    }
    await expect(membershipOf(first, broken).membership.join(serverOf(office), code)).rejects.toThrow('It is locked.')
    const { membership } = membershipOf(first)
    expect(await membership.join(serverOf(office), code)).toMatchObject({ state: 'connected' })
  })

  test('reports a server that can’t be reached', async () => {
    const { membership } = membershipOf(first)
    const nowhere = { ...serverOf(office), port: 9 }
    await expect(membership.join(nowhere, await office.invite('Front desk'))).rejects.toMatchObject({
      appError: { code: 'offline' }
    })
  })
})

describe('a workstation that has joined', () => {
  test('reconnects after a restart, and sends what was waiting', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await membership.close()
    const id = put(first)
    first.restart()
    const next = membershipOf(first, slot)
    next.membership.start()
    expect(next.membership.view()).toMatchObject({ state: 'connecting' })
    await becomes(first, id, 'sent')
    expect(next.membership.view()).toMatchObject({ state: 'connected', name: 'Front desk' })
  })

  test('whose database is a copy of another’s does nothing in its name', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await first.parts.outbox.shared.pause(first.accountId, true)
    const id = put(first)
    await first.parts.outbox.shared.syncNow(first.accountId)
    await membership.close()
    first.restart()
    // The keychain of a computer that joined on its own, and then an empty one.
    const other = membershipOf(await openSecond(first))
    await other.membership.join(serverOf(office), await office.invite('Back room'))
    for (const its of [other.slot, memoryKeychain().office]) {
      const copy = membershipOf(first, its)
      copy.membership.start()
      await copy.membership.checkNow()
      expect(copy.membership.view()).toMatchObject({ state: 'elsewhere', who: [] })
      expect(first.parts.outbox.shared.isAway(first.accountId)).toBe(true)
      await copy.membership.close()
    }
    const own = membershipOf(first, slot)
    own.membership.start()
    await own.membership.checkNow()
    expect(own.membership.view()).toMatchObject({ state: 'connected', name: 'Front desk' })
    const last = membershipOf(first, memoryKeychain().office)
    last.membership.start()
    await last.membership.checkNow()
    await last.membership.leave({ without: true })
    expect(stateOf(first, id)).toBe('cancelled')
    expect(first.receivedRequests('SendForms2')).toHaveLength(0)
  })

  test('whose database was restored to before it joined asks the office before sending', async () => {
    const { accountId } = first
    // It can still be undone, so it isn't sent between joining, which ends a single workstation's pause, and the
    // office's pause.
    const { id } = first.parts.outbox.enqueue(first.parts.drafts.save(accountId, forms()).id)
    const before = await readFile(join(first.folder, 'work.db'))
    const log = await readFile(join(first.folder, 'work.db-wal'))
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await first.parts.outbox.shared.syncNow(accountId)
    await first.parts.outbox.shared.pause(accountId, true)
    await membership.close()
    first.parts.kill()
    await rm(join(first.folder, 'work.db-shm'), { force: true })
    await writeFile(join(first.folder, 'work.db'), before)
    await writeFile(join(first.folder, 'work.db-wal'), log)
    const restored = connectEncrypted(join(first.folder, 'work.db'), Buffer.alloc(32, 7))
    holdPendingWork(restored, { now: first.time.now, madeAt: first.time.now })
    restored.close()
    first.restart()
    expect(first.parts.outbox.shared.accounts().size).toBe(0)
    // While the office can't be reached, a person's resuming doesn't send it either.
    const dead: SecretSlot = { ...slot, get: () => Promise.reject(new Error('It is locked.')) }
    const locked = membershipOf(first, dead)
    locked.membership.start()
    first.parts.outbox.resume(accountId)
    for (let minute = 0; minute < 10; minute++) await first.time.pass(60_000)
    expect(first.receivedRequests('SendForms2')).toHaveLength(0)
    await locked.membership.close()
    const reopened = membershipOf(first, slot)
    reopened.membership.start()
    await expect
      .poll(async () => {
        await first.time.pass(1_000)
        return reopened.membership.view()?.state
      })
      .toBe('connected')
    await first.parts.outbox.shared.syncNow(accountId)
    expect(stateOf(first, id)).toBe('ready')
    await first.parts.outbox.shared.pause(accountId, false)
    await becomes(first, id, 'sent')
    expect(first.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('that leaves while it is connecting stays disconnected', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await membership.close()
    const next = membershipOf(first, slot)
    next.membership.start()
    const checking = next.membership.checkNow()
    await next.membership.leave({ without: true })
    await checking
    expect(next.membership.view()).toBeUndefined()
    // The server notices a little later that a connection has ended.
    await expect.poll(() => office.sql(connections)).toEqual([])
  })

  test('that leaves while it is connecting closes the connection that opens before the keychain forgets it', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await membership.close()
    let reconnects = Promise.resolve()
    const next = membershipOf(first, {
      ...slot,
      async delete() {
        // Somebody asks how the server is, or it says that it has a new life.
        reconnects = next.membership.checkNow()
        await reconnects
        await slot.delete()
      }
    })
    next.membership.start()
    await next.membership.checkNow()
    await next.membership.leave()
    await reconnects
    expect([next.membership.view(), await slot.get()]).toEqual([undefined, null])
    await expect.poll(() => office.sql(connections)).toEqual([])
  })

  test('that joins again while the office’s new key is stored keeps its new sign-in', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await membership.close()
    const [isJoined, isStored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isJoining = false
    const next = membershipOf(first, {
      ...slot,
      async set(text) {
        const isNewSignIn = text.includes('"replaces"')
        const isNewKey = isJoining && !isNewSignIn && text !== (await slot.get())
        if (isNewKey) await isJoined.promise
        await slot.set(text)
        if (isNewKey) isStored.resolve()
        if (!isNewSignIn) return
        isJoined.resolve()
        await isStored.promise
      }
    })
    await office.sql('UPDATE office.station SET revoked_at = now()')
    next.membership.start()
    await next.membership.checkNow()
    expect(next.membership.view()?.state).toBe('refused')
    await office.sql('UPDATE office.station SET revoked_at = NULL')
    await office.rotateKey()
    const code = await office.invite('Front desk 2')
    isJoining = true
    const checking = next.membership.checkNow().finally(isStored.resolve)
    await next.membership.join(serverOf(office), code)
    await checking
    await next.membership.close()
    first.restart()
    const last = membershipOf(first, slot)
    last.membership.start()
    await last.membership.checkNow()
    expect(last.membership.view()).toMatchObject({ state: 'connected', name: 'Front desk 2' })
  })

  test('that can’t leave because its keychain is locked says that it isn’t connected, and connects again', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await membership.close()
    const next = membershipOf(first, { ...slot, delete: () => Promise.reject(new Error('It is locked.')) })
    next.membership.start()
    await next.membership.checkNow()
    await expect(next.membership.leave()).rejects.toThrow('It is locked.')
    expect(next.membership.view()).toMatchObject({ state: 'connecting', isLeaving: true })
    await expect
      .poll(async () => {
        await first.time.pass(1_000)
        return next.membership.view()?.state
      })
      .toBe('connected')
    await expect.poll(async () => (await office.sql(connections)).length).toBeGreaterThan(0)
  })

  test('that leaves while an account is being shared doesn’t share it afterwards', async () => {
    const { accountId, parts } = first
    const counters = {
      connect: () => undefined,
      disconnect: () => undefined,
      notified: () => undefined,
      // Longer than the server takes to answer.
      leftOffice: () => new Promise<void>((resume) => setTimeout(resume, 300)),
      close: async () => undefined
    }
    let leaving: Promise<void> | undefined
    const membership = openMembership(first, {
      counters: counters as never,
      accounts: () => (accountThere ? [{ id: accountId, name: accountName, baseUrl: first.serviceUrl }] : []),
      outboxOf(id) {
        leaving = membership.leave()
        return parts.outbox.state(id)
      }
    })
    onTestFinished(() => membership.close())
    accountThere = false
    await membership.join(serverOf(office), await office.invite('Front desk'))
    accountThere = true
    membership.accountsChanged()
    await membership.checkNow()
    await leaving
    expect(membership.view()).toBeUndefined()
    expect(parts.outbox.shared.accounts().size).toBe(0)
    await becomes(first, put(first), 'sent')
  })

  test('opens a new connection after the computer slept', async () => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    const lines = () =>
      office.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query LIKE '%hello%' ORDER BY pid`
      )
    const before = await lines()
    await membership.resumed()
    expect(membership.view()?.state).toBe('connected')
    expect(await lines()).not.toEqual(before)
  })

  test('stops sharing an account that no longer exists', async () => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    expect(first.parts.outbox.shared.accounts().size).toBe(1)
    accountThere = false
    membership.accountsChanged()
    expect(first.parts.outbox.shared.accounts().size).toBe(0)
  })

  test('doesn’t share an account that is removed while the office is asked about it', async () => {
    const { accountId, parts } = first
    const membership = openMembership(first, {
      accounts: () => (accountThere ? [{ id: accountId, name: accountName, baseUrl: first.serviceUrl }] : []),
      outboxOf(id) {
        // The next step asks the office.
        queueMicrotask(() => {
          accountThere = false
          membership.accountsChanged()
        })
        return parts.outbox.state(id)
      }
    })
    onTestFinished(() => membership.close())
    await membership.join(serverOf(office), await office.invite('Front desk'))
    expect(accountThere).toBe(false)
    expect(parts.outbox.shared.accounts().size).toBe(0)
  })

  test('reports that it was revoked, and sends no shared package', async () => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await office.sql('UPDATE office.station SET revoked_at = now()')
    const id = put(first)
    await expect
      .poll(
        async () => {
          await first.time.pass(60_000)
          return membership.view()?.state
        },
        { timeout: 30_000 }
      )
      .toBe('refused')
    expect(stateOf(first, id)).toBe('ready')
    expect(first.receivedRequests('SendForms2')).toHaveLength(0)
    // Without the office it can't know whether the package is sent from there.
    await membership.leave({ without: true })
    expect([membership.view(), first.parts.outbox.shared.accounts().size]).toEqual([undefined, 0])
  })

  test.each([
    ['another office’s', 'other', 'UPDATE office.office SET incarnation = gen_random_uuid()'],
    ['of an older version', 'older', 'UPDATE office.step SET number = 0'],
    ['of a later version', 'newer', `INSERT INTO office.step (number, name) VALUES (99, 'later')`]
  ])('holds its packages if the database is %s', async (_name, state, sql) => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await office.sql(sql)
    await expect
      .poll(
        async () => {
          await first.time.pass(60_000)
          return membership.view()?.state
        },
        { timeout: 30_000 }
      )
      .toBe(state)
    const id = put(first)
    await first.time.pass(60_000)
    expect(stateOf(first, id)).toBe('ready')
    expect(first.parts.outbox.get(id).hold).toBe('office')
  })

  test('pauses the outbox if the server has less than was read from it before', async () => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    const sent = put(first)
    await becomes(first, sent, 'sent')
    await first.parts.outbox.shared.syncNow(first.accountId)
    first.parts.db.prepare('UPDATE office_accounts SET cursor = 1000').run()
    const id = put(first)
    await becomes(first, id, 'ready')
    const life = async () => {
      await first.time.pass(5_000)
      return (await office.sql('SELECT life, paused_by FROM office.office, office.outbox'))[0]
    }
    // Another workstation that was off meanwhile would send again what was sent since.
    await expect
      .poll(life, { timeout: 60_000, interval: 20 })
      .toEqual({ life: expect.any(Number), paused_by: 'restored' })
    await expect
      .poll(async () => (await life()) && first.parts.outbox.state(first.accountId).pause?.error?.code, {
        timeout: 60_000
      })
      .toBe('conflict')
    expect(first.receivedRequests('SendForms2')).toHaveLength(1)
    await first.parts.outbox.shared.pause(first.accountId, false)
    // Slowly: a send older than half an hour waits for a person, and a busy machine takes its time.
    await becomes(first, id, 'sent', 200)
    expect(stateOf(first, sent)).toBe('sent')
    expect(first.receivedRequests('SendForms2')).toHaveLength(2)
    expect(membership.view()).toMatchObject({ state: 'connected' })
  })
})

describe('an office server that crashes', () => {
  let cluster: Cluster
  beforeEach(async () => {
    cluster = await openCluster()
  })
  afterEach(() => cluster.close())

  test('is reconnected once it is back, and packages are sent', async () => {
    const own = await openTestOffice(cluster.place)
    const { membership } = membershipOf(first)
    await membership.join(serverOf(own), await own.invite('Front desk'))
    await cluster.crash()
    const id = put(first)
    await becomes(first, id, 'sent')
    expect(membership.view()?.state).toBe('connected')
  })
})

describe('leaving', () => {
  test('takes along waiting packages, which are then sent from here', async () => {
    const { membership, slot } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await first.parts.outbox.shared.pause(first.accountId, true)
    const id = put(first)
    await first.parts.outbox.shared.syncNow(first.accountId)
    expect(await office.sql('SELECT state FROM office.send')).toEqual([{ state: 'ready' }])
    await membership.leave()
    expect([membership.view(), await slot.get()]).toEqual([undefined, null])
    expect(await office.sql('SELECT state FROM office.send')).toEqual([{ state: 'held' }])
    first.parts.outbox.resume(first.accountId)
    await becomes(first, id, 'sent')
    expect(first.receivedRequests('SendForms2')).toHaveLength(1)
  })

  /** The first workstation and another of its office, and ways to sync both; nothing is sent until `arrivesOnce`. */
  async function two() {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    const other = await openSecond(first)
    const { membership: its } = membershipOf(other)
    await its.join(serverOf(office), await office.invite('Back room'))
    await first.parts.outbox.shared.pause(first.accountId, true)
    const both = async () => {
      for (const { parts, accountId, time } of [first, other, first]) {
        await parts.sharedDrafts.syncNow(accountId).catch(() => undefined)
        await parts.outbox.shared.syncNow(accountId).catch(() => undefined)
        await time.pass(1_000)
      }
    }
    /** Resolves once the other has that draft. */
    const draftArrives = (id: string | undefined) =>
      expect
        .poll(
          async () => {
            await both()
            return other.parts.drafts.list([other.accountId], {}).rows.map((draft) => draft.id)
          },
          { timeout: 60_000 }
        )
        .toContain(id)
    const rejoin = async () => {
      await membership.leave()
      await membership.join(serverOf(office), await office.invite('Front desk 2'))
      await first.parts.outbox.shared.pause(first.accountId, true)
      await both()
    }
    const markNotSent = (id: string) =>
      office.sql(`UPDATE office.send SET state = 'not-sent', attempt = 1, concluded_at = now() WHERE id = $1`, [id])
    const draftsAtServer = async () =>
      (
        await office.sql<{ id: string }>(`SELECT id FROM office.shared_item WHERE kind = 'draft' AND gone_at IS NULL`)
      ).map(({ id }) => id)
    const disconnect = () => {
      const { outbox, sharedDrafts, records } = first.parts
      for (const one of [outbox.shared, sharedDrafts, records]) one.disconnect()
    }
    /** Checks that one package arrives, and no other afterwards. */
    const arrivesOnce = async (isJoined = true) => {
      await other.parts.outbox.shared.pause(other.accountId, false)
      const arrived = async () => {
        await both()
        return Object.keys(first.practice.state.documents).length
      }
      await expect.poll(arrived, { timeout: 60_000 }).toBe(1)
      if (isJoined) await membership.resumed()
      else first.parts.outbox.resume(first.accountId)
      for (let round = 0; round < 10; round++) await both()
      expect(Object.keys(first.practice.state.documents)).toHaveLength(1)
      expect(first.receivedRequests('SendForms2')).toHaveLength(1)
    }
    return { membership, other, both, draftArrives, rejoin, markNotSent, draftsAtServer, disconnect, arrivesOnce }
  }

  test.each([
    'its draft is sent elsewhere, so it can’t be retried',
    'it is retried elsewhere, and its draft sent here'
  ])('and rejoining, after which a package fails: %s, and it arrives once', { timeout: 400_000 }, async (how) => {
    const { other, both, draftArrives, rejoin, markNotSent, draftsAtServer, disconnect, arrivesOnce } = await two()
    const id = put(first)
    const draftBefore = first.parts.outbox.get(id).draftId
    await both()
    await rejoin()
    await markNotSent(id)
    await both()
    expect([stateOf(first, id), stateOf(other, id)]).toEqual(['not-sent', 'not-sent'])
    // It is still the same draft: a new one could be sent besides the one that is still retried.
    const drafts = await draftsAtServer()
    expect(drafts).toEqual([draftBefore])
    if (how.startsWith('its draft')) {
      await draftArrives(drafts[0])
      other.parts.outbox.sendNow(other.parts.outbox.enqueue(drafts[0] ?? '').id)
      const whenRead = async () => {
        await both()
        return stateOf(other, id)
      }
      await expect.poll(whenRead, { timeout: 60_000 }).toBeUndefined()
      expect(() => other.parts.outbox.retry(id)).toThrow('gone')
    } else {
      disconnect()
      first.parts.outbox.sendNow(first.parts.outbox.enqueue(first.parts.outbox.toDraft(id).id).id)
      other.parts.outbox.retry(id)
    }
    await arrivesOnce()
  })

  test('and rejoining leaves no second draft of a package retried before its draft is back', async () => {
    const { other, both, rejoin, markNotSent, draftsAtServer, arrivesOnce } = await two()
    const id = put(first)
    await both()
    await rejoin()
    first.parts.outbox.shared.disconnect()
    await markNotSent(id)
    await other.parts.outbox.shared.syncNow(other.accountId)
    other.parts.outbox.retry(id)
    await other.parts.outbox.shared.syncNow(other.accountId)
    // When it pushes the draft, its workstation knows that the send failed, but not yet that it is retried.
    for (const table of ['sends', 'office_sends']) {
      first.parts.db.prepare(`UPDATE ${table} SET state = 'not-sent' WHERE id = ?`).run(id)
    }
    for (let time = 0; time < 3; time++) await first.parts.sharedDrafts.syncNow(first.accountId)
    expect(await draftsAtServer()).toEqual([])
    await arrivesOnce()
    expect(first.parts.drafts.list([first.accountId], { trashed: false }).rows).toEqual([])
  })

  test('and rejoining keeps the same draft for a package that failed in between', async () => {
    const { membership, other, both, draftsAtServer, arrivesOnce } = await two()
    const id = put(first)
    await both()
    const draftBefore = first.parts.outbox.get(id).draftId
    await membership.leave()
    first.parts.outbox.pause(first.accountId)
    first.parts.db.prepare(`UPDATE sends SET state = 'not-sent', attempt = 1 WHERE id = ?`).run(id)
    await membership.join(serverOf(office), await office.invite('Front desk 2'))
    await first.parts.outbox.shared.pause(first.accountId, true)
    await both()
    const [draft = ''] = await draftsAtServer()
    expect([draft, first.parts.outbox.toDraft(id).id]).toEqual([draftBefore, draftBefore])
    other.parts.outbox.sendNow(other.parts.outbox.enqueue(draft).id)
    first.parts.outbox.retry(id)
    await arrivesOnce()
  })

  test('doesn’t retry a failed package that the office can retry', async () => {
    const { membership, other, both, markNotSent, arrivesOnce } = await two()
    const id = put(first)
    await both()
    await markNotSent(id)
    await both()
    await membership.leave()
    expect(stateOf(first, id)).toBe('cancelled')
    expect(() => first.parts.outbox.retry(id)).toThrow('busy')
    other.parts.outbox.retry(id)
    await arrivesOnce(false)
  })

  test('is refused on a restored server until both workstations have synced', async () => {
    const { membership, both } = await two()
    const id = put(first)
    await both()
    // The notification may or may not reach both before this one leaves.
    await office.mutated('begin_life', `PERFORM pg_notify('countersign_life', '');`, '', async () => {
      await office.sql('SELECT office.begin_life(now())')
      await expect(membership.leave()).rejects.toThrow('offline')
    })
    expect(stateOf(first, id)).toBe('ready')
    expect(await office.sql('SELECT state FROM office.send WHERE id = $1', [id])).toEqual([{ state: 'uncertain' }])
  })

  test('takes a package along that a restored server doesn’t have, and its draft', async () => {
    const { membership, both, draftsAtServer } = await two()
    const id = put(first)
    await both()
    // Uncertain, as nobody knows whether it left in the server's previous life.
    first.parts.db.prepare(`UPDATE sends SET state = 'uncertain', attempt = 1 WHERE id = ?`).run(id)
    first.parts.db.prepare('DELETE FROM office_sends WHERE id = ?').run(id)
    for (const table of ['send_change WHERE send', 'send WHERE id'])
      await office.sql(`DELETE FROM office.${table} = $1`, [id])
    await membership.leave()
    // This workstation looks for it, and nobody else can send its draft.
    expect(stateOf(first, id)).toBe('uncertain')
    expect([await office.sql('SELECT state FROM office.send'), await draftsAtServer()]).toEqual([
      [{ state: 'held' }],
      []
    ])
  })

  test.each([
    ['another package is in flight', 'busy'],
    ['its drafts can’t be taken along', 'away'],
    ['no answer comes', 'offline']
  ])('leaves the office what may have arrived if it fails: %s', async (why, failure) => {
    const { membership, other, both } = await two()
    const id = put(first)
    await both()
    await office.sql(
      `UPDATE office.send SET state = 'uncertain', may_have_arrived = true, attempt = 1, uncertain_at = now()`
    )
    const { outbox, sharedDrafts } = first.parts
    if (failure === 'busy') {
      const inFlight = put(first)
      await both()
      await office.sql(
        `UPDATE office.send SET state = 'sending', holder = made_by, epoch = 1, lease_until = now() + interval '1 hour' WHERE id = $1`,
        [inFlight]
      )
    } else if (failure === 'away') sharedDrafts.reclaimDrafts = () => Promise.reject(new Error('The server is away.'))
    else {
      const connect = outbox.shared.connect.bind(outbox.shared)
      const unanswered = async () => expect.fail('No answer.')
      outbox.shared.connect = (store, life) =>
        connect({ ...store, reclaimSends: (...its) => store.reclaimSends(...its).then(unanswered) }, life)
      await membership.checkNow()
    }
    await expect(membership.leave(), why).rejects.toThrow(failure)
    const there = () => office.sql('SELECT state FROM office.send WHERE id = $1', [id])
    // At no moment can the office send another package of its draft.
    expect(await there()).toEqual([{ state: 'uncertain' }])
    await both()
    expect(await there()).toEqual([{ state: 'uncertain' }])
    expect([first, other].map((one) => stateOf(one, id))).toEqual(['uncertain', 'uncertain'])
  })

  test('with a package that may have arrived, and whose draft stays, leaves the office to look for it', async () => {
    const { membership, other, both, draftsAtServer } = await two()
    const id = put(first)
    await both()
    const draft = first.parts.outbox.get(id).draftId ?? ''
    await office.sql(
      `UPDATE office.send SET state = 'uncertain', may_have_arrived = true, attempt = 1, uncertain_at = now()`
    )
    await both()
    // As a restored server is told what was kept beside the draft.
    await office.sql(
      `INSERT INTO office.shared_item_conflict (kind, id, version, by, sealed)
         SELECT kind, id, gen_random_uuid(), by, sealed FROM office.shared_item WHERE kind = 'draft'`
    )
    await membership.leave()
    await both()
    expect([stateOf(first, id), stateOf(other, id)]).toEqual(['cancelled', 'uncertain'])
    expect(await office.sql('SELECT state, draft FROM office.send')).toEqual([{ state: 'uncertain', draft }])
    expect(await draftsAtServer()).toEqual([draft])
  })

  test('without the server doesn’t send a draft that the office has and may send', async () => {
    const { membership, other, both, disconnect, arrivesOnce } = await two()
    const { id } = first.parts.sharedDrafts.save(first.accountId, forms())
    await both()
    disconnect()
    const waiting = first.parts.outbox.enqueue(id).id
    first.parts.outbox.sendNow(waiting)
    other.parts.outbox.sendNow(other.parts.outbox.enqueue(id).id)
    await membership.leave({ without: true })
    expect(stateOf(first, waiting)).toBe('cancelled')
    await arrivesOnce(false)
  })

  test.each([
    ['arrived', 'lose-answer'],
    ['did not arrive', 'cut']
  ] as const)(
    'checks for a package that may have arrived, rejoined or not: it %s',
    { timeout: 400_000 },
    async (_became, fault) => {
      const { membership } = membershipOf(first)
      await membership.join(serverOf(office), await office.invite('Front desk'))
      const other = await openSecond(first)
      const { membership: its } = membershipOf(other)
      await its.join(serverOf(office), await office.invite('Back room'))
      await office.sql(`UPDATE office.office SET search = '0 s'`)
      const all = async (id: string, state: string) => {
        for (const [one, two] of [
          [first, other],
          [other, first]
        ] as const) {
          // The workstations' time passes no faster than the server answers: late answers, and proofs half an hour old,
          // count less.
          const both = async () => {
            // The office waits for as long as a request could still arrive, by the server's clock. None can here.
            await office.sql('UPDATE office.send SET uncertain_at = now() WHERE uncertain_at > now()')
            for (const { parts, accountId, time } of [two, one]) {
              await parts.outbox.shared.syncNow(accountId).catch(() => undefined)
              await time.pass(1_000)
            }
            // Shown not to have arrived, but too late to be sent again automatically: a person retries it.
            if (stateOf(first, id) === 'not-sent') first.parts.outbox.retry(id)
            return stateOf(one, id)
          }
          await expect.poll(both, { timeout: 150_000, interval: 20 }).toBe(state)
        }
      }
      const leaveUncertain = async () => {
        // Nobody can find it before this workstation leaves.
        first.line.setFaultBy((method) => (method === 'POST' ? fault : 'cut'))
        other.line.setFault('cut')
        const id = put(first)
        await all(id, 'uncertain')
        await membership.leave()
        // The other may check the folders immediately, not only when this one's lease would have expired.
        await office.sql(`UPDATE office.lease SET until = now() - interval '1 ms'`)
        expect(await office.sql('SELECT state FROM office.send WHERE id = $1', [id])).toEqual([{ state: 'held' }])
        expect(stateOf(first, id)).toBe('uncertain')
        return id
      }
      const repairBoth = () => [first, other].forEach(({ line }) => void line.setFault('pass'))
      const alone = await leaveUncertain()
      repairBoth()
      await becomes(first, alone, 'sent')
      await membership.join(serverOf(office), await office.invite('Front desk 2'))
      // Nor does the office go on treating it as held.
      await all(alone, 'sent')
      const rejoined = await leaveUncertain()
      await membership.join(serverOf(office), await office.invite('Front desk 3'))
      // So late that a person has to retry it.
      if (fault === 'cut') {
        for (const { parts, accountId, time } of [other, first]) {
          await parts.outbox.shared.syncNow(accountId)
          await time.pass(31 * 60_000)
        }
      }
      repairBoth()
      await all(rejoined, 'sent')
      expect(Object.keys(first.practice.state.documents)).toHaveLength(2)
    }
  )

  test('leaves no action behind that was begun meanwhile, and does it afterwards', async () => {
    const { accountId, line, parts, practice, time } = first
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await parts.outbox.shared.syncNow(accountId)
    await becomes(first, put(first), 'sent')
    await parts.polling.refresh(accountId)
    const [reference = ''] = Object.keys(practice.state.documents)
    const id = randomUUID()
    const find = () => parts.actions.list(accountId)[0]
    const syncNow = parts.records.syncNow.bind(parts.records)
    Object.assign(parts.records, {
      async syncNow(account: string) {
        void parts.actions.start(accountId, { id, reference, request: extension() })
        await expect.poll(() => find()?.state === 'running' || find()?.error?.code).toBeTruthy()
        await syncNow(account)
      }
    })
    line.setFault('hang', (method) => method === 'POST')
    await membership.leave().finally(() => line.setFault('pass'))
    expect(await office.sql(`SELECT state FROM office.task WHERE state <> 'free'`)).toEqual([])
    await expect
      .poll(async () => {
        await time.pass(5_000)
        return find()?.state
      })
      .toBe('done')
  })

  test('without the server leaves shared packages to the office', async () => {
    const { membership } = membershipOf(first)
    await membership.join(serverOf(office), await office.invite('Front desk'))
    await first.parts.outbox.shared.pause(first.accountId, true)
    const [theirs] = [put(first)]
    await first.parts.outbox.shared.syncNow(first.accountId)
    first.parts.outbox.shared.disconnect()
    const mine = put(first)
    await membership.leave({ without: true })
    expect([stateOf(first, theirs), stateOf(first, mine)]).toEqual(['cancelled', 'ready'])
    first.parts.outbox.resume(first.accountId)
    await becomes(first, mine, 'sent')
    expect(first.receivedRequests('SendForms2')).toHaveLength(1)
  })
})

async function openSecond(work: Workplace): Promise<Workplace> {
  const other = await openWorkplace('empty', work)
  onTestFinished(() => other.close())
  return other
}
