/**
 * Broken connections, slow services and excessive answers: each error says what failed, and whether a send may have
 * arrived.
 */
import { describe, expect, test } from 'vitest'
import { activeDocuments } from '../fixtures/active-documents.ts'
import { clientOf, errorOf, hastyLimits, onlyOneAttempt } from './client-factory.ts'
import { body, json, nobody, serve, serveBytes, serveSelfSigned } from './hand-written-service.ts'
import { aDocument, aFormDirectRequest } from './sample-requests.ts'

const once = { limits: onlyOneAttempt }

describe('no connection', () => {
  test('nothing listens at the address: refused, and a send never left', async () => {
    const error = await errorOf(clientOf(await nobody()).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'refused', mayHaveArrived: false, reason: 'ECONNREFUSED' })
  })

  test('the name doesn’t exist: dns, and a send never left', async () => {
    const error = await errorOf(clientOf('http://nowhere.invalid').sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'dns', mayHaveArrived: false })
  })

  test('the certificate is self-signed: tls, and a send never left', async () => {
    const service = await serveSelfSigned(json({}))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'tls', mayHaveArrived: false, reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(service.requests).toEqual([])
  })

  test('the service doesn’t speak TLS: tls, and a send never left', async () => {
    const service = await serve(json({}))
    const error = await errorOf(clientOf(service.url.replace('http:', 'https:')).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'tls', mayHaveArrived: false })
  })

  test('the port is one that fetch blocks: refused', async () => {
    const error = await errorOf(clientOf('http://127.0.0.1:22').sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'refused', mayHaveArrived: false })
  })
})

describe('a broken connection', () => {
  test('reset before any answer: a send may have arrived', async () => {
    const service = await serve((_asked, _response, request) => request.socket.resetAndDestroy())
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'interrupted', mayHaveArrived: true })
    expect(service.requests).toHaveLength(1)
  })

  test('closed cleanly without an answer: a send may have arrived', async () => {
    const service = await serveBytes((socket) => socket.end())
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'interrupted', mayHaveArrived: true })
  })

  test('reset in the middle of the answer: a send may have arrived', async () => {
    const service = await serve((_asked, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{"PackageReference":"p-1"', () => response.socket?.resetAndDestroy())
    })
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'interrupted', mayHaveArrived: true })
  })

  test('an answer shorter than its Content-Length is interrupted, not complete', async () => {
    const complete = JSON.stringify([aDocument()])
    const service = await serveBytes((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${complete.length + 10}\r\n\r\n${complete}`)
    )
    expect((await errorOf(activeDocuments(clientOf(service.url, once), 'InBox'))).code).toBe('interrupted')
  })

  test('a chunked answer without its last chunk is interrupted, not complete', async () => {
    const service = await serveBytes((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n')
    )
    expect((await errorOf(activeDocuments(clientOf(service.url, once), 'InBox'))).code).toBe('interrupted')
  })

  test('a partial answer (206) is never taken for the whole', async () => {
    const service = await serve(body('[]', 206, { 'content-type': 'application/json', 'content-range': 'bytes 0-1/9' }))
    expect((await errorOf(activeDocuments(clientOf(service.url, once), 'InBox'))).code).toBe('interrupted')
    expect(await errorOf(clientOf(service.url, once).sendForms2(aFormDirectRequest()))).toMatchObject({
      code: 'interrupted',
      mayHaveArrived: true,
      status: 206
    })
  })

  test('of an answer longer than its Content-Length, only that length is read; the rest isn’t taken for another answer', async () => {
    const service = await serveBytes((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]trailing rubbish')
    )
    expect(await activeDocuments(clientOf(service.url, once), 'InBox')).toEqual({ items: [], problems: [] })
  })

  test('an answer that isn’t HTTP is unreadable', async () => {
    const service = await serveBytes((socket) => socket.end('SSH-2.0-something\r\n'))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'not-json', mayHaveArrived: true })
  })

  test('endless headers are unreadable', async () => {
    const service = await serveBytes((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(200_000)}\r\n\r\n[]`)
    )
    expect((await errorOf(activeDocuments(clientOf(service.url, once), 'InBox'))).code).toBe('not-json')
  })
})

describe('timeouts and cancellation', () => {
  test('no answer at all: timeout, and a send may have arrived', async () => {
    const service = await serve(() => {})
    const error = await errorOf(clientOf(service.url, { limits: hastyLimits(80) }).sendForms2(aFormDirectRequest()))
    expect(error).toMatchObject({ code: 'timeout', mayHaveArrived: true })
    expect(service.requests).toHaveLength(1)
  })

  test('the answer stalls midway: timeout', async () => {
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      response.write('[')
    })
    expect((await errorOf(clientOf(service.url, { limits: hastyLimits(80) }).getTemplateList())).code).toBe('timeout')
  })

  test('an answer that trickles endlessly is ended by the total limit', async () => {
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    expect((await errorOf(clientOf(service.url, { limits: hastyLimits(50) }).getTemplateList())).code).toBe('timeout')
  })

  test('a slow answer that keeps arriving is waited for', async () => {
    const service = await serve(async (_asked, response) => {
      response.writeHead(200)
      for (const piece of ['[', ' ', ' ', ' ', ']']) {
        response.write(piece)
        await new Promise((next) => setTimeout(next, 100))
      }
      response.end()
    })
    expect(await clientOf(service.url, { limits: hastyLimits(400) }).getTemplateList()).toEqual({
      items: [],
      problems: []
    })
  })

  test('when the caller cancels, the error is cancelled, and a send may have arrived', async () => {
    const cancel = new AbortController()
    const service = await serve(() => cancel.abort())
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest(), { signal: cancel.signal }))
    expect(error).toMatchObject({ code: 'cancelled', mayHaveArrived: true })
  })

  test('a call cancelled before it starts is never sent', async () => {
    const service = await serve(json({}))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest(), { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ code: 'cancelled', mayHaveArrived: false })
    expect(service.requests).toEqual([])
  })

  test('a call cancelled while its answer arrives ends immediately, even if the body can’t be stopped', async () => {
    const cancel = new AbortController()
    const deaf = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
    const client = clientOf('http://service.example.org', { fetch: deaf })
    setTimeout(() => cancel.abort(), 20)
    expect((await errorOf(client.getTemplateList({ signal: cancel.signal }))).code).toBe('cancelled')
  })
})

describe('answer size', () => {
  const large = JSON.stringify(Array.from({ length: 2000 }, (_, index) => aDocument({ Reference: `d-${index}` })))

  test('an answer that declares itself too large isn’t read', async () => {
    const service = await serve(body(large))
    const error = await errorOf(activeDocuments(clientOf(service.url), 'InBox', { maxBytes: 1000 }))
    expect(error.code).toBe('too-large')
  })

  test('an answer that turns out to be too large is stopped', async () => {
    let closed: (() => void) | undefined
    const stopped = new Promise<void>((done) => {
      closed = done
    })
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(large));
      }
      response.on('drain', more)
      response.on('close', () => closed?.())
      more()
    })
    const error = await errorOf(activeDocuments(clientOf(service.url), 'InBox', { maxBytes: 1_000_000 }))
    expect(error.code).toBe('too-large')
    await stopped
  })

  test('an answer exactly as large as the limit is read', async () => {
    const service = await serve(body(large))
    const { items } = await activeDocuments(clientOf(service.url), 'InBox', { maxBytes: Buffer.byteLength(large) })
    expect(items).toHaveLength(2000)
  })

  test('a caller can raise the default limit', async () => {
    const service = await serve((_asked, response) => response.writeHead(200).end(large))
    const limits = { answerBytes: { read: 100, send: 100, list: 100 } }
    const client = clientOf(service.url, { limits })
    expect((await errorOf(activeDocuments(client, 'InBox'))).code).toBe('too-large')
    expect((await activeDocuments(client, 'InBox', { maxBytes: 10_000_000 })).items).toHaveLength(2000)
  })

  test('a send whose answer is too large may have arrived', async () => {
    const service = await serve(body(large))
    const error = await errorOf(clientOf(service.url).sendForms2(aFormDirectRequest(), { maxBytes: 1000 }))
    expect(error).toMatchObject({ code: 'too-large', mayHaveArrived: true })
  })

  test('200 MB are read into about 200 MB of memory, not twice as much', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const service = await serve((_asked, response) => {
      response.writeHead(200)
      let left = 200
      const more = () => {
        while (left > 0) {
          left--
          if (!response.write(piece)) return
        }
        response.end('[]')
      }
      response.on('drain', more)
      more()
    })
    let bytesOfBuffer = 0
    let bytesRead = 0
    await clientOf(service.url).readActiveDocuments('InBox', {}, async (bytes) => {
      bytesOfBuffer = bytes.buffer.byteLength
      bytesRead = bytes.byteLength
      return { kind: 'taken' }
    })
    expect(bytesRead).toBe(200 * 1024 * 1024 + 2)
    // One buffer, which overshoots by less than its last growth and was never copied to another.
    expect(bytesOfBuffer).toBeLessThan(257 * 1024 * 1024)
  })
})
