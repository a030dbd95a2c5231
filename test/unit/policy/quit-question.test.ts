import { describe, expect, test } from 'vitest'
import { questionBeforeQuitting } from '../../../src/main/core/policy/quit-question.ts'

const none = { ready: 0, uncertain: 0, preparing: 0, actions: 0, isSigning: false, corrections: [], isReplaced: false }

describe('the question before quitting', () => {
  test('isn’t asked if the outbox is empty, or only waits for an answer', () => {
    expect(questionBeforeQuitting(none, 'encrypted')).toBeUndefined()
    expect(questionBeforeQuitting({ ...none, uncertain: 2 }, 'encrypted')).toBeUndefined()
    expect(questionBeforeQuitting(none, 'memory')).toBeUndefined()
  })

  test('says that unsent packages go only after the next start', () => {
    expect(questionBeforeQuitting({ ...none, ready: 1 }, 'encrypted')?.message).toBe(
      '1 package in the Outbox hasn’t been sent yet.'
    )
    expect(questionBeforeQuitting({ ...none, ready: 2000 }, 'encrypted')?.message).toBe(
      '2,000 packages in the Outbox haven’t been sent yet.'
    )
  })

  test('doesn’t say that anything continues after data was replaced or removed', () => {
    const replaced = { ...none, isReplaced: true }
    expect(questionBeforeQuitting(replaced, 'encrypted')).toBeUndefined()
    for (const waiting of [{ ready: 2 }, { actions: 1 }]) {
      expect(questionBeforeQuitting({ ...replaced, ...waiting }, 'encrypted')).toMatchObject({
        detail: 'Your data is about to be replaced or removed. What only it has won’t be sent.'
      })
    }
  })

  test('says that an incomplete batch isn’t sent', () => {
    expect(questionBeforeQuitting({ ...none, ready: 50, preparing: 1 }, 'encrypted')?.leave).toBe('Quit anyway')
  })

  test('says that changes to documents wait for a connection', () => {
    expect(questionBeforeQuitting({ ...none, actions: 2 }, 'encrypted')).toMatchObject({
      message: '2 document changes are waiting for the internet.',
      leave: 'Quit'
    })
    expect(questionBeforeQuitting({ ...none, actions: 1 }, 'memory')?.leave).toBe('Quit anyway')
  })

  test('says that corrections in a bulk send are lost, before it mentions later sends', () => {
    expect(questionBeforeQuitting({ ...none, ready: 3, corrections: ['staff.xlsx'] }, 'encrypted')).toMatchObject({
      message: 'Your corrections to “staff.xlsx” will be lost.',
      leave: 'Quit anyway'
    })
    expect(questionBeforeQuitting({ ...none, corrections: ['a.csv', 'b.csv'] }, 'encrypted')?.message).toBe(
      'Your corrections to 2 files will be lost.'
    )
  })

  test('says that everything is lost if nothing is stored', () => {
    expect(questionBeforeQuitting({ ...none, uncertain: 1 }, 'memory')?.leave).toBe('Quit anyway')
    expect(questionBeforeQuitting({ ...none, ready: 3 }, 'memory')?.message).toBe(
      '3 packages in the Outbox will be lost.'
    )
  })

  test('first mentions someone signing on the second display, whatever else is pending', () => {
    expect(questionBeforeQuitting({ ...none, ready: 3, isSigning: true }, 'encrypted')?.message).toContain(
      'second display'
    )
  })
})
