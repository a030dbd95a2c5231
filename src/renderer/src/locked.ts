/** Starts the page shown while the data is locked: nothing else of the application has been loaded yet. */
import { mount } from 'svelte'
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import './ui/layout.css'
import { settled } from './api.ts'
import LockedPage from './screens/first-run/LockedPage.svelte'

const target = document.getElementById('app')
if (!target) throw new Error('locked.html has no #app to mount in.')

const api = window.countersign
void settled(api.system.status()).then((status) => {
  const keychain = status.ok && status.value.keychain.state === 'unavailable' ? status.value.keychain.reason : 'failed'
  mount(LockedPage, { target, props: { api, keychain } })
  // Tests, and tools that drive the application, wait for this.
  document.documentElement.dataset.appState = 'loaded'
})
