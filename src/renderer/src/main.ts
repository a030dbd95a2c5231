/** Starts the application: loads what the frame shows, then mounts it. */
import { mount } from 'svelte'
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import './ui/layout.css'
import App from './App.svelte'
import { loadScreen, loadScreens } from './frame/screens.ts'
import { AppState } from './state/app-state.svelte.ts'
import { showFullText } from './ui/full-text.ts'

/**
 * Milliseconds before the other screens are loaded from disk: until then the first screen has the computer to itself.
 */
const LOAD_AHEAD_AFTER_MS = 5_000

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app to mount in.')

const app = new AppState(window.countersign, window)
// If a screen can't be loaded, the error appears in its place with a way on, and the frame is mounted anyway.
const first = loadScreen(app.router.route.screen).catch(() => undefined)
void Promise.all([app.open(), first]).then(() => {
  mount(App, { target, props: { app } })
  showFullText(document)
  // Tests, and tools that drive the application, wait for this.
  document.documentElement.dataset.appState = 'loaded'
  setTimeout(() => requestIdleCallback(() => void loadScreens().catch(() => undefined)), LOAD_AHEAD_AFTER_MS)
})
