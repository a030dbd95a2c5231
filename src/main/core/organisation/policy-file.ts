/**
 * Reads the policy file from disk. It is accepted only if nobody but an administrator can have put it there: a regular
 * file, no link, of an allowed owner, that nobody else may change. It is read as a whole, and not while it is being
 * written.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, type stat } from 'node:fs/promises'
import { posix, resolve, win32 } from 'node:path'
import type { PolicyProblem } from '../../../shared/contract/policy.ts'
import { codeOf } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { MAX_POLICY_BYTES, TOO_LARGE } from './reading.ts'

export interface PolicyLocation {
  /** Absolute. */
  readonly path: string
  /** The user ids that may own it. On a system without them, the current user must not be able to change it. */
  readonly owners: readonly number[] | 'others'
}

export type PolicyFile =
  | { readonly state: 'missing' }
  | { readonly state: 'unusable'; readonly problem: PolicyProblem }
  | { readonly state: 'read'; readonly bytes: Uint8Array }

type Stats = Awaited<ReturnType<typeof stat>>

/** How often a file that is being written is read, and the delay between reads in milliseconds. */
const TRIES = 4
const RETRY_DELAY = 250
const POLICY_FILE_SWITCH = '--policy-file='
const OTHERS_MAY_WRITE = 0o022
/** On Windows a file's mode says only whether it is marked as read-only. */
const OWNER_MAY_WRITE = 0o200

/**
 * Returns the system's place for the policy. No environment variable affects it, because anyone who starts the
 * application could set one.
 * @param home the user's home folder, as the system itself reports it.
 */
export function policyLocation(platform: NodeJS.Platform, home: string): PolicyLocation {
  if (platform === 'win32') {
    return { path: win32.join(win32.parse(home).root, 'ProgramData', 'Countersign', 'policy.json'), owners: 'others' }
  }
  // @wc-ignore
  const folder = platform === 'darwin' ? '/Library/Application Support/Countersign' : '/etc/countersign'
  return { path: posix.join(folder, 'policy.json'), owners: [0] }
}

/**
 * Returns the place of the policy that this start follows: the system's. Only an unpackaged build accepts another, by
 * `--policy-file=PATH`, owned by the user who starts it.
 */
export function policyLocationAtStart(
  { argv, platform }: { argv: readonly string[]; platform: NodeJS.Platform },
  { isPackaged }: { isPackaged: boolean },
  { homedir, uid }: { homedir: string; uid: number }
): PolicyLocation {
  const given = isPackaged ? undefined : argv.find((argument) => argument.startsWith(POLICY_FILE_SWITCH))
  if (given === undefined) return policyLocation(platform, homedir)
  return { path: resolve(given.slice(POLICY_FILE_SWITCH.length)), owners: [uid] }
}

/** Reads the policy file. Never rejects. Waits for a file that is being written, for a second at most. */
export async function readPolicyFile(location: PolicyLocation, time: Pick<Time, 'after'>): Promise<PolicyFile> {
  for (let attempt = 1; ; attempt++) {
    const found = await readOnce(location)
    if (found !== 'changing') return found
    if (attempt === TRIES) return unusable('The file was being written while it was read.')
    await new Promise<void>((resolve) => void time.after(RETRY_DELAY, resolve))
  }
}

async function readOnce(location: PolicyLocation): Promise<PolicyFile | 'changing'> {
  let file: FileHandle | undefined
  try {
    const before = await lstat(location.path)
    const unfit = whyUnfit(before, location)
    if (unfit) return unusable(unfit)
    // If a link or a pipe has taken its place meanwhile, it is neither followed nor waited for.
    file = await open(location.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    if (!isSame(before, await file.stat())) return 'changing'
    if (location.owners === 'others' && (await canBeChanged(location.path))) return unusable(MAY_BE_CHANGED)
    const bytes = await bytesOf(file)
    const isUnchanged = isSame(before, await file.stat()) && isSame(before, await lstat(location.path))
    return isUnchanged && bytes.length === before.size ? { state: 'read', bytes } : 'changing'
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' && file) return 'changing'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing' }
    if (code === 'ELOOP') return unusable(A_LINK)
    return unusable(
      code === 'EACCES' || code === 'EPERM' ? 'This user may not read the file.' : 'The file couldn’t be read.'
    )
  } finally {
    await file?.close().catch(() => undefined)
  }
}

const A_LINK = 'The file is a link. Put the file itself there.'
const MAY_BE_CHANGED = 'Users can change the file. Let only administrators write it.'

const READ_ONLY_FILE = 'The file is marked as read-only. Remove the mark, and let only administrators write the file.'

function whyUnfit(stats: Stats, { owners }: PolicyLocation): string | undefined {
  if (stats.isSymbolicLink()) return A_LINK
  if (!stats.isFile()) return 'This isn’t a file.'
  if (stats.size > MAX_POLICY_BYTES) return TOO_LARGE
  // Anyone may mark their own file as read-only. That it can't be opened for writing then proves nothing about its
  // owner.
  if (owners === 'others') return Number(stats.mode) & OWNER_MAY_WRITE ? undefined : READ_ONLY_FILE
  if (!owners.includes(Number(stats.uid))) return 'The file isn’t an administrator’s. Make root its owner.'
  return Number(stats.mode) & OTHERS_MAY_WRITE ? MAY_BE_CHANGED : undefined
}

function isSame(one: Stats, other: Stats): boolean {
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  )
}

/** Tests whether the current user may write the file, without writing anything. */
async function canBeChanged(path: string): Promise<boolean> {
  try {
    await (await open(path, 'r+')).close()
    return true
  } catch {
    return false
  }
}

/** Reads no more than needed to see that it is too large. */
async function bytesOf(file: FileHandle): Promise<Uint8Array> {
  const buffer = new Uint8Array(MAX_POLICY_BYTES + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
  }
}

export function unusable(message: string): { state: 'unusable'; problem: PolicyProblem } {
  return { state: 'unusable', problem: { message } }
}
