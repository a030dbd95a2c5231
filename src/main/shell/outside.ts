/** What the system brings to the application from outside, at its start and while it runs: links and files, as text. */
import { app } from 'electron'
import { type Brought, broughtBy } from '../core/drafts/from-outside.ts'

/**
 * Hears from now on; macOS tells before the application is ready. What came until someone listens, they are given then.
 * @returns how to listen.
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
