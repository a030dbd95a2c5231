// The picture of a window: its page, with each visible view's picture over it in its place, composed by Chromium
// itself.

import type { BrowserWindow } from './browser-window.ts'
import { createContext, openUtilityPage } from './targets.ts'
import { type View, WebContentsView } from './views.ts'
import type { WebContents } from './web-contents.ts'

interface Layer {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly radius: number
  readonly background: string
  readonly picture: string | undefined
}

let renderContext: Promise<string> | undefined

/** Returns PNG bytes of the window's content as a person would see it. */
export async function screenshot(window: BrowserWindow): Promise<Buffer> {
  const { width, height } = window.getContentBounds()
  const layers = await layersOf(window.contentView, { x: 0, y: 0 })
  const base: Layer = {
    x: 0,
    y: 0,
    width,
    height,
    radius: 0,
    background: window.getBackgroundColor(),
    picture: await window.webContents.capture()
  }
  const html = [base, ...layers].map(draw).join('')
  renderContext ??= createContext()
  const { page, close } = await openUtilityPage(await renderContext, { width, height })
  try {
    await page.send('Page.enable')
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
    const { frameTree } = await page.send('Page.getFrameTree')
    await page.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: `<body style="margin:0">${html}` })
    await page.send('Runtime.evaluate', {
      expression: 'Promise.all([...document.images].map((image) => image.decode()))',
      awaitPromise: true
    })
    return Buffer.from((await page.send('Page.captureScreenshot', { format: 'png' })).data, 'base64')
  } finally {
    close()
  }
}

async function layersOf(view: View, at: { x: number; y: number }): Promise<Layer[]> {
  const layers: Layer[] = []
  for (const child of view.children) {
    if (!child.getVisible()) continue
    const { x, y, width, height } = child.getBounds()
    if (width <= 0 || height <= 0) continue
    const place = { x: at.x + x, y: at.y + y }
    const page: WebContents | undefined = child instanceof WebContentsView ? child.webContents : undefined
    layers.push({
      ...place,
      width,
      height,
      radius: child.borderRadius,
      background: child.background,
      picture: await page?.capture()
    })
    layers.push(...(await layersOf(child, place)))
  }
  return layers
}

function draw({ x, y, width, height, radius, background, picture }: Layer): string {
  const colour = background.replace(/[^#\w(),.% ]/g, '')
  const box = `position:absolute;overflow:hidden;left:${x}px;top:${y}px;width:${width}px;height:${height}px`
  const image = picture
    ? `<img style="display:block;width:100%;height:100%" src="data:image/png;base64,${picture}">`
    : ''
  return `<div style="${box};border-radius:${radius}px;background:${colour}">${image}</div>`
}
