import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyLoginStart, xdgLoginStart } from '../../../src/main/core/support/login-start.ts'
import { temporaryFolder } from '../storage/folders.ts'

const silent = { warn: () => undefined }

test('an entry in the autostart folder starts the application, and is removed when switched off', () => {
  const folder = join(temporaryFolder(), 'autostart')
  const start = xdgLoginStart(folder, ['/opt/Countersign/countersign', '--at-login'])
  expect(start.isOn()).toBe(false)
  start.set(true)
  expect(start.isOn()).toBe(true)
  expect(readFileSync(join(folder, 'countersign.desktop'), 'utf8')).toContain(
    '\nExec="/opt/Countersign/countersign" "--at-login"\n'
  )
  start.set(false)
  expect([start.isOn(), readdirSync(folder)]).toEqual([false, []])
  start.set(false)
})

test('a path with special characters is a single argument', () => {
  const folder = temporaryFolder()
  xdgLoginStart(folder, ['/opt/a "b" $c 100% \\e/countersign']).set(true)
  // Quoted once as an argument, and again as a string of a desktop entry.
  expect(readFileSync(join(folder, 'countersign.desktop'), 'utf8')).toContain(
    String.raw`Exec="/opt/a \\"b\\" \\$c 100%% \\\\e/countersign"`
  )
})

test.each(['Hidden=true', 'X-GNOME-Autostart-enabled=false'])('a desktop can switch it off by %s', (line) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'countersign.desktop'), `[Desktop Entry]\nExec=x\n${line}\n`)
  expect(xdgLoginStart(folder, ['x']).isOn()).toBe(false)
})

test('the organisation’s setting is applied, and without one nothing changes', () => {
  const start = xdgLoginStart(temporaryFolder(), ['x'])
  applyLoginStart(start, true, silent)
  expect(start.isOn()).toBe(true)
  applyLoginStart(start, undefined, silent)
  expect(start.isOn()).toBe(true)
  applyLoginStart(start, false, silent)
  expect(start.isOn()).toBe(false)
  applyLoginStart(undefined, true, silent)
})

test('an unwritable folder is logged, and doesn’t prevent the start', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'autostart'), 'a file')
  const warnings: string[] = []
  const start = xdgLoginStart(join(folder, 'autostart'), ['x'])
  applyLoginStart(start, true, { warn: (message) => warnings.push(message) })
  expect(warnings).toHaveLength(1)
  expect(() => start.set(true)).toThrow()
})
