/**
 * One page for all screenshots of a run: the built preview in a real Chromium, with a fixed clock and no motion, in the
 * bundled typeface, rendered independently of the system's font settings.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type CDPSession, chromium, type Locator, type Page, type Request } from 'playwright'
import { expect } from 'playwright/test'
import { findChromium } from '../../scripts/system-packages.ts'
import type { Shot } from '../renderer/preview/shots.ts'

/** A Tuesday morning in Auckland. */
const NOW = new Date('2026-11-24T09:12:00+13:00')

type Theme = Parameters<Page['emulateMedia']>[0]
/** The looks in which screens are checked. */
export const themes = {
  light: { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' },
  dark: { colorScheme: 'dark', contrast: 'no-preference', forcedColors: 'none' },
  contrast: { colorScheme: 'light', contrast: 'more', forcedColors: 'none' },
  forced: { colorScheme: 'dark', contrast: 'no-preference', forcedColors: 'active' }
} satisfies Record<string, Theme>

export interface Preview {
  page: Page
  /** Opens a scene at its place, and waits until nothing changes any more. */
  show: (shot: Pick<Shot, 'scene' | 'at' | 'act'>, theme: Theme) => Promise<void>
  /** Returns the errors the page has reported since the last call. */
  complaints: () => string[]
  close: () => Promise<void>
}

/** Opens the preview. @param locale of the computer that shows it */
export async function openPreview(locale = 'en-NZ'): Promise<Preview> {
  const program = findChromium()
  if (!program) throw new Error('There is no Chromium: node scripts/system-packages.ts chromium')
  const server = await servePreview()
  const browser = await chromium.launch({
    executablePath: program,
    ignoreDefaultArgs: ['--hide-scrollbars'],
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--font-render-hinting=none',
      '--disable-lcd-text',
      '--force-color-profile=srgb'
    ]
  })
  const context = await browser.newContext({
    locale,
    timezoneId: 'Pacific/Auckland',
    reducedMotion: 'reduce',
    // The whole application at its minimum size.
    viewport: { width: 1024, height: 640 }
  })
  const page = await context.newPage()
  await page.clock.setFixedTime(NOW)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  let shown = 0
  // Screens are separate chunks, and on a busy machine one may still be loading while nothing changes.
  const underWay = new Set<Request>()
  page.on('request', (request) => underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))

  async function settled(): Promise<void> {
    do {
      while (underWay.size > 0) await page.waitForTimeout(20)
      await quiet(page)
    } while (underWay.size > 0)
  }

  return {
    page,
    async show({ scene, at, act }, theme) {
      await page.emulateMedia({ ...theme, reducedMotion: 'reduce' })
      underWay.clear()
      // The address must differ each time: if only the hash changed, the scene would continue.
      await page.goto(`${server.origin}/?scene=${scene}&n=${++shown}${at}`)
      await page.locator('html[data-app-state=loaded]').waitFor()
      if (act) {
        await settled()
        await act(page)
      }
      await settled()
    },
    complaints: () => errors.splice(0),
    async close() {
      await browser.close()
      server.close()
    }
  }
}

/** Waits until the fonts are loaded and nothing has changed for a moment. Gives up on pages that never rest. */
async function quiet(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    await new Promise<void>((done) => {
      let rest = setTimeout(end, 80)
      const watch = new MutationObserver(() => {
        clearTimeout(rest)
        rest = setTimeout(end, 80)
      })
      const deadline = setTimeout(end, 2000)
      function end() {
        clearTimeout(deadline)
        watch.disconnect()
        done()
      }
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    })
  })
}

/** Compares with the stored screenshot. A failure prints the three images, and how to accept the new one. */
export async function same(what: Page | Locator, name: string): Promise<void> {
  const accept = 'If it is meant to look like that: npm run test:pictures -- --update-snapshots changed'
  await expect(what, accept).toHaveScreenshot(`${name}.png`)
}

/** Draws elements marked with `data-as` as if they were hovered, pressed or focused. */
export async function drawStates(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const { root } = await session.send('DOM.getDocument')
  const { nodeIds } = await session.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: '[data-as] :is(button, input)'
  })
  for (const nodeId of nodeIds) {
    const { object } = await session.send('DOM.resolveNode', { nodeId })
    const { result } = await session.send('Runtime.callFunctionOn', {
      objectId: object.objectId ?? '',
      functionDeclaration: 'function () { return this.closest("[data-as]").dataset.as }'
    })
    await session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: String(result.value).split(' ') })
  }
  return session
}

const built = path.resolve(import.meta.dirname, '../../out/preview')
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2'
}
const policy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

/**
 * Serves the built preview on its own port, with the content security policy of the application's own pages. @returns
 * its origin, and a function that stops it.
 */
async function servePreview(): Promise<{ origin: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? '/', 'http://here').pathname
    try {
      const file = path.join(built, name === '/' ? 'index.html' : name)
      const body = await readFile(file)
      response.writeHead(200, {
        'content-type': types[path.extname(file)] ?? 'application/octet-stream',
        'content-security-policy': policy,
        // The same few files are used for hundreds of pages.
        'cache-control': 'max-age=3600'
      })
      response.end(body)
    } catch {
      response.writeHead(name === '/favicon.ico' ? 204 : 404).end()
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}
