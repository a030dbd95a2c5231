import { expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { withCheckingMessages, withConnectingMessages } from '../../../src/main/core/errors/connecting.ts'
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/main/core/service/errors.ts'
import { asDownloadError } from '../../../src/main/core/service/file-trouble.ts'
import { localErrorCodes, serviceErrorCodes } from '../../../src/shared/contract/index.ts'

const codes: readonly string[] = [...serviceErrorCodes, ...localErrorCodes]

const errorOf = (code: (typeof SERVICE_ERROR_CODES)[number]) =>
  new ServiceError({
    code,
    operation: 'FormDirect/SendForms2',
    mayHaveArrived: true,
    movedTo: 'https://new.example.com'
  })

test.each(SERVICE_ERROR_CODES)(
  '"%s" is explained in one or two plain sentences, under a code of the contract',
  (code) => {
    const { code: shownCode, message, mayHaveArrived } = asAppError(errorOf(code))
    expect(codes).toContain(shownCode)
    expect(message).toMatch(/^[A-Z].{15,160}\.$/)
    expect(message).not.toMatch(/oops|error|HTTP [0-9]|\b[45]\d\d\b|SendForms2/i)
    expect(mayHaveArrived).toBe(true)
  }
)

test.each([
  'Account/Info',
  'Document/GetActiveDocuments',
  'Document/Validation',
  'Download/IDVerification',
  'FormDirect/Employers',
  'FormFiller/GetTemplateList',
  'Recipient/GetRecipients'
])('%s only reads: its errors don’t say that the outcome is unknown', (operation) => {
  const error = new ServiceError({ code: 'server', operation, mayHaveArrived: true, status: 500 })
  expect(asAppError(error)).not.toHaveProperty('mayHaveArrived')
})

test('no two errors of the service have the same wording', () => {
  const messages = SERVICE_ERROR_CODES.map((code) => asAppError(errorOf(code)).message)
  expect(new Set(messages).size).toBe(messages.length)
})

test('a service that has moved is reported with its new address', () => {
  expect(asAppError(errorOf('redirected')).message).toContain('https://new.example.com')
})

test.each([
  ['ERR_PROXY_AUTH_UNSUPPORTED', /proxy needs you to sign in/],
  ['ERR_TUNNEL_CONNECTION_FAILED', /proxy doesn’t let/],
  ['ERR_PROXY_CONNECTION_FAILED', /proxy doesn’t let/],
  ['ERR_CONNECTION_REFUSED', /^The signing service can’t be reached\.$/]
])('%s is reported as a problem of the proxy or connection, wherever it occurs', async (reason, words) => {
  const error = new ServiceError({ code: 'refused', operation: 'Account/Info', mayHaveArrived: false, reason })
  expect(asAppError(error).message).toMatch(words)
  const connecting = await withConnectingMessages(Promise.reject(error), 'bearer').catch(asAppError)
  expect(connecting).toMatchObject({ message: asAppError(error).message })
})

test('an account check names the rejected credential, but first a wrong clock', async () => {
  const refused = { code: 'unauthorised', operation: 'Account/Info', mayHaveArrived: false, status: 401 } as const
  const checked = (error: ServiceError) => withCheckingMessages(Promise.reject(error), 'basic').catch(asAppError)
  expect(await checked(new ServiceError(refused))).toMatchObject({ message: expect.stringContaining('the password') })
  expect(await checked(new ServiceError({ ...refused, clockAheadMs: 600_000 }))).toMatchObject({
    message: expect.stringContaining('10 minutes ahead')
  })
  expect(await checked(new ServiceError({ ...refused, isTokenExpired: true }))).toMatchObject({
    message: 'This account’s token has expired.'
  })
})

test('a failed download says what is wrong with the certificate, or that the token has expired', () => {
  const details = { operation: 'Download/IDVerification', mayHaveArrived: true }
  const validTo = Date.UTC(2026, 2, 31, 12)
  const certificate = { subject: 'sign.example.com', issuer: 'Example CA', validFrom: 0, validTo }
  const refused = new ServiceError({ ...details, code: 'tls', reason: 'CERT_HAS_EXPIRED', certificate })
  expect(asAppError(asDownloadError('pdf', refused)).message).toContain('certificate expired on 31 March 2026')
  const expired = new ServiceError({ ...details, code: 'unauthorised', status: 401, isTokenExpired: true })
  expect(asAppError(asDownloadError('json', expired)).message).toBe('This account’s token has expired.')
})

test('a sign-in that failed during a download isn’t taken for missing permission to see identity checks', () => {
  const details = { operation: 'Download/IDVerification', mayHaveArrived: false }
  const denied = new ServiceError({ ...details, code: 'refused', status: 403, signIn: 'denied' })
  expect(asAppError(asDownloadError('pdf', denied)).message).toBe('The sign-in was declined.')
})
