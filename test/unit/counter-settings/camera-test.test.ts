/** When our own page is granted the camera: only while staff tests it. */
import { expect, test } from 'vitest'
import { CameraTest, MAX_TEST_DURATION } from '../../../src/main/core/counter/camera-test.ts'
import { APP_START, PERSON_START } from '../../../src/main/core/policy/app-pages.ts'
import { testTime } from '../../fixtures/own-time.ts'

const query = {
  permission: 'media',
  url: `${APP_START}#/settings`,
  origin: 'app://countersign/',
  mediaTypes: ['video']
}

function office(platform: NodeJS.Platform = 'linux') {
  const time = testTime()
  const system = { allows: true }
  const camera = new CameraTest({
    time: time.run(),
    platform,
    devServer: undefined,
    systemAllows: async () => system.allows
  })
  const granted = (change: Partial<typeof query> = {}) => {
    let got: boolean | undefined
    const isTaken = camera.request({ ...query, ...change }, (answer) => (got = answer))
    expect(camera.isGranted({ ...query, ...change })).toBe(isTaken)
    return isTaken && got
  }
  return { time, system, camera, granted }
}

test('our own page gets the camera only while a test is open', async () => {
  const { camera, granted } = office()
  expect(granted()).toBe(false)
  await camera.open()
  expect(granted()).toBe(true)
  camera.close()
  expect(granted()).toBe(false)
})

test('a test ends after five minutes, and testing again restarts them', async () => {
  const { camera, granted, time } = office()
  await camera.open()
  await time.pass(MAX_TEST_DURATION - 1)
  await camera.open()
  await time.pass(MAX_TEST_DURATION - 1)
  expect(granted()).toBe(true)
  await time.pass(1)
  expect(granted()).toBe(false)
})

test('only the camera is granted, and only to the office’s page', async () => {
  const { camera, granted } = office()
  await camera.open()
  expect(granted({ mediaTypes: ['audio'] })).toBe(false)
  expect(granted({ mediaTypes: ['audio', 'video'] })).toBe(false)
  expect(granted({ mediaTypes: [] })).toBe(false)
  expect(granted({ permission: 'geolocation' })).toBe(false)
  expect(granted({ url: PERSON_START })).toBe(false)
  expect(granted({ url: 'https://sign.example.com/index.html' })).toBe(false)
  expect(granted({ origin: 'https://sign.example.com' })).toBe(false)
})

test.each([
  ['darwin', 'System Settings'],
  ['win32', 'Privacy & security'],
  ['linux', 'privacy settings']
] as const)('if the system forbids it, a test on %s says where to change that', async (platform, where) => {
  const { camera, granted, system } = office(platform)
  system.allows = false
  await expect(camera.open()).rejects.toMatchObject({
    appError: { code: 'not-allowed', next: expect.stringContaining(where) }
  })
  expect(granted()).toBe(false)
})

test('a test closed while the system asked for permission stays closed', async () => {
  const asking = Promise.withResolvers<boolean>()
  const camera = new CameraTest({
    time: testTime().run(),
    platform: 'darwin',
    devServer: undefined,
    systemAllows: () => asking.promise
  })
  const opened = camera.open()
  // The screen was handed over or locked.
  camera.close()
  asking.resolve(true)
  await expect(opened).rejects.toMatchObject({ appError: { code: 'cancelled' } })
  expect(camera.isGranted(query)).toBe(false)
})
