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

const visitsInWords = (visits: Signature[][]) =>
  visits.map((visit) => `${visit[0]?.person}: ${visit.map(({ documentReference }) => documentReference).join(' ')}`)

test('a couple with five documents needs one handover', () => {
  const five = ['will', 'deed', 'lease', 'letter'].flatMap((one) => inOrder(one, 'Ann', 'Ben'))
  expect(visitsInWords(fewestVisits([...five, ...inAnyOrder('note', 'Ben')]))).toEqual([
    'Ann: will deed lease letter',
    'Ben: will deed lease letter note'
  ])
})

test('a person who must sign between two signatures of another gets the screen in between', () => {
  expect(
    visitsInWords(fewestVisits([...inOrder('will', 'Ann', 'Ben', 'Ann'), ...inOrder('deed', 'Ann', 'Ben')]))
  ).toEqual(['Ann: will deed', 'Ben: will deed', 'Ann: will'])
})

test('the first person waits for another if that saves a handover', () => {
  // Cy before Ben: Ben gets the deed only after Cy.
  const signatures = [...inOrder('will', 'Ann', 'Ben'), ...inOrder('deed', 'Cy', 'Ben')]
  expect(visitsInWords(fewestVisits(signatures))).toEqual(['Ann: will', 'Cy: deed', 'Ben: will deed'])
})

test('an order chosen by staff is kept as far as the documents allow', () => {
  const signatures = [...inAnyOrder('will', 'Ann', 'Ben'), ...inOrder('deed', 'Ann', 'Ben')]
  expect(visitsInWords(visitsOf(signatures, ['Ben', 'Ann']))).toEqual(['Ben: will', 'Ann: will deed', 'Ben: deed'])
})

test('signatures that wait for someone absent are left out', () => {
  const [, ben] = inOrder('will', 'Ann', 'Ben') as [Signature, Signature]
  expect(visitsInWords(fewestVisits([...inAnyOrder('deed', 'Ben'), ben]))).toEqual(['Ben: deed'])
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

const ordersOf = (people: string[]): string[][] =>
  people.length === 0
    ? [[]]
    : people.flatMap((first) => ordersOf(people.filter((one) => one !== first)).map((rest) => [first, ...rest]))

test('any session contains every signature once, in a valid order, with the fewest handovers', () => {
  fc.assert(
    fc.property(anySitting, (signatures) => {
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
      for (const people of ordersOf(['Ann', 'Ben', 'Cy', 'Dee'])) {
        const another = visitsOf(signatures, people)
        if (another[0]?.[0]?.person !== signatures[0]?.person) continue
        expect(visits.length, people.join(' ')).toBeLessThanOrEqual(another.length)
      }
    })
  )
})

test('50 documents that each wait for another person are ordered without trying every combination', () => {
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

test('10 people and 30 documents are ordered with few handovers', () => {
  const people = Array.from({ length: 10 }, (_, index) => `person ${index}`)
  const signatures = Array.from({ length: 30 }, (_, index) =>
    inOrder(`doc-${index}`, ...people.slice(index % 3), ...people.slice(0, index % 3))
  ).flat()
  const visits = fewestVisits(signatures)
  expect(visits.flat()).toHaveLength(300)
  expect(visits.length).toBeLessThan(30)
})
