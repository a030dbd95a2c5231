/**
 * `countersign --check-policy FILE`: tells the author of a policy file what is wrong with it, or what it sets. Without
 * FILE, does the same for this computer's managed settings.
 */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeOf } from '../lib/failure.ts'
import { systemTime } from '../lib/time.ts'
import { type ManagedSource, readFoundPolicy, readManaged } from './managed.ts'
import { describeProblem, MAX_POLICY_BYTES, type PolicyReading, readPolicy, TOO_LARGE } from './reading.ts'

const SWITCH = '--check-policy'

/** Returns the file to check as it was given; '' if none was. Undefined if nothing is to be checked. */
export function policyToCheck(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((argument) => argument === SWITCH || argument.startsWith(`${SWITCH}=`))
  const argument = argv[at]
  if (at < 0 || argument === undefined) return undefined
  return argument === SWITCH ? (argv[at + 1] ?? '') : argument.slice(SWITCH.length + 1)
}

interface CheckedPolicy {
  isUsable: boolean
  lines: readonly string[]
}

/**
 * Checks a policy. Never rejects.
 * @param path '' for this computer's managed settings.
 * @param managed where those are, on a system that has them.
 */
export async function checkPolicyAt(path: string, managed?: ManagedSource): Promise<CheckedPolicy> {
  const settings = await readManaged(managed, systemTime)
  if (path !== '') {
    const checked = checkFile(path)
    return managed && settings.state !== 'missing'
      ? {
          ...checked,
          lines: [...checked.lines, `On this computer no file is used: it has the settings in ${managed.path}.`]
        }
      : checked
  }
  if (!managed) return { isUsable: false, lines: [`Use: countersign ${SWITCH} FILE`] }
  if (settings.state === 'missing') {
    return {
      isUsable: false,
      lines: [`There are no settings in ${managed.path}.`, `For a file: countersign ${SWITCH} FILE`]
    }
  }
  return describeReading(readFoundPolicy(settings))
}

/** Doesn't check the file's owner and permissions, which only matter in its final place. Never throws. */
function checkFile(path: string): CheckedPolicy {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return { isUsable: false, lines: ['This isn’t a file.'] }
    if (stats.size > MAX_POLICY_BYTES) return { isUsable: false, lines: [TOO_LARGE] }
    return describeReading(readPolicy(readFileSync(path)))
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    return { isUsable: false, lines: [isMissing ? `There’s no file ${resolve(path)}.` : 'The file couldn’t be read.'] }
  }
}

function describeReading(read: PolicyReading): CheckedPolicy {
  if (!read.ok) return { isUsable: false, lines: read.problems.map(describeProblem) }
  const entries = Object.entries(read.policy).filter(([name]) => name !== '$schema')
  return {
    isUsable: true,
    lines: [
      ...(read.hasBom ? ['The file begins with a byte order mark, which is ignored.'] : []),
      entries.length === 0 ? 'The policy sets nothing.' : 'The policy sets:',
      ...entries.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
    ]
  }
}
