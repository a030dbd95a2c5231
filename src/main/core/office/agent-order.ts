/**
 * Parses the arguments of `countersign --agent…`. An agent is an office's workstation without a window, for a server on
 * which nobody signs in (decision 64). Codes come in the environment, because others on the computer can read
 * arguments.
 */
import { isAbsolute } from 'node:path'

export type AgentOrder =
  | { do: 'run' | 'leave' }
  | { do: 'enrol'; file: string }
  | { do: 'join'; server: { host: string; port: number; database: string }; ca?: string }

const USAGE = `Use: countersign --agent            works until it is told to end
     countersign --agent-enrol=FILE  connects the account of an enrolment file
     countersign --agent-join=HOST[:PORT] [--agent-database=NAME] [--agent-ca=FILE]
                                     joins an office
     countersign --agent-leave       leaves it
FILE is an absolute path. The code of the file, or to join, comes in COUNTERSIGN_CODE.`

const DEFAULT_PORT = 5432

/**
 * Parses the agent's arguments.
 * @returns undefined if no agent is asked for; the usage text if the arguments are wrong.
 */
export function agentOrderOf(argv: readonly string[]): AgentOrder | string | undefined {
  const given = new Map<string, string>()
  for (const argument of argv.slice(1)) {
    const [, name, value = ''] = /^--agent(?:-([a-z]+))?(?:=(.*))?$/s.exec(argument) ?? []
    if (/^--agent(?:$|[-=])/.test(argument)) given.set(name ?? 'run', value)
  }
  if (given.size === 0) return undefined
  const { run, enrol, join, leave, database, ca, ...others } = Object.fromEntries(given)
  if (Object.keys(others).length > 0 || [run, enrol, join, leave].filter((one) => one !== undefined).length !== 1)
    return USAGE
  if (join === undefined && (database ?? ca) !== undefined) return USAGE
  if (run === '') return { do: 'run' }
  if (leave === '') return { do: 'leave' }
  if (enrol !== undefined && isAbsolute(enrol)) return { do: 'enrol', file: enrol }
  const [, host, port] = /^([^\s:]+|\[[^\]\s]+\])(?::(\d{1,5}))?$/.exec(join ?? '') ?? []
  if (host === undefined || database === '' || (ca !== undefined && !isAbsolute(ca))) return USAGE
  return {
    do: 'join',
    server: {
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port ?? DEFAULT_PORT),
      database: database ?? 'countersign'
    },
    ...(ca !== undefined && { ca })
  }
}
