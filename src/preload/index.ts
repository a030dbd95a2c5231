/**
 * The entire bridge between the screens and the main process: one function for each request of the contract, and `on`
 * for its events. A page can't name any other channel.
 */

import { requestNames } from 'virtual:request-names'
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Api } from '../shared/contract/api.ts'
import { eventNames } from '../shared/contract/api.ts'

type Call = (input: unknown, accountId?: unknown) => Promise<unknown>

function bridge(): Record<string, Record<string, Call>> {
  const domains: Record<string, Record<string, Call>> = {}
  for (const name of requestNames) {
    const [domain, action] = name.split('.') as [string, string]
    domains[domain] ??= {}
    domains[domain][action] = (input, accountId) =>
      typeof accountId === 'string' ? ipcRenderer.invoke(name, input, accountId) : ipcRenderer.invoke(name, input)
  }
  return domains
}

function on(name: unknown, listener: (payload: unknown) => void): () => void {
  const channel = eventNames.find((known) => known === name)
  if (!channel || typeof listener !== 'function') throw new TypeError('There is no such event.')
  // Only the payload is passed on: the event object would expose the sender, and with it ipcRenderer.
  const receive = (_event: IpcRendererEvent, payload: unknown) => listener(payload)
  ipcRenderer.on(channel, receive)
  return () => {
    ipcRenderer.removeListener(channel, receive)
  }
}

contextBridge.exposeInMainWorld('countersign', { ...bridge(), on } as unknown as Api)

/**
 * Removes network APIs that a content security policy doesn't cover. What an empty frame still has of them is blocked
 * by the session's proxy.
 */
contextBridge.executeInMainWorld({
  func: () => {
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport', 'WebSocketStream']) {
      Reflect.deleteProperty(globalThis, name)
    }
  }
})
