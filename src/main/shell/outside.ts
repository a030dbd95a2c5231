/** Links and files that the system passes to the application, as text, at its start and while it runs. */
import { app } from 'electron'
import { type Brought, broughtBy } from '../core/drafts/from-outside.ts'

/**
 * Begins to listen; macOS reports before the application is ready. What arrives before there is a listener is kept for
 * it.
 * @returns a function that sets the listener.
 */
export function hearOutside(): (listener: (brought: readonly Brought[]) => void) => void {
  const early = broughtBy(process.argv.slice(1), process.cwd())
  let tell = (brought: readonly Brought[]): void => void early.push(...brought)
  app.on('second-instance', (_event, argv, folder) => tell(broughtBy(argv.slice(1), folder)))
  app.on('open-url', (event, link) => {
    event.preventDefault()
    tell(broughtBy([link], '/'))
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    tell(broughtBy([path], '/'))
  })
  return (listener) => {
    tell = listener
    listener(early)
  }
}
