/**
 * What the second display's page would try: it is in front of a person who signs, and may ask for what that person may.
 */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Command } from '../control.ts'

/** A request from that page, and the code that it is answered with. */
function refusedRequest(name: string, request: string, input = 'null', code = 'not-allowed'): Attack {
  return {
    name,
    play: async (scene) => {
      await scene.say({ do: 'be', role: 'person' })
      try {
        const answer = `return countersign.${request}(${input}).then((answer) => answer.error?.code ?? 'answered')`
        assert.equal(await scene.runInOwnPage(answer), code)
      } finally {
        await scene.say({ do: 'be', role: 'office' })
      }
    }
  }
}

/**
 * Asks at the second display for a receipt of one of two sittings there; the answer is a code, or the receipt's number.
 */
function receipt(
  name: string,
  of: 'before' | 'now',
  sitting: Omit<Extract<Command, { do: 'sit' }>, 'do'>,
  answer: string
): Attack {
  return {
    name,
    guard: ['own receipt'],
    play: async (scene) => {
      const ids = (await scene.say({ do: 'sit', ...sitting })) as Record<typeof of, string>
      const { play } = refusedRequest(name, 'counter.receipt', JSON.stringify({ id: ids[of] }), answer)
      await play?.(scene)
    }
  }
}

const ONE = '{ session: "a", copy: 1 }'

export const secondDisplay: Area = {
  title: 'The page of the second display',
  about:
    'Where the office has a second display, a page of ours stands there for the person who signs. Should foreign script ever run in it, or a person make it ask for more, this is what it would be after: the receipts of other sittings, who is expected, and what is staff’s.',
  by: 'own page',
  guard: ['second display'],
  attacks: [
    refusedRequest('learn who signed in another sitting', 'receipts.people', '{ session: "a" }'),
    refusedRequest('save the receipt of another sitting', 'receipts.save', ONE),
    refusedRequest('print the receipt of another sitting', 'receipts.print', ONE),
    refusedRequest('read the audit trail', 'audit.list', '{}'),
    refusedRequest('learn who is expected today', 'appointments.today'),
    refusedRequest('see who waits at all counters', 'board.get'),
    refusedRequest('call a number to the display', 'appointments.call', '{ id: "a" }'),
    refusedRequest('have staff open a file of appointments', 'appointments.openFile', '{}'),
    refusedRequest('see who can sign', 'counter.queue'),
    refusedRequest('begin a sitting with people of its own choice', 'counter.start', '{}'),
    refusedRequest('read what the office sets for the counter', 'counter.settings'),
    refusedRequest('give staff another PIN', 'counter.setPin', '{ pin: "1234" }'),
    refusedRequest('read the office’s documents', 'documents.list', '{}'),
    refusedRequest(
      'ask for a receipt of an account of its own choice',
      'counter.receipt',
      '{ id: "a" }, "another account"',
      'bad-input'
    ),
    receipt('have the receipt of the sitting before', 'before', { place: 'other-display', until: 'done' }, 'gone'),
    receipt(
      'have a receipt before anything is signed',
      'now',
      { place: 'other-display', until: 'open' },
      'not-allowed'
    ),
    receipt('have the receipt of a person at the other screen', 'now', { place: 'here', until: 'done' }, 'not-allowed')
  ]
}
