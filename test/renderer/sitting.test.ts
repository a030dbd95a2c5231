import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fewestVisits, visitsOf } from '../../src/renderer/src/screens/counter/signings.ts'

interface Signature {
  documentReference: string
  signer: number
  person: string
  after: number[]
}

/** Returns the signatures of a document that these people sign, in order or in any order. */
const signedBy = (documentReference: string, people: string[], isInOrder: boolean): Signature[] =>
  people.map((person, signer) => ({
    documentReference,
    signer,
    person,
    after: isInOrder ? [...people.slice(0, signer).keys()] : []
  }))
const inOrder = (reference: string, ...people: string[]) => signedBy(reference, people, true)
const inAnyOrder = (reference: string, ...people: string[]) => signedBy(reference, people, false)

const told = (visits: Signature[][]) =>
  visits.map((visit) => `${visit[0]?.person}: ${visit.map(({ documentReference }) => documentReference).join(' ')}`)

test('a couple with five documents changes hands once', () => {
  const five = ['will', 'deed', 'lease', 'letter'].flatMap((one) => inOrder(one, 'Ann', 'Ben'))
  expect(told(fewestVisits([...five, ...inAnyOrder('note', 'Ben')]))).toEqual([
    'Ann: will deed lease letter',
    'Ben: will deed lease letter note'
  ])
})

test('who has to sign between two signatures of the other gets the screen in between', () => {
  expect(told(fewestVisits([...inOrder('will', 'Ann', 'Ben', 'Ann'), ...inOrder('deed', 'Ann', 'Ben')]))).toEqual([
    'Ann: will deed',
    'Ben: will deed',
    'Ann: will'
  ])
})

test('the person who begins waits for another where that saves a change of hands', () => {
  // Cy before Ben: Ben gets the deed only after Cy.
  const signatures = [...inOrder('will', 'Ann', 'Ben'), ...inOrder('deed', 'Cy', 'Ben')]
  expect(told(fewestVisits(signatures))).toEqual(['Ann: will', 'Cy: deed', 'Ben: will deed'])
})

test('staff’s own order holds, as far as the documents let it', () => {
  const signatures = [...inAnyOrder('will', 'Ann', 'Ben'), ...inOrder('deed', 'Ann', 'Ben')]
  expect(told(visitsOf(signatures, ['Ben', 'Ann']))).toEqual(['Ben: will', 'Ann: will deed', 'Ben: deed'])
})

test('what waits for someone who isn’t part of it is left out', () => {
  const [, ben] = inOrder('will', 'Ann', 'Ben') as [Signature, Signature]
  expect(told(fewestVisits([...inAnyOrder('deed', 'Ben'), ben]))).toEqual(['Ben: deed'])
  expect(fewestVisits([])).toEqual([])
})

const anySitting = fc
  .array(
    fc.record({
      people: fc.array(fc.constantFrom('Ann', 'Ben', 'Cy', 'Dee'), { minLength: 1, maxLength: 3 }),
      isInOrder: fc.boolean()
    }),
    { minLength: 1, maxLength: 4 }
  )
  .map((documents) => documents.flatMap(({ people, isInOrder }, index) => signedBy(`doc-${index}`, people, isInOrder)))

test('whatever is signed by whom: everything once, nobody before their turn, and no order has fewer changes of hands', () => {
  fc.assert(
    fc.property(
      anySitting,
      fc.shuffledSubarray(['Ann', 'Ben', 'Cy', 'Dee'], { minLength: 4 }),
      (signatures, people) => {
        const visits = fewestVisits(signatures)
        const flat = visits.flat()
        expect(new Set(flat)).toEqual(new Set(signatures))
        expect(flat).toHaveLength(signatures.length)
        expect(visits[0]?.[0]?.person).toBe(signatures[0]?.person)
        for (const [place, { documentReference, after }] of flat.entries()) {
          const before = flat.slice(0, place).filter((one) => one.documentReference === documentReference)
          for (const signer of after) expect(before.map((one) => one.signer)).toContain(signer)
        }
        // Any other order that starts with the same person.
        const another = visitsOf(signatures, [signatures[0]?.person ?? '', ...people])
        if (another[0]?.[0]?.person === signatures[0]?.person) expect(visits.length).toBeLessThanOrEqual(another.length)
      }
    )
  )
})

test('fifty documents that each wait for another person are put in order without looking at every way', () => {
  const signatures = Array.from({ length: 50 }, (_, index) => inOrder(`doc-${index}`, 'Ann', `person ${index}`)).flat()
  const looked: string[] = []
  const counting = signatures.map((one) => ({
    ...one,
    get after() {
      looked.push(one.documentReference)
      return one.after
    }
  }))
  const visits = fewestVisits(counting)
  expect(visits).toHaveLength(51)
  expect(looked.length).toBeLessThan(200_000)
})

test('ten people and thirty documents are put in order at once', () => {
  const people = Array.from({ length: 10 }, (_, index) => `person ${index}`)
  const signatures = Array.from({ length: 30 }, (_, index) =>
    inOrder(`doc-${index}`, ...people.slice(index % 3), ...people.slice(0, index % 3))
  ).flat()
  const visits = fewestVisits(signatures)
  expect(visits.flat()).toHaveLength(300)
  expect(visits.length).toBeLessThan(30)
})
