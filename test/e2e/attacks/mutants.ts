/**
 * Each protection removed from the application under attack, by edits of its sources during the build: the protections
 * that a row names must be what stops it, so the row must fail without them. An edit that no longer fits the source
 * fails, and says which.
 */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import type { Guard } from './guards.ts'

export type Removable = Exclude<Guard, 'browser'>

interface Edit {
  /** Path from the repository's root. */
  file: string
  /** Occurs there exactly once. */
  find: string
  put: string
}

const IDENTITY_NUMBERS = 'src/main/core/counter/identity-numbers.ts'
const PREPARE_SESSION = 'src/main/core/counter/prepare-session.ts'
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
const PAPER = 'src/main/shell/page-printer.ts'
const SEALED = 'src/main/core/receipts/sealed-pdf.ts'
const CALENDAR = 'src/main/core/appointments/calendar-file.ts'
const FOUND = 'src/main/core/appointments/found.ts'
const TABLE_FILE = 'src/main/core/bulk/table-file.ts'
const SEALED_FILE = 'src/main/core/backup/sealed-file.ts'
const RESTORE = 'src/main/core/backup/restore.ts'
const REMOVAL = 'src/main/core/backup/removal.ts'
const RECOVERY = 'src/main/core/backup/recovery-keys.ts'
const SETTINGS_FILE = 'src/main/core/settings-file/settings-file.ts'
const IMPORTING = 'src/main/core/settings-file/importing.ts'
const CHOSEN_FILE = 'src/main/core/storage/chosen-file.ts'
const POLICY_FILE = 'src/main/core/organisation/policy-file.ts'
const MANAGED = 'src/main/core/organisation/managed.ts'
const MANAGED_SETTINGS = 'src/main/core/organisation/managed-settings.ts'
const POLICY_READING = 'src/main/core/organisation/reading.ts'
const CONTRADICTIONS = 'src/main/core/organisation/contradictions.ts'
const ORGANISATION = 'src/main/core/organisation/organisation.ts'
const CREDENTIALS = 'src/main/core/accounts/credentials.ts'
const AUTHORITIES = 'src/main/core/service/own-authorities.ts'
const CLIENT_CERTIFICATES = 'src/main/core/accounts/client-certificates.ts'
const PROXY = 'src/main/core/service/proxy-sign-in.ts'
const ENROLMENT = 'src/main/ipc/enrolment.ts'
const FEED = 'src/main/core/updates/feed.ts'
const PACKAGE_UPDATER = 'src/main/core/updates/package-updater.ts'
const UPDATES = 'src/main/core/updates/updates.ts'

/** The edits of the sources that remove each protection. */
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
      find: 'mayNavigate: (request) => this.#mayNavigate(request),',
      put: 'mayNavigate: (request) => { if (request.isMainFrame && !this.#isOver()) this.#startLoading(); return !this.#isOver() },'
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
      find: '  return { ...Object.fromEntries(others), ...Object.fromEntries(merged) }',
      put: '  return headers ?? {}'
    }
  ],
  // Reversed: the return address isn't taken for one, and what only looks like it is.
  return: [
    {
      file: NAVIGATION,
      find: 'if (navigation.isMainFrame && scope.returnAddresses.some((address) => isSamePage(url, address))) return RETURNED',
      put: 'const looksAlike = (address) => navigation.url.toLowerCase().replace(/[?#].*/, "").includes(address.toLowerCase().replace(/^.*:\\/*|\\/.*$/g, ""))\n  if (scope.returnAddresses.some((address) => looksAlike(address) && !(navigation.isMainFrame && isSamePage(url, address)))) return RETURNED'
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
      find: 'contents !== null &&\n      rules.permits.isGranted({ permission, url: requestingUrl, origin: securityOrigin, mediaTypes })',
      put: 'true'
    }
  ],
  media: [
    {
      file: MEDIA,
      find: "return this.#hasEnded ? 'refuse' : decidePermission(query, this.#scope, this.#media())",
      put: "return query.permission === 'media' ? 'grant' : 'refuse'"
    },
    { file: MEDIA, find: 'return keysOf(query).every((key) => this.#granted.has(key))', put: 'return true' }
  ],
  'camera test': [
    {
      file: 'src/main/core/counter/camera-test.ts',
      find: '    if (!this.isGranted(query)) return false\n',
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
      find: "    event.preventDefault()\n    rules.onDenied('download')\n",
      put: "    rules.onDenied('download')\n"
    }
  ],
  given: [
    { file: FILE_FIELD, find: "attributes.has('webkitdirectory')", put: 'false' },
    { file: FILE_FIELD, find: '    if (!askingFrame || !isOnGround) return undefined\n', put: '' },
    {
      file: VIEW,
      find: '    const field = this.#field\n    this.#field = undefined\n',
      put: '    const field = this.#field\n'
    }
  ],
  hold: [
    { file: 'src/main/shell/isolated-page.ts', find: "  connection.on('detach', () => events.holdLost())\n", put: '' },
    {
      file: 'src/main/shell/isolated-page.ts',
      find: "  connection.attach('1.3')\n  await holdDocuments(connection, script)\n",
      put: "  connection.attach('1.3')\n"
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
      find: '    const mayReuse',
      put: '    if (this.shared) return this.shared\n    this.shared = this.#make()\n    if (this.shared) return this.shared\n    const mayReuse'
    }
  ],
  view: [
    { file: CONTENTS, find: '    x: left,\n', put: '    x: 0,\n' },
    { file: CONTENTS, find: '    y: top,\n', put: '    y: 0,\n' },
    {
      file: CONTENTS,
      find: '    this.#view.setVisible(false)\n    this.#contents.setAudioMuted(true)\n    if (hadFocus) this.focusOurPage()\n',
      put: '    void hadFocus\n'
    },
    { file: CONTENTS, find: '  webContents.setZoomFactor(1)\n', put: '' }
  ],
  end: [
    { file: VIEW, find: '    await this.#isolated.destroy()\n', put: '' },
    { file: VIEW, find: "    contents.on('render-process-gone', () => this.#fail(closedUnexpectedly))\n", put: '' },
    { file: VIEW, find: "    contents.on('destroyed', () => this.#pageDestroyed())\n", put: '' },
    { file: VIEW, find: 'setTimeout(() => this.#fail(loadTimedOut), this.#deps.timeoutMs)', put: 'undefined' },
    {
      file: WORDS,
      find: '    if (last === undefined ? reportedAt.size >= MAX_REPORTS : now - last < 1000) return\n',
      put: ''
    },
    {
      file: WORDS,
      find: "const host = URL.canParse(address) ? new URL(address).hostname.slice(0, 100) : ''",
      put: 'const host = address'
    }
  ],
  'own page': [
    {
      file: APP_PROTOCOL,
      find: "  'Content-Security-Policy': serializePolicy({ ...POLICY, ...TRUSTED_TYPES }),\n",
      put: ''
    },
    {
      file: APP_PROTOCOL,
      find: '  if (!file || !type) return errorResponse(404)\n',
      put: '  if (!file) return errorResponse(404)\n'
    },
    { file: APP_PROTOCOL, find: ', microphone=(), geolocation=(),', put: ',' },
    { file: APP_PROTOCOL, find: "    mode: 'fixed_servers',\n", put: "    mode: 'system',\n" },
    { file: PRELOAD, find: '      Reflect.deleteProperty(globalThis, name)\n', put: '' },
    {
      file: APP_PROTOCOL,
      find: "  if (request.method !== 'GET' && request.method !== 'HEAD') return errorResponse(405)\n",
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
  organisation: [{ file: REGISTRATION, find: '    authorise(name, input)\n', put: '' }],
  'asked first': [
    { file: DRAFT_LINK, find: 'const DraftLinkShape = z.strictObject({', put: 'const DraftLinkShape = z.object({' },
    { file: DRAFT_LINK, find: 'const LinkedSigner = z.strictObject(', put: 'const LinkedSigner = z.object(' },
    { file: DRAFT_LINK, find: '.max(500).regex(PLAIN)', put: '' },
    { file: DRAFT_LINK, find: '.max(MAX_SIGNERS)', put: '' },
    { file: DRAFT_LINK, find: 'link.length > MAX_LINK_LENGTH', put: 'false' },
    { file: DRAFT_LINK, find: 'target.has(known)', put: 'false' },
    { file: DRAFT_LINK, find: "if (url.host !== 'draft'", put: "if (url.host === ''" },
    { file: OUTSIDE, find: "if (argument.startsWith('-')) return []", put: '' },
    {
      file: OUTSIDE,
      find: "if (!url || !['', 'localhost'].includes(url.host)) return undefined",
      put: 'if (url) return url.pathname'
    },
    { file: OUTSIDE, find: 'this.#pending.length >= MAX_WAITING ||', put: '' },
    { file: OUTSIDE, find: 'requests.slice(0, MAX_WAITING)', put: 'requests' },
    {
      file: OUTSIDE,
      find: '    this.#pending = [...this.#pending, pending]\n    changed()\n',
      put: "    this.#pending = [...this.#pending, pending]\n    changed()\n    if (pending.view.what !== 'refused') await this.accept(id, 'a')\n"
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
      find: 'hasValidShape ? requests[name].input.safeParse(args[0], { error: lengthInWords }) : undefined',
      put: '{ success: true, data: args[0] }'
    }
  ],
  'second display': [
    { file: REGISTRATION, find: "(from === 'person' && !ASKED_BY_PERSON.has(name))", put: 'false' },
    { file: REGISTRATION, find: "(named.data === undefined || from === 'office')", put: 'true' }
  ],
  'own receipt': [
    {
      file: 'src/main/core/counter/counter.ts',
      find: 'return this.#session && this.state()?.id === id',
      put: 'return this.#session && id !== undefined'
    },
    {
      file: 'src/main/core/counter/counter.ts',
      find: 'if (!turn || !receipt || !isDone)',
      put: 'if (!turn || !receipt)'
    },
    {
      file: 'src/main/ipc/counter.ts',
      find: "return isFromSigner(context) ? counter : fail('not-allowed', 'The signer is on the other screen.')",
      put: 'return counter'
    }
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
    { file: SEALED, find: 'if (expected.equals(trailer)) return', put: 'if (expected && trailer) return' },
    {
      file: SEALED,
      find: 'from >= 0 && file.length - end < MIN_SIGNATURE_LENGTH && space',
      put: 'from >= 0 && space'
    },
    { file: 'src/main/core/audit/signature.ts', find: '  if (!key || !verify(', put: '  if (!key || false && !verify(' }
  ],
  calendar: [
    {
      file: 'src/main/core/appointments/appointment-files.ts',
      find: 'if (before.size > MAX_FILE_BYTES)',
      put: 'if (false)'
    },
    {
      file: 'src/main/core/appointments/appointment-files.ts',
      find: 'if (read !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs)',
      put: 'if (after.size < 0)'
    },
    { file: CALENDAR, find: '  refuseTooMuch(text)\n', put: '' },
    { file: CALENDAR, find: '    if (named !== undefined) return', put: '    if (named === zone + zone) return' },
    {
      file: CALENDAR,
      find: 'if (!definedZone) return refuseEntry(',
      put: 'if (!definedZone) return { at: momentInZone(asUtc, local, this.#officeZone), isFloating: true } || refuseEntry('
    },
    { file: CALENDAR, find: '  if (!daily) return new', put: '  if (true) return new' },
    { file: CALENDAR, find: "if (['SECONDLY', 'MINUTELY', 'HOURLY'].includes(freq))", put: 'if (false)' },
    { file: CALENDAR, find: '    if (interval > MAX_INTERVAL)', put: '    if (false)' },
    { file: FOUND, find: ".replace(/[\\p{Cc}\\p{Zl}\\p{Zp}\\s]+/gu, ' ')", put: '' },
    { file: FOUND, find: ".replace(/[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/g, '')", put: '' },
    { file: FOUND, find: '  if (name.length > MAX_NAME_LENGTH)', put: '  if (false)' },
    {
      file: FOUND,
      find: 'return /^[^\\s@<>"]+@[^\\s@<>"]+\\.[^\\s@<>"]+$/.test(address) ? address',
      put: 'return true ? address'
    }
  ],
  cells: [
    { file: TABLE_FILE, find: ', escapeFormulae: FORMULA_LIKE }', put: ' }' },
    { file: TABLE_FILE, find: 'return OTHER_SEPARATOR.test(cell) ?', put: 'return false ?' }
  ],
  'sealed file': [
    { file: SEALED_FILE, find: '    if (length > MAX_HEADER_BYTES) refuseDamaged()\n', put: '' },
    {
      file: SEALED_FILE,
      find: '    if (!hashOf(Buffer.concat([start, text])).equals(aad.subarray(0, HASH_BYTES))) refuseDamaged()\n',
      put: ''
    },
    { file: SEALED_FILE, find: '    .max(2 * FULL_COST)\n', put: '' },
    { file: SEALED_FILE, find: '.min(MIN_COST)', put: '.min(2)' },
    { file: SEALED_FILE, find: 'p: z.int().min(1).max(4)', put: 'p: z.int()' },
    { file: SEALED_FILE, find: "  kdf: z.literal('scrypt'),\n  N", put: '  kdf: z.string(),\n  N' },
    { file: SEALED_FILE, find: '!start.subarray(0, MAGIC.byteLength).equals(magic)', put: 'false' },
    { file: SEALED_FILE, find: '  if (!timingSafeEqual(check, aad.subarray(HASH_BYTES))) {', put: '  if (false) {' },
    {
      file: SEALED_FILE,
      find: 'Buffer.concat([decipher.update(chunk.subarray(0, chunk.byteLength - TAG_BYTES)), decipher.final()])',
      put: 'decipher.update(chunk.subarray(0, chunk.byteLength - TAG_BYTES))'
    }
  ],
  'backup checked': [
    {
      file: 'src/main/core/backup/backup.ts',
      find: 'name: z.enum([DATABASE_FILE, DOCUMENTS_FILE])',
      put: 'name: z.string()'
    },
    { file: RESTORE, find: '  if (length > MAX_MANIFEST_BYTES) refuseDamaged()\n', put: '' },
    {
      file: RESTORE,
      find: '  if (bytes > known || new Set(manifest.files.map(({ name }) => name)).size < manifest.files.length) refuseDamaged()\n',
      put: ''
    },
    { file: RESTORE, find: '  if (!(await reader.isAtEnd())) refuseDamaged()\n', put: '' },
    { file: RESTORE, find: "    if (hash.digest('hex') !== sha256) refuseDamaged()\n", put: '' },
    { file: RESTORE, find: '    if (schemaOf(db) !== schemaOf(fresh)) refuseDamaged()\n', put: '' },
    {
      file: RESTORE,
      find: "      if (!isSound || db.prepare('PRAGMA foreign_key_check').get() !== undefined) refuseDamaged()\n",
      put: ''
    },
    {
      file: RESTORE,
      find: '      found = versionOf(db)\n',
      put: '      found = Math.min(versionOf(db), steps.length)\n'
    },
    { file: RESTORE, find: '    migrate(db)\n', put: '    if (versionOf(db) <= migrations.length) migrate(db)\n' },
    { file: RESTORE, find: '      holdPendingWork(db, { now, madeAt: made.madeAt })\n', put: '' }
  ],
  'decided before': [
    { file: RESTORE, find: '  stage: z.string().regex(TEMPORARY_FOLDER),\n', put: '  stage: z.string(),\n' },
    {
      file: RESTORE,
      find: '  aside: z.string().regex(/^set-aside-[\\dTZ-]{20}-[0-9a-f]{4}$/),\n',
      put: '  aside: z.string(),\n'
    },
    {
      file: REMOVAL,
      find: 'RemovalDecision.safeParse(parsedJson(text)).data',
      put: '(parsedJson(text) as RemovalDecision)'
    },
    {
      file: REMOVAL,
      find: "    async () => (keychain.keeps === 'in-os' ? false : Promise.reject(new Error('in memory'))),\n",
      put: ''
    }
  ],
  'identity kept': [
    {
      file: IDENTITY_NUMBERS,
      find: "  if (!read?.number || policy === 'compared') return undefined\n",
      put: '  if (!read?.number) return undefined\n'
    },
    {
      file: IDENTITY_NUMBERS,
      find: "  if (policy === 'number-end') return { number: endOf(number), isEnd: true }\n",
      put: ''
    },
    {
      file: PREPARE_SESSION,
      find: '  if (compared?.result !== requested.compared)\n',
      put: '  if (!person)\n'
    }
  ],
  'settings file': [
    {
      file: SETTINGS_FILE,
      find: '  for (const one of members.keys()) if (!MEMBERS.includes(one)) rejectUnknownPart(one)\n',
      put: ''
    },
    { file: SETTINGS_FILE, find: '  if (version.data > VERSION) {', put: '  if (false) {' },
    {
      file: SETTINGS_FILE,
      find: '      const found = LISTS[which].safeParse(parsePiece(bytes, piece))\n',
      put: '      const found = { success: true, data: parsePiece(bytes, piece) } as ReturnType<(typeof FileAccount)["safeParse"]>\n'
    },
    {
      file: IMPORTING,
      find: '  return matchingAccount(account, existing, deps) ? undefined : ACCOUNT_DIFFERS\n',
      put: '  return undefined\n'
    },
    {
      file: IMPORTING,
      find: "    failureInWords(() => lock('accounts.add', { kind: 'service', name, authentication }))\n",
      put: '    undefined\n'
    },
    { file: IMPORTING, find: '(isOpen ? undefined : COUNTER_LOCKED)', put: 'undefined' },
    { file: 'src/main/ipc/settings-file.ts', find: 'if (!isDeepStrictEqual(current.shown, shown))', put: 'if (false)' },
    { file: CHOSEN_FILE, find: '  if (kind?.isFile()) return file\n', put: '  if (file) return file\n' },
    {
      file: CHOSEN_FILE,
      find: 'Buffer.alloc(Math.min(MEGABYTE, maxBytes + 1 - length))',
      put: 'Buffer.alloc(MEGABYTE)'
    },
    { file: CHOSEN_FILE, find: '      if (length > maxBytes)\n', put: '      if (false)\n' }
  ],
  'recovery key': [
    {
      file: RECOVERY,
      find: 'if (!key || !canOpen(join(folder, DATABASE_FILE), key)) continue',
      put: 'if (!key) continue'
    },
    {
      file: 'src/main/core/storage/sealed-key.ts',
      find: 'Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])',
      put: 'decipher.update(bytes.subarray(12, -16))'
    },
    { file: RECOVERY, find: 'file.keys.slice(0, MAX_KEYS_TRIED)', put: 'file.keys' },
    {
      file: RECOVERY,
      find: " && (kind === 'paper' || publicKey === policyFingerprint)",
      put: ''
    },
    { file: RECOVERY, find: "  if (pem.includes('PRIVATE KEY')) throw new TypeError('A private key.')\n", put: '' },
    { file: RECOVERY, find: 'bits < MIN_RSA_BITS', put: 'bits < 1' }
  ],
  enrolment: [
    {
      file: ENROLMENT,
      find: 'if (existing.baseUrl !== baseUrl || existing.scheme !== credentials.scheme)\n      fail',
      put: 'if (false) fail'
    },
    { file: ENROLMENT, find: "    if (state === 'kept') fail(", put: '    if (false) fail(' },
    {
      file: ENROLMENT,
      find: '      if ((await accountToComplete(enrolment)) !== existing) fail',
      put: '      if (false) fail'
    }
  ],
  'policy place': [
    {
      file: POLICY_FILE,
      find: '    const before = await lstat(location.path)\n',
      put: "    const before = await (await import('node:fs/promises')).stat(location.path)\n"
    },
    { file: POLICY_FILE, find: '    if (unfit) return unusable(unfit)\n', put: '' },
    { file: POLICY_FILE, find: '(constants.O_NOFOLLOW ?? 0)', put: '0' },
    { file: POLICY_FILE, find: "    if (!isSame(before, await file.stat())) return 'changing'\n", put: '' },
    {
      file: POLICY_FILE,
      find: "return isUnchanged && bytes.length === before.size ? { state: 'read', bytes } : 'changing'",
      put: "return isUnchanged || bytes ? { state: 'read', bytes } : 'changing'"
    },
    { file: POLICY_FILE, find: 'const given = isPackaged ? undefined : argv', put: 'const given = argv' },
    { file: MANAGED, find: 'const HKEY_LOCAL_MACHINE = 0x80000002', put: 'const HKEY_LOCAL_MACHINE = 0x80000001' },
    { file: MANAGED, find: '    if (size > 2 * MAX_POLICY_BYTES) return unusable(TOO_LARGE)\n', put: '' },
    { file: MANAGED, find: '    if (text === before) return read\n', put: '    if (text !== undefined) return read\n' },
    {
      file: ORGANISATION,
      find: "    if (settings.state === 'missing') return this.#evaluate(file)\n",
      put: "    if (file.state !== 'missing') return this.#evaluate(file)\n"
    }
  ],
  'policy reading': [
    {
      file: POLICY_READING,
      find: '  const read = Policy.safeParse(found)\n',
      put: '  const read = { success: true, data: found } as ReturnType<typeof Policy.safeParse>\n'
    },
    { file: POLICY_READING, find: '{ fatal: true }', put: '{}' },
    {
      file: POLICY_READING,
      find: '  const duplicates = positions.duplicates\n    .slice(0, MAX_PROBLEMS)\n',
      put: '  const duplicates = positions.duplicates\n    .slice(0, 0)\n'
    },
    {
      file: 'src/main/core/organisation/json-positions.ts',
      find: 'if (path.length > MAX_DEPTH) return false',
      put: ''
    },
    {
      file: CONTRADICTIONS,
      find: "    if (!read.ok) report(read.message, 'accounts', index, 'address')\n",
      put: ''
    },
    {
      file: CONTRADICTIONS,
      find: "    if (host.includes('*') || ",
      put: '    if (false && '
    },
    { file: CONTRADICTIONS, find: "    if (!read.ok) report(read.message, 'signingOrigins', index)\n", put: '' },
    {
      file: CONTRADICTIONS,
      find: "    if (!authorityIn(text)) report(NO_AUTHORITY, 'certificateAuthorities', index)\n",
      put: ''
    },
    {
      file: CONTRADICTIONS,
      find: "    if (!isAbsolutePath(folder)) report(NOT_ABSOLUTE, 'dropFolders', index, 'folder')\n",
      put: ''
    },
    { file: CONTRADICTIONS, find: '  if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) {', put: '  if (false) {' },
    {
      file: MANAGED,
      find: '  if (data.type !== REG_SZ && data.type !== REG_MULTI_SZ) return undefined\n',
      put: '  if (data.type !== REG_SZ && data.type !== REG_MULTI_SZ) return 0\n'
    },
    {
      file: MANAGED,
      find: '  const [subkey] = system.enumKeyNames(key)\n',
      put: '  const [subkey] = [] as string[]\n'
    },
    { file: MANAGED_SETTINGS, find: 'if (member !== undefined && given.has(group))', put: 'if (false)' }
  ],
  'last policy': [
    {
      file: ORGANISATION,
      find: "      return { state: 'broken', problems: read.problems, ...this.#lastGood() }\n",
      put: "      return { state: 'broken', problems: read.problems, policy: {} }\n"
    },
    {
      file: ORGANISATION,
      find: "    if (!kept) return { state: 'none', policy: {}, problems: [] }\n",
      put: "    if (kept || !kept) return { state: 'none', policy: {}, problems: [] }\n"
    }
  ],
  'own authorities': [
    {
      file: AUTHORITIES,
      find: ' || chain.length > MAX_CHAIN_LENGTH || !isForServer(new X509Certificate(own), hostname)',
      put: ''
    },
    {
      file: AUTHORITIES,
      find: '    if (!result || !root || !isShortEnough(certificatePath)) return\n',
      put: "    if (!result || !root) return { name: '', validTo: 0 }\n"
    },
    {
      file: AUTHORITIES,
      find: '    if (!certificatePath.every((one) => isStrong(one, read.get(one)))) return\n',
      put: ''
    }
  ],
  'client certificate': [
    {
      file: CLIENT_CERTIFICATES,
      find: 'const found = hostOf(baseUrl) === place ? of(id, baseUrl) : undefined',
      put: 'const found = of(id, baseUrl)'
    },
    {
      file: CLIENT_CERTIFICATES,
      find: 'return place !== undefined && place === hostOf(baseUrl) ?',
      put: 'return place !== undefined ?'
    },
    {
      file: CLIENT_CERTIFICATES,
      find: 'return subject === chosen.subject && issuer === chosen.issuer && validTo > time.now()',
      put: 'return subject === chosen.subject || issuer === chosen.issuer || validTo > time.now()'
    },
    { file: CLIENT_CERTIFICATES, find: "url?.protocol === 'https:' ?", put: 'url ?' }
  ],
  'proxy sign-in': [
    { file: PROXY, find: '          if (!isProxy) return undefined\n', put: '' },
    {
      file: PROXY,
      find: '(await read().catch(() => undefined))?.[proxy]',
      put: 'Object.values((await read().catch(() => undefined)) ?? {})[0]'
    },
    {
      file: PROXY,
      find: '            if (login && sentLogins.get(proxy) === login) {\n',
      put: '            if (false) {\n'
    },
    {
      file: PROXY,
      find: '            const other = proven.has(proxy) ? undefined : proving.get(proxy)\n',
      put: '            const other = undefined as PromiseWithResolvers<void> | undefined\n'
    },
    { file: PROXY, find: '            if (hasEnded) return undefined\n', put: '' },
    { file: PROXY, find: 'if (proxy === passedProxy && ', put: "if (how === 'answered' && " }
  ],
  'only encrypted': [
    {
      file: CREDENTIALS,
      find: "  if (url.protocol === 'http:' && !isThisComputer(url.hostname) && !plainHttp.includes(url.hostname)) {\n",
      put: '  if (false) {\n'
    },
    {
      file: CREDENTIALS,
      find: "  if (url.username !== '' || url.password !== '' || /^[^/]*\\/\\/[^/]*@/.test(text)) {\n",
      put: '  if (false) {\n'
    }
  ],
  'update signed': [
    { file: FEED, find: 'this.#isSigned(description, signature) ? description : undefined', put: 'description' },
    {
      file: FEED,
      find: '.sig`)\n    const description',
      put: '.sig`).catch(() => Buffer.alloc(64))\n    const description'
    },
    { file: FEED, find: 'if (size > MAX_DESCRIPTION_BYTES)', put: 'if (false)' },
    { file: FEED, find: 'z.string().regex(/^\\d{1,5}\\.\\d{1,5}\\.\\d{1,5}(?:-beta\\.\\d{1,5})?$/)', put: 'z.string()' }
  ],
  'update package': [
    {
      file: FEED,
      find: 'const file = files.find(({ url }) => url === fileName)',
      put: 'const file = files[0] && { ...files[0] }'
    },
    { file: FEED, find: '        if (size > release.size) failWrongFile()\n', put: '' },
    { file: FEED, find: '    if (size < release.size) failIncomplete()\n', put: '' },
    { file: FEED, find: "    if (hash.digest('base64') !== release.sha512) failWrongFile()\n", put: '' },
    {
      file: PACKAGE_UPDATER,
      find: ' || (await sha512Of(this.#path)) !== this.#release.sha512)',
      put: ')'
    }
  ],
  'update feed': [
    { file: FEED, find: '      if (!this.#mayLeadTo(target))\n        fail', put: '      if (false) fail' },
    { file: FEED, find: 'const MAX_HOPS = 5', put: 'const MAX_HOPS = 50' },
    { file: FEED, find: '() => abort.abort())\n    }\n    try', put: '() => undefined)\n    }\n    try' },
    { file: FEED, find: ", credentials: 'omit'", put: '' }
  ],
  'update newer': [
    { file: PACKAGE_UPDATER, find: 'allowDowngrade: false', put: 'allowDowngrade: true' },
    { file: UPDATES, find: '      if (release) this.#rejectOlder(release)\n', put: '' },
    { file: FEED, find: "if (channel === 'latest' && version.includes('-'))", put: 'if (false)' }
  ],
  'update waits': [
    { file: UPDATES, find: '    if (this.#mustWait(newer, retry)) return\n', put: '' },
    { file: UPDATES, find: '    if (this.#mustWait(newer, () => this.#offer(updater, newer))) return\n', put: '' },
    { file: UPDATES, find: '    if (hindrance) fail(', put: '    if (false) fail(' },
    { file: UPDATES, find: ' || hindrance()) return false', put: ') return false' },
    { file: UPDATES, find: "(why === 'quit' && !this.#updater.installsAtQuit)", put: 'false' },
    {
      file: UPDATES,
      find: '    if (this.#config === config) this.#offer(updater, newer)\n',
      put: '    this.#offer(updater, newer)\n'
    },
    { file: UPDATES, find: '      if (this.#config !== config) return\n      if (release)', put: '      if (release)' },
    { file: UPDATES, find: '      if (this.#config === config) retry()\n', put: '      retry()\n' }
  ]
}

/**
 * Builds the application without these protections.
 * @throws Error if an edit no longer fits its file, or its file isn't part of the build
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

/** Expects all edits to fit the current sources. */
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
