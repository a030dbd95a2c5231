/** Several workstations watch one shared folder: each file is processed by exactly one of them. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ACCOUNT, requestFile, sheetFile } from '../../fixtures/drop-folder-office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { aPlace } from './place.ts'

type Place = Awaited<ReturnType<typeof aPlace>>

const namesOf = (offices: readonly Place[]) =>
  offices
    .flatMap(({ office }) => [
      ...office.titles(),
      ...office.outbox.list([ACCOUNT], { show: 'all', offset: 0, limit: 500 }).rows.map(({ title }) => title)
    ])
    .sort()

async function twoOffices(more: Parameters<typeof aPlace>[0] = {}) {
  const place = join(temporaryFolder(), 'Share')
  mkdirSync(place)
  return { place, offices: [await aPlace({ ...more, place }), await aPlace({ place })] as const }
}

/** Both check at the same moments. */
async function checkTogether(offices: readonly Place[], times: number) {
  for (let time = 0; time < times; time++) {
    await Promise.all(offices.map(({ office, id }) => office.dropFolders.checkNow(id)))
    for (const { pass } of offices) pass(31_000)
  }
}

describe('two workstations on one folder', () => {
  test.each([true, false])('process each file once between them (sending: %s)', async (sends) => {
    const { place, offices } = await twoOffices()
    for (const one of offices) one.change({ sends })
    const names = Array.from({ length: 30 }, (_, index) => `Letter ${index + 10}`)
    for (const name of names) writeFileSync(join(place, `${name}.json`), requestFile(name))
    writeFileSync(join(place, 'more.csv'), sheetFile(['Row 1', 'Row 2']))
    await checkTogether(offices, 5)
    expect(namesOf(offices)).toEqual([...names, 'Row 1', 'Row 2'])
    expect(offices.flatMap(({ office }) => office.notified.troubles)).toEqual([])
    expect([offices[0].names(), offices[0].claimed()]).toEqual([[], []])
    expect(readdirSync(join(place, 'done'))).toHaveLength(2 * (names.length + 1))
    expect(
      offices.flatMap(({ office, id }) => office.dropFolders.files(id, { offset: 0, limit: 99 }).files)
    ).toHaveLength(31)
  })

  test('leave each other’s claimed files alone, and continue with their own after a restart', async () => {
    let isDying = true
    const { place, offices } = await twoOffices({
      step: (name) => (name === 'claimed' && isDying ? new Promise<void>(() => undefined) : undefined)
    })
    const [dying, other] = offices
    writeFileSync(join(place, 'a.json'), requestFile('A'))
    await dying.glance(31_000)
    void dying.office.dropFolders.checkNow(dying.id)
    await expect.poll(() => dying.claimed()).toEqual(['a.json'])
    for (let day = 0; day < 2; day++) await other.check(86_400_000)
    expect([other.office.titles(), other.claimed()]).toEqual([[], ['a.json']])
    isDying = false
    dying.startAgain({ step: () => undefined })
    await dying.check()
    expect(namesOf(offices)).toEqual(['A'])
    expect(dying.claimed()).toEqual([])
  })

  test('report once a file that was claimed for days without being finished', async () => {
    const { place, offices } = await twoOffices()
    const [one] = offices
    // A claim's time is the disk's, which tests can't set.
    one.pass(Date.now() - one.time.now)
    mkdirSync(join(place, '.countersign'))
    const left = '01234567-89ab-cdef-0123-456789abcdef-lease.json'
    writeFileSync(join(place, '.countersign', left), requestFile('Lease'))
    await one.check()
    expect(one.files()).toEqual([])
    await one.check(3 * 86_400_000)
    await one.check()
    expect(one.files()).toMatchObject([{ name: 'lease.json', outcome: 'failed', count: 0 }])
    expect(one.files()[0]?.error?.message).toContain('Another workstation started this file')
    expect(one.claimed()).toEqual(['lease.json'])
    expect(one.office.titles()).toEqual([])
  })

  test('return claimed files when they end, so that the other can process them', async () => {
    const { place, offices } = await twoOffices()
    const [leaving, other] = offices
    writeFileSync(join(place, 'a.json'), requestFile('A'))
    await leaving.glance(31_000)
    await leaving.glance(0)
    expect(leaving.claimed()).toEqual(['a.json'])
    await leaving.office.dropFolders.stop(1_000)
    expect([leaving.names(), leaving.claimed()]).toEqual([['a.json'], []])
    await other.check()
    expect(namesOf(offices)).toEqual(['A'])
  })
})
