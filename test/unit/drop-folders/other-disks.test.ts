/** Disks on which moving a file changes its file id, such as FAT and exFAT on Windows. */
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { requestFile } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from './place.ts'

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const ino = (path: unknown) =>
    Number.parseInt(
      createHash('sha256')
        .update(`${dirname(String(path))}|${basename(String(path))}`)
        .digest('hex')
        .slice(0, 10),
      16
    )
  const lstat = async (path: string) => Object.assign(await real.lstat(path), { ino: ino(path) })
  const open = async (path: string, ...rest: [string | number]) => {
    const handle = await real.open(path, ...rest)
    const stat = handle.stat.bind(handle)
    return Object.assign(handle, { stat: async () => Object.assign(await stat(), { ino: ino(path) }) })
  }
  return { ...real, lstat, open, default: { ...real, lstat, open } }
})

test.each([true, false])('a file whose id changes when it is moved becomes one thing (sending: %s)', async (sends) => {
  const at = await aPlace()
  at.change({ sends })
  at.drop('a.json', requestFile('A'))
  for (let time = 0; time < 5; time++) await at.check()
  expect(at.office.titles().length + at.office.batches().length).toBe(1)
  expect(at.names('done')).toEqual(['a.json', 'a.json.report.txt'])
  expect([at.names(), at.claimed(), at.files().length]).toEqual([[], [], 1])
  expect(at.office.notified.troubles).toEqual([])
})
