/**
 * The side buttons of a mouse on Windows and Linux, and a swipe with three fingers on macOS: they lead back and forward. A page is
 * told of the buttons as well, and takes whichever comes first.
 */
import type { BrowserWindow } from 'electron'

export function followSideButtons(window: BrowserWindow, go: (way: 'back' | 'forward') => void): void {
  window.on('app-command', (event, command) => {
    if (command !== 'browser-backward' && command !== 'browser-forward') return
    event.preventDefault()
    go(command === 'browser-backward' ? 'back' : 'forward')
  })
  window.on('swipe', (_event, direction) => {
    if (direction === 'left' || direction === 'right') go(direction === 'left' ? 'back' : 'forward')
  })
}
