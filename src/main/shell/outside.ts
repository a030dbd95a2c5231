/** Links and files that the system passes to the application, as text, at its start and while it runs. */
import { app } from 'electron'
import { type OutsideRequest, requestsIn } from '../core/drafts/from-outside.ts'

/**
 * Begins to listen; macOS reports before the application is ready. What arrives before there is a listener is kept for
 * it.
 * @returns a function that sets the listener.
 */
export function listenForLinksAndFiles(): (listener: (brought: readonly OutsideRequest[]) => void) => void {
  const pending = requestsIn(process.argv.slice(1), process.cwd())
  let emit = (brought: readonly OutsideRequest[]): void => void pending.push(...brought)
  app.on('second-instance', (_event, argv, folder) => emit(requestsIn(argv.slice(1), folder)))
  app.on('open-url', (event, link) => {
    event.preventDefault()
    emit(requestsIn([link], '/'))
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    emit(requestsIn([path], '/'))
  })
  return (listener) => {
    emit = listener
    listener(pending)
  }
}
