/** Starts the page on the second display: loads what it shows, then mounts it. */
import { mount } from 'svelte'
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import './ui/layout.css'
import PersonPage from './screens/counter/person/PersonPage.svelte'
import { PersonDisplay } from './screens/counter/person/person-display.svelte.ts'

const target = document.getElementById('app')
if (!target) throw new Error('counter.html has no #app to mount in.')

const display = new PersonDisplay(window.countersign)
void display.open().then(() => {
  mount(PersonPage, { target, props: { display } })
  // Tests, and tools that drive the application, wait for this.
  document.documentElement.dataset.appState = 'loaded'
})
