// A workstation joins and leaves an office repeatedly, and is killed at any moment, along with its connections to the
// server. Once it has started again, each package must be either the office's or its own, never
// both, and none may be missing.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { memoryKeychain, type SecretSlot } from '../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../src/main/core/storage/meta.ts'
import { chanceOf } from '../chaos/chance.ts'
import { forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice } from '../fixtures/office.ts'
import { openWorkplace } from '../fixtures/workplace.ts'

/** For more: `OFFICE_MOMENTS=200 npm run test:office -- test/office/moments.test.ts`. */
const MOMENTS = Number(process.env.OFFICE_MOMENTS ?? 30)
const SEED = Number(process.env.OFFICE_SEED ?? 1)
/** About how long joining or leaving takes on an otherwise idle machine, in milliseconds. */
const LASTS = 80

/** A connection to the server that can be cut: queries in progress are rolled back there. */
async function openLine(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

test(
  `each package belongs to the office or the workstation, whenever it is killed (${MOMENTS} moments, seed ${SEED})`,
  async () => {
    const chance = chanceOf(SEED)
    const office = await openTestOffice(inject('cluster'))
    const { port, database } = office.administrator
    const work = await openWorkplace()
    onTestFinished(() => work.close())
    const name = `Harbour Law ${randomUUID()}`
    const keptSecret: SecretSlot = memoryKeychain().office
    let invited = 0
    let running: { end: () => void } = { end: () => undefined }
    onTestFinished(() => running.end())

    /** Starts the workstation; `end` has the effect of a kill. */
    async function startWorkstation() {
      const line = await openLine(port)
      let isAlive = true
      // A dead process writes nothing more and never hears an answer.
      const living = <Answer>(work: () => Promise<Answer>) => (isAlive ? work() : new Promise<Answer>(() => undefined))
      const membership = openMembership(work, {
        slot: {
          get: () => living(keptSecret.get),
          set: (secret) => living(() => keptSecret.set(secret)),
          delete: () => living(keptSecret.delete)
        },
        accounts: () => [{ id: work.accountId, name, baseUrl: work.serviceUrl }]
      })
      const end = () => {
        isAlive = false
        line.cut()
      }
      running = { end }
      // The server's address was stored with a connection that no longer exists.
      const office = openJsonMeta(work.parts.db).read('office', z.looseObject({}))
      if (office) openJsonMeta(work.parts.db).write('office', { ...office, port: line.port })
      membership.start()
      await membership.checkNow()
      return { membership, end, server: { host: '127.0.0.1', port: line.port, database } }
    }

    const own = () => work.parts.db.prepare(`SELECT id FROM sends WHERE state = 'ready' ORDER BY id`).pluck().all()
    const theirs = async () =>
      (await office.sql<{ id: string }>(`SELECT id FROM office.send WHERE state = 'ready' ORDER BY id`)).map(
        ({ id }) => id
      )
    async function syncPackages(): Promise<void> {
      await work.parts.outbox.shared.syncNow(work.accountId)
      // Packages from before joining are pushed in a second round.
      await work.parts.outbox.shared.syncNow(work.accountId)
    }

    const put: string[] = []
    let { membership, end, server } = await startWorkstation()
    let killed = 0
    for (let moment = 1; moment <= MOMENTS; moment++) {
      // Due next week, so that it isn't sent meanwhile.
      const at = work.clock() + 7 * 86_400_000
      const { id } = work.parts.outbox.enqueue(work.parts.drafts.save(work.accountId, forms()).id, { at })
      put.push(id)
      put.sort()
      const isIn = membership.view() !== undefined
      const change = isIn ? membership.leave() : membership.join(server, await office.invite(`Desk ${++invited}`))
      let isDone = false
      void change.then(
        () => (isDone = true),
        () => undefined
      )
      await pause(chance.below(LASTS))
      if (!isDone) killed++
      end()
      work.restart()
      ;({ membership, end, server } = await startWorkstation())
      // Whether it has joined or left now, both sides agree.
      const view = membership.view()
      if (view && !view.isLeaving) {
        expect(view.state, `moment ${moment}`).toBe('connected')
        await syncPackages()
        expect(await theirs(), `moment ${moment}: joined`).toEqual(put)
      } else {
        if (view) await membership.leave()
        expect(await theirs(), `moment ${moment}: left`).toEqual([])
      }
      expect(own(), `moment ${moment}: here`).toEqual(put)
    }
    expect(killed).toBeGreaterThan(MOMENTS / 5)
    expect(work.receivedRequests('SendForms2')).toHaveLength(0)
  },
  MOMENTS * 6_000
)
