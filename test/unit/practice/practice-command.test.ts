import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../../scripts/practice.ts', import.meta.url))
const NODE = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))

/** Runs the command. When waiting only for its first line, it is left running. */
function run(...args: string[]) {
  const child = spawn(NODE, [SCRIPT, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => {
    out += piece
  })
  child.stderr.on('data', (piece) => {
    err += piece
  })
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }))
  const line = new Promise<Record<string, string>>((resolve, reject) => {
    child.stdout.on('data', () => out.includes('\n') && resolve(JSON.parse(out.split('\n')[0] ?? '')))
    ended.then(() => reject(new Error(err)))
  })
  line.catch(() => {})
  return { child, line, ended }
}

describe('npm run practice', () => {
  it('prints its address and credentials, answers, and ends when stopped', async () => {
    const { child, line, ended } = run('--auth', 'bearer', '--data', '3', '--base', '/web/v1.4')
    const { url, auth, token, data } = await line
    expect([auth, data]).toEqual(['bearer', 3])
    const ask = (headers: Record<string, string>) => fetch(`${url}/Recipient/Recipients.json`, { headers })
    expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await ask({})).status).toBe(401)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })

  it('expires the access tokens once someone types “expire”, and says which tokens it gives', async () => {
    const { child, line, ended } = run('--auth', 'oauth', '--data', '3')
    const { url, clientId, secret } = await line
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId ?? '',
      client_secret: secret ?? ''
    })
    const sign = async () =>
      (await (await fetch(`${url}/api/oauth2/token`, { method: 'POST', body })).json()).access_token as string
    const statusWith = async (token: string) =>
      (await fetch(`${url}/Recipient/Recipients.json`, { headers: { Authorization: `Bearer ${token}` } })).status
    const first = await sign()
    expect(await statusWith(first)).toBe(200)
    child.stdin.write('expire\n')
    await expect.poll(() => statusWith(first)).toBe(401)
    expect(await statusWith(await sign())).toBe(200)
    child.stdin.write('exspire\n')
    await once(child.stderr, 'data')
    child.kill('SIGTERM')
    const { code, out, err } = await ended
    expect(code).toBe(0)
    expect(
      out
        .trim()
        .split('\n')
        .slice(1)
        .map((text) => JSON.parse(text))
    ).toEqual([{ tokenFor: 'client_credentials' }, { expired: true }, { tokenFor: 'client_credentials' }])
    expect(err).toContain('Type “expire” to let the access tokens expire.')
  })

  it.each([
    [
      ['--auth', 'kerberos'],
      '--auth must be one of none, hmac, bearer, bearer-and-key, basic, headers, oauth, not "kerberos".'
    ],
    [['--auth', 'headers', '--header', 'no colon'], '--header must be "NAME: VALUE", not "no colon".'],
    [['--auth', 'oauth', '--lifetime', 'short'], '--lifetime must be a number of seconds, not "short".'],
    [['--data', 'much'], '--data must be demo, empty or a number of documents up to 999999, not "much".'],
    [['--port', '70000'], '--port must be a number from 0 (any free port) to 65535, not "70000".'],
    [['--colour'], "Unknown option '--colour'"]
  ])('says what is wrong with %j', async (args, message) => {
    const { code, out, err } = await run(...args).ended
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).toContain('Use: npm run practice')
  })

  it('reports when the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { code, err } = await run('--port', String(port), '--data', 'empty').ended
    server.close()
    expect(code).toBe(2)
    expect(err).toContain(`Port ${port} is taken.`)
  })
})
