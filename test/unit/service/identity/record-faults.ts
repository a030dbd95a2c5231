/** What a server may do that is asked for the records and answers with status 200. */
import { body, json } from '../../../contract/hand-written-service.ts'
import { aPdf } from './a-pdf.ts'
import { answers, type Row, speaks } from './row.ts'

const asked = 'json'
const notJson = { asked, code: 'not-json' } as const
const otherShape = { asked, code: 'unexpected-shape' } as const
const notKept = 'Nothing was kept.'
const none = {
  asked,
  code: 'no-data',
  sentence: 'The signing service has no record of an identity check for this document.',
  means: 'no record'
} as const
const thePdf = {
  ...notJson,
  sentence: 'The signing service sent the PDF in place of the records. Ask for the PDF instead.',
  means: 'the PDF'
}
const unknownData = {
  ...otherShape,
  sentence: `The signing service sent data in which the records can’t be found. ${notKept}`,
  means: 'other data, no records'
}

export const recordFaults: Row[] = [
  { does: 'sends null for records', ...none, at: answers(json(null)) },
  { does: 'sends an empty list', ...none, at: answers(json([])) },
  { does: 'sends an empty text', ...none, at: answers(json('')) },
  {
    does: 'sends nothing for records',
    asked,
    code: 'no-data',
    sentence: 'The signing service’s answer is empty: the records may not be made yet, or no longer be there.',
    at: answers(body(''))
  },
  {
    does: 'says that there are no records (204)',
    asked,
    code: 'no-data',
    sentence: 'The signing service says that it has nothing to send in place of the records.',
    at: answers(body('', 204))
  },
  { does: 'sends the PDF for records', ...thePdf, at: answers(body(aPdf)) },
  { does: 'sends the PDF as base64 for records', ...thePdf, at: answers(json(aPdf.toString('base64'))) },
  {
    does: 'sends a page to sign in at for records',
    ...notJson,
    sentence:
      'A page to sign in at came in place of the records. Sign in to this network in a web browser, then try again.',
    at: answers(body('<html><h1>Please sign in</h1></html>', 200, { 'content-type': 'application/json' }))
  },
  {
    does: 'sends a page for records',
    ...notJson,
    sentence: 'A web page came in place of the records. Something between this computer and the service sent it.',
    at: answers(body('<html><h1>Maintenance</h1></html>'))
  },
  {
    does: 'sends a sentence for records',
    ...notJson,
    sentence: `The signing service sent plain text in place of the records. ${notKept}`,
    serviceMessage: 'No access',
    at: answers(body('No access'))
  },
  {
    does: 'sends records that are cut',
    ...notJson,
    sentence: 'The signing service sent data that breaks off, or is spoilt, in place of the records.',
    at: answers(body('[{"FirstName":"A', 200))
  },
  {
    does: 'sends an error for records, with status 200',
    asked,
    code: 'error-answer',
    sentence: `The signing service said why it doesn’t send the records. ${notKept}`,
    serviceMessage: 'Too early',
    at: answers(json({ ResponseStatus: { Message: 'Too early' } }))
  },
  { does: 'sends other data for records', ...unknownData, at: answers(json({ Total: 4 })) },
  { does: 'sends a number for records', ...unknownData, at: answers(json(7)) },
  {
    does: 'sends records that are too large',
    asked,
    code: 'too-large',
    maxBytes: 1000,
    sentence: 'The records are larger than Countersign takes.',
    at: answers(json([{ PortraitImage: 'A'.repeat(5000) }]))
  },
  {
    does: 'breaks the line in the middle of the records',
    asked,
    code: 'incomplete',
    sentence: `The line to the signing service broke in the middle of the records. ${notKept}`,
    at: speaks((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{'))
  },
  {
    does: 'says gzip for records and sends none',
    ...notJson,
    sentence: `The records came compressed in a way that can’t be undone. ${notKept}`,
    at: answers(body('[{"DocId":"1"}]', 200, { 'content-encoding': 'gzip' }))
  }
]
