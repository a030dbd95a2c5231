// Keys pressed in a signing page, as Electron reports them before the page and our menu see them.
import { EventEmitter } from 'node:events'
import type { WebContents } from 'electron'
import { expect, test, vi } from 'vitest'
import { followInput } from '../../../src/main/shell/signing-contents.ts'

vi.mock('electron', () => ({}))

/** Returns the commands given to the page, and whether the key was passed on to it. */
function press(platform: NodeJS.Platform, key: { key: string; type?: string; meta?: boolean }, isShown = true) {
  const done: string[] = []
  const does = (what: string) => () => void done.push(what)
  const contents = Object.assign(new EventEmitter(), { copy: does('copy'), paste: does('paste'), undo: does('undo') })
  followInput(contents as unknown as WebContents, () => isShown, { touched() {}, leaveKeyPressed() {} }, platform)
  const event = { preventDefault: does('held') }
  contents.emit('before-input-event', event, {
    type: 'keyDown',
    code: '',
    control: false,
    meta: true,
    alt: false,
    shift: false,
    ...key
  })
  return done
}

test('Command with C, V or Z does on macOS what the menu would, once, and isn’t passed on', () => {
  expect(press('darwin', { key: 'c' })).toEqual(['copy', 'held'])
  expect(press('darwin', { key: 'v' })).toEqual(['paste', 'held'])
  expect(press('darwin', { key: 'z' })).toEqual(['undo', 'held'])
  expect(press('darwin', { key: 'c', type: 'keyUp' })).toEqual(['held'])
})

test('nothing is done in a hidden page', () => {
  expect(press('darwin', { key: 'v' }, false)).toEqual(['held'])
})

test('on other systems these keys belong to the page', () => {
  expect(press('linux', { key: 'c' })).toEqual([])
})
