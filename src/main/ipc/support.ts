/** Requests for troubleshooting. */
import type { SelfTestFinding, SupportReport } from '../../shared/contract/index.ts'
import { dayAt } from '../core/lib/calendar.ts'
import { fail } from '../core/lib/failure.ts'
import type { CrashReports } from '../core/support/crash-reports.ts'
import { zipReport } from '../core/support/report.ts'
import type { RequestLog } from '../core/support/request-log.ts'
import { saveAs, TABLE_KINDS } from './dialogs.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

interface SupportParts extends Pick<Parts, 'chooseSaveFile' | 'time'> {
  requestLog: Pick<RequestLog, 'list' | 'file'>
  check: () => Promise<SelfTestFinding[]>
  report: () => Promise<SupportReport>
  crashReports: Pick<CrashReports, 'view' | 'setEnabled' | 'removeAll' | 'files'>
}

const ZIP = { name: 'Zip file', extensions: ['zip'] as [string] }

export function supportHandlers({
  requestLog,
  chooseSaveFile,
  time,
  crashReports,
  ...parts
}: SupportParts): HandlersOf<'support'> {
  const today = () => dayAt(time.now(), time.zone())
  /** The report shown last, which is the one that can be saved. */
  let shown: SupportReport | undefined

  return {
    'support.requests': async ({ offset, limit }) => requestLog.list(offset, limit),
    'support.exportRequests': async (_nothing, { stillAsking }) => {
      const suggested = `Countersign requests ${today()}.csv`
      const file = {
        title: 'Export the request log',
        suggested,
        kind: TABLE_KINDS.csv,
        bytes: () => requestLog.file('csv')
      }
      return saveAs({ chooseSaveFile }, file, stillAsking)
    },
    'support.check': async () => parts.check(),
    'support.report': async () => {
      shown = await parts.report()
      return shown
    },
    'support.saveReport': async ({ id, withCrashReports = false }, { stillAsking }) => {
      const report = shown?.id === id ? shown : fail('gone', 'This report was replaced by a newer one.')
      const suggested = `Countersign report ${today()}.zip`
      const crashDumps = withCrashReports ? await crashReports.files() : []
      const file = {
        title: 'Save a report for support',
        suggested,
        kind: ZIP,
        bytes: () => zipReport(report, crashDumps)
      }
      return saveAs({ chooseSaveFile }, file, stillAsking)
    },
    'support.crashReports': async () => crashReports.view(),
    'support.keepCrashReports': async ({ keep }) => {
      if (!(await crashReports.setEnabled(keep))) fail('storage', 'This couldn’t be saved for next time.')
      return crashReports.view()
    },
    'support.removeCrashReports': async () => {
      await crashReports.removeAll()
      return crashReports.view()
    }
  }
}
