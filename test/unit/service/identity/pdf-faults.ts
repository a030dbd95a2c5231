/** Faults of a server that is asked for a PDF and answers with status 200. */
import { deflateSync, gzipSync } from 'node:zlib'
import { body, json } from '../../../contract/hand-written-service.ts'
import { aPdf } from './a-pdf.ts'
import { answers, patience, type Row, speaks } from './row.ts'

const asked = 'pdf'
const base64 = aPdf.toString('base64')
const page = (text: string) =>
  `<!DOCTYPE html><html><head><title>${text}</title></head><body><h1>${text}</h1></body></html>`
const typed = (type: string) => ({ 'content-type': type })
const raw = (head: string, bytes: Uint8Array | string) =>
  speaks((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`)
    // A few milliseconds later, so that the answer has begun.
    socket.write(bytes, () => setTimeout(() => socket.end(), 20))
  })
const incomplete = { asked, code: 'incomplete' } as const
const notAPdf = { asked, code: 'not-a-pdf' } as const
const noData = { asked, code: 'no-data' } as const
const errorAnswer = { asked, code: 'error-answer' } as const
const notKept = 'Nothing was saved.'

const notWhole = {
  ...incomplete,
  sentence: `Part of the PDF is missing or damaged. ${notKept}`,
  means: 'not whole'
}
const tooSlow = {
  asked,
  code: 'timeout',
  sentence: `The signing service started sending the PDF but stopped or was too slow. ${notKept}`,
  means: 'too slow'
} as const
const somethingElse = {
  ...notAPdf,
  sentence: 'What arrived isn’t the PDF. Something on your network may have answered instead of the service.',
  means: 'something else'
}
const unpackable = { ...somethingElse, code: 'not-json', means: 'unpackable' } as const
const signIn = {
  ...notAPdf,
  sentence: 'A sign-in page arrived instead of the PDF. Open a browser to sign in to this network, then try again.',
  means: 'sign in'
}
const nothing = {
  ...noData,
  sentence: 'The signing service sent nothing: the PDF may not be ready yet, or may have been deleted.',
  means: 'nothing'
}
const refused = {
  ...errorAnswer,
  sentence: `The signing service refused to send the PDF. ${notKept}`,
  means: 'an error'
}

export const brokenPdfs: Row[] = [
  {
    does: 'resets the line in the middle of an announced length',
    ...notWhole,
    at: speaks((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${aPdf.length}\r\n\r\n`)
      socket.write(aPdf.subarray(0, 100), () => setTimeout(() => socket.resetAndDestroy(), 30))
    })
  },
  { does: 'announces more than it sends', ...notWhole, at: raw(`Content-Length: ${aPdf.length + 10}\r\n`, aPdf) },
  {
    does: 'sends pieces without the last one',
    ...notWhole,
    at: raw('Transfer-Encoding: chunked\r\n', `5\r\n%PDF-\r\n`)
  },
  { does: 'announces less than it sends', ...notWhole, at: raw('Content-Length: 100\r\n', aPdf) },
  { does: 'closes the line in the middle, having announced nothing', ...notWhole, at: raw('', aPdf.subarray(0, 150)) },
  {
    does: 'ends all its pieces properly in the middle of the PDF',
    ...notWhole,
    at: answers((_asked, response) => {
      response.write(aPdf.subarray(0, 100))
      response.end()
    })
  },
  {
    does: 'sends a page of another program behind the PDF',
    ...notWhole,
    at: answers(body(Buffer.concat([aPdf, Buffer.alloc(2000, '<br>')])))
  },
  {
    does: 'sends the beginning of another revision behind the PDF',
    ...notWhole,
    at: answers(body(Buffer.concat([aPdf, Buffer.from('\n12 0 ob')])))
  },
  {
    does: 'sends a part, and says so',
    ...notWhole,
    at: answers(body(aPdf, 206, { 'content-range': `bytes 0-${aPdf.length - 1}/${aPdf.length * 2}` }))
  },
  {
    does: 'falls silent after its headers',
    ...tooSlow,
    limits: patience(150, 10_000),
    at: answers((_asked, response) => response.flushHeaders())
  },
  {
    does: 'falls silent in the middle',
    ...tooSlow,
    limits: patience(150, 10_000),
    at: answers((_asked, response) => {
      response.writeHead(200, { 'content-length': aPdf.length })
      response.write(aPdf.subarray(0, 100))
    })
  },
  {
    does: 'drips a byte now and then, for ever',
    ...tooSlow,
    limits: patience(1_000, 400),
    at: answers((_asked, response) => {
      response.write(aPdf.subarray(0, 20))
      const drip = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(drip))
    })
  },
  {
    does: 'says gzip and sends the PDF as it is',
    ...unpackable,
    at: answers(body(aPdf, 200, { 'content-encoding': 'gzip' }))
  },
  {
    does: 'says gzip and spoils it',
    ...unpackable,
    at: answers(body(spoilt(gzipSync(aPdf)), 200, { 'content-encoding': 'gzip' }))
  },
  {
    does: 'cuts its gzip',
    ...notWhole,
    at: answers(body(gzipSync(aPdf, { level: 0 }).subarray(0, 200), 200, { 'content-encoding': 'gzip' }))
  },
  { does: 'sends gzip and says nothing of it', ...somethingElse, at: answers(body(gzipSync(aPdf))) },
  {
    does: 'sends more than is taken, and says so',
    asked,
    code: 'too-large',
    maxBytes: 100,
    means: 'too large',
    sentence: 'The PDF is too large for Countersign.',
    at: answers((_asked, response) => {
      // The rest is never waited for.
      response.writeHead(200, { 'content-length': 10_000_000_000 })
      response.write(aPdf.subarray(0, 50))
    })
  },
  {
    does: 'sends more than is taken, and says nothing',
    asked,
    code: 'too-large',
    maxBytes: 100,
    means: 'too large',
    sentence: 'The PDF is too large for Countersign.',
    at: answers((_asked, response) => {
      response.write(aPdf.subarray(0, 50))
      response.end(aPdf.subarray(50))
    })
  },
  {
    does: 'sends base64 that is cut',
    ...notWhole,
    at: answers(body(base64.slice(0, 201), 200, typed('text/plain')))
  },
  {
    does: 'sends base64 of a PDF that is cut',
    ...notWhole,
    at: answers(body(aPdf.subarray(0, 150).toString('base64')))
  },
  {
    does: 'sends base64 in a JSON string that is never closed',
    ...notWhole,
    at: answers(body(`"${base64}`, 200, typed('application/json')))
  },
  {
    does: 'sends base64 in a JSON object that is never closed',
    ...notWhole,
    at: answers(body(`{"Data":"${base64}"`, 200, typed('application/json')))
  },
  {
    does: 'sends base64 with something else in it',
    ...notWhole,
    at: answers(body(`${base64.slice(0, 100)}***${base64.slice(100)}`))
  },
  {
    does: 'sends base64 with its padding in the middle',
    ...notWhole,
    at: answers(body(`"${base64.slice(0, 100)}==${base64.slice(100)}"`))
  },
  {
    does: 'sends two PDFs in one answer',
    ...somethingElse,
    at: answers(json([base64, base64]))
  }
]

export const otherThanPdfs: Row[] = [
  {
    does: 'sends base64 and much more of something behind it',
    ...somethingElse,
    at: answers(json({ Data: base64, Picture: 'A'.repeat(3 * 1024 * 1024) }))
  },
  {
    does: 'says that there is nothing (204)',
    ...nothing,
    at: answers(body('', 204))
  },
  { does: 'sends nothing', ...nothing, at: answers(body('', 200, typed('application/pdf'))) },
  { does: 'sends blank lines', ...nothing, at: answers(body('\r\n\r\n  ')) },
  {
    does: 'sends null',
    ...nothing,
    at: answers(json(null))
  },
  {
    does: 'sends a page to log in at',
    ...signIn,
    at: answers(body(page('Log in to the guest network'), 200, typed('text/html')))
  },
  {
    does: 'sends a page with a password field, called a PDF',
    ...signIn,
    at: answers(body('<html><form><input type="password"></form></html>', 200, typed('application/pdf')))
  },
  {
    does: 'sends a page of a proxy',
    ...somethingElse,
    at: answers(body(page('Blocked by policy 12'), 200, typed('text/html')))
  },
  {
    does: 'sends a page that speaks of a %PDF- file',
    ...somethingElse,
    at: answers(body(page('No %PDF- could be made'), 200, typed('text/html')))
  },
  {
    does: 'sends XML',
    ...somethingElse,
    at: answers(body('<?xml version="1.0"?><Response><Code>4</Code></Response>', 200, typed('text/xml')))
  },
  {
    does: 'sends the error of its framework, with status 200',
    ...refused,
    serviceMessage: 'The report is being made.',
    at: answers(
      json({ ResponseStatus: { ErrorCode: 'Pending', Message: 'The report is being made.', StackTrace: 'at A.B()' } })
    )
  },
  {
    does: 'sends an error in the form of a gateway, with status 200',
    ...refused,
    serviceMessage: 'Upstream is away',
    at: answers(json({ error: { code: 7, message: 'Upstream is away' } }))
  },
  {
    does: 'sends an error without a word, with status 200',
    ...refused,
    at: answers(json({ ResponseStatus: { ErrorCode: 'E17' } }))
  },
  {
    does: 'sends the records',
    ...notAPdf,
    sentence: `The signing service sent the identity records instead of the PDF. ${notKept}`,
    at: answers(json([{ DocClass: 'Passport', IsPassed: true }]))
  },
  { does: 'sends other JSON', ...somethingElse, at: answers(json({ Url: 'https://files.example.org/1.pdf' })) },
  { does: 'sends a number', ...somethingElse, at: answers(json([1, 2, 3])) },
  {
    does: 'sends JSON that is cut',
    ...somethingElse,
    at: answers(body('{"Url": "https://', 200, typed('application/json')))
  },
  {
    does: 'sends a sentence',
    ...somethingElse,
    serviceMessage: 'Come back tomorrow',
    at: answers(body('Come back tomorrow', 200, typed('text/plain')))
  },
  {
    does: 'sends a sentence as JSON',
    ...somethingElse,
    serviceMessage: 'Not verified',
    at: answers(json('Not verified'))
  },
  {
    does: 'sends a long text, of which nothing is shown',
    ...somethingElse,
    at: answers(body('Words of someone. '.repeat(30)))
  },
  {
    does: 'sends a JPEG',
    ...somethingElse,
    at: answers(body(Buffer.from('ffd8ffe000104a464946000101', 'hex'), 200, typed('application/pdf')))
  },
  { does: 'sends a PNG', ...somethingElse, at: answers(body(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))) },
  {
    does: 'sends a ZIP',
    ...somethingElse,
    at: answers(body(Buffer.from('504b030414000000080000', 'hex'), 200, typed('application/zip')))
  },
  {
    does: 'sends bytes of no known kind',
    ...somethingElse,
    at: answers(body(deflateSync(Buffer.alloc(5000, 'ab'))))
  },
  {
    does: 'sends base64 of a picture',
    ...somethingElse,
    at: answers(body(Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)]).toString('base64')))
  },
  {
    does: 'sends base64 of a picture as JSON',
    ...somethingElse,
    at: answers(json(Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(100)]).toString('base64')))
  }
]

/** Returns the bytes with a valid header and a corrupted middle. */
function spoilt(bytes: Buffer): Buffer {
  bytes.fill(0xff, 20, 40)
  return bytes
}
