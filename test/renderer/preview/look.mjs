/**
 * Pictures of screens on the made-up office, with what axe finds wrong in them.
 *   node test/renderer/preview/look.mjs DIR SCENE HASH [WIDTHxHEIGHT] [light|dark] [SCRIPT.mjs]
 * SCRIPT exports default async (page) => … that works the screen before the picture. Builds the preview once per call
 * unless KEEP is set.
 */

import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright'
import { build } from 'vite'

const here = path.dirname(fileURLToPath(import.meta.url))
const root = path.resolve(here, '../../..')
const out = path.join(root, 'out/preview')
const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

if (!process.env.KEEP) await build({ configFile: path.join(here, 'vite.config.ts'), logLevel: 'warn' })

const server = createServer(async (request, response) => {
  const name = new URL(request.url, 'http://here').pathname
  if (name === '/favicon.ico') return response.writeHead(204).end()
  try {
    const file = path.join(out, name === '/' ? 'index.html' : name)
    const body = await readFile(file)
    response.writeHead(200, {
      'content-type': types[path.extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy
    })
    response.end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address()
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const axe = await readFile(path.join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** @param shots lines of `name scene hash size theme script` */
async function shoot({ dir, name, scene, hash, size = '1366x768', theme = 'light', script, extra = {} }) {
  const [width, height] = size.split('x').map(Number)
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Pacific/Auckland',
    bypassCSP: false,
    ...extra
  })
  const page = await context.newPage()
  const said = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.stack))
  await page.goto(`http://127.0.0.1:${port}/?scene=${scene}${hash}`)
  await page.waitForSelector('html[data-app-state=loaded]', { timeout: 15_000 })
  await page.waitForTimeout(350)
  if (script) await script(page)
  await page.waitForTimeout(250)
  mkdirSync(dir, { recursive: true })
  await page.screenshot({ path: path.join(dir, `${name}.png`) })
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
  )
  for (const one of violations)
    console.log(
      `${name}: ${one.id}: ${one.help}\n   ${one.nodes
        .slice(0, 4)
        .map((node) => `${node.html.slice(0, 160)} ${node.any.map((any) => any.message).join('; ')}`)
        .join('\n   ')}`
    )
  for (const text of said) console.log(`${name}: console: ${text}`)
  await context.close()
}

const [dir, ...rest] = process.argv.slice(2)
const list = rest[0]?.endsWith('.mjs')
  ? (await import(pathToFileURL(path.resolve(rest[0])).href)).default
  : [
      {
        name: rest[0],
        scene: rest[0],
        hash: rest[1] ?? '#/compose',
        size: rest[2],
        theme: rest[3],
        script: rest[4] && (await import(pathToFileURL(path.resolve(rest[4])).href)).default
      }
    ]
for (const shot of list) await shoot({ dir, ...shot }).catch((error) => console.log(`${shot.name}: ${error.message}`))
await browser.close()
server.close()
