/** The system's log, written with the system's own program, here to a socket of the test. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { SystemLog, type SystemLogDeps } from '../../../src/main/core/support/system-log.ts'

/** Returns a log connected to a socket that receives what the system's `logger` sends. */
async function listening(change: Partial<SystemLogDeps> = {}) {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const received: string[] = []
  socket.on('message', (bytes) => void received.push(bytes.toString()))
  const extraArguments = ['--udp', '--server', '127.0.0.1', '--port', String(socket.address().port), '--rfc3164']
  let failures = 0
  const onError = () => void failures++
  const log = new SystemLog({ platform: 'linux', root: '/', isEnabled: () => true, onError, extraArguments, ...change })
  /** Waits for that many lines, and returns them. */
  async function lines(count: number): Promise<string[]> {
    await log.whenWritten()
    while (received.length < count) await once(socket, 'message')
    return received
  }
  return { log, lines, received, failures: () => failures, close: () => socket.close() }
}

test('has each line in order, with its severity, scrubbed', async () => {
  // The macOS logger can't send to another destination.
  if (process.platform !== 'linux') return
  const { log, lines, failures, close } = await listening()
  log.info('Countersign started.', { version: '0.1.0' })
  log.warn('An account can’t be used.', { account: 'a1', reason: '-p user.debug mere.tamati@example.com' })
  const [first = '', second = ''] = await lines(2)
  // User-level messages, with the severities informational and warning.
  expect(first).toMatch(/^<14>.* countersign: Countersign started\. \{"version":"0\.1\.0"\}$/)
  expect(second).toMatch(/^<12>.* countersign: An account can’t be used\. .*-p user\.debug ‹address›/)
  expect(failures()).toBe(0)
  close()
})

test('has nothing if the organisation doesn’t enable it', async () => {
  const { log, received, close } = await listening({ isEnabled: () => false })
  log.warn('An account can’t be used.')
  await log.whenWritten()
  expect(received).toEqual([])
  close()
})

test('that isn’t writable is reported once, without delaying anything', async () => {
  const { log, failures, close } = await listening({ platform: 'win32', root: '/nowhere' })
  log.info('Countersign started.')
  log.warn('An account can’t be used.')
  await log.whenWritten()
  expect(failures()).toBe(1)
  close()
})
