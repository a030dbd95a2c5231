/**
 * The administrator's command for office mode, `npm run office -- COMMAND …` or, of the installed application, `countersign --office-admin COMMAND …`:
 * see docs/office.md. The password comes in PGPASSWORD, never as an argument, which others on the computer can read.
 */
import { randomBytes } from 'node:crypto'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { writeAtomically } from '../storage/atomic-file.ts'
import { checkOffice, headLines, initOffice, inviteStation, revokeStation, upgradeOffice } from './administration.ts'
import type { OfficePlace } from './connection.ts'
import { KEY, keysIn } from './sealing.ts'
import { turnKey } from './turning.ts'

const MINUTES = 10
const PORT = 5432

/** Where it is run, and where it says what came of it. */
interface CommandPlace {
  /** How it is begun, for what is said of its use. */
  readonly begunBy: string
  /** Of the server's user. */
  readonly password: string | undefined
  readonly say: (line: string) => void
  readonly warn: (line: string) => void
  /** Of the counter, which is another room: see its pin-reset.ts. */
  readonly resetPin: (place: OfficePlace, of: { name: string; key: Buffer }) => Promise<{ name: string; pin: string }>
}

interface Values {
  readonly server?: string
  readonly user?: string
  readonly database: string
  readonly ca?: string
  readonly 'key-file'?: string
  readonly heads?: string
  readonly name?: string
}

/** It was begun otherwise than it can be. */
class WrongUse extends Error {}

type Run = (place: OfficePlace, values: Values, to: CommandPlace) => Promise<boolean>

/** Each answers whether all is well. */
const commands: Record<string, Run> = {
  async init(place, values, { say }) {
    const file = needed(values['key-file'])
    try {
      // An office has one key: what was sealed by another can't be read.
      await writeFile(file, textOf(randomBytes(KEY)), { flag: 'wx', mode: 0o600 })
      say('The office’s key was made. Keep its file where your passwords are: nobody can make it again.')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      await keyOf(file)
    }
    say(`The database is ready. Steps applied: ${await initOffice(place)}.`)
    return true
  },
  async upgrade(place, _values, { say }) {
    say(`Steps applied: ${await upgradeOffice(place)}.`)
    return true
  },
  async check(place, { heads }, { say, warn }) {
    const { server, isEncrypted, schema, known, stations, behind, excess, trails, brokenAt } = await checkOffice(place)
    say(`PostgreSQL ${server}, ${isEncrypted ? 'over TLS' : 'without TLS, on this computer'}`)
    say(`Schema ${schema} of ${known}${schema < known ? ': run upgrade' : ''}`)
    say(`Workstations: ${stations.joined} joined, ${stations.invited} invited`)
    if (behind.length > 0) say(`The office’s key is not taken yet by: ${behind.join(', ')}`)
    for (const what of excess) warn(`Workstations have more rights than they need: ${what}`)
    for (const { name, why, at } of trails) {
      warn(
        `The audit trail of ${name} lacks entries that it had, told ${new Date(at).toISOString()}: ${WHY[why] ?? why}`
      )
    }
    if (brokenAt !== undefined)
      warn(`What was told of audit trails was changed on this server: from number ${brokenAt} on.`)
    if (heads !== undefined) await writeAtomically(heads, linesOf(place), { ifExists: 'replace' })
    const isAccused = trails.some(({ why }) => why === 'cut' || why === 'rewritten')
    return schema >= known && excess.length === 0 && !isAccused && brokenAt === undefined
  },
  async 'join-code'(place, values, { say }) {
    const key = await keyOf(needed(values['key-file']))
    say(await inviteStation(place, { name: needed(values.name), key, minutes: MINUTES }))
    return true
  },
  async revoke(place, values, to) {
    if (!(await revokeStation(place, needed(values.name)))) {
      throw new Error('The office has no workstation of that name.')
    }
    to.say('The workstation is revoked.')
    if (values['key-file'] !== undefined) await turn(place, values['key-file'], to)
    else to.say('It still has the office’s key. Run rotate-key, so that it can’t read what is written from now on.')
    return true
  },
  async 'rotate-key'(place, values, to) {
    await turn(place, needed(values['key-file']), to)
    return true
  },
  async 'reset-pin'(place, values, { say, resetPin }) {
    const key = await keyOf(needed(values['key-file']))
    const { name, pin } = await resetPin(place, { name: needed(values.name), key })
    say(`${name} has a one-time PIN: ${pin}`)
    say(
      'They enter it with their name where Countersign is locked, and choose their own there. The old PIN no longer works.'
    )
    return true
  }
}

/**
 * Does what the administrator says.
 * @param args the command and its options.
 * @returns the code to end with: 0 where all is well, 1 where it isn't or wasn't done, 2 where it was begun otherwise than it can be.
 */
export async function officeCommand(args: readonly string[], to: CommandPlace): Promise<0 | 1 | 2> {
  try {
    const { run, values, host, port } = read(args)
    const { user, database, ca } = values
    const place: OfficePlace = {
      ...{ host, port, user: needed(user), password: to.password ?? '', database },
      ...(ca !== undefined && { ca: await readFile(ca, 'utf8') })
    }
    return (await run(place, values, to)) ? 0 : 1
  } catch (error) {
    if (error instanceof WrongUse) {
      to.warn(useOf(to.begunBy))
      return 2
    }
    // What went wrong, and none of the values that it went wrong with.
    to.warn(error instanceof Error ? error.message : 'It could not be done.')
    return 1
  }
}

function read(args: readonly string[]) {
  const { values, positionals } = parsed(args)
  const [command = ''] = positionals
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(values.server ?? '') ?? []
  if (!run || !host || !values.user || positionals.length > 1) throw new WrongUse()
  return { run, values, host, port: port === undefined ? PORT : Number(port) }
}

function parsed(args: readonly string[]): { values: Values; positionals: string[] } {
  const text = { type: 'string' } as const
  const options = {
    ...{ server: text, user: text, ca: text, 'key-file': text, heads: text, name: text },
    database: { ...text, default: 'countersign' }
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch {
    throw new WrongUse()
  }
}

function needed(value: string | undefined): string {
  if (value === undefined || value === '') throw new WrongUse()
  return value
}

const useOf = (
  begunBy: string
) => `Use: PGPASSWORD=… ${begunBy} COMMAND --server HOST[:PORT] --user NAME [--database countersign] [--ca FILE]
  init --key-file FILE                    makes the database, and the office’s key where the file isn’t there yet
  upgrade                                 brings the database to this version
  check [--heads FILE]                    says how it stands; exits with 1 where something is wrong; writes what was told of trails to FILE
  join-code --key-file FILE --name NAME   invites a workstation; the code holds once, for ten minutes
  rotate-key --key-file FILE              gives the workstations another key, which FILE then holds, too
  reset-pin --key-file FILE --name NAME   gives an administrator of staff who forgot their PIN a one-time PIN
  revoke --name NAME [--key-file FILE]    ends a workstation’s part in the office; with FILE the key turns as well`

/** All keys that the office has had, a line each, the oldest first. */
async function keyOf(file: string): Promise<Buffer> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const keys = lines.map((line) => Buffer.from(line.trim(), 'base64url'))
  if (keys.length === 0 || keys.some((key) => key.length !== KEY)) {
    throw new Error('The key file does not hold an office’s key.')
  }
  return Buffer.concat(keys)
}

const textOf = (key: Buffer) =>
  keysIn(key)
    .map((one) => `${one.toString('base64url')}\n`)
    .join('')

async function turn(place: OfficePlace, file: string, { say }: CommandPlace): Promise<void> {
  const { stations, invitations } = await turnKey(place, {
    read: () => keyOf(file),
    async write(key) {
      await writeAtomically(await realpath(file), textOf(key), { ifExists: 'replace', mode: 0o600 })
    }
  })
  say(`The office has another key, which ${file} holds now. Workstations that are given it: ${stations}.`)
  if (invitations > 0) say(`Join codes that hold no longer: ${invitations}. Invite again.`)
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
