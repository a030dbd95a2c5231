/**
 * Run as a program inside its own D-Bus session: starts a Secret Service, uses it, locks it, and prints as JSON what
 * the application makes of that. It is a separate process because locking would affect every other test.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import keytar from 'keytar'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { openKeytarKeychain } from '../../../src/main/core/storage/keytar-keychain.ts'

const folder = process.argv[2] ?? ''
const daemon = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
  stdio: ['pipe', 'ignore', 'ignore']
})
// An empty password, terminated as if a person had pressed Enter.
daemon.stdin.end('\n')

function ask(destination: string, path: string, method: string, argument: string): string {
  return execFileSync('dbus-send', ['--session', '--print-reply', `--dest=${destination}`, path, method, argument], {
    encoding: 'utf8'
  })
}

async function serviceAnswers(): Promise<void> {
  const bus = 'org.freedesktop.DBus'
  for (let tries = 0; tries < 200; tries++) {
    const answer = ask(bus, '/org/freedesktop/DBus', `${bus}.NameHasOwner`, 'string:org.freedesktop.secrets')
    if (answer.includes('boolean true')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('No Secret Service was started.')
}

const load = async () => keytar
const effects = { folder, random: randomBytes, clock: Date.now }

try {
  await serviceAnswers()
  const { keychain, status } = await openKeytarKeychain(load)
  const opened = await openDatabase({ ...effects, keychain })
  opened.db.close()

  const secrets = '/org/freedesktop/secrets'
  const lock = 'org.freedesktop.Secret.Service.Lock'
  ask('org.freedesktop.secrets', secrets, lock, `array:objpath:${secrets}/aliases/default`)

  const keyWhileLocked = await keychain.databaseKey.get().catch((error: { code: string }) => error.code)
  const reopened = await openDatabase({ ...effects, keychain })
  const next = await openKeytarKeychain(load)
  console.log(
    JSON.stringify({
      before: status.state,
      opened: opened.state,
      keyWhileLocked,
      databaseWhileLocked: {
        state: reopened.state,
        because: reopened.state === 'memory' ? reopened.because : undefined,
        setAside: reopened.setAside !== undefined
      },
      atTheNextStart: {
        state: next.status.state,
        reason: next.status.state === 'unavailable' ? next.status.reason : undefined,
        keeps: next.keychain.keeps
      }
    })
  )
} finally {
  daemon.kill()
}
