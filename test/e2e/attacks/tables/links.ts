/** The link of a signer, as a lying service would give it. */
import type { Area, Attack } from '../attack.ts'

const is = (what: string, script: string): Attack => ({ name: `be opened though it ${what}`, script })

/** Links that cause no request: only the check of the link itself stands in the way. */
const isNone = (what: string, script: string): Attack => ({ ...is(what, script), guard: ['link'] })

/** The name is public, but it leads to the office's network. */
const leading = (where: string, ...addresses: string[]): Attack => ({
  ...is(`leads to ${where} by a public name`, 'https://leads.example/attack'),
  guard: ['private'],
  message: 'private network (leads.example)',
  turn: { linkOrigin: 'https://leads.example', lookups: { 'leads.example': addresses } }
})

export const links: Area = {
  title: 'A signer’s link',
  about:
    'The service says where a signer’s page is. What it says is checked before anything is loaded: each of these fails the turn and offers a way on, and no server gets a request.',
  by: 'link',
  guard: ['link', 'request'],
  attacks: [
    is('leads elsewhere', 'http://{elsewhere}/'),
    is('leads elsewhere, encrypted', 'https://{elsewhere}/'),
    is('is the service’s under another name', 'http://localhost:{port}/attack'),
    is('is the service’s under another number', 'http://127.0.0.2:{port}/attack'),
    is('is the service’s over IPv6', 'http://[::1]:{port}/attack'),
    is('is the service’s under any address', 'http://0.0.0.0:{port}/attack'),
    is('is the service’s, mapped into IPv6', 'http://[::ffff:127.0.0.1]:{port}/attack'),
    is('is the service’s, as if it were encrypted', 'https://127.0.0.1:{port}/attack'),
    is('is the service’s at another port', 'http://127.0.0.1:{elsewhere-port}/attack'),
    is('is the service’s at no port', 'http://127.0.0.1/attack'),
    is('is the service’s as a user name', 'http://127.0.0.1:{port}@{elsewhere}/'),
    is('holds a log-in', 'http://ana:pw@127.0.0.1:{port}/attack'),
    is('holds an empty password', 'http://ana:@127.0.0.1:{port}/attack'),
    is('is a public server without encryption', 'http://sign.example.com/'),
    is('is a file', 'file:///etc/passwd'),
    is('is a file of another computer', 'file://server/share/a.html'),
    isNone('is a file of another computer, as Windows writes it', '\\\\server\\share\\a.html'),
    { ...is('is our own page', 'app://countersign/index.html'), guard: ['browser'] },
    isNone('is a script', 'javascript:alert(1)'),
    isNone('is a script with a line break in it', 'java\nscript:alert(1)'),
    isNone('is data', 'data:text/html,<h1>bank</h1>'),
    isNone('is a blob', 'blob:{here}/8d1f'),
    isNone('is empty', 'about:blank'),
    isNone('is written by itself', 'about:srcdoc'),
    isNone('is nothing', ''),
    isNone('is only a space', ' '),
    isNone('has no scheme', '//127.0.0.1:{port}/attack'),
    is('has no host', 'http:///attack'),
    isNone('has a port that there can’t be', 'http://127.0.0.1:99999/attack'),
    isNone('is the browser’s own', 'chrome://gpu'),
    isNone('is the browser’s tools', 'devtools://devtools/bundled/inspector.html'),
    isNone('is the source of a page', 'view-source:{here}/attack'),
    isNone('is a program of the system', 'ms-msdt:/id%20PCWDiagnostic'),
    isNone('is of the old protocol', 'ftp://{elsewhere}/'),
    { ...is('is a socket', 'ws://127.0.0.1:{port}/attack'), guard: ['browser'] },
    { ...is('is sent elsewhere at once', '{here}/redirect/302?to=http://{elsewhere}/'), guard: ['ground', 'request'] },
    {
      ...is('is sent into the office at once', '{here}/redirect/307?to=https://192.168.1.1/'),
      guard: ['ground', 'request']
    },
    {
      ...is(
        'is sent elsewhere at the end of three steps',
        '{here}/redirect/302?to=%2Fredirect%2F302%3Fto%3D%252Fredirect%252F302%253Fto%253Dhttp%253A%252F%252F{elsewhere}%252F'
      ),
      guard: ['ground', 'request']
    },
    leading('the router', '192.168.1.1'),
    leading('this machine', '127.0.0.1'),
    leading('this machine over IPv6', '::1'),
    leading('the office beside a public address', '93.184.215.14', '10.0.0.1')
  ]
}
