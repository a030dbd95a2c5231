// One running application per user-data folder: the first to listen on the folder's socket holds the lock; a later one
// hands over its arguments. A socket left behind by a killed process doesn't answer, and is taken over.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Greeting {
  readonly argv: string[]
  readonly workingDirectory: string
  readonly additionalData: unknown
}

function socketOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\countersign-host-${hash}`
  const inside = join(folder, 'host-instance')
  // The path of a socket is limited to about 100 bytes.
  return Buffer.byteLength(inside) < 100
    ? inside
    : join(process.platform === 'darwin' ? '/tmp' : tmpdir(), `csh-${hash}`)
}

// requestSingleInstanceLock returns synchronously and sockets are asynchronous, so a short-lived process connects and
// waits for us.
const connectScript = `
const { connect } = require('node:net')
const socket = connect(process.argv[1], () => socket.end(process.argv[2]))
socket.on('error', () => process.exit(1))
socket.on('close', (failed) => process.exit(failed ? 1 : 0))
socket.resume()`

/**
 * Takes the folder's lock and returns the server that holds it. If another process holds the lock, sends it our
 * greeting and returns undefined.
 */
export function acquireInstanceLock(
  folder: string,
  greeting: Greeting,
  onSecondInstance: (other: Greeting) => void
): Server | undefined {
  const path = socketOf(folder)
  // Without a socket file there is no holder; a Windows pipe can't be checked for like that.
  if (process.platform === 'win32' || existsSync(path)) {
    const { status } = spawnSync(process.execPath, ['-e', connectScript, path, JSON.stringify(greeting)], {
      stdio: 'ignore',
      env: { ...process.env, NODE_OPTIONS: '' }
    })
    if (status === 0) return undefined
  }
  if (process.platform !== 'win32') rmSync(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', () => {})
    socket.on('end', () => {
      socket.end()
      if (text) onSecondInstance(JSON.parse(text) as Greeting)
    })
  })
  server.on('error', (error) => console.error('test host: the instance lock failed:', error.message))
  server.listen(path)
  server.unref()
  return server
}
