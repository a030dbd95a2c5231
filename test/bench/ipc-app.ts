/**
 * The application that `ipc.ts` measures: the real preload and the real registration around handlers that answer at
 * once, and a plain Electron handler that answers the same. Sends the times of all requests, measured in turns, then
 * ends.
 */
import { app, type IpcMainInvokeEvent, ipcMain } from 'electron'
import { APP_START } from '../../src/main/core/policy/app-pages.ts'
import { type RequestHandlers, registerHandlers } from '../../src/main/ipc/registration.ts'
import { blockNetworkAccess, declareAppScheme, serveAppPages } from '../../src/main/shell/app-protocol.ts'
import { isFromWindow } from '../../src/main/shell/own-page.ts'
import { loadFirstPage, openMainWindow } from '../../src/main/shell/own-windows.ts'
import { lockSessions } from '../../src/main/shell/session-policy.ts'
import { requestNames } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'

const [preload = '', pages = ''] = process.argv.slice(2)
const TURNS = 40
const A_TURN = 25

/** Milliseconds per request, turn by turn. */
export interface Turns {
  ours: number[]
  bare: number[]
}

const id = '6f1d7a52-0c4e-4f0a-9d53-3f6a0e1b2c4d'
const signers = ['Mere', 'Wiremu'].map((FirstName) => signer({ FirstName }))
const composition = forms({
  items: Array.from({ length: 10 }, (_, index) => form({ Name: `Agreement ${index}`, signers }))
})
const summary = { id, title: 'Agreement 0', kind: 'forms', changedAt: 1_795_000_000_000 }

/** The requests, and what both answer to them. */
const requests = {
  'drafts.get': { input: { id }, reply: { ...summary, composition } },
  'drafts.save': { input: { id, composition }, reply: summary }
}

const silent = { warn: () => {}, error: () => {} }
lockSessions(silent)
declareAppScheme()
await app.whenReady()
await blockNetworkAccess()
serveAppPages(pages)
const settings = { read: () => ({ theme: 'system' as const, zoom: 1 }), change: () => ({ saved: true as const }) }
const window = openMainWindow({ preload, settings, log: silent, devServer: undefined })
const replies: Record<string, { reply: unknown }> = requests
registerHandlers<IpcMainInvokeEvent>({
  handle: (channel, listener) => ipcMain.handle(channel, listener),
  roleOf: (event) => (isFromWindow(window, event) ? 'office' : undefined),
  isAway: () => false,
  authorise: () => undefined,
  whenHandedBack: () => Promise.resolve(),
  handlers: Object.fromEntries(
    requestNames.map((name) => [name, async () => replies[name]?.reply])
  ) as unknown as RequestHandlers,
  log: silent
})
let reply: unknown
ipcMain.handle('bare', async () => ({ ok: true, value: reply }))

window.webContents.once('did-finish-load', async () => {
  const took: Record<string, Turns> = {}
  for (const [name, { input, reply: answered }] of Object.entries(requests)) {
    reply = answered
    const request = { name, input, turns: TURNS, times: A_TURN }
    took[name] = await window.webContents.executeJavaScript(`(${measured})(${JSON.stringify(request)})`)
  }
  process.send?.(took, () => app.quit())
})
loadFirstPage(window, APP_START, silent)

/** Self-contained: its source is what runs in the page. */
async function measured(request: { name: string; input: unknown; turns: number; times: number }): Promise<Turns> {
  type Ask = (input: unknown) => Promise<{ ok: boolean }>
  const page = globalThis as unknown as {
    countersign: Record<string, Record<string, Ask>>
    bare: { ask: Ask }
  }
  const [domain = '', action = ''] = request.name.split('.')
  const turn = async (ask: Ask | undefined) => {
    const began = performance.now()
    for (let time = 0; time < request.times; time++) {
      if (!(await ask?.(request.input))?.ok) throw new Error(`${request.name} was not answered.`)
    }
    return (performance.now() - began) / request.times
  }
  const ours = () => turn(page.countersign[domain]?.[action])
  const bare = () => turn(page.bare.ask)
  await ours()
  await bare()
  const took: Turns = { ours: [], bare: [] }
  for (let index = 0; index < request.turns; index++) {
    const isOursFirst = index % 2 === 0
    if (isOursFirst) took.ours.push(await ours())
    took.bare.push(await bare())
    if (!isOursFirst) took.ours.push(await ours())
  }
  return took
}
