/** Whatever is found in place of identity data is described in plain words, distinctly for each finding. */
import { expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { FINDINGS, type Finding, ServiceError } from '../../../src/main/core/service/index.ts'
import type { IDVerificationDataType } from '../../../src/shared/model/index.ts'

const sentenceFor = (type: IDVerificationDataType, finding: Finding) =>
  asAppError(
    new ServiceError({
      code: 'not-a-pdf',
      operation: 'Download/IDVerification',
      mayHaveArrived: false,
      asked: type,
      finding
    })
  ).message

test.each(FINDINGS)('“%s” is reported in one or two sentences', (finding) => {
  for (const type of ['pdf', 'json'] as const) {
    expect(sentenceFor(type, finding)).toMatch(/^[A-Z].{15,160}\.$/)
    expect(sentenceFor(type, finding)).not.toMatch(/oops|error|JSON|HTTP|base64|undefined/i)
  }
})

test('no two findings are reported in the same words', () => {
  for (const type of ['pdf', 'json'] as const) {
    expect(new Set(FINDINGS.map((finding) => sentenceFor(type, finding))).size).toBe(FINDINGS.length)
  }
})
