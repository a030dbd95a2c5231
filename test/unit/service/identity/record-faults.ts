/** Faults of a server that is asked for the records and answers with status 200. */
import { body, json } from '../../../contract/hand-written-service.ts'
import { aPdf } from './a-pdf.ts'
import { answers, type Row, speaks } from './row.ts'

const asked = 'json'
const notJson = { asked, code: 'not-json' } as const
const otherShape = { asked, code: 'unexpected-shape' } as const
const notKept = 'Nothing was saved.'
const none = {
  asked,
  code: 'no-data',
  sentence: 'The signing service sent nothing: the records may not be ready yet, or may have been deleted.',
  means: 'no records'
} as const
const thePdf = {
  ...notJson,
  sentence: 'The signing service sent the PDF instead of the records. Download the PDF instead.',
  means: 'the PDF'
}
const somethingElse = {
  ...notJson,
  sentence: 'What arrived isn’t the records. Something on your network may have answered instead of the service.',
  means: 'something else, no records'
}
const unknownData = {
  ...otherShape,
  sentence: 'What arrived isn’t the records. Something on your network may have answered instead of the service.',
  means: 'other data, no records'
}

export const recordFaults: Row[] = [
  { does: 'sends null for records', ...none, at: answers(json(null)) },
  { does: 'sends an empty list', ...none, at: answers(json([])) },
  { does: 'sends an empty text', ...none, at: answers(json('')) },
  {
    does: 'sends nothing for records',
    ...none,
    at: answers(body(''))
  },
  {
    does: 'says that there are no records (204)',
    ...none,
    at: answers(body('', 204))
  },
  { does: 'sends the PDF for records', ...thePdf, at: answers(body(aPdf)) },
  { does: 'sends the PDF as base64 for records', ...thePdf, at: answers(json(aPdf.toString('base64'))) },
  {
    does: 'sends a page to sign in at for records',
    ...notJson,
    sentence:
      'A sign-in page arrived instead of the records. Open a browser to sign in to this network, then try again.',
    at: answers(body('<html><h1>Please sign in</h1></html>', 200, { 'content-type': 'application/json' }))
  },
  {
    does: 'sends a page for records',
    ...somethingElse,
    at: answers(body('<html><h1>Maintenance</h1></html>'))
  },
  {
    does: 'sends a sentence for records',
    ...somethingElse,
    serviceMessage: 'No access',
    at: answers(body('No access'))
  },
  {
    does: 'sends records that are cut',
    ...somethingElse,
    at: answers(body('[{"FirstName":"A', 200))
  },
  {
    does: 'sends an error for records, with status 200',
    asked,
    code: 'error-answer',
    sentence: `The signing service refused to send the records. ${notKept}`,
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
    sentence: 'The records are too large for Countersign.',
    at: answers(json([{ PortraitImage: 'A'.repeat(5000) }]))
  },
  {
    does: 'breaks the line in the middle of the records',
    asked,
    code: 'incomplete',
    sentence: `Part of the records is missing or damaged. ${notKept}`,
    at: speaks((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{'))
  },
  {
    does: 'says gzip for records and sends none',
    ...somethingElse,
    at: answers(body('[{"DocId":"1"}]', 200, { 'content-encoding': 'gzip' }))
  }
]
