/** Holds the application back from ending until what must be done before is done. */
import { app } from 'electron'

/** @param before begun once, however often quitting is asked for. Never rejects. */
export function endAfter(before: () => Promise<void>): void {
  let isLeaving = false
  let hasLeft = false
  app.on('will-quit', (event) => {
    if (hasLeft) return
    event.preventDefault()
    if (isLeaving) return
    isLeaving = true
    void before().then(() => {
      hasLeft = true
      app.quit()
    })
  })
}
