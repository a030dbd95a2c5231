import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import type { SigningScope } from '../../../src/main/core/policy/navigation.ts'
import { decidePermission, devicesOf } from '../../../src/main/core/policy/permissions.ts'

const ground: SigningScope = {
  allowedOrigins: ['https://sign.example.com', 'https://ident.example.net'],
  returnAddresses: ['https://return.countersign.invalid/signed', 'https://sign.example.com/thanks']
}
const url = 'https://sign.example.com/sign/abc'
const video = ['video']

/** Every permission that this version of Electron can ask about, from its own type definitions. */
function permissionsOfElectron(): string[] {
  const types = readFileSync(createRequire(import.meta.url).resolve('electron/electron.d.ts'), 'utf8')
  const union = (handler: string) => new RegExp(`${handler}\\(handler: .*?permission: ([^,]*),`).exec(types)?.[1] ?? ''
  const names = `${union('setPermissionRequestHandler')}|${union('setPermissionCheckHandler')}`.matchAll(/'([^']+)'/g)
  return [...new Set([...names].map(([, name = '']) => name))]
}

describe('all permissions that Electron knows', () => {
  test('are listed from Electron itself', () => {
    expect(permissionsOfElectron().length).toBeGreaterThan(40)
    expect(permissionsOfElectron()).toEqual(expect.arrayContaining(['media', 'usb', 'geolocation', 'fileSystem']))
  })

  test.each(permissionsOfElectron().filter((name) => name !== 'media'))(
    '%s is refused, whatever staff have answered',
    (permission) => {
      for (const media of ['never', 'ask', 'yes'] as const) {
        expect(decidePermission({ permission, url, origin: url, mediaTypes: video }, ground, media)).toBe('refuse')
      }
    }
  )
})

describe('camera and microphone', () => {
  test.each([
    ['never', 'refuse'],
    ['ask', 'ask'],
    ['yes', 'grant']
  ] as const)('when the turn says %s: %s', (media, decision) => {
    for (const mediaTypes of [['video'], ['audio'], ['audio', 'video']]) {
      expect(decidePermission({ permission: 'media', url, mediaTypes }, ground, media)).toBe(decision)
    }
  })

  test.each([
    ['an allowed origin', 'https://ident.example.net/start', undefined, 'grant'],
    ['an allowed origin, named twice', url, 'https://sign.example.com/', 'grant'],
    ['an origin beside it', 'https://evil.sign.example.com/', undefined, 'refuse'],
    ['its parent', 'https://example.com/', undefined, 'refuse'],
    ['its name with more behind', 'https://sign.example.com.evil.example/', undefined, 'refuse'],
    ['another port', 'https://sign.example.com:444/', undefined, 'refuse'],
    ['an unencrypted line', 'http://sign.example.com/', undefined, 'refuse'],
    ['a log-in', 'https://ana@sign.example.com/', undefined, 'refuse'],
    ['a return address', 'https://sign.example.com/thanks', undefined, 'refuse'],
    ['an empty frame', 'about:blank', 'https://sign.example.com/', 'refuse'],
    ['a frame with a text of its own', 'about:srcdoc', 'https://sign.example.com/', 'refuse'],
    ['data', 'data:text/html,x', undefined, 'refuse'],
    ['a blob', 'blob:https://sign.example.com/1', undefined, 'refuse'],
    ['another origin than its address', url, 'https://evil.example/', 'refuse'],
    ['an origin that is none', url, 'null', 'refuse'],
    ['our own page', 'app://countersign/index.html', undefined, 'refuse'],
    ['nothing', '', undefined, 'refuse']
  ] as const)('for %s', (_what, from, origin, decision) => {
    expect(decidePermission({ permission: 'media', url: from, origin, mediaTypes: video }, ground, 'yes')).toBe(
      decision
    )
  })

  test('are granted to the practice service only in its own turn', () => {
    const practice = { allowedOrigins: [], returnAddresses: [], practiceOrigin: 'http://127.0.0.1:4100' }
    const query = { permission: 'media', url: 'http://127.0.0.1:4100/sign/a', mediaTypes: video }
    expect(decidePermission(query, practice, 'yes')).toBe('grant')
    expect(decidePermission(query, ground, 'yes')).toBe('refuse')
  })

  test.each([undefined, [], ['unknown'], ['video', 'screen'], ['VIDEO']])(
    'are refused when requested as %j',
    (mediaTypes) => {
      expect(decidePermission({ permission: 'media', url, mediaTypes }, ground, 'yes')).toBe('refuse')
      expect(devicesOf(mediaTypes)).toBeUndefined()
    }
  )

  test('are each named once for people', () => {
    expect(devicesOf(['audio', 'video', 'audio'])).toEqual(['camera', 'microphone'])
  })
})
