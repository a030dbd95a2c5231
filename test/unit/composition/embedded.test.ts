import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../../src/shared/composition/index.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'

const mere = signer({ key: 's1', FirstName: 'Mere', LastName: 'Tamati' })
const tama = signer({ key: 's2', FirstName: 'Tama', LastName: 'Brooks', Email: 'tama@example.com', faceToFace: true })
const embeddingProblems = (signers: (typeof mere)[], embedded: boolean) =>
  problemsOf(forms({ embedded, items: [form({ signers })] }), 0).filter(({ at }) => at === 'embedded')

describe('signing in the application', () => {
  test('warns of signers who aren’t at the counter, by name', () => {
    expect(embeddingProblems([mere, tama], true)).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('Mere Tamati may not be invited') }
    ])
  })

  test('doesn’t warn until the other signers are known', () => {
    const blank = signer({ key: 's3', FirstName: '', LastName: '', Email: '' })
    expect(embeddingProblems([tama, blank], true)).toEqual([])
  })

  test('doesn’t warn if all sign at the counter, or it is off', () => {
    expect(embeddingProblems([tama], true)).toEqual([])
    expect(embeddingProblems([mere], true)).toEqual([])
    expect(embeddingProblems([mere, tama], false)).toEqual([])
  })
})

describe('an e-mail address', () => {
  test('shared by signers gives a warning, unless they sign face to face', () => {
    const [one, other] = [mere, { ...mere, key: 's4', FirstName: 'Rangi' }]
    const problemsWith = (signers: (typeof mere)[]) =>
      problemsOf(forms({ embedded: true, items: [form({ signers })] }), 0)
    expect(problemsWith([one, other])).toMatchObject([{ message: expect.stringContaining('share this address') }])
    expect(problemsWith([one, other].map((signer) => ({ ...signer, faceToFace: true })))).toEqual([])
  })

  test.each([
    ['olive.penn@example,com', 'There’s a comma after the @. Should it be a dot?'],
    ['olive.penn@example..com', 'This isn’t an e-mail address. Write it like name@example.com.'],
    ['olive.penn@-example.com', 'This isn’t an e-mail address. Write it like name@example.com.']
  ])('can’t be %s', (Email, message) => {
    const problems = problemsOf(forms({ items: [form({ signers: [signer({ Email })] })] }), 0)
    expect(problems).toMatchObject([{ severity: 'error', message }])
  })

  test.each(['māia@exämple.co.nz', 'o’neil@mail-1.example.org'])('can be %s', (Email) => {
    expect(problemsOf(forms({ items: [form({ signers: [signer({ Email })] })] }), 0)).toEqual([])
  })
})
