/** An office whose accounts use certificates from the system's store. */
import { onTestFinished } from 'vitest'
import { openClientCertificates, type StoredCertificate } from '../../../src/main/core/accounts/client-certificates.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'

export const NOW = Date.UTC(2026, 10, 25)
export const YEAR = 365 * 86_400_000
export const one = (fingerprint: string, more: Partial<StoredCertificate> = {}): StoredCertificate => ({
  fingerprint,
  subject: 'Grace',
  issuer: 'Harbour Law Root',
  validTo: NOW + YEAR,
  ...more
})
export const OFFICE = { id: 'office', name: 'Office', baseUrl: 'https://sign.example.com/web' }
export const BRANCH = { id: 'branch', name: 'Branch', baseUrl: 'https://sign.example.com/branch' }
export const PLACE = 'sign.example.com:443'

export function opened(accounts: readonly { id: string; name: string; baseUrl: string | null }[] = [OFFICE]) {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const list = [...accounts]
  let lines = 0
  const certificates = openClientCertificates({
    db,
    accounts: { list: () => list },
    time: { now: () => NOW },
    renewConnections: () => void lines++
  })
  return { certificates, list, lines: () => lines }
}

export const store = [one('a'), one('b', { subject: 'Ada' })]
