import { expect, test } from 'vitest'
import { runAgentOrder } from '../../../src/main/agent.ts'
import type { App } from '../../../src/main/app.ts'
import { fail } from '../../../src/main/core/lib/failure.ts'
import type { AgentOrder } from '../../../src/main/core/office/agent-order.ts'
import type { Lifecycle } from '../../../src/main/lifecycle.ts'

const JOIN: AgentOrder = { do: 'join', server: { host: 'db.harbour.example', port: 5432, database: 'countersign' } }

/** The parts that orders use, recording what was done. Without `isKept` nothing is stored. */
function computer({ isKept = true, isOpen = true }) {
  const done: string[] = []
  const membership = {
    view: () => ({ server: 'db.harbour.example:5432', name: 'Office server' }),
    start: () => done.push('start'),
    checkNow: async () => void done.push('look'),
    join: async (_server: unknown, code: string) => {
      done.push(`join by ${code}`)
      return membership.view()
    },
    leave: async () => void done.push('leave')
  }
  const parts = {
    composing: { membership },
    counter: {
      access: { mustBeOpen: async () => void (isOpen || fail('not-allowed', 'Unlock the counter’s settings first.')) },
      audit: { note: ({ what }: { what: string }) => done.push(what) }
    },
    foundation: {
      storage: isKept ? { state: 'encrypted' } : { state: 'memory', because: 'keychain-failed' },
      keychainState: () => ({
        state: 'unavailable',
        reason: 'failed',
        detail: 'The credential has less than 32 bytes.'
      })
    }
  }
  const lifecycle = { startHeadless: () => done.push('begin') }
  return {
    done,
    obey: (order: AgentOrder) =>
      runAgentOrder(order, {
        parts: parts as unknown as App,
        lifecycle: lifecycle as unknown as Lifecycle,
        code: 'the code'
      })
  }
}

test('joining and leaving are recorded in the audit trail, and reported', async () => {
  const { done, obey } = computer({})
  expect(await obey(JOIN)).toBe('Joined the office at db.harbour.example:5432 as “Office server”.')
  expect(await obey({ do: 'leave' })).toBe('Left the office at db.harbour.example:5432.')
  expect(await obey({ do: 'run' })).toBeUndefined()
  expect(done).toEqual(['join by the code', 'office-joined', 'start', 'look', 'leave', 'office-left', 'begin'])
})

test('orders can’t bypass a staff PIN', async () => {
  const { done, obey } = computer({ isOpen: false })
  for (const order of [JOIN, { do: 'leave' }] as AgentOrder[])
    await expect(obey(order)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  expect(done).toEqual([])
})

test('nothing is done if nothing would be stored, and the reason is given', async () => {
  const { done, obey } = computer({ isKept: false })
  for (const order of [{ do: 'run' }, JOIN, { do: 'leave' }, { do: 'enrol', file: '/srv/file' }] as AgentOrder[])
    await expect(obey(order)).rejects.toMatchObject({
      appError: { code: 'storage', message: expect.stringContaining('The credential has less than 32 bytes.') }
    })
  expect(done).toEqual([])
})
