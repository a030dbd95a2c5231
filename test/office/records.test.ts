// Presets and saved views that an office's workstations share: connected and apart, with the server running, unreachable
// and restored. Nothing may be lost or duplicated, and a removal applies everywhere.
import { randomBytes, randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sharedId } from '../../src/main/core/lib/shared-id.ts'
import { changeSingleRecord } from '../../src/main/core/office/administered-records.ts'
import { MAX_TRANSFER_BYTES } from '../../src/main/core/office/office-drafts.ts'
import type { RecordToPut } from '../../src/main/core/office/records.ts'
import { itemIdentityOf, seal } from '../../src/main/core/office/sealing.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { DocumentQuery } from '../../src/shared/contract/index.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { dumpOf, OfficeWorkstation, openOfficeWorkstation, twoWorkstations } from '../fixtures/office-workstation.ts'

class Workstation extends OfficeWorkstation {
  preset(name: string, document: string, id?: string): string {
    return this.work.parts.presets.save(this.work.accountId, name, forms({ items: [form({ Name: document })] }), id).id
  }
  presets(): string[] {
    const { presets } = this.work.parts
    return presets.list(this.work.accountId).map(({ id, name }) => {
      const [item] = presets.get(id).composition.items as { Name?: string }[]
      return `${name}: ${item?.Name}`
    })
  }
  remove(id: string): void {
    this.work.parts.presets.remove(id)
  }
  view(name: string, search: string, id?: string, tell = false): string {
    const query = DocumentQuery.parse({ search })
    return this.work.parts.views.save(this.work.accountId, { name, query, tell, id }).id
  }
  views(): string[] {
    const suffix = (tell: boolean) => (tell ? ', told' : '')
    return this.work.parts.views
      .list(this.work.accountId)
      .map(({ name, query, tell }) => `${name}: ${query.search}${suffix(tell)}`)
      .sort()
  }
  marks() {
    const { presets, records } = this.work.parts
    return records
      .withSyncState('preset', this.work.accountId, presets.list(this.work.accountId))
      .map(({ office: its }) => its)
  }
}

const two = twoWorkstations(Workstation)
const { at, workstations, joinBoth, whenSynced } = two
function expectPresets(...expected: unknown[]): void {
  for (const workstation of workstations) expect(workstation.presets()).toEqual(expected)
}

/** Compares the contents, ignoring their names. */
function expectContents(...expected: string[]): void {
  for (const workstation of workstations) {
    const contents = workstation.presets().map((text) => text.replace(/^.*: /, ''))
    expect(contents.sort()).toEqual(expected)
  }
}

/** A third workstation's connections to the server, and its access to the records that the first one shares. */
async function openThird() {
  const { pool, officeId, records } = await two.third()
  const put = (kind: 'preset' | 'view', some: (Pick<RecordToPut, 'id' | 'content'> & { basedOn?: string[] })[]) =>
    records.put(
      kind,
      officeId,
      some.map((one) => ({ basedOn: [], ...one, version: randomUUID() }))
    )
  const versionOf = async (id: string) =>
    (await records.changes('preset', officeId, 0, 100)).find((change) => change.id === id)?.version ?? ''
  return { pool, records, officeId, put, versionOf }
}
const presetOf = (name: string, document: string) => ({
  name,
  composition: forms({ items: [form({ Name: document })] }),
  updatedAt: 1
})
/** Replaces what the server has of a preset, without notifying anyone. */
async function sealedAs(id: string, text: string): Promise<void> {
  const [row] = await two.office.sql<{ account: string }>('SELECT account FROM office.shared_item WHERE id = $1', [id])
  const sealed = seal(two.office.key, itemIdentityOf('preset', row?.account ?? '', id), Buffer.from(text))
  await two.office.sql('UPDATE office.shared_item SET sealed = $1 WHERE id = $2', [sealed, id])
}

describe('joining', () => {
  test('shares all presets and views with every workstation', async () => {
    for (let each = 0; each < 45; each++) at(0).preset(`Front ${each}`, 'Lease')
    at(0).view('Front view', 'lease', undefined, true)
    at(1).preset('Back', 'Deed')
    await joinBoth()
    await whenSynced()
    for (const workstation of workstations) expect(workstation.presets()).toHaveLength(46)
    expect(at(0).views()).toEqual(['Front view: lease, told'])
    // Whether a view notifies is each workstation's own setting.
    expect(at(1).views()).toEqual(['Front view: lease'])
    expect(
      await two.office.sql('SELECT kind, count(*)::integer FROM office.shared_item GROUP BY kind ORDER BY kind')
    ).toEqual([
      { kind: 'preset', count: 46 },
      { kind: 'view', count: 1 }
    ])
  })

  test('merges presets and views that are alike in name and content', async () => {
    for (const workstation of workstations) {
      workstation.preset('Lease', 'Lease')
      workstation.preset('Deed', `Deed of ${workstations.indexOf(workstation)}`)
      workstation.view('Waiting', 'lease', undefined, workstation === at(1))
    }
    await joinBoth()
    await whenSynced()
    const names = ['Deed', 'Deed (2)', 'Lease']
    for (const workstation of workstations)
      expect(workstation.presets().map((text) => text.split(':')[0])).toEqual(names)
    expect(workstations.map((workstation) => workstation.views())).toEqual([
      ['Waiting: lease'],
      ['Waiting: lease, told']
    ])
    const [, , lease] = at(1).work.parts.presets.list(at(1).work.accountId)
    at(1).preset('Lease', 'Lease of a shop', lease?.id)
    await whenSynced()
    expect(at(0).presets()).toContain('Lease: Lease of a shop')
    at(0).remove(at(0).work.parts.presets.list(at(0).work.accountId)[2]?.id ?? '')
    await whenSynced()
    for (const workstation of workstations) expect(workstation.presets()).toHaveLength(2)
  })

  test('renames one of two presets with the same name, in the same way everywhere', async () => {
    at(0).preset('Lease', 'Lease by front')
    at(1).preset('Lease', 'Lease by back')
    await joinBoth()
    await whenSynced()
    expect(at(0).presets()).toEqual(at(1).presets())
    expect(
      at(0)
        .presets()
        .map((text) => text.split(':')[0])
    ).toEqual(['Lease', 'Lease (2)'])
  })

  test('doesn’t share the organisation’s own presets and views', async () => {
    const { presets, views } = at(0).work.parts
    const id = sharedId(at(0).work.accountId, 'Policy')
    presets.putShared(at(0).work.accountId, id, 'Policy', forms())
    views.share(at(0).work.accountId, [{ id, name: 'Policy', query: DocumentQuery.parse({}), tell: false }])
    await joinBoth()
    presets.putShared(at(0).work.accountId, sharedId(at(0).work.accountId, 'Policy 2'), 'Policy 2', forms())
    await whenSynced()
    expect(at(1).presets()).toEqual([])
    expect(at(1).views()).toEqual([])
    expect(await two.office.sql('SELECT FROM office.shared_item')).toEqual([])
  })
})

describe('a change', () => {
  test('or removal applies at every workstation', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    const view = at(0).view('Waiting', 'lease')
    await whenSynced()
    at(1).preset('Lease', 'Lease of a shop', id)
    at(1).view('Waiting long', 'lease', view)
    await whenSynced()
    expectPresets('Lease: Lease of a shop')
    for (const workstation of workstations) expect(workstation.views()).toEqual(['Waiting long: lease'])
    at(0).remove(id)
    at(0).work.parts.views.remove(at(0).work.accountId, view)
    await whenSynced()
    expectPresets()
    for (const workstation of workstations) expect(workstation.views()).toEqual([])
    expect(await two.office.sql('SELECT FROM office.shared_item WHERE sealed IS NOT NULL')).toEqual([])
  })

  test('made at two workstations at once is kept twice, one named after its workstation and time', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    const view = at(0).view('Waiting', 'lease')
    await whenSynced()
    at(0).disconnect()
    at(0).preset('Lease', 'Lease by front', id)
    at(0).view('Waiting', 'front', view)
    at(1).preset('Lease', 'Lease by back', id)
    at(1).view('Waiting', 'back', view)
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    const time = String.raw`\d\d:\d\d on \d+ \w+`
    for (const workstation of workstations) {
      expect(workstation.presets()).toEqual([
        'Lease: Lease by back',
        expect.stringMatching(new RegExp(String.raw`^Lease \(Front desk, ${time}\): Lease by front$`))
      ])
      expect(workstation.views()).toEqual([
        expect.stringMatching(new RegExp(String.raw`^Waiting \(Front desk, ${time}\): front$`)),
        'Waiting: back'
      ])
    }
  })

  test('made identically at two workstations at once is kept once', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    at(0).disconnect()
    const at0 = at(0).work.parts.presets.get(id)
    at(0).work.parts.presets.rename(id, 'Leases')
    at(1).work.parts.presets.rename(id, 'Leases')
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expect(at0.name).toBe('Lease')
    expectPresets('Leases: Lease')
  })

  test('is kept even if another workstation removes the preset at the same time', async () => {
    await joinBoth()
    const [first, second] = [at(0).preset('Lease', 'Lease'), at(0).preset('Deed', 'Deed')]
    await whenSynced()
    at(0).disconnect()
    at(0).preset('Lease', 'Lease by front', first)
    at(0).remove(second)
    at(1).remove(first)
    at(1).preset('Deed', 'Deed by back', second)
    await at(1).whenSynced()
    await at(0).reconnect()
    await whenSynced()
    expectPresets('Deed: Deed by back', 'Lease: Lease by front')
  })

  test('made while the server is unreachable is synced later, even after the process was killed', async () => {
    await joinBoth()
    at(0).disconnect()
    const id = at(0).preset('Lease', 'Lease')
    expect(at(0).marks()).toEqual([{ isUntold: true }])
    await at(0).killAndRestart()
    await whenSynced()
    expectPresets('Lease: Lease')
    expect([at(0).marks(), at(1).marks()]).toEqual([[{ isUntold: false }], [{ isUntold: false, by: 'Front desk' }]])
    at(1).preset('Lease', 'Lease of a shop', id)
    await whenSynced()
    expect(at(0).marks()).toEqual([{ isUntold: false, by: 'Counter 2' }])
  })

  test('whose answer was lost is stored only once', async () => {
    await joinBoth()
    at(0).preset('Lease', 'Lease')
    await whenSynced()
    // As if the office had it and the workstation didn't know.
    at(0).work.parts.db.prepare('UPDATE office_records SET pushed_edits = 0').run()
    at(1).preset('Deed', 'Deed')
    await whenSynced()
    expectPresets('Deed: Deed', 'Lease: Lease')
  })

  test('of a new preset, whose first save’s answer was lost, isn’t kept as a second preset', async () => {
    let isLost = true
    at(0).wrapPut(async (put, kind, ...args) => {
      const answers = await put(kind, ...args)
      if (isLost && kind === 'preset') throw new Error('The answer is lost.')
      return answers
    })
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await expect(at(0).whenSynced()).rejects.toBeDefined()
    at(0).disconnect()
    await at(1).whenSynced()
    at(1).preset('Lease', 'Lease, later', id)
    await at(1).whenSynced()
    isLost = false
    await at(0).reconnect()
    await whenSynced()
    expectPresets('Lease: Lease, later')
  })
})

describe('an item that can’t be synced doesn’t hold back the others', () => {
  test('when the server has its id under another account, or refuses it', async () => {
    const id = at(0).preset('Lease', 'Lease')
    at(0).view('Waiting', 'lease')
    const { pool, records } = await openThird()
    const limits = { concurrency: 1, perMinute: null }
    const sends = openOfficeSends({ pool, key: two.office.key, time: at(0).work.time.run() })
    const other = await sends.account('Another', limits)
    await records.put('preset', other, [
      { id, version: randomUUID(), basedOn: [], content: presetOf('Other', 'Other') }
    ])
    await joinBoth()
    await whenSynced()
    expectPresets('Lease: Lease')
    expect(at(1).views()).toEqual(['Waiting: lease'])
    at(1).preset('Lease', 'Lease of a shop', at(1).work.parts.presets.list(at(1).work.accountId)[0]?.id)
    await whenSynced()
    expectPresets('Lease: Lease of a shop')
    // The server accepts no id this long.
    const { db } = at(0).work.parts
    db.prepare(
      `INSERT INTO presets SELECT ?, account_id, 'Long', kind, title, created_at, updated_at, body FROM presets WHERE id = ?`
    ).run('x'.repeat(201), id)
    at(0).preset('Deed', 'Deed')
    at(0).view('Sent', 'deed')
    await expect(at(0).work.parts.records.syncNow(at(0).work.accountId)).rejects.toThrow()
    await at(1).whenSynced()
    expect(at(1).presets()).toEqual(['Deed: Deed', 'Lease: Lease of a shop'])
    expect(at(1).views()).toEqual(['Sent: deed', 'Waiting: lease'])
  })

  test('when another workstation wrote invalid content', { tags: ['full'] }, async () => {
    await joinBoth()
    const { presets, views, db } = at(0).work.parts
    const { put } = await openThird()
    const shared = sharedId(at(0).work.accountId, 'Policy')
    views.share(at(0).work.accountId, [
      { id: shared, name: 'Policy', query: DocumentQuery.parse({ search: 'policy' }), tell: false }
    ])
    db.exec(`INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
      SELECT 'own', 'Own', kind, base_url, auth_scheme, colour, folders, created_at, 9 FROM accounts`)
    const own = presets.save('own', 'Own', forms()).id
    db.exec(`CREATE TRIGGER refused BEFORE INSERT ON presets WHEN NEW.name = 'Refused'
      BEGIN SELECT raise(ABORT, 'Refused'); END`)
    at(0).disconnect()
    await put('preset', [
      { id: 'broken', content: presetOf('Broken', 'Broken') },
      { id: 'half', content: { ...presetOf('Half', 'Half'), updatedAt: 1.5 } },
      { id: 'shared-mine', content: presetOf('Mine', 'Mine') },
      { id: own, content: presetOf('Taken', 'Taken') },
      { id: 'refused', content: presetOf('Refused', 'Lease') },
      { id: 'good', content: presetOf('Good', 'Good') }
    ])
    await put('view', [
      { id: shared, content: { name: 'Mine', query: DocumentQuery.parse({}) } },
      { id: 'good', content: { name: 'Good', query: DocumentQuery.parse({ search: 'good' }) } }
    ])
    await sealedAs('broken', 'not JSON')
    await at(0).reconnect()
    expect(at(0).presets()).toEqual(['Good: Good'])
    expect(presets.get(own).name).toBe('Own')
    expect(at(0).views()).toEqual(['Good: good', 'Policy: policy'])
    // The refused preset appears in a later run, once it can be stored.
    db.exec('DROP TRIGGER refused')
    await at(0).killAndRestart()
    expect(at(0).presets()).toEqual(['Good: Good', 'Refused: Lease'])
  })

  test('when a later version wrote it: a local change waits, and both are kept once it is readable', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const { put, versionOf } = await openThird()
    await put('preset', [{ id, basedOn: [await versionOf(id)], content: { later: true } }])
    const later = await versionOf(id)
    await at(0).whenSynced()
    at(0).preset('Lease', 'Lease by front', id)
    await at(0).whenSynced()
    expect(at(0).presets()).toEqual(['Lease: Lease by front'])
    expect(at(0).marks()).toMatchObject([{ isUntold: true }])
    expect(await versionOf(id)).toBe(later)
    await sealedAs(id, JSON.stringify(presetOf('Lease', 'Lease, later')))
    await at(0).killAndRestart()
    expect(at(0).presets()).toEqual([
      'Lease: Lease, later',
      expect.stringMatching(/^Lease \(Front desk, .*: Lease by front$/)
    ])
  })

  test('when there is a lot: it is sent in parts, and an unanswered save is retried unchanged', {
    tags: ['full']
  }, async () => {
    const batches: (readonly RecordToPut[])[] = []
    let isLost = false
    at(0).wrapPut(async (put, kind, accountId, some) => {
      batches.push(some)
      const answers = await put(kind, accountId, some)
      if (isLost) throw new Error('The answer is lost.')
      return answers
    })
    await joinBoth()
    for (let each = 0; each < 3; each++) {
      const XMLData = randomBytes(MAX_TRANSFER_BYTES / 2).toString('base64')
      const { presets } = at(0).work.parts
      presets.save(at(0).work.accountId, `Large ${each}`, forms({ items: [form({ Name: 'Large', XMLData })] }))
    }
    await whenSynced()
    expect(batches.map((some) => some.length)).toEqual([2, 1])
    const { records: others, officeId } = await openThird()
    // Sealing compresses it, but to slightly more than its size before base64.
    expect(await others.changes('preset', officeId, 0, 100)).toHaveLength(2)
    for (const workstation of workstations) expect(workstation.presets()).toHaveLength(3)
    batches.length = 0
    isLost = true
    at(0).preset('Lease', 'Lease')
    await expect(at(0).work.parts.records.syncNow(at(0).work.accountId)).rejects.toThrow()
    isLost = false
    await whenSynced()
    expect(new Set(batches.flat().map(({ version }) => version)).size).toBe(1)
    expect(at(1).presets()).toContain('Lease: Lease')
  })
})

test('a view limited to certain accounts stays on its workstation, even if it was shared before', async () => {
  await joinBoth()
  const { views, records } = at(0).work.parts
  const named = (name: string, id?: string) => {
    const query = DocumentQuery.parse({ accounts: [at(0).work.accountId], search: 'mine' })
    return views.save(at(0).work.accountId, { name, query, tell: false, id }).id
  }
  named('Both')
  const id = at(0).view('Waiting', 'lease')
  await whenSynced()
  expect(at(1).views()).toEqual(['Waiting: lease'])
  named('Waiting', id)
  await whenSynced()
  at(1).view('Waiting', 'deed', id)
  await whenSynced()
  expect(at(0).views()).toEqual(['Both: mine', 'Waiting: mine'])
  expect(at(1).views()).toEqual(['Waiting: deed'])
  at(1).work.parts.views.remove(at(1).work.accountId, id)
  await whenSynced()
  expect(at(0).views()).toEqual(['Both: mine', 'Waiting: mine'])
  // One that arrives from elsewhere all the same is ignored.
  const { put } = await openThird()
  await put('view', [{ id: 'named', content: { name: 'Named', query: DocumentQuery.parse({ accounts: ['a'] }) } }])
  await records.syncNow(at(0).work.accountId)
  expect(at(0).views()).toEqual(['Both: mine', 'Waiting: mine'])
})

describe('leaving', () => {
  test('keeps the presets here, and rejoining duplicates nothing', async () => {
    await joinBoth()
    const [first, second] = [at(0).preset('Lease', 'Lease'), at(0).preset('Deed', 'Deed')]
    await whenSynced()
    await at(1).leave()
    expect(at(1).presets()).toEqual(['Deed: Deed', 'Lease: Lease'])
    at(0).preset('Lease', 'Lease, later', first)
    // Removals outside the office apply only there; changes are brought along.
    at(1).remove(second)
    at(1).preset('Will', 'Will')
    await at(0).whenSynced()
    expect(at(0).presets()).toEqual(['Deed: Deed', 'Lease: Lease, later'])
    await at(1).join('Counter 3')
    await whenSynced()
    expectPresets('Deed: Deed', 'Lease: Lease, later', 'Will: Will')
  })

  test('without the server keeps all presets, too', async () => {
    await joinBoth()
    at(0).preset('Lease', 'Lease')
    await whenSynced()
    at(1).disconnect()
    await at(1).leave({ without: true })
    at(0).preset('Deed', 'Deed')
    await at(0).whenSynced()
    expect(at(1).presets()).toEqual(['Lease: Lease'])
    expect(at(1).marks()).toEqual([undefined])
  })

  /** Checks which of a workstation's removals and additions outside the office apply once it joins again. */
  async function expectApart(first: string): Promise<void> {
    at(1).remove(first)
    at(1).preset('Will', 'Will')
    await at(1).join('Counter 3')
    await whenSynced()
    expectPresets('Lease: Lease', 'Will: Will')
  }

  test('is complete even if the workstation syncs meanwhile', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const { records, outbox } = at(1).work.parts
    const takeAlong = outbox.shared.reclaimOwn.bind(outbox.shared)
    // As if a notification arrived meanwhile.
    outbox.shared.reclaimOwn = async (accountId) => {
      await records.syncNow(accountId)
      await takeAlong(accountId)
    }
    await at(1).leave()
    await expectApart(id)
  })

  test('is complete even if a request to the server is in progress', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const { records } = at(1).work.parts
    const server = new Client({ ...two.office.administrator })
    await server.connect()
    onTestFinished(() => server.end())
    await server.query('BEGIN; LOCK TABLE office.shared_item_feed')
    const syncing = records.syncNow(at(1).work.accountId).catch(() => undefined)
    const isBlocked = () =>
      server.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'office.shared_item_feed'::regclass")
    await vi.waitFor(async () => expect((await isBlocked()).rowCount).toBeGreaterThan(0), { timeout: 60_000 })
    const leaving = at(1).leave({ without: true })
    await server.query('COMMIT')
    await Promise.all([syncing, leaving])
    await expectApart(id)
  })
})

describe('a restored server', () => {
  test('regains lost changes, and removed presets stay removed', async () => {
    await joinBoth()
    const [stays, removed] = [at(0).preset('Lease', 'Lease'), at(0).preset('Deed', 'Deed')]
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).preset('Lease', 'Lease, later', stays)
    at(1).preset('Will', 'Will')
    at(0).remove(removed)
    await whenSynced()
    for (const workstation of workstations) workstation.disconnect()
    at(1).preset('Lease', 'Lease, not told', stays)
    await restoreServer()
    await at(1).reconnect()
    await at(0).reconnect()
    await whenSynced()
    expectPresets('Lease: Lease, not told', 'Will: Will')
  })

  test.each(['it has', 'it lost'])('shows who saved a preset that %s', { tags: ['full'] }, async (which) => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const first = which === 'it has' ? undefined : await dumpOf(two.office)
    at(1).preset('Lease', 'Lease, later', id)
    await whenSynced()
    const marks = () => workstations.map((workstation) => workstation.marks())
    const expected = [[{ isUntold: false, by: 'Counter 2' }], [{ isUntold: false }]]
    expect(marks()).toEqual(expected)
    const restoreServer = first ?? (await dumpOf(two.office))
    for (const workstation of workstations) workstation.disconnect()
    await restoreServer()
    for (const workstation of workstations) await workstation.reconnect()
    await whenSynced()
    expect(marks()).toEqual(expected)
  })

  test('regains the changes of a workstation that left and joins again with a new code', {
    tags: ['full']
  }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    at(1).preset('Lease', 'Lease, later', id)
    at(1).preset('Will', 'Will')
    await at(1).whenSynced()
    at(1).disconnect()
    await restoreServer()
    await at(1).leave({ without: true })
    await at(1).join('Counter 3')
    await at(0).killAndRestart()
    await whenSynced()
    expectPresets('Lease: Lease, later', 'Will: Will')
  })

  test.each([[[0, 1]], [[1, 0]]])(
    'keeps an unsynced change as well as another workstation’s later one: order %s',
    { tags: ['full'] },
    async (order) => {
      await joinBoth()
      const id = at(0).preset('Lease', 'Lease')
      await whenSynced()
      const restoreServer = await dumpOf(two.office)
      at(0).disconnect()
      for (const text of ['Lease, later', 'Lease, latest']) {
        at(1).preset('Lease', text, id)
        await at(1).whenSynced()
      }
      at(1).disconnect()
      at(0).preset('Lease', 'Lease, not told', id)
      await restoreServer()
      for (const index of order) await at(index).reconnect()
      await whenSynced()
      expectContents('Lease, latest', 'Lease, not told')
    }
  )

  test('leaves a lost change at its workstation when someone unaware of it removed the preset since', {
    tags: ['full']
  }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(0).powerOff()
    at(1).preset('Lease', 'Lease, later', id)
    await at(1).whenSynced()
    await at(1).powerOff()
    await restoreServer()
    const { put, versionOf } = await openThird()
    await put('preset', [{ id, basedOn: [await versionOf(id)], content: undefined }])
    await at(1).killAndRestart()
    await at(0).killAndRestart()
    await whenSynced()
    expect(at(1).presets()).toEqual(['Lease: Lease, later'])
  })

  test('regains a lost change only once from several workstations, and keeps a newer one', async () => {
    await joinBoth()
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    at(0).preset('Lease', 'Lease, before', id)
    for (const workstation of [at(0), third]) await workstation.whenSynced()
    for (const workstation of [at(0), third]) await workstation.powerOff()
    at(1).preset('Lease', 'Lease, since', id)
    await restoreServer()
    for (const workstation of [at(1), at(0), third]) await workstation.killAndRestart()
    await whenSynced()
    expectContents('Lease, before', 'Lease, since')
    expect(third.presets()).toEqual(at(0).presets())
  })

  test('regains lost changes, even if it refuses them at first', { tags: ['full'] }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    at(0).preset('Lease', 'Lease, later', id)
    await at(0).whenSynced()
    await at(0).powerOff()
    await restoreServer()
    await two.office.sql(
      `CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`
    )
    await two.office.sql(
      'CREATE TRIGGER refused BEFORE UPDATE ON office.shared_item FOR EACH ROW EXECUTE FUNCTION refused()'
    )
    await expect(at(0).killAndRestart()).rejects.toBeDefined()
    await two.office.sql('DROP TRIGGER refused ON office.shared_item')
    await at(1).killAndRestart()
    await whenSynced()
    expectPresets('Lease: Lease, later')
  })

  test('passes on the latest change, even to a workstation whose own it refused at first', {
    tags: ['full']
  }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(1).preset('Lease', 'Lease, later', id)
    await whenSynced()
    await at(0).powerOff()
    at(1).preset('Lease', 'Lease, latest', id)
    await at(1).whenSynced()
    await at(1).powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    let allowed = false
    at(0).wrapPut((put, ...args) => (allowed ? put(...args) : Promise.reject(new Error('Not now.'))))
    await expect(at(0).killAndRestart()).rejects.toBeDefined()
    allowed = true
    await whenSynced()
    expectPresets('Lease: Lease, latest')
  })

  test.each([[[0, 1]], [[1, 0]]])(
    'keeps changes from before and between two restores: order %s',
    { tags: ['full'] },
    async (order) => {
      await joinBoth()
      const id = at(0).preset('Lease', 'Lease')
      at(0).view('Waiting', 'lease')
      await whenSynced()
      const restoreServer = await dumpOf(two.office)
      await at(0).powerOff()
      for (const text of ['Lease, later', 'Lease, before']) {
        at(1).preset('Lease', text, id)
        await at(1).whenSynced()
      }
      await at(1).powerOff()
      await restoreServer()
      await at(0).killAndRestart()
      at(0).preset('Lease', 'Lease, between', id)
      await at(0).whenSynced()
      await at(0).powerOff()
      await restoreServer()
      for (const index of order) await at(index).killAndRestart()
      await whenSynced()
      expectContents('Lease, before', 'Lease, between')
      for (const workstation of workstations) expect(workstation.views()).toEqual(['Waiting: lease'])
    }
  )

  test.each([[[0, 1]], [[1, 0]]])(
    'ends with the latest of successive changes, one by the administrator’s script: order %s',
    { tags: ['full'] },
    async (order) => {
      await joinBoth()
      const id = at(0).preset('Lease', 'Lease')
      await whenSynced()
      const restoreServer = await dumpOf(two.office)
      at(0).preset('Lease', 'Lease, told', id)
      await whenSynced()
      await at(0).powerOff()
      await changeSingleRecord(two.office.administrator, { kind: 'preset', key: two.office.key }, (content) => ({
        content: { ...(content as object), updatedAt: 5 },
        done: true
      }))
      await at(1).whenSynced()
      at(1).preset('Lease', 'Lease, latest', id)
      await at(1).whenSynced()
      await at(1).powerOff()
      await restoreServer()
      for (const index of order) await at(index).killAndRestart()
      await whenSynced()
      expectContents('Lease, latest')
    }
  )

  /**
   * Joins a third workstation, which like the first has a change that the restored server lost; the second has changed
   * the same preset since.
   */
  async function withThird() {
    await joinBoth()
    const third = await openOfficeWorkstation(Workstation, two.office, at(0))
    await third.join('Counter 3')
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    await third.whenSynced()
    const restoreServer = await dumpOf(two.office)
    await at(1).powerOff()
    at(0).preset('Lease', 'Lease, before', id)
    for (const workstation of [at(0), third]) await workstation.whenSynced()
    for (const workstation of [at(0), third]) await workstation.powerOff()
    await restoreServer()
    await at(1).killAndRestart()
    at(1).preset('Lease', 'Lease, since', id)
    await at(1).whenSynced()
    return { third, restoreServer, id }
  }

  for (const order of [
    [1, 0, 2],
    [2, 0, 1],
    [1, 2, 0],
    [2, 1, 0],
    [0, 1, 2],
    [0, 2, 1]
  ]) {
    const tags = order[1] === 0 ? [] : ['full']
    test(`has a conflicting version only once after a second restore: order ${order}`, { tags }, async () => {
      const { third, restoreServer } = await withThird()
      const all = [at(0), at(1), third]
      await at(0).killAndRestart()
      await whenSynced()
      expectContents('Lease, before', 'Lease, since')
      for (const workstation of workstations) await workstation.powerOff()
      await restoreServer()
      for (const index of order) await all[index]?.killAndRestart()
      for (let round = 0; round < 3; round++) for (const workstation of all) await workstation.whenSynced()
      expectContents('Lease, before', 'Lease, since')
      expect(third.presets()).toEqual(at(0).presets())
    })
  }

  test('has a conflicting version only once, even if it was pushed after another change', {
    tags: ['full']
  }, async () => {
    const { third, id } = await withThird()
    let allowed = 1
    at(0).wrapPut((put, kind, ...args) =>
      kind === 'preset' && allowed-- <= 0 ? Promise.reject(new Error('Not now.')) : put(kind, ...args)
    )
    await expect(at(0).killAndRestart()).rejects.toBeDefined()
    at(1).preset('Lease', 'Lease, since, further', id)
    await at(1).whenSynced()
    allowed = Number.POSITIVE_INFINITY
    await whenSynced()
    await third.killAndRestart()
    for (const workstation of [at(0), third, at(1), third]) await workstation.whenSynced()
    expectContents('Lease, before', 'Lease, since, further')
    expect(third.presets()).toEqual(at(0).presets())
  })

  test('doesn’t duplicate a change whose answer was lost and on which another builds', { tags: ['full'] }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    let how: 'lost' | 'over' | undefined = 'lost'
    at(0).wrapPut(async (put, kind, ...args) => {
      const answer = await put(kind, ...args)
      if (kind === 'preset' && how === 'lost') throw new Error('The line broke.')
      if (kind === 'preset' && how === 'over') at(0).disconnect()
      return answer
    })
    await at(0).powerOff()
    await at(0).killAndRestart()
    at(0).preset('Lease', 'Lease, told', id)
    await expect(at(0).whenSynced()).rejects.toBeDefined()
    at(0).disconnect()
    await at(1).whenSynced()
    at(1).preset('Lease', 'Lease, told, further', id)
    await at(1).whenSynced()
    await at(1).powerOff()
    how = 'over'
    await at(0)
      .reconnect()
      .catch(() => undefined)
    await at(0).powerOff()
    how = undefined
    await restoreServer()
    for (const workstation of workstations) await workstation.killAndRestart()
    await whenSynced()
    expectContents('Lease, told, further')
  })

  test('keeps a change made since the restore as well as a lost one', { tags: ['full'] }, async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const restoreServer = await dumpOf(two.office)
    at(0).disconnect()
    at(1).preset('Lease', 'Lease, before', id)
    await at(1).whenSynced()
    await at(1).powerOff()
    await restoreServer()
    await at(0).reconnect()
    at(0).preset('Lease', 'Lease, since', id)
    await at(0).whenSynced()
    await at(1).killAndRestart()
    await whenSynced()
    expectContents('Lease, before', 'Lease, since')
  })
})

describe('the server', () => {
  test('stores no readable name or content', async () => {
    await joinBoth()
    at(0).preset('Planted name', 'Planted document')
    await at(0).whenSynced()
    const rows = await two.office.sql<{ text: string }>('SELECT shared_item::text AS text FROM office.shared_item')
    expect(JSON.stringify(rows)).not.toContain('Planted')
    const hex = Buffer.from('Planted').toString('hex')
    expect(JSON.stringify(rows)).not.toContain(hex)
  })

  test('accepts one of two simultaneous changes, and answers the other with what it stored', async () => {
    await joinBoth()
    const id = at(0).preset('Lease', 'Lease')
    await whenSynced()
    const { records, officeId, versionOf } = await openThird()
    const version = await versionOf(id)
    const outcomes = async () => {
      const some = ['one', 'two'].map((content) => ({ id, version: randomUUID(), basedOn: [version], content }))
      return (await records.put('preset', officeId, some)).map(({ outcome, content }) => [outcome, content])
    }
    await two.office.mutated(
      'put_records',
      "its.version = ANY (string_to_array(p_based_on[n], ',')::uuid[])",
      'true',
      async () =>
        expect(await outcomes()).toEqual([
          ['newest', undefined],
          ['newest', undefined]
        ])
    )
    await two.office.sql('UPDATE office.shared_item SET version = $1', [version])
    expect(await outcomes()).toEqual([
      ['newest', undefined],
      ['conflict', 'one']
    ])
    await expect(records.put('draft' as 'preset', officeId, [])).rejects.toMatchObject({ code: '42501' })
  })
})
