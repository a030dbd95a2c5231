// The smallest application with everything that an attack could go for: the real boundary of src/main/shell, the real
// preload and the real registration around a page of three lines. The test talks to it over Node's own channel.
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  app,
  type BrowserWindow,
  type IpcMainInvokeEvent,
  ipcMain,
  type Session,
  type WebContents,
  WebContentsView,
  webContents
} from 'electron'
import { CameraTest } from '../../../src/main/core/counter/camera-test.ts'
import type { SigningTurn, SigningView } from '../../../src/main/core/counter/deps.ts'
import { FromOutside, requestsIn } from '../../../src/main/core/drafts/from-outside.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { APP_START } from '../../../src/main/core/policy/app-pages.ts'
import type { MediaRight } from '../../../src/main/core/policy/permissions.ts'
import { checkSigningAddress } from '../../../src/main/core/policy/signing-address.ts'
import { policyCheckOf } from '../../../src/main/ipc/organisation.ts'
import type { RequestHandlers, Role } from '../../../src/main/ipc/registration.ts'
import { registerHandlers } from '../../../src/main/ipc/registration.ts'
import { blockNetworkAccess, declareAppScheme, serveAppPages } from '../../../src/main/shell/app-protocol.ts'
import { IsolatedPages } from '../../../src/main/shell/isolated-page.ts'
import { isFromWindow } from '../../../src/main/shell/own-page.ts'
import { loadFirstPage, openMainWindow } from '../../../src/main/shell/own-windows.ts'
import { lockSessions, permit } from '../../../src/main/shell/session-policy.ts'
import { ElectronSigningView } from '../../../src/main/shell/signing-view.ts'
import { requestNames } from '../../../src/shared/contract/index.ts'
import type { Lockable } from '../../../src/shared/contract/policy.ts'
import type { Answer, Command, Facts, Report } from './control.ts'
import { Papers, twoSittings } from './papers.ts'

const [preload = '', pages = ''] = process.argv.slice(2)
/** How far this process's monotonic clock was moved on, so that what is reported once a second is reported again. */
let passed = 0
const elapsed = performance.now.bind(performance)
performance.now = () => elapsed() + passed

/** Whose page our own is. */
let role: Role = 'office'
const papers = new Papers()
/** The handler for receipts of the sittings, after `sit`. */
let receiptOf: RequestHandlers['counter.receipt'] | undefined
const handled: string[] = []
const denied: string[] = []
const log = {
  warn: (_message: string, detail?: Record<string, unknown>) => void denied.push(String(detail?.what)),
  error: (message: string, detail?: Record<string, unknown>) =>
    tell({ kind: 'log', text: `${message} ${JSON.stringify(detail ?? {})}` })
}

/** What the organisation has locked. */
const LOCKED: readonly Lockable[] = ['signingOrigins', 'otherAccounts', 'dropFolders']

lockSessions(log)
declareAppScheme()
await app.whenReady()
await blockNetworkAccess()
serveAppPages(pages)

const settings = { read: () => ({ theme: 'system' as const, zoom: 1 }), change: () => ({ saved: true as const }) }
const window: BrowserWindow = openMainWindow({ preload, settings, log, devServer: undefined })
loadFirstPage(window, APP_START, log)
const handlers = Object.fromEntries(
  requestNames.map((name) => [
    name,
    async () => {
      handled.push(name)
      return null
    }
  ])
) as unknown as RequestHandlers
const untouched = handlers['counter.receipt']
handlers['counter.receipt'] = (input, context) => (receiptOf ?? untouched)(input, context)
registerHandlers<IpcMainInvokeEvent>({
  handle: (channel, listener) => ipcMain.handle(channel, listener),
  roleOf: (event) => (isFromWindow(window, event) ? role : undefined),
  isAway: () => false,
  whenHandedBack: () => Promise.resolve(),
  authorise: policyCheckOf({
    organisation: {
      policy: {},
      isLocked: (setting) => LOCKED.includes(setting),
      allowsSignIn: () => true,
      hasAccount: () => false,
      oauthOf: () => undefined,
      hasColour: () => false
    },
    accounts: { list: () => [] },
    downloads: () => ({ folder: { id: '' }, pattern: '' }),
    quiet: () => null
  }),
  handlers,
  log
})

const cameraTest = new CameraTest({
  time: systemTime,
  devServer: undefined,
  platform: process.platform,
  systemAllows: async () => true
})
permit(window.webContents.session, cameraTest)

const PLACE = { x: 0, y: 40, width: 800, height: 500 }
/** Every session that a signing page had. */
const sessions = new Set<Session>()
app.on('web-contents-created', (_event, contents) => sessions.add(contents.session))
let view: SigningView | undefined
let media: MediaRight = 'never'
/** The page's questions that staff hasn't answered, oldest first. */
let questions: ((granted: boolean) => void)[] = []

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'open': {
      const { lookups } = command
      media = command.media ?? 'never'
      questions = []
      const lookup = async (hostname: string) => lookups[hostname] ?? Promise.reject(new Error('no such name'))
      const pages = new IsolatedPages(
        () => window,
        () => command.camera ?? '',
        () => lookup
      )
      const isolated = pages.take(media !== 'never')
      const turn: SigningTurn = {
        ...command.turn,
        media: () => media,
        files: () => command.files ?? false,
        events: {
          loading: () => tell({ kind: 'loading' }),
          open: () => tell({ kind: 'open' }),
          returned: () => tell({ kind: 'returned' }),
          failed: (error) => tell({ kind: 'failed', code: error.code, text: error.message }),
          refused: (text, requested) => tell({ kind: 'refused', text, ...(requested && { requested }) }),
          asksForFile: (accept) => tell({ kind: 'asks-for-file', accept: [...accept] }),
          granted: () => {},
          otherCamera: () => tell({ kind: 'other-camera' }),
          asksFor: (devices, answer) => {
            questions.push(answer)
            tell({ kind: 'asks-for', devices: [...devices] })
          },
          touched: () => tell({ kind: 'touched' })
        }
      }
      view = new ElectronSigningView({ isolated, timeoutMs: command.timeoutMs }, turn)
      view.show(PLACE)
      return null
    }
    case 'test-camera':
      if (command.isOpen) await cameraTest.open()
      else cameraTest.close()
      return null
    case 'media':
      media = command.right
      return null
    case 'answer':
      questions.shift()?.(command.granted)
      return null
    case 'give': {
      const folder = mkdtempSync(join(app.getPath('userData'), 'given-'))
      const path = join(folder, command.name)
      writeFileSync(path, command.text)
      return view?.giveFile(path)
    }
    case 'judge':
      return checkSigningAddress(command.link, { kind: 'service', baseUrl: 'https://api.example.com' })
    case 'bring': {
      const imported: string[] = []
      let ids = 0
      const outside = new FromOutside({
        exchange: {
          inspect: async () => ({ drafts: 1, presets: 0, sha256: '' }),
          importFiles: async (_account, paths) => {
            imported.push(...paths)
            return { drafts: [], presets: [], refused: [] }
          }
        },
        drafts: {
          save: (accountId) => {
            imported.push('draft')
            return { id: 'd', accountId, kind: 'form-direct', title: '', who: '', updatedAt: 0 }
          }
        },
        presets: { list: () => [], get: () => fail('gone', 'There is none.') },
        newId: () => String(ids++),
        changed: () => undefined
      })
      await outside.enqueue(requestsIn(command.args, app.getPath('downloads')))
      return { waiting: outside.list().map(({ what }) => what), imported }
    }
    case 'show':
      view?.show(PLACE)
      return null
    case 'cover':
      view?.hide()
      return null
    case 'zoom':
      view?.zoom(command.factor)
      return null
    case 'print':
      return view?.print()
    case 'pdf':
      return Buffer.from((await view?.pdf()) ?? []).toString('latin1')
    case 'input':
      for (const event of command.events) signingContents()?.sendInputEvent(event)
      return null
    case 'end':
      await view?.destroy()
      view = undefined
      return null
    case 'debug':
      return signingContents()?.debugger.sendCommand(command.method, command.params)
    case 'let-go':
      signingContents()?.debugger.detach()
      return null
    case 'run-in-signing-page':
      return answerOf(signingContents(), command.script)
    case 'run-in-own-page':
      return answerOf(window.webContents, command.script)
    case 'crash-signing-page':
      signingContents()?.forcefullyCrashRenderer()
      return null
    case 'be':
      role = command.role
      return null
    case 'sit': {
      const { before, now, receipt } = await twoSittings(command)
      receiptOf = receipt
      return { before, now }
    }
    case 'draw-receipt':
      return papers.draw(command.text)
    case 'seal-receipt':
      return papers.seal()
    case 'judge-receipt':
      return papers.judge(command.file)
    case 'read-appointments':
      return papers.read(command.path, command.meanwhile)
    case 'write-cells':
      return papers.cells(command.text)
    case 'forget':
      receiptOf = undefined
      handled.length = 0
      denied.length = 0
      passed += 2_000
      return null
    case 'facts':
      return {
        ownUrl: window.webContents.getURL(),
        signingUrl: signingContents()?.getURL() ?? '',
        pages: webContents.getAllWebContents().length,
        sessions: sessions.size,
        files: readdirSync(app.getPath('downloads')),
        handled: [...handled],
        denied: [...denied],
        window: { title: window.getTitle(), isFullScreen: window.isFullScreen() },
        calls: webContents.getAllWebContents().map((contents) => contents.getWebRTCIPHandlingPolicy()),
        view: viewNow()
      }
    case 'quit':
      app.quit()
      return null
  }
}

/**
 * Runs a script as if the person had just clicked, and returns its answer; undefined if its page was left or closed
 * meanwhile, as a script may do before it answers: Electron then never answers, and the Chromium host fails.
 */
async function answerOf(contents: WebContents | undefined, script: string): Promise<unknown> {
  if (!contents) return undefined
  let leave = () => {}
  const left = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)))
  contents.once('did-navigate', leave)
  contents.once('destroyed', leave)
  const answer = contents.executeJavaScript(script, true).catch((error: Error) => {
    if (!error.message.includes('navigated or closed')) throw error
  })
  try {
    return await Promise.race([answer, left])
  } finally {
    contents.off('did-navigate', leave)
    contents.off('destroyed', leave)
  }
}

/** Returns the signing page's place in the window; undefined if there is none. */
function viewNow(): Facts['view'] {
  const shown = window.contentView.children.find((child) => child instanceof WebContentsView)
  const contents = signingContents()
  if (!shown || !contents) return undefined
  return {
    place: shown.getBounds(),
    isVisible: shown.getVisible(),
    isMuted: contents.isAudioMuted(),
    hasKeyboard: contents.isFocused()
  }
}

function signingContents(): WebContents | undefined {
  return webContents.getAllWebContents().find((contents) => contents !== window.webContents)
}

function tell(report: Report): void {
  process.send?.(report)
}

process.on('message', (message: { id: number; command: Command }) => {
  obey(message.command).then(
    (value) => process.send?.({ kind: 'answer', id: message.id, value } satisfies Answer),
    (error: unknown) => process.send?.({ kind: 'answer', id: message.id, error: String(error) } satisfies Answer)
  )
})
app.setPath('downloads', join(app.getPath('userData'), 'downloads'))
window.once('ready-to-show', () => tell({ kind: 'ready' }))
