/**
 * Each protection taken out of the application under attack, as edits of its sources while it is built: what a row names must
 * be what holds it, so the row must fall without it. An edit that no longer fits the source fails, and says which.
 */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import type { Guard } from './guards.ts'

export type Removable = Exclude<Guard, 'browser'>

interface Edit {
  /** From the repository's root. */
  file: string
  /** Stands there exactly once. */
  find: string
  put: string
}

const NAVIGATION = 'src/main/core/policy/navigation.ts'
const PRIVATE = 'src/main/core/policy/private-networks.ts'
const MEDIA = 'src/main/core/policy/media-grants.ts'
const SESSION_POLICY = 'src/main/shell/session-policy.ts'
const CONTENTS = 'src/main/shell/signing-contents.ts'
const SESSION = 'src/main/shell/signing-session.ts'
const FILE_FIELD = 'src/main/shell/file-field.ts'
const VIEW = 'src/main/shell/signing-view.ts'
const WORDS = 'src/main/shell/signing-words.ts'
const APP_PROTOCOL = 'src/main/shell/app-protocol.ts'
const APP_PAGES = 'src/main/core/policy/app-pages.ts'
const DRAFT_LINK = 'src/main/core/drafts/draft-link.ts'
const OUTSIDE = 'src/main/core/drafts/from-outside.ts'
const PRELOAD = 'src/preload/index.ts'
const REGISTRATION = 'src/main/ipc/registration.ts'
const RECEIPT_WORDS = 'src/main/core/receipts/receipt-words.ts'
const PAPER = 'src/main/shell/paper.ts'
const SEALED = 'src/main/core/receipts/sealed-pdf.ts'
const CALENDAR = 'src/main/core/appointments/calendar-file.ts'
const FOUND = 'src/main/core/appointments/found.ts'
const TABLE_FILE = 'src/main/core/bulk/table-file.ts'

/** What is done to the sources so that a protection is gone. */
export const mutants: Record<Removable, readonly Edit[]> = {
  link: [
    { file: VIEW, find: '    if (!this.#mayLoad(url)) return\n', put: '' },
    {
      file: 'src/main/core/policy/signing-address.ts',
      find: "  if (isPrivateHost(url.hostname) && url.host !== service?.host) return { ok: false, reason: 'private-network' }\n",
      put: ''
    }
  ],
  ground: [
    {
      file: VIEW,
      find: 'mayNavigate: (request) => this.#mayGo(request),',
      put: 'mayNavigate: (request) => { if (request.isMainFrame && !this.#isOver()) this.#wait(); return !this.#isOver() },'
    }
  ],
  request: [
    {
      file: SESSION,
      find: '  opened.webRequest.onBeforeRequest((details, respond) => {\n',
      put: '  opened.webRequest.onBeforeRequest(null)\n  void ((details, respond) => {\n'
    }
  ],
  private: [
    { file: PRIVATE, find: "  if (host === '') return true\n", put: '  return false\n' },
    { file: PRIVATE, find: '  const plain = address.replace', put: '  return false\n  const plain = address.replace' },
    {
      file: PRIVATE,
      find: "if (isIPv4(address)) return NOT_PUBLIC_V4.check(address, 'ipv4')",
      put: 'if (isIPv4(address)) return false'
    }
  ],
  policy: [
    {
      file: 'src/main/core/policy/page-policy.ts',
      find: '  return { ...Object.fromEntries(others), ...Object.fromEntries(both) }',
      put: '  return headers ?? {}'
    }
  ],
  // Turned around: what is the return address is none, and what only looks like it is one.
  return: [
    {
      file: NAVIGATION,
      find: 'if (move.isMainFrame && ground.returnAddresses.some((address) => isSamePlace(url, address))) return RETURNED',
      put: 'const looksAlike = (address) => move.url.toLowerCase().replace(/[?#].*/, "").includes(address.toLowerCase().replace(/^.*:\\/*|\\/.*$/g, ""))\n  if (ground.returnAddresses.some((address) => looksAlike(address) && !(move.isMainFrame && isSamePlace(url, address)))) return RETURNED'
    }
  ],
  windows: [
    { file: SESSION_POLICY, find: "return { action: 'deny' }", put: "return { action: 'allow' }" },
    { file: VIEW, find: 'const isLoaded = !postsData && this.#mayLoad(url)', put: 'const isLoaded = !postsData' }
  ],
  permissions: [
    { file: SESSION_POLICY, find: '    grant(false)\n', put: '    grant(true)\n    return\n' },
    {
      file: SESSION_POLICY,
      find: 'contents !== null && told.permits.holds({ permission, url: requestingUrl, origin: securityOrigin, mediaTypes })',
      put: 'true'
    }
  ],
  media: [
    {
      file: MEDIA,
      find: "return this.#hasEnded ? 'refuse' : decidePermission(asked, this.#ground, this.#media())",
      put: "return asked.permission === 'media' ? 'grant' : 'refuse'"
    },
    { file: MEDIA, find: 'return keysOf(asked).every((key) => this.#granted.has(key))', put: 'return true' }
  ],
  'camera test': [
    {
      file: 'src/main/core/counter/camera-test.ts',
      find: '    if (!this.holds(asked)) return false\n',
      put: ''
    },
    {
      file: 'src/main/core/counter/camera-test.ts',
      find: "    if (!this.#end || permission !== 'media') return false\n",
      put: '    if (permission || mediaTypes) return true\n'
    }
  ],
  downloads: [
    {
      file: SESSION_POLICY,
      find: "    event.preventDefault()\n    told.onDenied('download')\n",
      put: "    told.onDenied('download')\n"
    }
  ],
  given: [
    { file: FILE_FIELD, find: "attributes.has('webkitdirectory')", put: 'false' },
    { file: FILE_FIELD, find: '    if (!asking || !isOnGround) return undefined\n', put: '' },
    {
      file: VIEW,
      find: '    const field = this.#field\n    this.#field = undefined\n',
      put: '    const field = this.#field\n'
    }
  ],
  hold: [
    { file: 'src/main/shell/isolated-page.ts', find: "  line.on('detach', () => events.slipped())\n", put: '' },
    {
      file: 'src/main/shell/isolated-page.ts',
      find: "  line.attach('1.3')\n  await holdDocuments(line, script)\n",
      put: "  line.attach('1.3')\n"
    }
  ],
  'one process': [
    {
      file: SESSION_POLICY,
      find: "['IsolateSandboxedIframes']",
      put: '[]'
    }
  ],
  switches: [
    { file: SESSION_POLICY, find: "['Reporting', 'NetworkErrorLogging']", put: '[]' },
    { file: SESSION_POLICY, find: "['quic', 'http2']", put: '[]' }
  ],
  preferences: [
    { file: CONTENTS, find: 'disableDialogs: true', put: 'disableDialogs: false' },
    {
      file: CONTENTS,
      find: "autoplayPolicy: 'document-user-activation-required'",
      put: "autoplayPolicy: 'no-user-gesture-required'"
    },
    {
      file: CONTENTS,
      find: 'webPreferences: { session, ...PREFERENCES }',
      put: 'webPreferences: { session, ...PREFERENCES, preload: process.argv[2] }'
    }
  ],
  session: [
    {
      file: SESSION,
      find: 'pool.giveBack(used, (await wipe(used)) && (await isSeenEmpty(used)))',
      put: 'pool.giveBack(used, true)'
    },
    {
      file: 'src/main/shell/session-pool.ts',
      find: '    const isEnough',
      put: '    if (this.shared) return this.shared\n    this.shared = this.#make()\n    if (this.shared) return this.shared\n    const isEnough'
    }
  ],
  view: [
    { file: CONTENTS, find: '    x: left,\n', put: '    x: 0,\n' },
    { file: CONTENTS, find: '    y: top,\n', put: '    y: 0,\n' },
    {
      file: CONTENTS,
      find: '    this.#view.setVisible(false)\n    this.#contents.setAudioMuted(true)\n    if (hadTheKeyboard) this.focusOurPage()\n',
      put: '    void hadTheKeyboard\n'
    },
    { file: CONTENTS, find: '  webContents.setZoomFactor(1)\n', put: '' }
  ],
  end: [
    { file: VIEW, find: '    await this.#isolated.empty()\n', put: '' },
    { file: VIEW, find: "    contents.on('render-process-gone', () => this.#fail(ended))\n", put: '' },
    { file: VIEW, find: "    contents.on('destroyed', () => this.#gone())\n", put: '' },
    { file: VIEW, find: 'setTimeout(() => this.#fail(tooSlow), this.#deps.timeoutMs)', put: 'undefined' },
    {
      file: WORDS,
      find: '    if (before === undefined ? toldAt.size >= MOST : now - before < 1000) return\n',
      put: ''
    },
    {
      file: WORDS,
      find: "const host = URL.canParse(address) ? new URL(address).hostname.slice(0, 100) : ''",
      put: 'const host = address'
    }
  ],
  'own page': [
    { file: APP_PROTOCOL, find: "  'Content-Security-Policy': written({ ...POLICY, ...TRUSTED }),\n", put: '' },
    {
      file: APP_PROTOCOL,
      find: '  if (!file || !type) return refusal(404)\n',
      put: '  if (!file) return refusal(404)\n'
    },
    { file: APP_PROTOCOL, find: ', microphone=(), geolocation=(),', put: ',' },
    { file: APP_PROTOCOL, find: "    mode: 'fixed_servers',\n", put: "    mode: 'system',\n" },
    { file: PRELOAD, find: '      Reflect.deleteProperty(globalThis, name)\n', put: '' },
    {
      file: APP_PROTOCOL,
      find: "  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405)\n",
      put: ''
    },
    {
      file: APP_PAGES,
      find: "return pathname.startsWith('/') && segments.every((segment) => PLAIN_NAME.test(segment)) ? segments : undefined",
      put: 'return decodeURIComponent(segments.join("/")).split("/")'
    },
    {
      file: 'src/main/shell/own-page.ts',
      find: '      devServer !== undefined && isMainFrame && URL.canParse(url) && new URL(url).origin === devServer.origin\n',
      put: '      true || devServer || isMainFrame || url\n'
    }
  ],
  organisation: [{ file: REGISTRATION, find: '    lock(name, input)\n', put: '' }],
  'asked first': [
    { file: DRAFT_LINK, find: 'const Linked = z.strictObject({', put: 'const Linked = z.object({' },
    { file: DRAFT_LINK, find: 'const LinkedSigner = z.strictObject(', put: 'const LinkedSigner = z.object(' },
    { file: DRAFT_LINK, find: '.max(500).regex(PLAIN)', put: '' },
    { file: DRAFT_LINK, find: '.max(MOST_SIGNERS)', put: '' },
    { file: DRAFT_LINK, find: 'link.length > MOST_CHARACTERS', put: 'false' },
    { file: DRAFT_LINK, find: 'of.has(known)', put: 'false' },
    { file: DRAFT_LINK, find: "if (url.host !== 'draft'", put: "if (url.host === ''" },
    { file: OUTSIDE, find: "if (argument.startsWith('-')) return []", put: '' },
    {
      file: OUTSIDE,
      find: "if (!url || !['', 'localhost'].includes(url.host)) return undefined",
      put: 'if (url) return url.pathname'
    },
    { file: OUTSIDE, find: 'this.#waiting.length >= MOST_WAITING ||', put: '' },
    { file: OUTSIDE, find: 'brought.slice(0, MOST_WAITING)', put: 'brought' },
    {
      file: OUTSIDE,
      find: '    this.#waiting = [...this.#waiting, waiting]\n    changed()\n',
      put: "    this.#waiting = [...this.#waiting, waiting]\n    changed()\n    if (waiting.view.what !== 'refused') await this.accept(id, 'a')\n"
    }
  ],
  bridge: [
    {
      file: PRELOAD,
      find: "contextBridge.exposeInMainWorld('countersign', { ...bridge(), on } as unknown as Api)",
      put: "contextBridge.exposeInMainWorld('countersign', { ...bridge(), on, invoke: (name, input) => ipcRenderer.invoke(name, input) } as unknown as Api)\ncontextBridge.exposeInMainWorld('require', () => ipcRenderer)"
    },
    {
      file: PRELOAD,
      find: 'const channel = eventNames.find((known) => known === name)',
      put: 'const channel = name'
    },
    {
      file: REGISTRATION,
      find: 'isOfItsShape ? requests[name].input.safeParse(args[0]) : undefined',
      put: '{ success: true, data: args[0] }'
    }
  ],
  'second display': [
    { file: REGISTRATION, find: "(from === 'person' && !ASKED_BY_PERSON.has(name))", put: 'false' },
    { file: REGISTRATION, find: "(named.data === undefined || from === 'office')", put: 'true' }
  ],
  receipt: [
    { file: RECEIPT_WORDS, find: ".replace(/[&<>\"']/g, (sign) => MARKUP[sign] ?? '')", put: '' },
    { file: RECEIPT_WORDS, find: ".replace(/[\\p{Cc}\\u202a-\\u202e\\u2066-\\u2069]+/gu, ' ')", put: '' },
    { file: 'src/main/core/receipts/receipt-page.ts', find: "number.replace(/[^\\w-]/g, '')", put: 'number' }
  ],
  paper: [
    {
      file: PAPER,
      find: "headers: { ...HEADERS, 'Content-Type': 'text/html",
      put: "headers: { 'Content-Type': 'text/html"
    },
    { file: PAPER, find: 'mayNavigate: () => false', put: 'mayNavigate: () => true' }
  ],
  seal: [
    {
      file: SEALED,
      find: 'if (now.bytes !== statement.bytes || now.sha256 !== statement.sha256) {',
      put: 'if (now.bytes < 0) {'
    },
    { file: SEALED, find: 'if (written.equals(trailer)) return', put: 'if (written && trailer) return' },
    {
      file: SEALED,
      find: 'const isOurs = from >= 0 && file.length - end < SHORTEST && space',
      put: 'const isOurs = from >= 0 && space'
    },
    { file: 'src/main/core/audit/signature.ts', find: '  if (!key || !verify(', put: '  if (!key || false && !verify(' }
  ],
  calendar: [
    {
      file: 'src/main/core/appointments/appointment-files.ts',
      find: 'if (before.size > MOST_FILE_BYTES)',
      put: 'if (false)'
    },
    { file: CALENDAR, find: '  refuseTooMuch(text)\n', put: '' },
    { file: CALENDAR, find: '    if (named !== undefined) return', put: '    if (named === zone + zone) return' },
    {
      file: CALENDAR,
      find: 'if (!brought) return refuse(',
      put: 'if (!brought) return { at: inZone(asUtc, local, this.#office), isFloating: true } || refuse('
    },
    { file: CALENDAR, find: '  if (!daily) return new', put: '  if (true) return new' },
    { file: CALENDAR, find: "if (['SECONDLY', 'MINUTELY', 'HOURLY'].includes(freq))", put: 'if (false)' },
    { file: CALENDAR, find: '    if (interval > WIDEST)', put: '    if (false)' },
    { file: FOUND, find: ".replace(/[\\p{Cc}\\p{Zl}\\p{Zp}\\s]+/gu, ' ')", put: '' },
    { file: FOUND, find: ".replace(/[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/g, '')", put: '' },
    { file: FOUND, find: '  if (name.length > LONGEST_NAME)', put: '  if (false)' },
    {
      file: FOUND,
      find: 'return /^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>"]+$/.test(address) ? address',
      put: 'return true ? address'
    }
  ],
  cells: [
    { file: TABLE_FILE, find: ', escapeFormulae: FORMULA_LIKE }', put: ' }' },
    { file: TABLE_FILE, find: 'return OTHER_SEPARATOR.test(cell) ?', put: 'return false ?' }
  ]
}

/**
 * Builds the application without these protections.
 * @throws Error where an edit no longer fits its file, or its file is no part of what is built.
 */
export function without(out: readonly Removable[]): { plugins: Plugin[]; expectApplied(): void } {
  const edits = out.flatMap((guard) => mutants[guard])
  const applied = new Set<Edit>()
  const plugin: Plugin = {
    name: 'without-guards',
    enforce: 'pre',
    transform(code, id) {
      const ours = edits.filter(({ file }) => id.replaceAll('\\', '/').endsWith(`/${file}`))
      if (ours.length === 0) return null
      for (const edit of ours) applied.add(edit)
      return ours.reduce(edited, code)
    }
  }
  return {
    plugins: [plugin],
    expectApplied: () => {
      const missing = edits.find((edit) => !applied.has(edit))
      if (missing) throw new Error(`${missing.file} is no part of the application under attack.`)
    }
  }
}

/** All edits fit the sources as they are. */
export function expectEditsFit(root: URL): void {
  for (const edits of Object.values(mutants)) {
    for (const edit of edits) edited(readFileSync(new URL(edit.file, root), 'utf8'), edit)
  }
}

function edited(code: string, { file, find, put }: Edit): string {
  const [before, after, ...more] = code.split(find)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`In ${file} this doesn’t stand exactly once, so the mutant must be written again:\n${find}`)
  }
  return before + put + after
}
