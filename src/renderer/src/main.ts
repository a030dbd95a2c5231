/** Starts the screens: reads what the frame shows, then mounts the application. */
import { mount } from 'svelte'
import './ui/tokens.css'
import './ui/base.css'
import './ui/layout.css'
import App from './App.svelte'
import { AppState } from './state/app-state.svelte.ts'

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app to mount in.')

const app = new AppState(window.countersign, window)
void app.open().then(() => {
  mount(App, { target, props: { app } })
  // Tests, and anyone who drives the application from outside, wait for this.
  document.documentElement.dataset.appState = 'loaded'
})
