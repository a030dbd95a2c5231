/** The real bridge, and the barest possible one to measure it against. */
import { contextBridge, ipcRenderer } from 'electron'
import '../../src/preload/index.ts'

contextBridge.exposeInMainWorld('bare', { ask: (input: unknown) => ipcRenderer.invoke('bare', input) })
