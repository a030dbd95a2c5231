/**
 * Checks whether this computer has what the application needs, with findings and advice. Changes nothing, and sends
 * only a request that each account makes all day; a service's certificate is read without sending anything.
 */
import { statfs } from 'node:fs/promises'
import type { AccountView, BackupsView, SelfTestFinding, StoreTrouble } from '../../../shared/contract/index.ts'
import { counted } from '../../../shared/counted.ts'
import { asAppError, dayOf } from '../errors/app-error.ts'
import { DAY } from '../lib/calendar.ts'
import type { ReadCertificate } from '../service/certificate.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { KeychainState } from '../storage/keychain.ts'

/** Minimum free disk space in bytes; with less, a large folder or a morning's downloads may not fit. */
const LOW_SPACE = 1024 ** 3
/** Clock difference from which some services reject signed requests, in milliseconds. */
const CLOCK_OFF = 120_000
/** Remaining validity of a certificate from which its end is worth a mention, in milliseconds. */
const EXPIRES_SOON = 14 * DAY

export interface SelfTestDeps {
  accounts: () => readonly { id: string; kind: AccountView['kind']; baseUrl: string | null }[]
  /** Makes a harmless request to the account's service; rejects if it fails. */
  checkService: (accountId: string) => Promise<unknown>
  /** How far this computer's clock is ahead of the service's, in milliseconds; undefined if unknown. */
  clockAhead: (accountId: string) => number | undefined
  /** The proxies for an address, as Chromium lists them; rejects if the system doesn't say. */
  proxyFor: (url: string) => Promise<string>
  /** Reads the certificate of a server that is reached directly. */
  readCertificate: ReadCertificate
  /** Writes, reads and deletes a keychain entry. */
  tryKeychain: () => Promise<KeychainState>
  storage: Pick<OpenedDatabase, 'state'>
  dataFolder: string
  backups: () => Promise<BackupsView>
  /** Why a scheduled backup failed, if it did. */
  backupTrouble: () => readonly StoreTrouble[]
  now: () => number
  otherDisplay: () => string | undefined
  /** Number of printers; rejects if the system doesn't say. */
  printers: () => Promise<number>
  /** Free bytes in the folder; the system's answer by default. */
  freeIn?: (folder: string) => Promise<number>
}

/** Runs all checks. Never rejects. */
export async function runSelfTest(deps: SelfTestDeps): Promise<SelfTestFinding[]> {
  const services = await Promise.all(deps.accounts().map((account) => ofAccount(deps, account)))
  const parts = [keychain(deps), database(deps), backup(deps), disk(deps), secondDisplay(deps), printers(deps)]
  return [...services.flat(), ...(await Promise.all(parts))]
}

type Account = ReturnType<SelfTestDeps['accounts']>[number]

async function ofAccount(deps: SelfTestDeps, { id, kind, baseUrl }: Account): Promise<SelfTestFinding[]> {
  // The practice office is on this computer.
  if (kind === 'practice' || baseUrl === null) return service(deps, id)
  const route = deps.proxyFor(baseUrl).catch(() => undefined)
  const [findings, proxies] = await Promise.all([service(deps, id), route])
  const isRefused = findings.some(({ code }) => code === 'tls')
  const found = await certificate(deps, { accountId: id, url: new URL(baseUrl), route: proxies, isRefused })
  return [...findings, proxy(id, proxies), ...found]
}

const isDirect = (route: string | undefined) => route !== undefined && /^\s*DIRECT\b/i.test(route)

function proxy(accountId: string, route: string | undefined): SelfTestFinding {
  const base = { what: 'proxy', accountId } as const
  if (route === undefined)
    return { ...base, state: 'note', code: 'unknown', found: 'The system doesn’t say whether there is a proxy.' }
  if (isDirect(route)) return { ...base, state: 'ok', code: 'direct', found: 'The service is reached without a proxy.' }
  const [first = ''] = route.split(';')
  const server = first.trim().split(/\s+/)[1]
  if (server !== undefined)
    return { ...base, state: 'ok', code: 'proxy', found: `The service is reached through the proxy ${server}.` }
  return {
    ...base,
    state: 'warn',
    code: 'unreadable',
    found: 'The proxy script can’t be read, so the service can’t be reached.',
    next: 'Ask your administrator to check the address of the proxy script.'
  }
}

/** Finds nothing where there is no certificate. */
async function certificate(
  { readCertificate, now }: SelfTestDeps,
  { accountId, url, route, isRefused }: { accountId: string; url: URL; route: string | undefined; isRefused: boolean }
): Promise<SelfTestFinding[]> {
  if (url.protocol !== 'https:') return []
  const base = { what: 'certificate', accountId } as const
  if (route !== undefined && !isDirect(route))
    return [{ ...base, state: 'note', code: 'proxied', found: 'Behind a proxy, it can’t be shown here.' }]
  const read = isDirect(route) ? await readCertificate(url) : undefined
  if (!read) return [{ ...base, state: 'note', code: 'unread', found: 'The service’s certificate can’t be read.' }]
  const [issuer, day] = [read.issuer || '–', dayOf(read.validTo)]
  if (isRefused) {
    return [
      {
        ...base,
        state: 'warn',
        code: 'refused',
        found: `It is from “${issuer}” and valid until ${day}, but the secure connection failed.`,
        next: 'Check this computer’s date and time, or ask your administrator whether it should trust this issuer.'
      }
    ]
  }
  const finding = {
    ...base,
    code: new Date(read.validTo).toISOString().slice(0, 10),
    found: `It is from “${issuer}” and valid until ${day}.`
  }
  if (read.validTo - now() >= EXPIRES_SOON) return [{ ...finding, state: 'ok' }]
  return [{ ...finding, state: 'note', next: 'Ask your provider whether a new one is planned.' }]
}

async function service({ checkService, clockAhead }: SelfTestDeps, accountId: string): Promise<SelfTestFinding[]> {
  const finding = await checkService(accountId).then(
    (): SelfTestFinding => ({ what: 'service', accountId, state: 'ok', code: 'online', found: 'The service answers.' }),
    (error: unknown): SelfTestFinding => {
      const { code, message, next } = asAppError(error)
      return { what: 'service', accountId, state: 'warn', code, found: message, ...(next && { next }) }
    }
  )
  const ahead = finding.state === 'ok' ? clockAhead(accountId) : undefined
  return ahead === undefined ? [finding] : [finding, clock(accountId, ahead)]
}

function clock(accountId: string, ahead: number): SelfTestFinding {
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const base = { what: 'clock', accountId, code: `${Math.round(ahead / 1000)} s` } as const
  if (Math.abs(ahead) < CLOCK_OFF)
    return { ...base, state: 'ok', found: 'This computer’s clock agrees with the service’s.' }
  const found =
    ahead > 0
      ? `This computer’s clock is ${minutes} minutes ahead of the service’s.`
      : `This computer’s clock is ${minutes} minutes behind the service’s.`
  return { ...base, state: 'warn', found, next: 'Turn on automatic time in the system’s settings.' }
}

async function keychain({ tryKeychain }: SelfTestDeps): Promise<SelfTestFinding> {
  const found = await tryKeychain()
  if (found.state === 'available')
    return { what: 'keychain', state: 'ok', code: 'available', found: 'The keychain works.' }
  return {
    what: 'keychain',
    state: 'warn',
    code: found.reason,
    found: found.reason === 'locked' ? 'The keychain is locked.' : 'The keychain can’t be used.',
    next:
      found.reason === 'locked'
        ? 'Unlock it, then check again.'
        : 'Restart Countersign. If that doesn’t help, ask your administrator to set up a keychain on this computer.'
  }
}

async function database({ storage }: SelfTestDeps): Promise<SelfTestFinding> {
  if (storage.state === 'encrypted')
    return { what: 'database', state: 'ok', code: 'encrypted', found: 'Drafts and documents are stored encrypted.' }
  return {
    what: 'database',
    state: 'warn',
    code: 'memory',
    found: 'Drafts and documents are in memory only.',
    next: 'See Data and security for the reason.'
  }
}

/** Age from which a backup counts as outdated, in days. */
const OLD_BACKUP = 31

async function backup({ backups, backupTrouble, now }: SelfTestDeps): Promise<SelfTestFinding> {
  const { last, plan } = await backups()
  const [trouble] = backupTrouble()
  const days = last && Math.floor((now() - last.at) / 86_400_000)
  const code = `${plan?.when ?? 'none planned'}, ${days === undefined ? 'none made' : `${days} days ago`}`
  if (trouble?.kind === 'no-backup')
    return {
      what: 'backup',
      state: 'warn',
      code: `${code}, ${trouble.reason}`,
      found: trouble.error.message,
      ...(trouble.error.next && { next: trouble.error.next })
    }
  const found =
    days === undefined
      ? 'No backup was made on this computer.'
      : days === 0
        ? 'The last backup is from today.'
        : `The last backup is ${counted(days, ['# day', '# days'])} old.`
  if (days !== undefined && days <= OLD_BACKUP) return { what: 'backup', state: 'ok', code, found }
  return { what: 'backup', state: 'note', code, found, next: 'Make one in Settings, in Data and security.' }
}

async function disk({ dataFolder, freeIn = freeBytes }: SelfTestDeps): Promise<SelfTestFinding> {
  const free = await freeIn(dataFolder).catch(() => undefined)
  if (free === undefined)
    return { what: 'disk', state: 'note', code: 'unknown', found: 'The system doesn’t say how much space is free.' }
  const gigabytes = Math.floor((free / 1024 ** 3) * 10) / 10
  const found = `${gigabytes} GB free where Countersign keeps its data.`
  if (free >= LOW_SPACE) return { what: 'disk', state: 'ok', code: `${gigabytes} GB`, found }
  return { what: 'disk', state: 'warn', code: `${gigabytes} GB`, found, next: 'Free some space on this disk.' }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function secondDisplay({ otherDisplay }: SelfTestDeps): Promise<SelfTestFinding> {
  if (otherDisplay() !== undefined)
    return { what: 'second-display', state: 'ok', code: 'there', found: 'A second display is connected.' }
  return {
    what: 'second-display',
    state: 'note',
    code: 'none',
    found: 'No second display is connected.',
    next: 'Connect one if people should sign on a screen of their own.'
  }
}

async function printers({ printers }: SelfTestDeps): Promise<SelfTestFinding> {
  const count = await printers().catch(() => undefined)
  if (count === undefined)
    return {
      what: 'printers',
      state: 'note',
      code: 'unknown',
      found: 'The system doesn’t say which printers there are.'
    }
  if (count > 0) return { what: 'printers', state: 'ok', code: String(count), found: 'A printer is set up.' }
  return {
    what: 'printers',
    state: 'note',
    code: '0',
    found: 'No printer is set up.',
    next: 'Add one in the system’s settings to print receipts and documents.'
  }
}
