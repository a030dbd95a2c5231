// Two and three people work on the same drafts at workstations of one office: connected and apart, with its server
// running, unreachable, killed and restored. Whatever someone typed must be in some draft or version, and no draft may be sent
// twice.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { AppFailure, fail } from '../../src/main/core/lib/failure.ts'
import type { OfficeDrafts } from '../../src/main/core/office/office-drafts.ts'
import { itemIdentityOf, seal } from '../../src/main/core/office/sealing.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { dumpOf, OfficeWorkstation, openOfficeWorkstation, twoWorkstations } from '../fixtures/office-workstation.ts'

const sends = { show: 'all', offset: 0, limit: 100 } as const

class Workstation extends OfficeWorkstation {
  get #parts() {
    return this.work.parts
  }
  get shared() {
    return this.#parts.sharedDrafts
  }

  /** An editor that someone has open and types in. */
  editor(id?: string) {
    const { work } = this
    const sharedNow = () => this.shared
    let its = id
    let heldIn: Workstation['shared'] | undefined
    /** Marks the draft as open in this run of the application. */
    function hold(): void {
      if (its !== undefined && heldIn !== sharedNow()) sharedNow().editorOpened(its)
      heldIn = sharedNow()
    }
    const edition = () =>
      its === undefined ? undefined : sharedNow().withSyncState(work.parts.drafts.summary(its)).office?.edition
    let begunAt = edition()
    if (its !== undefined) hold()
    return {
      get id() {
        return its ?? expect.fail('Nothing was typed yet.')
      },
      type(text: string): void {
        const saved = sharedNow().save(work.accountId, named(text), its, undefined, begunAt)
        its = saved.id
        hold()
        begunAt ??= edition()
      },
      /** Shows the draft's current content. */
      read(): string {
        begunAt = edition()
        return nameIn(work.parts.drafts.get(its ?? '').composition)
      },
      close(): Promise<void> {
        heldIn = undefined
        return sharedNow().editorClosed(its ?? '')
      }
    }
  }

  text(id: string): string {
    return nameIn(this.#parts.drafts.get(id).composition)
  }
  mark(id: string) {
    return this.shared.withSyncState(this.#parts.drafts.summary(id)).office
  }
  list(trashed = false): string[] {
    const { rows } = this.#parts.drafts.list([this.work.accountId], { trashed })
    return rows.map(({ title }) => title).sort()
  }
  /** The text of all drafts and their versions. */
  everything(): string {
    const { drafts } = this.#parts
    const rows = [false, true].flatMap((trashed) => drafts.list([this.work.accountId], { trashed }).rows)
    return rows
      .flatMap(({ id }) => [
        this.text(id),
        ...drafts.history(id).map((version) => nameIn(drafts.version(id, version.id)))
      ])
      .join('\n')
  }
  versions(id: string) {
    const { drafts } = this.#parts
    return drafts
      .history(id)
      .filter(({ reason }) => reason === 'beside')
      .map(({ id: version, workstation, isOpen }) => [
        workstation,
        nameIn(drafts.version(id, version)),
        isOpen === true
      ])
  }
  send(id: string): string {
    const { outbox } = this.#parts
    const send = outbox.enqueue(id)
    outbox.sendNow(send.id)
    return send.id
  }
  state(sendId: string): string | undefined {
    return this.#parts.outbox.list([this.work.accountId], sends).rows.find(({ id }) => id === sendId)?.state
  }
}

const named = (Name: string) => forms({ items: [form({ Name })] })
const nameIn = ({ items: [item] }: { items: { Name: string }[] }) => item?.Name ?? ''

const two = twoWorkstations(Workstation, { search: '0 s' })
const { at, workstations, joinBoth, whenSynced } = two
beforeEach(joinBoth)

/** Lets a workstation's time pass until the condition holds. */
async function until(isSo: () => boolean, { work }: Workstation): Promise<void> {
  await expect
    .poll(
      async () => {
        await work.parts.outbox.shared.syncNow(work.accountId).catch(() => undefined)
        await work.time.pass(3_000)
        return isSo()
      },
      { timeout: 60_000, interval: 20 }
    )
    .toBe(true)
}
const packages = () => at(0).work.receivedRequests('SendForms2').length

/** A draft whose package waits in the paused Outbox, known to all workstations. */
async function waiting() {
  const front = at(0).editor()
  front.type('Lease')
  await front.close()
  await whenSynced()
  await at(0).work.outbox.shared.pause(at(0).work.accountId, true)
  const send = at(0).send(front.id)
  await whenSynced()
  return { front, send }
}

/** Types a draft at the first workstation that the office stores without its hearing of that. */
async function withUnheardSave() {
  const { sharedDrafts } = at(0).work.parts
  const connect = sharedDrafts.connect.bind(sharedDrafts)
  sharedDrafts.connect = (its, life) => {
    const save: typeof its.save = (...asked) => its.save(...asked).then(() => fail('offline', 'The answer was lost.'))
    connect({ ...its, save }, life)
    sharedDrafts.connect = connect
  }
  await at(0).reconnect()
  const front = at(0).editor()
  front.type('Lease')
  await expect(at(0).whenSynced()).rejects.toBeInstanceOf(AppFailure)
  at(0).disconnect()
  return front
}

test('a draft that the office’s server refuses doesn’t hold back others, and is pushed once accepted', async () => {
  at(0).disconnect()
  const [refused, ...others] = ['One', 'Two', 'Three'].map((text) => {
    const editor = at(0).editor()
    editor.type(text)
    return editor.id
  })
  await two.office.sql(`CREATE FUNCTION office.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.id = '${refused}' THEN RAISE EXCEPTION 'It is not taken.'; END IF; RETURN NEW; END $$`)
  await two.office.sql(
    'CREATE TRIGGER refuse BEFORE INSERT ON office.shared_item FOR EACH ROW EXECUTE FUNCTION office.refuse()'
  )
  await expect(at(0).reconnect()).rejects.toBeInstanceOf(AppFailure)
  await at(1).whenSynced()
  expect(at(1).list()).toEqual(['Three', 'Two'])
  await two.office.sql('DROP TRIGGER refuse ON office.shared_item')
  await whenSynced()
  expect(at(1).list()).toEqual(['One', 'Three', 'Two'])
  expect(others.map((id) => at(1).text(id))).toEqual(['Two', 'Three'])
})

describe('a shared draft', () => {
  test('reaches everyone as it is typed', async () => {
    const editor = at(0).editor()
    editor.type('Lease')
    await whenSynced()
    expect(at(1).list()).toEqual(['Lease'])
    expect(at(1).mark(editor.id)).toMatchObject({ isMine: false, canBeMine: false, editingBy: 'Front desk' })
    expect(at(0).mark(editor.id)).toMatchObject({ canBeMine: true, versions: 0 })
    expect(at(0).mark(editor.id)?.editingBy).toBeUndefined()
    await editor.close()
    await whenSynced()
    expect(at(1).mark(editor.id)?.editingBy).toBeUndefined()
    const other = at(1).editor(editor.id)
    other.type('Lease of a shop')
    await whenSynced()
    expect(at(0).text(editor.id)).toBe('Lease of a shop')
  })

  test('changed by two at once keeps both versions, and can’t be sent until someone decides', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const back = at(1).editor(front.id)
    front.type('Lease by front')
    back.type('Lease by back')
    await whenSynced()
    expect(at(0).text(front.id)).toBe(at(1).text(front.id))
    const [counts, other] = ['Lease by front', 'Lease by back'].sort((text) => (text === at(0).text(front.id) ? -1 : 1))
    for (const workstation of workstations) {
      expect(workstation.text(front.id)).toBe(counts)
      expect(workstation.versions(front.id)).toEqual([[expect.any(String), other, true]])
      expect(workstation.mark(front.id)?.versions).toBe(1)
      expect(() => workstation.shared.assertSendable(front.id)).toThrow(AppFailure)
    }
    await at(1).shared.resolveConflicts(front.id)
    for (const editor of [front, back]) await editor.close()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.mark(front.id)?.versions).toBe(0)
      expect(workstation.versions(front.id)).toEqual([[expect.any(String), other, false]])
      workstation.shared.assertSendable(front.id)
    }
  })

  test('can be sent only as it is shown: not once it has another workstation’s content', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const shown = at(0).mark(front.id)?.edition
    at(0).shared.assertSendable(front.id, shown)
    const back = at(1).editor(front.id)
    back.type('Lease by back')
    await back.close()
    await whenSynced()
    expect(() => at(0).shared.assertSendable(front.id, shown)).toThrow(
      expect.objectContaining({ appError: expect.objectContaining({ code: 'conflict' }) })
    )
    at(0).shared.assertSendable(front.id, at(0).mark(front.id)?.edition)
  })

  test('taken over continues there, and what the other still types becomes a conflicting version', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await whenSynced()
    await at(1).shared.takeOver(front.id)
    const back = at(1).editor(front.id)
    back.type('Lease, taken over')
    front.type('Lease, and more')
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.text(front.id)).toBe('Lease, taken over')
      expect(workstation.versions(front.id)).toEqual([['Front desk', 'Lease, and more', true]])
    }
    expect(at(0).mark(front.id)?.editingBy).toBe('Counter 2')
    // A draft that someone is editing elsewhere can't be sent from here, neither alone nor as the basis of a bulk send.
    expect(() => at(0).shared.assertSendable(front.id)).toThrow(
      expect.objectContaining({
        appError: expect.objectContaining({ code: 'busy', message: 'Counter 2 is working on this draft.' })
      })
    )
  })

  test('taken over stays so when the editor that only showed it is replaced', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await whenSynced()
    const shown = at(1).editor(front.id)
    await at(1).shared.takeOver(front.id)
    const back = at(1).editor(front.id)
    await shown.close()
    await whenSynced()
    expect(at(0).mark(front.id)?.editingBy).toBe('Counter 2')
    back.type('Lease, taken over')
    await whenSynced()
    front.type('Lease, and more')
    await whenSynced()
    expect(at(0).versions(front.id)).toEqual([['Front desk', 'Lease, and more', true]])
    await back.close()
    await whenSynced()
    expect(at(0).mark(front.id)?.editingBy).toBeUndefined()
  })

  test('reopened while it is being closed is still marked as being edited', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await whenSynced()
    const leaving = front.close()
    const reopened = at(0).editor(front.id)
    await leaving
    await whenSynced()
    expect(at(1).mark(front.id)?.editingBy).toBe('Front desk')
    await reopened.close()
    await whenSynced()
    expect(at(1).mark(front.id)?.editingBy).toBeUndefined()
  })

  test('isn’t overwritten by an editor that still shows it without another’s change', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const back = at(1).editor(front.id)
    back.type('Lease by back')
    await back.close()
    await whenSynced()
    // All of it has arrived here, but the editor hasn't shown it yet.
    front.type('Lease by front, who didn’t see it')
    await whenSynced()
    expect(at(1).text(front.id)).toBe('Lease by back')
    expect(at(0).versions(front.id)).toEqual([['Front desk', 'Lease by front, who didn’t see it', true]])
    expect(front.read()).toBe('Lease by back')
    front.type('Lease by both')
    await whenSynced()
    expect(at(1).text(front.id)).toBe('Lease by both')
  })
})

describe('while the server is unreachable', () => {
  test('work continues and is synced afterwards, and conflicting changes are both kept', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(0).disconnect()
    front.type('Lease, written away')
    const own = at(0).editor()
    own.type('Begun away')
    const back = at(1).editor(front.id)
    back.type('Lease, written there')
    await back.close()
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.list()).toEqual(['Begun away', 'Lease, written there'])
      expect(workstation.versions(front.id)).toEqual([['Front desk', 'Lease, written away', true]])
    }
  })

  test('text added to a draft that was sent elsewhere is kept as another draft', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(1).disconnect()
    at(1).editor(front.id).type('Lease, and a line')
    const send = at(0).send(front.id)
    await expect
      .poll(async () => {
        await at(0).whenSynced()
        await at(0).work.time.pass(3_000)
        return at(0).state(send)
      })
      .toBe('sent')
    await at(1).reconnect()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and a line'])
    expect(packages()).toBe(1)
  })

  test('a workstation that is killed loses nothing', async () => {
    const front = at(0).editor()
    front.type('Lease')
    at(0).disconnect()
    front.type('Lease, to the end')
    await at(0).killAndRestart()
    await whenSynced()
    expect(at(1).list()).toEqual(['Lease, to the end'])
  })

  test('a save whose answer was lost makes no conflicting version', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await whenSynced()
    // The server has it, but this workstation doesn't know.
    at(0).work.parts.db.prepare('UPDATE office_drafts SET pushed_edits = 0').run()
    front.type('Lease, and more')
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.text(front.id)).toBe('Lease, and more')
      expect(workstation.versions(front.id)).toEqual([])
    }
  })

  test.each([
    ['is sending', true],
    ['has sent', false]
  ])(
    'a draft that another %s, of which only a save’s answer was lost, isn’t kept as another draft',
    async (_, waits) => {
      const front = await withUnheardSave()
      await at(1).whenSynced()
      if (waits) await at(1).work.outbox.shared.pause(at(1).work.accountId, true)
      const send = at(1).send(front.id)
      await at(1).whenSynced()
      if (!waits) await until(() => at(1).state(send) === 'sent', at(1))
      await at(1).whenSynced()
      await at(0).reconnect()
      if (waits) await at(1).work.outbox.shared.pause(at(1).work.accountId, false)
      await until(() => at(1).state(send) === 'sent', at(1))
      await whenSynced()
      for (const workstation of workstations) expect(workstation.list()).toEqual([])
      expect(packages()).toBe(1)
    }
  )

  test('a save on which another builds makes no conflicting version if only its answer was lost', async () => {
    const front = await withUnheardSave()
    await at(1).whenSynced()
    await at(1).shared.takeOver(front.id)
    const back = at(1).editor(front.id)
    back.type('Lease, and more')
    await back.close()
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.text(front.id)).toBe('Lease, and more')
      expect(workstation.versions(front.id)).toEqual([])
    }
  })
})

describe('sending', () => {
  test('a draft that is just being saved makes no conflicting version, and the package leaves', async () => {
    const { outbox, sharedDrafts } = at(0).work.parts
    const connect = sharedDrafts.connect.bind(sharedDrafts)
    const [saving, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let saves = 0
    sharedDrafts.connect = (its, life) => {
      const save: typeof its.save = async (...asked) => {
        saves++
        // The server hears of the first one last.
        if (saves > 1) return await its.save(...asked).finally(second.resolve)
        saving.resolve()
        await Promise.race([second.promise, pause(1_000)])
        return await its.save(...asked)
      }
      connect({ ...its, save }, life)
    }
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    saves = 0
    await at(0).reconnect()
    front.type('Lease, and more')
    const synced = sharedDrafts.syncNow(at(0).work.accountId)
    await saving.promise
    front.type('Lease, and more, to the end')
    const send = at(0).send(front.id)
    await outbox.shared.syncNow(at(0).work.accountId)
    await synced
    await until(() => at(0).state(send) !== 'ready', at(0))
    await until(() => at(0).state(send) === 'sent', at(0))
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
  })

  test('at two workstations at once sends one package, and removes the draft from both', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const ids = [at(0).send(front.id), at(1).send(front.id)]
    await expect
      .poll(async () => {
        for (const workstation of workstations) await workstation.whenSynced().catch(() => undefined)
        for (const { work } of workstations) await work.time.pass(3_000)
        return ids.map((id, index) => at(index).state(id)).sort()
      })
      .toEqual(['cancelled', 'sent'])
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(packages()).toBe(1)
  })

  test('a refused package again is cancelled if its draft was corrected elsewhere', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(0).work.line.setFault({ status: 400 }, (method) => method === 'POST')
    at(1).disconnect()
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'refused', at(0))
    at(0).work.line.setFault('pass')
    await at(1).reconnect()
    at(0).disconnect()
    at(0).work.parts.outbox.retry(send)
    const back = at(1).editor(front.id)
    back.type('Lease, corrected')
    await back.close()
    await at(0).reconnect()
    await whenSynced()
    expect(at(0).state(send)).toBe('cancelled')
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, corrected'])
    expect(packages()).toBe(0)
  })

  test.each([false, true])(
    'a package that didn’t arrive is cancelled once another of its draft has (disconnected: %s)',
    async (isAway) => {
      const editor = at(0).editor()
      editor.type('Ours')
      await editor.close()
      await whenSynced()
      await at(0).work.parts.outbox.shared.pause(at(0).work.accountId, true)
      at(1).disconnect()
      const other = at(1).send(editor.id)
      const own = at(0).send(editor.id)
      await at(0).whenSynced()
      // A restored server receives both.
      const of = (draft: string | null) => two.office.sql('UPDATE office.send SET draft = $1', [draft])
      await of(null)
      await at(1).reconnect()
      await of(editor.id)
      const becomes = (id: string, state: string) =>
        two.office.sql(
          `UPDATE office.send SET state = $2, may_have_arrived = $2 <> 'sent', attempt = 1, epoch = 1, goes_at = now(),
           uncertain_at = CASE WHEN $2 = 'uncertain' THEN now() END, proven_until = now() + interval '1 h',
           concluded_at = CASE WHEN $2 = 'sent' THEN now() END WHERE id = $1`,
          [id, state]
        )
      await becomes(own, 'uncertain')
      await at(0).whenSynced()
      expect(at(0).state(own)).toBe('uncertain')
      if (isAway) at(0).disconnect()
      await becomes(own, 'ready')
      if (!isAway) await at(0).whenSynced()
      await becomes(other, 'sent')
      await at(1).work.parts.outbox.shared.pause(at(1).work.accountId, false)
      await expect
        .poll(async () => {
          await at(1).work.time.pass(3_000)
          return (await two.office.sql('SELECT state FROM office.send WHERE id = $1', [own]))[0]
        })
        .toEqual({ state: 'cancelled' })
      if (isAway) await at(0).reconnect()
      await until(() => at(0).state(own) === 'cancelled', at(0))
      expect(Object.keys(at(0).work.practice.state.documents)).toEqual([])
    }
  )

  test('at a disconnected workstation is cancelled if another has sent the draft meanwhile', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(1).disconnect()
    const lateSend = at(1).send(front.id)
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await at(0).whenSynced()
    const { shared } = at(1)
    const toSend = shared.prepareSend.bind(shared)
    shared.prepareSend = async (...args) => {
      const isSynced = () => shared.syncNow(at(1).work.accountId).then(() => true)
      await expect.poll(() => isSynced().catch(() => false), { timeout: 60_000 }).toBe(true)
      return await toSend(...args)
    }
    await at(1).reconnect()
    await until(() => at(1).state(lateSend) === 'cancelled', at(1))
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(packages()).toBe(1)
  })

  test.each([false, true])(
    'a changed draft that another sends makes one package, even if the connection breaks (tried before: %s)',
    { tags: ['full'] },
    async (wasTried) => {
      const front = at(0).editor()
      front.type('Lease')
      await front.close()
      await whenSynced()
      const { shared, work } = at(1)
      at(1).disconnect()
      at(1).editor(front.id).type('Lease, and a line')
      const lateSend = at(1).send(front.id)
      if (wasTried) work.parts.db.prepare('UPDATE sends SET first_attempted_at = 1 WHERE id = ?').run(lateSend)
      await at(0).work.outbox.shared.pause(at(0).work.accountId, true)
      const send = at(0).send(front.id)
      await at(0).whenSynced()
      const toSend = shared.prepareSend.bind(shared)
      let breaks = 0
      shared.prepareSend = async (...args) => {
        const of = await toSend(...args)
        if (breaks++ === 0) fail('offline', 'The line broke.')
        return of
      }
      await at(1)
        .reconnect()
        .catch(() => undefined)
      await whenSynced()
      expect(breaks).toBeGreaterThan(0)
      await at(0).work.outbox.shared.pause(at(0).work.accountId, false)
      const states = () => [at(0).state(send), at(1).state(lateSend)]
      // If one was tried before, either may be the one that is sent.
      const isOver = () =>
        isDeepStrictEqual(states(), ['sent', 'cancelled']) ||
        (wasTried && isDeepStrictEqual(states(), ['cancelled', 'sent']))
      await expect
        .poll(
          async () => {
            for (const workstation of workstations) await workstation.whenSynced().catch(() => undefined)
            for (const { work } of workstations) await work.time.pass(3_000)
            return isOver()
          },
          { timeout: 60_000 }
        )
        .toBe(true)
      await whenSynced()
      const isOther = at(0).state(send) === 'sent'
      for (const workstation of workstations) expect(workstation.list()).toEqual(isOther ? ['Lease, and a line'] : [])
      expect(packages()).toBe(1)
    }
  )

  test('a draft that was erased elsewhere is cancelled, and keeps it as another draft', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(0).disconnect()
    const send = at(0).send(front.id)
    at(1).work.parts.drafts.remove(front.id)
    await at(1).whenSynced()
    at(1).work.parts.drafts.erase(front.id)
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expect(at(0).work.parts.outbox.get(send)).toMatchObject({
      state: 'cancelled',
      error: { message: expect.stringContaining('erased this draft') }
    })
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease'])
    const [restored] = at(0).work.parts.drafts.list([at(0).work.accountId], { trashed: false }).rows
    const second = at(0).send(restored?.id ?? '')
    await until(() => at(0).state(second) === 'sent', at(0))
    expect(packages()).toBe(1)
  })

  test('keeps text added elsewhere as another draft, and an undo returns the original', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    await at(0).work.outbox.shared.pause(at(0).work.accountId, true)
    at(1).disconnect()
    at(1).editor(front.id).type('Lease, and a line')
    const send = at(0).send(front.id)
    await at(0).whenSynced()
    await at(1).reconnect()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and a line'])
    const { outbox } = at(0).work.parts
    await outbox.shared.withholdForUndo(outbox.get(send))
    outbox.undo(send)
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease', 'Lease, and a line'])
  })

  test.each(['before', 'after'])(
    'and undoing it %s text here became another draft returns the same draft everywhere',
    { tags: ['full'] },
    async (when) => {
      const front = at(0).editor()
      front.type('Lease')
      await front.close()
      await at(0).work.outbox.shared.pause(at(0).work.accountId, true)
      if (when === 'after') await whenSynced()
      const { shared, work } = at(1)
      at(1).disconnect()
      if (when === 'after') at(1).editor(front.id).type('Lease, and a line')
      const send = at(0).send(front.id)
      await at(0).whenSynced()
      // The connection breaks before the drafts are read, but after what waits in the Outbox.
      const connect = shared.connect.bind(shared)
      let isBroken = false
      shared.connect = (office, life) =>
        connect(
          {
            ...office,
            save: (...its) => office.save(...its).finally(() => (isBroken = true)),
            changes: (...its) =>
              isBroken || when === 'before' ? Promise.reject(Error('It broke.')) : office.changes(...its)
          },
          life
        )
      const { outbox } = work.parts
      await expect(at(1).reconnect()).rejects.toThrow(/./)
      await outbox.shared.syncNow(work.accountId)
      expect(at(1).state(send)).toBe('ready')
      await outbox.shared.withholdForUndo(outbox.get(send))
      if (when === 'before') {
        // As if done by someone who didn't know yet that it was being sent.
        await two.office.sql('UPDATE office.shared_item_feed SET seq = seq + 1')
        await two.office.sql(
          'UPDATE office.shared_item SET trashed_at = now(), seq = (SELECT max(seq) FROM office.shared_item_feed) WHERE id = $1',
          [front.id]
        )
      }
      const taken = outbox.undo(send)
      shared.connect = connect
      at(1).disconnect()
      await at(1).reconnect()
      await whenSynced()
      const all = when === 'after' ? ['Lease', 'Lease, and a line'] : ['Lease']
      for (const workstation of workstations) expect(workstation.list()).toEqual(all)
      expect(taken.id).toBe(front.id)
      expect(at(1).mark(front.id)).toMatchObject({ isMine: false, versions: 0 })
      expect(await two.office.sql('SELECT FROM office.shared_item WHERE gone_at IS NULL')).toHaveLength(all.length)
      expect(await two.office.sql('SELECT FROM office.shared_item_conflict')).toEqual([])
      expect(packages()).toBe(0)
    }
  )

  test('removes the draft from every list while it waits, and an undo returns it', async () => {
    const { front, send } = await waiting()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(() => at(1).editor(front.id).type('Lease, and more')).toThrow('busy')
    const { outbox } = at(0).work.parts
    await outbox.shared.withholdForUndo(outbox.get(send))
    outbox.undo(send)
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease'])
  })

  test('a draft that another has changed meanwhile is cancelled', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(0).disconnect()
    const send = at(0).send(front.id)
    const back = at(1).editor(front.id)
    back.type('Lease, with the right rent')
    await back.close()
    await at(0).reconnect()
    await whenSynced()
    expect(at(0).state(send)).toBe('cancelled')
    expect(at(0).work.parts.outbox.get(send).error?.message).toMatch(/changed at another workstation/)
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, with the right rent'])
    expect(packages()).toBe(0)
  })
})

describe('an unreadable conflicting version', () => {
  /** A draft with a conflicting version, which was changed on the server before the front desk read it. */
  async function withVersion(sealed: (original: Buffer, identity: string) => Buffer): Promise<string> {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(1).disconnect()
    at(1).editor(front.id).type('Lease by back')
    front.type('Lease by front')
    await front.close()
    await at(0).whenSynced()
    at(0).disconnect()
    await at(1).reconnect()
    await at(1).whenSynced()
    const [stored] = await two.office.sql<{ account: string; sealed: Buffer }>(
      'SELECT account, beside.sealed FROM office.shared_item_conflict beside JOIN office.shared_item USING (kind, id)'
    )
    if (!stored) throw new Error('Nothing stands beside the draft.')
    await two.office.sql('UPDATE office.shared_item_conflict SET sealed = $1', [
      sealed(stored.sealed, itemIdentityOf('draft', stored.account, front.id))
    ])
    await at(0).reconnect()
    await at(0).whenSynced()
    expect(() => at(0).shared.assertSendable(front.id)).toThrow(AppFailure)
    return front.id
  }

  test('that was altered doesn’t keep the draft from being sent', async () => {
    const id = await withVersion((sealed) =>
      Buffer.concat([sealed.subarray(0, 40), Buffer.from([(sealed[40] ?? 0) ^ 1]), sealed.subarray(41)])
    )
    await at(0).shared.resolveConflicts(id)
    at(0).shared.assertSendable(id)
    expect(at(0).text(id)).toBe('Lease by front')
  })

  test('written by a newer Countersign waits for someone who can read it', async () => {
    const id = await withVersion((_was, identity) =>
      seal(two.office.key, identity, Buffer.from('{"composition":{"kind":"of a later version"}}'))
    )
    await expect(at(0).shared.resolveConflicts(id)).rejects.toMatchObject({
      appError: { code: 'conflict', message: expect.stringContaining('newer Countersign') }
    })
    expect(() => at(0).shared.assertSendable(id)).toThrow(AppFailure)
  })
})

describe('the trash', () => {
  test('keeps both versions of an erased draft with an undecided conflict', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const back = at(1).editor(front.id)
    front.type('Lease by front')
    back.type('Lease by back')
    await front.close()
    await back.close()
    await whenSynced()
    at(0).work.parts.drafts.remove(front.id)
    await whenSynced()
    at(0).work.parts.drafts.erase(front.id)
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.everything()).toContain('Lease by front')
      expect(workstation.everything()).toContain('Lease by back')
    }
  })

  test('is shared', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(1).work.parts.drafts.remove(front.id)
    await whenSynced()
    for (const workstation of workstations)
      expect([workstation.list(), workstation.list(true)]).toEqual([[], ['Lease']])
    at(0).work.parts.drafts.restore(front.id)
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease'])
    at(0).work.parts.drafts.remove(front.id)
    await whenSynced()
    at(1).work.parts.drafts.erase(front.id)
    await whenSynced()
    for (const workstation of workstations) expect([workstation.list(), workstation.list(true)]).toEqual([[], []])
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE sealed IS NOT NULL')).toEqual([])
  })

  test.each(['before', 'while'])(
    'loses no draft that another erases %s it is told that it was restored here',
    async (when) => {
      const { sharedDrafts, drafts } = at(0).work.parts
      const erase = async () => {
        at(1).work.parts.drafts.erase(front.id)
        await at(1).whenSynced()
      }
      const connect = sharedDrafts.connect.bind(sharedDrafts)
      sharedDrafts.connect = (its, life) => {
        const move: typeof its.move = async (...asked) => {
          if (when === 'while' && asked[2] === 'back') await erase()
          return await its.move(...asked)
        }
        connect({ ...its, move }, life)
      }
      const front = at(0).editor()
      front.type('Lease')
      await front.close()
      drafts.remove(front.id)
      await whenSynced()
      at(0).disconnect()
      drafts.restore(front.id)
      if (when === 'before') await erase()
      await at(0).reconnect()
      await whenSynced()
      for (const workstation of workstations)
        expect([workstation.list(), workstation.list(true)]).toEqual([['Lease'], []])
    }
  )

  test('doesn’t accept a draft that was changed meanwhile', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    at(0).disconnect()
    at(0).work.parts.drafts.remove(front.id)
    const back = at(1).editor(front.id)
    back.type('Lease, and more')
    await back.close()
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and more'])
  })
})

describe('a private draft', () => {
  test('is on no other workstation, and can be shared again', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    await expect(at(1).shared.setOwner(front.id, 'mine')).rejects.toMatchObject({ appError: { code: 'conflict' } })
    await at(0).shared.setOwner(front.id, 'mine')
    await whenSynced()
    // As if the process had ended, or no answer had come, before that was stored.
    at(0).work.parts.db.exec('UPDATE office_drafts SET is_mine = 0; UPDATE office_accounts SET drafts_cursor = 0')
    await whenSynced()
    expect(at(0).mark(front.id)).toMatchObject({ isMine: true })
    expect([at(0).list(), at(1).list()]).toEqual([['Lease'], []])
    front.type('Lease, my own')
    await whenSynced()
    expect(at(1).list()).toEqual([])
    await at(0).shared.setOwner(front.id, 'office')
    await whenSynced()
    expect(at(1).list()).toEqual(['Lease, my own'])
  })

  test('is on no other workstation if someone types while it is made private', async () => {
    const { sharedDrafts } = at(0).work.parts
    const connect = sharedDrafts.connect.bind(sharedDrafts)
    const [saving, moved, saved] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    sharedDrafts.connect = (its, life) => {
      const save: typeof its.save = async (...asked) => {
        saving?.resolve()
        await moved?.promise
        return await its.save(...asked).finally(saved?.resolve)
      }
      const move: typeof its.move = async (...asked) => {
        front.type('Lease, and more')
        void sharedDrafts.syncNow(at(0).work.accountId)
        await Promise.race([saving?.promise, pause(1_000)])
        const answer = await its.move(...asked)
        moved?.resolve()
        await Promise.race([saved?.promise, pause(1_000)])
        return answer
      }
      connect({ ...its, save, move }, life)
    }
    const front = at(0).editor()
    front.type('Lease')
    await whenSynced()
    await at(0).reconnect()
    await at(0).shared.setOwner(front.id, 'mine')
    await whenSynced()
    expect(at(0).mark(front.id)).toMatchObject({ isMine: true })
    expect([at(0).list(), at(1).list()]).toEqual([['Lease, and more'], []])
  })

  test('isn’t made of one that another has just put in the Outbox', async () => {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const { outbox } = at(0).work.parts
    outbox.shared.disconnect()
    const sends = [at(1).send(front.id)]
    await at(1).whenSynced()
    await expect(at(0).shared.setOwner(front.id, 'mine')).rejects.toBeInstanceOf(AppFailure)
    sends.push(at(0).send(front.id))
    await at(0).reconnect()
    await until(() => sends.every((id, index) => at(index).state(id) !== 'ready'), at(0))
    await until(() => packages() > 0, at(1))
    await whenSynced()
    expect(packages()).toBe(1)
  })
})

describe('joining and leaving', () => {
  test('shares local drafts on joining, and leaves shared ones with the office', async () => {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    for (const name of ['One', 'Two', 'Three']) third.editor().type(name)
    const own = third.editor()
    own.type('My own')
    await third.join('Counter 3')
    workstations.push(third)
    await third.shared.setOwner(own.id, 'mine')
    await whenSynced()
    expect(at(0).list()).toEqual(['One', 'Three', 'Two'])
    const there = await two.office.sql('SELECT FROM office.shared_item WHERE gone_at IS NULL')
    expect(there).toHaveLength(3)
    await third.leave()
    workstations.pop()
    expect(third.list()).toEqual(['My own'])
    await whenSynced()
    expect(at(0).list()).toEqual(['One', 'Three', 'Two'])
    // A draft that someone kept to this workstation stays there.
    await third.join('Counter 5')
    workstations.push(third)
    await whenSynced()
    expect(at(0).list()).toEqual(['One', 'Three', 'Two'])
    expect(third.mark(own.id)).toMatchObject({ isMine: true })
  })

  test.each(['without an answer', 'before recording it'])(
    'that stops when the office has removed a draft, %s, returns it to everyone after an undo',
    { tags: ['full'] },
    async (when) => {
      const { send } = await waiting()
      const { shared } = at(0)
      if (when === 'before recording it') shared.stopSharing = () => expect.fail('It ends here.')
      else {
        const connect = shared.connect.bind(shared)
        shared.connect = (office, life) =>
          connect(
            { ...office, removeSent: (...its) => office.removeSent(...its).then(() => expect.fail('No answer.')) },
            life
          )
        await at(0).reconnect()
      }
      await expect(at(0).leave()).rejects.toThrow(/./)
      expect(await two.office.sql('SELECT FROM office.shared_item WHERE gone_with_send = $1', [send])).toHaveLength(1)
      await at(0).killAndRestart()
      // The other workstation has read that it is gone, in this run or an earlier one.
      if (when !== 'without an answer') await at(1).killAndRestart()
      const { outbox } = at(0).work.parts
      await outbox.shared.withholdForUndo(outbox.get(send))
      outbox.undo(send)
      await whenSynced()
      for (const workstation of workstations) {
        expect(workstation.list()).toEqual(['Lease'])
        const [draft] = workstation.work.parts.drafts.list([workstation.work.accountId], {}).rows
        expect(workstation.mark(draft?.id ?? '')).toMatchObject({ isMine: false, versions: 0 })
      }
      expect(await two.office.sql('SELECT FROM office.shared_item WHERE gone_at IS NULL')).toHaveLength(1)
      expect(packages()).toBe(0)
    }
  )

  test('returns the same draft if its package is undone while the office counts it as sent', {
    tags: ['full']
  }, async () => {
    const { send } = await waiting()
    at(0).shared.stopSharing = () => expect.fail('It ends here.')
    await expect(at(0).leave()).rejects.toThrow(/./)
    const { work } = at(0)
    const [whenSaved, undone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const startAgain = work.restart.bind(work)
    work.restart = () => {
      const parts = startAgain()
      const { sharedDrafts } = parts
      const connect = sharedDrafts.connect.bind(sharedDrafts)
      sharedDrafts.connect = (office, life) => connect({ ...office, save: (...its) => answeredLate(office, its) }, life)
      return parts
    }
    const answeredLate = async (office: OfficeDrafts, its: Parameters<OfficeDrafts['save']>) => {
      const saved = await office.save(...its)
      whenSaved.resolve()
      await undone.promise
      return saved
    }
    const restarted = at(0).killAndRestart()
    await whenSaved.promise
    const { outbox } = work.parts
    await outbox.shared.withholdForUndo(outbox.get(send))
    outbox.undo(send)
    undone.resolve()
    await restarted
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease'])
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE gone_at IS NULL')).toHaveLength(1)
  })

  test('doesn’t share a draft whose package may have been sent', async () => {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    const lease = third.editor()
    lease.type('Lease')
    third.work.line.setFault('cut')
    const send = third.send(lease.id)
    await until(() => third.state(send) === 'uncertain', third)
    await third.join('Counter 3')
    workstations.push(third)
    await whenSynced()
    expect(at(0).list()).toEqual([])
  })

  test('keeps text added to a draft that was sent meanwhile as another draft', async () => {
    const lease = at(0).editor()
    lease.type('Lease')
    await lease.close()
    await whenSynced()
    await at(1).leave({ without: true })
    at(1).editor(lease.id).type('Lease, further')
    const send = at(0).send(lease.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await at(1).join('Counter 4')
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, further'])
  })

  test('keeps text added to a draft whose refused package another sent meanwhile, even if that is read first', async () => {
    const lease = at(1).editor()
    lease.type('Lease')
    await lease.close()
    at(0).disconnect()
    at(1).work.line.setFault({ status: 400 }, (method) => method === 'POST')
    const send = at(1).send(lease.id)
    await until(() => at(1).state(send) === 'refused', at(1))
    at(1).work.line.setFault('pass')
    await at(0).reconnect()
    await at(1).leave({ without: true })
    at(1).editor(lease.id).type('Lease, further')
    at(0).work.parts.outbox.retry(send)
    await until(() => at(0).state(send) === 'sent', at(0))
    const { sharedDrafts, outbox } = at(1).work.parts
    const connect = sharedDrafts.connect.bind(sharedDrafts)
    let connectDrafts: () => void = () => expect.fail('The workstation isn’t connected.')
    sharedDrafts.connect = (office, life) => {
      connectDrafts = () => connect(office, life)
    }
    // Only its drafts aren’t synced yet.
    await at(1)
      .join('Counter 4')
      .catch(() => undefined)
    await outbox.shared.syncNow(at(1).work.accountId)
    expect(at(1).state(send)).toBe('sent')
    connectDrafts()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, further'])
  })

  test('without the server keeps all drafts here, and rejoining duplicates none', async () => {
    at(0).editor().type('Lease')
    await whenSynced()
    await at(1).leave({ without: true })
    expect(at(1).list()).toEqual(['Lease'])
    await at(1).join('Counter 4')
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease'])
    expect(await two.office.sql('SELECT FROM office.shared_item_conflict')).toEqual([])
  })
})

/** Removes all sends, as on a restored server that lost them. */
const forgetSends = () =>
  two.office.sql(
    ['DISABLE', 'ENABLE']
      .map((how) => ['answer', 'attempt'].map((of) => `ALTER TABLE office.${of} ${how} TRIGGER append_only`).join(';'))
      .join(';TRUNCATE office.send CASCADE;')
  )

describe('a restored server', () => {
  /** As a person sends a draft once the server was restored: they resume the outbox first. */
  async function sentFrom(workstation: Workstation, draft: string): Promise<void> {
    const { work } = workstation
    await expect.poll(() => work.parts.outbox.state(work.accountId).office, { timeout: 60_000 }).toBe('connected')
    await work.parts.outbox.shared.pause(work.accountId, false)
    const send = workstation.send(draft)
    await until(() => workstation.state(send) === 'sent', workstation)
    await workstation.whenSynced()
  }

  /** Someone puts a draft in the trash, and then deletes it permanently. */
  async function deleteAt(workstation: Workstation, id: string): Promise<void> {
    workstation.work.parts.drafts.remove(id)
    await workstation.whenSynced()
    workstation.work.parts.drafts.erase(id)
    await workstation.whenSynced()
  }

  /** A draft that all of these workstations have. */
  async function sharedDraft(all: readonly Workstation[] = workstations) {
    const editor = at(0).editor()
    editor.type('Lease')
    await editor.close()
    for (const workstation of all) await workstation.whenSynced()
    return editor
  }

  /** Someone opens a draft, types each of these texts, and leaves it. */
  async function writeAt(workstation: Workstation, id: string, ...texts: string[]): Promise<void> {
    const editor = workstation.editor(id)
    for (const text of texts) {
      editor.type(text)
      await workstation.whenSynced()
    }
    await editor.close()
    await workstation.whenSynced()
  }

  /** A draft that has had two conflicting contents since a dump. */
  async function besideSinceDump() {
    const front = at(0).editor()
    front.type('Lease')
    await front.close()
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    const back = at(1).editor(front.id)
    front.type('Lease by front')
    back.type('Lease by back')
    await whenSynced()
    return { front, back, putBack: restoreServer }
  }

  test('loses nothing that was written while it was unreachable', async () => {
    const front = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    at(0).disconnect()
    front.type('Lease, not told yet')
    const back = at(1).editor(front.id)
    back.type('Lease by back')
    await back.close()
    at(1).disconnect()
    await restoreServer()
    await at(1).reconnect()
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) {
      // Whichever arrived first is the draft's content; the other is a conflicting version.
      const texts = [workstation.text(front.id), ...workstation.versions(front.id).map(([, text]) => text)]
      expect(texts.sort()).toEqual(['Lease by back', 'Lease, not told yet'])
    }
  })

  test('doesn’t overwrite later content before anyone has noticed the restore', async () => {
    const lease = await sharedDraft()
    const [stored] = await two.office.sql<Record<'version' | 'revision' | 'sealed', unknown>>(
      `SELECT version, revision, sealed FROM office.shared_item WHERE kind = 'draft'`
    )
    const further = at(1).editor(lease.id)
    further.type('Lease, and further')
    await further.close()
    await whenSynced()
    await two.office.sql(
      `WITH feed AS (UPDATE office.shared_item_feed SET seq = seq + 1 WHERE kind = 'draft' RETURNING seq AS next)
       UPDATE office.shared_item SET version = $1, revision = $2, sealed = $3, seq = next, body_seq = next FROM feed WHERE kind = 'draft'`,
      [stored?.version, stored?.revision, stored?.sealed]
    )
    await whenSynced()
    for (const workstation of workstations) expect(workstation.text(lease.id)).toBe('Lease, and further')
  })

  test('with another content of a higher revision leaves local content among the versions', {
    tags: ['full']
  }, async () => {
    const lease = await sharedDraft()
    const [stored] = await two.office.sql<{ sealed: Buffer }>(
      `SELECT sealed FROM office.shared_item WHERE kind = 'draft'`
    )
    const further = at(0).editor(lease.id)
    further.type('Lease, and further')
    await further.close()
    await whenSynced()
    for (const workstation of workstations) await workstation.powerOff()
    // As if a workstation that is gone had edited further without this one's knowing, and had reported that first.
    await two.office.sql('SELECT office.begin_life(now())')
    await two.office.sql(
      `WITH feed AS (UPDATE office.shared_item_feed SET seq = seq + 1 WHERE kind = 'draft' RETURNING seq AS next)
       UPDATE office.shared_item SET version = gen_random_uuid(), revision = 9, sealed = $1, seq = next, body_seq = next FROM feed
       WHERE kind = 'draft'`,
      [stored?.sealed]
    )
    for (const workstation of workstations) await workstation.killAndRestart()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.text(lease.id)).toBe('Lease')
      expect(workstation.everything()).toContain('Lease, and further')
    }
  })

  test.each([
    ['if another continues immediately', true],
    ['if it was synced first', false]
  ])('keeps text from between two restores among the versions, %s', async (_where, goesOn) => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    async function write(index: number, text: string) {
      const editor = at(index).editor(lease.id)
      editor.type(text)
      await editor.close()
      await at(index).whenSynced()
    }
    await at(1).powerOff()
    await write(0, 'Lease, before')
    await write(0, 'Lease, before, further')
    await at(0).powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    await write(1, 'Lease, between')
    await at(1).powerOff()
    await restoreServer()
    if (!goesOn) await at(1).killAndRestart()
    await at(0).killAndRestart()
    if (goesOn) await write(0, 'Lease, before, further, since')
    if (goesOn) await at(1).killAndRestart()
    await whenSynced()
    expect(at(1).text(lease.id)).toBe(goesOn ? 'Lease, before, further, since' : 'Lease, before, further')
    expect(at(1).everything()).toContain('Lease, between')
  })

  test('regains a lost conflicting version, and allows sending once someone has decided', async () => {
    const { front, back, putBack: restoreServer } = await besideSinceDump()
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    for (const editor of [front, back]) await editor.close()
    await whenSynced()
    for (const workstation of workstations) {
      expect(() => workstation.shared.assertSendable(front.id)).toThrow(AppFailure)
      expect(workstation.everything()).toContain('Lease by front')
      expect(workstation.everything()).toContain('Lease by back')
    }
    await at(0).shared.resolveConflicts(front.id)
    await whenSynced()
    for (const workstation of workstations) workstation.shared.assertSendable(front.id)
  })

  test('shows a conflicting version that it has again, also where the draft had continued as another', async () => {
    const { front, back } = await besideSinceDump()
    for (const editor of [front, back]) await editor.close()
    const restoreServer = await dumpOf(two.office)
    at(0).disconnect()
    await writeAt(at(0), front.id, 'Lease by front, further').catch(() => undefined)
    await at(1).shared.resolveConflicts(front.id)
    await deleteAt(at(1), front.id)
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease by front, further'])
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    // A draft with undecided versions can’t be deleted.
    for (const workstation of workstations) {
      expect(workstation.list()).toEqual(['Lease by front', 'Lease by front, further'])
      expect(workstation.versions(front.id)).toEqual([['Counter 2', 'Lease by back', true]])
    }
  })

  test('keeps lost changes to a draft that was sent without them as another draft', { tags: ['full'] }, async () => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    await writeAt(at(1), lease.id, 'Lease, and more')
    await at(1).powerOff()
    await restoreServer()
    await at(0).killAndRestart()
    await sentFrom(at(0), lease.id)
    await at(1).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and more'])
    expect(packages()).toBe(1)
  })

  test.each([
    ['unchanged', false],
    ['after further changes', true]
  ])('keeps lost changes as another draft if the draft was deleted %s', { tags: ['full'] }, async (_how, isWritten) => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    await writeAt(at(1), lease.id, 'Lease, and more', 'Lease, and even more')
    await at(1).powerOff()
    await restoreServer()
    await at(0).killAndRestart()
    const front = at(0).editor(lease.id)
    for (const text of isWritten ? ['Lease since', 'Lease since, twice', 'Lease since, three times'] : []) {
      front.type(text)
      await at(0).whenSynced()
    }
    await front.close()
    await deleteAt(at(0), lease.id)
    await at(1).killAndRestart()
    await whenSynced()
    for (const workstation of workstations)
      expect([workstation.list(), workstation.list(true)]).toEqual([['Lease, and even more'], []])
  })

  test('doesn’t bring back a draft that someone disconnected had deleted with all its content', {
    tags: ['full']
  }, async () => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    lease.type('Lease, and more')
    await lease.close()
    await whenSynced()
    await at(1).powerOff()
    at(0).disconnect()
    at(0).work.parts.drafts.remove(lease.id)
    at(0).work.parts.drafts.erase(lease.id)
    await restoreServer()
    await at(0).reconnect()
    await at(0).whenSynced()
    await at(1).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect([workstation.list(), workstation.list(true)]).toEqual([[], []])
  })

  test.each([
    ['first', [0, 1]],
    ['last', [1, 0]]
  ] as const)(
    'doesn’t bring back a sent draft that was deleted since, its sender returning %s',
    { tags: ['full'] },
    async (_when, order) => {
      const third = await openOfficeWorkstation(Workstation, two.office, at(0))
      await third.join('Counter 3')
      const lease = await sharedDraft([...workstations, third])
      const restoreServer = await dumpOf(two.office)
      await at(0).powerOff()
      await writeAt(at(1), lease.id, 'Lease, and more', 'Lease, and even more')
      await third.whenSynced()
      await third.powerOff()
      const send = at(1).send(lease.id)
      await until(() => at(1).state(send) === 'sent', at(1))
      await at(1).whenSynced()
      await at(1).powerOff()
      await restoreServer()
      await forgetSends()
      await at(0).killAndRestart()
      await deleteAt(at(0), lease.id)
      const returning = [at(1), third] as const
      for (const index of order) await returning[index].killAndRestart()
      for (const workstation of [...workstations, third, ...workstations, third]) await workstation.whenSynced()
      for (const workstation of [...workstations, third])
        expect([workstation.list(), workstation.list(true)]).toEqual([[], []])
      expect(packages()).toBe(1)
    }
  )

  test('keeps lost changes to a deleted draft, even if it refused them at first', { tags: ['full'] }, async () => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    await writeAt(at(1), lease.id, 'Lease, and more')
    await at(1).powerOff()
    await restoreServer()
    await at(0).killAndRestart()
    await deleteAt(at(0), lease.id)
    await two.office.mutated(
      'restore_item',
      'next := next_item_seq(',
      `RAISE EXCEPTION 'too slow'; next := next_item_seq(`,
      async () => {
        await at(1)
          .killAndRestart()
          .catch(() => undefined)
        await at(1)
          .whenSynced()
          .catch(() => undefined)
      }
    )
    await whenSynced()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and more'])
  })

  test('doesn’t bring back a deleted draft if one that only heard of the deletion returns first', {
    tags: ['full']
  }, async () => {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    const lease = await sharedDraft([...workstations, third])
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    await writeAt(third, lease.id, 'Lease, and more')
    await third.powerOff()
    await at(0).whenSynced()
    await deleteAt(at(0), lease.id)
    await at(1).killAndRestart()
    for (const workstation of workstations) await workstation.powerOff()
    await restoreServer()
    for (const workstation of [at(1), third, at(0)]) await workstation.killAndRestart()
    for (const workstation of [...workstations, third]) await workstation.whenSynced()
    for (const workstation of [...workstations, third])
      expect([workstation.list(), workstation.list(true)]).toEqual([[], []])
  })

  test('keeps lost changes to a draft that was sent after further saves as another draft', {
    tags: ['full']
  }, async () => {
    const lease = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    await writeAt(at(1), lease.id, 'Lease, and more')
    await at(1).powerOff()
    await restoreServer()
    await at(0).killAndRestart()
    const front = at(0).editor(lease.id)
    for (const text of ['Lease since', 'Lease since, twice', 'Lease since, three times']) {
      front.type(text)
      await at(0).whenSynced()
    }
    await front.close()
    await sentFrom(at(0), lease.id)
    await at(1).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and more'])
    expect(packages()).toBe(1)
  })

  /** One workstation alone has an undecided conflicting version, and the server is restored to before either was synced. */
  async function besideBeforeRestore() {
    const front = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    at(1).disconnect()
    front.type('Lease by front')
    await front.close()
    await at(0).whenSynced()
    await at(0).powerOff()
    at(1).editor(front.id).type('Lease by back')
    await at(1).reconnect()
    expect(
      at(1)
        .versions(front.id)
        .map(([, text, isOpen]) => [text, isOpen])
    ).toEqual([['Lease by back', true]])
    await at(1).powerOff()
    await restoreServer()
    return front
  }

  test('keeps a lost conflicting version of a sent draft as another draft', { tags: ['full'] }, async () => {
    const front = await besideBeforeRestore()
    await at(0).killAndRestart()
    await sentFrom(at(0), front.id)
    await at(1).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease by back'])
    expect(packages()).toBe(1)
  })

  test.each([0, 1])(
    'keeps a conflicting version as another draft if the draft is sent once all are back (by %i)',
    { tags: ['full'] },
    async (sender) => {
      const front = await besideBeforeRestore()
      await at(0).killAndRestart()
      const send = at(0).send(front.id)
      await at(0).whenSynced()
      await at(1).killAndRestart()
      await whenSynced()
      const { work } = at(sender)
      await expect.poll(() => work.parts.outbox.state(work.accountId).office, { timeout: 60_000 }).toBe('connected')
      if (sender === 1) await at(0).powerOff()
      await work.parts.outbox.shared.pause(work.accountId, false)
      await until(() => at(sender).state(send) === 'sent', at(sender))
      await at(sender).whenSynced()
      if (sender === 1) await at(0).killAndRestart()
      await whenSynced()
      await whenSynced()
      for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease by back'])
      expect(packages()).toBe(1)
    }
  )

  test('brings back only the conflicting version when told of a send after that was decided', {
    tags: ['full']
  }, async () => {
    const front = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    at(1).editor(front.id).type('Lease by back')
    at(0).editor(front.id).type('Lease by front')
    await at(0).whenSynced()
    await at(1).whenSynced()
    const counts = at(1).text(front.id)
    expect(at(1).versions(front.id)).toHaveLength(1)
    await at(1).powerOff()
    await at(0).whenSynced()
    await at(0).shared.resolveConflicts(front.id)
    await at(0).whenSynced()
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await at(0).powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    await at(0).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.list()).not.toContain(counts)
      expect(workstation.list()).toHaveLength(1)
    }
    expect(packages()).toBe(1)
  })

  test('keeps a conflicting version that is saved just before a lost send is told', async () => {
    const front = await sharedDraft()
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    const restoreServer = await dumpOf(two.office)
    for (const workstation of [at(1), third]) await workstation.powerOff()
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await at(0).powerOff()
    await restoreServer()
    await forgetSends()
    await third.killAndRestart()
    await writeAt(third, front.id, 'Lease by third')
    await third.powerOff()
    at(1).editor(front.id).type('Lease by back')
    const { work } = at(1)
    const startAgain = work.restart.bind(work)
    work.restart = () => {
      const parts = startAgain()
      const { sharedDrafts } = parts
      const connect = sharedDrafts.connect.bind(sharedDrafts)
      sharedDrafts.connect = (office, life) => {
        const save: OfficeDrafts['save'] = async (...its) => {
          const saved = await office.save(...its)
          if (saved.outcome === 'conflict') await at(0).killAndRestart()
          return saved
        }
        connect({ ...office, save }, life)
      }
      return parts
    }
    await at(1).killAndRestart()
    await third.killAndRestart()
    workstations.push(third)
    await whenSynced()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.everything()).toContain('Lease by back')
    expect(packages()).toBe(1)
  })

  test('regains a conflicting version that only the workstation that wrote it knew', { tags: ['full'] }, async () => {
    const front = await sharedDraft()
    at(0).disconnect()
    const back = at(1).editor(front.id)
    back.type('Lease by back')
    await back.close()
    await at(1).whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).editor(front.id).type('Lease by front')
    await at(0).reconnect()
    expect(at(0).text(front.id)).toBe('Lease by back')
    for (const workstation of workstations) await workstation.powerOff()
    // As before it was read back.
    at(0).work.parts.db.exec('UPDATE draft_versions SET workstation = NULL')
    at(1).work.parts.db.exec(`DELETE FROM draft_versions WHERE conflict IS NOT NULL`)
    await restoreServer()
    for (const workstation of workstations) await workstation.killAndRestart()
    await whenSynced()
    for (const workstation of workstations)
      expect(workstation.versions(front.id)).toEqual([['Front desk', 'Lease by front', true]])
  })

  test('keeps text added to a draft whose uncertain send has arrived', async () => {
    const lease = await sharedDraft()
    await at(0).work.parts.outbox.shared.pause(at(0).work.accountId, true)
    await at(0).powerOff()
    const send = at(0).send(lease.id)
    at(0).work.parts.db.prepare('UPDATE sends SET first_attempted_at = 1 WHERE id = ?').run(send)
    // The restored server doesn't know of the send, and learns that it may have arrived only after someone has edited
    // further.
    await two.office.sql('SELECT office.begin_life(now())')
    await at(1).reconnect()
    const further = at(1).editor(lease.id)
    further.type('Lease, further')
    await further.close()
    await at(1).whenSynced()
    await at(0).killAndRestart()
    await at(1).whenSynced()
    await two.office.sql(`UPDATE office.send SET state = 'sent', concluded_at = now(), epoch = 9 WHERE id = $1`, [send])
    const lists = async () => {
      await whenSynced()
      return workstations.map((workstation) => workstation.list())
    }
    await expect.poll(lists, { timeout: 60_000 }).toEqual([['Lease, further'], ['Lease, further']])
  })

  test('regains a lost conflict as undecided everywhere, even after its workstation rejoined', {
    tags: ['full']
  }, async () => {
    const { front, putBack: restoreServer } = await besideSinceDump()
    expect(at(0).versions(front.id)).toHaveLength(1)
    await at(0).leave({ without: true })
    at(1).disconnect()
    await restoreServer()
    await at(0).join('Front desk again')
    await at(1).reconnect()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.versions(front.id).filter(([, , isOpen]) => isOpen)).toHaveLength(1)
      expect(workstation.everything()).toContain('Lease by front')
      expect(workstation.everything()).toContain('Lease by back')
    }
  })

  test('has a conflict undecided everywhere after losing and regaining it', { tags: ['full'] }, async () => {
    const { front, back, putBack: restoreServer } = await besideSinceDump()
    for (const editor of [front, back]) await editor.close()
    await whenSynced()
    const putForward = await dumpOf(two.office)
    for (const put of [restoreServer, putForward]) {
      for (const workstation of workstations) workstation.disconnect()
      await put()
      for (const workstation of workstations) await workstation.reconnect()
      await whenSynced()
    }
    for (const workstation of workstations) {
      expect(workstation.versions(front.id).map(([, , isOpen]) => isOpen)).toEqual([true])
      expect(() => workstation.shared.assertSendable(front.id)).toThrow(AppFailure)
    }
  })

  test('asks nobody to decide between equal contents with different version ids', { tags: ['full'] }, async () => {
    const restoreServer = await dumpOf(two.office)
    const lease = await sharedDraft()
    at(1)
      .work.parts.db.prepare('UPDATE office_drafts SET based_on = ?')
      .run(JSON.stringify([randomUUID()]))
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    for (const workstation of workstations) workstation.shared.assertSendable(lease.id)
    expect(await two.office.sql('SELECT is_resolved FROM office.shared_item_conflict')).toEqual([{ is_resolved: true }])
  })

  test('doesn’t bring back a draft that was sent', async () => {
    const front = await sharedDraft()
    const [before] = await two.office.sql<{ sealed: Buffer }>('SELECT sealed FROM office.shared_item WHERE id = $1', [
      front.id
    ])
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await whenSynced()
    expect(at(1).state(send)).toBe('sent')
    await two.office.sql(
      `UPDATE office.shared_item SET gone_at = NULL, sealed = $2, seq = seq + 1, body_seq = seq + 1 WHERE id = $1`,
      [front.id, before?.sealed]
    )
    await two.office.sql('UPDATE office.shared_item_feed SET seq = seq + 1')
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(packages()).toBe(1)
  })

  /** Restores the server to before a draft was sent, which only its sender knows. */
  async function sentAndLost(since?: () => Promise<void>): Promise<string> {
    const front = await sharedDraft()
    const restoreServer = await dumpOf(two.office)
    for (const workstation of workstations.slice(1)) await workstation.powerOff()
    const send = at(0).send(front.id)
    await until(() => at(0).state(send) === 'sent', at(0))
    await since?.()
    await at(0).powerOff()
    await forgetSends()
    await restoreServer()
    return front.id
  }

  test('keeps text added to a sent draft as another draft, the same one everywhere', async () => {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    workstations.push(third)
    const sent = await sentAndLost()
    await at(1).killAndRestart()
    const back = at(1).editor(sent)
    back.type('Lease, and further')
    await back.close()
    await at(1).whenSynced()
    await third.killAndRestart()
    expect(third.list()).toEqual(['Lease, and further'])
    await at(0).killAndRestart()
    await whenSynced()
    const ids = workstations.map((workstation) =>
      workstation.work.parts.drafts.list([workstation.work.accountId], {}).rows.map(({ id }) => id)
    )
    expect(new Set(ids.map((its) => its.join())).size).toBe(1)
    expect(ids[0]).not.toContain(sent)
    for (const workstation of workstations) expect(workstation.list()).toEqual(['Lease, and further'])
    expect(await two.office.sql('SELECT FROM office.shared_item_conflict')).toEqual([])
    expect(packages()).toBe(1)
  })

  test('doesn’t bring back a draft that continued as another one and was sent', { tags: ['full'] }, async () => {
    const sent = await sentAndLost()
    await at(1).killAndRestart()
    const back = at(1).editor(sent)
    back.type('Lease, and further')
    await back.close()
    await at(1).whenSynced()
    const [before] = await two.office.sql<{ sealed: Buffer }>('SELECT sealed FROM office.shared_item WHERE id = $1', [
      sent
    ])
    await at(0).killAndRestart()
    await whenSynced()
    const { accountId, parts } = at(1).work
    const [other] = parts.drafts.list([accountId], {}).rows
    await until(() => parts.outbox.state(accountId).office === 'connected', at(1))
    await parts.outbox.shared.pause(accountId, false)
    const send = at(1).send(other?.id ?? '')
    await until(() => at(1).state(send) === 'sent', at(1))
    await whenSynced()
    // The first draft is back until its sender reports that it was sent.
    await at(0).powerOff()
    await two.office.sql(
      `UPDATE office.shared_item SET gone_at = NULL, gone_with_send = NULL, sealed = $2, seq = seq + 5, body_seq = seq + 5 WHERE id = $1`,
      [sent, before?.sealed]
    )
    await two.office.sql('UPDATE office.shared_item_feed SET seq = seq + 5')
    await at(1).whenSynced()
    expect(at(1).list()).toEqual(['Lease, and further'])
    await at(0).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(packages()).toBe(2)
  })

  test('learns of a send from a workstation that has rejoined since', { tags: ['full'] }, async () => {
    const sent = await sentAndLost(async () => {
      await at(0).leave()
      await at(0).join('Front desk, again')
    })
    await at(1).killAndRestart()
    expect(at(1).list()).toEqual(['Lease'])
    await at(0).killAndRestart()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.list()).toEqual([])
    expect(
      await two.office.sql('SELECT FROM office.send WHERE draft = $1 AND state = $2', [sent, 'sent'])
    ).toHaveLength(1)
  })

  test('regains lost drafts and changes without conflicts', async () => {
    const front = at(0).editor()
    front.type('Lease')
    const other = at(1).editor()
    other.type('Deed')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    front.type('Lease, later')
    await whenSynced()
    const lateEditor = at(0).editor()
    lateEditor.type('Begun later')
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    await at(1).reconnect()
    at(1).editor(other.id).type('Deed, since')
    await at(0).reconnect()
    await whenSynced()
    for (const workstation of workstations) {
      expect(workstation.list()).toEqual(['Begun later', 'Deed, since', 'Lease, later'])
      expect(workstation.versions(front.id)).toEqual([])
    }
  })
})

describe('three people editing at once', () => {
  /**
   * Lets three people act at random.
   * @param rounds in each of which every one of the three does something.
   */
  async function work(rounds: number, seed: number): Promise<{ typed: string[]; found: string }> {
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    workstations.push(third)
    let state = seed
    const chance = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * limit)
    }
    const first = at(0).editor()
    first.type('start')
    await whenSynced()
    const editors = workstations.map((workstation) => workstation.editor(first.id))
    const typed: string[] = []
    for (let round = 0; round < rounds; round++) {
      for (const [index, editor] of editors.entries()) {
        const workstation = at(index)
        switch (chance(7)) {
          case 0:
            workstation.disconnect()
            break
          case 1:
            await workstation.reconnect()
            break
          case 2:
            await workstation.shared.takeOver(first.id).catch(() => undefined)
            break
          case 3:
            await workstation.whenSynced().catch(() => undefined)
            editor.read()
            break
          case 4:
            await workstation.killAndRestart().catch(() => undefined)
            break
          default: {
            const word = `w${round}-${index}`
            // Adds to what is shown, as a person would.
            editor.type(`${workstation.text(first.id)} ${word}`)
            typed.push(word)
          }
        }
      }
    }
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    return { typed, found: workstations.map((workstation) => workstation.everything()).join('\n') }
  }

  for (const seed of [1, 2, 3]) {
    const tags = seed === 1 ? [] : ['full']
    test(`every word that was typed is in the draft or in one of its versions (seed ${seed})`, { tags }, async () => {
      const { typed, found } = await work(12, seed)
      const words = new Set(found.split(/\s+/))
      expect(typed.filter((word) => !words.has(word))).toEqual([])
      const texts = new Set(workstations.map((workstation) => workstation.list().join('|')))
      expect(texts.size).toBe(1)
    })
  }

  test('words are lost with a mutant in which the last write wins', { tags: ['full'] }, async () => {
    await two.office.mutated(
      'save_item',
      'its.version = ANY (p_based_on) AND NOT is_held_by_another(its)',
      'true',
      async () => {
        const { typed, found } = await work(12, 1)
        const words = new Set(found.split(/\s+/))
        expect(typed.filter((word) => !words.has(word))).not.toEqual([])
      }
    )
  })
})
