import { beforeEach, describe, expect, test } from 'vitest'
import { MediaGrants, QUIET_MS } from '../../../src/main/core/policy/media-grants.ts'
import type { MediaDevice, MediaRight, PermissionQuery } from '../../../src/main/core/policy/permissions.ts'

const ground = { allowedOrigins: ['https://sign.example.com', 'https://ident.example.net'], returnAddresses: [] }

let now = 0
let right: MediaRight = 'ask'
let system: Promise<boolean>
let questions: { devices: readonly MediaDevice[]; answer(granted: boolean): void }[] = []
let got: string[] = []
let grants: MediaGrants

beforeEach(() => {
  now = 0
  right = 'ask'
  system = Promise.resolve(true)
  questions = []
  got = []
  grants = new MediaGrants(ground, () => right, {
    now: () => now,
    ask: (devices, answer) => void questions.push({ devices, answer }),
    granted: (devices) => void got.push(devices.join(' ')),
    systemAllows: () => system
  })
})

const queryOf = (mediaTypes: string[], origin = 'https://sign.example.com'): PermissionQuery => ({
  permission: 'media',
  url: `${origin}/sign`,
  mediaTypes
})
const video = queryOf(['video'])
const both = queryOf(['audio', 'video'])

/** Returns the page's final answer, or `refused at once`, or `waits`. */
async function outcome(question: PermissionQuery): Promise<() => Promise<string>> {
  let decision = 'waits'
  if (!grants.request(question, (granted) => (decision = granted ? 'granted' : 'refused'))) decision = 'refused at once'
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return decision
  }
}

describe('a page that requests the camera', () => {
  test('waits until staff have answered, and keeps the permission from then on', async () => {
    const result = await outcome(video)
    expect(await result()).toBe('waits')
    expect(grants.isGranted(video)).toBe(false)
    expect(questions.map(({ devices }) => devices)).toEqual([['camera']])
    questions[0]?.answer(true)
    expect(await result()).toBe('granted')
    expect(grants.isGranted(video)).toBe(true)
  })

  test('gets no more than it was granted: no other device, no other origin', async () => {
    const result = await outcome(video)
    questions[0]?.answer(true)
    await result()
    expect(grants.isGranted(both)).toBe(false)
    expect(grants.isGranted(queryOf(['audio']))).toBe(false)
    expect(grants.isGranted(queryOf(['video'], 'https://ident.example.net'))).toBe(false)
  })

  test('gets it without a question if staff have agreed, but not before it asks', async () => {
    right = 'yes'
    expect(grants.isGranted(video)).toBe(false)
    expect(await (await outcome(video))()).toBe('granted')
    expect(questions).toEqual([])
  })

  test('is refused immediately if nothing in the turn needs it', async () => {
    right = 'never'
    expect(await (await outcome(video))()).toBe('refused at once')
    expect(questions).toEqual([])
  })

  test('loses it when the turn withdraws it', async () => {
    right = 'yes'
    await (await outcome(video))()
    expect(grants.isGranted(video)).toBe(true)
    right = 'never'
    expect(grants.isGranted(video)).toBe(false)
  })

  test('is refused if the operating system doesn’t permit it', async () => {
    right = 'yes'
    system = Promise.resolve(false)
    expect(await (await outcome(video))()).toBe('refused')
    expect(grants.isGranted(video)).toBe(false)
  })
})

test('an operating system that can’t be asked permits nothing', async () => {
  right = 'yes'
  system = Promise.reject(new Error('no such device'))
  expect(await (await outcome(video))()).toBe('refused')
})

describe('staff', () => {
  test('get one question, however many identical requests come', async () => {
    const result = await Promise.all([outcome(both), outcome(video), outcome(both)])
    expect(questions).toHaveLength(1)
    questions[0]?.answer(true)
    expect(await Promise.all(result.map((each) => each()))).toEqual(['granted', 'granted', 'granted'])
  })

  test('who allowed the camera are asked about the microphone', async () => {
    const [first, second] = await Promise.all([outcome(video), outcome(both)])
    questions[0]?.answer(true)
    expect(await first?.()).toBe('granted')
    expect(await second?.()).toBe('waits')
    expect(questions.map(({ devices }) => devices)).toEqual([['camera'], ['camera', 'microphone']])
    questions[1]?.answer(false)
    expect(await second?.()).toBe('refused')
  })

  test('who refused aren’t asked again immediately, only later', async () => {
    const result = await Promise.all([outcome(video), outcome(both)])
    questions[0]?.answer(false)
    expect(await Promise.all(result.map((each) => each()))).toEqual(['refused', 'refused'])
    now = QUIET_MS - 1
    expect(await (await outcome(video))()).toBe('refused at once')
    now = QUIET_MS
    expect(await (await outcome(video))()).toBe('waits')
    expect(questions).toHaveLength(2)
  })

  test('can answer each question only once', async () => {
    const first = await outcome(video)
    questions[0]?.answer(false)
    await first()
    questions[0]?.answer(true)
    now = QUIET_MS
    const second = await outcome(video)
    questions[0]?.answer(true)
    expect(await second()).toBe('waits')
    expect(grants.isGranted(video)).toBe(false)
  })
})

describe('at the end of the turn', () => {
  test('everything pending is refused, and nothing is granted or kept any longer', async () => {
    const waiting = await outcome(video)
    right = 'yes'
    await (await outcome(both))()
    expect(grants.isGranted(both)).toBe(true)
    grants.end()
    expect(await waiting()).toBe('refused')
    expect(grants.isGranted(both)).toBe(false)
    expect(await (await outcome(both))()).toBe('refused at once')
    questions[0]?.answer(true)
    expect(grants.isGranted(video)).toBe(false)
  })

  test('a grant that the operating system was still considering is void', async () => {
    right = 'yes'
    const { promise, resolve } = Promise.withResolvers<boolean>()
    system = promise
    const result = await outcome(video)
    grants.end()
    resolve(true)
    expect(await result()).toBe('refused')
  })
})

test('what a page gets is reported once, and nothing if it got nothing', async () => {
  right = 'never'
  await (await outcome(video))()
  expect(got).toEqual([])
  right = 'yes'
  await (await outcome(both))()
  expect(got).toEqual(['camera microphone'])
  // A page that starts its camera again already has it.
  await (await outcome(video))()
  expect(got).toEqual(['camera microphone'])
  system = Promise.resolve(false)
  await (await outcome(video))()
  expect(got).toHaveLength(1)
})
