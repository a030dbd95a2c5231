import { describe, expect, test } from 'vitest'
import { faultsOf, type Package, type Seen } from '../../chaos/ledger.ts'

function entry(changes: Partial<Package> = {}): Package {
  return {
    name: 'Round 1 ',
    typed: ['Round 1 a', 'Round 1 ab', 'Round 1 abc'],
    saved: 'Round 1 ab',
    wasPressed: false,
    ...changes
  }
}

function stateSeen(changes: Partial<Seen> = {}): Seen {
  return {
    drafts: [],
    sends: [],
    words: ['Not confirmed\nRound 1 abc'],
    arrivedBefore: [],
    arrivedAfter: [],
    ...changes
  }
}

const kinds = (packages: Package[], what: Seen) => faultsOf(packages, what).map(({ kind }) => kind)

describe('the chaos tally', () => {
  test('counts nothing if everything that was called saved is kept', () => {
    expect(kinds([entry()], stateSeen({ drafts: ['Round 1 ab'] }))).toEqual([])
  })

  test('counts a loss if a saved draft is missing, or lacks a key that was called saved', () => {
    expect(kinds([entry()], stateSeen())).toEqual(['lost'])
    expect(kinds([entry()], stateSeen({ drafts: ['Round 1 a'] }))).toEqual(['lost'])
  })

  test('counts a partial if something other than what was typed is kept', () => {
    expect(kinds([entry()], stateSeen({ drafts: ['Round 1 xb'] }))).toEqual(['partial'])
  })

  test('counts a loss if a sent package is in no list, or is never sent in the end', () => {
    const sent = entry({ wasPressed: true })
    expect(kinds([sent], stateSeen({ drafts: ['Round 1 abc'] }))).toEqual(['lost'])
    const sends = [{ title: 'Round 1 abc', state: 'not-sent' as const }]
    expect(kinds([sent], stateSeen({ sends }))).toEqual([])
    expect(kinds([sent], stateSeen({ sends, isSettled: true }))).toEqual(['lost'])
  })

  test('counts a duplicate if the service received a package twice, or the outbox contains it twice', () => {
    const send = { title: 'Round 1 abc', state: 'sent' as const }
    const twice = ['Round 1 abc', 'Round 1 abc']
    expect(kinds([entry()], stateSeen({ sends: [send], arrivedBefore: twice, arrivedAfter: twice }))).toEqual([
      'doubled'
    ])
    expect(kinds([entry()], stateSeen({ sends: [send, send], arrivedAfter: ['Round 1 abc'] }))).toEqual(['doubled'])
  })

  test('counts a wrong if the screen misreports a package as sent, not sent or waiting', () => {
    const sends = [{ title: 'Round 1 abc', state: 'uncertain' as const }]
    const arrived = { arrivedBefore: ['Round 1 abc'], arrivedAfter: ['Round 1 abc'] }
    expect(kinds([entry()], stateSeen({ sends, words: ['Sent\nRound 1 abc'] }))).toEqual(['wrong'])
    expect(kinds([entry()], stateSeen({ sends, words: ['Not delivered\nRound 1 abc'], ...arrived }))).toEqual(['wrong'])
    expect(
      kinds([entry()], stateSeen({ sends, words: ['Waiting for a connection\nRound 1 abc'], ...arrived }))
    ).toEqual(['wrong'])
    expect(kinds([entry()], stateSeen({ sends, words: ['Not confirmed\nRound 1 abc'], ...arrived }))).toEqual([])
    expect(kinds([entry()], stateSeen({ sends, words: ['Sent\nRound 9 xyz'], ...arrived }))).toEqual(['wrong'])
  })
})
