import { describe, expect, onTestFinished, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { openMeta } from '../../../src/main/core/storage/meta.ts'
import { LOCKABLE } from '../../../src/shared/contract/policy.ts'
import { policyOffice } from './policies.ts'

const STRICT = { practiceOffice: false, signingOrigins: ['https://login.example.govt.nz'] }

describe('a computer', () => {
  test('without a policy locks nothing', async () => {
    const organisation = await policyOffice().start()
    expect(organisation.view()).toMatchObject({ state: 'none', locked: [], problems: [] })
    expect(organisation.policy).toEqual({})
  })

  test('follows its policy, and locks what it sets', async () => {
    const office = policyOffice()
    office.put({
      ...STRICT,
      otherAccounts: true,
      quietHours: null,
      counter: { pinDigits: 6 },
      signInMethods: ['bearer']
    })
    const organisation = await office.start()
    expect(organisation.view()).toEqual({
      state: 'followed',
      place: office.path,
      // Other accounts aren't listed: they are allowed anyway.
      locked: ['signInMethods', 'practiceOffice', 'signingOrigins', 'quietHours', 'counter.pinDigits'],
      accountIds: [],
      colouredIds: [],
      signInMethods: ['bearer'],
      pinDigits: 6,
      problems: []
    })
    expect(organisation.allowsSignIn('bearer')).toBe(true)
    expect(organisation.allowsSignIn('none')).toBe(false)
  })
})

const BROKEN: [string, unknown][] = [
  ['isn’t JSON', '{"practiceOffice": true,'],
  ['has an unknown name', { practiceOffice: true, colour: 'red' }],
  ['contradicts itself', { practiceOffice: true, defaultAccount: 'Nobody’s' }],
  ['is too large', ' '.repeat(1024 * 1024 + 1)]
]

describe('an unusable file loosens nothing', () => {
  test.each(BROKEN)('if it %s, the last usable one stays in effect', async (_why, broken) => {
    const office = policyOffice()
    office.put(STRICT)
    await office.start()
    office.put(broken)
    const organisation = await office.start()
    expect(organisation.policy).toEqual(STRICT)
    expect(organisation.view()).toMatchObject({ state: 'broken', locked: ['practiceOffice', 'signingOrigins'] })
    expect(organisation.view().since).toBeGreaterThan(0)
    expect(organisation.view().problems).toHaveLength(1)
  })

  test.each(BROKEN)('if it %s, and none ever was usable, everything lockable is locked', async (_why, broken) => {
    const office = policyOffice()
    office.put(broken)
    const organisation = await office.start()
    expect(organisation.view()).toMatchObject({ state: 'broken', locked: LOCKABLE })
    expect(organisation.policy).toEqual({})
    expect(organisation.view().since).toBeUndefined()
  })

  test('its mistake is logged with line and column, without the account data in the file', async () => {
    const office = policyOffice()
    office.put('{\n "defaultAccount": "Harbour Law"}')
    await office.start()
    expect(office.log).toEqual([
      {
        message: 'The organisation’s policy can’t be used.',
        detail: { line: 2, column: 20, problem: '“…” isn’t among the accounts.' }
      }
    ])
  })

  test('a stored last policy that is no longer understood locks everything', async () => {
    const office = policyOffice()
    office.put(STRICT)
    await office.start()
    openMeta(office.db).write('organisation-policy', JSON.stringify({ text: '{"later": 1}', since: 1 }))
    office.remove()
    expect((await office.start()).view()).toMatchObject({ state: 'missing', locked: LOCKABLE })
  })
})

describe('a missing file', () => {
  test('stays in effect until an administrator puts one there that sets nothing', async () => {
    const office = policyOffice()
    office.put(STRICT)
    await office.start()
    office.remove()
    const without = await office.start()
    expect(without.view()).toMatchObject({ state: 'missing', locked: ['practiceOffice', 'signingOrigins'] })
    expect(without.policy).toEqual(STRICT)

    office.put({})
    expect((await office.start()).view()).toMatchObject({ state: 'followed', locked: [] })
    office.remove()
    expect((await office.start()).view()).toMatchObject({ state: 'none', locked: [] })
  })
})

describe('while the application runs', () => {
  async function running() {
    const office = policyOffice()
    office.put(STRICT)
    const organisation = await office.start()
    const steps: string[] = []
    const stop = organisation.follow(() => {
      steps.push(`before: ${organisation.view().locked.length}`)
      return async () => void steps.push(`then: ${organisation.view().locked.length}`)
    })
    /** Waits until a change to the file has been read. */
    const settled = async () => {
      await office.time.pass(1000)
      await organisation.check()
    }
    return { ...office, organisation, steps, stop, settled }
  }

  test('a new policy takes effect immediately', async () => {
    const { put, steps, settled } = await running()
    put({ practiceOffice: false })
    await settled()
    expect(steps).toEqual(['before: 2', 'then: 1'])
  })

  test('one that was replaced before it was watched takes effect, too', async () => {
    const office = policyOffice()
    office.put(STRICT)
    const organisation = await office.start(undefined, true)
    office.put({ practiceOffice: false })
    onTestFinished(organisation.follow(() => async () => undefined))
    await expect
      .poll(async () => {
        await office.time.pass(1000)
        return organisation.view().locked
      })
      .toEqual(['practiceOffice'])
  })

  test('an unusable one is reported, and the last one stays in effect', async () => {
    const { put, organisation, steps, settled } = await running()
    put('{')
    await settled()
    expect(organisation.view()).toMatchObject({ state: 'broken', locked: ['practiceOffice', 'signingOrigins'] })
    expect(steps).toEqual(['before: 2', 'then: 2'])
  })

  test('the same policy again is no change, and nothing is announced after the end', async () => {
    const { put, steps, settled, stop } = await running()
    put(STRICT)
    await settled()
    stop()
    put({})
    expect(steps).toEqual([])
  })

  test.each(['before', 'after'] as const)(
    'a listener that fails once, %s it takes effect, doesn’t block a later policy',
    async (when) => {
      const office = policyOffice()
      office.put({})
      const organisation = await office.start()
      organisation.follow(() => {
        if (when === 'before') throw new Error('Made up.')
        return () => Promise.reject(new Error('Made up.'))
      })
      office.put({ practiceOffice: false })
      await organisation.check()
      expect(organisation.isLocked('practiceOffice')).toBe(true)
      office.put({ signingOrigins: [] })
      await organisation.check()
      expect(organisation.view().locked).toEqual(['signingOrigins'])
    }
  )
})

describe('the audit trail', () => {
  async function noted(office: ReturnType<typeof policyOffice>): Promise<AuditNote[]> {
    const notes: AuditNote[] = []
    const organisation = await office.start()
    organisation.auditChanges((note, _when, along) => {
      along?.()
      notes.push(note)
    })
    return notes
  }

  test('has each changed setting once, with old and new value', async () => {
    const office = policyOffice()
    expect(await noted(office)).toEqual([])
    office.put({ $schema: 'policy.schema.json', practiceOffice: false, counter: { pinDigits: 4, files: false } })
    await noted(office)
    office.put({ quietHours: null, counter: { pinDigits: 6, files: false } })
    expect(await noted(office)).toEqual([
      {
        what: 'policy-changed',
        detail: {
          changed: 'practiceOffice, counter.pinDigits, quietHours',
          was: 'practiceOffice false, counter.pinDigits 4, quietHours –',
          to: 'practiceOffice –, counter.pinDigits 6, quietHours null'
        }
      }
    ])
    expect(await noted(office)).toEqual([])
  })

  test('has nothing about an unusable file: the last policy stays in effect', async () => {
    const office = policyOffice()
    office.put(STRICT)
    await noted(office)
    office.put('{')
    expect(await noted(office)).toEqual([])
    office.put('{}')
    expect((await noted(office))[0]?.detail).toMatchObject({ changed: 'practiceOffice, signingOrigins' })
  })
})
