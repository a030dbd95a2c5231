/**
 * Takes screenshots of screens on the made-up office, to look at: node test/pictures/look.ts DIR [NAMES] [WIDTHxHEIGHT]
 * [light|dark|contrast|…]
 *
 * NAMES is a pattern for names in shots.ts. Builds the preview first, unless KEEP is set.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, themes } from './preview.ts'

const [folder = 'test-results/look', names = '', size = '1366x768', theme = 'light'] = process.argv.slice(2)
if (!process.env.KEEP) {
  await build({ configFile: path.resolve(import.meta.dirname, '../renderer/preview/vite.config.ts'), logLevel: 'warn' })
}
mkdirSync(folder, { recursive: true })
const { page, show, complaints, close } = await openPreview()
const [width = 1366, height = 768] = size.split('x').map(Number)
await page.setViewportSize({ width, height })
for (const shot of shots.filter(({ name }) => new RegExp(names).test(name))) {
  await show(shot, themes[theme as keyof typeof themes]).catch((error) => console.error(`${shot.name}: ${error}`))
  await page.screenshot({ path: path.join(folder, `${shot.name}-${theme}.png`), animations: 'disabled' })
  for (const complaint of complaints()) console.error(`${shot.name}: ${complaint}`)
}
await close()
