import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startChromium } from './chromium.ts'

const SWITCHES = ['--headless', '--no-sandbox', '--remote-debugging-pipe', '--remote-debugging-port=0']
const profileOf = (starter: number) => mkdtempSync(join(tmpdir(), `countersign-chromium-${starter}-`))

it('leaves nothing of its own behind, and removes the profile of a process that no longer exists', async () => {
  const { pid: over } = spawnSync(process.execPath, ['--version'])
  const [left, others] = [profileOf(over), profileOf(process.ppid)]
  const chromium = startChromium(SWITCHES)
  expect([left, others, chromium.profile].map((each) => existsSync(each))).toEqual([false, true, true])
  await chromium.endpoint()
  await chromium.end()
  expect(existsSync(chromium.profile)).toBe(false)
  rmSync(others, { recursive: true })
})

it('reports Chromium’s complaint if it does not start', async () => {
  const chromium = startChromium([...SWITCHES, '--type=nonsense'])
  await expect(chromium.endpoint()).rejects.toThrow(/did not start:\n.+/)
  await chromium.end()
})
