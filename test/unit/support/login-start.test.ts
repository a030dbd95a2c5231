import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyLoginStart, xdgLoginStart } from '../../../src/main/core/support/login-start.ts'
import { temporaryFolder } from '../storage/folders.ts'

const silent = { warn: () => undefined }

test('an entry in the autostart folder starts it, and is gone once that is switched off', () => {
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

test('a path of any letters is one argument', () => {
  const folder = temporaryFolder()
  xdgLoginStart(folder, ['/opt/a "b" $c 100% \\e/countersign']).set(true)
  // Quoted once as an argument, and again as a string of a desktop entry.
  expect(readFileSync(join(folder, 'countersign.desktop'), 'utf8')).toContain(
    String.raw`Exec="/opt/a \\"b\\" \\$c 100%% \\\\e/countersign"`
  )
})

test.each(['Hidden=true', 'X-GNOME-Autostart-enabled=false'])('a desktop switches it off by %s', (line) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'countersign.desktop'), `[Desktop Entry]\nExec=x\n${line}\n`)
  expect(xdgLoginStart(folder, ['x']).isOn()).toBe(false)
})

test('what the organisation says is done, and what it doesn’t say is left', () => {
  const start = xdgLoginStart(temporaryFolder(), ['x'])
  applyLoginStart(start, true, silent)
  expect(start.isOn()).toBe(true)
  applyLoginStart(start, undefined, silent)
  expect(start.isOn()).toBe(true)
  applyLoginStart(start, false, silent)
  expect(start.isOn()).toBe(false)
  applyLoginStart(undefined, true, silent)
})

test('a folder that can’t be written is logged, and keeps nothing from starting', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'autostart'), 'a file')
  const told: string[] = []
  const start = xdgLoginStart(join(folder, 'autostart'), ['x'])
  applyLoginStart(start, true, { warn: (message) => told.push(message) })
  expect(told).toHaveLength(1)
  expect(() => start.set(true)).toThrow()
})
