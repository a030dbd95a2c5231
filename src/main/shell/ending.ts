/** What must be done before the application ends. */
import { app } from 'electron'

/**
 * Holds the application back from ending until what must be done before is done.
 * @param before begun once, however often quitting is asked for. Never rejects.
 * @returns lets it end without.
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
