// Starts the application's own entry point as if it were packaged: with a switch that removes a safeguard, it exits
// before it opens anything.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-host-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['--remote-debugging-port=9222', {}, '--remote-debugging-port'],
  ['--lang=en-GB', { SSLKEYLOGFILE: '/nowhere/keys' }, 'SSLKEYLOGFILE']
])('a packaged application started with %s and %j reports it and exits', async (argument, env, named) => {
  const { promise, resolve: ended } = Promise.withResolvers<{ code: unknown; output: string }>()
  const entry = ['--import', join(root, 'test/host/register.ts'), join(root, 'src/main/index.ts')]
  execFile(
    process.execPath,
    [...entry, argument, `--user-data-dir=${folder}`],
    { cwd: root, env: { ...process.env, ...env, COUNTERSIGN_HOST_PACKAGED: join(root, 'resources') } },
    (error, _stdout, stderr) => ended({ code: error?.code, output: stderr })
  )
  const { code, output } = await promise
  expect(output).toContain(`It was started with “${named}”`)
  expect(code).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})
