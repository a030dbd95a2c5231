/** The real bridge, and beside it the barest one that there can be, to measure the real one against. */
import { contextBridge, ipcRenderer } from 'electron'
import '../../src/preload/index.ts'

contextBridge.exposeInMainWorld('bare', { ask: (input: unknown) => ipcRenderer.invoke('bare', input) })
