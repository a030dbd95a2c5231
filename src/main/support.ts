/** The support layer: a run's log, this computer's self-test and status, and the support report. */
import { release, type } from 'node:os'
import { parse } from 'node:path'
import type { SelfTestFinding, SupportReport, SystemStatus } from '../shared/contract/index.ts'
import type { openComposing } from './composing.ts'
import type { BackupSchedule } from './core/backup/schedule.ts'
import { within } from './core/lib/time.ts'
import { readCertificate } from './core/service/certificate.ts'
import { openCrashReports } from './core/support/crash-reports.ts'
import { EventLog, type RunFacts } from './core/support/event-log.ts'
import { reportOf } from './core/support/report.ts'
import { runSelfTest } from './core/support/self-test.ts'
import { type StatusFacts, StatusFile } from './core/support/status.ts'
import { SystemLog } from './core/support/system-log.ts'
import type { openCounter } from './counter.ts'
import type { openFolders } from './folders.ts'
import type { Foundation } from './foundation.ts'
import { crashFolder, readLog } from './shell/log.ts'
import { openKeychain, systemStatus } from './shell/stores.ts'

/** How long writing to the system's log may take when the application ends, in milliseconds. */
const LOG_TIMEOUT = 1000

interface SupportParts {
  version: string
  counter: Pick<ReturnType<typeof openCounter>, 'counter' | 'otherDisplay'>
  polling: ReturnType<typeof openFolders>['polling']
  schedule: Pick<BackupSchedule, 'view' | 'troubles'>
  outbox: Pick<ReturnType<typeof openComposing>['outbox'], 'pending'>
  /** Time of the last backup, in milliseconds since 1970 UTC. */
  lastBackup: () => number | undefined
}

/** Logs events and states from now on. */
export function openSupport(foundation: Foundation, parts: SupportParts) {
  const { version, counter, polling, schedule, outbox, lastBackup } = parts
  const { accounts, clients, keychainState, log, newId, proxyFor, settings, signals, storage, time, troubles } =
    foundation
  const run: RunFacts = {
    version,
    system: `${type()} ${release()} ${process.arch}`,
    electron: process.versions.electron ?? ''
  }
  const system = new SystemLog({
    platform: process.platform,
    root: parse(foundation.home).root,
    isEnabled: () => foundation.organisation.policy.systemLog === true,
    onError: () => log.warn('The system’s log can’t be written.')
  })
  const events = new EventLog({ log, system })
  events.started(run)
  events.keychain(keychainState())
  signals.on('keychain', () => events.keychain(keychainState()))
  events.storage(storage)
  events.troubles(status().troubles)
  events.accounts(accounts.list())
  let statusFile: StatusFile | undefined
  signals.on('accounts', () => {
    events.accounts(accounts.list())
    statusFile?.changed()
  })
  signals.on('connection', () => {
    for (const { id } of accounts.list()) events.connection(id, polling.connectionOf(id))
    statusFile?.changed()
  })
  signals.on('handover', () => events.session(counter.counter.state(), time.now()))

  /** The application's own status, as the screens show it. */
  function status(): SystemStatus {
    const found = systemStatus(foundation, troubles)
    return { ...found, troubles: [...found.troubles, ...schedule.troubles()] }
  }

  function policyFrom() {
    const { isManaged, unusedFile } = foundation.organisation.view()
    if (!isManaged) return 'file'
    return unusedFile === undefined ? 'managed' : 'managed-not-file'
  }

  /** Whether the organisation sets anything, and whether its policy file is usable. */
  function policy(): string {
    const { state, locked } = foundation.organisation.view()
    return `${state}, ${policyFrom()}, ${locked.length} settings locked`
  }

  function facts(): StatusFacts {
    const { ready, uncertain } = outbox.pending()
    const backup = lastBackup()
    const keychain = keychainState()
    return {
      version,
      keychain: keychain.state === 'available' ? 'available' : keychain.reason,
      database: storage.state,
      ...(storage.state === 'memory' && { reason: storage.because }),
      troubles: status().troubles.map(({ store, kind, reason }) => ({ store, kind, reason })),
      accounts: accounts.list().map(({ id, kind, scheme }) => {
        const { state, error } = polling.connectionOf(id)
        return { id, kind, signIn: kind === 'practice' ? 'none' : scheme, state, ...(error && { reason: error.code }) }
      }),
      sends: { waiting: ready, uncertain },
      lastBackup: backup === undefined ? null : new Date(backup).toISOString(),
      policy: foundation.organisation.view().state,
      policyFrom: policyFrom()
    }
  }

  /** The last findings, so that a report made right after a self-test needn't repeat it. */
  let lastFindings: readonly SelfTestFinding[] = []

  async function check(): Promise<SelfTestFinding[]> {
    const findings = await runSelfTest({
      storage,
      dataFolder: foundation.dataFolder,
      otherDisplay: counter.otherDisplay,
      accounts: accounts.list,
      checkService: polling.check,
      clockAhead: clients.clockAhead,
      proxyFor,
      readCertificate,
      tryKeychain: async () => (await openKeychain()).status,
      backups: () => schedule.view(),
      backupTrouble: () => schedule.troubles(),
      now: time.now,
      printers: async () => (await foundation.window.webContents.getPrintersAsync()).length
    })
    lastFindings = findings
    return findings
  }

  async function report(): Promise<SupportReport> {
    const facts = {
      run,
      policy: policy(),
      status: status(),
      settings: settings.read(),
      accounts: accounts.list().map((account) => {
        const { state, error } = polling.connectionOf(account.id)
        return { ...account, state, reason: error?.code }
      }),
      findings: lastFindings.length > 0 ? lastFindings : await check(),
      log: await readLog(),
      requests: Buffer.from(foundation.requestLog.file('csv')).toString()
    }
    return reportOf(facts, time, newId())
  }

  const crashReports = openCrashReports({ folder: crashFolder(), settings, time })
  void crashReports.tidy()

  return {
    check,
    crashReports,
    report,
    status,
    /** Keeps the status file for `countersign --status` up to date from now on. */
    startStatusFile(): void {
      statusFile = new StatusFile({ folder: foundation.dataFolder, pid: process.pid, facts, time })
    },
    /** Called when the application ends, while the database is still open. Never rejects. */
    async end(): Promise<void> {
      await statusFile?.end()
      events.ended()
      await within(LOG_TIMEOUT, system.whenWritten(), time)
    }
  }
}
