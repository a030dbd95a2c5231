/**
 * What the folders prove about a send: by our mark; otherwise by client reference, name, signers and time; otherwise
 * nothing.
 */
import { describe, expect, test } from 'vitest'
import { type MatchContext, match, type Sought, snapshotOf } from '../../../src/main/core/outbox/matching.ts'
import type { SentRequest } from '../../../src/main/core/outbox/send-record.ts'
import { toFormDirectRequest } from '../../../src/shared/composition/index.ts'
import type { DocumentResponse } from '../../../src/shared/model/index.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000

/** A send of these forms, each with its name and the client reference the office typed (blank for ours). */
function sought(items: [Name: string, ClientReference?: string][], id = 'send-1'): Sought {
  const composition = forms({ items: items.map(([Name, ClientReference = '']) => form({ Name, ClientReference })) })
  const request = toFormDirectRequest(composition, (index) => `cs-${id}-${index + 1}`)
  return {
    send: { id, firstAttemptedAt: NOON, dismissed: [] },
    content: { kind: 'form-direct', request } as SentRequest
  }
}

function document(Reference: string, changes: Partial<DocumentResponse> & { begun?: number } = {}): DocumentResponse {
  const { begun = NOON, ...members } = changes
  return {
    Reference,
    Name: 'Lease.pdf',
    PackageReference: `package of ${Reference}`,
    ClientReference: 'MATTER-7',
    Signers: [{ FirstName: 'Mere', LastName: 'Tamati', Email: signer().Email }],
    Logs: [{ Date: new Date(begun).toISOString() }],
    ...members
  }
}

async function matched(send: Sought, documents: DocumentResponse[], context: Partial<MatchContext> = {}) {
  const found = match(send, await snapshotOf(documents), { isClaimed: () => false, others: () => [], ...context })
  return 'documents' in found ? [found.kind, ...found.documents.map(({ Reference }) => Reference)] : [found.kind]
}

describe('our own mark', () => {
  test('identifies a document, even beside others that look alike', async () => {
    const send = sought([['Lease']])
    const others = [document('a', { ClientReference: 'cs-send-2-1' }), document('b', { ClientReference: 'MATTER-7' })]
    expect(await matched(send, others)).toEqual(['missing'])
    expect(
      await matched(send, [...others, document('c', { ClientReference: 'cs-send-1-1', Name: 'Changed' })])
    ).toEqual(['found', 'c'])
  })

  test('on one document shows that its whole package arrived', async () => {
    const send = sought([['Lease'], ['Guarantee', 'MATTER-7']])
    const marked = document('a', { ClientReference: 'cs-send-1-1', PackageReference: 'p' })
    const other = document('b', { Name: 'Guarantee', PackageReference: 'p' })
    expect(await matched(send, [marked, other])).toEqual(['found', 'a', 'b'])
    // Without a mark the client reference alone proves nothing, but the missing mark doesn't disprove anything either.
    expect(await matched(send, [other])).toEqual(['ambiguous', 'b'])
  })

  test('proves nothing by its absence if the service never shows it', async () => {
    const bare = document('a', { ClientReference: '' })
    expect(await matched(sought([['Lease']]), [bare])).toEqual(['ambiguous', 'a'])
    expect(await matched(sought([['Lease']]), [{ ...bare, Name: 'Another' }])).toEqual(['missing'])
  })

  test('proves nothing by its absence from one document, even if other documents show theirs', async () => {
    const [bare, other] = [document('a', { ClientReference: '' }), document('b', { Name: 'Another' })]
    expect(await matched(sought([['Lease']]), [bare, other])).toEqual(['ambiguous', 'a'])
    expect(
      await matched(sought([['Lease']]), [{ ...bare, Logs: [{ Date: new Date(NOON - 90 * MINUTE).toISOString() }] }])
    ).toEqual(['ambiguous', 'a'])
  })

  test.each([
    ['identifies the document if enough of it is left', 20, ['found', 'a']],
    ['is ambiguous if little of it is left', 8, ['ambiguous', 'a']],
    ['is ignored if hardly any of it is left', 3, ['missing']]
  ])('when cut short by the service %s', async (_, length, expected) => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const cut = document('a', { ClientReference: `cs-${id}-1`.slice(0, length) })
    expect(await matched(sought([['Lease']], id), [cut])).toEqual(expected)
    expect(await matched(sought([['Lease']], id), [{ ...cut, Name: 'Another' }])).toEqual(['missing'])
  })
})

describe('a client reference that the office typed itself', () => {
  const send = sought([['Lease', 'MATTER-7']])

  test('identifies a single document with the same name, signers and time', async () => {
    expect(await matched(send, [document('a')])).toEqual(['found', 'a'])
    expect(await matched(send, [document('a', { ClientReference: ' matter-7 ' })])).toEqual(['found', 'a'])
  })

  test.each([
    ['another name', { Name: 'Guarantee' }],
    ['another signer', { Signers: [{ Email: 'wiremu@example.com' }] }],
    ['another reference', { ClientReference: 'MATTER-8' }]
  ])('doesn’t match a document with %s', async (_, changes) => {
    expect(await matched(send, [document('a', changes)])).toEqual(['missing'])
  })

  test('tolerates small clock differences, and is ambiguous when they are large', async () => {
    expect(await matched(send, [document('a', { begun: NOON - 9 * MINUTE })])).toEqual(['found', 'a'])
    expect(await matched(send, [document('a', { begun: NOON - 90 * MINUTE })])).toEqual(['ambiguous', 'a'])
    expect(await matched(send, [document('a', { begun: NOON - 40 * 24 * 60 * MINUTE })])).toEqual(['ambiguous', 'a'])
    expect(await matched(send, [document('a', { begun: NOON - 90 * MINUTE }), document('b')])).toEqual(['found', 'b'])
  })

  test('matches a document without a readable time', async () => {
    expect(await matched(send, [document('a', { Logs: [] })])).toEqual(['found', 'a'])
    // With the month first this would be long before the send, but nothing says the month is first.
    const lost = document('a', { ClientReference: '', Logs: [{ Date: '05/11/2026 12:00:00' }] })
    expect(await matched(send, [lost])).toEqual(['found', 'a'])
  })

  test('is ambiguous if it matches two documents', async () => {
    expect(await matched(send, [document('a'), document('b')])).toEqual(['ambiguous', 'a', 'b'])
  })

  test('ignores documents that another send has claimed or a person has ruled out', async () => {
    const isClaimed = (reference: string) => reference === 'a'
    expect(await matched(send, [document('a')], { isClaimed })).toEqual(['missing'])
    expect(await matched(send, [document('a'), document('b')], { isClaimed })).toEqual(['found', 'b'])
    const ruledOut = { ...send, send: { ...send.send, dismissed: ['a'] } }
    expect(await matched(ruledOut, [document('a')])).toEqual(['missing'])
  })

  test('isn’t needed on a document that lost it, if name, signers and time agree', async () => {
    expect(await matched(send, [document('a', { ClientReference: '' })])).toEqual(['found', 'a'])
  })

  test('matches a document seen in two folders, as it moved, only once', async () => {
    expect(await matched(send, [document('a'), document('a', { Folder: 'Signed' })])).toEqual(['found', 'a'])
  })

  test('decides nothing while an identical package is being sent, and is ambiguous if both are uncertain', async () => {
    const twin = sought([['Lease', 'MATTER-7']], 'send-2')
    const others = (isInFlight: boolean) => ({ others: () => [{ ...twin, isInFlight }] })
    expect(await matched(send, [document('a')], others(true))).toEqual(['unclear'])
    expect(await matched(send, [document('a')], others(false))).toEqual(['ambiguous', 'a'])
    const stranger = sought([['Guarantee', 'MATTER-7']], 'send-3')
    expect(await matched(send, [document('a')], { others: () => [{ ...stranger, isInFlight: true }] })).toEqual([
      'found',
      'a'
    ])
  })
})

describe('a package of several documents', () => {
  const send = sought([
    ['Lease', 'MATTER-7'],
    ['Guarantee', 'MATTER-7']
  ])
  const guarantee = (reference: string, PackageReference: string) =>
    document(reference, { Name: 'Guarantee', PackageReference })

  test('is found if one package contains a match for each', async () => {
    const complete = [document('a', { PackageReference: 'p' }), guarantee('b', 'p')]
    expect(await matched(send, complete)).toEqual(['found', 'a', 'b'])
    expect(await matched(send, [...complete, guarantee('c', 'q')])).toEqual(['found', 'a', 'b'])
  })

  test('is ambiguous if only some match, or if they are in different packages', async () => {
    expect(await matched(send, [document('a')])).toEqual(['ambiguous', 'a'])
    expect(await matched(send, [document('a', { PackageReference: 'p' }), guarantee('b', 'q')])).toEqual([
      'ambiguous',
      'a',
      'b'
    ])
  })

  test('with two identical documents needs two matches', async () => {
    const twins = sought([
      ['Lease', 'MATTER-7'],
      ['Lease', 'MATTER-7']
    ])
    const one = document('a', { PackageReference: 'p' })
    expect(await matched(twins, [one])).toEqual(['ambiguous', 'a'])
    expect(await matched(twins, [one, document('b', { PackageReference: 'p' })])).toEqual(['found', 'a', 'b'])
  })

  test('without package references is found if each has exactly one match', async () => {
    const loose = [document('a'), guarantee('b', '')].map(
      ({ PackageReference: _, ...rest }) => rest as DocumentResponse
    )
    expect(await matched(send, loose)).toEqual(['found', 'a', 'b'])
    expect(await matched(send, [...loose, { ...loose[0], Reference: 'c' } as DocumentResponse])).toEqual([
      'ambiguous',
      'a',
      'c',
      'b'
    ])
  })
})
