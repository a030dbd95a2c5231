import { describe, expect, test } from 'vitest'
import {
  type Decision,
  decideNavigation,
  decideRequest,
  type RefusalReason,
  type ResourceType,
  type SigningScope
} from '../../../src/main/core/policy/navigation.ts'
import { RETURN_ADDRESS } from '../../../src/shared/composition/request.ts'

const service: SigningScope = {
  allowedOrigins: ['https://sign.example.com'],
  returnAddresses: [RETURN_ADDRESS, 'https://office.example.org/thanks?from=sign']
}
const practice: SigningScope = {
  allowedOrigins: [],
  returnAddresses: [RETURN_ADDRESS],
  practiceOrigin: 'http://127.0.0.1:4100'
}

describe('a signing page may go to', () => {
  test.each([
    'https://sign.example.com/',
    'https://sign.example.com/sign/abc?step=2#page-3',
    'https://sign.example.com:443/x',
    'HTTPS://SIGN.EXAMPLE.COM/x',
    'https:sign.example.com/x',
    'https:\\\\sign.example.com\\x',
    '  https://sign.example.com/x\n'
  ])('%j: the service’s own origin, in any spelling', (url) => {
    expect(decideNavigation({ url, isMainFrame: true }, service)).toEqual({ kind: 'allow' })
    expect(decideNavigation({ url, isMainFrame: false }, service)).toEqual({ kind: 'allow' })
  })

  test.each(['http://127.0.0.1:4100/sign/a', 'http://2130706433:4100/', 'http://0x7f.1:4100/'])(
    '%j: the practice service’s own origin, in the practice office’s turn',
    (url) => expect(decideNavigation({ url, isMainFrame: true }, practice)).toEqual({ kind: 'allow' })
  )

  test.each(['about:blank', 'about:srcdoc'])('%s: in a frame of its own making', (url) => {
    expect(decideNavigation({ url, isMainFrame: false }, service)).toEqual({ kind: 'allow' })
  })
})

const refused: [what: string, url: string, reason: RefusalReason][] = [
  ['another host', 'https://evil.example/', 'other-origin'],
  ['the host as the beginning of another', 'https://sign.example.com.evil.example/', 'other-origin'],
  ['the host as the end of another', 'https://evilsign.example.com/', 'other-origin'],
  ['a host below', 'https://x.sign.example.com/', 'other-origin'],
  ['the host above', 'https://example.com/', 'other-origin'],
  ['a trailing dot, which is another origin', 'https://sign.example.com./', 'other-origin'],
  ['another port', 'https://sign.example.com:8443/', 'other-origin'],
  ['a look-alike of another script', 'https://ѕign.example.com/', 'other-origin'],
  ['the host in the path', 'https://evil.example/https://sign.example.com/', 'other-origin'],
  ['the host in the query', 'https://evil.example/?https://sign.example.com', 'other-origin'],
  ['the host in the fragment', 'https://evil.example/#https://sign.example.com', 'other-origin'],
  ['the host as a user name', 'https://sign.example.com@evil.example/', 'credentials'],
  ['the host as name and password', 'https://sign.example.com:443@evil.example/', 'credentials'],
  ['a log-in at the right host', 'https://ana:secret@sign.example.com/', 'credentials'],
  ['a backslash before the at sign', 'https://evil.example\\@sign.example.com/', 'other-origin'],
  ['no encryption', 'http://sign.example.com/', 'not-encrypted'],
  ['no encryption at the port of encryption', 'http://sign.example.com:443/', 'not-encrypted'],
  ['this machine', 'http://127.0.0.1:4100/', 'not-encrypted'],
  ['this machine by name', 'http://localhost:4100/', 'not-encrypted'],
  ['this machine, encrypted', 'https://127.0.0.1/', 'other-origin'],
  ['the router', 'http://192.168.1.1/', 'not-encrypted'],
  ['a cloud’s own metadata', 'http://169.254.169.254/latest/meta-data/', 'not-encrypted'],
  ['a script', 'javascript:alert(1)', 'scheme'],
  ['a script with a line break in its scheme', 'java\nscript:alert(1)', 'scheme'],
  ['a script with the host in it', 'javascript://sign.example.com/%0aalert(1)', 'scheme'],
  ['data', 'data:text/html,<script>alert(1)</script>', 'scheme'],
  ['a blob', 'blob:https://sign.example.com/8d1f', 'scheme'],
  ['a file', 'file:///etc/passwd', 'scheme'],
  ['a file on another machine', 'file://server/share', 'scheme'],
  ['our own pages', 'app://countersign/index.html', 'scheme'],
  ['the source of a page', 'view-source:https://sign.example.com/', 'scheme'],
  ['the browser’s own pages', 'chrome://settings', 'scheme'],
  ['an extension', 'chrome-extension://abc/x.html', 'scheme'],
  ['the developer tools', 'devtools://devtools/bundled/inspector.html', 'scheme'],
  ['the old file system', 'filesystem:https://sign.example.com/temporary/x', 'scheme'],
  ['an empty page', 'about:blank', 'scheme'],
  ['the browser’s about pages', 'about:config', 'scheme'],
  ['mail', 'mailto:ana@example.com', 'scheme'],
  ['a telephone', 'tel:0000', 'scheme'],
  ['a program of Windows', 'ms-msdt:/id PCWDiagnostic', 'scheme'],
  ['Windows’ search', 'search-ms:query=x', 'scheme'],
  ['an intent', 'intent://sign.example.com/#Intent;end', 'scheme'],
  ['file transfer', 'ftp://sign.example.com/', 'scheme'],
  ['a socket', 'wss://sign.example.com/', 'scheme'],
  ['a scheme of its own', 'countersign://open', 'scheme'],
  ['nothing', '', 'not-an-address'],
  ['a path', '/sign/abc', 'not-an-address'],
  ['a host alone', 'sign.example.com/x', 'not-an-address'],
  ['a host with a space', 'https://sign.example.com evil.example/', 'not-an-address'],
  ['a port beyond all', 'https://sign.example.com:99999/', 'not-an-address']
]

describe('a signing page may not go to', () => {
  test.each(refused)('%s (%j)', (_what, url, reason) => {
    expect(decideNavigation({ url, isMainFrame: true }, service)).toEqual({ kind: 'refuse', reason })
  })

  test.each(refused.filter(([, url]) => url !== 'about:blank'))('%s in a frame (%j)', (_what, url, reason) => {
    expect(decideNavigation({ url, isMainFrame: false }, service)).toEqual({ kind: 'refuse', reason })
  })

  test.each([
    'http://127.0.0.1:4101/',
    'http://127.0.0.1/',
    'http://localhost:4100/',
    'http://127.0.0.2:4100/',
    'http://[::1]:4100/',
    'http://127.0.0.1.evil.example:4100/',
    'https://127.0.0.1:4100/',
    'http://0.0.0.0:4100/'
  ])('%j in the practice office’s turn, which has exactly one origin', (url) => {
    expect(decideNavigation({ url, isMainFrame: true }, practice).kind).toBe('refuse')
  })

  test.each(['http://sign.example.com', 'http://192.168.1.1:4100', 'https://127.0.0.1:4100', 'not an address'])(
    'the practice office if its origin is given as %j',
    (practiceOrigin) => {
      const url = practiceOrigin.startsWith('http') ? practiceOrigin : 'http://127.0.0.1:4100/'
      expect(decideNavigation({ url, isMainFrame: true }, { ...practice, practiceOrigin }).kind).toBe('refuse')
    }
  )

  test('an unencrypted origin in the list', () => {
    const ground = { ...service, allowedOrigins: ['http://sign.example.com'] }
    expect(decideNavigation({ url: 'http://sign.example.com/', isMainFrame: true }, ground).kind).toBe('refuse')
  })
})

describe('the return address', () => {
  test.each([
    RETURN_ADDRESS,
    `${RETURN_ADDRESS}?status=signed&x=1`,
    'HTTPS://RETURN.COUNTERSIGN.INVALID/signed',
    'https:\\\\return.countersign.invalid\\signed',
    'https:/return.countersign.invalid/signed',
    'https://return.countersign.invalid:443/signed',
    'https://return.countersign.invalid/./signed',
    'https://return.countersign.invalid/a/../signed',
    'https://return.countersign.invalid/%2e/signed',
    ' https://return.countersign.invalid/si\tgned\n',
    'https://%72eturn.countersign.invalid/signed',
    'https://return。countersign。invalid/signed',
    'https://ｒｅｔｕｒｎ.countersign.invalid/signed',
    `${RETURN_ADDRESS}#end`,
    'https://office.example.org/thanks?from=sign',
    'https://office.example.org/thanks?outcome=declined'
  ])('%s ends the turn', (url) => {
    expect(decideNavigation({ url, isMainFrame: true }, service)).toEqual({ kind: 'returned' })
  })

  test.each([
    'https://return.countersign.invalid/',
    'https://return.countersign.invalid/signed/',
    'https://return.countersign.invalid//signed',
    'https://return.countersign.invalid/Signed',
    'https://return.countersign.invalid/%73igned',
    'https://return.countersign.invalid/signed%00',
    'https://return.countersign.invalid/signed;x',
    'https://return.countersign.invalid./signed',
    'https://.return.countersign.invalid/signed',
    'https://xreturn.countersign.invalid/signed',
    'https://return.countersign.invalid@evil.example/signed',
    'https://rеturn.countersign.invalid/signed',
    'wss://return.countersign.invalid/signed',
    'ftp://return.countersign.invalid/signed',
    'view-source:https://return.countersign.invalid/signed',
    'blob:https://return.countersign.invalid/signed',
    'filesystem:https://return.countersign.invalid/signed',
    '//return.countersign.invalid/signed',
    'return.countersign.invalid/signed',
    'https://return.countersign.invalid/signed/more',
    'http://return.countersign.invalid/signed',
    'https://return.countersign.invalid:444/signed',
    'https://x@return.countersign.invalid/signed',
    'https://return.countersign.invalid.evil.example/signed',
    'https://office.example.org/other'
  ])('%s does not', (url) => {
    expect(decideNavigation({ url, isMainFrame: true }, service).kind).toBe('refuse')
  })

  test('a frame inside the page can’t end the turn', () => {
    expect(decideNavigation({ url: RETURN_ADDRESS, isMainFrame: false }, service).kind).toBe('refuse')
  })

  test('a return address that isn’t a web address ends nothing', () => {
    const ground = {
      ...service,
      returnAddresses: ['file:///signed', 'about:blank', 'app://countersign/index.html', '']
    }
    for (const url of ground.returnAddresses) {
      expect(decideNavigation({ url, isMainFrame: true }, ground).kind).toBe('refuse')
    }
  })
})

describe('a subresource of a signing page', () => {
  const decide = (url: string, resourceType: ResourceType = 'image', ground = service): Decision['kind'] | 'look-up' =>
    decideRequest({ url, resourceType }, ground).kind

  test('from the page’s own origin is allowed directly', () => {
    expect(decide('https://sign.example.com/logo.png')).toBe('allow')
    expect(decide('wss://sign.example.com/live', 'webSocket')).toBe('allow')
    expect(decide('data:image/png;base64,AAAA')).toBe('allow')
    expect(decide('blob:https://sign.example.com/8d1f')).toBe('allow')
  })

  test('is looked up, like the page itself, if only the link names its origin', () => {
    const named: SigningScope = { ...service, linkOrigin: 'https://sign.example.com' }
    expect(decide('https://sign.example.com/s/abc', 'mainFrame', named)).toBe('look-up')
    expect(decide('https://sign.example.com/frame', 'subFrame', named)).toBe('look-up')
    expect(decide('https://sign.example.com/logo.png', 'image', named)).toBe('look-up')
    expect(decide('wss://sign.example.com/live', 'webSocket', named)).toBe('look-up')
    expect(decide('https://sign.example.com/s/abc', 'mainFrame')).toBe('allow')
    expect(decide('https://other.example.com/', 'mainFrame', named)).toBe('refuse')
  })

  test('from a public host is allowed once its name was looked up', () => {
    expect(decide('https://fonts.example.net/a.woff2', 'font')).toBe('look-up')
    expect(decide('wss://live.example.net/', 'webSocket')).toBe('look-up')
  })

  test.each([
    ['http://fonts.example.net/a.woff2', 'font'],
    ['http://127.0.0.1:631/printers', 'image'],
    ['https://127.0.0.1/', 'xhr'],
    ['https://192.168.1.1/', 'image'],
    ['https://[::1]/', 'script'],
    ['https://[::ffff:10.0.0.1]/', 'script'],
    ['https://printer.local/', 'image'],
    ['https://intranet/', 'xhr'],
    ['https://localhost/', 'xhr'],
    ['https://3232235777/', 'image'],
    ['ws://127.0.0.1:9222/devtools', 'webSocket'],
    ['ws://live.example.net/', 'webSocket'],
    ['wss://router.lan/', 'webSocket'],
    ['https://user:secret@sign.example.com/', 'xhr'],
    ['file:///etc/passwd', 'image'],
    ['app://countersign/index.html', 'script'],
    ['chrome://resources/x.js', 'script'],
    ['devtools://devtools/x', 'script'],
    ['ftp://sign.example.com/', 'image'],
    ['https://sign.example.com/a.swf', 'object']
  ] as [string, ResourceType][])('is never %s (%s)', (url, type) => {
    expect(decide(url, type)).toBe('refuse')
  })

  test('that is a document has the same limits as a navigation', () => {
    expect(decide('https://fonts.example.net/', 'subFrame')).toBe('refuse')
    expect(decide('https://fonts.example.net/', 'mainFrame')).toBe('refuse')
    expect(decide(RETURN_ADDRESS, 'mainFrame')).toBe('returned')
    expect(decide(RETURN_ADDRESS, 'subFrame')).toBe('refuse')
  })

  test('from the practice service is allowed only in the practice office’s turn', () => {
    expect(decide('http://127.0.0.1:4100/style.css', 'stylesheet', practice)).toBe('allow')
    expect(decide('ws://127.0.0.1:4100/live', 'webSocket', practice)).toBe('allow')
    expect(decide('http://127.0.0.1:4101/style.css', 'stylesheet', practice)).toBe('refuse')
    expect(decide('http://127.0.0.1:4100/style.css', 'stylesheet', service)).toBe('refuse')
  })
})
