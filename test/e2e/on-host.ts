// The application on the Chromium host: a Node process of ours, and Playwright as a second client of its Chromium.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright'
import type { PageInfo, Requests } from '../host/control.ts'
import { lendTo } from '../host/lending.ts'
import type { Start, Started } from './launch.ts'

type Argument<N extends keyof Requests> = Parameters<Requests[N]> extends [infer A] ? [A] : []
type Ask = <N extends keyof Requests>(name: N, ...argument: Argument<N>) => Promise<Awaited<ReturnType<Requests[N]>>>

interface Answer {
  readonly host: number
  readonly ok: boolean
  readonly value: never
  readonly error: string
}

/** Returns a function for requests to the host over its process's channel; they fail once the process has ended. */
export function askHost(child: ChildProcess): Ask {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let last = 0
  child.on('message', (answer: Answer) => {
    if (typeof answer?.host !== 'number') return
    const promise = waiting.get(answer.host)
    waiting.delete(answer.host)
    if (answer.ok) promise?.resolve(answer.value)
    else promise?.reject(new Error(answer.error))
  })
  const end = () => {
    for (const promise of waiting.values()) promise.reject(new Error('The application has ended'))
    waiting.clear()
  }
  child.once('exit', end)
  child.once('disconnect', end)
  return (name, ...argument) =>
    new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error('The application has ended'))
      waiting.set(++last, { resolve, reject })
      child.send({ host: last, name, argument: argument[0] }, (error) => error && reject(error))
    })
}

const targets = new WeakMap<Page, string>()

async function targetOf(page: Page): Promise<string | undefined> {
  const cached = targets.get(page)
  if (cached) return cached
  try {
    const session = await page.context().newCDPSession(page)
    const { targetInfo } = await session.send('Target.getTargetInfo')
    await session.detach()
    targets.set(page, targetInfo.targetId)
    return targetInfo.targetId
  } catch {
    return undefined
  }
}

export async function launchOnHost(start: Start): Promise<Started> {
  const register = join(start.root, 'test/host/register.ts')
  const child = spawn(process.execPath, ['--import', register, start.main, ...start.args], {
    cwd: start.root,
    env: { HOST_BORROWS: '1', ...start.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced'
  })
  lendTo(child)
  let written = ''
  child.stdout?.on('data', (chunk) => (written += chunk))
  child.stderr?.on('data', (chunk) => (written += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const dies = ended.then((code): never => {
    throw new Error(`The application ended (${code}) before its window was there:\n${written}`)
  })
  dies.catch(() => {})
  const ask = askHost(child)
  let browser: Browser | undefined
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
    await browser?.close().catch(() => {})
  }

  async function find(select: (all: readonly PageInfo[]) => readonly PageInfo[]): Promise<Page[]> {
    const infos = select(await ask('pages'))
    const pages = browser?.contexts().flatMap((context) => context.pages()) ?? []
    const ids = await Promise.all(pages.map(targetOf))
    return infos.map((info) => pages[ids.indexOf(info.targetId)]).filter((page) => page !== undefined)
  }

  async function waitFor(select: (all: readonly PageInfo[]) => readonly PageInfo[]): Promise<Page> {
    for (;;) {
      const [page] = await find(select)
      if (page) return page
      await pause(20)
    }
  }

  try {
    const endpoint = await Promise.race([ask('endpoint'), dies])
    // Attaching this second client changes nothing: theme, downloads and focus stay the host's.
    browser = await Promise.race([chromium.connectOverCDP(endpoint, { isLocal: true, noDefaults: true }), dies])
    const isMain = (all: readonly PageInfo[]) =>
      all.filter((each) => each.kind === 'window' && each.url !== '').slice(0, 1)
    const window = await Promise.race([waitFor(isMain), dies])
    return {
      flavour: 'host',
      window,
      waitForWindow: (address) =>
        waitFor((all) => all.filter((each) => each.kind === 'window' && address.test(each.url))),
      ended,
      views: (which = 'visible') =>
        find((all) => all.filter((each) => each.kind === 'view' && (which === 'all' || each.visible))),
      async waitForView(address) {
        const page = await waitFor((all) => all.filter((each) => each.kind === 'view' && address.test(each.url)))
        // The host learns of a navigation slightly before Playwright, which would take the page for one that is
        // leaving.
        await page.waitForURL(address, { waitUntil: 'commit' })
        return page
      },
      async addressOf(page) {
        const id = await targetOf(page)
        return (await ask('pages')).find((each) => each.targetId === id)?.url ?? page.url()
      },
      dialog: {
        answerOpen: (filePaths) => ask('answerOpen', [...filePaths]),
        answerSave: (filePath) => ask('answerSave', filePath),
        answerMessage: (button) => ask('answerMessage', { button }),
        shown: () => ask('dialogs')
      },
      notifications: () => ask('notifications'),
      clickNotification: (index) => ask('clickNotification', index),
      openedExternally: () => ask('openedExternally'),
      openedPaths: () => ask('openedPaths'),
      shownInFolder: () => ask('shownInFolder'),
      beeps: () => ask('beeps'),
      clipboardText: () => ask('clipboardText'),
      setClipboardText: (text) => ask('setClipboardText', text),
      menu: () => ask('menu'),
      clickMenu: (labels) => ask('clickMenu', [...labels]),
      tray: () => ask('tray'),
      clickTray: () => ask('clickTray'),
      clickTrayMenu: (labels) => ask('clickTrayMenu', [...labels]),
      badge: () => ask('badge'),
      setIdleSeconds: (seconds) => ask('setIdleSeconds', seconds),
      emitPower: (event) => ask('emitPower', event),
      setLocked: (isLocked) => ask('setLocked', isLocked),
      setOnline: (online) => ask('setOnline', online),
      setOwnCertificates: (certificates) => ask('setOwnCertificates', certificates),
      setMachineTheme: (theme) => ask('setMachineTheme', theme),
      windows: () => ask('windows'),
      resizeWindow: (size) => ask('resizeWindow', size),
      closeWindow: () => ask('closeWindow'),
      focusWindow: () => ask('focusWindow'),
      blurWindow: () => ask('blurWindow'),
      addDisplay: (size) => ask('addDisplay', size),
      removeDisplay: (id) => ask('removeDisplay', id),
      screenshot: (file) => ask('screenshot', file),
      evaluate: (work, argument) => ask('evaluate', { source: String(work), argument }) as Promise<never>,
      async quit() {
        // Playwright's answers to closing pages are no longer wanted.
        await browser?.close().catch(() => {})
        await ask('quit').catch(() => {})
        return ended
      },
      kill,
      logs: () => written
    }
  } catch (error) {
    // Whatever failed first, an application that has ended is the cause, and its own output says why.
    await Promise.race([ended, pause(500)])
    const own = child.exitCode === null && child.signalCode === null
    await kill()
    throw own ? error : await dies.catch((reason) => reason)
  }
}
