/**
 * The administrator's command for office mode: `npm run office -- init|upgrade|check|join-code|revoke --server HOST[:PORT] …`. The password
 * comes in PGPASSWORD, never as an argument: those can be read by others. See docs/office.md.
 */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import {
  checkOffice,
  initOffice,
  inviteStation,
  revokeStation,
  upgradeOffice
} from '../src/main/core/office/administration.ts'
import type { OfficePlace } from '../src/main/core/office/connection.ts'

const USE = `Use: PGPASSWORD=… npm run office -- COMMAND --server HOST[:PORT] --user NAME [--database countersign] [--ca FILE]
  init --key-file FILE                    makes the database, and the office’s key where the file isn’t there yet
  upgrade                                 brings the database to this version
  check                                   says how it stands; exits with 1 where something is wrong
  join-code --key-file FILE --name NAME   invites a workstation; the code holds once, for ten minutes
  revoke --name NAME                      ends a workstation’s part in the office`

const MINUTES = 10
const KEY = 32

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    user: { type: 'string' },
    database: { type: 'string', default: 'countersign' },
    ca: { type: 'string' },
    'key-file': { type: 'string' },
    name: { type: 'string' }
  }
})

/** Says how it is used, and ends. */
function wrongUse(): never {
  console.error(USE)
  process.exit(2)
}

async function keyOf(file: string | undefined): Promise<Buffer> {
  if (!file) wrongUse()
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64url')
  if (key.length !== KEY) throw new Error('The key file does not hold an office’s key.')
  return key
}

const commands: Record<string, (place: OfficePlace) => Promise<void>> = {
  async init(place) {
    const file = values['key-file'] ?? wrongUse()
    try {
      // An office has one key: what was sealed by another can't be read.
      await writeFile(file, `${randomBytes(KEY).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
      console.log('The office’s key was made. Keep its file where your passwords are: nobody can make it again.')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      await keyOf(file)
    }
    console.log(`The database is ready. Steps applied: ${await initOffice(place)}.`)
  },
  async upgrade(place) {
    console.log(`Steps applied: ${await upgradeOffice(place)}.`)
  },
  async check(place) {
    const { server, isEncrypted, schema, known, stations, excess } = await checkOffice(place)
    console.log(`PostgreSQL ${server}, ${isEncrypted ? 'over TLS' : 'without TLS, on this computer'}`)
    console.log(`Schema ${schema} of ${known}${schema < known ? ': run upgrade' : ''}`)
    console.log(`Workstations: ${stations.joined} joined, ${stations.invited} invited`)
    for (const what of excess) console.error(`Workstations have more rights than they need: ${what}`)
    if (schema < known || excess.length > 0) process.exitCode = 1
  },
  async 'join-code'(place) {
    const key = await keyOf(values['key-file'])
    console.log(await inviteStation(place, { name: values.name ?? wrongUse(), key, minutes: MINUTES }))
  },
  async revoke(place) {
    if (!(await revokeStation(place, values.name ?? wrongUse())))
      throw new Error('The office has no workstation of that name.')
    console.log('The workstation is revoked. It still has the office’s key.')
  }
}

const [command = ''] = positionals
const run = commands[command]
const server = /^(.+?)(?::(\d+))?$/.exec(values.server ?? '')
if (!run || !server?.[1] || !values.user || positionals.length > 1) wrongUse()
try {
  await run({
    host: server[1],
    port: Number(server[2] ?? 5432),
    database: values.database,
    user: values.user,
    password: process.env.PGPASSWORD ?? '',
    ...(values.ca && { ca: await readFile(values.ca, 'utf8') })
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
