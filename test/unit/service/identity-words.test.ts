/** Whatever is found in place of identity data is described in plain words, distinctly for each finding. */
import { expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { FINDINGS, type Finding, ServiceError } from '../../../src/main/core/service/index.ts'
import type { IDVerificationDataType } from '../../../src/shared/model/index.ts'

const sentenceFor = (asked: IDVerificationDataType, finding: Finding) =>
  asAppError(
    new ServiceError({ code: 'not-a-pdf', operation: 'Download/IDVerification', mayHaveArrived: false, asked, finding })
  ).message

test.each(FINDINGS)('“%s” is reported in one or two sentences', (finding) => {
  for (const asked of ['pdf', 'json'] as const) {
    expect(sentenceFor(asked, finding)).toMatch(/^[A-Z].{15,160}\.$/)
    expect(sentenceFor(asked, finding)).not.toMatch(/oops|error|JSON|HTTP|base64|undefined/i)
  }
})

test('no two findings are reported in the same words', () => {
  for (const asked of ['pdf', 'json'] as const) {
    expect(new Set(FINDINGS.map((finding) => sentenceFor(asked, finding))).size).toBe(FINDINGS.length)
  }
})
