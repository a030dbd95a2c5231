/** Faults before any answer with status 200: connection failures, redirects, refusals. */
import { body, json } from '../../../contract/hand-written-service.ts'
import { absent, answers, patience, type Row, speaks, untrusted } from './row.ts'

const asked = 'pdf'
const page = '<html><h1>Bad Gateway</h1></html>'

const noTrust = {
  asked,
  code: 'tls',
  sentence: 'The connection to the signing service isn’t secure: its certificate can’t be trusted.'
} as const
const noAnswer = {
  asked,
  code: 'timeout',
  means: 'no answer',
  sentence: 'The connection to the signing service was lost before it answered.'
} as const
const noService = {
  asked,
  code: 'not-json',
  means: 'no web service',
  sentence: 'What answered at the account’s address isn’t a signing service. Check the address in Settings.'
} as const
const nowhere = {
  asked,
  code: 'unsafe-address',
  means: 'nowhere',
  sentence: 'The signing service keeps redirecting without answering.'
} as const
const gateway = {
  asked,
  code: 'server',
  means: 'gateway',
  sentence: 'The signing service’s gateway is answering, but the service behind it isn’t.'
} as const
const notOffered = {
  asked,
  code: 'not-found',
  means: 'not offered',
  sentence: 'This signing service doesn’t offer identity data. Ask your provider about it.'
} as const
const unkept = {
  asked,
  code: 'not-found',
  means: 'not kept',
  sentence:
    'The signing service has no identity data for this document. Nobody may have completed an identity check yet, or it was deleted after a time.'
} as const
const wait = {
  asked,
  code: 'rate-limited',
  means: 'wait',
  sentence: 'The signing service has asked us to slow down.'
} as const

const refuses = (status: number, headers: Record<string, string> = {}) => answers(body(page, status, headers))

export const lineFaults: Row[] = [
  {
    does: 'isn’t there',
    asked,
    code: 'refused',
    sentence: 'The signing service can’t be reached.',
    at: absent
  },
  {
    does: 'has a name that nobody knows',
    asked,
    code: 'dns',
    sentence: 'The signing service’s address can’t be found.',
    at: async () => 'http://nowhere.invalid'
  },
  {
    does: 'shows a certificate that nobody vouches for',
    ...noTrust,
    sentence:
      'The connection to the signing service isn’t secure: its certificate is from an issuer that this computer doesn’t trust.',
    at: untrusted(json([]))
  },
  {
    does: 'speaks no TLS where it should',
    ...noTrust,
    at: async () => (await answers(json([]))()).replace('http:', 'https:')
  },
  { does: 'resets the line before a word', ...noAnswer, at: speaks((socket) => socket.resetAndDestroy()) },
  { does: 'closes the line before a word', ...noAnswer, at: speaks((socket) => socket.end()) },
  {
    does: 'says nothing',
    asked,
    code: 'timeout',
    sentence: 'The signing service took too long to respond.',
    limits: patience(150, 10_000),
    at: answers(() => {})
  },
  { does: 'speaks another language', ...noService, at: speaks((socket) => socket.end('SSH-2.0-something\r\n')) },
  {
    does: 'sends headers without end',
    ...noService,
    at: speaks((socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(200_000)}\r\n\r\n`))
  },
  {
    does: 'announces a length that is no number',
    ...noService,
    at: speaks((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n%PDF-'))
  },
  {
    does: 'sends us to another machine',
    asked,
    code: 'unsafe-address',
    sentence:
      'The signing service has moved to http://files.example.org. If that’s right, change the account’s address.',
    at: answers(body('', 302, { location: 'http://files.example.org/x?token=1' }))
  },
  { does: 'sends us in circles', ...nowhere, at: answers(body('', 302, { location: '/again' })) },
  { does: 'sends us nowhere', ...nowhere, at: answers(body('', 302)) }
]

export const refusals: Row[] = [
  {
    does: 'doesn’t accept the question (400)',
    asked,
    code: 'invalid',
    sentence: 'The signing service didn’t accept the request for the PDF of this document.',
    serviceMessage: 'Malformed reference',
    at: answers(json({ ResponseStatus: { Message: 'Malformed reference' } }, 400))
  },
  {
    does: 'doesn’t know the key (401)',
    asked,
    code: 'unauthorised',
    sentence: 'The signing service didn’t accept this account’s key or token.',
    at: refuses(401)
  },
  {
    does: 'wants to be paid (402)',
    asked,
    code: 'payment-required',
    sentence: 'The signing service has put this account on hold until a payment is made.',
    at: refuses(402)
  },
  {
    does: 'doesn’t let us (403)',
    asked,
    code: 'forbidden',
    sentence: 'This account doesn’t have permission to see identity checks. Ask your administrator for permission.',
    at: refuses(403)
  },
  {
    does: 'has it no longer (404)',
    ...unkept,
    serviceMessage: 'The document was removed under the retention policy.',
    at: answers(json({ ResponseStatus: { Message: 'The document was removed under the retention policy.' } }, 404))
  },
  { does: 'has it no longer, or no such address (404 with a page)', ...unkept, at: refuses(404) },
  { does: 'can’t be asked like this (405)', ...notOffered, at: refuses(405) },
  { does: 'can’t do that (501)', ...notOffered, at: refuses(501) },
  {
    does: 'can’t say it in any form (406)',
    asked,
    code: 'not-json',
    sentence: 'The signing service can’t send the PDF in a format that Countersign reads.',
    at: refuses(406)
  },
  {
    does: 'didn’t hear all of the question (408)',
    asked,
    code: 'timeout',
    sentence: 'The signing service stopped waiting for the request. The connection may be slow.',
    at: refuses(408)
  },
  {
    does: 'is changing it (409)',
    asked,
    code: 'conflict',
    sentence: 'This has changed in the meantime, so nothing was done.',
    at: refuses(409)
  },
  {
    does: 'has deleted it (410)',
    asked,
    code: 'not-found',
    sentence: 'The signing service has deleted this identity data.',
    at: refuses(410)
  },
  {
    does: 'finds the address too long (414)',
    asked,
    code: 'too-large',
    sentence: 'This is too large to send or load.',
    at: refuses(414)
  },
  {
    does: 'has no documents left for us (426)',
    asked,
    code: 'quota',
    sentence: 'This account has no documents left in its plan.',
    at: refuses(426)
  },
  { does: 'wants us to wait (429)', ...wait, at: refuses(429) },
  { does: 'wants us to wait for two minutes (429)', ...wait, at: refuses(429, { 'retry-after': '120' }) },
  {
    does: 'is broken (500)',
    asked,
    code: 'server',
    sentence: 'The signing service had a problem.',
    serviceMessage: 'Object reference not set',
    at: answers(
      json({ ResponseStatus: { Message: 'Object reference not set\r\n   at A.B(C c)', StackTrace: 'x' } }, 500)
    )
  },
  { does: 'is away behind its gateway (502)', ...gateway, at: refuses(502) },
  { does: 'is slow behind its gateway (504)', ...gateway, at: refuses(504) },
  {
    does: 'is closed (503)',
    asked,
    code: 'server',
    sentence: 'The signing service is temporarily unavailable.',
    at: refuses(503)
  },
  {
    does: 'is a guest network (511)',
    asked,
    code: 'offline',
    sentence: 'This network needs you to sign in first. Open a browser to sign in, then try again.',
    at: refuses(511)
  }
]
