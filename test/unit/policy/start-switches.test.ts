import { describe, expect, test } from 'vitest'
import { refusedAtStart } from '../../../src/main/core/policy/start-switches.ts'

const refused = (argument: string, platform: NodeJS.Platform = 'linux') =>
  refusedAtStart({ platform, argv: ['/opt/Countersign/countersign', argument], env: {} })

describe('a packaged application', () => {
  test.each([
    '--no-sandbox',
    '--remote-debugging-port=9222',
    '--remote-debugging-pipe',
    '--ignore-certificate-errors',
    '--ignore-certificate-errors-spki-list=x',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--proxy-server=http://127.0.0.1:8080',
    '--proxy-pac-url=data:,x',
    '--log-net-log=/tmp/all.json',
    '--ssl-key-log-file=/tmp/keys',
    '--disable-web-security',
    '--disable-features=IsolateOrigins',
    '--use-fake-ui-for-media-stream',
    '-no-sandbox'
  ])('isn’t started with %s', (argument) => {
    expect(refused(argument)).toBe(argument.replace(/=.*/, ''))
  })

  test('names no more than the switch', () => {
    expect(refused('--proxy-server=http://user:secret@proxy')).toBe('--proxy-server')
  })

  test('accepts slashes and capitals as switches only on Windows', () => {
    expect(refused('/NO-Sandbox', 'win32')).toBe('/NO-Sandbox')
    expect(refused('--Remote-Debugging-Port=1', 'win32')).toBe('--Remote-Debugging-Port')
    expect(refused('/no-sandbox')).toBeUndefined()
    expect(refused('--NO-SANDBOX')).toBeUndefined()
  })

  test.each([
    '--lang=en-GB',
    '--ozone-platform=x11',
    '--user-data-dir=/home/x',
    'no-sandbox',
    '/home/x/--no-sandbox.countersign'
  ])('is started with %s', (argument) => expect(refused(argument)).toBeUndefined())

  test('treats what follows two dashes as files, and ignores its own name', () => {
    const argv = ['--no-sandbox', '--', '--no-sandbox']
    expect(refusedAtStart({ platform: 'linux', argv, env: {} })).toBeUndefined()
  })

  test('isn’t started if the keys of its connections would be logged', () => {
    const argv = ['countersign']
    expect(refusedAtStart({ platform: 'linux', argv, env: { SSLKEYLOGFILE: '/tmp/keys' } })).toBe('SSLKEYLOGFILE')
    expect(refusedAtStart({ platform: 'linux', argv, env: { SSLKEYLOGFILE: '' } })).toBeUndefined()
  })
})
