/** Electron's entry point. No top-level await: Electron only becomes ready once this module has been evaluated. */
import { writeSync } from 'node:fs'
import { userInfo } from 'node:os'
import { app } from 'electron'
import { runAgentOrder } from './agent.ts'
import { type App, openApp } from './app.ts'
import { removeEverything, scheduledRemoval } from './core/backup/removal.ts'
import { asAppError } from './core/errors/app-error.ts'
import { codeOf } from './core/lib/failure.ts'
import { systemTime } from './core/lib/time.ts'
import { type AgentOrder, agentOrderOf } from './core/office/agent-order.ts'
import { checkPolicyAt, policyToCheck } from './core/organisation/check.ts'
import { managedSourceAtStart } from './core/organisation/managed.ts'
import { policyLocationAtStart } from './core/organisation/policy-file.ts'
import { devServerOf } from './core/policy/app-pages.ts'
import { refusedAtStart } from './core/policy/start-switches.ts'
import { statusLine } from './core/support/status.ts'
import { Lifecycle, smoke } from './lifecycle.ts'
import { serveScreens } from './serve-screens.ts'
import { blockNetworkAccess, declareAppScheme } from './shell/app-protocol.ts'
import { showCannotStart, showRemoved, showUnsafeStart } from './shell/dialogs.ts'
import { type Log, logFiles, logUncaught, openLog } from './shell/log.ts'
import { registerWithDesktop } from './shell/notifications.ts'
import { listenForLinksAndFiles } from './shell/outside.ts'
import { lockSessions } from './shell/session-policy.ts'
import { openKeychain } from './shell/stores.ts'

const isSmoke = process.argv.includes('--smoke')
// Checked before anything is opened. Development runs aren't restricted.
const refusedSwitch = app.isPackaged ? refusedAtStart(process) : undefined
const policyPath = policyToCheck(process.argv)
const agent = agentOrderOf(process.argv)
const officeAdminIndex = process.argv.indexOf('--office-admin')
if (policyPath !== undefined) void printPolicyCheck(policyPath).then((code) => app.exit(code))
else if (officeAdminIndex > 0)
  void runOfficeCommand(process.argv.slice(officeAdminIndex + 1)).then((code) => app.exit(code))
else if (process.argv.includes('--status')) app.exit(printStatus())
else if (typeof agent === 'string') {
  print(2, [agent])
  app.exit(2)
} else if (refusedSwitch === undefined) start()
else if (agent) {
  print(2, [`Countersign isn’t started with ${refusedSwitch}.`])
  app.exit(1)
} else {
  showUnsafeStart(refusedSwitch)
  app.exit(1)
}

/** Where the organisation's policy is: a file and, on some systems, settings from system management. */
function policySources() {
  const file = policyLocationAtStart(process, app, userInfo())
  return { policy: file, managed: managedSourceAtStart(process.platform, file, userInfo().homedir) }
}

/** `--check-policy`: prints what is wrong with a policy, or what it sets. Opens nothing and applies nothing. */
async function printPolicyCheck(path: string): Promise<number> {
  const { isUsable, lines } = await checkPolicyAt(path, policySources().managed)
  print(isUsable ? 1 : 2, lines)
  return isUsable ? 0 : 1
}

/** `--status`: prints the state of the current or last run as one line for a monitor. Opens nothing. */
function printStatus(): number {
  const { line, exitCode } = statusLine(app.getPath('userData'), { now: Date.now(), isRunning })
  print(1, [line])
  return exitCode
}

/**
 * `--office-admin COMMAND …`: creates, maintains and invites to an office for an administrator. Opens none of this
 * computer's data.
 */
async function runOfficeCommand(args: readonly string[]): Promise<number> {
  // The database driver is loaded for this command only.
  const { runOfficeCommand } = await import('./core/office/command.ts')
  const { resetPin } = await import('./core/counter/pin-reset.ts')
  return await runOfficeCommand(args, {
    resetPin,
    programName: 'countersign --office-admin',
    password: process.env.PGPASSWORD,
    say: (line) => print(1, [line]),
    warn: (line) => print(2, [line])
  })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process runs, but belongs to another user.
    return codeOf(error) === 'EPERM'
  }
}

function print(to: 1 | 2, lines: readonly string[]): void {
  try {
    writeSync(to, `${lines.join('\n')}\n`)
  } catch {
    // On Windows, a GUI program has no output unless it is given one; its exit code says as much.
  }
}

function start(): void {
  const log = openLog()
  logUncaught(log)
  declareAppScheme()
  lockSessions(log)
  registerWithDesktop(process.platform)
  // Single instance only: two would write the same database. The second ends without touching a file.
  if (!app.requestSingleInstanceLock()) {
    // The caller gets no other sign that nothing was done.
    if (agent) print(2, ['Countersign runs already with this data folder.'])
    if (isSmoke || agent) app.exit(1)
    else app.quit()
    return
  }
  run(log, listenForLinksAndFiles()).catch((error: unknown) => {
    log.error('The application could not start.', { kind: error instanceof Error ? error.name : typeof error })
    if (!agent) showCannotStart()
    app.exit(1)
  })
}

async function run(log: Log, setOutsideListener: ReturnType<typeof listenForLinksAndFiles>): Promise<void> {
  await app.whenReady()
  const devServer = devServerOf(app, process.env.ELECTRON_RENDERER_URL)
  await blockNetworkAccess(devServer)
  const folder = app.getPath('userData')
  // A smoke test never removes data.
  const removal = isSmoke ? undefined : await scheduledRemoval(folder)
  if (removal) {
    const { keychain } = await openKeychain()
    await showRemoved(await removeEverything({ folder, keychain, logs: logFiles(), time: systemTime }, removal))
    app.exit(0)
    return
  }
  const parts = await openApp({ log, devServer, ...policySources(), isAttended: !isSmoke && !agent })
  const lifecycle = new Lifecycle(parts)
  if (typeof agent === 'object') return await runAgent(agent, parts, lifecycle)
  serveScreens(parts, lifecycle)
  if (isSmoke) await smoke(parts)
  else {
    lifecycle.start()
    setOutsideListener((brought) => void parts.composing.outside.enqueue(brought))
  }
}

/** Runs as an agent: prints an order's result where it was given. `run` goes on until it is told to end. */
async function runAgent(order: AgentOrder, parts: App, lifecycle: Lifecycle): Promise<void> {
  // Remove the code, or others could read it for as long as the agent runs.
  const code = process.env.COUNTERSIGN_CODE ?? ''
  delete process.env.COUNTERSIGN_CODE
  // An order that was aborted has failed.
  if (order.do !== 'run') app.on('will-quit', () => app.exit(1))
  try {
    const result = await runAgentOrder(order, { parts, lifecycle, code })
    if (result === undefined) return
    await lifecycle.end()
    print(1, [result])
    app.exit(0)
  } catch (error) {
    const { message, next } = asAppError(error)
    print(2, [next ? `${message} ${next}` : message])
    app.exit(1)
  }
}
