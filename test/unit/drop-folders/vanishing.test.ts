/** The share disappears for a moment between two calls of one step, as network disks do: no file is forgotten. */
import { renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { requestFile } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from './place.ts'

const gone = vi.hoisted(() => ({
  /** Called after each move; what it does happens before the next call. */
  moved: (_to: string): void => undefined
}))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const rename = async (from: string, to: string) => {
    await real.rename(from, to)
    gone.moved(to)
  }
  return { ...real, rename, default: { ...real, rename } }
})

beforeEach(() => {
  gone.moved = () => undefined
})

/** Makes the folder disappear once, as soon as a file was moved into its subfolder `into`. */
function vanishAfterMove(place: string, into: string): { back: () => void } {
  let isAway = false
  gone.moved = (to) => {
    if (isAway || basename(dirname(to)) !== into) return
    isAway = true
    renameSync(place, `${place} away`)
  }
  return {
    back() {
      expect(isAway).toBe(true)
      renameSync(`${place} away`, place)
    }
  }
}

const oneDraft = (at: Awaited<ReturnType<typeof aPlace>>) => {
  expect([at.names(), at.claimed(), at.office.titles()]).toEqual([[], [], ['A']])
  expect(at.names('done')).toEqual(['a.json', 'a.json.report.txt'])
  expect(at.files()).toHaveLength(1)
}

test('a file claimed just before its share disappeared is processed once the share is back', async () => {
  const at = await aPlace()
  at.drop('a.json', requestFile('A'))
  const { back } = vanishAfterMove(at.place, '.countersign')
  await at.glance(31_000)
  await at.glance(31_000)
  back()
  await at.check()
  await at.check()
  oneDraft(at)
})

test('a claimed file that couldn’t be returned is processed once the share is back', async () => {
  const at = await aPlace()
  at.drop('a.json', requestFile('A'))
  await at.glance(31_000)
  await at.glance(0)
  expect(at.claimed()).toEqual(['a.json'])
  renameSync(at.place, `${at.place} away`)
  at.change({ paused: true })
  await at.glance(31_000)
  renameSync(`${at.place} away`, at.place)
  at.change({ paused: false })
  await at.check()
  await at.check()
  oneDraft(at)
})

test('a processed file whose share disappeared while it was moved is finished once the share is back', async () => {
  const at = await aPlace()
  at.drop('a.json', requestFile('A'))
  const { back } = vanishAfterMove(at.place, 'done')
  await at.check()
  back()
  await at.check()
  await at.check()
  oneDraft(at)
})
