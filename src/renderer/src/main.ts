/** Starts the screens: reads what the frame shows, then mounts the application. */
import { mount } from 'svelte'
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import './ui/layout.css'
import App from './App.svelte'
import { loadScreen, loadScreens } from './frame/screens.ts'
import { AppState } from './state/app-state.svelte.ts'

/** When the rest is brought from the disk, in milliseconds: until then the first screen has the computer to itself. */
const LOAD_AHEAD_AFTER_MS = 5_000

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app to mount in.')

const app = new AppState(window.countersign, window)
// A screen that can't be read is said where it would stand, with a way on: the frame is there all the same.
const first = loadScreen(app.router.route.screen).catch(() => undefined)
void Promise.all([app.open(), first]).then(() => {
  mount(App, { target, props: { app } })
  // Tests, and anyone who drives the application from outside, wait for this.
  document.documentElement.dataset.appState = 'loaded'
  setTimeout(() => requestIdleCallback(() => void loadScreens().catch(() => undefined)), LOAD_AHEAD_AFTER_MS)
})
