/**
 * The administrator's command for office mode: `npm run office -- COMMAND …`, or `countersign --office-admin COMMAND …`
 * with the installed application. See docs/office.md. The password comes in PGPASSWORD, never as an argument, because
 * others on the computer can read arguments.
 */
import { randomBytes } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { codeOf } from '../lib/failure.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import {
  checkOffice,
  headLines,
  initOffice,
  inviteWorkstation,
  revokeWorkstation,
  upgradeOffice
} from './administration.ts'
import type { OfficePlace } from './connection.ts'
import { rotateKey } from './key-rotation.ts'
import { KEY_LENGTH, keysIn } from './sealing.ts'

const CODE_MINUTES = 10
const DEFAULT_PORT = 5432

/** The environment of the command, and its outputs. */
interface CommandContext {
  /** How the command is started, for the usage text. */
  readonly programName: string
  /** The password of the server's user. */
  readonly password: string | undefined
  readonly say: (line: string) => void
  readonly warn: (line: string) => void
  /** Provided by the counter's code, which this module may not import: see its pin-reset.ts. */
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

/** Thrown if the arguments are wrong. */
class UsageError extends Error {}

type Command = (place: OfficePlace, values: Values, context: CommandContext) => Promise<boolean>

/** Each resolves with whether all is well. */
const commands: Record<string, Command> = {
  async init(place, values, { say }) {
    const file = required(values['key-file'])
    try {
      await readKeyFile(file)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // An existing key is never replaced, because what was sealed with it could no longer be read.
      await writeAtomically(file, keyFileText(randomBytes(KEY_LENGTH)), { ifExists: 'refuse', mode: 0o600 })
      say('The office’s key was created. Keep its file where you keep your passwords: nobody can create it again.')
    }
    say(`The database is ready. Steps applied: ${await initOffice(place)}.`)
    return true
  },
  async upgrade(place, _values, { say }) {
    say(`Steps applied: ${await upgradeOffice(place)}.`)
    return true
  },
  async check(place, { heads }, { say, warn }) {
    const { server, isEncrypted, schema, known, workstations, behind, excess, trails, brokenAt } =
      await checkOffice(place)
    say(`PostgreSQL ${server}, ${isEncrypted ? 'over TLS' : 'without TLS, on this computer'}`)
    say(`Schema ${schema} of ${known}${schema < known ? ': run upgrade' : ''}`)
    say(`Workstations: ${workstations.joined} joined, ${workstations.invited} invited`)
    if (behind.length > 0) say(`These workstations don’t have the office’s new key yet: ${behind.join(', ')}`)
    for (const what of excess) warn(`Workstations have more rights than they need: ${what}`)
    for (const { name, why, at } of trails) {
      warn(
        `Entries are missing from the audit trail of ${name}, as reported ${new Date(at).toISOString()}: ${CAUSE_TEXTS[why] ?? why}`
      )
    }
    if (brokenAt !== undefined)
      warn(`The reports about audit trails were changed on this server, from number ${brokenAt} on.`)
    if (heads !== undefined) await writeAtomically(heads, headBytes(place), { ifExists: 'replace' })
    const isAccused = trails.some(({ why }) => why === 'cut' || why === 'rewritten')
    return schema >= known && excess.length === 0 && !isAccused && brokenAt === undefined
  },
  async 'join-code'(place, values, { say }) {
    const key = await readKeyFile(required(values['key-file']))
    say(await inviteWorkstation(place, { name: required(values.name), key, minutes: CODE_MINUTES }))
    return true
  },
  async revoke(place, values, context) {
    if (!(await revokeWorkstation(place, required(values.name)))) {
      throw new Error('The office has no workstation of that name.')
    }
    context.say('The workstation was revoked.')
    if (values['key-file'] !== undefined) await rotateAndReport(place, values['key-file'], context)
    else
      context.say('It still has the office’s key. Run rotate-key, so that it can’t read what is written from now on.')
    return true
  },
  async 'rotate-key'(place, values, context) {
    await rotateAndReport(place, required(values['key-file']), context)
    return true
  },
  async 'reset-pin'(place, values, { say, resetPin }) {
    const key = await readKeyFile(required(values['key-file']))
    const { name, pin } = await resetPin(place, { name: required(values.name), key })
    say(`${name} has a one-time PIN: ${pin}`)
    say(
      'They enter it with their name where Countersign is locked, and choose their own there. The old PIN no longer works.'
    )
    return true
  }
}

/**
 * Runs the administrator's command.
 * @param args the command and its options.
 * @returns the exit code: 0 if all is well, 1 if something is wrong or the command failed, 2 for wrong arguments.
 */
export async function runOfficeCommand(args: readonly string[], context: CommandContext): Promise<0 | 1 | 2> {
  try {
    const { run, values, host, port } = readCommand(args)
    const { user, database, ca } = values
    const place: OfficePlace = {
      host,
      port,
      user: required(user),
      password: context.password ?? '',
      database,
      ...(ca !== undefined && { ca: await readFile(ca, 'utf8') })
    }
    return (await run(place, values, context)) ? 0 : 1
  } catch (error) {
    if (error instanceof UsageError) {
      context.warn(usageText(context.programName))
      return 2
    }
    // Prints only the message, which has none of the values that were involved.
    context.warn(error instanceof Error ? error.message : 'The command failed.')
    return 1
  }
}

function readCommand(args: readonly string[]) {
  const { values, positionals } = parseOptions(args)
  const [command = ''] = positionals
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(values.server ?? '') ?? []
  if (!run || !host || !values.user || positionals.length > 1) throw new UsageError()
  return { run, values, host, port: port === undefined ? DEFAULT_PORT : Number(port) }
}

function parseOptions(args: readonly string[]): { values: Values; positionals: string[] } {
  const text = { type: 'string' } as const
  const options = {
    server: text,
    user: text,
    ca: text,
    'key-file': text,
    heads: text,
    name: text,
    database: { ...text, default: 'countersign' }
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch {
    throw new UsageError()
  }
}

function required(value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError()
  return value
}

const usageText = (
  programName: string
) => `Usage: PGPASSWORD=… ${programName} COMMAND --server HOST[:PORT] --user NAME [--database countersign] [--ca FILE]
  init --key-file FILE                    creates the database, and the office’s key if FILE doesn’t exist yet
  upgrade                                 upgrades the database to this version
  check [--heads FILE]                    checks the office; exits with 1 if something is wrong; writes the reports about audit trails to FILE
  join-code --key-file FILE --name NAME   invites a workstation; the code works once, for ten minutes
  rotate-key --key-file FILE              gives the workstations a new key, and adds it to FILE
  reset-pin --key-file FILE --name NAME   gives a staff administrator who forgot their PIN a one-time PIN
  revoke --name NAME [--key-file FILE]    removes a workstation from the office; with FILE, also rotates the key`

/** Reads all keys that the office has had, one per line, oldest first. */
async function readKeyFile(file: string): Promise<Buffer> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const keys = lines.map((line) => Buffer.from(line.trim(), 'base64url'))
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_LENGTH)) {
    throw new Error('The key file doesn’t contain an office’s key.')
  }
  return Buffer.concat(keys)
}

const keyFileText = (key: Buffer) =>
  keysIn(key)
    .map((one) => `${one.toString('base64url')}\n`)
    .join('')

async function rotateAndReport(place: OfficePlace, file: string, { say }: CommandContext): Promise<void> {
  const { workstations, invitations } = await rotateKey(place, {
    read: () => readKeyFile(file),
    async write(key) {
      await writeAtomically(await realpath(file), keyFileText(key), { ifExists: 'replace', mode: 0o600 })
    }
  })
  say(`The office has a new key, which is now in ${file}. Workstations that will receive it: ${workstations}.`)
  if (invitations > 0) say(`Join codes that are no longer valid: ${invitations}. Invite those workstations again.`)
}

/** Describes the causes that a workstation gives for missing entries of its trail. */
const CAUSE_TEXTS: Record<string, string> = {
  restored: 'a backup was restored there',
  'older-copy': 'an older copy of its database is in use',
  replaced: 'its database was replaced by a new one',
  forgotten: 'its keychain no longer has the last entry',
  cut: 'entries were removed, or the trail was rewritten'
}

async function* headBytes(place: OfficePlace): AsyncGenerator<Uint8Array> {
  for await (const line of headLines(place)) yield Buffer.from(line)
}
