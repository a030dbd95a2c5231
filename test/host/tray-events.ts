// What Electron's Tray says; apart from it, since naming the events starts no host.
export const trayEvents = {
  emits: ['click', 'right-click'],
  // Nobody clicks twice, moves over it or drags a file onto it here.
  never: ['double-click', 'middle-click', 'mouse-enter', 'mouse-leave', 'mouse-move', 'drop', 'drop-files', 'drop-text']
} as const
