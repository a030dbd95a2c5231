/**
 * The support report: version, state, log and requests, as texts that the user reads before saving them. Contains
 * nothing about people, documents or secrets; accounts are identified by id.
 */
import { strToU8, zipSync } from 'fflate'
import type { SelfTestFinding, SupportReport, SystemStatus } from '../../../shared/contract/index.ts'
import { isoFormatter } from '../lib/calendar.ts'
import type { Time } from '../lib/time.ts'
import { scrub } from '../policy/log-lines.ts'
import type { Settings } from '../storage/settings.ts'
import type { LoggedAccount, RunFacts } from './event-log.ts'

/** How much of the log's end is included, in characters: some five thousand lines. */
const MAX_LOG_LENGTH = 512 * 1024

export interface ReportFacts {
  run: RunFacts
  status: Pick<SystemStatus, 'keychain' | 'storage' | 'troubles'>
  /** Where the organisation's policy was found, and its state. */
  policy: string
  settings: Settings
  accounts: readonly (LoggedAccount & { state: string; reason?: string | undefined })[]
  findings: readonly SelfTestFinding[]
  /** As stored. */
  log: string
  /** As CSV. */
  requests: string
}

export function reportOf(facts: ReportFacts, time: Pick<Time, 'now' | 'zone'>, id: string): SupportReport {
  const at = isoFormatter(time.zone())(time.now())
  return {
    id,
    files: [
      { name: 'summary.txt', text: `${summary(facts, at)}\n` },
      { name: 'this computer.txt', text: `${findingsOf(facts.findings)}\n` },
      // Lines were sanitised when written, except in files from another version, or changed by someone.
      { name: 'log.txt', text: scrubLog(facts.log) },
      { name: 'requests.csv', text: facts.requests }
    ]
  }
}

/** Zips a report's files as they were shown. @param more files added by the user, by name. */
export function zipReport(
  { files }: SupportReport,
  more: readonly [name: string, bytes: Uint8Array][] = []
): Uint8Array {
  return zipSync(Object.fromEntries([...files.map(({ name, text }) => [name, strToU8(text)] as const), ...more]))
}

function summary({ run, status, policy, settings, accounts }: ReportFacts, at: string): string {
  const { keychain, storage, troubles } = status
  return [
    `Countersign ${run.version}`,
    `System: ${run.system}, Electron ${run.electron}`,
    `Made: ${at}`,
    `Keychain: ${keychain.state === 'available' ? 'available' : `unavailable (${keychain.reason})`}`,
    `Database: ${storage.state === 'encrypted' ? 'encrypted' : `in memory (${storage.reason}${storage.hasData ? ', data is here' : ''})`}`,
    `Policy: ${policy}`,
    ...troubles.map((one) => `Trouble: ${one.store} ${one.kind} (${one.reason})`),
    `Settings: theme ${settings.theme}, zoom ${Math.round(settings.zoom * 100)}%, own columns ${yesNo(settings.documentColumns)}, own downloads folder ${yesNo(settings.downloadFolder)}`,
    `Accounts: ${accounts.length}`,
    ...accounts.map(
      ({ id, kind, scheme, folders, state, reason }) =>
        `  ${id}: ${kind}, ${scheme}, ${folders.length} folders, ${state}${reason ? ` (${reason})` : ''}`
    )
  ].join('\n')
}

function findingsOf(findings: readonly SelfTestFinding[]): string {
  return findings
    .map(({ what, accountId, state, code }) => `${what}${accountId ? ` ${accountId}` : ''}: ${state} (${code})`)
    .join('\n')
}

function scrubLog(log: string): string {
  const end = log.length > MAX_LOG_LENGTH ? log.slice(-MAX_LOG_LENGTH).replace(/^.*\n/, '') : log
  return end.split('\n').map(scrubLine).join('\n')
}

/** A line's leading time looks like a telephone number. */
function scrubLine(line: string): string {
  const [, time = '', rest = line] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z \[\w+\] )(.*)$/.exec(line) ?? []
  return time + scrub(rest)
}

function yesNo(value: unknown): string {
  return value === undefined ? 'no' : 'yes'
}
