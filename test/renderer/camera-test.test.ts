/**
 * The camera test in the counter's settings, with cameras as browsers report them: without names until one is granted.
 */
import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import CounterSection from '../../src/renderer/src/screens/settings/counter/CounterSection.svelte'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => {
  opened?.close()
  Reflect.deleteProperty(navigator, 'mediaDevices')
})

/** A computer with these cameras. */
class Cameras extends EventTarget {
  names: string[]
  isGranted = false
  trouble: string | undefined
  /** The tracks that are still running. */
  live: (EventTarget & { label: string; stop: () => void })[] = []

  constructor(names: string[]) {
    super()
    this.names = names
  }

  enumerateDevices = async () =>
    this.names.map((name) => ({
      kind: 'videoinput',
      label: this.isGranted ? name : '',
      deviceId: this.isGranted ? `id of ${name}` : ''
    }))

  getUserMedia = async ({ video }: { video: true | { deviceId: { exact: string } } }) => {
    if (this.trouble) throw new DOMException('', this.trouble)
    const name = video === true ? this.names[0] : this.names.find((one) => `id of ${one}` === video.deviceId.exact)
    if (name === undefined) throw new DOMException('', 'NotFoundError')
    this.isGranted = true
    const track = Object.assign(new EventTarget(), {
      label: name,
      stop: () => void this.live.splice(this.live.indexOf(track), 1)
    })
    this.live.push(track)
    return { getTracks: () => [track], getVideoTracks: () => [track] }
  }
}

async function open(cameras: Cameras, camera = '') {
  Object.defineProperty(navigator, 'mediaDevices', { value: cameras, configurable: true })
  const api = fakeApi()
  api.control.state.counterSettings = { ...api.control.state.counterSettings, camera }
  opened = await openOffice(api)
  show(opened, CounterSection)
  await settle()
  await press('Choose and test camera…')
}
async function press(name: string) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const choice = () => screen.getByLabelText<HTMLSelectElement>('Camera')
async function choose(name: string) {
  await fireEvent.change(choice(), { target: { value: name } })
  await settle()
}
const picture = () => screen.queryByLabelText('Picture from the camera, mirrored')
const cameraCalls = () => opened.api.control.calls.map(({ name }) => name).filter((name) => name.endsWith('Camera'))
const live = (cameras: Cameras) => cameras.live.map(({ label }) => label)

test('each camera can be previewed, one at a time, and the chosen one is saved by its name', async () => {
  const cameras = new Cameras(['Built-in', 'Desk'])
  await open(cameras)
  expect(live(cameras)).toEqual(['Built-in'])
  expect(picture()).toBeTruthy()
  expect([...choice().options].map(({ text }) => text)).toEqual(['Automatic', 'Built-in', 'Desk'])
  await choose('Desk')
  expect(live(cameras)).toEqual(['Desk'])
  await press('Use this camera')
  expect(opened.api.control.state.counterSettings.camera).toBe('Desk')
  expect(live(cameras)).toEqual([])
  expect(cameraCalls()).toEqual(['counter.openCamera', 'counter.openCamera', 'counter.closeCamera'])
  expect(screen.getByText('Pages that ask for video get “Desk”.')).toBeTruthy()
})

test('the saved camera is tested, although its name is unknown until access is granted', async () => {
  const cameras = new Cameras(['Built-in', 'Desk'])
  await open(cameras, 'Desk')
  expect(live(cameras)).toEqual(['Desk'])
})

test('the camera stops on request, when the test is closed, and when the screen is locked', async () => {
  const cameras = new Cameras(['Built-in'])
  await open(cameras)
  await press('Stop camera')
  expect([live(cameras), picture()]).toEqual([[], null])
  await press('Test camera')
  expect(live(cameras)).toEqual(['Built-in'])
  await press('Cancel')
  expect(live(cameras)).toEqual([])
  await press('Choose and test camera…')
  expect(live(cameras)).toEqual(['Built-in'])
  opened.api.control.state.lock = { ...opened.api.control.state.lock, isLocked: true }
  opened.api.control.emit('lock.changed', null)
  await settle()
  expect([live(cameras), picture()]).toEqual([[], null])
})

test('a saved camera that is disconnected is reported, and stays selected', async () => {
  const cameras = new Cameras(['Built-in'])
  await open(cameras, 'Desk')
  expect(screen.getByText('Not connected. Until it is, pages get another camera.')).toBeTruthy()
  expect(choice().value).toBe('Desk')
  cameras.live[0]?.dispatchEvent(new Event('ended'))
  await settle()
  expect(screen.getByText('The camera was disconnected.')).toBeTruthy()
})

test.each([
  ['NotFoundError', 'No camera is connected.'],
  ['NotReadableError', 'Another program is using this camera.'],
  ['NotAllowedError', 'This computer doesn’t let Countersign use the camera.'],
  ['OverconstrainedError', 'The camera didn’t start.']
])('a camera that doesn’t start is explained: %s', async (trouble, message) => {
  const cameras = new Cameras(['Built-in'])
  cameras.trouble = trouble
  await open(cameras)
  expect(screen.getByRole('alert').textContent).toContain(message)
  cameras.trouble = undefined
  await press('Test camera')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(live(cameras)).toEqual(['Built-in'])
})

test('when the system denies access, no camera is opened', async () => {
  const cameras = new Cameras(['Built-in'])
  await open(cameras)
  await press('Stop camera')
  opened.api.control.fail('counter.openCamera', {
    code: 'not-allowed',
    message: 'This computer doesn’t let Countersign use the camera.',
    next: 'Allow it in System Settings.'
  })
  await press('Test camera')
  expect(screen.getByRole('alert').textContent).toContain('Allow it in System Settings.')
  expect(live(cameras)).toEqual([])
})
