import { expect, test, vi } from 'vitest'
import { deniedInWords, refusalInWords, throttled } from '../../../src/main/shell/signing-words.ts'

test('the same message is repeated at most once a second, and others come through meanwhile', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const told: string[] = []
    const tell = throttled((what) => told.push(what))
    for (let i = 0; i < 50; i++) tell('a')
    tell('b')
    vi.advanceTimersByTime(999)
    tell('a')
    expect(told).toEqual(['a', 'b'])
    vi.advanceTimersByTime(1)
    tell('a')
    expect(told).toEqual(['a', 'b', 'a'])
  } finally {
    vi.useRealTimers()
  }
})

test('a page that keeps trying new things is reported only up to a limit', () => {
  const told: string[] = []
  const tell = throttled((what) => told.push(what))
  for (let i = 0; i < 1000; i++) tell(`It tried to open ${i}.example.`)
  expect(told).toHaveLength(100)
  expect(told.at(-1)).toBe('It tried to open 99.example.')
})

test('of an address only the host is named, and nothing that could be a key', () => {
  expect(refusalInWords('https://evil.example/?key=secret', 'other-origin', 'page')).toBe(
    'It tried to open evil.example.'
  )
  expect(refusalInWords('https://ana:pw@evil.example/', 'credentials', 'page')).not.toMatch(/ana|pw/)
  expect(refusalInWords('nothing', 'not-an-address', 'page')).not.toContain('nothing')
})

test('every denial has words', () => {
  expect(deniedInWords('permission "fileSystem"')).toBe('It asked for a file on this computer.')
  expect(deniedInWords('permission "something new"')).toContain('something new')
})
