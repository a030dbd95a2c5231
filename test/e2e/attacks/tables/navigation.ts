/** Leaving for an attacker's page, in every way in which a document can move. */
import type { Area } from '../attack.ts'
import { byScript, click } from './scripts.ts'

export const navigation: Area = {
  title: 'Leaving the signing service',
  about:
    'A page that can move elsewhere while our frame still names the signing service can show anything in its name: another document, a form for a bank’s password.',
  by: 'signing page',
  guard: ['ground', 'request'],
  sharesTurns: true,
  attacks: [
    { name: 'leave by a link', ...click('<a id=go href="http://{elsewhere}/">go</a>'), message: 'unencrypted' },
    { name: 'leave by script', script: 'location = "http://{elsewhere}/"', message: 'unencrypted' },
    { name: 'leave by replacing', script: 'location.replace("http://{elsewhere}/")', message: 'unencrypted' },
    { name: 'leave by changing the port', script: 'location.port = "{elsewhere-port}"', message: 'unencrypted' },
    { name: 'leave by changing the host', script: 'location.hostname = "evil.example"', message: 'evil.example' },
    { name: 'leave by changing the protocol', script: 'location.protocol = "https:"', message: 'open 127.0.0.1' },
    {
      name: 'leave for the same server under another name',
      script: 'location = "http://localhost:{port}/loot"',
      message: 'unencrypted'
    },
    {
      name: 'leave for the same server over IPv6',
      script: 'location = "http://[::1]:{port}/loot"',
      message: 'unencrypted'
    },
    {
      name: 'leave for another number of this machine',
      script: 'location = "http://127.0.0.2:{port}/loot"',
      message: 'unencrypted'
    },
    {
      name: 'leave for the service’s name with a dot after it',
      script: 'location = "http://localhost.:{port}/loot"',
      message: 'unencrypted'
    },
    { name: 'leave for a public host', script: 'location = "https://evil.example/"', message: 'evil.example' },
    {
      name: 'leave for a host that begins like the service',
      script: 'location = "https://127.0.0.1.evil.example/"',
      message: 'open 127.0.0.1.evil.example'
    },
    { name: 'leave by encryption to elsewhere', script: 'location = "https://{elsewhere}/"', message: '127.0.0.1' },
    {
      name: 'leave with a log-in in the address',
      script: 'location = "http://ana:pw@127.0.0.1:{port}/loot"',
      message: 'log in',
      neverAsked: '/loot'
    },
    {
      name: 'leave with our host as a user name',
      script: 'location = "http://127.0.0.1:{port}@{elsewhere}/"',
      message: 'log in'
    },
    {
      name: 'leave by an address with a backslash in it',
      script: 'location = "http:\\\\\\\\{elsewhere}\\\\@127.0.0.1:{port}/"',
      message: 'unencrypted'
    },
    {
      name: 'leave by an address without a scheme',
      ...click('<a id=go href="//{elsewhere}/">go</a>'),
      message: 'unencrypted'
    },
    {
      name: 'leave for a file share, in a way that Windows logs in to',
      ...click('<a id=go href="\\\\server.example\\share\\a">go</a>'),
      message: 'server.example'
    },
    {
      name: 'leave by sending a form',
      ...click('<form action="http://{elsewhere}/" method=post><button id=go>go</button></form>'),
      message: 'unencrypted'
    },
    {
      name: 'leave by a form that asks',
      ...click('<form action="http://{elsewhere}/"><input name=a value=b><button id=go>go</button></form>'),
      message: 'unencrypted'
    },
    {
      name: 'leave by a button that changes where its form goes',
      ...click('<form action="/embedded"><button id=go formaction="http://{elsewhere}/">go</button></form>'),
      message: 'unencrypted'
    },
    {
      name: 'leave by a form sent into the top',
      ...click('<form action="https://evil.example/" target=_top method=post><button id=go>go</button></form>'),
      message: 'evil.example'
    },
    {
      name: 'leave by a refreshing tag',
      page: '<body>',
      script:
        'const m = document.createElement("meta"); m.httpEquiv = "refresh"; m.content = "0;url=http://{elsewhere}/"; document.head.append(m)',
      message: 'unencrypted'
    },
    {
      name: 'leave by a base that changes all links',
      ...click('<base href="http://{elsewhere}/"><a id=go href="x">go</a>'),
      message: 'unencrypted'
    },
    {
      name: 'leave by a map in a picture',
      ...click('<img usemap="#m" src="data:,"><map name=m><area id=go href="http://{elsewhere}/" shape=default></map>'),
      message: 'unencrypted'
    },
    {
      name: 'leave by a link in a drawing',
      page: '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><a id=go xlink:href="http://{elsewhere}/"><text y=20>go</text></a></svg>',
      script: 'document.getElementById("go").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
      message: 'unencrypted'
    },
    {
      name: 'leave by the navigation interface',
      script: 'navigation.navigate("http://{elsewhere}/").committed.catch(() => {})',
      message: 'unencrypted'
    },
    {
      name: 'leave by a link that says nothing of where it comes from',
      ...click('<a id=go rel="noreferrer noopener" target=_top href="http://{elsewhere}/">go</a>'),
      message: 'unencrypted'
    },
    {
      name: 'leave later, when no one is looking',
      script: 'await new Promise((r) => setTimeout(r, 100)); location = "http://{elsewhere}/"',
      message: 'unencrypted'
    },
    {
      name: 'leave from within a frame of its own',
      page: '<iframe src="/embedded?script=top.location=%22http://{elsewhere}/%22"></iframe>',
      script: 'await new Promise((r) => setTimeout(r, 200))'
    },
    {
      name: 'leave from within a frame, by a click on a link for the top',
      page: '<iframe id=f srcdoc="<a id=go target=_top href=http://{elsewhere}/>go</a>"></iframe>',
      script:
        'await new Promise((r) => setTimeout(r, 200)); document.getElementById("f").contentDocument.getElementById("go").click()',
      message: 'unencrypted'
    },
    ...byScript('unencrypted', [
      ['leave by assigning', 'location.assign("http://{elsewhere}/")'],
      ['leave by the document’s place', 'document.location = "http://{elsewhere}/"'],
      ['leave by the top’s place', 'top.location.href = "http://{elsewhere}/"'],
      ['leave by opening itself', 'open("http://{elsewhere}/", "_self")'],
      ['leave by opening the top', 'open("http://{elsewhere}/", "_top")'],
      ['leave by opening the window of its own name', 'window.name = "mine"; open("http://{elsewhere}/", "mine")'],
      [
        'leave by the navigation interface, leaving no trace',
        'navigation.navigate("http://{elsewhere}/", { history: "replace" }).committed.catch(() => {})'
      ],
      ['leave by a script in an address', 'location = "javascript:void(location=\'http://{elsewhere}/\')"'],
      ['leave by a text that runs', 'setTimeout("location = \'http://{elsewhere}/\'")'],
      [
        'leave after changing its own address',
        'history.pushState({}, "", "/elsewhere"); location.replace("http://{elsewhere}/"); setTimeout(() => history.replaceState({}, "", "/attack"))'
      ],
      [
        'leave when its place in the page changes',
        'onhashchange = () => (location = "http://{elsewhere}/"); location.hash = "a"'
      ],
      [
        'leave when a worker says so',
        'new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))).onmessage = () => (location = "http://{elsewhere}/")'
      ],
      [
        'leave when the page is changed',
        'new MutationObserver(() => (location = "http://{elsewhere}/")).observe(document.body, { childList: true }); document.body.append("x")',
        '<body>'
      ],
      [
        'leave by a form that it sends itself',
        'document.forms[0].requestSubmit()',
        '<form action="http://{elsewhere}/"></form>'
      ],
      [
        'leave by a form past its own checks',
        'document.forms[0].submit()',
        '<form action="http://{elsewhere}/" onsubmit="return false"><input name=a required></form>'
      ],
      [
        'leave by a form that carries files',
        'document.forms[0].submit()',
        '<form action="http://{elsewhere}/" method=post enctype=multipart/form-data><input type=file name=a></form>'
      ],
      [
        'leave by a form that carries plain text',
        'document.forms[0].submit()',
        '<form action="http://{elsewhere}/" method=post enctype=text/plain><input name=a value=b></form>'
      ],
      [
        'leave by a button that belongs to a form from afar',
        'document.getElementById("go").click()',
        '<form id=f action="http://{elsewhere}/"></form><button id=go form=f>go</button>'
      ],
      [
        'leave by a picture that sends a form',
        'document.getElementById("go").click()',
        '<form action="http://{elsewhere}/"><input id=go type=image alt=go></form>'
      ],
      [
        'leave by a button that changes how its form goes',
        'document.getElementById("go").click()',
        '<form action="/embedded"><button id=go formmethod=post formaction="http://{elsewhere}/">go</button></form>'
      ],
      [
        'leave by a link around a button',
        'document.getElementById("go").click()',
        '<a href="http://{elsewhere}/"><b id=go>go</b></a>'
      ],
      [
        'leave by a link whose address moves',
        'await new Promise((r) => setTimeout(r, 60)); document.getElementById("go").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
        '<svg><a id=go href="#"><set attributeName=href to="http://{elsewhere}/"/><text y=20>go</text></a></svg>'
      ],
      [
        'leave by a link for the frame around it',
        'document.getElementById("go").click()',
        '<a id=go target=_parent href="http://{elsewhere}/">go</a>'
      ],
      [
        'leave by a tag that refreshes by a changed base',
        'document.head.insertAdjacentHTML("beforeend", \'<base href="http://{elsewhere}/"><meta http-equiv=refresh content="0;url=a">\')'
      ],
      [
        'leave from a frame that it wrote itself',
        'document.body.insertAdjacentHTML("beforeend", \'<iframe srcdoc="<script>top.location=`http://{elsewhere}/`</script>"></iframe>\')',
        '<body>'
      ],
      [
        'leave from a frame that it wrote itself, by opening the top',
        'document.getElementById("f").contentWindow.open("http://{elsewhere}/", "_top")',
        '<iframe id=f srcdoc="x"></iframe>'
      ],
      [
        'leave from a frame by a form for the top',
        'await new Promise((r) => setTimeout(r, 150)); document.getElementById("f").contentDocument.forms[0].submit()',
        '<iframe id=f srcdoc="<form target=_top action=http://{elsewhere}/></form>"></iframe>'
      ],
      [
        'leave from a shut frame that may move the top',
        'document.body.insertAdjacentHTML("beforeend", \'<iframe sandbox="allow-scripts allow-top-navigation" srcdoc="<script>top.location=`http://{elsewhere}/`</script>"></iframe>\')',
        '<body>'
      ]
    ]),
    {
      name: 'leave while the page before it is still being left',
      sharesTurn: false,
      script:
        'addEventListener("beforeunload", () => { location = "http://{elsewhere}/" }); location = "/redirect/302?to=http://{elsewhere}/"',
      message: 'unencrypted'
    },
    {
      name: 'leave so often that one gets through',
      script:
        'let i = 0; const again = () => { location = "http://{elsewhere}/" + i; if (++i < 40) setTimeout(again, 5) }; setTimeout(again)',
      message: 'unencrypted',
      mayEndItself: true
    }
  ]
}
