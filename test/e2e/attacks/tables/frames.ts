/** Showing what isn't the service's within the service's page. */
import type { Area } from '../attack.ts'
import { byMarkup, byScript, frame, shows, textOfFrame } from './scripts.ts'

export const frames: Area = {
  title: 'Frames and embedded documents',
  about:
    'What a page can’t be, it may try to contain. A frame is a document like any other: it may show the service’s pages and what the page writes into it, nothing else.',
  by: 'signing page',
  guard: ['ground', 'request'],
  sharesTurns: true,
  attacks: [
    { name: 'embed a page of elsewhere', ...frame('http://{elsewhere}/'), message: 'unencrypted' },
    { name: 'embed a page of elsewhere, encrypted', ...frame('https://{elsewhere}/'), message: 'page from 127.0.0.1' },
    { name: 'embed a page of a public host', ...frame('https://evil.example/'), message: 'page from evil.example' },
    { name: 'embed a page of the router', ...frame('https://192.168.1.1/'), message: 'page from 192.168.1.1' },
    {
      name: 'embed the service under another name',
      ...frame('http://localhost:{port}/embedded'),
      message: 'unencrypted',
      neverAsked: '/embedded'
    },
    {
      name: 'embed a page with a log-in',
      ...frame('http://ana:pw@127.0.0.1:{port}/embedded'),
      guard: ['browser'],
      neverAsked: '/embedded'
    },
    {
      name: 'embed a page that has come with this one',
      page: '<iframe src="http://{elsewhere}/"></iframe>',
      script: 'await new Promise((r) => setTimeout(r, 200))',
      message: 'unencrypted'
    },
    {
      name: 'embed a page that waits until it is scrolled to',
      page: '<div style="height:3000px"></div><iframe loading=lazy src="http://{elsewhere}/"></iframe>',
      script: 'scrollTo(0, 9999); await new Promise((r) => setTimeout(r, 300))',
      message: 'unencrypted'
    },
    {
      name: 'embed a page within a frame that it wrote itself',
      script: shows('<iframe srcdoc="<iframe src=http://{elsewhere}/></iframe>"></iframe>', 500),
      message: 'unencrypted'
    },
    {
      name: 'embed a page within a shut frame',
      script: shows(
        '<iframe sandbox="allow-scripts" srcdoc="<script>location = `http://{elsewhere}/`</script>"></iframe>',
        500
      ),
      message: 'unencrypted'
    },
    {
      name: 'embed a page without a trace of where it belongs',
      script: shows('<iframe credentialless src="http://{elsewhere}/"></iframe>'),
      message: 'unencrypted'
    },
    {
      name: 'embed our own pages',
      ...frame('app://countersign/index.html', textOfFrame),
      answers: '',
      guard: ['browser']
    },
    {
      name: 'embed a blob',
      page: '<iframe id=f></iframe>',
      script: `const f = document.getElementById("f"); f.src = URL.createObjectURL(new Blob(["<h1>bank</h1>"], { type: "text/html" })); await new Promise((r) => setTimeout(r, 300)); ${textOfFrame}`,
      answers: '',
      guard: ['ground'],
      message: 'isn’t a web page'
    },
    {
      name: 'embed data as a page',
      ...frame('data:text/html,<script>parent.postMessage(1, "*")</script>'),
      guard: ['ground'],
      message: 'isn’t a web page'
    },
    {
      name: 'embed a file of this computer',
      ...frame('file:///etc/passwd', textOfFrame),
      answers: '',
      guard: ['browser']
    },
    {
      name: 'embed an object of elsewhere',
      script: shows('<object data="http://{elsewhere}/" type="text/html"></object>'),
      guard: ['ground', 'policy', 'request']
    },
    {
      name: 'embed a plug-in of elsewhere',
      script: shows('<embed src="http://{elsewhere}/" type="application/pdf">'),
      guard: ['browser']
    },
    {
      name: 'embed a plug-in of the service’s own',
      script: shows('<embed src="/plug-in" type="application/pdf"><object data="/plug-in"></object>'),
      guard: ['policy'],
      neverAsked: '/plug-in'
    },
    {
      name: 'embed a set of frames of the old kind',
      script:
        'const s = document.createElement("frameset"); s.innerHTML = `<frame src="http://{elsewhere}/">`; document.documentElement.replaceChild(s, document.body); await new Promise((r) => setTimeout(r, 300))',
      message: 'unencrypted'
    },
    ...byScript('unencrypted', [
      [
        'send a frame on by its window',
        'document.getElementById("f").contentWindow.location = "http://{elsewhere}/"',
        '<iframe id=f name=f src="/embedded"></iframe>'
      ],
      [
        'send a frame on, leaving no trace',
        'frames[0].location.replace("http://{elsewhere}/")',
        '<iframe id=f name=f src="/embedded"></iframe>'
      ],
      [
        'send a frame on by its document',
        'await new Promise((r) => setTimeout(r, 150)); document.getElementById("f").contentDocument.location = "http://{elsewhere}/"',
        '<iframe id=f name=f src="/embedded"></iframe>'
      ],
      [
        'send a frame on by its attribute',
        'document.getElementById("f").setAttribute("src", "http://{elsewhere}/")',
        '<iframe id=f name=f src="/embedded"></iframe>'
      ],
      [
        'send a frame on by opening what has its name',
        'open("http://{elsewhere}/", "f")',
        '<iframe id=f name=f src="/embedded"></iframe>'
      ],
      [
        'send a frame on by a link',
        'document.getElementById("go").click()',
        '<iframe id=f name=f src="/embedded"></iframe><a id=go target=f href="http://{elsewhere}/">go</a>'
      ],
      [
        'send a frame on by a base for all links',
        'document.getElementById("go").click()',
        '<base target=f><iframe id=f name=f src="/embedded"></iframe><a id=go href="http://{elsewhere}/">go</a>'
      ],
      [
        'send a frame on by a button',
        'document.getElementById("go").click()',
        '<iframe id=f name=f src="/embedded"></iframe><form><button id=go formtarget=f formaction="http://{elsewhere}/">go</button></form>'
      ]
    ]),
    ...byMarkup('unencrypted', [
      [
        'embed a page that the frame’s own text refreshes to',
        "<iframe srcdoc='<meta http-equiv=refresh content=0;url=http://{elsewhere}/>'></iframe>"
      ],
      [
        'embed a page that the frame’s own answer refreshes to',
        '<iframe src="/refresh?to=http://{elsewhere}/"></iframe>'
      ],
      [
        'embed a page that the frame’s own script goes to',
        "<iframe src='/embedded?script=location=`http://{elsewhere}/`'></iframe>"
      ],
      [
        'embed a page in a frame without a border, a size or a name',
        '<iframe frameborder=0 width=0 height=0 src="http://{elsewhere}/"></iframe>'
      ],
      [
        'embed a page in a frame that may do everything',
        '<iframe allow="*" allowfullscreen src="http://{elsewhere}/"></iframe>'
      ],
      ['embed a page in a shut frame', '<iframe sandbox src="http://{elsewhere}/"></iframe>']
    ]),
    {
      name: 'embed a frame that no one can look into',
      script: shows(
        '<fencedframe config="http://{elsewhere}/" src="http://{elsewhere}/"></fencedframe><portal src="http://{elsewhere}/"></portal>'
      ),
      guard: ['browser']
    },
    {
      name: 'move a frame that another frame made',
      page: '<iframe name=a src="/embedded"></iframe><iframe id=b src="/embedded"></iframe>',
      script:
        'await new Promise((r) => setTimeout(r, 200)); document.getElementById("b").contentWindow.open("http://{elsewhere}/", "a"); await new Promise((r) => setTimeout(r, 200))',
      message: 'unencrypted',
      guard: ['windows']
    },
    {
      name: 'send a form into a frame, and with it elsewhere',
      page: '<iframe name=f></iframe><form target=f method=post action="http://{elsewhere}/"><input name=pin value=1></form>',
      script: 'document.forms[0].submit(); await new Promise((r) => setTimeout(r, 300))',
      message: 'unencrypted'
    }
  ]
}
