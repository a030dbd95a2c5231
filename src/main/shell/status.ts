/** What the screens are told of the application itself. */
import { app } from 'electron'
import type { SystemStatus } from '../../shared/contract/index.ts'
import type { OpenedDatabase } from '../core/storage/database.ts'
import type { KeychainState } from '../core/storage/keychain.ts'

export function systemStatus(opened: OpenedDatabase, keychain: KeychainState): SystemStatus {
  return {
    version: app.getVersion(),
    platform: process.platform,
    keychain:
      keychain.state === 'available' ? { state: 'available' } : { state: 'unavailable', reason: keychain.reason },
    storage: opened.state === 'encrypted' ? { state: 'encrypted' } : { state: 'memory', reason: opened.because },
    ...(opened.setAside && { setAside: opened.setAside })
  }
}
