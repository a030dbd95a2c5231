import { describe, expect, test } from 'vitest'
import { detailsOf, fieldInWords, presentError } from '../../src/renderer/src/words/errors.ts'
import { localErrorCodes, serviceErrorCodes } from '../../src/shared/contract/errors.ts'

const codes = [...serviceErrorCodes, ...localErrorCodes]

describe('an error on a screen', () => {
  test.each(codes)('%s says what happened, what it means and what to do, in sentences', (code) => {
    const words = presentError({ code, message: 'A sentence of ours.' })
    expect(words.happened).toBe('A sentence of ours.')
    for (const sentence of [words.meaning, words.todo]) expect(sentence).toMatch(/^(\p{Lu}.*\.)?$/u)
    expect(Object.values(words).join(' ')).not.toMatch(/oops|error code/i)
  })

  test('prefers main’s advice over the code’s', () => {
    expect(presentError({ code: 'keychain', message: 'ours', next: 'Enter them again.' }).todo).toBe(
      'Enter them again.'
    )
    expect(presentError({ code: 'keychain', message: 'ours' }).todo).toContain('Unlock')
  })

  test('shows codes only in the details', () => {
    for (const code of codes.filter((one) => one.includes('-'))) {
      const { happened, meaning, todo } = presentError({ code, message: 'ours' })
      expect(`${happened} ${meaning} ${todo}`).not.toContain(code)
    }
  })

  test('after a request that may have arrived offers no retry', () => {
    const words = presentError({ code: 'timeout', message: 'ours', mayHaveArrived: true })
    expect(words.meaning).toContain('may have arrived')
    expect(words.todo).toContain('is checking with the service')
    expect(words.todo).toContain('Don’t send it again')
  })

  test('gives the service’s retry delay in words', () => {
    expect(presentError({ code: 'rate-limited', message: 'ours', retryAfterMs: 90_000 }).todo).toContain('2 minutes')
  })

  test('has details with the code, the service’s message and the location', () => {
    const text = detailsOf({
      code: 'unexpected-shape',
      message: 'Unreadable.',
      serviceMessage: 'Hm',
      path: '[3].Status',
      fields: [{ field: 'Forms[0].Name', message: 'too long' }]
    })
    for (const part of ['unexpected-shape', 'Unreadable.', 'Hm', '[3].Status', 'Forms[0].Name: too long'])
      expect(text).toContain(part)
  })
})

describe('a field that the service names', () => {
  test.each([
    ['Forms[0].Signers[1].Email', 'Form 1, Signer 2, Email'],
    ['Templates[2].Fields[0].Value', 'Template 3, Field 1, Value'],
    ['forms[0].signers[0].IDData[3]', 'Form 1, Signer 1, Identity question 4'],
    ['DueDate', 'DueDate']
  ])('%s is counted as people count: %s', (field, words) => {
    expect(fieldInWords(field)).toBe(words)
  })

  test.each(['$.Forms[0].Signers[1].Email', 'Forms[0].Things[1]', 'forms/0/signers', 'the signer’s e-mail', ''])(
    'stays as the service wrote it otherwise: %s',
    (field) => {
      expect(fieldInWords(field)).toBe(field)
    }
  )
})
