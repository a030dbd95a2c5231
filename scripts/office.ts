/**
 * The administrator's command for office mode: `npm run office -- init|upgrade|check|join-code|rotate-key|revoke --server HOST[:PORT] …`. The password
 * comes in PGPASSWORD, never as an argument: those can be read by others. See docs/office.md.
 */
import { randomBytes } from 'node:crypto'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import {
  checkOffice,
  headLines,
  initOffice,
  inviteStation,
  revokeStation,
  upgradeOffice
} from '../src/main/core/office/administration.ts'
import type { OfficePlace } from '../src/main/core/office/connection.ts'
import { KEY, keysIn } from '../src/main/core/office/sealing.ts'
import { turnKey } from '../src/main/core/office/turning.ts'
import { writeAtomically } from '../src/main/core/storage/atomic-file.ts'

const USE = `Use: PGPASSWORD=… npm run office -- COMMAND --server HOST[:PORT] --user NAME [--database countersign] [--ca FILE]
  init --key-file FILE                    makes the database, and the office’s key where the file isn’t there yet
  upgrade                                 brings the database to this version
  check [--heads FILE]                    says how it stands; exits with 1 where something is wrong; writes what was told of trails to FILE
  join-code --key-file FILE --name NAME   invites a workstation; the code holds once, for ten minutes
  rotate-key --key-file FILE              gives the workstations another key, which FILE then holds, too
  revoke --name NAME [--key-file FILE]    ends a workstation’s part in the office; with FILE the key turns as well`

const MINUTES = 10

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    user: { type: 'string' },
    database: { type: 'string', default: 'countersign' },
    ca: { type: 'string' },
    'key-file': { type: 'string' },
    heads: { type: 'string' },
    name: { type: 'string' }
  }
})

/** Says how it is used, and ends. */
function wrongUse(): never {
  console.error(USE)
  process.exit(2)
}

/** All keys that the office has had, a line each, the oldest first. */
async function keyOf(file: string | undefined): Promise<Buffer> {
  if (!file) wrongUse()
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const keys = lines.map((line) => Buffer.from(line.trim(), 'base64url'))
  if (keys.length === 0 || keys.some((key) => key.length !== KEY)) {
    throw new Error('The key file does not hold an office’s key.')
  }
  return Buffer.concat(keys)
}
const textOf = (key: Buffer) => keysIn(key).map((one) => `${one.toString('base64url')}\n`)

async function turn(place: OfficePlace, file: string): Promise<void> {
  const { stations, invitations } = await turnKey(place, {
    read: () => keyOf(file),
    async write(key) {
      await writeAtomically(await realpath(file), textOf(key).join(''), { ifExists: 'replace', mode: 0o600 })
    }
  })
  console.log(`The office has another key, which ${file} holds now. Workstations that are given it: ${stations}.`)
  if (invitations > 0) console.log(`Join codes that hold no longer: ${invitations}. Invite again.`)
}

const commands: Record<string, (place: OfficePlace) => Promise<void>> = {
  async init(place) {
    const file = values['key-file'] ?? wrongUse()
    try {
      // An office has one key: what was sealed by another can't be read.
      await writeFile(file, textOf(randomBytes(KEY)), { flag: 'wx', mode: 0o600 })
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
    const { server, isEncrypted, schema, known, stations, behind, excess, trails, brokenAt } = await checkOffice(place)
    console.log(`PostgreSQL ${server}, ${isEncrypted ? 'over TLS' : 'without TLS, on this computer'}`)
    console.log(`Schema ${schema} of ${known}${schema < known ? ': run upgrade' : ''}`)
    console.log(`Workstations: ${stations.joined} joined, ${stations.invited} invited`)
    if (behind.length > 0) console.log(`The office’s key is not taken yet by: ${behind.join(', ')}`)
    for (const what of excess) console.error(`Workstations have more rights than they need: ${what}`)
    for (const { name, why, at } of trails) {
      console.error(
        `The audit trail of ${name} lacks entries that it had, told ${new Date(at).toISOString()}: ${WHY[why] ?? why}`
      )
    }
    if (brokenAt !== undefined)
      console.error(`What was told of audit trails was changed on this server: from number ${brokenAt} on.`)
    if (values.heads) await writeAtomically(values.heads, linesOf(place), { ifExists: 'replace' })
    const isAccused = trails.some(({ why }) => why === 'cut' || why === 'rewritten')
    if (schema < known || excess.length > 0 || isAccused || brokenAt !== undefined) process.exitCode = 1
  },
  async 'join-code'(place) {
    const key = await keyOf(values['key-file'])
    console.log(await inviteStation(place, { name: values.name ?? wrongUse(), key, minutes: MINUTES }))
  },
  async revoke(place) {
    if (!(await revokeStation(place, values.name ?? wrongUse())))
      throw new Error('The office has no workstation of that name.')
    console.log('The workstation is revoked.')
    if (values['key-file']) await turn(place, values['key-file'])
    else
      console.log('It still has the office’s key. Run rotate-key, so that it can’t read what is written from now on.')
  },
  async 'rotate-key'(place) {
    await turn(place, values['key-file'] ?? wrongUse())
  }
}

/** Why a trail lacks entries, as its workstation says. */
const WHY: Record<string, string> = {
  restored: 'a backup was restored there',
  'older-copy': 'an older copy of its database is in use',
  replaced: 'its database was replaced by a new one',
  forgotten: 'its keychain no longer has the last entry',
  cut: 'entries were removed, or the trail was written again'
}

async function* linesOf(place: OfficePlace): AsyncGenerator<Uint8Array> {
  for await (const line of headLines(place)) yield Buffer.from(line)
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
