/** Verifications for the office of the actions tests, against a practice service. */
import { randomUUID } from 'node:crypto'
import { Audit } from '../../../src/main/core/audit/audit.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { openVerifications, type VerificationDeps } from '../../../src/main/core/verifications/verifications.ts'
import type { Office } from '../actions/office.ts'

export function verificationsOf({ parts, time }: Office, changes: Partial<VerificationDeps> = {}) {
  const { db, clients } = parts
  const audit = new Audit({
    db,
    anchor: memoryKeychain().auditAnchor,
    staff: () => 'Ana',
    time: { now: time.clock, zone: () => 'UTC', after: () => () => undefined },
    changed: () => undefined,
    onError: () => undefined
  })
  return openVerifications({
    db,
    note: audit.note,
    newId: randomUUID,
    clientOf: clients.of,
    time: { now: () => 1_000 },
    nameOf: async () => undefined,
    changed: () => undefined,
    ...changes
  })
}
