import { randomBytes, randomUUID } from 'node:crypto'
import keytar from 'keytar'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Audit } from '../../../src/main/core/audit/audit.ts'
import { StaffPinKeeper } from '../../../src/main/core/counter/pin.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { keychainOver, memoryKeychain, profileOf, type SecretStore } from '../../../src/main/core/storage/keychain.ts'
import { openKeytarKeychain } from '../../../src/main/core/storage/keytar-keychain.ts'
import { database } from '../counter-settings/office.ts'

const SERVICE = 'Countersign'

/** This machine's keychain. Entries of data folders get names unique to the test. */
async function realKeychain(profile: string) {
  const { keychain, status } = await openKeytarKeychain(async () => keytar, { timeoutMs: 10_000, profile })
  const help = 'No keychain answers. On Linux run the tests inside a session with a Secret Service (`npm test` does).'
  expect(status, help).toEqual({ state: 'available' })
  return keychain
}

function ownProfile(): string {
  const profile = randomUUID()
  onTestFinished(async () => {
    for (const name of ['staff-pin', 'audit-anchor']) await keytar.deletePassword(SERVICE, `${name}:${profile}`)
  })
  return profile
}

describe('the entries of the counter in the keychain', () => {
  test('have the documented names in the usual data folder', async () => {
    const names: string[] = []
    const place: SecretStore = {
      get: async (name) => {
        names.push(name)
        return null
      },
      set: async () => undefined,
      delete: async () => undefined
    }
    const { staffPin, auditAnchor, auditKey, databaseKey } = keychainOver(place, 'in-os')
    for (const slot of [staffPin, auditAnchor, auditKey, databaseKey]) await slot.get()
    expect(names).toEqual(['staff-pin', 'audit-anchor', 'audit-key', 'database-key'])
  })

  test('have another folder’s own names elsewhere, as have the key of its database and the secrets of its accounts', async () => {
    expect(profileOf('/home/ana/.config/Countersign', '/home/ana/.config/Countersign/')).toBe('')
    const training = profileOf('/home/ana/training', '/home/ana/.config/Countersign')
    expect(training).toMatch(/^[0-9a-f]{16}$/)
    expect(profileOf('/home/ana/other', '/home/ana/.config/Countersign')).not.toBe(training)
    const entries = new Map<string, string>()
    const place: SecretStore = {
      get: async (name) => entries.get(name) ?? null,
      set: async (name, secret) => void entries.set(name, secret),
      delete: async (name) => void entries.delete(name)
    }
    await keychainOver(place, 'in-os', training).staffPin.set('one')
    await keychainOver(place, 'in-os', training).databaseKey.set('key')
    // A backup of the usual folder was restored there.
    await keychainOver(place, 'in-os').accounts.set('a1', 'token')
    await keychainOver(place, 'in-os', training).accounts.set('a1', 'token')
    const usual = keychainOver(place, 'in-os')
    expect([await usual.staffPin.get(), await usual.databaseKey.get()]).toEqual([null, null])
    const restarted = keychainOver(place, 'in-os', training)
    expect([await restarted.staffPin.get(), await restarted.databaseKey.get()]).toEqual(['one', 'key'])
    await restarted.accounts.delete('a1')
    expect([await usual.accounts.get('a1'), await restarted.accounts.get('a1')]).toEqual(['token', null])
  })

  test('are kept by the operating system’s keychain until deleted', async () => {
    const profile = ownProfile()
    const { staffPin, auditAnchor } = await realKeychain(profile)
    expect(await staffPin.get()).toBeNull()
    await staffPin.set('pin')
    await auditAnchor.set('anchor')
    const next = await realKeychain(profile)
    expect([await next.staffPin.get(), await next.auditAnchor.get()]).toEqual(['pin', 'anchor'])
    expect(await keytar.getPassword(SERVICE, `staff-pin:${profile}`)).toBe('pin')
    await next.staffPin.delete()
    expect([await staffPin.get(), await auditAnchor.get()]).toEqual([null, 'anchor'])
  })

  test('are kept in memory if there is no keychain', async () => {
    const { staffPin, auditAnchor } = memoryKeychain()
    await staffPin.set('pin')
    expect([await staffPin.get(), await auditAnchor.get()]).toEqual(['pin', null])
  })
})

describe('on the operating system’s keychain', () => {
  test('a PIN survives a restart and fits every system’s entry size, and deleting the entry resets it', async () => {
    const profile = ownProfile()
    const run = async () => {
      const { staffPin, keeps } = await realKeychain(profile)
      return new StaffPinKeeper({
        slot: staffPin,
        keeps,
        time: systemTime,
        randomBytes,
        platform: 'linux',
        note: () => undefined,
        changed: () => undefined
      })
    }
    expect(await (await run()).set('74918')).toMatchObject({ isSet: true, keptIn: 'keychain' })
    const next = await run()
    expect(await next.check('0001')).toEqual({ ok: false, code: 'wrong-pin' })
    expect(await next.check('74918')).toEqual({ ok: true })
    const stored = (await keytar.getPassword(SERVICE, `staff-pin:${profile}`)) ?? ''
    expect(Buffer.byteLength(stored)).toBeLessThan(2560)
    expect(stored).not.toContain('74918')
    await keytar.deletePassword(SERVICE, `staff-pin:${profile}`)
    expect(await next.check('74918')).toEqual({ ok: false, code: 'no-pin' })
    expect(await next.state()).toMatchObject({ isSet: false })
  })

  test('the head of the audit trail is known to the next run', async () => {
    const profile = ownProfile()
    const db = database()
    const run = async (over = db) => {
      const opened = new Audit({
        db: over,
        anchor: (await realKeychain(profile)).auditAnchor,
        time: systemTime,
        staff: () => 'Grace',
        changed: () => undefined,
        onError: (error) => expect(error).toBeUndefined()
      })
      // Each run updates the keychain as it starts; the database is closed after that.
      onTestFinished(() => opened.flush())
      return opened
    }
    const audit = await run()
    for (let time = 0; time < 20; time++) audit.note({ what: 'page-opened', documentName: 'Lease' })
    await audit.flush()
    expect(await (await run()).check()).toEqual({ isWhole: true, entries: 20, isCutOff: false })
    expect(await (await run(database())).check()).toMatchObject({ isWhole: false, isCutOff: true })
  })
})
