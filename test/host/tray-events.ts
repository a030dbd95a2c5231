// The events of Electron's Tray, in a module of their own because importing them must not start the host.
export const trayEvents = {
  emits: ['click', 'right-click'],
  // Nobody double-clicks the icon, moves over it or drags a file onto it here.
  never: ['double-click', 'middle-click', 'mouse-enter', 'mouse-leave', 'mouse-move', 'drop', 'drop-files', 'drop-text']
} as const
