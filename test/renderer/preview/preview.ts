/** Opens the real screens on the made-up office; `?scene=NAME` chooses what it looks like. Never part of the application. */
import { scenes } from './scenes.ts'

const name = new URLSearchParams(location.search).get('scene') ?? 'usual'
const scene = scenes[name]
if (!scene) throw new Error(`There is no scene "${name}": ${Object.keys(scenes).join(', ')}`)
window.countersign = scene()
// The page on the second display is a page of its own.
if (name.startsWith('display')) await import('../../../src/renderer/src/counter.ts')
else await import('../../../src/renderer/src/main.ts')
