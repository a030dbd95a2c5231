/** Opens the real screens on the made-up office; `?scene=NAME` chooses what it looks like, `gallery` the parts alone. Never part of the application. */
import { mount } from 'svelte'
import { scenes } from './scenes.ts'

const name = new URLSearchParams(location.search).get('scene') ?? 'usual'
const scene = scenes[name === 'gallery' ? 'usual' : name]
if (!scene) throw new Error(`There is no scene "${name}": ${Object.keys(scenes).join(', ')}`)
window.countersign = scene()
// The parts alone have no frame; the page on the second display is a page of its own, and so is that of locked data.
if (name === 'gallery') {
  const { default: Gallery } = await import('./Gallery.svelte')
  mount(Gallery, { target: document.getElementById('app') ?? document.body })
  document.documentElement.dataset.appState = 'loaded'
} else if (name.startsWith('display')) await import('../../../src/renderer/src/counter.ts')
else if (name === 'recovery-locked') await import('../../../src/renderer/src/locked.ts')
else await import('../../../src/renderer/src/main.ts')
