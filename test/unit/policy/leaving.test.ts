import { describe, expect, test } from 'vitest'
import { questionOnLeaving } from '../../../src/main/core/policy/leaving.ts'

const none = { ready: 0, uncertain: 0, preparing: 0, actions: 0, isSigning: false, corrections: [] }

describe('leaving', () => {
  test('asks nothing where the outbox is empty, or only waits for an answer that is kept', () => {
    expect(questionOnLeaving(none, 'encrypted')).toBeUndefined()
    expect(questionOnLeaving({ ...none, uncertain: 2 }, 'encrypted')).toBeUndefined()
    expect(questionOnLeaving(none, 'memory')).toBeUndefined()
  })

  test('says that packages which have not left go at the next start only', () => {
    expect(questionOnLeaving({ ...none, ready: 1 }, 'encrypted')?.message).toBe(
      '1 package in the Outbox hasn’t been sent yet.'
    )
    expect(questionOnLeaving({ ...none, ready: 2000 }, 'encrypted')?.message).toBe(
      '2,000 packages in the Outbox haven’t been sent yet.'
    )
  })

  test('says that a batch which is not wholly written is not sent', () => {
    expect(questionOnLeaving({ ...none, ready: 50, preparing: 1 }, 'encrypted')?.leave).toBe('Quit anyway')
  })

  test('says that changes to documents wait for a connection', () => {
    expect(questionOnLeaving({ ...none, actions: 2 }, 'encrypted')).toMatchObject({
      message: '2 document changes are waiting for the internet.',
      leave: 'Quit'
    })
    expect(questionOnLeaving({ ...none, actions: 1 }, 'memory')?.leave).toBe('Quit anyway')
  })

  test('says that what was corrected in a bulk send is lost, before it says what goes later', () => {
    expect(questionOnLeaving({ ...none, ready: 3, corrections: ['staff.xlsx'] }, 'encrypted')).toMatchObject({
      message: 'Your corrections to “staff.xlsx” will be lost.',
      leave: 'Quit anyway'
    })
    expect(questionOnLeaving({ ...none, corrections: ['a.csv', 'b.csv'] }, 'encrypted')?.message).toBe(
      'Your corrections to 2 files will be lost.'
    )
  })

  test('says that all of it is lost where nothing is kept', () => {
    expect(questionOnLeaving({ ...none, uncertain: 1 }, 'memory')?.leave).toBe('Quit anyway')
    expect(questionOnLeaving({ ...none, ready: 3 }, 'memory')?.message).toBe('3 packages in the Outbox will be lost.')
  })

  test('asks before the page of someone who signs on the second display is closed, whatever else is pending', () => {
    expect(questionOnLeaving({ ...none, ready: 3, isSigning: true }, 'encrypted')?.message).toContain('second display')
  })
})
