/**
 * Opens the real screens on the made-up office. `?scene=NAME` chooses its state; `gallery` shows only the components.
 * Never part of the application.
 */
import { mount } from 'svelte'
import { scenes } from './scenes.ts'

const name = new URLSearchParams(location.search).get('scene') ?? 'usual'
const scene = scenes[name === 'gallery' ? 'usual' : name]
if (!scene) throw new Error(`There is no scene "${name}": ${Object.keys(scenes).join(', ')}`)
window.countersign = scene()
// The gallery has no frame; the second display and locked data have pages of their own.
if (name === 'gallery') {
  const { default: Gallery } = await import('./Gallery.svelte')
  mount(Gallery, { target: document.getElementById('app') ?? document.body })
  document.documentElement.dataset.appState = 'loaded'
} else if (name.startsWith('display')) await import('../../../src/renderer/src/counter.ts')
else if (name === 'recovery-locked') await import('../../../src/renderer/src/locked.ts')
else await import('../../../src/renderer/src/main.ts')
