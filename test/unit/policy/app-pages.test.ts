import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  APP_START,
  devServerOf,
  fileOfPage,
  isOfficePage,
  isOwnPage,
  PERSON_START
} from '../../../src/main/core/policy/app-pages.ts'

const folder = '/opt/countersign/renderer'

describe('an address of ours names', () => {
  test.each<[string, string[]]>([
    ['app://countersign/', ['index.html']],
    ['app://countersign', ['index.html']],
    ['app://countersign/index.html?x=1#/compose', ['index.html']],
    ['app://countersign/assets/index-B3_x-9a.js', ['assets', 'index-B3_x-9a.js']],
    ['app://countersign/assets/../index.html', ['index.html']],
    ['app://countersign/../../index.html', ['index.html']]
  ])('%s: a file in the folder', (address, file) => {
    expect(fileOfPage(address, folder)).toBe(join(folder, ...file))
  })

  test.each([
    ['an encoded slash', 'app://countersign/..%2f..%2fetc/passwd'],
    ['an encoded backslash', 'app://countersign/..%5c..%5cwindows'],
    ['a backslash', 'app://countersign/..\\..\\windows\\win.ini'],
    ['dots encoded twice', 'app://countersign/%252e%252e/secret'],
    ['a zero byte', 'app://countersign/index.html%00.png'],
    ['any encoded letter', 'app://countersign/%69ndex.html'],
    ['an empty part', 'app://countersign//etc/passwd'],
    ['a folder', 'app://countersign/assets/'],
    ['a drive', 'app://countersign/C:/Windows/win.ini'],
    ['a share', 'app://countersign//server/share'],
    ['a stream of Windows', 'app://countersign/index.html::$DATA'],
    ['a dot at the end, which Windows drops', 'app://countersign/index.html.'],
    ['a hidden file', 'app://countersign/.env'],
    ['a home folder', 'app://countersign/~/x'],
    ['a wildcard', 'app://countersign/*.js'],
    ['a space', 'app://countersign/a b.js'],
    ['another host', 'app://other/index.html'],
    ['a host below', 'app://x.countersign/index.html'],
    ['a port', 'app://countersign:80/index.html'],
    ['a log-in', 'app://ana@countersign/index.html'],
    ['another scheme', 'file:///opt/countersign/renderer/index.html'],
    ['the scheme as a host', 'https://app/index.html'],
    ['nothing', '']
  ])('no file with %s (%j)', (_what, address) => {
    expect(fileOfPage(address, folder)).toBeUndefined()
  })
})

describe('a page is ours', () => {
  const devServer = new URL('http://localhost:5173/')

  test('if it has the application’s own scheme and host', () => {
    expect(isOwnPage('app://countersign/index.html')).toBe(true)
    expect(isOwnPage('app://countersign/index.html#/counter')).toBe(true)
  })

  test.each([
    'https://countersign/index.html',
    'app://countersign.evil.example/',
    'app://evil.example/countersign',
    'application://countersign/',
    'blob:app://countersign/8d1f',
    'filesystem:app://countersign/temporary/x',
    'about:blank',
    'data:text/html,app://countersign/',
    'http://localhost:5173/',
    ''
  ])('and not %j', (address) => expect(isOwnPage(address)).toBe(false))

  test('and only some are the office’s: the second display’s isn’t', () => {
    expect(isOfficePage(`${APP_START}#/settings`)).toBe(true)
    expect(isOfficePage(PERSON_START)).toBe(false)
    expect(isOfficePage('app://countersign/')).toBe(false)
    expect(isOfficePage('https://sign.example.com/index.html')).toBe(false)
    expect(isOfficePage('http://localhost:5173/#/settings', devServer)).toBe(true)
    expect(isOfficePage('http://localhost:5173/counter.html', devServer)).toBe(false)
  })

  test('or if it is from the development server, if there is one', () => {
    expect(isOwnPage('http://localhost:5173/src/main.ts', devServer)).toBe(true)
    expect(isOwnPage('http://localhost:5174/', devServer)).toBe(false)
    expect(isOwnPage('https://localhost:5173/', devServer)).toBe(false)
  })
})

describe('the development server', () => {
  test('is used by the unpackaged application, only on this machine', () => {
    expect(devServerOf({ isPackaged: false }, 'http://localhost:5173')?.origin).toBe('http://localhost:5173')
  })

  test('is never used by a packaged application, whatever the environment says', () => {
    expect(devServerOf({ isPackaged: true }, 'http://localhost:5173')).toBeUndefined()
  })

  test.each([
    '',
    undefined,
    'http://evil.example/',
    'https://localhost:5173',
    'http://localhost.evil.example/',
    'nonsense'
  ])('is not %j', (address) => expect(devServerOf({ isPackaged: false }, address)).toBeUndefined())
})
