/** A small real HTTP server that gives the answers a test writes by hand, and records its requests. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { selfSigned } from './self-signed.ts'

interface RecordedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface HandWrittenService {
  url: string
  requests: RecordedRequest[]
}

export type Answering = (recorded: RecordedRequest, response: ServerResponse, request: IncomingMessage) => void

/** Serves until the test is over. */
export async function serve(answering: Answering): Promise<HandWrittenService> {
  const requests: RecordedRequest[] = []
  const server = createServer(recording(requests, answering))
  return { url: `http://127.0.0.1:${await listening(server)}`, requests }
}

/** Serves over TLS with a certificate that nobody trusts. */
export async function serveSelfSigned(
  answering: Answering,
  certificate: { key: string; cert: string } = selfSigned
): Promise<HandWrittenService> {
  const requests: RecordedRequest[] = []
  const server = createSecureServer(certificate, recording(requests, answering))
  return { url: `https://127.0.0.1:${await listening(server)}`, requests }
}

/** Answers every connection byte by byte; counts the connections that sent something. */
export async function serveBytes(
  speak: (socket: Socket, received: Buffer) => void
): Promise<{ url: string; heard: number[] }> {
  const heard: number[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (received) => {
      heard.push(received.byteLength)
      speak(socket, received)
    })
  })
  const port = await listening(server as unknown as Server)
  return { url: `http://127.0.0.1:${port}`, heard }
}

/** Returns an address where nothing listens. */
export async function nobody(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

/** Answers JSON with this status. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answering {
  return body(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers })
}

/** Answers these bytes with this status. */
export function body(bytes: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Answering {
  return (_asked, response) => {
    response.writeHead(status, headers).end(bytes)
  }
}

/** Gives each answer once, in turn, then keeps giving the last one. */
export function inTurn(...answers: Answering[]): Answering {
  let next = 0
  return (...call) => answers[Math.min(next++, answers.length - 1)]?.(...call)
}

function recording(requests: RecordedRequest[], answering: Answering): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(one)
      answering(one, response, request)
    })
  }
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}
