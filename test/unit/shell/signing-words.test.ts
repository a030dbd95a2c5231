import { expect, test, vi } from 'vitest'
import { deniedInWords, refusalInWords, throttled } from '../../../src/main/shell/signing-words.ts'

test('the same message is repeated at most once a second, and others come through meanwhile', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const shown: string[] = []
    const show = throttled((what) => shown.push(what))
    for (let i = 0; i < 50; i++) show('a')
    show('b')
    vi.advanceTimersByTime(999)
    show('a')
    expect(shown).toEqual(['a', 'b'])
    vi.advanceTimersByTime(1)
    show('a')
    expect(shown).toEqual(['a', 'b', 'a'])
  } finally {
    vi.useRealTimers()
  }
})

test('a page that keeps trying new things is reported only up to a limit', () => {
  const shown: string[] = []
  const show = throttled((what) => shown.push(what))
  for (let i = 0; i < 1000; i++) show(`It tried to open ${i}.example.`)
  expect(shown).toHaveLength(100)
  expect(shown.at(-1)).toBe('It tried to open 99.example.')
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
