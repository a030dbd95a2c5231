/** Work that must be done before the application ends. */
import { app } from 'electron'

/**
 * Keeps the application from ending until some work is done.
 * @param before begun once, however often quitting is requested. Never rejects.
 * @returns a function that lets it end without.
 */
export function endAfter(before: () => Promise<void>): () => void {
  let isLeaving = false
  const onWillQuit = (event: { preventDefault(): void }) => {
    event.preventDefault()
    if (isLeaving) return
    isLeaving = true
    void before().then(() => {
      letGo()
      app.quit()
    })
  }
  const letGo = () => void app.off('will-quit', onWillQuit)
  app.on('will-quit', onWillQuit)
  return letGo
}
