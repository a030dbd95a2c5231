/**
 * Decides why a database doesn't open: because of the file itself, which is then set aside, or something around it,
 * which leaves the file alone. When in doubt, the file isn't at fault.
 */
import type { MemoryReason } from '../../../shared/contract/index.ts'
import { codeOf } from '../lib/failure.ts'
import { type FileErrorCode, fileErrorOf } from './file-error.ts'
import { DamagedDatabaseError } from './integrity.ts'
import { KeychainError } from './keychain.ts'
import { MigrationError, NewerSchemaError } from './migrations.ts'

export type { MemoryReason }

export type DatabaseFault =
  | { readonly kind: 'file'; readonly reason: 'unreadable' | 'damaged' | 'newer-version' | 'upgrade-failed' }
  | { readonly kind: 'around'; readonly because: MemoryReason }

export function faultOf(error: unknown): DatabaseFault {
  if (error instanceof NewerSchemaError) return { kind: 'file', reason: 'newer-version' }
  if (error instanceof DamagedDatabaseError) return { kind: 'file', reason: 'damaged' }
  if (error instanceof KeychainError)
    return externalFault(error.code === 'locked' ? 'keychain-locked' : 'keychain-failed')
  if (error instanceof MigrationError) return faultOfUpgrade(error)
  return faultOfSqlite(codeOf(error)) ?? externalFault(faultOfFile(error))
}

/**
 * Classifies the error of a query that fails later; undefined if it isn't the database's. Nothing of what the query
 * should have written is stored.
 */
export function queryTroubleOf(error: unknown): 'no-space' | 'not-writable' | 'storage' | undefined {
  const code = codeOf(error)
  if (!code.startsWith('SQLITE_')) return undefined
  const fault = faultOfSqlite(code)
  if (fault?.kind !== 'around') return 'storage'
  return fault.because === 'no-space' || fault.because === 'not-writable' ? fault.because : 'storage'
}

/** A migration can fail because the disk is full, or because the data isn't what it expects. */
function faultOfUpgrade(error: MigrationError): DatabaseFault {
  const fault = faultOfSqlite(error.sqlite ?? '')
  return fault ?? { kind: 'file', reason: 'upgrade-failed' }
}

function faultOfSqlite(code: string): DatabaseFault | undefined {
  if (code === 'SQLITE_NOTADB') return { kind: 'file', reason: 'unreadable' }
  if (/^SQLITE_CORRUPT/.test(code)) return { kind: 'file', reason: 'damaged' }
  if (/^SQLITE_FULL/.test(code)) return externalFault('no-space')
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) return externalFault('not-writable')
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return externalFault('in-use')
  if (/^SQLITE_(IOERR|NOMEM)/.test(code)) return externalFault('disk-failed')
  return undefined
}

function faultOfFile(error: unknown): MemoryReason {
  return memoryReasonOf(fileErrorOf(error)?.code)
}

/** Returns why data is kept in memory if its file can't be written. */
export function memoryReasonOf(code: FileErrorCode | undefined): MemoryReason {
  return code === 'no-space' || code === 'not-writable' || code === 'in-use' ? code : 'disk-failed'
}

function externalFault(because: MemoryReason): DatabaseFault {
  return { kind: 'around', because }
}
