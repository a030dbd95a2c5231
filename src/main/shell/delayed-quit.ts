/** Work that must be done before the application ends. */
import { app } from 'electron'

/**
 * Keeps the application from ending until some work is done.
 * @param cleanup begun once, however often quitting is requested. Never rejects.
 * @returns a function that lets it end without.
 */
export function delayQuitUntil(cleanup: () => Promise<void>): () => void {
  let isQuitting = false
  const onWillQuit = (event: { preventDefault(): void }) => {
    event.preventDefault()
    if (isQuitting) return
    isQuitting = true
    void cleanup().then(() => {
      allowQuit()
      app.quit()
    })
  }
  const allowQuit = () => void app.off('will-quit', onWillQuit)
  app.on('will-quit', onWillQuit)
  return allowQuit
}
