import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeKind, NotifiedKind } from '../../../src/shared/contract/index.ts'
import { cases } from '../../property-seed.ts'
import { HOUR, MINUTE, office, TEN, view } from './office.ts'

const kind = fc.constantFrom<ChangeKind>(
  'arrived',
  'signed',
  'completed',
  'declined',
  'expired',
  'identity-failed',
  'waits-here',
  'moved',
  'gone'
)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      kind,
      many: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }) },
        { weight: 1, arbitrary: fc.constant(600) }
      ),
      document: fc.integer({ min: 0, max: 9 }),
      account: fc.constantFrom('office', 'second'),
      isOwn: fc.boolean()
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 0, max: 600 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('read' as const), account: fc.constantFrom('office', 'second') })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hand' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), hours: fc.integer({ min: -30, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fault' as const) }) }
)

const quiet = fc.constantFrom(null, { from: '22:00', to: '07:00' }, { from: '11:00', to: '13:30' })

test('every configured change is in exactly one notice, whatever happens', async () => {
  let days = 0
  let notices = 0
  const anyDay = fc.asyncProperty(
    fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }),
    quiet,
    async (steps, quiet) => {
      const workstation = office({ now: TEN })
      workstation.accounts.push({ id: 'second' })
      workstation.settings = { ...workstation.settings, quiet }
      workstation.views = [view('some', true)]
      for (let document = 0; document < 10; document += 2) workstation.worker.inViews.add(`doc-${document}`)
      await workstation.open()
      /** Notices due while the process ended: it is unknown whether they were shown. */
      const lost = new Set<number>()
      let isLosing = false
      workstation.show = (notice) => {
        expect(workstation.isSigning).toBe(false)
        if (!isLosing) return void workstation.shown.push(notice)
        for (const id of notice.changes) lost.add(id)
        throw new Error('ended')
      }

      for (const one of steps) {
        if (one.do === 'change') {
          for (let each = 0; each < one.many; each++) {
            const reference = `doc-${(one.document + each) % 10}`
            workstation.worker.happens({ kind: one.kind, reference, accountId: one.account, isOwn: one.isOwn })
          }
          await workstation.goOn(0)
        }
        if (one.do === 'pass') await workstation.goOn(one.minutes * MINUTE)
        if (one.do === 'read') workstation.worker.reads(one.account)
        if (one.do === 'crash') await workstation.open()
        if (one.do === 'lose') {
          isLosing = true
          await workstation.goOn(MINUTE)
          isLosing = false
          await workstation.open()
        }
        if (one.do === 'hand') workstation.isSigning = !workstation.isSigning
        if (one.do === 'jump') workstation.time.now += one.hours * HOUR
        if (one.do === 'fault') {
          workstation.worker.isBroken = true
          await workstation.goOn(2 * MINUTE)
          workstation.worker.isBroken = false
        }
      }
      workstation.isSigning = false
      await workstation.goOn(25 * HOUR)

      const notified = workstation.shown.flatMap(({ changes }) => changes)
      const expected = workstation.worker.changes
        .filter(({ kind, reference, isOwn }) => {
          const choice = workstation.settings.kinds[kind as NotifiedKind]
          return !isOwn && (choice === 'always' || (choice === 'views' && workstation.worker.inViews.has(reference)))
        })
        .map(({ id }) => id)
        .filter((id) => !lost.has(id))
      expect(notified.toSorted((one, other) => one - other)).toEqual(expected)
      days++
      notices += workstation.shown.length
    }
  )
  await fc.assert(anyDay, { numRuns: cases(30) })
  // The number depends on how busy the machine is.
  expect(notices).toBeGreaterThan(days / 2)
})
